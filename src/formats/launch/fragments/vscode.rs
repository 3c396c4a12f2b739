//! `launch.json` of Visual Studio Code: each configuration that starts Python.

use crate::source::{NodeRef, Span, Syntax};

use super::collector::{Collector, Environment, Given};
use super::fill::{Filling, between};
use super::jsonc;
use super::paths;
use super::text::MappedText;
use super::words::Word;
use super::yaml::Tree;

const WORKSPACE: &str = "${workspaceFolder}";

pub(super) fn collect(found: &mut Collector<'_>) {
    let json = jsonc::as_json(found.file.text());
    let Some(tree) = Tree::read(found.file, &json, 0, Syntax::Json) else {
        return;
    };
    let list = tree.get(tree.root(), "configurations");
    for configuration in list.iter().flat_map(|list| list.elements()) {
        collect_configuration(&tree, configuration, found);
    }
}

fn collect_configuration(tree: &Tree<'_>, configuration: NodeRef<'_>, found: &mut Collector<'_>) {
    let cwd = tree.text_of(configuration, "cwd");
    let cwd = cwd.as_deref().map_or("", |cwd| {
        cwd.strip_prefix(WORKSPACE)
            .map_or(cwd, |rest| rest.trim_start_matches('/'))
    });
    let folder = paths::start(cwd);
    let up = "../".repeat(
        cwd.split('/')
            .filter(|part| !matches!(*part, "" | "."))
            .count(),
    );
    let mut variable = |rest: &str| {
        if let Some(after) = rest.strip_prefix(WORKSPACE) {
            let slash = usize::from(after.starts_with('/'));
            let root = match slash {
                1 => up.clone(),
                _ => format!("{up}."),
            };
            return Some((WORKSPACE.len() + slash, Filling::Known(root)));
        }
        let (inner, length) = between(rest, "${", "}")?;
        let why = format!("`${{{inner}}}` is filled in by Visual Studio Code");
        Some((length, Filling::Unknown(why)))
    };
    let environment = match tree.get(configuration, "env") {
        Some(env) => tree.environment(env, "is empty", '$', &mut variable),
        None => Environment::default(),
    };
    let (key, is_module) = match configuration.get("module") {
        Some(_) => ("module", true),
        None => ("program", false),
    };
    let Some(program) = configuration.get(key) else {
        return;
    };
    // No word of the file says `python -m`: the key does.
    let place = tree.span(program.key);
    let mut words = vec![implied(found, "python", place)];
    if is_module {
        words.push(implied(found, "-m", place));
    }
    let arguments = tree.get(configuration, "args");
    let single = arguments.filter(|node| node.scalar().is_some());
    let list = arguments.iter().flat_map(|node| node.elements());
    let nodes = [program.value].into_iter().chain(list);
    words.extend(nodes.filter_map(|node| tree.word(node, '$', &mut variable)));
    if let Some(text) = single.and_then(|node| tree.scalar(node)) {
        words.extend(split(&text, found));
    }
    let file = tree.get(configuration, "envFile");
    let path = file.and_then(|node| tree.word(node, '$', &mut variable));
    let loaded: Vec<(String, Span)> = path
        .iter()
        .filter_map(|word| Some((word.term.known()?.to_owned(), word.term.spot.span)))
        .collect();
    let given = Given {
        layers: &[&environment],
        folder: &folder,
        loaded: &loaded,
    };
    found.words(words, &given, &mut |text, _| text);
}

fn implied(found: &Collector<'_>, text: &str, span: Span) -> Word {
    Word {
        text: MappedText::verbatim(text, span.start),
        term: found.term(Ok(text.to_owned()), span),
    }
}

/// The words of arguments that are written as one text; unknown where they have quotes or variables.
fn split(text: &MappedText, found: &Collector<'_>) -> Vec<Word> {
    if text.text.contains(['"', '\'', '\\', '$']) {
        let why = format!("`{}` is taken apart by Visual Studio Code", text.text);
        let mut term = found.term(Err(why), text.source());
        term.is_open = true;
        return vec![Word {
            text: text.clone(),
            term,
        }];
    }
    let mut words = Vec::new();
    let mut at = 0;
    for word in text.text.split_inclusive(char::is_whitespace) {
        let part = text.slice(at..at + word.trim_end().len());
        at += word.len();
        if !part.text.is_empty() {
            let term = found.term(Ok(part.text.clone()), part.source());
            words.push(Word { text: part, term });
        }
    }
    words
}
