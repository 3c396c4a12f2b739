//! Gathers the shell texts of one file.

use std::collections::HashMap;
use std::sync::Arc;

use crate::source::{SourceFile, Span};

use super::super::{Folder, Spot, Term};
use super::container::{Container, may_hold_launch, may_install};
use super::fill::Unknowns;
use super::text::{Builder, MappedText};
use super::words::{self, Word};
use super::{Body, Fragment};

/// How many variables all fragments of a file may be given together: each has its own copy.
const ENVIRONMENT_LIMIT: usize = 200_000;

/// How large the texts of all fragments of a file may be together: their bytes, and four for each piece.
const TEXT_LIMIT: usize = 32 << 20;

/// Variables that a file gives to a shell text, later ones winning.
#[derive(Clone, Debug, Default)]
pub(super) struct Environment {
    entries: Vec<(String, Term)>,
    /// Which entry of a name wins.
    positions: HashMap<String, usize>,
    /// Whether one of them may be a launch command, or a part of one.
    holds_launch: bool,
}

impl Environment {
    pub(super) fn add(&mut self, name: impl Into<String>, term: Term) {
        let name = name.into();
        let holds_launch = |text: &str| may_hold_launch(Container::Script, text);
        self.holds_launch |= term.known().is_some_and(holds_launch);
        self.positions.insert(name.clone(), self.entries.len());
        self.entries.push((name, term));
    }

    /// The value that wins.
    pub(super) fn get(&self, name: &str) -> Option<&Term> {
        let position = self.positions.get(name)?;
        self.entries.get(*position).map(|(_, term)| term)
    }
}

/// What a shell text is given.
#[derive(Clone, Copy)]
pub(super) struct Given<'a> {
    /// Variables, those of later layers winning.
    pub(super) layers: &'a [&'a Environment],
    /// Where it runs.
    pub(super) folder: &'a Folder,
    /// Files of variables that are loaded before it runs, each with the place that names it; the variables of the
    /// layers win over theirs.
    pub(super) loaded: &'a [(String, Span)],
}

/// Fills in a text for the shell.
pub(super) type Fill<'a> = &'a mut dyn FnMut(MappedText, &mut Unknowns<'_>) -> MappedText;

/// The shell texts found so far.
pub(super) struct Collector<'a> {
    pub(super) file: &'a Arc<SourceFile>,
    pub(super) container: Container,
    fragments: Vec<Fragment>,
    variables: usize,
    bytes: usize,
}

impl<'a> Collector<'a> {
    pub(super) fn new(file: &'a Arc<SourceFile>, container: Container) -> Self {
        Self {
            file,
            container,
            fragments: Vec::new(),
            variables: 0,
            bytes: 0,
        }
    }

    pub(super) fn into_fragments(self) -> Vec<Fragment> {
        self.fragments
    }

    /// A term of this file.
    pub(super) fn term(&self, text: Result<String, String>, span: Span) -> Term {
        Term {
            text,
            is_open: false,
            spot: Spot {
                file: Arc::clone(self.file),
                span,
            },
        }
    }

    /// Adds a text for a shell.
    pub(super) fn shell(&mut self, text: MappedText, given: &Given<'_>) {
        self.filled_shell(text, given, &mut |text, _| text);
    }

    /// Adds a text for a shell in which something is filled in first.
    pub(super) fn filled_shell(&mut self, text: MappedText, given: &Given<'_>, fill: Fill<'_>) {
        if self.is_full() {
            return;
        }
        let mut unknowns = Unknowns::new(self.file);
        let text = fill(text, &mut unknowns);
        if !self.matters(&text.text, given) {
            return;
        }
        let text = loading(text, given, &mut unknowns);
        self.push(Body::Shell(text), given, unknowns);
    }

    /// Adds words that are run as they are.
    pub(super) fn words(&mut self, words: Vec<Word>, given: &Given<'_>, fill: Fill<'_>) {
        if let Some(script) = words::script_of_shell(&words) {
            self.filled_shell(script.clone(), given, fill);
            return;
        }
        let words = words::unwrapped(words);
        let matters = words.iter().any(|word| {
            let text = word.term.known().unwrap_or(&word.text.text);
            self.matters(text, given)
        });
        // `python -m trl.…`, `pip install x`: words that tell only together.
        if words.is_empty() || !(matters || self.matters(&words::joined(&words), given)) {
            return;
        }
        let mut unknowns = Unknowns::new(self.file);
        let body = if given.loaded.is_empty() {
            Body::Words(words.into_iter().map(|word| word.term).collect())
        } else {
            let text = words::quoted(&words, &mut unknowns);
            Body::Shell(loading(text, given, &mut unknowns))
        };
        self.push(body, given, unknowns);
    }

    fn is_full(&self) -> bool {
        self.variables > ENVIRONMENT_LIMIT || self.bytes > TEXT_LIMIT
    }

    fn push(&mut self, body: Body, given: &Given<'_>, unknowns: Unknowns<'_>) {
        let mut environment = unknowns.into_terms();
        let given_count: usize = given.layers.iter().map(|layer| layer.entries.len()).sum();
        self.variables += environment.len() + given_count;
        self.bytes += match &body {
            Body::Shell(text) => text.text.len() + 4 * text.pieces.len(),
            Body::Words(words) => words.len(),
        };
        if self.is_full() {
            return;
        }
        let layers = given.layers.iter().flat_map(|layer| &layer.entries);
        environment.extend(layers.cloned());
        self.fragments.push(Fragment {
            file: Arc::clone(self.file),
            body,
            environment,
            folder: given.folder.clone(),
            is_prose: self.container == Container::Markdown,
        });
    }

    /// Whether a text can launch, install or write anything.
    fn matters(&self, text: &str, given: &Given<'_>) -> bool {
        may_hold_launch(self.container, text)
            || may_install(text)
            || text.contains("<<")
            || (text.contains('$') && given.layers.iter().any(|layer| layer.holds_launch))
    }
}

/// The text with lines before it that load the files of variables.
fn loading(text: MappedText, given: &Given<'_>, unknowns: &mut Unknowns<'_>) -> MappedText {
    if given.loaded.is_empty() {
        return text;
    }
    let mut builder = Builder::new(text.source().start);
    for (path, span) in given.loaded {
        // Without a slash it would be looked for in `PATH`.
        let here = if path.contains('/') { "" } else { "./" };
        let path = words::quote(&format!("{here}{path}"));
        let line = format!("set -a; . {path}; set +a\n");
        builder.replaced(&line, *span);
    }
    for (name, term) in given.layers.iter().flat_map(|layer| &layer.entries) {
        let value = match &term.text {
            Ok(text) => words::quote(text),
            Err(why) => format!("\"${{{}}}\"", unknowns.name(why.clone(), term.spot.span)),
        };
        builder.replaced(&format!("export {name}={value}\n"), term.spot.span);
    }
    builder.whole(&text);
    builder.finish()
}
