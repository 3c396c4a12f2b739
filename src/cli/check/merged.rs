//! Of findings that say the same of the same place, one.

use std::collections::BTreeMap;

use crate::rules::{Finding, Label};

use super::runs::Launched;

/// How many commands with the same finding are named beside the first.
const NAMED_BESIDE: usize = 3;

/// The findings of all commands: of those that say the same of the same place the first, which names the others.
pub(in crate::cli) fn merged(launched: impl IntoIterator<Item = Launched>) -> Vec<Finding> {
    let mut findings: Vec<(Finding, Vec<String>)> = Vec::new();
    let mut places = BTreeMap::new();
    for (finding, at) in launched.into_iter().flat_map(|launched| launched.findings) {
        let span = finding.primary.source.as_ref().map(|(_, span)| *span);
        let place = (
            finding.code,
            finding.primary.path.clone(),
            span,
            finding.key.route.clone(),
        );
        let index = *places.entry(place).or_insert(findings.len());
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

/// Of findings that say the same of the same place, one: the first, with the places of all.
pub(in crate::cli) fn gathered(findings: impl IntoIterator<Item = Finding>) -> Vec<Finding> {
    let mut kept: Vec<Finding> = Vec::new();
    let mut places = BTreeMap::new();
    for finding in findings {
        let span = finding.primary.source.as_ref().map(|(_, span)| *span);
        let place = (
            finding.code,
            finding.primary.path.clone(),
            span,
            finding.key.route.clone(),
        );
        match places.get(&place).and_then(|at: &usize| kept.get_mut(*at)) {
            None => {
                places.insert(place, kept.len());
                kept.push(finding);
            }
            Some(first) => {
                for label in finding.related {
                    let place = |label: &Label| {
                        let span = label.source.as_ref().map(|(_, span)| *span);
                        (label.path.clone(), span)
                    };
                    if first
                        .related
                        .iter()
                        .all(|known| place(known) != place(&label))
                    {
                        first.related.push(label);
                    }
                }
            }
        }
    }
    kept
}
