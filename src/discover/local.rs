//! Patterns that hold in parts of a tree only. Who declares them is not this stage's business.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::Patterns;

/// Says which patterns hold where. It is asked once for each folder of a walk, from several threads.
pub trait Local: Sync {
    /// The patterns that hold for what lies in this folder; `None` where there are none.
    fn in_folder(&self, folder: &Path) -> Option<Arc<LocalPatterns>>;

    /// Whether a file or folder, or a folder above it, is excluded.
    fn excludes(&self, path: &Path) -> bool;
}

/// Nothing is declared anywhere.
#[derive(Clone, Copy, Debug, Default)]
pub struct NothingLocal;

impl Local for NothingLocal {
    fn in_folder(&self, _: &Path) -> Option<Arc<LocalPatterns>> {
        None
    }

    fn excludes(&self, _: &Path) -> bool {
        false
    }
}

/// The patterns that hold in a folder.
#[derive(Clone, Debug)]
pub struct LocalPatterns {
    /// Files that are read besides those that can hold something by their names.
    pub include: Patterns,
    /// Files and folders that are never read.
    pub exclude: Patterns,
    /// The folder, as seen from the one to which the patterns refer.
    pub below: PathBuf,
}

impl LocalPatterns {
    /// Whether what lies in the folder under this name is included.
    pub fn includes(&self, name: &Path) -> bool {
        self.include.match_path(&self.below.join(name))
    }

    /// Whether what lies in the folder under this name is excluded.
    pub fn excludes(&self, name: &Path) -> bool {
        self.exclude.match_path(&self.below.join(name))
    }
}

/// What holds in the folder of the entry that is looked at: neighbours ask only once.
pub(super) struct Here<'a> {
    local: &'a dyn Local,
    folder: PathBuf,
    patterns: Option<Arc<LocalPatterns>>,
}

impl<'a> Here<'a> {
    pub(super) fn new(local: &'a dyn Local) -> Self {
        Self {
            local,
            folder: PathBuf::new(),
            patterns: None,
        }
    }

    /// The patterns for an entry of a walk, with its name.
    pub(super) fn of<'p>(&mut self, path: &'p Path) -> Option<(&LocalPatterns, &'p Path)> {
        let folder = path.parent()?;
        if folder != self.folder {
            self.patterns = self.local.in_folder(folder);
            folder.clone_into(&mut self.folder);
        }
        Some((self.patterns.as_deref()?, Path::new(path.file_name()?)))
    }
}
