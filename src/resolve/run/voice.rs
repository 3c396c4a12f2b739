//! Who says what: values, and the places that they come from.

use std::fmt;
use std::sync::Arc;

use crate::source::{Object, Route, SourceFile, Span};

/// A value, known with its origin, or unknown with the reason.
#[derive(Clone, Debug, PartialEq)]
pub enum Value<T> {
    /// The value that Python will see.
    Known {
        /// The value.
        value: T,
        /// Who says so.
        origin: Origin,
    },
    /// It cannot be known without running something.
    Unknown {
        /// Why, in the user's terms.
        why: String,
        /// Who says so.
        origin: Origin,
    },
}

/// Who says a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Voice {
    /// A key of the accelerate config file.
    ConfigKey,
    /// A flag of the launch command.
    Flag,
    /// A variable of the environment in which the launch command runs.
    Environment,
    /// A key of the DeepSpeed config.
    DeepSpeedKey,
    /// A key of the training recipe.
    RecipeKey,
    /// An argument of the training script on the command line.
    ScriptArgument,
    /// An argument in the training script.
    Code,
    /// The framework that reads the recipe, although nobody wrote it: a default of its own, or what it overwrites.
    Framework,
    /// Nobody: a default of accelerate's.
    Default,
}

/// Where a value comes from: who says it, under which name, and in which place of which file.
#[derive(Clone, Debug)]
pub struct Origin {
    /// Who says it.
    pub voice: Voice,
    /// Under which name: `fp8_config.backend`, `--mixed_precision`, `ACCELERATE_FP8_BACKEND`.
    pub name: String,
    /// The place in a file, if there is one.
    pub place: Option<Place>,
}

impl Origin {
    /// Said by `voice` under `name`, in no file.
    pub fn of(voice: Voice, name: impl Into<String>) -> Self {
        Self {
            voice,
            name: name.into(),
            place: None,
        }
    }
}

impl PartialEq for Origin {
    fn eq(&self, other: &Self) -> bool {
        self.voice == other.voice && self.name == other.name && self.place == other.place
    }
}

impl fmt::Display for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.voice {
            Voice::ConfigKey | Voice::DeepSpeedKey | Voice::RecipeKey => {
                write!(f, "`{}`", self.name)?
            }
            Voice::ScriptArgument => write!(f, "argument `{}`", self.name)?,
            Voice::Framework => f.write_str(&self.name)?,
            Voice::Flag => write!(f, "flag `{}`", self.name)?,
            Voice::Environment => write!(f, "environment variable `{}`", self.name)?,
            Voice::Code => write!(f, "`{}` in the script", self.name)?,
            Voice::Default => write!(f, "default of `{}`", self.name)?,
        }
        if let Some(place) = &self.place {
            let at = place.file.line_column(place.value.start);
            write!(f, " ({}:{})", place.file.path, at.line)?;
        }
        Ok(())
    }
}

/// A place in a file, under a name that survives moving lines.
#[derive(Clone, Debug)]
pub struct Place {
    /// The file.
    pub file: Arc<SourceFile>,
    /// The route of keys.
    pub route: Route,
    /// The bytes of the key, if the value has one.
    pub key: Option<Span>,
    /// The bytes of the value.
    pub value: Span,
}

impl PartialEq for Place {
    fn eq(&self, other: &Self) -> bool {
        self.file.path == other.file.path && self.route == other.route && self.value == other.value
    }
}

/// A place that asks for a precision or sets something about it.
#[derive(Clone, Debug, PartialEq)]
pub struct Ask {
    /// Who asks, and where.
    pub origin: Origin,
    /// What is asked for.
    pub value: Object,
}
