//! The accelerate config of a run.

use std::sync::Arc;

use super::Place;
use crate::source::{Document, ReadError, SourceFile, Syntax};

/// A config file as accelerate reads it: its text and the tree, or the reason why there is none.
#[derive(Clone, Debug)]
pub struct ConfigFile {
    /// The text.
    pub file: Arc<SourceFile>,
    /// The tree, or what PyYAML or Python's `json` raises.
    pub read: Result<Arc<Document>, ReadError>,
}

impl ConfigFile {
    /// How the path of a preset that comes with TRL begins; nobody's file is called so.
    pub const PRESET: &str = "trl's preset ";

    /// What a preset is shown as.
    pub(crate) fn preset_path(name: &str) -> String {
        format!("{}{name}", Self::PRESET)
    }

    /// Whether it comes with TRL, and not from the user.
    pub fn is_preset(&self) -> bool {
        self.file.path.starts_with(Self::PRESET)
    }
}

/// The accelerate config of a run.
#[derive(Clone, Debug, Default)]
pub enum Config {
    /// No file is named, and no default config exists.
    #[default]
    None,
    /// The file that `--config_file` names, or the default config.
    File(ConfigFile),
    /// Bytes that are not UTF-8, or a file that cannot be opened.
    Unreadable {
        /// Its path.
        path: String,
        /// What Python raises.
        error: ReadError,
    },
    /// A path at which nothing is.
    Missing {
        /// The path, as it is written.
        path: String,
        /// Where it is written, if it is in a file.
        place: Option<Place>,
    },
    /// A file that is named and cannot be looked at.
    Unknown {
        /// Why.
        why: String,
    },
}

impl Config {
    /// A config file from its bytes, read as accelerate reads a file of this name.
    pub fn of_bytes(path: &str, bytes: Vec<u8>) -> Self {
        match SourceFile::new(path, bytes) {
            Ok(file) => Self::of_file(Arc::new(file)),
            Err(error) => Self::Unreadable {
                path: path.to_owned(),
                error,
            },
        }
    }

    /// A config file from its text, read as accelerate reads a file of its name.
    pub fn of_file(file: Arc<SourceFile>) -> Self {
        let read = Syntax::of_name(&file.path).read(file.text()).map(Arc::new);
        Self::File(ConfigFile { file, read })
    }
}
