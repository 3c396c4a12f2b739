//! Recognise: what a file says, told by its content and never by its name.
//!
//! Three tests, each dearer than the one before it, so that the thousands of other YAML and JSON files of a repository
//! cost next to nothing:
//!
//! 1. [`may_be_config`]: do enough of accelerate's words occur in the text at all? No parse.
//! 2. [`recognise`] on the tree: the top-level keys vote (the table is `signature.rs`).
//! 3. [`recognise`] on the lines, where PyYAML refuses the file: a config that cannot be loaded is still a config, and
//!    the one that its owner most wants to hear about.

pub mod launch;
mod outline;
pub mod pins;
pub mod settings;
pub mod recipe;
mod signature;
mod template;

use std::fmt;

use crate::source::{Document, ReadError, Span};

use outline::Outline;

/// What kind of file it is. More kinds are to come: `deepspeed`, `recipe:<framework>`, `launch`, `script`, `pins`,
/// `settings`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Kind {
    /// A config for `accelerate launch --config_file`.
    Accelerate,
}

impl Kind {
    /// The kind's name in reports.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Accelerate => "accelerate",
        }
    }
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// A file that was recognised.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Recognised {
    /// What it is.
    pub kind: Kind,
    /// The first placeholder (`{{ … }}`, `{% … %}`, `${…}`, `$NAME`), where the file is a template: its values are
    /// only known after another program has filled it in.
    pub placeholder: Option<Span>,
}

/// Whether a text is worth parsing: enough of the words of a config occur in it, wherever they stand.
pub fn may_be_config(text: &str) -> bool {
    signature::words_reach_threshold(text)
}

/// What a file is, from its tree, or from its lines where it cannot be read.
pub fn recognise(text: &str, read: Result<&Document, &ReadError>) -> Option<Recognised> {
    let outline = match read {
        Ok(document) => Outline::of_tree(text, document.root()),
        Err(_) => Outline::of_lines(text),
    };
    outline.is_accelerate().then(|| Recognised {
        kind: Kind::Accelerate,
        placeholder: match read {
            Ok(document) => template::in_tree(document.root()),
            Err(_) => template::in_lines(text),
        },
    })
}

/// The key of a mapping inside this one that would be an accelerate config if it stood alone. accelerate reads
/// top-level keys only, so such a file configures nothing.
pub fn nested_config(text: &str, document: &Document) -> Option<Span> {
    document
        .root()
        .entries()
        .find(|entry| Outline::of_tree(text, entry.value).is_accelerate())
        .map(|entry| entry.key.span())
}

#[cfg(test)]
mod tests;
