//! Events → graph, as PyYAML's composer: anchors by name, one document, bounded depth.

use std::collections::HashMap;

use super::super::{Comment, ReadError, Span, Style};
use super::events::{Event, Events, Step, Stop};
use super::graph::{Content, Graph, GraphNode, Pair};
use super::resolve::{Tag, resolve_plain};
use super::strict::Gaps;

/// Python's recursion limit of 1000 is reached when PyYAML composes this many levels.
pub(super) const DEPTH_LIMIT: usize = 491;

/// A collection that is still open.
struct Open {
    node: usize,
    /// The children so far; in a mapping keys and values take turns.
    children: Vec<usize>,
    /// End of the last token inside.
    end: usize,
    /// Where the last key in `{}` begins, unless a `?` stands before it.
    simple_key: Option<usize>,
}

/// Composes the only document of a text; `None` where it holds none.
pub(super) fn compose(text: &str) -> Result<(Option<Graph>, Vec<Comment>), Stop> {
    let mut events = Events::new(text);
    let mut composer = Composer {
        text,
        gaps: Gaps::new(text),
        nodes: Vec::new(),
        anchors: HashMap::new(),
        open: Vec::new(),
        root: None,
        documents: 0,
    };
    while let Some(event) = events.next()? {
        composer.take(event).map_err(Stop::Refused)?;
    }
    composer.gaps.finish().map_err(Stop::Refused)?;
    let mut comments = events.comments;
    // granit may report a comment after the node that follows it.
    comments.sort_by_key(|comment| comment.span.start);
    let nodes = composer.nodes;
    Ok((composer.root.map(|root| Graph { nodes, root }), comments))
}

struct Composer<'text> {
    text: &'text str,
    gaps: Gaps<'text>,
    nodes: Vec<GraphNode>,
    anchors: HashMap<&'text str, usize>,
    open: Vec<Open>,
    root: Option<usize>,
    documents: usize,
}

impl<'text> Composer<'text> {
    fn take(&mut self, event: Event<'_>) -> Result<(), ReadError> {
        if !matches!(event.step, Step::CollectionEnd) {
            self.check_flow_key(&event)?;
        }
        match event.step {
            Step::DocumentStart { explicit } => {
                self.documents += 1;
                if self.documents == 1 {
                    return Ok(());
                }
                // PyYAML knows no second document without `---`.
                Err(if explicit {
                    ReadError::new(
                        "ComposerError",
                        "expected a single document in the stream, but found another document",
                        event.span,
                    )
                } else {
                    ReadError::new("ParserError", "expected '<document start>'", event.span)
                })
            }
            Step::DocumentEnd => Ok(()),
            Step::Alias => {
                self.gaps.token(event.span)?;
                let name = self.gaps.name(event.span)?;
                let Some(node) = self.anchors.get(name).copied() else {
                    let message = format!("found undefined alias '{name}'");
                    return Err(ReadError::new("ComposerError", message, event.span));
                };
                self.gaps.same_name(event.span, name)?;
                self.attach(node, event.span.end);
                Ok(())
            }
            Step::Scalar { .. } => self.scalar(event),
            Step::SequenceStart(style) => self.start(event, style, false),
            Step::MappingStart(style) => self.start(event, style, true),
            Step::CollectionEnd => self.end(event.span),
        }
    }

    fn scalar(&mut self, event: Event<'_>) -> Result<(), ReadError> {
        let Step::Scalar { value, style } = event.step else {
            return Ok(());
        };
        let properties = event.tag.is_some() || event.anchor.is_some();
        let place = self.gaps.scalar(event.span, style, properties)?;
        if place.empty && !properties && self.expects_key() && !place.explicit_key {
            return Err(ReadError::new(
                "ParserError",
                "found ':' without a key before it",
                place.span,
            ));
        }
        self.check_properties(&event.anchor, event.tag_span)?;
        let plain = style == Style::Plain && event.tag.is_none();
        let value = if place.byte_order_mark {
            format!("\u{feff}{value}")
        } else {
            value.into_owned()
        };
        let tag = match event.tag.as_deref() {
            Some("!") => resolve_plain(&value),
            Some(name) => Tag::of_name(name),
            None if plain => resolve_plain(&value),
            None => Tag::Str,
        };
        let node = self.add(place.span, style, tag, Content::Scalar(value), event.anchor);
        self.attach(node, place.span.end);
        Ok(())
    }

