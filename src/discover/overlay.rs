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
    files: BTreeMap<PathBuf, Arc<Vec<u8>>>,
}

impl Overlay {
    /// Lets a file hold these bytes.
    pub fn set(&mut self, path: PathBuf, bytes: Vec<u8>) {
        self.files.insert(path, Arc::new(bytes));
    }

    /// What a file holds here; `None` where the disk has the word.
    pub fn get(&self, path: &Path) -> Option<&[u8]> {
        self.files.get(path).map(|bytes| bytes.as_slice())
    }

    /// What a file holds, up to one byte more than the limit.
    ///
    /// # Errors
    /// What the file system says.
    pub fn read(&self, path: &Path, limit: u64) -> io::Result<Vec<u8>> {
        if !self.files.is_empty()
            && let Ok(real) = path.canonicalize()
            && let Some(bytes) = self.get(&real)
        {
            return Ok(bytes.to_vec());
        }
        let mut bytes = Vec::new();
        File::open(path)?
            .take(limit.saturating_add(1))
            .read_to_end(&mut bytes)?;
        Ok(bytes)
    }
}
