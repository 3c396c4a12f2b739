//! The search upwards: from a file's folder to the root of its repository, for files that speak for a whole folder
//! (settings, pinned versions).

use std::collections::HashMap;
use std::path::{Component, Path, PathBuf};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use super::{Overlay, git_root, relative};

/// Larger files are not read: bytes.
pub const SIZE_LIMIT: u64 = 4 << 20;

/// Where searches end: at the root of the git repository, outside git at the root that was given.
#[derive(Clone, Debug)]
pub struct Upwards {
    current: PathBuf,
    roots: Vec<PathBuf>,
    overlay: Arc<Overlay>,
}

impl Upwards {
    /// Searches for files below the given `paths`, which are relative to `current`.
    pub fn new(current: &Path, paths: &[PathBuf]) -> Self {
        let roots = paths.iter().map(|path| current.join(path));
        let mut roots: Vec<_> = roots
            .filter(|path| path.is_dir())
            .filter_map(|path| path.canonicalize().ok())
            .collect();
        // Of roots that lie in each other the outermost one ends a search.
        roots.sort_by_key(|root| root.components().count());
        Self {
            current: existing(current),
            roots,
            overlay: Arc::default(),
        }
    }

    /// Reads files through this overlay.
    #[must_use]
    pub fn reading(self, overlay: &Arc<Overlay>) -> Self {
        Self {
            overlay: Arc::clone(overlay),
            ..self
        }
    }

    /// The folders from a file's own up to the one in which the search ends. The file itself need not exist.
    pub fn folders(&self, file: &Path) -> Vec<Folder> {
        let own = self.own_folder(file);
        let in_git = git_root(&own);
        let given = || self.roots.iter().find(|root| own.starts_with(root));
        // A file that was named itself belongs to the folder from which it was named.
        let from = || Some(&self.current).filter(|current| own.starts_with(current));
        let end = in_git
            .or_else(|| given().or_else(from).map(PathBuf::as_path))
            .unwrap_or(&own);
        own.ancestors()
            .take_while(|folder| folder.starts_with(end))
            .map(|folder| Folder {
                path: folder.to_owned(),
                root: end.to_owned(),
                current: self.current.clone(),
                overlay: Arc::clone(&self.overlay),
            })
            .collect()
    }

    /// The absolute path of a file, without links above it. The file itself need not exist.
    pub fn absolute(&self, file: &Path) -> PathBuf {
        let own = self.own_folder(file);
        match file.file_name() {
            Some(name) => own.join(name),
            None => own,
        }
    }

    fn own_folder(&self, file: &Path) -> PathBuf {
        let file = self.current.join(file);
        existing(file.parent().unwrap_or(&file))
    }
}

/// A path without links, or the nearest folder above it that exists.
fn existing(path: &Path) -> PathBuf {
    let mut found = path.ancestors().filter_map(|path| path.canonicalize().ok());
    found.next().unwrap_or_else(|| path.to_owned())
}

/// A folder on the way up.
#[derive(Clone, Debug)]
pub struct Folder {
    path: PathBuf,
    root: PathBuf,
    current: PathBuf,
    overlay: Arc<Overlay>,
}

/// A file that speaks for its folder.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FolderFile {
    /// The path as it is shown: relative to the current directory, with `/`.
    pub shown: String,
    /// What it holds.
    pub bytes: Vec<u8>,
}

impl Folder {
    /// Its absolute path, without links.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The names in the folder that `wanted` takes, sorted.
    pub fn names(&self, wanted: impl Fn(&str) -> bool) -> Vec<String> {
        let entries = std::fs::read_dir(&self.path).into_iter().flatten();
        let names = entries.filter_map(|entry| entry.ok()?.file_name().into_string().ok());
        let mut names: Vec<_> = names.filter(|name| wanted(name)).collect();
        names.sort();
        names
    }

    /// The folder of this name in the folder; a link is followed where it stays below the root.
    pub fn below(&self, name: &str) -> Option<Self> {
        let path = self.path.join(name);
        let target = path.canonicalize().ok()?;
        (target.starts_with(&self.root) && target.is_dir()).then(|| Self {
            path,
            ..self.clone()
        })
    }

    /// Whether a path from this folder stays below the root, as it is written.
    pub fn reaches(&self, path: &Path) -> bool {
        let mut at = self.path.clone();
        path.components().all(|part| match part {
            Component::ParentDir => at.pop() && at.starts_with(&self.root),
            Component::Normal(name) => {
                at.push(name);
                true
            }
            Component::CurDir => true,
            Component::RootDir | Component::Prefix(_) => false,
        })
    }

    /// What is laid over a file that the disk does not have.
    fn laid_over(&self, path: &Path) -> Option<Option<&[u8]>> {
        if self.overlay.is_empty() || path.symlink_metadata().is_ok() {
            return None;
        }
        let mut cleaned = PathBuf::new();
        for part in path.components() {
            match part {
                Component::ParentDir => {
                    cleaned.pop();
                }
                part => cleaned.push(part),
            }
        }
        let is_below = cleaned.starts_with(&self.root);
        self.overlay.get(&cleaned).filter(|_| is_below)
    }

    /// A file in the folder or below it, if it is a regular one of at most 4 MiB. A link is followed where it stays below the root.
    pub fn read(&self, name: impl AsRef<Path>) -> Option<FolderFile> {
        let path = self.path.join(name);
        if let Some(Some(bytes)) = self.laid_over(&path) {
            return (bytes.len() as u64 <= SIZE_LIMIT).then(|| FolderFile {
                shown: relative(&path, &self.current),
                bytes: bytes.to_vec(),
            });
        }
        let target = path.canonicalize().ok()?;
        // Asked before it is opened: to open a pipe is to wait for its writer.
        if !target.starts_with(&self.root) || !target.metadata().ok()?.is_file() {
            return None;
        }
        let bytes = self.overlay.read(&target).ok()?;
        (bytes.len() as u64 <= SIZE_LIMIT).then(|| FolderFile {
            shown: relative(&path, &self.current),
            bytes,
        })
    }
}

/// What folders hold, each of them looked at once, whichever thread comes first.
#[derive(Debug)]
pub struct Nearest<T> {
    looked_at: Mutex<HashMap<PathBuf, Arc<OnceLock<Option<T>>>>>,
}

impl<T> Default for Nearest<T> {
    fn default() -> Self {
        Self {
            looked_at: Mutex::default(),
        }
    }
}

impl<T: Clone> Nearest<T> {
    /// What the first of these folders holds that holds anything.
    pub fn of(&self, folders: &[Folder], look: impl Fn(&Folder) -> Option<T>) -> Option<T> {
        self.all(folders, look).next()
    }

    /// What each of these folders holds that holds anything, in their order.
    pub fn all(
        &self,
        folders: &[Folder],
        look: impl Fn(&Folder) -> Option<T>,
    ) -> impl Iterator<Item = T> {
        folders.iter().filter_map(move |folder| {
            let held = {
                let mut folders = self
                    .looked_at
                    .lock()
                    .unwrap_or_else(PoisonError::into_inner);
                Arc::clone(folders.entry(folder.path.clone()).or_default())
            };
            held.get_or_init(|| look(folder)).clone()
        })
    }
}
