//! Training recipes: the files from which a trainer takes its arguments, and the keys in them that have to do with
//! precision.

pub(super) mod signatures;

use std::fmt;

use crate::knowledge::{self, RecipeKey};
use crate::source::{Document, NodeRef, Object, Route, Span};

/// A program that trains by a recipe.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Framework {
    /// transformers: a script with `TrainingArguments`, and often classes of its own beside them.
    Transformers,
    /// TRL: its configs, and the recipes of alignment-handbook and open-r1.
    Trl,
    /// LLaMA-Factory.
    LlamaFactory,
    /// axolotl.
    Axolotl,
    /// ms-swift, Megatron-SWIFT included.
    Swift,
    /// SimpleTuner.
    SimpleTuner,
}

impl Framework {
    /// All of them.
    pub const ALL: [Self; 6] = [
        Self::Transformers,
        Self::Trl,
        Self::LlamaFactory,
        Self::Axolotl,
        Self::Swift,
        Self::SimpleTuner,
    ];

    /// Its name, as in `recipes` of the settings.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Transformers => "transformers",
            Self::Trl => "trl",
            Self::LlamaFactory => "llamafactory",
            Self::Axolotl => "axolotl",
            Self::Swift => "ms-swift",
            Self::SimpleTuner => "simpletuner",
        }
    }
}

impl fmt::Display for Framework {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// A recipe that was read.
#[derive(Clone, Copy, Debug)]
pub struct Recipe<'document> {
    /// Whose recipe it is.
    pub framework: Framework,
    /// What it says.
    pub document: &'document Document,
}

/// A key of a recipe that has to do with precision.
#[derive(Clone, Debug)]
pub struct Setting<'document> {
    /// Where it stands.
    pub route: Route,
    /// The bytes of the key.
    pub key: Span,
    /// The value, with its bytes.
    pub value: NodeRef<'document>,
    /// The value in Python; `None` for one that is too large.
    pub object: Option<Object>,
    /// What is known of the key.
    pub known: &'static RecipeKey,
}

impl<'document> Recipe<'document> {
    /// The keys that have to do with precision, in the order of the file; of a key that is written twice the last one,
    /// which counts.
    pub fn keys(self) -> impl Iterator<Item = Setting<'document>> {
        self.document.root().entries().filter_map(move |entry| {
            let name = entry.key.text()?;
            // SimpleTuner takes its keys as options too: `--mixed_precision`.
            let option = match self.framework {
                Framework::SimpleTuner => name.trim_start_matches('-'),
                _ => name,
            };
            Some(Setting {
                known: knowledge::recipe_key(self.framework.as_str(), option)?,
                route: Route::keys([name]),
                key: entry.key.span(),
                value: entry.value,
                object: entry.value.object(),
            })
        })
    }
}

#[cfg(test)]
mod tests;
