//! The files that a file names: the DeepSpeed config of a config, and what a launch command names.

use std::path::{Component, Path, PathBuf};
use std::sync::Arc;

use crate::formats::Kind;
use crate::formats::launch::{Folder, LaunchCommand, LaunchFile, Loaded};
use crate::resolve::target::closest;
use crate::resolve::{Files, Lookup};
use crate::source::SourceFile;

use super::super::assumptions::Assumptions;
use super::file::SIZE_LIMIT;

/// Finds what a config names: from the current folder, or from one between it and the config's own.
pub(in crate::cli) struct Partners<'a> {
    config: &'a str,
}

impl<'a> Partners<'a> {
    /// The partners of the config that is shown under this path.
    pub(in crate::cli) fn of(config: &'a str) -> Self {
        Self { config }
    }
}

impl Files for Partners<'_> {
    /// In which folder the launch command will run is not known: what is not found may still be there.
    fn look_up(&self, path: &str) -> Lookup {
        let mut candidates = folders_above(self.config);
        candidates.reverse();
        match find(path, &candidates) {
            Some(file) => Lookup::Found(file),
            None => Lookup::Unknown,
        }
    }
}

/// Finds what the commands of a launch file name.
pub(in crate::cli) struct Beside<'a> {
    file: &'a str,
    folder: Folder,
    /// What the file itself writes, and where the command stands in it.
    written: Option<(&'a LaunchFile, usize)>,
    /// The paths of all configs that are checked.
    configs: &'a [String],
    /// What the settings declare.
    assumptions: Option<&'a Assumptions>,
}

impl<'a> Beside<'a> {
    /// The files beside the launch file that is shown under this path, for what it loads.
    pub(in crate::cli) fn of(file: &'a str) -> Self {
        Self {
            file,
            folder: Folder::Start(String::new()),
            written: None,
            configs: &[],
            assumptions: None,
        }
    }

    /// The files of a command.
    pub(in crate::cli) fn of_command(
        file: &'a str,
        command: &LaunchCommand,
        holds: &'a LaunchFile,
        configs: &'a [String],
        assumptions: &'a Assumptions,
    ) -> Self {
        Self {
            file,
            folder: command.folder.clone(),
            written: Some((holds, command.spot.span.start)),
            configs,
            assumptions: Some(assumptions),
        }
    }

    /// What the script makes of a file before the command runs; `None` where it does not touch it.
    fn made(&self, path: &str) -> Option<Lookup> {
        let (holds, at) = self.written?;
        let wanted = joined(&self.folder, path)?;
        let written = holds.written.iter().rfind(|written| {
            let name = written
                .path
                .known()
                .and_then(|name| joined(&written.folder, name));
            written.body.start < at && name.as_ref() == Some(&wanted)
        });
        let named = clean(Path::new(path));
        let touched = holds
            .touched
            .iter()
            .rfind(|touched| touched.at < at && clean(Path::new(&touched.path)) == named);
        match (written, touched) {
            (Some(written), Some(touched)) if touched.at > written.body.start => {
                Some(Lookup::Unknown)
            }
            (Some(written), _) => Some(Lookup::Found(Arc::clone(&written.file))),
            (None, Some(_)) => Some(Lookup::Unknown),
            (None, None) => None,
        }
    }

    /// Where the command may run: a script is started in its own folder, or in one above it.
    fn candidates(&self, folder: &Folder) -> Vec<PathBuf> {
        match folder {
            // Where `cd $DIR` leads is not known. What is found under the whole path is meant all the same.
            Folder::Unknown => folders_above(self.file),
            Folder::Own(below) => {
                let own = Path::new(self.file).parent().unwrap_or(Path::new(""));
                clean(&own.join(below)).into_iter().collect()
            }
            Folder::Start(below) => {
                let folders = folders_above(self.file);
                let joined = folders.iter().map(|folder| folder.join(below));
                joined.filter_map(|folder| clean(&folder)).collect()
            }
        }
    }
}

impl Loaded for Beside<'_> {
    fn load(&self, path: &str, folder: &Folder) -> Option<Arc<SourceFile>> {
        find(path, &self.candidates(folder))
    }
}

