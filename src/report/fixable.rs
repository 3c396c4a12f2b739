//! Which findings the program can fix by itself.

use crate::fix;
use crate::rules::Finding;

/// What it takes to have a finding fixed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Fixable {
    /// `--fix`.
    Safe,
    /// `--fix --unsafe-fixes`.
    Unsafe,
}

impl Fixable {
    /// The flags for it.
    pub(super) fn flags(self) -> &'static str {
        match self {
            Self::Safe => "--fix",
            Self::Unsafe => "--fix --unsafe-fixes",
        }
    }
}

/// What it takes to have this finding fixed; `None` where that is left to people.
pub(super) fn fixable(finding: &Finding) -> Option<Fixable> {
    let safe = fix::allowed(finding, false).map(|_| Fixable::Safe);
    safe.or_else(|| fix::allowed(finding, true).map(|_| Fixable::Unsafe))
}

/// How many findings can be fixed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct FixableCounts {
    /// With `--fix`.
    pub(super) safe: usize,
    /// With `--fix --unsafe-fixes` only.
    pub(super) unsafe_: usize,
}

impl FixableCounts {
    /// Of these findings.
    pub(super) fn of(findings: &[Finding]) -> Self {
        let count = |wanted| {
            let found = findings.iter().map(fixable);
            found.filter(|fixable| *fixable == Some(wanted)).count()
        };
        Self {
            safe: count(Fixable::Safe),
            unsafe_: count(Fixable::Unsafe),
        }
    }
}
