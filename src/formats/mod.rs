//! Recognise: what a file says, told by its content and never by its name.
//!
//! Three tests, each dearer than the one before it, so that the thousands of other YAML and JSON files of a repository
//! cost next to nothing:
//!
//! 1. [`may_be_config`]: do enough of the words of a config or a recipe occur in the text at all? No parse.
//! 2. [`recognise`] on the tree: the top-level keys vote for an accelerate config (the table is `signature.rs`), or
//!    else are held against the signatures of recipes and DeepSpeed configs (`recipe/signatures.rs`).
//! 3. [`recognise`] on the lines, where PyYAML refuses the file: a config that cannot be loaded is still a config, and
//!    the one that its owner most wants to hear about.

pub mod launch;
mod outline;
mod paths;
pub mod pins;
pub mod recipe;
pub mod settings;
mod signature;
mod template;
mod words;

use std::fmt;

use crate::source::{Document, NodeRef, ReadError, Span};

use outline::Outline;
use recipe::Framework;
use recipe::signatures::{NAMED, SIGNATURES};

/// What kind of file it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Kind {
    /// A config for `accelerate launch --config_file`.
    Accelerate,
    /// A DeepSpeed config.
    DeepSpeed,
    /// A recipe for a trainer.
    Recipe(Framework),
    /// A file that holds launch commands.
    Launch,
}

impl Kind {
    /// The kinds that a file can be declared to be (`recipes` in the settings).
    pub fn declarable() -> impl Iterator<Item = Self> + Clone {
        let recipes = Framework::ALL.into_iter().map(Self::Recipe);
        [Self::Accelerate, Self::DeepSpeed]
            .into_iter()
            .chain(recipes)
    }

    /// The kind's name in reports.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Accelerate => "accelerate",
            Self::DeepSpeed => "deepspeed",
            Self::Recipe(Framework::Transformers) => "recipe:transformers",
            Self::Recipe(Framework::Trl) => "recipe:trl",
            Self::Recipe(Framework::LlamaFactory) => "recipe:llamafactory",
            Self::Recipe(Framework::Axolotl) => "recipe:axolotl",
            Self::Recipe(Framework::Swift) => "recipe:ms-swift",
            Self::Recipe(Framework::SimpleTuner) => "recipe:simpletuner",
            Self::Launch => "launch",
        }
    }

    /// The kind's name in settings: a recipe is named by its framework.
    pub fn declared_name(self) -> &'static str {
        match self {
            Self::Recipe(framework) => framework.as_str(),
            kind => kind.as_str(),
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

/// Whether a text is worth parsing: enough of the words of a config or a recipe occur in it, wherever they stand.
pub fn may_be_config(text: &str) -> bool {
    words::may_hold(text)
}

/// What a file is, from its tree, or from its lines where it cannot be read.
pub fn recognise(text: &str, read: Result<&Document, &ReadError>) -> Option<Recognised> {
    let outline = match read {
        Ok(document) => Outline::of_tree(text, document.root()),
        Err(_) => Outline::of_lines(text),
    };
    let kind = match outline.is_accelerate() {
        true => Some(Kind::Accelerate),
        false => other_kind(text, read, &outline),
    };
    kind.map(|kind| Recognised {
        kind,
        placeholder: match read {
            Ok(document) => template::in_tree(document.root()),
            Err(_) => template::in_lines(text),
        },
    })
}

/// Whether a value of a config is filled in by another program.
pub fn has_placeholder(document: &Document) -> bool {
    template::in_tree(document.root()).is_some()
}

/// Whether a value is filled in by another program: `{{ … }}`, `${…}`.
pub fn is_filled_in(value: NodeRef<'_>) -> bool {
    template::is_in(value)
}

/// What a file is that a launch command hands to its script as a recipe: fewer keys tell it then.
pub fn recognise_named(text: &str, document: &Document) -> Option<Recognised> {
    let recognised = recognise(text, Ok(document));
    if recognised.is_some() || !document.root().is_dict() {
        return recognised;
    }
    let outline = Outline::of_tree(text, document.root());
    let headings = outline.headings();
    let signature = NAMED.iter().find(|signature| headings.hold(signature, 0))?;
    Some(Recognised {
        kind: signature.kind,
        placeholder: template::in_tree(document.root()),
    })
}

/// The first of the signatures that holds.
fn other_kind(
    text: &str,
    read: Result<&Document, &ReadError>,
    outline: &Outline<'_>,
) -> Option<Kind> {
    if read.is_ok_and(|document| !document.root().is_dict()) {
        return None;
    }
    let is_json = text
        .trim_start_matches(['\u{feff}', ' ', '\t', '\r', '\n'])
        .starts_with('{');
    let headings = outline.headings();
    let signature = SIGNATURES.iter().find(|signature| {
        let least = match read {
            Ok(_) => 0,
            Err(_) => signature.least_in_lines,
        };
        (is_json || !signature.is_json) && headings.hold(signature, least)
    })?;
    Some(signature.kind)
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
