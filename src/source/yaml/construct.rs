//! Graph → document: Python values, in the order in which PyYAML makes them, so that the first fault is the same.

use std::collections::{HashMap, VecDeque};

use super::super::{Comment, Data, Document, DuplicateKey, Entry, Node, NodeId, Object, ReadError};
use super::graph::{Content, Graph};
use super::merge::Merger;
use super::resolve::Tag;
use super::scalars;

/// Text of keys written twice that is kept at most: aliases may repeat one long key without end.
const DUPLICATE_TEXT_LIMIT: usize = 16 << 20;

/// Makes the document that `SafeLoader` would return.
pub(super) fn construct(graph: Graph, comments: Vec<Comment>) -> Result<Document, ReadError> {
    let nodes = graph
        .nodes
        .iter()
        .map(|node| Node {
            span: node.span,
            style: node.style,
            data: Data::Scalar(Object::None),
        })
        .collect();
    let mut constructor = Constructor {
        constructed: vec![false; graph.nodes.len()],
        graph,
        nodes,
        waiting: VecDeque::new(),
        merger: Merger::default(),
        key_numbers: HashMap::new(),
        numbered: HashMap::new(),
        duplicate_keys: Vec::new(),
        duplicate_text: 0,
    };
    let root = constructor.graph.root;
    constructor.object(root)?;
    // PyYAML fills collections after it has made them, the outer before the inner: so anchors may be recursive.
    while let Some(node) = constructor.waiting.pop_front() {
        constructor.fill(node)?;
    }
    let mut duplicate_keys = constructor.duplicate_keys;
    duplicate_keys.sort_by_key(|duplicate| duplicate.first.start);
    Ok(Document {
        nodes: constructor.nodes,
        root: id(root),
        comments,
        duplicate_keys,
    })
}

fn id(node: usize) -> NodeId {
    // A node takes at least one byte of text, and texts are far below 4 GiB.
    NodeId(u32::try_from(node).unwrap_or(u32::MAX))
}

struct Constructor {
    graph: Graph,
    /// The document's nodes: the graph's under the same numbers, then the tuples of `!!omap` and `!!pairs`.
    nodes: Vec<Node>,
    constructed: Vec<bool>,
    /// Collections that exist but are still empty.
    waiting: VecDeque<usize>,
    merger: Merger,
    /// Scalars by their [`Object::hash_key`], numbered, so that a key behind many aliases is hashed once.
    key_numbers: HashMap<String, usize>,
    numbered: HashMap<usize, usize>,
    duplicate_keys: Vec<DuplicateKey>,
    /// Text in `duplicate_keys` so far.
    duplicate_text: usize,
}

impl Constructor {
    /// Makes a node's object; a collection stays empty for now.
    fn object(&mut self, node: usize) -> Result<(), ReadError> {
        if std::mem::replace(&mut self.constructed[node], true) {
            return Ok(());
        }
        let tag = self.graph.nodes[node].tag.clone();
        self.nodes[node].data = match &tag {
            Tag::Seq | Tag::Omap | Tag::Pairs => Data::List(Vec::new()),
            Tag::Map => Data::Dict(Vec::new()),
            Tag::Set => Data::Set(Vec::new()),
            _ => {
                self.nodes[node].data = Data::Scalar(self.scalar(node, &tag)?);
                return Ok(());
            }
        };
        self.waiting.push_back(node);
        Ok(())
    }

    fn scalar(&self, node: usize, tag: &Tag) -> Result<Object, ReadError> {
        let span = self.graph.nodes[node].span;
        let error = |exception, message: String| ReadError::new(exception, message, span);
        let undetermined = |name: &str| {
            error(
                "ConstructorError",
                format!("could not determine a constructor for the tag '{name}'"),
            )
        };
        match tag {
            Tag::Unknown(name) => return Err(undetermined(name)),
            Tag::Merge => return Err(undetermined("tag:yaml.org,2002:merge")),
            Tag::Value => return Err(undetermined("tag:yaml.org,2002:value")),
            _ => {}
        }
        let text = self.text(node)?;
        if *tag == Tag::Timestamp && !matches!(self.graph.nodes[node].content, Content::Scalar(_)) {
            let message = "expected string or bytes-like object".to_owned();
            return Err(error("TypeError", message));
        }
        match scalars::construct(tag, text) {
            Some(Ok(object)) => Ok(object),
            Some(Err((exception, message))) => Err(error(exception, message)),
            None => Err(undetermined("")),
        }
    }

    /// A scalar's text; of a mapping the text under its `=` key.
    fn text(&self, node: usize) -> Result<&str, ReadError> {
        let mut node = node;
        // An alias may lead back to the mapping itself.
        for _ in 0..self.graph.nodes.len().min(900) + 1 {
            let found = &self.graph.nodes[node];
            if let Content::Scalar(text) = &found.content {
                return Ok(text);
            }
            let Some(value) = found.default else {
                let kind = found.content.kind();
                let message = format!("expected a scalar node, but found {kind}");
                return Err(ReadError::new("ConstructorError", message, found.span));
            };
            node = value;
        }
        let message = "maximum recursion depth exceeded";
        Err(ReadError::new(
            "RecursionError",
            message,
            self.graph.nodes[node].span,
        ))
    }

