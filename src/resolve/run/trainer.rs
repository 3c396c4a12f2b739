//! The trainer that a script uses.

use std::collections::BTreeMap;

use super::{Origin, Value};
use crate::formats::recipe::Framework;
use crate::knowledge::Version;
use crate::source::Object;

/// A trainer that the script hands its precision to: what is said to it, and which versions hear it.
#[derive(Clone, Debug, PartialEq)]
pub struct Trainer {
    /// The framework.
    pub framework: Framework,
    /// The version of the framework.
    pub version: Version,
    /// The version of transformers.
    pub transformers: Version,
    /// What is said to it, under the names of the recipe's top-level keys: by the recipe, and before that by the
    /// arguments of the script.
    pub arguments: BTreeMap<String, Value<Object>>,
    /// Whether only the arguments are built, and no trainer is made of them: the oracle's `training_args`.
    pub is_arguments_only: bool,
}

/// What is said to a trainer, where it is known.
#[derive(Clone, Copy, Debug)]
pub struct Argued<'run> {
    /// The value.
    pub value: &'run Object,
    /// Who says it.
    pub origin: &'run Origin,
}

impl Argued<'_> {
    /// The value as Python's `str()`.
    pub fn text(self) -> String {
        self.value.python_str()
    }
}

impl Trainer {
    /// The argument of this name, where its value is known.
    pub fn known(&self, name: &str) -> Option<Argued<'_>> {
        match self.arguments.get(name)? {
            Value::Known { value, origin } => Some(Argued { value, origin }),
            Value::Unknown { .. } => None,
        }
    }

    /// Who says the argument of this name, whether its value is known or not.
    pub fn origin(&self, name: &str) -> Option<&Origin> {
        match self.arguments.get(name)? {
            Value::Known { origin, .. } | Value::Unknown { origin, .. } => Some(origin),
        }
    }
}
