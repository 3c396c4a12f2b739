//! Everything that has a code: the rules, and the notices of the checking itself.

use crate::resolve::target::closest;
use crate::rules::{Confidence, RULES, Severity};

use super::failure::Failure;
use super::notices;

/// What there is to say about a code.
#[derive(Clone, Copy, Debug)]
pub(super) struct Described {
    pub(super) code: &'static str,
    pub(super) name: &'static str,
    pub(super) severity: Severity,
    pub(super) confidence: Confidence,
    /// One line.
    pub(super) summary: &'static str,
    /// Why, and what to do.
    pub(super) explanation: &'static str,
}

/// Everything that has a code, sorted by it.
pub(super) fn all() -> Vec<Described> {
    let rules = RULES.iter().map(|rule| Described {
        code: rule.code,
        name: rule.name,
        severity: rule.severity,
        confidence: rule.confidence,
        summary: rule.summary,
        explanation: rule.explanation,
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

/// The failure for a rule that does not exist.
pub(super) fn unknown(rule: &str) -> Failure {
    let all = all();
    let names = all
        .iter()
        .flat_map(|described| [described.code, described.name]);
    let help = match closest(rule, names) {
        Some(meant) => format!("did you mean {meant}? `fp8lint rules` lists them all"),
        None => "`fp8lint rules` lists them all".to_owned(),
    };
    Failure::usage(format!("there is no rule `{rule}`"), help)
}
