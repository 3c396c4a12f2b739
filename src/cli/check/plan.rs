//! The settings of a check, and what is to be checked.

use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::discover::{self, Overlay, PatternError, Patterns, RepositoryPaths};
use crate::report::{Format, Style};

use super::super::arguments::CheckArguments;
use super::super::assumptions::Assumptions;
use super::super::failure::Failure;
use super::super::output::Output;
use super::super::progress::Progress;
use super::super::selection::Selection;
use super::inputs::paths;
use super::reports::reports;
use super::set_aside::SettingAside;

/// The settings, once they are known to be right.
pub(in crate::cli) struct Plan {
    pub(in crate::cli) selection: Selection,
    pub(in crate::cli) assumptions: Assumptions,
    pub(in crate::cli) threads: NonZeroUsize,
    pub(in crate::cli) discovery: discover::Settings,
    pub(in crate::cli) reports: Vec<(Format, Style, Output)>,
    pub(in crate::cli) paths: RepositoryPaths,
    pub(in crate::cli) progress: Progress,
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
        let root = discover::git_root(&current).unwrap_or(&current);
        let repository = RepositoryPaths::new(root, &current);
        Ok(Self {
            selection: Selection::new(&arguments.rules)?,
            assumptions: Assumptions::new(
                &arguments.assumptions,
                &paths(arguments),
                &current,
                overlay,
            )?,
            threads,
            discovery: discover::Settings {
                include: patterns(&arguments.files.include)?,
                exclude: patterns(&arguments.files.exclude)?,
                force_exclude: !arguments.files.no_force_exclude,
                threads: threads.get(),
            },
            reports: reports(arguments, &current)?,
            progress: Progress::new(!arguments.quiet && !arguments.no_progress),
            setting_aside: SettingAside::new(arguments, &repository, &current)?,
            paths: repository,
        })
    }
}

impl Plan {
    /// Whether a file is left out, also where it is named itself.
    pub(in crate::cli) fn excludes(&self, file: &Path, shown: &str) -> bool {
        self.discovery.leave_out(file, shown, &self.assumptions)
    }
}

/// The current folder.
pub(in crate::cli) fn current_folder() -> Result<PathBuf, Failure> {
    std::env::current_dir()
        .map_err(|error| Failure::run(format!("the current folder cannot be read: {error}")))
}
