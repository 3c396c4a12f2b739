//! Of findings that say the same of the same place, one.

use std::collections::{BTreeMap, BTreeSet};

use crate::rules::{Finding, Label};

use super::runs::Launched;

/// How many commands with the same finding are named beside the first.
const NAMED_BESIDE: usize = 3;

/// The findings of all commands: of those that say the same of the same place the first, which names the others.
pub(in crate::cli) fn merged(launched: impl IntoIterator<Item = Launched>) -> Vec<Finding> {
    let mut findings: Vec<(Finding, Vec<String>)> = Vec::new();
    let mut places = BTreeMap::new();
    for (finding, at) in launched.into_iter().flat_map(|launched| launched.findings) {
        let index = *places.entry(sameness(&finding)).or_insert(findings.len());
        match findings.get_mut(index) {
            Some((_, others)) => {
                if !others.contains(&at) {
                    others.push(at);
                }
            }
            None => findings.push((finding, vec![at])),
        }
    }
    let named = findings.into_iter().map(|(mut finding, at)| {
        if let [_, others @ ..] = at.as_slice()
            && !others.is_empty()
        {
            let shown = others
                .iter()
                .take(NAMED_BESIDE)
                .cloned()
                .collect::<Vec<_>>()
                .join(", ");
            let more = match others.len().checked_sub(NAMED_BESIDE) {
                Some(more) if more > 0 => format!(" and {more} more"),
                _ => String::new(),
            };
            let command = if others.len() == 1 {
                "command"
            } else {
                "commands"
            };
            finding.notes.push(format!(
                "the same with the launch {command} at {shown}{more}"
            ));
        }
        finding
    });
    named.collect()
}

/// What findings have in common that say the same of the same place. Two commands may ask for different things there.
fn sameness(finding: &Finding) -> impl Ord + use<> {
    let outcome = finding.outcome.as_ref();
    (
        finding.place(),
        finding.severity,
        outcome.map(|outcome| (outcome.asked.clone(), outcome.runs.clone())),
    )
}

/// Of findings that say the same of the same place, one: the first, with the places of all.
pub(in crate::cli) fn gathered(findings: impl IntoIterator<Item = Finding>) -> Vec<Finding> {
    let mut kept: Vec<(Finding, BTreeSet<_>)> = Vec::new();
    let mut places = BTreeMap::new();
    for finding in findings {
        let index = *places.entry(sameness(&finding)).or_insert(kept.len());
        match kept.get_mut(index) {
            None => {
                let labels = finding.related.iter().map(Label::place).collect();
                kept.push((finding, labels));
            }
            Some((first, labels)) => {
                for label in finding.related {
                    if labels.insert(label.place()) {
                        first.related.push(label);
                    }
                }
            }
        }
    }
    kept.into_iter().map(|(finding, _)| finding).collect()
}
