//! Files that git tracks although an ignore file matches them.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// The files below `folder` that git tracks and ignores at once. Nothing where git is missing or fails: then the
/// ignore files alone decide.
pub(super) fn tracked_but_ignored(folder: &Path) -> Vec<PathBuf> {
    let output = Command::new("git")
        // A file monitor named in the repository's own settings would be a program that the repository starts.
        .args(["-c", "core.fsmonitor=false", "-C"])
        .arg(folder)
        .args(["ls-files", "-z", "--cached", "--ignored"])
        .args(["--exclude-standard", "--", "."])
        .env("GIT_OPTIONAL_LOCKS", "0")
        // Set while a git hook runs; they describe the repository of the current directory, not this one.
        .env_remove("GIT_DIR")
        .env_remove("GIT_WORK_TREE")
        .env_remove("GIT_INDEX_FILE")
        .env_remove("GIT_PREFIX")
        .stdin(Stdio::null())
        .stderr(Stdio::null())
        .output();
    let Ok(output) = output else {
        return Vec::new();
    };
    if !output.status.success() {
        return Vec::new();
    }
    output
        .stdout
        .split(|byte| *byte == 0)
        .filter(|name| !name.is_empty())
        .filter_map(|name| Some(folder.join(path_of(name)?)))
        .collect()
}

/// Whether a folder lies in a git work tree, told without starting git.
pub(super) fn in_work_tree(folder: &Path) -> bool {
    folder
        .ancestors()
        .any(|folder| folder.join(".git").exists())
}

#[cfg(unix)]
fn path_of(name: &[u8]) -> Option<PathBuf> {
    use std::os::unix::ffi::OsStrExt;
    Some(PathBuf::from(std::ffi::OsStr::from_bytes(name)))
}

#[cfg(not(unix))]
fn path_of(name: &[u8]) -> Option<PathBuf> {
    std::str::from_utf8(name).ok().map(PathBuf::from)
}
