//! Edits: what is to change in a file, and the bytes that change it.
//!
//! A [`Change`] says what is meant, by route; an [`Edit`] is the change with its bytes. An [`Editor`] makes edits, and
//! makes none that it cannot prove: the text with the edit in it is read again, and must be [`applied()`] to the object
//! that it was.

mod applied;
mod composed;
mod literal;
mod locate;

use std::sync::Arc;

use super::{Object, Route, SourceFile, Span, Syntax};

pub use applied::applied;
use composed::Composed;
pub use composed::{spliced, with_edits};

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
    /// Changes whose bytes touch, one after the other.
    Several(Vec<Change>),
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

impl Edit {
    /// A plain word that becomes another one. `None` where it is the same, or where a character of either says something to a shell, to YAML,
    /// to JSON or to make: the text around a plain word reads the same whatever plain word stands there.
    pub fn word(file: &Arc<SourceFile>, span: Span, text: &str) -> Option<Self> {
        let is_plain = |word: &str| {
            let plain = |character: char| {
                character.is_ascii_alphanumeric() || matches!(character, '_' | '-' | '.' | '/')
            };
            !word.is_empty() && word.chars().all(plain)
        };
        let written = file.slice(span);
        let is_one = is_plain(written) && is_plain(text) && written != text;
        is_one.then(|| Self {
            file: Arc::clone(file),
            change: Change::Word {
                span,
                text: text.to_owned(),
            },
            text: TextEdit {
                span,
                content: text.to_owned(),
            },
        })
    }
}

/// Makes the edits of one config, recipe or other file of keys and values: change after change, each on the text that
/// the one before it leaves.
pub struct Editor {
    file: Arc<SourceFile>,
    syntax: Syntax,
    /// `None` once a change could not be made.
    composed: Option<Composed>,
}

impl Editor {
    /// For a file that is read in the syntax of its name.
    pub fn of(file: &Arc<SourceFile>) -> Self {
        Self {
            file: Arc::clone(file),
            syntax: Syntax::of_name(&file.path),
            composed: Some(Composed::of(file.text())),
        }
    }

    /// The value at a route becomes this one.
    #[must_use]
    pub fn set(self, route: &Route, value: impl Into<Object>) -> Self {
        self.change(Change::Set {
            route: route.clone(),
            value: value.into(),
        })
    }

    /// The key at the end of a route is spelt so.
    #[must_use]
    pub fn rename(self, route: &Route, key: &str) -> Self {
        self.change(Change::Rename {
            route: route.clone(),
            key: key.to_owned(),
        })
    }

    /// The key at the end of a route goes, with its value.
    #[must_use]
    pub fn remove(self, route: &Route) -> Self {
        self.change(Change::Remove {
            route: route.clone(),
        })
    }

    /// The value at a route is this one afterwards, whether the keys on the way are there or not.
    #[must_use]
    pub fn put(self, route: &Route, value: impl Into<Object>) -> Self {
        let mut value = value.into();
        let Some(composed) = &self.composed else {
            return self;
        };
        let Ok(document) = self.syntax.read(composed.text()) else {
            return self.failed();
        };
        if document.at(route).is_some() {
            return self.set(route, value);
        }
        let mut route = route.clone();
        loop {
            let mut parent = route.clone();
            parent.0.pop();
            let Some(key) = route.last_key() else {
                return self.failed();
            };
            if document.at(&parent).is_some() {
                return self.change(Change::Add { route, value });
            }
            value = Object::Dict(vec![(Object::from(key), value)]);
            route = parent;
        }
    }

    /// The edits; `None` where one of the changes cannot be made, or none is needed.
    pub fn finish(self) -> Option<Vec<Edit>> {
        let file = self.file;
        let edits = self.composed?.into_edits();
        let edits = edits.map(|(change, text)| Edit {
            file: Arc::clone(&file),
            change,
            text,
        });
        let edits: Vec<_> = edits.collect();
        (!edits.is_empty()).then_some(edits)
    }

    fn failed(self) -> Self {
        Self {
            composed: None,
            ..self
        }
    }

    fn change(mut self, change: Change) -> Self {
        // Of the file as it was read: what is left of it may be one line.
        let line_end = self.file.line_end();
        let made = self.composed.take().and_then(|mut composed| {
            let edit = proven(composed.text(), self.syntax, &change, line_end)?;
            let replaced = composed.text().get(edit.span.start..edit.span.end);
            if replaced != Some(edit.content.as_str()) {
                composed.make(change, &edit);
            }
            Some(composed)
        });
        self.composed = made;
        self
    }
}

/// The bytes of a change, if the text reads as it is meant afterwards.
fn proven(text: &str, syntax: Syntax, change: &Change, line_end: &'static str) -> Option<TextEdit> {
    let document = syntax.read(text).ok()?;
    let meant = applied(document.root().object()?, change)?;
    let edit = locate::locate(text, syntax, &document, change, line_end)?;
    let after = spliced(text, &edit)?;
    let read = syntax.read(&after).ok()?;
    let is_right = read.root().object()?.python_eq(&meant)
        && read.duplicate_keys.len() <= document.duplicate_keys.len();
    is_right.then_some(edit)
}

#[cfg(test)]
mod tests;
