//! Words: quotes, escapes, and where a word ends.

use super::cursor::{Reader, ends_word};
use super::{Part, PartKind, Word};
use crate::source::Span;

/// What surrounds the text that is read, and so what ends it and what is special in it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Mode {
    /// A word of a command.
    Plain,
    /// `"…"`.
    Double,
    /// `${NAME:-…}`.
    Brace,
    /// The same in double quotes, where `'` is no quote.
    DoubleBrace,
    /// The body of a here-document, where `"` is no quote either.
    Body,
}

impl Mode {
    pub(super) fn is_quoted(self) -> bool {
        matches!(self, Self::Double | Self::DoubleBrace | Self::Body)
    }

    fn is_special(self, byte: u8) -> bool {
        match byte {
            b'\\' | b'$' | b'`' => true,
            b'"' => self != Self::Body,
            b'\'' => !self.is_quoted(),
            b'}' => matches!(self, Self::Brace | Self::DoubleBrace),
            _ => self == Self::Plain && ends_word(byte),
        }
    }
}

impl Reader<'_> {
    /// The word that begins here, if one does.
    pub(super) fn word(&mut self) -> Option<Word> {
        let word = self.word_in(Mode::Plain);
        (!word.span.is_empty()).then_some(word)
    }

    /// The word that begins here, or none.
    pub(super) fn word_or_missing(&mut self) -> Word {
        let at = self.at;
        self.word().unwrap_or(Word::missing(at))
    }

    /// The word from here to where its surroundings end it, without their closing sign.
    pub(super) fn word_in(&mut self, mode: Mode) -> Word {
        let start = self.at;
        let mut parts = Vec::new();
        self.parts(mode, &mut parts);
        Word {
            parts,
            span: Span::new(start, self.at),
        }
    }

    fn parts(&mut self, mode: Mode, parts: &mut Vec<Part>) {
        let is_quoted = mode.is_quoted();
        loop {
            let start = self.at;
            while self.at < self.end
                && !mode.is_special(self.bytes[self.at])
                && (mode != Mode::Plain || self.line_break(0) == 0)
            {
                self.at += 1;
            }
            self.text_part(Span::new(start, self.at), is_quoted, parts);
            let Some(byte) = self.byte(0) else { return };
            match byte {
                b'\\' => self.escape(mode, parts),
                b'\'' if !is_quoted => self.single_quotes(parts),
                b'"' if mode == Mode::Double => return,
                b'"' => self.double_quotes(parts),
                b'$' => self.dollar(mode, parts),
                b'`' => self.backticks(is_quoted, parts),
                b'<' | b'>' if mode == Mode::Plain && self.byte(1) == Some(b'(') => {
                    let start = self.at;
                    self.at += 1;
                    let list = self.parenthesised();
                    parts.push(Part {
                        kind: PartKind::Process(list),
                        span: Span::new(start, self.at),
                        is_quoted,
                    });
                }
                _ => return,
            }
        }
    }

    fn text_part(&mut self, span: Span, is_quoted: bool, parts: &mut Vec<Part>) {
        if !span.is_empty() {
            parts.push(Part {
                kind: PartKind::Text(self.slice(span).to_owned()),
                span,
                is_quoted,
            });
        }
    }

    fn escape(&mut self, mode: Mode, parts: &mut Vec<Part>) {
        if self.continuation() {
            return;
        }
        let escapes = match (self.byte(1), mode) {
            (None, _) => false,
            (Some(_), Mode::Plain | Mode::Brace) => true,
            (Some(b'$' | b'`' | b'\\'), _) => true,
            (Some(b'"'), Mode::Double | Mode::DoubleBrace) => true,
            (Some(byte), _) => mode == Mode::DoubleBrace && byte == b'}',
        };
        let start = self.at + usize::from(escapes);
        self.at = start;
        self.step();
        // An escaped character is as good as quoted.
        self.text_part(Span::new(start, self.at), true, parts);
    }

    fn single_quotes(&mut self, parts: &mut Vec<Part>) {
        let start = self.at + 1;
        let length = self.bytes[start..self.end]
            .iter()
            .position(|byte| *byte == b'\'')
            .unwrap_or(self.end - start);
        let span = Span::new(start, start + length);
        self.at = (span.end + 1).min(self.end);
        parts.push(Part {
            kind: PartKind::Text(self.slice(span).to_owned()),
            span,
            is_quoted: true,
        });
    }

    /// `"…"`, from its opening quote on.
    pub(super) fn double_quotes(&mut self, parts: &mut Vec<Part>) {
        self.at += 1;
        let before = parts.len();
        let start = self.at;
        self.parts(Mode::Double, parts);
        if parts.len() == before {
            parts.push(Part {
                kind: PartKind::Text(String::new()),
                span: Span::at(start),
                is_quoted: true,
            });
        }
        self.take("\"");
    }

    /// `$'…'`, from its quote on.
    pub(super) fn ansi_quotes(&mut self, parts: &mut Vec<Part>) {
        self.at += 1;
        let before = parts.len();
        let first = self.at;
        loop {
            let start = self.at;
            while self.at < self.end && !matches!(self.bytes[self.at], b'\'' | b'\\') {
                self.at += 1;
            }
            self.text_part(Span::new(start, self.at), true, parts);
            if self.byte(0) != Some(b'\\') {
                break;
            }
            let start = self.at;
            let text = self.ansi_escape();
            parts.push(Part {
                kind: PartKind::Text(text),
                span: Span::new(start, self.at),
                is_quoted: true,
            });
        }
        if parts.len() == before {
            parts.push(Part {
                kind: PartKind::Text(String::new()),
                span: Span::at(first),
                is_quoted: true,
            });
        }
        self.take("'");
    }

    fn ansi_escape(&mut self) -> String {
        self.at += 1;
        let start = self.at;
        self.step();
        let named = match self.slice(Span::new(start, self.at)) {
            "n" => "\n",
            "t" => "\t",
            "r" => "\r",
            "a" => "\u{7}",
            "b" => "\u{8}",
            "e" | "E" => "\u{1b}",
            "f" => "\u{c}",
            "v" => "\u{b}",
            quoted @ ("\\" | "'" | "\"" | "?") => quoted,
            "x" => return self.code(16, 2, start),
            "u" => return self.code(16, 4, start),
            "U" => return self.code(16, 8, start),
            "0" | "1" | "2" | "3" | "4" | "5" | "6" | "7" => {
                self.at = start;
                return self.code(8, 3, start);
            }
            other => return format!("\\{other}"),
        };
        named.to_owned()
    }

    /// The character of a number of at most so many digits.
    fn code(&mut self, radix: u32, most: usize, escape: usize) -> String {
        let start = self.at;
        while self.at - start < most
            && self
                .byte(0)
                .is_some_and(|byte| char::from(byte).is_digit(radix))
        {
            self.at += 1;
        }
        u32::from_str_radix(self.slice(Span::new(start, self.at)), radix)
            .ok()
            .and_then(char::from_u32)
            .map_or_else(
                || format!("\\{}", self.slice(Span::new(escape, self.at))),
                String::from,
            )
    }

    fn backticks(&mut self, is_quoted: bool, parts: &mut Vec<Part>) {
        let start = self.at;
        self.at += 1;
        let mut close = self.at;
        while close < self.end && self.bytes[close] != b'`' {
            close += 1 + usize::from(self.bytes[close] == b'\\');
        }
        let close = close.min(self.end);
        // After an escape of several bytes the last one is no boundary; only the text's end can be met so.
        let end = std::mem::replace(&mut self.end, close);
        let open = std::mem::take(&mut self.open);
        let list = self.nested(Self::list).unwrap_or_default();
        self.open = open;
        self.end = end;
        self.at = (close + 1).min(end);
        parts.push(Part {
            kind: PartKind::Command(list),
            span: Span::new(start, self.at),
            is_quoted,
        });
    }
}
