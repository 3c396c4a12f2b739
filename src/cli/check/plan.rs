//! The settings of a check, and what is to be checked.

use std::io::{self, Read};
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::discover::{
    self, Candidate, Discovery, Overlay, PatternError, Patterns, Problem, RepositoryPaths,
};
use crate::report::{Format, Style};

use super::super::arguments::{CheckArguments, ReportRequest};
use super::super::assumptions::Assumptions;
use super::super::failure::Failure;
use super::super::output::Output;
use super::super::selection::Selection;
use super::set_aside::SettingAside;

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
    /// What sets findings aside.
    pub(in crate::cli) setting_aside: SettingAside,
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
            reports: reports(arguments)?,
            paths: RepositoryPaths::new(discover::git_root(&current).unwrap_or(&current), &current),
            setting_aside: SettingAside::new(arguments, &current)?,
        })
    }

    /// The candidates in a folder, found as those of the check are.
    pub(in crate::cli) fn candidates(&self, folder: &Path) -> Result<Vec<Candidate>, Failure> {
        let folders = [folder.to_owned()];
        Ok(discover::discover(&folders, &current_folder()?, &self.discovery).candidates)
    }
}

/// The current folder.
pub(in crate::cli) fn current_folder() -> Result<PathBuf, Failure> {
    std::env::current_dir()
        .map_err(|error| Failure::run(format!("the current folder cannot be read: {error}")))
}

fn reports(arguments: &CheckArguments) -> Result<Vec<(Format, Style, Output)>, Failure> {
    let text = [ReportRequest {
        format: Format::Text,
        file: None,
    }];
    let requests = if arguments.report.is_empty() {
        &text[..]
    } else {
        &arguments.report
    };
    let on_standard_output = requests.iter().filter(|request| request.file.is_none());
    if on_standard_output.count() > 1 {
        return Err(Failure::usage(
            "two reports cannot both go to standard output",
            "name a file for all but one: --report json=fp8lint.json",
        ));
    }
    Ok(requests
        .iter()
        .map(|request| {
            let output = match &request.file {
                Some(file) => Output::File(file.clone()),
                None if arguments.is_output_a_text() => Output::standard_error(arguments.color),
                None => Output::standard(arguments.color),
            };
            let style = Style {
                colour: output.colour(),
                quiet: arguments.quiet,
                statistics: arguments.statistics,
                show_fixes: arguments.show_fixes,
            };
            (request.format, style, output)
        })
        .collect())
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
    plan: &Plan,
) -> Result<(Vec<Input>, Vec<Problem>), Failure> {
    let current = current_folder()?;
    let Discovery {
        candidates,
        problems,
    } = discover::discover(&paths(arguments), &current, &plan.discovery);
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
