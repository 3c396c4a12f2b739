//! Discover: paths and settings → candidate files.
//!
//! A folder is walked with `.gitignore`, `.git/info/exclude` and the global ignore file honoured; a file that git
//! tracks is read even where one of these matches it, because it is part of the project. Hidden folders (`.github`)
//! are walked, `.git` never is, and links are not followed, so that no walk leaves its root. A file that is named
//! itself is always a candidate, whatever its name, unless an `exclude` pattern matches it; patterns may hold in a part of
//! the tree only ([`Local`]).

mod changed;
mod git;
mod local;
mod overlay;
mod patterns;
mod repository;
mod tracked;
mod upwards;
mod walk;

use std::collections::BTreeMap;
use std::io;
use std::path::{Component, Path, PathBuf};

pub use changed::{Against, Changed, ChangedError};
pub use local::{Local, LocalPatterns, NothingLocal};
pub use overlay::Overlay;
pub use patterns::{PatternError, Patterns};
pub use repository::RepositoryPaths;
pub use upwards::{Folder, FolderFile, Nearest, SIZE_LIMIT, Upwards};

/// What is to be searched, and how.
#[derive(Clone, Debug)]
pub struct Settings {
    /// Files with these names are read besides those that can hold configs, recipes or commands by their names.
    pub include: Patterns,
    /// Files and folders that are never read.
    pub exclude: Patterns,
    /// Whether what is excluded is left out also where it is named itself.
    pub force_exclude: bool,
    /// How many threads walk; 0 lets the walker choose.
    pub threads: usize,
}

/// A file to read.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Candidate {
    /// The path as it is shown: relative to the current directory where that is possible, with `/`.
    pub shown: String,
    /// The path to open.
    pub path: PathBuf,
    /// Whether the file itself was named, rather than a folder above it.
    pub explicit: bool,
}

/// A path that cannot be searched or read.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Problem {
    /// The path as it is shown.
    pub shown: String,
    /// What is wrong with it, as a clause: `no such file or folder`.
    pub reason: String,
}

/// What a search found, sorted by shown path.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Discovery {
    /// The files to read.
    pub candidates: Vec<Candidate>,
    /// The paths that cannot be searched.
    pub problems: Vec<Problem>,
}

impl Settings {
    /// Whether a path that is named itself is left out.
    pub fn leave_out(&self, path: &Path, shown: &str, local: &dyn Local) -> bool {
        // The current folder has no name that a pattern could mean.
        let is_excluded = || shown != "." && self.exclude.match_path_or_folder(Path::new(shown));
        self.force_exclude && (is_excluded() || local.excludes(path))
    }
}

/// Searches `paths`, which are relative to `current`.
pub fn discover(
    paths: &[PathBuf],
    current: &Path,
    settings: &Settings,
    local: &dyn Local,
) -> Discovery {
    let mut found = BTreeMap::new();
    let mut problems = Vec::new();
    let mut folders = Vec::new();
    for path in paths {
        // Explicit links are followed: `metadata` looks through them.
        match std::fs::metadata(current.join(path)) {
            Ok(metadata) if metadata.is_dir() => {
                if !settings.leave_out(path, &shown(path, current), local) {
                    folders.push(path.clone());
                }
            }
            Ok(metadata) if metadata.is_file() => {
                let shown = shown(path, current);
                if !settings.leave_out(path, &shown, local) {
                    found.insert(order(&shown), candidate(path, shown, true));
                }
            }
            Ok(_) => problems.push(Problem {
                shown: shown(path, current),
                reason: "not a regular file; give its text on standard input, as `-`".to_owned(),
            }),
            Err(error) => problems.push(Problem {
                shown: shown(path, current),
                reason: reason(&error),
            }),
        }
    }
    let walked = walk::walk(&folders, current, settings, local);
    for path in walked.files {
        let shown = shown(&path, current);
        found
            .entry(order(&shown))
            .or_insert_with(|| candidate(&path, shown, false));
    }
    problems.extend(walked.problems);
    problems.sort();
    problems.dedup();
    Discovery {
        candidates: found.into_values().collect(),
        problems,
    }
}

/// The root of the git repository that a folder lies in, told without starting git.
pub fn git_root(folder: &Path) -> Option<&Path> {
    let mut above = folder.ancestors();
    above.find(|folder| folder.join(".git").symlink_metadata().is_ok())
}

/// The files of an overlay that the disk does not have, as a search of these paths would find them.
pub fn only_laid_over(
    overlay: &Overlay,
    paths: &[PathBuf],
    current: &Path,
    settings: &Settings,
    local: &dyn Local,
) -> Vec<Candidate> {
    let roots: Vec<_> = paths
        .iter()
        .filter_map(|path| current.join(path).canonicalize().ok())
        .collect();
    let is_missing = |path: &&Path| path.symlink_metadata().is_err();
    let below_a_root = |path: &&Path| roots.iter().any(|root| path.starts_with(root));
    let files = overlay.files().filter(is_missing).filter(below_a_root);
    let mut here = local::Here::new(local);
    let candidates = files.filter_map(|path| {
        let shown = relative(path, &current.canonicalize().ok()?);
        let is_wanted = walk::is_candidate(path, &shown, settings, &mut here)
            && !settings.exclude.match_path_or_folder(Path::new(&shown))
            && !local.excludes(path);
        is_wanted.then(|| candidate(path, shown, false))
    });
    candidates.collect()
}

/// Folder by folder, as a person reads a listing.
fn order(shown: &str) -> Vec<String> {
    shown.split('/').map(str::to_owned).collect()
}

fn candidate(path: &Path, shown: String, explicit: bool) -> Candidate {
    Candidate {
        shown,
        path: path.to_owned(),
        explicit,
    }
}

/// The path relative to the current directory where that is possible, without `.` parts and with `/`.
pub(crate) fn shown(path: &Path, current: &Path) -> String {
    let relative = path.strip_prefix(current).unwrap_or(path);
    let mut shown = String::new();
    for component in relative.components() {
        if component == Component::CurDir {
            continue;
        }
        if !shown.is_empty() && !shown.ends_with('/') {
            shown.push('/');
        }
        shown.push_str(&component.as_os_str().to_string_lossy());
    }
    if shown.is_empty() {
        shown.push('.');
    }
    shown
}

/// The path as it is shown, with `..` where it lies beside or above the current directory.
fn relative(path: &Path, current: &Path) -> String {
    let common = path
        .components()
        .zip(current.components())
        .take_while(|(left, right)| left == right)
        .count();
    let up = current.components().count() - common;
    // Nothing but the root of the file system in common: another place altogether.
    if up == 0 || common < 2 {
        return shown(path, current);
    }
    let below: PathBuf = path.components().skip(common).collect();
    format!("{}{}", "../".repeat(up), shown(&below, current))
}

/// What went wrong, in words that do not depend on the machine's language.
pub(crate) fn reason(error: &io::Error) -> String {
    match error.kind() {
        io::ErrorKind::NotFound => "no such file or folder".to_owned(),
        io::ErrorKind::PermissionDenied => "permission denied".to_owned(),
        _ => error.to_string(),
    }
}

#[cfg(test)]
mod tests;
