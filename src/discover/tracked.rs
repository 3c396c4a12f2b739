//! Files that git tracks although an ignore file matches them.

use std::path::{Path, PathBuf};

use super::git::{self, Git};

/// The files below `folder` that git tracks and ignores at once. Nothing where git is missing or fails: then the
/// ignore files alone decide.
pub(super) fn tracked_but_ignored(folder: &Path) -> Vec<PathBuf> {
    let arguments = [
        "ls-files",
        "-z",
        "--cached",
        "--ignored",
        "--exclude-standard",
        "--",
        ".",
    ];
    let Ok(output) = Git::of(folder).ask(&arguments, None) else {
        return Vec::new();
    };
    git::parts(&output)
        .filter_map(|name| Some(folder.join(git::path_of(name)?)))
        .collect()
}

/// Whether a folder lies in a git work tree, told without starting git.
pub(super) fn in_work_tree(folder: &Path) -> bool {
    folder
        .ancestors()
        .any(|folder| folder.join(".git").exists())
}
