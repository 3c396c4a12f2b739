//! Training recipes.

/// The framework that reads a recipe.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Framework {
    /// transformers' `TrainingArguments`.
    Transformers,
    /// TRL.
    Trl,
    /// LLaMA-Factory.
    LlamaFactory,
    /// axolotl.
    Axolotl,
    /// ms-swift.
    Swift,
    /// SimpleTuner.
    SimpleTuner,
}

impl Framework {
    /// Its name in reports.
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
