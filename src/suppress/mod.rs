//! Suppress: findings → those that are left, and those that somebody has set aside.

use crate::rules::{Finding, Label};

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
