//! New texts → files: all of a file at once, or nothing of it.

use std::fmt;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use tempfile::NamedTempFile;

/// Why a file is not written.
#[derive(Debug)]
pub enum Refusal {
    /// It may not be written to.
    ReadOnly,
    /// It is not a regular file.
    NotAFile,
    /// It holds other bytes than those that were checked.
    Changed,
    /// The file system refuses.
    Failed(io::Error),
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::ReadOnly => f.write_str("is read-only"),
            Self::NotAFile => f.write_str("is not a regular file"),
            Self::Changed => f.write_str("has changed since it was read"),
            Self::Failed(error) => {
                write!(f, "cannot be written: {}", crate::discover::reason(error))
            }
        }
    }
}

/// Where the file's bytes stand, links followed, if it may be written to.
///
/// # Errors
/// Why it may not.
pub fn may_write(path: &Path) -> Result<PathBuf, Refusal> {
    let real = path.canonicalize().map_err(Refusal::Failed)?;
    let metadata = real.metadata().map_err(Refusal::Failed)?;
    if !metadata.is_file() {
        return Err(Refusal::NotAFile);
    }
    if metadata.permissions().readonly() {
        return Err(Refusal::ReadOnly);
    }
    Ok(real)
}

/// Lets a file hold `after`, if it still holds `before`; with no `before`, one that does not exist yet.
///
/// # Errors
/// Why nothing was written.
pub fn write_new(path: &Path, before: Option<&[u8]>, after: &[u8]) -> Result<(), Refusal> {
    if let Some(before) = before {
        return write(path, before, after);
    }
    let folder = path.parent().unwrap_or(Path::new("."));
    let written = || -> io::Result<()> {
        let mut builder = tempfile::Builder::new();
        // Temporary files are only for their owner; this one is to stay, with what the umask leaves.
        #[cfg(unix)]
        builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
        let mut new = builder.tempfile_in(folder)?;
        new.write_all(after)?;
        new.as_file().sync_all()?;
        new.persist_noclobber(path)?;
        Ok(())
    };
    written().map_err(|error| match error.kind() {
        io::ErrorKind::AlreadyExists => Refusal::Changed,
        _ => Refusal::Failed(error),
    })
}

/// Lets a file hold `after`, if it still holds `before`: written beside it, and renamed. A link stays one, the file's
/// mode stays what it is.
///
/// # Errors
/// Why nothing was written.
pub fn write(path: &Path, before: &[u8], after: &[u8]) -> Result<(), Refusal> {
    Prepared::of(path, before, after)?.rename()
}

/// A new text that lies beside its file and only waits to be renamed.
pub struct Prepared {
    real: PathBuf,
    new: NamedTempFile,
}

impl Prepared {
    /// Writes `after` beside the file, if the file still holds `before`.
    ///
    /// # Errors
    /// Why the file will not be written.
    pub fn of(path: &Path, before: &[u8], after: &[u8]) -> Result<Self, Refusal> {
        let real = may_write(path)?;
        if std::fs::read(&real).map_err(Refusal::Failed)? != before {
            return Err(Refusal::Changed);
        }
        let prepared = || -> io::Result<NamedTempFile> {
            let folder = real.parent().unwrap_or(Path::new("."));
            let mut new = NamedTempFile::new_in(folder)?;
            new.write_all(after)?;
            new.as_file()
                .set_permissions(real.metadata()?.permissions())?;
            new.as_file().sync_all()?;
            Ok(new)
        };
        let new = prepared().map_err(Refusal::Failed)?;
        Ok(Self { real, new })
    }

    /// Puts the new text in the file's place.
    ///
    /// # Errors
    /// Why the file stays what it was.
    pub fn rename(self) -> Result<(), Refusal> {
        let renamed = self.new.persist(&self.real);
        renamed.map_err(|error| Refusal::Failed(error.error))?;
        Ok(())
    }
}