    fn start(&mut self, event: Event<'_>, style: Style, mapping: bool) -> Result<(), ReadError> {
        let start = self.gaps.collection_start(event.span, style, mapping)?;
        self.check_properties(&event.anchor, event.tag_span)?;
        if self.open.len() >= DEPTH_LIMIT {
            return Err(ReadError::new(
                "RecursionError",
                "nested too deeply for PyYAML: maximum recursion depth exceeded",
                Span::at(start),
            ));
        }
        let (implicit, content) = if mapping {
            (Tag::Map, Content::Mapping(Vec::new()))
        } else {
            (Tag::Seq, Content::Sequence(Vec::new()))
        };
        let tag = match event.tag.as_deref() {
            None | Some("!") => implicit,
            Some(name) => Tag::of_name(name),
        };
        let node = self.add(Span::at(start), style, tag, content, event.anchor);
        self.open.push(Open {
            node,
            children: Vec::new(),
            end: start,
            simple_key: None,
        });
        Ok(())
    }

    fn end(&mut self, span: Span) -> Result<(), ReadError> {
        let Some(open) = self.open.pop() else {
            return Ok(());
        };
        if !span.is_empty() {
            self.gaps.token(span)?;
        }
        let default = open.children.chunks_exact(2).find(|pair| {
            let key = self.nodes.get(pair[0]);
            key.is_some_and(|key| key.tag == Tag::Value)
        });
        let default = default.map(|pair| pair[1]);
        let Some(node) = self.nodes.get_mut(open.node) else {
            return Ok(());
        };
        // Only `]` and `}` have bytes.
        let end = if node.style == Style::Flow {
            span.end
        } else {
            open.end
        };
        node.span.end = end.max(node.span.start);
        match &mut node.content {
            Content::Sequence(elements) => *elements = open.children,
            Content::Mapping(pairs) => {
                node.default = default;
                *pairs = open
                    .children
                    .chunks_exact(2)
                    .map(|pair| Pair {
                        key: pair[0],
                        value: pair[1],
                        merged: false,
                    })
                    .collect();
            }
            Content::Scalar(_) => {}
        }
        self.attach(open.node, end);
        Ok(())
    }

    /// Whether the next node is a mapping's key.
    fn expects_key(&self) -> bool {
        self.open.last().is_some_and(|open| {
            open.children.len().is_multiple_of(2)
                && matches!(
                    self.nodes.get(open.node).map(|node| &node.content),
                    Some(Content::Mapping(_))
                )
        })
    }

    /// A key inside `{}` without `?` must be on one line with its `:`.
    fn check_flow_key(&mut self, event: &Event<'_>) -> Result<(), ReadError> {
        let expects_key = self.expects_key();
        let cursor = self.gaps.cursor();
        let Some(open) = self.open.last_mut() else {
            return Ok(());
        };
        if self.nodes.get(open.node).map(|node| node.style) != Some(Style::Flow) {
            return Ok(());
        }
        // An empty value's span is the `:` itself.
        let gap = self.text.as_bytes().get(cursor..event.span.start + 1);
        let gap = gap.unwrap_or_default();
        if expects_key {
            let properties = [event.anchor, event.tag_span].into_iter().flatten();
            let start = properties
                .map(|span| span.start)
                .chain([event.span.start])
                .min();
            open.simple_key = start.filter(|_| !gap.contains(&b'?'));
            return Ok(());
        }
        let (Some(key), Some(colon)) = (
            open.simple_key.take(),
            gap.iter().position(|byte| *byte == b':'),
        ) else {
            return Ok(());
        };
        let colon = cursor + colon;
        let key = self.text.get(key..colon).unwrap_or_default();
        if key.chars().nth(1024).is_some() || key.contains(['\n', '\r']) {
            return Err(ReadError::new(
                "ParserError",
                "expected ',' or '}', but got ':': a key must be on one line with its ':'",
                Span::new(colon, colon + 1),
            ));
        }
        Ok(())
    }

    fn check_properties(&self, anchor: &Option<Span>, tag: Option<Span>) -> Result<(), ReadError> {
        if let Some(tag) = tag {
            self.gaps.tag(tag)?;
        }
        if let Some(anchor) = *anchor {
            let name = self.gaps.name(anchor)?;
            self.gaps.same_name(anchor, name)?;
            if self.anchors.contains_key(name) {
                return Err(ReadError::new(
                    "ComposerError",
                    format!("found duplicate anchor '{name}'"),
                    anchor,
                ));
            }
        }
        Ok(())
    }

    fn add(
        &mut self,
        span: Span,
        style: Style,
        tag: Tag,
        content: Content,
        anchor: Option<Span>,
    ) -> usize {
        let node = self.nodes.len();
        self.nodes.push(GraphNode {
            span,
            style,
            tag,
            content,
            default: None,
        });
        if let Some(name) = anchor.and_then(|at| self.text.get(at.start + 1..at.end)) {
            self.anchors.insert(name, node);
        }
        node
    }

    /// Hangs a finished node into the collection that is open, or makes it the root.
    fn attach(&mut self, node: usize, end: usize) {
        match self.open.last_mut() {
            Some(open) => {
                open.children.push(node);
                open.end = open.end.max(end);
            }
            None => self.root = Some(node),
        }
    }
}
