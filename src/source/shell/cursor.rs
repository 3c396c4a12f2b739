//! The place in the text, and what lies between words.

use super::{HereDoc, MAX_DEPTH};
use crate::source::Span;

/// A here-document whose body is still to come.
pub(super) struct Pending {
    pub(super) position: usize,
    pub(super) end_mark: String,
    pub(super) strips_tabs: bool,
}

/// What is open, and so which word or sign would close it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Open {
    /// `(`, `$(`.
    Parenthesis,
    /// `{`.
    Brace,
    /// `if`.
    If,
    /// `while`, `until`, `for`, `select`.
    Loop,
    /// `case`.
    Case,
}

pub(super) struct Reader<'a> {
    pub(super) text: &'a str,
    pub(super) bytes: &'a [u8],
    pub(super) at: usize,
    /// Where reading ends: the text's end, or that of a part in backticks.
    pub(super) end: usize,
    pub(super) depth: usize,
    pub(super) open: Vec<Open>,
    pub(super) pending: Vec<Pending>,
    pub(super) heredocs: Vec<HereDoc>,
    /// Whether the here-documents are counted: those of commands in the body of another one are not.
    pub(super) counts_heredocs: bool,
}

impl<'a> Reader<'a> {
    pub(super) fn new(text: &'a str) -> Self {
        Self {
            text,
            bytes: text.as_bytes(),
            at: 0,
            end: text.len(),
            depth: 0,
            open: Vec::new(),
            pending: Vec::new(),
            heredocs: Vec::new(),
            counts_heredocs: true,
        }
    }

    /// Reads the body of a here-document.
    pub(super) fn body(text: &'a str, piece: Span) -> Self {
        Self {
            at: piece.start,
            end: piece.end,
            counts_heredocs: false,
            ..Self::new(text)
        }
    }

    pub(super) fn byte(&self, ahead: usize) -> Option<u8> {
        let offset = self.at + ahead;
        (offset < self.end).then(|| self.bytes[offset])
    }

    pub(super) fn starts_with(&self, sign: &str) -> bool {
        self.bytes[self.at..self.end].starts_with(sign.as_bytes())
    }

    /// Steps over a sign if it is next.
    pub(super) fn take(&mut self, sign: &str) -> bool {
        let is_next = self.starts_with(sign);
        if is_next {
            self.at += sign.len();
        }
        is_next
    }

    /// Steps over one character.
    pub(super) fn step(&mut self) {
        let length = self.text[self.at..self.end]
            .chars()
            .next()
            .map_or(0, char::len_utf8);
        self.at += length;
    }

    pub(super) fn slice(&self, span: Span) -> &'a str {
        self.text.get(span.start..span.end).unwrap_or("")
    }

    /// How long a line break is at this offset; `\r\n` is one, since scripts of Windows checkouts have it.
    pub(super) fn line_break(&self, ahead: usize) -> usize {
        match (self.byte(ahead), self.byte(ahead + 1)) {
            (Some(b'\n'), _) => 1,
            (Some(b'\r'), Some(b'\n')) => 2,
            _ => 0,
        }
    }

    /// Steps over `\` and a line break.
    pub(super) fn continuation(&mut self) -> bool {
        if self.byte(0) != Some(b'\\') {
            return false;
        }
        let length = self.line_break(1);
        if length > 0 {
            self.at += 1 + length;
        }
        length > 0
    }

    /// Steps over blanks, continuations and a comment. Only where a word may begin.
    pub(super) fn blanks(&mut self) {
        loop {
            match self.byte(0) {
                Some(b' ' | b'\t') => self.at += 1,
                Some(b'\\') if self.continuation() => {}
                Some(b'#') => {
                    while self.at < self.end && self.line_break(0) == 0 {
                        self.at += 1;
                    }
                }
                _ => return,
            }
        }
    }

    /// Steps over a line break, and over the here-documents that begin after it.
    pub(super) fn newline(&mut self) -> bool {
        let length = self.line_break(0);
        if length == 0 {
            return false;
        }
        self.at += length;
        for pending in std::mem::take(&mut self.pending) {
            self.here_document(&pending);
        }
        true
    }

    /// Steps over blanks, comments and line breaks.
    pub(super) fn blank_lines(&mut self) {
        self.blanks();
        while self.newline() {
            self.blanks();
        }
    }

    fn here_document(&mut self, pending: &Pending) {
        let mut pieces: Vec<Span> = Vec::new();
        while self.at < self.end {
            let rest = &self.bytes[self.at..self.end];
            let length = rest
                .iter()
                .position(|byte| *byte == b'\n')
                .map_or(rest.len(), |position| position + 1);
            let mut start = self.at;
            self.at += length;
            if pending.strips_tabs {
                while start < self.at && self.bytes[start] == b'\t' {
                    start += 1;
                }
            }
            let line = self.slice(Span::new(start, self.at));
            if line.trim_end_matches(['\n', '\r']) == pending.end_mark {
                break;
            }
            match pieces.last_mut() {
                Some(last) if last.end == start => last.end = self.at,
                _ => pieces.push(Span::new(start, self.at)),
            }
        }
        if let Some(found) = self.heredocs.get_mut(pending.position) {
            found.pieces = pieces;
        }
    }

    /// Reads something nested; `None` where it is nested too deep.
    pub(super) fn nested<T>(&mut self, read: impl FnOnce(&mut Self) -> T) -> Option<T> {
        if self.depth >= MAX_DEPTH {
            return None;
        }
        self.depth += 1;
        let found = read(self);
        self.depth -= 1;
        Some(found)
    }

    /// Steps over `( … )` without reading it.
    pub(super) fn skip_parentheses(&mut self) {
        let mut depth = 0_usize;
        while let Some(byte) = self.byte(0) {
            self.at += 1;
            match byte {
                b'(' => depth += 1,
                b')' if depth <= 1 => break,
                b')' => depth -= 1,
                _ => {}
            }
        }
    }

    /// What stands between `((`, after which this is called, and its `))`; `None` where it is no arithmetic, and nothing
    /// is stepped over.
    pub(super) fn arithmetic(&mut self) -> Option<Span> {
        let start = self.at;
        let mut depth = 0_usize;
        let mut offset = start;
        while offset < self.end {
            match self.bytes[offset] {
                b'(' => depth += 1,
                b')' if depth > 0 => depth -= 1,
                b')' if offset + 1 < self.end && self.bytes[offset + 1] == b')' => {
                    self.at = offset + 2;
                    return Some(Span::new(start, offset));
                }
                b')' => return None,
                _ => {}
            }
            offset += 1;
        }
        None
    }
}

/// Whether a byte may be in a variable's name.
pub(super) fn is_name_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_'
}

/// Whether a byte may begin a variable's name.
pub(super) fn begins_name(byte: u8) -> bool {
    byte.is_ascii_alphabetic() || byte == b'_'
}

/// Whether a byte ends a word.
pub(super) fn ends_word(byte: u8) -> bool {
    matches!(
        byte,
        b' ' | b'\t' | b'\n' | b';' | b'&' | b'|' | b'<' | b'>' | b'(' | b')'
    )
}
