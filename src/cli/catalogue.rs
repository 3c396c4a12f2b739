//! Everything that has a code: the rules, and the notices of the checking itself.

use crate::resolve::target::closest;
use crate::rules::{Confidence, Example, RULES, Severity};

use super::failure::Failure;
use super::notices;

/// What there is to say about a code.
#[derive(Clone, Copy, Debug)]
pub struct Described {
    /// The stable code: `FP101`.
    pub code: &'static str,
    /// The kebab-case name, accepted wherever the code is.
    pub name: &'static str,
    /// How bad its findings are, unless a finding says otherwise.
    pub severity: Severity,
    /// How sure its findings are, unless a finding says otherwise.
    pub confidence: Confidence,
    /// One line.
    pub summary: &'static str,
    /// Why, and what to do.
    pub explanation: &'static str,
    /// Files that show it, and files that are as they should be; a notice may have none.
    pub examples: &'static [Example],
}

/// Everything that has a code, sorted by it.
pub fn all() -> Vec<Described> {
    let rules = RULES.iter().map(|rule| Described {
        code: rule.code,
        name: rule.name,
        severity: rule.severity,
        confidence: rule.confidence,
        summary: rule.summary,
        explanation: rule.explanation,
        examples: rule.examples,
    });
    let mut all: Vec<Described> = rules.chain(notices::NOTICES.iter().copied()).collect();
    all.sort_by_key(|described| described.code);
    all
}

/// The one of this code or name.
pub(super) fn find(rule: &str) -> Result<Described, Failure> {
    let all = all();
    all.iter()
        .find(|described| described.code.eq_ignore_ascii_case(rule) || described.name == rule)
        .copied()
        .ok_or_else(|| unknown(rule))
}

/// The code or name that was probably meant.
pub(super) fn meant(rule: &str) -> Option<&'static str> {
    let all = all().into_iter();
    closest(
        rule,
        all.flat_map(|described| [described.code, described.name]),
    )
}

/// The failure for a rule that does not exist.
pub(super) fn unknown(rule: &str) -> Failure {
    let help = match meant(rule) {
        Some(meant) => format!("did you mean {meant}? `fp8lint rules` lists them all"),
        None => "`fp8lint rules` lists them all".to_owned(),
    };
    Failure::usage(format!("there is no rule `{rule}`"), help)
}
