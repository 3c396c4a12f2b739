//! Shell: the words and the light grammar of POSIX sh and bash, every part with its bytes.
//!
//! Nothing is expanded here and nothing fails: a text that bash would refuse (an unclosed quote, a stray `done`) gives
//! what could be read. One pass, in which each construct ends where its reader stops, so that time is linear; what is
//! nested deeper than [`MAX_DEPTH`] is passed over.

mod command;
mod compound;
mod cursor;
mod dollar;
mod redirection;
mod simple;
#[cfg(test)]
mod tests;
mod tree;
mod word;

pub use tree::{
    Assigned, Assignment, CaseItem, Command, CommandKind, Connector, HereDoc, List, Operator,
    Parameter, Part, PartKind, Pipeline, Redirection, RedirectionKind, Script, Simple, Statement,
    Subscript, Word,
};

use crate::source::Span;

/// How deep constructs may be nested; bash scripts of people stay below ten.
pub const MAX_DEPTH: usize = 64;

/// The text of a here-document whose end mark is not quoted, with what is expanded in it. These are the pieces of its body
/// in the text that [`read`] was given.
pub fn read_body(text: &str, pieces: &[Span]) -> Vec<Word> {
    pieces
        .iter()
        .map(|piece| cursor::Reader::body(text, *piece).word_in(word::Mode::Body))
        .collect()
}

/// Reads a shell text. Spans are byte offsets into it.
pub fn read(text: &str) -> Script {
    let mut reader = cursor::Reader::new(text);
    let commands = reader.list();
    Script {
        commands,
        heredocs: reader.heredocs,
    }
}
