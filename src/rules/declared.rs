//! fp8 blocks that a loader of the team's own reads, as the settings declare them: what FP210, FP310, FP311 share.

use std::collections::HashSet;

use crate::formats::settings::Fp8Block;
use crate::source::{EntryRef, NodeRef, Object, Route, Step, Syntax};

use super::{Finding, Label, Rule, Subject};

/// How deep, and how many keys are looked at for blocks in other places. An alias bomb ends here.
const DEPTH: usize = 6;
const KEYS: usize = 10_000;

/// A declared block as it stands in the file.
pub(super) struct Found<'a> {
    /// What declares it.
    pub(super) block: &'a Fp8Block,
    /// Where it stands.
    pub(super) route: Route,
    /// Its key and value.
    pub(super) entry: EntryRef<'a>,
}

/// The blocks that stand where they are declared.
pub(super) fn in_place<'a>(subject: &Subject<'a>) -> Vec<Found<'a>> {
    let found = subject.blocks.iter().filter_map(|block| {
        let route = block.path.clone();
        let entry = entry_at(subject.root()?, &route)?;
        Some(Found {
            block,
            route,
            entry,
        })
    });
    found.collect()
}

fn entry_at<'a>(root: NodeRef<'a>, route: &Route) -> Option<EntryRef<'a>> {
    let mut entry = None;
    let mut mapping = root;
    for step in &route.0 {
        let Step::Key(key) = step else { return None };
        let found = mapping.get(key)?;
        mapping = found.value;
        entry = Some(found);
    }
    entry
}

/// The blocks that stand anywhere else, where nobody reads them.
pub(super) fn out_of_place<'a>(subject: &Subject<'a>) -> Vec<Found<'a>> {
    let mut found = Vec::new();
    let (Some(root), false) = (subject.root(), subject.blocks.is_empty()) else {
        return found;
    };
    let mut left = KEYS;
    // What an anchor and its aliases, or a merge, show in several places stands in one.
    let in_place = in_place(subject).into_iter();
    let mut seen: HashSet<_> = in_place.map(|found| found.entry.key.id()).collect();
    let mut open = vec![(Route::default(), root)];
    while let Some((route, mapping)) = open.pop() {
        for entry in mapping.entries() {
            if left == 0 {
                return found;
            }
            left -= 1;
            let Some(key) = entry.key.text() else {
                continue;
            };
            let route = route.key(key);
            match standing(subject, &route) {
                Some((block, false)) if seen.insert(entry.key.id()) => found.push(Found {
                    block,
                    route,
                    entry,
                }),
                Some(_) => {}
                None if route.0.len() < DEPTH => open.push((route, entry.value)),
                None => {}
            }
        }
    }
    found
}

/// Whether an entry is a declared block, in its place or out of it: then the rules about accelerate leave it alone.
pub(super) fn is_block(subject: &Subject<'_>, route: &Route) -> bool {
    standing(subject, route).is_some()
}

/// The declaration of what stands at a route, and whether it belongs there.
fn standing<'a>(subject: &Subject<'a>, route: &Route) -> Option<(&'a Fp8Block, bool)> {
    let mut blocks = subject.blocks.iter();
    if let Some(block) = blocks.clone().find(|block| block.path == *route) {
        return Some((block, true));
    }
    let name = route.last_key()?;
    // A key that accelerate itself reads is at home where accelerate reads it.
    if route.0.len() == 1 && subject.facts.cluster_key(name).is_some() {
        return None;
    }
    blocks
        .find(|block| block.path.last_key() == Some(name))
        .map(|block| (block, false))
}

impl Found<'_> {
    /// A finding about the block's value, or its key.
    pub(super) fn finding(
        &self,
        subject: &Subject<'_>,
        rule: &Rule,
        message: String,
        at: At,
        label: &str,
    ) -> Finding {
        let place = subject.place(&self.entry, self.route.clone());
        let primary = match (&place, at) {
            (Some(place), At::Key) => Label::key(place, label),
            (Some(place), At::Value) => Label::value(place, label),
            (None, _) => Label::file("", label),
        };
        let mut finding = rule.finding(message, primary);
        finding.key = subject.key_at(&self.route);
        let (file, span) = &self.block.declared;
        finding
            .related
            .push(Label::at(file, *span, "declared here"));
        finding
    }

    /// Whether the block is switched off.
    pub(super) fn is_off(&self) -> bool {
        matches!(
            self.entry.value.scalar(),
            Some(Object::None | Object::Bool(false))
        )
    }

    /// The block as it should stand, with this backend, in the file's own style.
    pub(super) fn written(&self, subject: &Subject<'_>, backend: &str) -> String {
        let steps = self.block.path.0.iter();
        let keys: Vec<&str> = steps
            .filter_map(|step| match step {
                Step::Key(key) => Some(key.as_str()),
                Step::Index(_) => None,
            })
            .collect();
        let is_json = subject
            .config()
            .is_some_and(|(config, _)| Syntax::of_name(&config.file.path) == Syntax::Json);
        if is_json {
            let mut text = json(backend);
            for key in keys.iter().chain(&["backend"]).rev() {
                text = format!("{{{}: {text}}}", json(key));
            }
            return text;
        }
        let mut text = String::new();
        for (depth, key) in keys.iter().enumerate() {
            text.push_str(&format!("{}{}:\n", "  ".repeat(depth), yaml(key)));
        }
        let indentation = "  ".repeat(keys.len());
        text.push_str(&format!("{indentation}backend: {}", yaml(backend)));
        text
    }
}

/// Which part of an entry a finding is about.
#[derive(Clone, Copy)]
pub(super) enum At {
    Key,
    Value,
}

/// `fp8, fp8row, auto`
pub(super) fn backends(block: &Fp8Block) -> String {
    block.backends.join(", ")
}

fn json(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}

/// A text as YAML, quoted where PyYAML would read it as something else.
fn yaml(text: &str) -> String {
    let read = Syntax::Yaml.read(text);
    let is_plain = read.is_ok_and(|document| document.root().text() == Some(text));
    match is_plain {
        true => text.to_owned(),
        false => json(text),
    }
}
