//! Where the files that a run names are looked up.

use std::sync::Arc;

use crate::formats::Kind;
use crate::source::SourceFile;

/// What a path named by a config (a DeepSpeed JSON, a script) holds.
#[derive(Clone, Debug)]
pub enum Lookup {
    /// The file.
    Found(Arc<SourceFile>),
    /// Nothing is there.
    Absent,
    /// It cannot be told: the directory in which the command will run is not known.
    Unknown,
}

/// Finds the files that a config names. Nothing outside the given roots is ever opened.
pub trait Files {
    /// The file at `path`, as the run would find it from its working directory.
    fn look_up(&self, path: &str) -> Lookup;

    /// The kind that the settings declare for the file that was found under this path.
    fn declared_kind(&self, _path: &str) -> Option<Kind> {
        None
    }

    /// An accelerate config that may be meant by a path at which there is none.
    fn meant(&self, _path: &str) -> Option<String> {
        None
    }
}

/// No file can be looked up: every path is unknown.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoFiles;

impl Files for NoFiles {
    fn look_up(&self, _path: &str) -> Lookup {
        Lookup::Unknown
    }
}
