//! The `git` program: the only one that is started, for questions about a repository.

use std::ffi::{OsStr, OsString};
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

/// The index in use; set by git while it runs a hook.
const INDEX: &str = "GIT_INDEX_FILE";

/// Set while git runs a hook: they describe the repository of that hook, not the one of the current folder.
const OF_A_HOOK: [&str; 7] = [
    "GIT_DIR",
    "GIT_WORK_TREE",
    INDEX,
    "GIT_PREFIX",
    "GIT_COMMON_DIR",
    "GIT_OBJECT_DIRECTORY",
    "GIT_ALTERNATE_OBJECT_DIRECTORIES",
];

/// A folder about whose repository git is asked.
#[derive(Debug)]
pub(super) struct Git {
    folder: PathBuf,
    /// The index that is about to be committed, where it is another one than the repository's own.
    index: Option<PathBuf>,
    /// Filters that the repository's settings name, which would be started to tell whether a file has changed.
    filters: Vec<OsString>,
}

impl Git {
    /// Asks about the repository of a folder, whatever the environment says.
    pub(super) fn of(folder: &Path) -> Self {
        Self {
            folder: folder.to_owned(),
            index: None,
            filters: Vec::new(),
        }
    }

    /// From another folder of the same work tree, and without its filters.
    pub(super) fn without_filters(self, folder: PathBuf) -> Self {
        let names = r"^filter\..*\.(clean|process|smudge|required)$";
        let arguments = ["config", "-z", "--name-only", "--get-regexp", names];
        // Without a match git ends with a failure.
        let output = self.ask(&arguments, None).unwrap_or_default();
        let filters = parts(&output)
            .filter_map(path_of)
            .map(PathBuf::into_os_string);
        Self {
            filters: filters.collect(),
            folder,
            ..self
        }
    }

    /// By the index that the environment names, if it is one of this repository: in a hook, that is what will be
    /// committed.
    pub(super) fn with_index_of_hook(self) -> Self {
        let own = || {
            let output = self.ask(&["rev-parse", "--absolute-git-dir"], None).ok()?;
            path_of(line(&output))?.canonicalize().ok()
        };
        let is_own = match std::env::var_os("GIT_DIR") {
            None => true,
            Some(folder) => {
                let folder = self.folder.join(folder).canonicalize().ok();
                folder.is_some() && folder == own()
            }
        };
        // A relative name begins at the root of the work tree.
        let index = std::env::var_os(INDEX).filter(|_| is_own);
        Self {
            index: index.map(|index| self.folder.join(index)),
            ..self
        }
    }

    /// What git prints for these arguments. It pages nothing, asks nobody, and starts no file monitor, hook, filter or
    /// anything else that the repository's own settings name.
    pub(super) fn ask<S: AsRef<OsStr>>(
        &self,
        arguments: &[S],
        input: Option<&[u8]>,
    ) -> Result<Vec<u8>, NoAnswer> {
        let mut command = Command::new("git");
        command
            .args(["--no-pager", "-c", "core.fsmonitor=false"])
            .args(["-c", "core.hooksPath=/dev/null", "-C"])
            .arg(&self.folder)
            .args(arguments)
            .env("GIT_OPTIONAL_LOCKS", "0")
            .env("GIT_LITERAL_PATHSPECS", "1")
            .env("LC_ALL", "C");
        for name in OF_A_HOOK {
            command.env_remove(name);
        }
        if let Some(index) = &self.index {
            command.env(INDEX, index);
        }
        self.silence_filters(&mut command);
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

    /// Lets each filter be none, by the environment: on the command line a name cannot hold `=`. What the environment
    /// sets already stays.
    fn silence_filters(&self, command: &mut Command) {
        const COUNT: &str = "GIT_CONFIG_COUNT";
        if self.filters.is_empty() {
            return;
        }
        let set = std::env::var(COUNT)
            .ok()
            .and_then(|count| count.parse().ok());
        let set: usize = set.unwrap_or(0);
        for (position, name) in (set..).zip(&self.filters) {
            let is_required = name.as_encoded_bytes().ends_with(b".required");
            command.env(format!("GIT_CONFIG_KEY_{position}"), name).env(
                format!("GIT_CONFIG_VALUE_{position}"),
                if is_required { "false" } else { "" },
            );
        }
        command.env(COUNT, (set + self.filters.len()).to_string());
    }
}

/// The parts between NUL bytes.
pub(super) fn parts(output: &[u8]) -> impl Iterator<Item = &[u8]> {
    output
        .split(|byte| *byte == 0)
        .filter(|part| !part.is_empty())
}

/// An answer of one line, without its end.
pub(super) fn line(output: &[u8]) -> &[u8] {
    let line = output.strip_suffix(b"\n").unwrap_or(output);
    line.strip_suffix(b"\r").unwrap_or(line)
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
