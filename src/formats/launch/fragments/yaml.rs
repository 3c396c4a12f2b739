//! Trees of YAML and JSON, with their scalars as texts of the file.

use std::sync::Arc;

use crate::source::{Document, NodeRef, SourceFile, Span, Syntax};

use super::super::Term;
use super::collector::Environment;
use super::fill::{self, Find};
use super::scalar;
use super::text::{Builder, MappedText, lines};
use super::words::Word;

/// How many lists inside lists of commands are followed.
const DEPTH_LIMIT: usize = 8;

/// One document of a file.
pub(super) struct Tree<'a> {
    pub(super) file: &'a Arc<SourceFile>,
    /// Its text, of the same length as in the file.
    text: &'a str,
    /// Where it begins in the file.
    base: usize,
    document: Document,
}

/// The documents of a YAML file that can be read.
pub(super) fn documents(file: &Arc<SourceFile>) -> Vec<Tree<'_>> {
    let text = file.text();
    let starts = lines(text).filter(|(_, line)| *line == "---" || line.starts_with("--- "));
    let mut starts: Vec<usize> = starts.map(|(at, _)| at).filter(|at| *at > 0).collect();
    starts.insert(0, 0);
    let ends = starts[1..].iter().copied().chain([text.len()]);
    let parts = starts.iter().zip(ends);
    parts
        .filter_map(|(start, end)| Tree::read(file, text.get(*start..end)?, *start, Syntax::Yaml))
        .collect()
}

impl<'a> Tree<'a> {
    /// Reads one document; `None` where it is refused.
    pub(super) fn read(
        file: &'a Arc<SourceFile>,
        text: &'a str,
        base: usize,
        syntax: Syntax,
    ) -> Option<Self> {
        Some(Self {
            file,
            text,
            base,
            document: syntax.read(text).ok()?,
        })
    }

    pub(super) fn root(&self) -> NodeRef<'_> {
        self.document.root()
    }

    /// Where a node stands in the file.
    pub(super) fn span(&self, node: NodeRef<'_>) -> Span {
        let span = node.span();
        Span::new(self.base + span.start, self.base + span.end)
    }

    /// The text of a scalar.
    pub(super) fn scalar(&self, node: NodeRef<'_>) -> Option<MappedText> {
        scalar::of(self.text, self.base, node)
    }

    /// The value under a key.
    pub(super) fn get<'n>(&self, node: NodeRef<'n>, key: &str) -> Option<NodeRef<'n>> {
        node.get(key).map(|entry| entry.value)
    }

    /// The text under a key.
    pub(super) fn text_of(&self, node: NodeRef<'_>, key: &str) -> Option<String> {
        Some(self.scalar(self.get(node, key)?)?.text)
    }

    /// A word, with what another program fills in at each `mark`.
    pub(super) fn word(&self, node: NodeRef<'_>, mark: char, find: Find<'_>) -> Option<Word> {
        let text = self.scalar(node)?;
        let (_, mut term) = fill::word(self.file, &text, mark, find);
        if term.spot.span.is_empty() {
            term.spot.span = self.span(node);
        }
        Some(Word { text, term })
    }

    /// The variables of a mapping, or of a list of `NAME=value`. One without a value is given from outside.
    pub(super) fn environment(
        &self,
        node: NodeRef<'_>,
        missing: &str,
        mark: char,
        find: Find<'_>,
    ) -> Environment {
        let mut found = Environment::default();
        for entry in node.entries() {
            let name = self.scalar(entry.key).map(|name| name.text);
            let word = self.word(entry.value, mark, find);
            if let (Some(name), Some(word)) = (name, word) {
                let term = if entry.value.is_none() {
                    let span = self.span(entry.key);
                    self.missing(&name, missing, word.term, span)
                } else {
                    word.term
                };
                found.add(name, term);
            }
        }
        for element in node.elements() {
            let Some(text) = self.scalar(element) else {
                continue;
            };
            match text.text.split_once('=') {
                Some((name, _)) => {
                    let value = text.slice(name.len() + 1..text.text.len());
                    let (_, term) = fill::word(self.file, &value, mark, find);
                    found.add(name, term);
                }
                None => {
                    let (_, term) = fill::word(self.file, &text, mark, find);
                    let span = self.span(element);
                    found.add(&*text.text, self.missing(&text.text, missing, term, span));
                }
            }
        }
        found
    }

    fn missing(&self, name: &str, missing: &str, mut term: Term, span: Span) -> Term {
        term.text = Err(format!("`{name}` {missing}"));
        term.spot.span = span;
        term
    }

    /// A text, or the texts of a list, each on a line of its own.
    pub(super) fn joined(&self, nodes: &[NodeRef<'_>]) -> MappedText {
        let start = nodes.first().map_or(0, |node| self.span(*node).start);
        let mut builder = Builder::new(start);
        for node in nodes {
            self.join(*node, &mut builder, 0);
        }
        builder.finish()
    }

    fn join(&self, node: NodeRef<'_>, builder: &mut Builder, depth: usize) {
        if let Some(text) = self.scalar(node) {
            builder.whole(&text);
            if !text.text.ends_with('\n') {
                builder.replaced("\n", Span::at(self.span(node).end));
            }
        } else if depth < DEPTH_LIMIT {
            for element in node.elements() {
                self.join(element, builder, depth + 1);
            }
        }
    }
}
