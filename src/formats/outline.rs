//! The outline of a file: its top-level keys, with just enough of their values to vote.

use std::collections::{HashMap, HashSet};

use crate::source::{Data, NodeRef};

use super::recipe::signatures::{Key, Signature};
use super::signature;

/// One top-level key.
struct Heading<'text> {
    key: &'text str,
    /// The value, if it is one line of text, without quotes.
    value: &'text str,
    /// The keys directly below it.
    below: Vec<&'text str>,
}

/// The top-level keys of a file.
pub(super) struct Outline<'text>(Vec<Heading<'text>>);

/// The top-level keys of a file by name, to be held against signatures.
pub(super) struct Headings<'outline, 'text>(HashMap<&'text str, &'outline Heading<'text>>);

impl<'text> Outline<'text> {
    /// The keys of a mapping. A list of mappings with one key each counts as well: a config that someone wrote with a
    /// dash before every key.
    pub(super) fn of_tree(text: &'text str, root: NodeRef<'text>) -> Self {
        let mut headings = Vec::new();
        headings_of(text, root, &mut headings);
        if matches!(root.data(), Data::List(_))
            && root
                .elements()
                .all(|element| element.entries().count() == 1)
        {
            for element in root.elements() {
                headings_of(text, element, &mut headings);
            }
        }
        Self(headings)
    }

    /// The keys that the lines show, for a text that no reader takes. The indentation of the first key is the top
    /// level, so that an indented heredoc and an indented JSON object are read as well.
    pub(super) fn of_lines(text: &'text str) -> Self {
        let mut headings: Vec<Heading<'text>> = Vec::new();
        let mut top = None;
        for line in text.split(['\n', '\r']) {
            let Some((indentation, key, value)) = key_line(line) else {
                continue;
            };
            let top = *top.get_or_insert(indentation);
            if indentation == top {
                headings.push(Heading {
                    key,
                    value,
                    below: Vec::new(),
                });
            } else if indentation > top
                && let Some(heading) = headings.last_mut()
            {
                heading.below.push(key);
            }
        }
        Self(headings)
    }

    /// Whether the keys vote for an accelerate config.
    pub(super) fn is_accelerate(&self) -> bool {
        let mut sum = 0;
        let mut seen = HashSet::new();
        for heading in &self.0 {
            // A key that is written twice votes once.
            if !seen.insert(heading.key) {
                continue;
            }
            sum += signature::vote(heading.key, |telling| heading.tells(telling));
        }
        sum >= signature::THRESHOLD
    }

    /// The keys by name; of a key that is written twice the last one.
    pub(super) fn headings(&self) -> Headings<'_, 'text> {
        let named = self.0.iter().map(|heading| (heading.key, heading));
        Headings(named.collect())
    }
}

impl Heading<'_> {
    /// Whether the value, or a key below it, is one of these words; without regard to the case of the value.
    fn tells(&self, telling: &[&str]) -> bool {
        telling
            .iter()
            .any(|word| word.eq_ignore_ascii_case(self.value) || self.below.contains(word))
    }
}

impl Headings<'_, '_> {
    /// Whether a signature holds, and at least so many of its keys show.
    pub(super) fn hold(&self, signature: &Signature, least: usize) -> bool {
        let shows = |key: &&Key| {
            let heading = self.0.get(key.name);
            heading.is_some_and(|heading| key.telling.is_empty() || heading.tells(key.telling))
        };
        let shown: HashSet<_> = signature
            .needs
            .iter()
            .flat_map(|need| need.of.iter().copied().flatten())
            .filter(shows)
            .map(|key| key.name)
            .collect();
        shown.len() >= least
            && signature.needs.iter().all(|need| {
                let keys = need.of.iter().copied().flatten();
                keys.filter(shows).count() >= need.least
            })
            && !signature
                .never
                .iter()
                .copied()
                .flatten()
                .any(|key| self.0.contains_key(key))
    }
}

fn headings_of<'text>(
    text: &'text str,
    mapping: NodeRef<'text>,
    headings: &mut Vec<Heading<'text>>,
) {
    for entry in mapping.entries() {
        // A key that is no `str` (`on:` is True, `8080:` an int) is nobody's key: it votes under its written form.
        let written = |node: NodeRef<'text>| {
            let span = node.span();
            text.get(span.start..span.end).unwrap_or("")
        };
        let key = entry.key.text().unwrap_or_else(|| written(entry.key));
        let value = match entry.value.data() {
            Data::Scalar(_) => entry.value.text().unwrap_or_else(|| written(entry.value)),
            _ => "",
        };
        headings.push(Heading {
            key,
            value,
            below: entry
                .value
                .entries()
                .filter_map(|below| below.key.text())
                .collect(),
        });
    }
}

/// Indentation, key and value of a line `key: value`, `"key": "value",` or `- key: value`.
fn key_line(line: &str) -> Option<(usize, &str, &str)> {
    let line = line.trim_start_matches('\u{feff}');
    let content = line.trim_start_matches([' ', '\t', '{']);
    let indentation = line.len() - content.len();
    let content = content.strip_prefix("- ").unwrap_or(content);
    let (key, value) = content.split_once(':')?;
    let key = unquote(key);
    let is_key = !key.is_empty()
        && key
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.'));
    if !is_key || !(value.is_empty() || value.starts_with([' ', '\t', '"'])) {
        return None;
    }
    let value = value.split(" #").next().unwrap_or(value);
    Some((
        indentation,
        key,
        unquote(value.trim().trim_end_matches(',')),
    ))
}

fn unquote(text: &str) -> &str {
    text.trim().trim_matches(['"', '\''])
}