    fn fill(&mut self, node: usize) -> Result<(), ReadError> {
        self.nodes[node].data = match self.graph.nodes[node].tag {
            Tag::Seq => Data::List(self.sequence(node)?),
            Tag::Omap => Data::List(self.pairs(node, "an ordered map")?),
            Tag::Pairs => Data::List(self.pairs(node, "pairs")?),
            Tag::Set => {
                let entries = self.mapping(node)?;
                Data::Set(entries.iter().map(|entry| entry.key).collect())
            }
            _ => Data::Dict(self.mapping(node)?),
        };
        Ok(())
    }

    fn sequence(&mut self, node: usize) -> Result<Vec<NodeId>, ReadError> {
        let Content::Sequence(elements) = &self.graph.nodes[node].content else {
            return Err(self.expected("a sequence node", node));
        };
        let elements = elements.clone();
        for element in &elements {
            self.object(*element)?;
        }
        Ok(elements.into_iter().map(id).collect())
    }

    fn mapping(&mut self, node: usize) -> Result<Vec<Entry>, ReadError> {
        if matches!(self.graph.nodes[node].content, Content::Mapping(_)) {
            self.merger.flatten(&mut self.graph, node, 0)?;
        }
        let Content::Mapping(pairs) = &self.graph.nodes[node].content else {
            return Err(self.expected("a mapping node", node));
        };
        let pairs = pairs.clone();
        let mut entries: Vec<Entry> = Vec::with_capacity(pairs.len());
        let mut positions = HashMap::with_capacity(pairs.len());
        // Keys written twice: the one that loses, and its entry.
        let mut losers = Vec::new();
        for pair in pairs {
            self.object(pair.key)?;
            let Some(number) = self.key_number(pair.key) else {
                let span = self.nodes[pair.key].span;
                let message = "found unhashable key";
                return Err(ReadError::new("ConstructorError", message, span));
            };
            self.object(pair.value)?;
            let entry = Entry {
                key: id(pair.key),
                value: id(pair.value),
                merged: pair.merged,
            };
            match positions.get(&number) {
                None => {
                    positions.insert(number, entries.len());
                    entries.push(entry);
                }
                Some(position) => {
                    let earlier = &mut entries[*position];
                    if !earlier.merged && !pair.merged {
                        losers.push((*position, earlier.key, entry.key));
                    }
                    // A Python dict keeps its first key object: `1` stays `1` under a later `true`.
                    let kind = |key: NodeId| match &self.nodes[key.0 as usize].data {
                        Data::Scalar(key) => key.type_name(),
                        _ => "",
                    };
                    let key = if kind(earlier.key) == kind(entry.key) {
                        entry.key
                    } else {
                        earlier.key
                    };
                    *earlier = Entry { key, ..entry };
                }
            }
        }
        self.note_duplicates(losers);
        Ok(entries)
    }

    /// The same number for all keys that a Python dict takes for one. `None` if unhashable.
    fn key_number(&mut self, node: usize) -> Option<usize> {
        if let Some(number) = self.numbered.get(&node) {
            return Some(*number);
        }
        let Data::Scalar(key) = &self.nodes[node].data else {
            return None;
        };
        let next = self.key_numbers.len();
        let number = *self.key_numbers.entry(key.hash_key()?).or_insert(next);
        self.numbered.insert(node, number);
        Some(number)
    }

    /// Records keys written twice in one mapping. `losers`: position, the earlier key, the later key.
    fn note_duplicates(&mut self, losers: Vec<(usize, NodeId, NodeId)>) {
        let mut last = HashMap::new();
        for (position, _, later) in &losers {
            last.insert(*position, *later);
        }
        for (position, earlier, later) in losers {
            let kept = last.get(&position).copied().unwrap_or(later);
            let key = &self.nodes[kept.0 as usize];
            let Data::Scalar(name) = &key.data else {
                continue;
            };
            let shown = name.python_str();
            self.duplicate_text += shown.len();
            if self.duplicate_text > DUPLICATE_TEXT_LIMIT {
                return;
            }
            self.duplicate_keys.push(DuplicateKey {
                key: shown,
                first: self.nodes[earlier.0 as usize].span,
                last: key.span,
            });
        }
    }

    /// `!!omap` and `!!pairs`: a list of (key, value) tuples.
    fn pairs(&mut self, node: usize, what: &str) -> Result<Vec<NodeId>, ReadError> {
        let Content::Sequence(elements) = &self.graph.nodes[node].content else {
            return Err(self.expected("a sequence", node));
        };
        let elements = elements.clone();
        let mut tuples = Vec::with_capacity(elements.len());
        for element in elements {
            let pair = match &self.graph.nodes[element].content {
                Content::Mapping(pairs) => match pairs.as_slice() {
                    [pair] => *pair,
                    _ => {
                        let message =
                            format!("while constructing {what}: expected a single mapping item");
                        let span = self.nodes[element].span;
                        return Err(ReadError::new("ConstructorError", message, span));
                    }
                },
                _ => return Err(self.expected("a mapping of length 1", element)),
            };
            self.object(pair.key)?;
            self.object(pair.value)?;
            tuples.push(id(self.nodes.len()));
            let written = &self.nodes[element];
            self.nodes.push(Node {
                span: written.span,
                style: written.style,
                data: Data::Tuple(vec![id(pair.key), id(pair.value)]),
            });
        }
        Ok(tuples)
    }

    fn expected(&self, what: &str, node: usize) -> ReadError {
        let found = &self.graph.nodes[node];
        let kind = found.content.kind();
        let message = format!("expected {what}, but found {kind}");
        ReadError::new("ConstructorError", message, found.span)
    }
}
