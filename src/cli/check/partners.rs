//! The files that a config names, such as its DeepSpeed config.

use std::path::{Component, Path};
use std::sync::Arc;

use crate::resolve::{Files, Lookup};
use crate::source::SourceFile;

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
        let named = Path::new(path);
        let stays_below = named
            .components()
            .all(|part| matches!(part, Component::Normal(_) | Component::CurDir));
        if !stays_below || path.is_empty() {
            return Lookup::Unknown;
        }
        let folders = Path::new(self.config).ancestors().skip(1);
        let mut candidates: Vec<_> = folders.map(|folder| folder.join(named)).collect();
        candidates.reverse();
        let found = candidates.iter().find_map(|candidate| read(candidate));
        found.map_or(Lookup::Unknown, |file| Lookup::Found(Arc::new(file)))
    }
}

/// A regular file of text, no link and not too large.
fn read(path: &Path) -> Option<SourceFile> {
    let metadata = std::fs::symlink_metadata(path).ok()?;
    if !metadata.is_file() || metadata.len() > SIZE_LIMIT {
        return None;
    }
    let bytes = std::fs::read(path).ok()?;
    SourceFile::new(path.to_string_lossy(), bytes).ok()
}
