//! Files for docker compose: `entrypoint` and `command` of each service.

use crate::source::{NodeRef, Span};

use super::super::Folder;
use super::collector::{Collector, Environment, Given};
use super::fill::{self, Filling, between, name};
use super::paths;
use super::text::{Builder, MappedText};
use super::words::{self, Word};
use super::yaml::{self, Tree};

pub(super) fn collect(found: &mut Collector<'_>) {
    for tree in yaml::documents(found.file) {
        let services = tree.get(tree.root(), "services");
        for service in services.iter().flat_map(|services| services.entries()) {
            collect_service(&tree, service.value, found);
        }
    }
}

fn collect_service(tree: &Tree<'_>, service: NodeRef<'_>, found: &mut Collector<'_>) {
    let environment = match tree.get(service, "environment") {
        Some(node) => {
            let missing = "is taken from where docker compose runs";
            tree.environment(node, missing, '$', &mut interpolation)
        }
        None => Environment::default(),
    };
    let given = Given {
        layers: &[&environment],
        folder: &folder(tree, service),
        loaded: &loaded(tree, service),
    };
    let parts: Vec<NodeRef<'_>> = ["entrypoint", "command"]
        .iter()
        .filter_map(|key| tree.get(service, key))
        .filter(|node| !node.is_none())
        .collect();
    if parts.is_empty() {
        return;
    }
    let lists = parts.iter().flat_map(|node| node.elements());
    let words = lists.filter_map(|node| tree.word(node, '$', &mut interpolation));
    if parts.iter().all(|node| node.scalar().is_none()) {
        found.words(words.collect(), &given, &mut |text, unknowns| {
            fill::shell(
                text,
                '$',
                &mut |rest| for_shell(rest, &environment),
                unknowns,
            )
        });
        return;
    }
    found.filled_shell(MappedText::verbatim("", 0), &given, &mut |_, unknowns| {
        let mut builder = Builder::new(tree.span(parts[0]).start);
        for node in &parts {
            let text = match tree.scalar(*node) {
                Some(text) => fill::shell(
                    text,
                    '$',
                    &mut |rest| for_shell(rest, &environment),
                    unknowns,
                ),
                None => {
                    let words = node
                        .elements()
                        .filter_map(|node| tree.word(node, '$', &mut interpolation));
                    words::quoted(&words.collect::<Vec<Word>>(), unknowns)
                }
            };
            if !builder.text().is_empty() {
                builder.replaced(" ", Span::at(tree.span(*node).start));
            }
            builder.whole(&text);
        }
        builder.finish()
    });
}

/// What compose makes of a `$` in a value.
fn interpolation(rest: &str) -> Option<(usize, Filling)> {
    if rest.starts_with("$$") {
        return Some((2, Filling::Known("$".to_owned())));
    }
    let length = match between(rest, "${", "}") {
        Some((_, length)) => length,
        None => 1 + name(&rest[1..])?.len(),
    };
    let why = format!("`{}` is filled in by docker compose", &rest[..length]);
    Some((length, Filling::Unknown(why)))
}

/// The same in a text for a shell. A variable that the service does not have is left to the shell, which does not know
/// it either, but knows what its default means.
fn for_shell(rest: &str, environment: &Environment) -> Option<(usize, Filling)> {
    let (length, filling) = interpolation(rest)?;
    let is_escape = matches!(filling, Filling::Known(_));
    let variable = name(rest[1..].trim_start_matches('{'));
    let is_given = variable.is_some_and(|variable| environment.get(variable).is_some());
    (is_escape || is_given).then_some((length, filling))
}

/// The files of variables.
fn loaded(tree: &Tree<'_>, service: NodeRef<'_>) -> Vec<(String, Span)> {
    let Some(node) = tree.get(service, "env_file") else {
        return Vec::new();
    };
    let single = node.scalar().map(|_| node);
    let files = single.into_iter().chain(node.elements());
    files
        .filter_map(|file| {
            let path = tree.get(file, "path").unwrap_or(file);
            Some((tree.scalar(path)?.text, tree.span(path)))
        })
        .collect()
}

/// Where the service runs: in what it mounts, or in what it is built from.
fn folder(tree: &Tree<'_>, service: NodeRef<'_>) -> Folder {
    let working = tree.text_of(service, "working_dir");
    let volumes = tree.get(service, "volumes");
    for volume in volumes.iter().flat_map(|volumes| volumes.elements()) {
        let short = tree.scalar(volume).map(|text| text.text);
        let (source, target) = match &short {
            Some(text) => {
                let mut parts = text.split(':');
                (
                    parts.next().map(str::to_owned),
                    parts.next().map(str::to_owned),
                )
            }
            None => (
                tree.text_of(volume, "source"),
                tree.text_of(volume, "target"),
            ),
        };
        let (Some(source), Some(target)) = (source, target) else {
            continue;
        };
        if !source.starts_with('.') {
            continue;
        }
        let below = match &working {
            Some(working) => paths::inside(working, &target).map(str::to_owned),
            None => Some(String::new()),
        };
        if let Some(below) = below {
            return paths::own(&paths::join(&source, &below));
        }
    }
    let Some(build) = tree.get(service, "build").filter(|_| working.is_none()) else {
        return Folder::Unknown;
    };
    let context = tree
        .scalar(build)
        .map(|text| text.text)
        .or_else(|| tree.text_of(build, "context"));
    context.map_or(Folder::Unknown, |context| paths::own(&context))
}
