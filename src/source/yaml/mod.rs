//! YAML as `yaml.safe_load(open(file, encoding="utf-8"))` of PyYAML 6.0.4 reads it.
//!
//! Text → events (granit-parser) → graph (composer, PyYAML's strictness) → document (resolver, merge keys,
//! constructors). Where this differs from PyYAML: `docs/reader.md`.

mod compose;
mod construct;
mod events;
mod graph;
mod merge;
mod resolve;
mod scalars;
mod strict;
mod timestamp;

use std::borrow::Cow;

use self::events::Stop;
use super::{Comment, Data, Document, Node, NodeId, Object, ReadError, Span, Style};

/// Bytes to read at most because of comments that touch the token before them: each costs one more pass.
const REREAD_LIMIT: usize = 64 << 20;

/// Reads one YAML document. A text that holds none gives `None`, as in Python.
///
/// # Errors
/// What PyYAML would raise, by class name.
pub fn read(text: &str) -> Result<Document, ReadError> {
    check_printable(text)?;
    let mut text = as_line_feeds(text);
    let mut touching = Vec::new();
    let (graph, mut comments) = loop {
        match compose::compose(&text) {
            Ok(composed) => break composed,
            Err(Stop::Refused(error)) => return Err(error),
            Err(Stop::TouchingComment(offset)) => {
                let span = Span::new(offset, line_end(&text, offset));
                // After an alias, a tag or a block scalar's `|` PyYAML wants a blank as well.
                let may_touch = text[..offset].ends_with(['"', '\'', '[', ']', '{', '}', ',', ':']);
                if !may_touch || touching.len() * text.len() > REREAD_LIMIT || span.is_empty() {
                    let message = "a comment must be parted from what is before it by a blank";
                    return Err(ReadError::new("ScannerError", message, span));
                }
                // To PyYAML it is a comment, to granit a fault: blank it out for granit.
                text.to_mut()
                    .replace_range(span.start..span.end, &" ".repeat(span.end - span.start));
                touching.push(Comment { span });
            }
        }
    };
    comments.append(&mut touching);
    comments.sort_by_key(|comment| comment.span.start);
    match graph {
        Some(graph) => construct::construct(graph, comments),
        None => Ok(Document {
            nodes: vec![Node {
                span: Span::at(0),
                style: Style::Plain,
                data: Data::Scalar(Object::None),
            }],
            root: NodeId(0),
            comments,
            duplicate_keys: Vec::new(),
        }),
    }
}

/// U+0085 is a line break in YAML 1.1 and none in 1.2; CRLF has as many bytes.
fn as_line_feeds(text: &str) -> Cow<'_, str> {
    if text.contains('\u{85}') {
        text.replace('\u{85}', "\r\n").into()
    } else {
        text.into()
    }
}

fn line_end(text: &str, start: usize) -> usize {
    let rest = text.get(start..).unwrap_or_default();
    start + rest.find(['\n', '\r']).unwrap_or(rest.len())
}

/// PyYAML refuses these before it looks at anything else.
fn check_printable(text: &str) -> Result<(), ReadError> {
    let special = text.char_indices().find(|(_, c)| {
        !matches!(c, '\t' | '\n' | '\r' | ' '..='~' | '\u{85}' | '\u{a0}'..='\u{d7ff}'
            | '\u{e000}'..='\u{fffd}' | '\u{10000}'..)
    });
    match special {
        None => Ok(()),
        Some((offset, c)) => Err(ReadError::new(
            "ReaderError",
            format!(
                "unacceptable character #x{:04x}: special characters are not allowed",
                u32::from(c)
            ),
            Span::new(offset, offset + c.len_utf8()),
        )),
    }
}

#[cfg(test)]
mod tests;
