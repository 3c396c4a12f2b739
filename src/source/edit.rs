//! Edits: what is to change in a file, and the bytes that change it.
//!
//! A [`Change`] says what is meant, by route; an [`Edit`] is the change with its bytes. Whoever applies edits reads the
//! text again and compares it with [`applied`]: what the file's Python object must be afterwards.

use std::sync::Arc;

use super::{Object, Route, SourceFile, Span};

/// What is to change in a file.
#[derive(Clone, Debug, PartialEq)]
pub enum Change {
    /// The value at a route becomes this one.
    Set {
        /// The route of the value.
        route: Route,
        /// The new value.
        value: Object,
    },
    /// The key at the end of a route is spelt so.
    Rename {
        /// The route of the key.
        route: Route,
        /// The new spelling.
        key: String,
    },
    /// The key at the end of a route goes, with its value.
    Remove {
        /// The route of the key.
        route: Route,
    },
    /// A key that is not there comes to the end of the mapping that the route leads to.
    Add {
        /// The route of the new key; all but its last step is there.
        route: Route,
        /// Its value; a dict becomes a section.
        value: Object,
    },
    /// A plain word, such as one of a launch command, becomes another plain word.
    Word {
        /// The word's bytes.
        span: Span,
        /// The new word.
        text: String,
    },
    /// A comment changes, comes, or goes; what programs read stays as it is.
    Comment {
        /// The bytes that are replaced; empty where a comment comes.
        span: Span,
        /// What stands there afterwards.
        text: String,
    },
}

/// Bytes of a file, and what stands there afterwards.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TextEdit {
    /// The bytes that are replaced.
    pub span: Span,
    /// What stands there afterwards.
    pub content: String,
}

/// A change of one file, with the bytes that make it.
#[derive(Clone, Debug)]
pub struct Edit {
    /// The file as it was read.
    pub file: Arc<SourceFile>,
    /// What is meant.
    pub change: Change,
    /// The bytes.
    pub text: TextEdit,
}
