//! What is to be checked: files, and standard input.

use std::io::{self, Read};
use std::path::{Path, PathBuf};

use crate::discover::{self, Candidate, Discovery, Overlay, Problem};

use super::super::arguments::CheckArguments;
use super::super::failure::Failure;
use super::plan::Plan;

/// Standard input, as a path on the command line.
const STANDARD_INPUT: &str = "-";

/// More is not read from standard input. Whether what it holds is too large to be checked the settings say.
const STANDARD_INPUT_LIMIT: u64 = 1 << 30;

/// Something to check.
pub(in crate::cli) enum Input {
    /// A file.
    File(Candidate),
    /// Standard input.
    StandardInput(StandardInput),
}

/// What standard input holds.
#[derive(Clone)]
pub(in crate::cli) struct StandardInput {
    /// The path under which it is checked and shown.
    pub(in crate::cli) shown: String,
    /// What it holds.
    pub(in crate::cli) bytes: Vec<u8>,
    /// The file that it stands for, absolute and without links.
    pub(in crate::cli) real: Option<PathBuf>,
}

impl Input {
    /// The path under which it is shown.
    pub(in crate::cli) fn shown(&self) -> &str {
        match self {
            Self::File(file) => &file.shown,
            Self::StandardInput(input) => &input.shown,
        }
    }

    /// The path for which settings and pins are looked up.
    pub(in crate::cli) fn path(&self) -> &Path {
        match self {
            Self::File(file) => &file.path,
            Self::StandardInput(input) => Path::new(&input.shown),
        }
    }

    /// Standard input, if this is it.
    pub(in crate::cli) fn standard_input(&self) -> Option<&StandardInput> {
        match self {
            Self::StandardInput(input) => Some(input),
            Self::File(_) => None,
        }
    }

    /// Lets standard input hold these bytes, if this is it.
    pub(in crate::cli) fn set_standard_input(&mut self, bytes: &[u8]) {
        if let Self::StandardInput(input) = self {
            bytes.clone_into(&mut input.bytes);
        }
    }
}

impl StandardInput {
    /// Reads standard input, if the command line names it.
    pub(in crate::cli) fn of(
        arguments: &CheckArguments,
        current: &Path,
    ) -> Result<Option<Self>, Failure> {
        if !arguments.reads_standard_input() {
            return match &arguments.stdin_filename {
                None => Ok(None),
                Some(_) => Err(Failure::usage(
                    "--stdin-filename is given, but standard input is not checked",
                    "add `-` to the paths",
                )),
            };
        }
        let mut bytes = Vec::new();
        let read = io::stdin()
            .lock()
            .take(STANDARD_INPUT_LIMIT + 1)
            .read_to_end(&mut bytes);
        read.map_err(|error| Failure::run(format!("standard input cannot be read: {error}")))?;
        if bytes.len() as u64 > STANDARD_INPUT_LIMIT {
            return Err(Failure::run("standard input is larger than 1 GiB"));
        }
        let name = arguments.stdin_filename.as_deref();
        Ok(Some(Self {
            shown: name.map_or("<stdin>".to_owned(), |name| discover::shown(name, current)),
            bytes,
            real: name.map(|name| real_path(&current.join(name))),
        }))
    }

    /// Lets the file that it stands for hold what it holds, for whoever names that file.
    pub(in crate::cli) fn lay_over(&self, overlay: &mut Overlay) {
        if let Some(real) = &self.real {
            overlay.set(real.clone(), self.bytes.clone());
        }
    }
}

/// The path without links; of a file that is not there, below its folder's.
pub(in crate::cli) fn real_path(path: &Path) -> PathBuf {
    path.canonicalize().unwrap_or_else(|_| {
        let folder = path.parent().and_then(|folder| folder.canonicalize().ok());
        match (folder, path.file_name()) {
            (Some(folder), Some(name)) => folder.join(name),
            _ => path.to_owned(),
        }
    })
}

fn is_standard_input(path: &Path) -> bool {
    path.as_os_str() == STANDARD_INPUT
}

/// The files and folders to check.
pub(in crate::cli) fn paths(arguments: &CheckArguments) -> Vec<PathBuf> {
    if arguments.paths.is_empty() {
        return vec![PathBuf::from(".")];
    }
    let paths = arguments.paths.iter().cloned();
    paths.filter(|path| !is_standard_input(path)).collect()
}

/// Discover: the files to check, and the paths that cannot be searched.
pub(in crate::cli) fn inputs(
    arguments: &CheckArguments,
    standard_input: Option<&StandardInput>,
    plan: &Plan,
    current: &Path,
) -> (Vec<Input>, Vec<Problem>) {
    let paths = paths(arguments);
    let Discovery {
        mut candidates,
        problems,
    } = discover::discover(&paths, current, &plan.discovery, &plan.assumptions);
    let overlay = &plan.assumptions.overlay;
    if !overlay.is_empty() {
        let stands_in = standard_input.and_then(|input| input.real.as_deref());
        // What is staged may be gone from the disk, and what is there may not be staged.
        let only_there =
            discover::only_laid_over(overlay, &paths, current, &plan.discovery, &plan.assumptions);
        candidates.extend(only_there);
        candidates.retain(|file| {
            let real = real_path(&current.join(&file.path));
            overlay.get(&real) != Some(None) && stands_in != Some(&real)
        });
        candidates.sort();
    }
    let mut inputs: Vec<_> = candidates.into_iter().map(Input::File).collect();
    if let Some(input) = standard_input
        && !plan.excludes(Path::new(&input.shown), &input.shown)
    {
        inputs.push(Input::StandardInput(input.clone()));
    }
    (inputs, problems)
}
