//! The `git` program: the only one that is started, for questions about a repository.

use std::ffi::OsStr;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// Why git gives no answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum NoAnswer {
    /// There is no git.
    Missing,
    /// It ends with a failure; what it says.
    Failed(String),
}

/// How git is asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Asking {
    /// About the repository of a folder, whatever the environment says.
    Folder,
    /// As the environment says: in a hook, it names the index that is about to be committed.
    Environment,
}

/// What git prints for these arguments in a folder. It takes no lock, pages nothing, and starts no file monitor, diff
/// driver or text conversion that the repository names.
pub(super) fn ask<S: AsRef<OsStr>>(
    folder: &Path,
    asking: Asking,
    arguments: &[S],
    input: Option<&[u8]>,
) -> Result<Vec<u8>, NoAnswer> {
    let mut command = Command::new("git");
    command
        // A file monitor named in the repository's own settings would be a program that the repository starts.
        .args(["--no-pager", "-c", "core.fsmonitor=false", "-C"])
        .arg(folder)
        .args(arguments)
        .env("GIT_OPTIONAL_LOCKS", "0")
        .env("GIT_LITERAL_PATHSPECS", "1")
        .env("LC_ALL", "C");
    if asking == Asking::Folder {
        // Set while a git hook runs; they describe the repository of the current directory, not this one.
        for name in ["GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_PREFIX"] {
            command.env_remove(name);
        }
    }
    let failed = |error: io::Error| match error.kind() {
        io::ErrorKind::NotFound => NoAnswer::Missing,
        _ => NoAnswer::Failed(error.to_string()),
    };
    let output = match input {
        None => command.stdin(Stdio::null()).output().map_err(failed)?,
        Some(input) => {
            let mut child = command
                .stdin(Stdio::piped())
                .stdout(Stdio::piped())
                .stderr(Stdio::piped())
                .spawn()
                .map_err(failed)?;
            let stdin = child.stdin.take();
            std::thread::scope(|scope| {
                // Written beside the reading, or both would wait for each other.
                scope.spawn(move || stdin.map(|mut stdin| stdin.write_all(input)));
                child.wait_with_output().map_err(failed)
            })?
        }
    };
    match output.status.success() {
        true => Ok(output.stdout),
        false => Err(NoAnswer::Failed(
            String::from_utf8_lossy(&output.stderr).trim().to_owned(),
        )),
    }
}

/// The parts between NUL bytes.
pub(super) fn parts(output: &[u8]) -> impl Iterator<Item = &[u8]> {
    output
        .split(|byte| *byte == 0)
        .filter(|part| !part.is_empty())
}

/// A name as git prints it with `-z`.
#[cfg(unix)]
pub(super) fn path_of(name: &[u8]) -> Option<PathBuf> {
    use std::os::unix::ffi::OsStrExt;
    Some(PathBuf::from(OsStr::from_bytes(name)))
}

/// A name as git prints it with `-z`.
#[cfg(not(unix))]
pub(super) fn path_of(name: &[u8]) -> Option<PathBuf> {
    std::str::from_utf8(name).ok().map(PathBuf::from)
}
