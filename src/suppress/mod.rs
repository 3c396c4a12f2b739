//! Suppress: findings → those that are left, and those that somebody has set aside.
//!
//! Two things set findings aside, in this order: a comment in the file ([`ignore()`]), and an entry of a [`Baseline`].

mod adding;
mod baseline;
mod comments;
mod date;
mod directive;
mod fingerprint;
mod ignores;

use crate::rules::{Finding, Label};

pub use adding::{Added, add_ignores, is_pin_file};
pub use baseline::{Baseline, BaselineError, Entry};
pub use date::Date;
pub use directive::{MARK, is_reason};
pub use fingerprint::fingerprint;
pub use ignores::{Ignored, IgnoringFile, Problem, ProblemKind, Rules, ignore};

/// A finding that somebody has set aside. It is not shown and does not fail; reports for programs keep it.
#[derive(Clone, Debug)]
pub struct Suppressed {
    /// The finding.
    pub finding: Finding,
    /// What set it aside.
    pub by: Suppression,
}

/// What sets a finding aside.
#[derive(Clone, Debug)]
pub enum Suppression {
    /// A comment in the file.
    Comment {
        /// Where it stands.
        place: Label,
        /// The reason that is given; may be empty.
        reason: String,
    },
    /// An entry of the baseline.
    Baseline,
}
