//! Read: bytes → trees with exact byte spans.
//!
//! YAML is read as `yaml.safe_load(open(file, encoding="utf-8"))` of PyYAML 6 reads it (YAML 1.1, duplicate keys: the
//! last wins, merge keys, PyYAML's strictness), JSON as Python's `json.load` does. A file that those refuse is a
//! [`ReadError`] that names the exception which accelerate would show.

pub mod edit;
pub mod file;
pub mod json;
pub mod object;
mod repr;
pub mod route;
pub mod shell;
pub mod span;
pub mod tree;
pub mod yaml;

pub use edit::{Change, Edit, TextEdit};
pub use file::{LineColumn, SourceFile};
pub use object::{Integer, Object};
pub use route::{Route, Step};
pub use span::Span;
pub use tree::{
    Comment, Data, Document, DuplicateKey, Entry, EntryRef, Node, NodeId, NodeRef, Style,
};

/// Why a file cannot be read as accelerate would read it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReadError {
    /// The exception's class name in Python: `ScannerError`, `ParserError`, `ComposerError`, `ConstructorError`,
    /// `ReaderError` (PyYAML), `JSONDecodeError`, `UnicodeDecodeError`, `RecursionError`, `ValueError`, …
    pub exception: &'static str,
    /// What is wrong, in the user's terms.
    pub message: String,
    /// Where, if one place can be named.
    pub span: Option<Span>,
}

impl ReadError {
    /// A fault at one place.
    pub(crate) fn new(exception: &'static str, message: impl Into<String>, span: Span) -> Self {
        Self {
            exception,
            message: message.into(),
            span: Some(span),
        }
    }
}

/// The two syntaxes in which accelerate reads its configuration, chosen by file name alone
/// (accelerate 1.15.0, `commands/config/config_args.py:load_config_from_file`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Syntax {
    /// Read with `yaml.safe_load`: every file whose name does not end in `.json`.
    Yaml,
    /// Read with `json.load`: files whose name ends in `.json`, in exactly this case.
    Json,
}

impl Syntax {
    /// The syntax in which accelerate reads a file of this name.
    pub fn of_name(name: &str) -> Self {
        if name.ends_with(".json") {
            Self::Json
        } else {
            Self::Yaml
        }
    }

    /// Reads `text` in this syntax.
    ///
    /// # Errors
    /// What PyYAML or Python's `json` would raise.
    pub fn read(self, text: &str) -> Result<Document, ReadError> {
        match self {
            Self::Yaml => yaml::read(text),
            Self::Json => json::read(text),
        }
    }
}
