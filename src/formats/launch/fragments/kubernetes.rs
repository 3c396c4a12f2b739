//! Objects of Kubernetes: `command` and `args` of each container, at any depth.

use std::collections::BTreeSet;

use crate::source::NodeRef;

use super::super::Folder;
use super::collector::{Collector, Environment, Given};
use super::fill::{self, Filling, between, name};
use super::words::Word;
use super::yaml::{self, Tree};

/// The lists of containers.
const LISTS: [&str; 2] = ["initContainers", "containers"];

pub(super) fn collect(found: &mut Collector<'_>) {
    for tree in yaml::documents(found.file) {
        let mut seen = BTreeSet::new();
        let mut open = vec![tree.root()];
        while let Some(node) = open.pop() {
            // An anchor is one node, however often it is named.
            if !seen.insert(node.id().0) {
                continue;
            }
            for container in LISTS
                .iter()
                .filter_map(|key| tree.get(node, key))
                .flat_map(|list| list.elements())
            {
                collect_container(&tree, container, found);
            }
            // What Ray runs is a text.
            if let Some(text) = tree
                .get(node, "entrypoint")
                .and_then(|text| tree.scalar(text))
            {
                let given = Given {
                    layers: &[],
                    folder: &Folder::Unknown,
                    loaded: &[],
                };
                found.shell(text, &given);
            }
            let values = node.entries().map(|entry| entry.value);
            let mut inner: Vec<_> = values.chain(node.elements()).collect();
            inner.reverse();
            open.append(&mut inner);
        }
    }
}

fn collect_container(tree: &Tree<'_>, container: NodeRef<'_>, found: &mut Collector<'_>) {
    let mut environment = Environment::default();
    for variable in tree
        .get(container, "env")
        .iter()
        .flat_map(|env| env.elements())
    {
        let Some(name) = tree.text_of(variable, "name") else {
            continue;
        };
        let value = tree
            .get(variable, "value")
            .and_then(|value| tree.word(value, '$', &mut |rest| reference(rest, &environment)));
        let term = match value {
            Some(word) => word.term,
            None => {
                let why = format!("`{name}` is given by Kubernetes (valueFrom)");
                found.term(Err(why), tree.span(variable))
            }
        };
        environment.add(name, term);
    }
    let words: Vec<Word> = ["command", "args"]
        .iter()
        .filter_map(|key| tree.get(container, key))
        .flat_map(|list| list.elements())
        .filter_map(|word| {
            let mut find = |rest: &str| reference(rest, &environment).or_else(|| placeholder(rest));
            tree.word(word, '$', &mut find)
        })
        .collect();
    let given = Given {
        layers: &[&environment],
        // The image's folder, which this file does not tell.
        folder: &Folder::Unknown,
        loaded: &[],
    };
    found.words(words, &given, &mut |text, unknowns| {
        fill::shell(
            text,
            '$',
            &mut |rest| reference(rest, &environment),
            unknowns,
        )
    });
}

/// `$(NAME)` is a variable of the container; of any other name it stays, and is the shell's.
fn reference(rest: &str, environment: &Environment) -> Option<(usize, Filling)> {
    if rest.starts_with("$$(") {
        return Some((2, Filling::Known("$".to_owned())));
    }
    let (name, length) = between(rest, "$(", ")")?;
    Some((length, Filling::of(environment.get(name)?)))
}

/// `$NAME` and `${NAME}` mean nothing to Kubernetes, and no shell sees them: another program fills them in before.
fn placeholder(rest: &str) -> Option<(usize, Filling)> {
    let length = match between(rest, "${", "}") {
        Some((_, length)) => length,
        None => 1 + name(&rest[1..])?.len(),
    };
    let why = format!(
        "`{}` is filled in before Kubernetes reads it",
        &rest[..length]
    );
    Some((length, Filling::Unknown(why)))
}
