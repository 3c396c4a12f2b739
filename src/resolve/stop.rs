//! Why following a run ends early.

use super::outcome::{Cause, Exception};
use super::run::Origin;

/// Why following a run ends early.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Stop {
    /// Python raises.
    Raised(Box<Exception>),
    /// It cannot be told what happens.
    Unknown(String),
}

/// A step in following a run.
pub(crate) type Step<T> = Result<T, Stop>;

/// An exception that ends the run.
pub(crate) fn raise(
    kind: &str,
    message: impl Into<String>,
    source: &'static str,
    cause: Cause,
    origins: impl IntoIterator<Item = Origin>,
) -> Stop {
    Stop::Raised(Box::new(Exception {
        kind: kind.to_owned(),
        message: message.into(),
        source,
        cause,
        origins: origins.into_iter().collect(),
    }))
}

/// It cannot be told what happens.
pub(crate) fn unknown(why: impl Into<String>) -> Stop {
    Stop::Unknown(why.into())
}
