//! The walk through folders.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError, mpsc};

use ignore::{DirEntry, WalkBuilder, WalkState};

use super::{Problem, Settings, reason, shown, tracked};

/// Endings of the files that a walk reads: configs and recipes, scripts and what else holds commands. accelerate reads
/// every other file as YAML too, whatever its name, but a walk that opened each binary would cost more than it finds:
/// such a config is read where it is named itself, or where `include` matches it.
const ENDINGS: &[&str] = &[
    "yaml",
    "yml",
    "json",
    "sh",
    "bash",
    "zsh",
    "ksh",
    "slurm",
    "sbatch",
    "pbs",
    "lsf",
    "job",
    "sub",
    "mk",
    "just",
    "md",
    "mdx",
    "qmd",
    "dockerfile",
    "containerfile",
];

/// Names, and beginnings of names before a dot, of files that hold commands.
const NAMES: &[&str] = &[
    "makefile",
    "gnumakefile",
    "dockerfile",
    "containerfile",
    "justfile",
    ".justfile",
];

/// What a walk found, in no order.
#[derive(Default)]
pub(super) struct Walked {
    pub(super) files: Vec<PathBuf>,
    pub(super) problems: Vec<Problem>,
}

enum Seen {
    File(PathBuf),
    Problem(Problem),
}

/// Walks folders, in parallel.
pub(super) fn walk(folders: &[PathBuf], current: &Path, settings: &Settings) -> Walked {
    let mut walked = Walked::default();
    let Some((first, others)) = folders.split_first() else {
        return walked;
    };
    let mut builder = WalkBuilder::new(root(first, current));
    for folder in others {
        builder.add(root(folder, current));
    }
    let repositories = Arc::new(Mutex::new(Vec::new()));
    builder
        .hidden(false)
        .follow_links(false)
        // `.ignore` files speak to search tools; what git leaves out is what a project leaves out.
        .ignore(false)
        // A checkout copied without its `.git` is walked like the checkout.
        .require_git(false)
        .threads(settings.threads)
        .filter_entry({
            let repositories = Arc::clone(&repositories);
            let exclude = settings.exclude.clone();
            let current = current.to_owned();
            move |entry| {
                if entry.file_name() == ".git" && entry.depth() > 0 {
                    if let Some(folder) = entry.path().parent() {
                        repositories
                            .lock()
                            .unwrap_or_else(PoisonError::into_inner)
                            .push(folder.to_owned());
                    }
                    return false;
                }
                let shown = shown(entry.path(), &current);
                !exclude.match_path(Path::new(&shown))
            }
        });
    let (sender, receiver) = mpsc::channel();
    builder.build_parallel().run(|| {
        let sender = sender.clone();
        Box::new(move |entry| {
            if let Some(seen) = look_at(entry, current, settings) {
                // The receiver outlives the walk.
                let _ = sender.send(seen);
            }
            WalkState::Continue
        })
    });
    drop(sender);
    for seen in receiver {
        match seen {
            Seen::File(path) => walked.files.push(path),
            Seen::Problem(problem) => walked.problems.push(problem),
        }
    }

    let mut repositories =
        std::mem::take(&mut *repositories.lock().unwrap_or_else(PoisonError::into_inner));
    for folder in folders {
        let folder = root(folder, current);
        if tracked::in_work_tree(&folder) {
            repositories.push(folder);
        }
    }
    repositories.sort();
    repositories.dedup();
    for repository in repositories {
        for path in tracked::tracked_but_ignored(&repository) {
            let shown = shown(&path, current);
            if is_candidate(&path, &shown, settings)
                && !settings.exclude.match_path_or_folder(Path::new(&shown))
                && std::fs::symlink_metadata(&path).is_ok_and(|metadata| metadata.is_file())
            {
                walked.files.push(path);
            }
        }
    }
    walked
}

/// The walker takes the path `-` for standard input, and walks a link only where it ends in a slash.
fn root(folder: &Path, current: &Path) -> PathBuf {
    current.join(folder).join("")
}

fn look_at(
    entry: Result<DirEntry, ignore::Error>,
    current: &Path,
    settings: &Settings,
) -> Option<Seen> {
    match entry {
        Ok(entry) => {
            let is_file = entry.file_type().is_some_and(|kind| kind.is_file());
            let path = entry.into_path();
            (is_file && is_candidate(&path, &shown(&path, current), settings))
                .then_some(Seen::File(path))
        }
        Err(error) => {
            let path = path_of(&error)?;
            let reason = match error.io_error() {
                Some(error) => reason(error),
                None => error.to_string(),
            };
            Some(Seen::Problem(Problem {
                shown: shown(path, current),
                reason,
            }))
        }
    }
}

/// The path that an error is about; errors about ignore files name none and are left to git.
fn path_of(error: &ignore::Error) -> Option<&Path> {
    match error {
        ignore::Error::WithPath { path, .. } => Some(path),
        ignore::Error::WithDepth { err, .. } | ignore::Error::WithLineNumber { err, .. } => {
            path_of(err)
        }
        _ => None,
    }
}

pub(super) fn is_candidate(path: &Path, shown: &str, settings: &Settings) -> bool {
    let has_ending = path
        .extension()
        .and_then(|ending| ending.to_str())
        .is_some_and(|ending| {
            ENDINGS
                .iter()
                .any(|known| known.eq_ignore_ascii_case(ending))
        });
    let name = path
        .file_name()
        .and_then(|name| name.to_str())
        .unwrap_or("");
    let has_name = || {
        NAMES.iter().any(|known| {
            let rest = name.get(known.len()..).filter(|_| {
                name.get(..known.len())
                    .is_some_and(|start| start.eq_ignore_ascii_case(known))
            });
            rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
        })
    };
    has_ending || has_name() || settings.include.match_path(Path::new(shown))
}
