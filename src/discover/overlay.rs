//! What files are to hold, whatever the disk says.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Contents that are read instead of those on the disk: what a fix makes of a file, what is staged. Paths are absolute
/// and hold no links.
#[derive(Clone, Debug, Default)]
pub struct Overlay {
    /// `None` is a file that is not there.
    files: BTreeMap<PathBuf, Option<Arc<Vec<u8>>>>,
}

impl Overlay {
    /// Lets a file hold these bytes.
    pub fn set(&mut self, path: PathBuf, bytes: Vec<u8>) {
        self.files.insert(path, Some(Arc::new(bytes)));
    }

    /// Lets a file not be there.
    pub fn remove(&mut self, path: PathBuf) {
        self.files.insert(path, None);
    }

    /// What a file holds here, or that it is not there; `None` where the disk has the word.
    pub fn get(&self, path: &Path) -> Option<Option<&[u8]>> {
        let held = self.files.get(path)?;
        Some(held.as_ref().map(|bytes| bytes.as_slice()))
    }

    /// The files that hold something here.
    pub fn files(&self) -> impl Iterator<Item = &Path> {
        let held = self.files.iter().filter(|(_, bytes)| bytes.is_some());
        held.map(|(path, _)| path.as_path())
    }

    /// Whether nothing is laid over the disk.
    pub fn is_empty(&self) -> bool {
        self.files.is_empty()
    }

    /// What a file holds, up to one byte more than the limit.
    ///
    /// # Errors
    /// What the file system says.
    pub fn read(&self, path: &Path, limit: u64) -> io::Result<Vec<u8>> {
        if !self.files.is_empty() {
            let real = path.canonicalize();
            match self.get(real.as_deref().unwrap_or(path)) {
                Some(Some(bytes)) => {
                    let end = bytes.len().min(
                        usize::try_from(limit)
                            .unwrap_or(usize::MAX)
                            .saturating_add(1),
                    );
                    return Ok(bytes[..end].to_vec());
                }
                Some(None) => return Err(io::ErrorKind::NotFound.into()),
                None => {}
            }
        }
        let mut bytes = Vec::new();
        File::open(path)?
            .take(limit.saturating_add(1))
            .read_to_end(&mut bytes)?;
        Ok(bytes)
    }
}
