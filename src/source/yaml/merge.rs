//! Merge keys (`<<`), as PyYAML 6.0.4's `flatten_mapping` resolves them.

use std::collections::HashSet;

use super::super::{ReadError, Span};
use super::graph::{Content, Graph, Pair};
use super::resolve::Tag;

/// Merged pairs in one document at most. PyYAML has no limit and would run out of memory.
const PAIR_LIMIT: usize = 1_000_000;

/// Merges nested in merges at most: below Python's recursion limit of 1000.
const DEPTH_LIMIT: usize = 950;

/// What PyYAML takes for the same key when it merges: it compares the identity of strings, which CPython shares only
/// where they have no character or one of Latin-1.
#[derive(PartialEq, Eq, Hash)]
enum Identity {
    Node(usize),
    Text(String),
}

/// Resolves merge keys in place.
#[derive(Default)]
pub(super) struct Merger {
    pairs: usize,
}

impl Merger {
    /// Replaces the merge keys of a mapping by the pairs that they bring in, which come before the mapping's own.
    pub(super) fn flatten(
        &mut self,
        graph: &mut Graph,
        mapping: usize,
        depth: usize,
    ) -> Result<(), ReadError> {
        let at = graph.nodes[mapping].span;
        if depth > DEPTH_LIMIT {
            let message = "merge keys nested too deeply for PyYAML";
            return Err(ReadError::new("RecursionError", message, at));
        }
        let sources = Self::take_merge_keys(graph, mapping);
        if sources.is_empty() {
            return Ok(());
        }
        let mut seen = HashSet::new();
        let mut merged = Vec::new();
        for source in sources {
            match &graph.nodes[source].content {
                Content::Mapping(_) => {
                    self.merge(graph, source, depth, &mut seen, &mut merged)?;
                }
                Content::Sequence(elements) => {
                    for element in elements.clone() {
                        let node = &graph.nodes[element];
                        if !matches!(node.content, Content::Mapping(_)) {
                            return Err(refused("a mapping", &node.content, node.span));
                        }
                        self.merge(graph, element, depth, &mut seen, &mut merged)?;
                    }
                }
                scalar @ Content::Scalar(_) => {
                    let span = graph.nodes[source].span;
                    return Err(refused("a mapping or list of mappings", scalar, span));
                }
            }
        }
        if let Content::Mapping(pairs) = &mut graph.nodes[mapping].content {
            merged.append(pairs);
            *pairs = merged;
        }
        Ok(())
    }

    /// Takes the merge keys out of a mapping and gives their values. A `=` key becomes a string on the way.
    fn take_merge_keys(graph: &mut Graph, mapping: usize) -> Vec<usize> {
        let Content::Mapping(pairs) = &mut graph.nodes[mapping].content else {
            return Vec::new();
        };
        let pairs = std::mem::take(pairs);
        let mut own = Vec::with_capacity(pairs.len());
        let mut sources = Vec::new();
        for pair in pairs {
            let key = &mut graph.nodes[pair.key];
            match key.tag {
                Tag::Merge => {
                    sources.push(pair.value);
                    continue;
                }
                Tag::Value => key.tag = Tag::Str,
                _ => {}
            }
            own.push(pair);
        }
        graph.nodes[mapping].content = Content::Mapping(own);
        sources
    }

    fn merge(
        &mut self,
        graph: &mut Graph,
        source: usize,
        depth: usize,
        seen: &mut HashSet<Identity>,
        merged: &mut Vec<Pair>,
    ) -> Result<(), ReadError> {
        self.flatten(graph, source, depth + 1)?;
        let Content::Mapping(pairs) = &graph.nodes[source].content else {
            return Ok(());
        };
        // An empty source takes time as well.
        self.pairs += 1 + pairs.len();
        if self.pairs > PAIR_LIMIT {
            let message = "merge keys bring in more than 1,000,000 pairs";
            let span = graph.nodes[source].span;
            return Err(ReadError::new("MemoryError", message, span));
        }
        for pair in pairs {
            let identity = match &graph.nodes[pair.key].content {
                Content::Scalar(text)
                    if text.chars().all(|c| c <= '\u{ff}') && text.chars().nth(1).is_none() =>
                {
                    Identity::Text(text.clone())
                }
                _ => Identity::Node(pair.key),
            };
            if seen.insert(identity) {
                merged.push(Pair {
                    merged: true,
                    ..*pair
                });
            }
        }
        Ok(())
    }
}

fn refused(expected: &str, found: &Content, span: Span) -> ReadError {
    let found = found.kind();
    ReadError::new(
        "ConstructorError",
        format!("expected {expected} for merging, but found {found}"),
        span,
    )
}