impl Files for Beside<'_> {
    fn look_up(&self, path: &str) -> Lookup {
        let is_elsewhere = path.is_empty()
            || path.starts_with('~')
            || path.contains(['*', '?', '[', '<', '{'])
            || Path::new(path).is_absolute();
        if is_elsewhere {
            return Lookup::Unknown;
        }
        if let Some(made) = self.made(path) {
            return made;
        }
        let candidates = self.candidates(&self.folder);
        // A path that leads out of the folder may not be looked at.
        let leaves = candidates
            .iter()
            .all(|folder| clean(&folder.join(path)).is_none());
        match find(path, &candidates) {
            Some(file) => Lookup::Found(file),
            None if leaves || self.folder == Folder::Unknown => Lookup::Unknown,
            None => Lookup::Absent,
        }
    }

    fn declared_kind(&self, path: &str) -> Option<Kind> {
        // Wrong settings were said when they were read.
        self.assumptions?.declared_kind(Path::new(path)).ok()?
    }

    /// A config of the same name elsewhere, or of a name that is close.
    fn meant(&self, path: &str) -> Option<String> {
        let name = |path: &str| path.rsplit('/').next().unwrap_or(path).to_owned();
        let wanted = name(path);
        let same = self.configs.iter().find(|config| name(config) == wanted);
        let names: Vec<String> = self.configs.iter().map(|config| name(config)).collect();
        let alike = || {
            let meant = closest(&wanted, names.iter().map(String::as_str))?;
            let at = names.iter().position(|name| name == meant)?;
            self.configs.get(at)
        };
        same.or_else(alike).cloned()
    }
}

/// A path as seen from where the script starts; `None` where that is not known.
fn joined(folder: &Folder, path: &str) -> Option<(bool, PathBuf)> {
    match folder {
        Folder::Start(below) => Some((false, clean(&Path::new(below).join(path))?)),
        Folder::Own(below) => Some((true, clean(&Path::new(below).join(path))?)),
        Folder::Unknown => None,
    }
}

/// The folder of a file and those above it, the nearest one first.
fn folders_above(file: &str) -> Vec<PathBuf> {
    Path::new(file)
        .ancestors()
        .skip(1)
        .map(Path::to_owned)
        .collect()
}

/// The first of these folders in which there is such a file. Nothing outside the current folder is opened.
fn find(path: &str, folders: &[PathBuf]) -> Option<Arc<SourceFile>> {
    if path.is_empty() || Path::new(path).is_absolute() {
        return None;
    }
    let found = folders.iter().find_map(|folder| {
        let candidate = clean(&folder.join(path))?;
        read(&candidate)
    });
    found.map(Arc::new)
}

/// The path without `.` and `..`; `None` where it leads out of the current folder.
fn clean(path: &Path) -> Option<PathBuf> {
    let mut cleaned = PathBuf::new();
    for part in path.components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir => {
                if !cleaned.pop() {
                    return None;
                }
            }
            Component::Normal(name) => cleaned.push(name),
            Component::RootDir | Component::Prefix(_) => cleaned.push(part),
        }
    }
    Some(cleaned)
}

/// A regular file of text, not too large. A link is followed where it stays below the current folder, or below the
/// root of the file's own repository.
fn read(path: &Path) -> Option<SourceFile> {
    let target = path.canonicalize().ok()?;
    if !target.starts_with(root_of(path)?) {
        return None;
    }
    // Asked before it is opened: to open a pipe is to wait for its writer.
    let metadata = target.metadata().ok()?;
    if !metadata.is_file() || metadata.len() > SIZE_LIMIT {
        return None;
    }
    let bytes = std::fs::read(target).ok()?;
    SourceFile::new(path.to_string_lossy(), bytes).ok()
}

/// The folder out of which nothing is read: the current one, or for a path of its own, the root of the repository that
/// holds it, or its folder.
fn root_of(path: &Path) -> Option<PathBuf> {
    if path.is_relative() && !path.starts_with("..") {
        return std::env::current_dir().ok()?.canonicalize().ok();
    }
    let own = path.parent()?.canonicalize().ok()?;
    let in_git = own
        .ancestors()
        .find(|folder| folder.join(".git").symlink_metadata().is_ok());
    Some(in_git.unwrap_or(&own).to_owned())
}
