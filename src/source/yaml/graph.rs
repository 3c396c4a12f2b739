//! A document as PyYAML's composer leaves it: nodes with tags, aliases being the same node as their anchor.

use super::super::{Span, Style};
use super::resolve::Tag;

/// A node that has its tag but not yet its Python value.
#[derive(Debug)]
pub(super) struct GraphNode {
    pub(super) span: Span,
    pub(super) style: Style,
    pub(super) tag: Tag,
    pub(super) content: Content,
    /// In a mapping the value under its `=` key: what PyYAML takes where a scalar is wanted.
    pub(super) default: Option<usize>,
}

/// What is written in a node.
#[derive(Debug)]
pub(super) enum Content {
    Scalar(String),
    Sequence(Vec<usize>),
    Mapping(Vec<Pair>),
}

impl Content {
    /// The word in PyYAML's messages.
    pub(super) fn kind(&self) -> &'static str {
        match self {
            Self::Scalar(_) => "scalar",
            Self::Sequence(_) => "sequence",
            Self::Mapping(_) => "mapping",
        }
    }
}

/// One key and its value in a mapping.
#[derive(Clone, Copy, Debug)]
pub(super) struct Pair {
    pub(super) key: usize,
    pub(super) value: usize,
    /// Whether it came in through a merge key.
    pub(super) merged: bool,
}

/// All nodes of a document.
#[derive(Debug)]
pub(super) struct Graph {
    pub(super) nodes: Vec<GraphNode>,
    pub(super) root: usize,
}
