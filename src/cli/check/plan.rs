//! The settings of a check, and what is to be checked.

use std::io::{self, Read};
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::discover::{self, Candidate, Discovery, Overlay, PatternError, Patterns, Problem};
use crate::report::{Format, RepositoryPaths, Style};

use super::super::arguments::CheckArguments;
use super::super::assumptions::Assumptions;
use super::super::failure::Failure;
use super::super::output::Output;
use super::super::progress::Progress;
use super::super::selection::Selection;
use super::reports::reports;

/// Standard input, as a path on the command line.
const STANDARD_INPUT: &str = "-";

/// The settings, once they are known to be right.
pub(in crate::cli) struct Plan {
    pub(in crate::cli) selection: Selection,
    pub(in crate::cli) assumptions: Assumptions,
    pub(in crate::cli) threads: NonZeroUsize,
    discovery: discover::Settings,
    pub(in crate::cli) reports: Vec<(Format, Style, Output)>,
    pub(in crate::cli) paths: RepositoryPaths,
    pub(in crate::cli) progress: Progress,
}

impl Plan {
    pub(in crate::cli) fn new(
        arguments: &CheckArguments,
        overlay: &Arc<Overlay>,
    ) -> Result<Self, Failure> {
        let threads = arguments
            .threads
            .or_else(|| std::thread::available_parallelism().ok())
            .unwrap_or(NonZeroUsize::MIN);
        let patterns = |patterns: &[String]| {
            Patterns::new(patterns.iter().map(String::as_str)).map_err(|error: PatternError| {
                Failure::usage(
                    error.to_string(),
                    "write for example '*.yaml' or third_party",
                )
            })
        };
        let current = current_folder()?;
        Ok(Self {
            selection: Selection::new(&arguments.select, &arguments.ignore)?,
            assumptions: Assumptions::new(
                &arguments.assumptions,
                &paths(arguments),
                &current,
                overlay,
            )?,
            threads,
            discovery: discover::Settings {
                include: patterns(&arguments.include)?,
                exclude: patterns(&arguments.exclude)?,
                threads: threads.get(),
            },
            reports: reports(arguments, &current)?,
            progress: Progress::new(!arguments.quiet && !arguments.no_progress),
            paths: RepositoryPaths::new(discover::git_root(&current).unwrap_or(&current), &current),
        })
    }
}

/// The current folder.
pub(in crate::cli) fn current_folder() -> Result<PathBuf, Failure> {
    std::env::current_dir()
        .map_err(|error| Failure::run(format!("the current folder cannot be read: {error}")))
}

/// Lets standard input hold these bytes.
pub(in crate::cli) fn set_standard_input(inputs: &mut [Input], new: Vec<u8>) {
    for input in inputs {
        if let Input::StandardInput { bytes, .. } = input {
            *bytes = new;
            return;
        }
    }
}

/// Something to check.
pub(in crate::cli) enum Input {
    File(Candidate),
    /// Standard input, read up to one byte more than the limit of size.
    StandardInput {
        shown: String,
        bytes: Vec<u8>,
    },
}

impl Input {
    /// What standard input holds, if this is it.
    pub(in crate::cli) fn standard_input(&self) -> Option<&[u8]> {
        match self {
            Self::StandardInput { bytes, .. } => Some(bytes),
            Self::File(_) => None,
        }
    }

    /// Whether this is standard input, shown under this path.
    pub(in crate::cli) fn is_standard_input_as(&self, path: &str) -> bool {
        matches!(self, Self::StandardInput { shown, .. } if shown == path)
    }

    /// The path for which settings and pins are looked up.
    pub(in crate::cli) fn path(&self) -> &Path {
        match self {
            Self::File(file) => &file.path,
            Self::StandardInput { shown, .. } => Path::new(shown),
        }
    }
}

fn is_standard_input(path: &Path) -> bool {
    path.as_os_str() == STANDARD_INPUT
}

fn standard_input() -> Result<Vec<u8>, Failure> {
    let mut bytes = Vec::new();
    let read = io::stdin()
        .lock()
        .take(discover::SIZE_LIMIT + 1)
        .read_to_end(&mut bytes);
    read.map_err(|error| Failure::run(format!("standard input cannot be read: {error}")))?;
    Ok(bytes)
}

/// The files and folders to check.
fn paths(arguments: &CheckArguments) -> Vec<PathBuf> {
    if arguments.paths.is_empty() {
        return vec![PathBuf::from(".")];
    }
    let paths = arguments.paths.iter().cloned();
    paths.filter(|path| !is_standard_input(path)).collect()
}

/// Discover: the files to check, and the paths that cannot be searched.
pub(in crate::cli) fn inputs(
    arguments: &CheckArguments,
    plan: &Plan,
) -> Result<(Vec<Input>, Vec<Problem>), Failure> {
    let current = current_folder()?;
    let Discovery {
        candidates,
        problems,
    } = discover::discover(&paths(arguments), &current, &plan.discovery);
    let overlay = &plan.assumptions.overlay;
    let mut candidates = candidates;
    if !overlay.is_empty() {
        // What is staged may be gone from the disk, and what is there may not be staged.
        candidates.retain(|file| {
            let real = file.path.canonicalize();
            real.is_err() || real.is_ok_and(|real| overlay.get(&real) != Some(None))
        });
        let paths = paths(arguments);
        let only_there = discover::only_laid_over(overlay, &paths, &current, &plan.discovery);
        candidates.extend(only_there);
        candidates.sort();
    }
    let mut inputs: Vec<_> = candidates.into_iter().map(Input::File).collect();
    if arguments.paths.iter().any(|path| is_standard_input(path)) {
        let shown = match &arguments.stdin_filename {
            Some(path) => discover::shown(path, &current),
            None => "<stdin>".to_owned(),
        };
        let bytes = standard_input()?;
        inputs.push(Input::StandardInput { shown, bytes });
    } else if arguments.stdin_filename.is_some() {
        return Err(Failure::usage(
            "--stdin-filename is given, but standard input is not checked",
            "add `-` to the paths",
        ));
    }
    Ok((inputs, problems))
}
