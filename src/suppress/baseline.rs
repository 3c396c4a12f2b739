//! The baseline: findings that were there when a repository took fp8lint up, by their fingerprints.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

use crate::discover::RepositoryPaths;
use crate::rules::Finding;

use super::{Suppressed, Suppression, fingerprint};

/// The version of the format.
const VERSION: u32 = 1;

/// How much of a value is kept for the reader: the fingerprint has all of it.
const VALUE_LENGTH: usize = 80;

/// The findings that pass.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Baseline {
    /// Sorted by path, rule, route, value and fingerprint.
    entries: Vec<Entry>,
}

/// A finding that passes. The fingerprint names it; all else is there for people and for pruning.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Entry {
    /// Its fingerprint.
    pub fingerprint: String,
    /// The rule's code.
    pub rule: String,
    /// The path from the root of the repository.
    pub path: String,
    /// The route of keys.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub route: String,
    /// The value, shortened.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub value: String,
}

/// Why a text is no baseline.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BaselineError {
    /// What is wrong.
    pub message: String,
    /// Line and column, from 1, where one place can be named.
    pub place: Option<(usize, usize)>,
}

#[derive(Deserialize)]
struct Versioned {
    version: u32,
}

#[derive(Deserialize)]
struct Content {
    findings: Vec<Entry>,
}

impl Entry {
    fn of(finding: &Finding, paths: &RepositoryPaths) -> Self {
        let value = finding.key.value.as_str();
        let mut shortened: String = value.chars().take(VALUE_LENGTH).collect();
        if shortened.len() < value.len() {
            shortened.push('…');
        }
        Self {
            fingerprint: fingerprint(finding, paths),
            rule: finding.code.to_owned(),
            path: paths.of(&finding.primary.path),
            route: finding.key.route.to_string(),
            value: shortened,
        }
    }

    fn order(&self) -> impl Ord + '_ {
        (
            &self.path,
            &self.rule,
            &self.route,
            &self.value,
            &self.fingerprint,
        )
    }
}

impl Baseline {
    /// Reads a baseline.
    ///
    /// # Errors
    /// What is wrong with it, and where.
    pub fn parse(text: &str) -> Result<Self, BaselineError> {
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        let wrong = |error: serde_json::Error| {
            let whole = error.to_string();
            let message = whole
                .rsplit_once(" at line ")
                .map_or(&*whole, |(said, _)| said);
            BaselineError {
                message: message.to_owned(),
                place: (error.line() > 0).then(|| (error.line(), error.column().max(1))),
            }
        };
        // A later version may hold anything beside its number.
        let Versioned { version } = serde_json::from_str(text).map_err(wrong)?;
        if version != VERSION {
            return Err(BaselineError {
                message: format!(
                    "it has version {version}, and this fp8lint reads version {VERSION}"
                ),
                place: None,
            });
        }
        let content: Content = serde_json::from_str(text).map_err(wrong)?;
        Ok(Self::of(content.findings))
    }

    fn of(mut entries: Vec<Entry>) -> Self {
        entries.sort_by(|left, right| left.order().cmp(&right.order()));
        let mut known = BTreeSet::new();
        entries.retain(|entry| known.insert(entry.fingerprint.clone()));
        Self { entries }
    }

    /// The text: an entry a line, so that changes are seen line by line.
    pub fn render(&self) -> String {
        let entries = self.entries.iter().map(|entry| {
            // A struct of strings can always be written.
            let entry = serde_json::to_string(entry).unwrap_or_default();
            format!("    {entry}")
        });
        let entries: Vec<_> = entries.collect();
        let findings = match entries.as_slice() {
            [] => "[]".to_owned(),
            entries => format!("[\n{}\n  ]", entries.join(",\n")),
        };
        format!("{{\n  \"version\": {VERSION},\n  \"findings\": {findings}\n}}\n")
    }

    /// How many findings pass.
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// Whether none passes.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// Sets aside the findings that pass. Returns what is left, what was set aside, and the entries that no finding
    /// matches.
    pub fn apply(
        &self,
        findings: Vec<Finding>,
        paths: &RepositoryPaths,
    ) -> (Vec<Finding>, Vec<Suppressed>, Vec<Entry>) {
        let mut unmatched: BTreeMap<&str, &Entry> = self
            .entries
            .iter()
            .map(|entry| (entry.fingerprint.as_str(), entry))
            .collect();
        let (mut left, mut suppressed) = (Vec::new(), Vec::new());
        for finding in findings {
            match unmatched.remove(fingerprint(&finding, paths).as_str()) {
                Some(_) => suppressed.push(Suppressed {
                    finding,
                    by: Suppression::Baseline,
                }),
                None => left.push(finding),
            }
        }
        let mut unmatched: Vec<_> = unmatched.into_values().cloned().collect();
        unmatched.sort_by(|left, right| left.order().cmp(&right.order()));
        (left, suppressed, unmatched)
    }

    /// Without these entries, and with these findings.
    #[must_use]
    pub fn updated(&self, without: &[Entry], with: &[&Finding], paths: &RepositoryPaths) -> Self {
        let without: BTreeSet<_> = without.iter().map(|entry| &entry.fingerprint).collect();
        let kept = self.entries.iter();
        let kept = kept.filter(|entry| !without.contains(&entry.fingerprint));
        let new = with.iter().map(|finding| Entry::of(finding, paths));
        Self::of(kept.cloned().chain(new).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry(fingerprint: &str, path: &str) -> Entry {
        Entry {
            fingerprint: fingerprint.to_owned(),
            rule: "FP201".to_owned(),
            path: path.to_owned(),
            route: String::new(),
            value: "\u{202e}\"ao".to_owned(),
        }
    }

    #[test]
    fn a_baseline_reads_back_sorted_and_once() {
        let baseline = Baseline::of(vec![entry("2", "b"), entry("1", "a"), entry("2", "b")]);
        let text = baseline.render();
        assert_eq!(text.lines().count(), 7);
        assert_eq!(Baseline::parse(&text), Ok(baseline.clone()));
        assert_eq!(baseline.len(), 2);
        assert_eq!(
            Baseline::parse(&Baseline::default().render()),
            Ok(Baseline::default())
        );
        let pruned = baseline.updated(&[entry("1", "")], &[], &RepositoryPaths::default());
        assert_eq!(pruned.entries, [entry("2", "b")]);
    }

    #[test]
    fn a_broken_baseline_says_where() {
        for (text, message, place) in [
            ("", "EOF while parsing a value", Some((1, 1))),
            (
                "{\n\"version\": 1,\n\"findings\": 3}",
                "invalid type: integer `3`, expected a sequence",
                Some((3, 13)),
            ),
            (
                "{\"version\": 1}",
                "missing field `findings`",
                Some((1, 14)),
            ),
            (
                "{\"version\": 2}",
                "it has version 2, and this fp8lint reads version 1",
                None,
            ),
            ("<<<<<<< HEAD\n{}", "expected value", Some((1, 1))),
        ] {
            let error = Baseline::parse(text).unwrap_err();
            assert_eq!(
                (error.message.as_str(), error.place),
                (message, place),
                "{text}"
            );
        }
    }
}
