//! What PyYAML refuses and granit takes: a check of every byte that lies between two tokens.

use super::super::{ReadError, Span, Style};

/// The text between tokens, read once from front to back.
pub(super) struct Gaps<'text> {
    text: &'text str,
    /// End of the last token.
    cursor: usize,
    /// Open `[` and `{`.
    flow_level: usize,
    /// Whether a document has begun: by `---` or by a token.
    begun: bool,
}

/// Where a scalar stands.
pub(super) struct Place {
    /// Its bytes. A block scalar's begin at its `|` or `>` and end with its last line that is not blank.
    pub(super) span: Span,
    /// Whether nothing is written.
    pub(super) empty: bool,
    /// Whether a `?` stands before it.
    pub(super) explicit_key: bool,
    /// Whether a byte order mark that granit passed over belongs to it: PyYAML skips one at offset 0 only.
    pub(super) byte_order_mark: bool,
}

impl<'text> Gaps<'text> {
    pub(super) fn new(text: &'text str) -> Self {
        Self {
            text,
            cursor: 0,
            flow_level: 0,
            begun: false,
        }
    }

    /// End of the last token.
    pub(super) fn cursor(&self) -> usize {
        self.cursor
    }

    /// Checks the rest of the text.
    pub(super) fn finish(&mut self) -> Result<(), ReadError> {
        self.gap_to(self.text.len()).map(|_| ())
    }

    /// Passes a token, which has bytes.
    pub(super) fn token(&mut self, span: Span) -> Result<(), ReadError> {
        self.gap_to(span.start)?;
        self.cursor = self.cursor.max(span.end);
        match self.text.as_bytes().get(span.start) {
            Some(b'[' | b'{') => self.flow_level += 1,
            Some(b']' | b'}') => self.flow_level = self.flow_level.saturating_sub(1),
            _ => {}
        }
        Ok(())
    }

    /// Passes a scalar and says where it really stands.
    pub(super) fn scalar(
        &mut self,
        span: Span,
        style: Style,
        properties: bool,
    ) -> Result<Place, ReadError> {
        if style == Style::BlockScalar {
            return self.block_scalar(span);
        }
        let mut place = Place {
            span,
            empty: style == Style::Plain && span.is_empty(),
            explicit_key: false,
            byte_order_mark: false,
        };
        if place.empty {
            let gap = self.text.get(self.cursor..span.start).unwrap_or_default();
            place.explicit_key = gap.contains('?');
            // granit names the `:` itself; the value would be written after it.
            if !properties && self.text[span.start..].starts_with(':') && !place.explicit_key {
                place.span = Span::at(span.start + 1);
            }
            return Ok(place);
        }
        if style == Style::Plain {
            if self.text[..span.start].ends_with('\u{feff}') && span.start > '\u{feff}'.len_utf8() {
                place.span.start -= '\u{feff}'.len_utf8();
                place.byte_order_mark = true;
            }
            self.plain(place.span)?;
        }
        self.gap_to(place.span.start)?;
        self.cursor = span.end;
        Ok(place)
    }

    fn plain(&self, span: Span) -> Result<(), ReadError> {
        let text = &self.text[span.start..span.end];
        if let Some(tab) = text.find('\t') {
            return Err(tab_error(span.start + tab));
        }
        if text.starts_with(['%', '@', '`']) {
            return Err(cannot_start(text, span.start));
        }
        if self.flow_level > 0 {
            if let Some(mark) = text.find('?') {
                return Err(ReadError::new(
                    "ParserError",
                    "'?' in a plain scalar inside [] or {} begins a key for PyYAML",
                    Span::new(span.start + mark, span.start + mark + 1),
                ));
            }
            if text.starts_with(':') {
                return Err(ReadError::new(
                    "ParserError",
                    "expected the node content, but found ':'",
                    Span::new(span.start, span.start + 1),
                ));
            }
        }
        Ok(())
    }

    /// A block scalar: granit gives its content only.
    fn block_scalar(&mut self, content: Span) -> Result<Place, ReadError> {
        let header = self.find_in_gap(content.start, |byte| matches!(byte, b'|' | b'>'));
        let start = header.unwrap_or(content.start);
        self.gap_to(start)?;
        let header_end = self.line_end(start).min(content.start.max(start));
        let header = &self.text[start..header_end];
        let header = header.split_once(" #").map_or(header, |(before, _)| before);
        if let Some(tab) = header.find('\t') {
            return Err(tab_error(start + tab));
        }
        let after = header.trim_start_matches(|c: char| "|>+-".contains(c) || c.is_ascii_digit());
        if !after.is_empty() && !after.starts_with(' ') {
            let message = "expected chomping or indentation indicators";
            let span = Span::new(start, start + header.len());
            return Err(ReadError::new("ScannerError", message, span));
        }
        if self.text[..content.start].ends_with(['\n', '\r']) && content.start < content.end {
            let first = self.text[content.start..content.end].trim_start_matches(['\n', '\r']);
            if !first.is_empty()
                && !first.starts_with(' ')
                && first.len() == content.end - content.start
            {
                return Err(ReadError::new(
                    "ParserError",
                    "expected '<document start>': a block scalar's lines must be indented",
                    Span::at(content.start),
                ));
            }
        }
        self.cursor = content.end.max(header_end);
        let written = self.text[..content.end].trim_end_matches([' ', '\n', '\r']);
        let header = start + header.trim_end().len();
        Ok(Place {
            span: Span::new(start, written.len().max(header)),
            empty: false,
            explicit_key: false,
            byte_order_mark: false,
        })
    }

    /// Passes the start of a collection; its offset.
    pub(super) fn collection_start(
        &mut self,
        span: Span,
        style: Style,
        mapping: bool,
    ) -> Result<usize, ReadError> {
        if style == Style::Flow {
            // `[a: b]` opens a mapping at its key, without a brace.
            if !mapping || self.text[span.start..].starts_with('{') {
                self.token(span)?;
            }
            return Ok(span.start);
        }
        if mapping || self.text[span.start..].starts_with('-') {
            return Ok(span.start);
        }
        // A sequence that is indented no deeper than its key: granit gives a place after the dash.
        let dash = self.find_in_gap(span.start, |byte| byte == b'-');
        Ok(dash.unwrap_or(span.start))
    }

    /// The first indicator of a kind after the last token, comments and properties passed over.
    fn find_in_gap(&self, end: usize, wanted: impl Fn(u8) -> bool) -> Option<usize> {
        let mut at = self.cursor;
        while at < end {
            match self.text.as_bytes()[at] {
                byte if wanted(byte) => return Some(at),
                b'#' => at = self.line_end(at),
                b'&' | b'!' => at = self.word_end(at),
                _ => at += 1,
            }
        }
        None
    }

    /// The name after `&` or `*`, as PyYAML reads it.
    pub(super) fn name(&self, span: Span) -> Result<&'text str, ReadError> {
        let text = self.text.get(span.start + 1..).unwrap_or_default();
        let odd = |c: char| !(c.is_ascii_alphanumeric() || "-_".contains(c));
        let name = text.split(odd).next().unwrap_or_default();
        let after = text[name.len()..].chars().next();
        if name.is_empty() || after.is_some_and(|c| !" \t\r\n?:,]}%@`".contains(c)) {
            return Err(odd_name(span));
        }
        Ok(name)
    }

    /// Checks that granit reads the same name: to it `*a:` is called `a:`.
    pub(super) fn same_name(&self, span: Span, name: &str) -> Result<(), ReadError> {
        if span.start + 1 + name.len() == span.end {
            Ok(())
        } else {
            Err(odd_name(span))
        }
    }

    /// Checks a tag as written: PyYAML reads on to the next blank.
    pub(super) fn tag(&self, span: Span) -> Result<(), ReadError> {
        let after = self.text[span.end..].chars().next();
        match after {
            None | Some(' ' | '\n' | '\r') => Ok(()),
            Some(',' | '[' | ']') => Err(ReadError::new(
                "ConstructorError",
                "could not determine a constructor for the tag",
                Span::new(span.start, span.end + 1),
            )),
            Some(other) => Err(ReadError::new(
                "ScannerError",
                format!("expected ' ' after a tag, but found {other:?}"),
                Span::at(span.end),
            )),
        }
    }

    /// Checks what lies between the last token and `end`.
    fn gap_to(&mut self, end: usize) -> Result<(), ReadError> {
        let start = self.cursor;
        if end < start {
            return Ok(());
        }
        let bytes = self.text.as_bytes();
        let mut at = start;
        while at < end {
            let line_start = at == 0 || matches!(bytes[at - 1], b'\n' | b'\r');
            match bytes[at] {
                b'.' if line_start && !self.begun => {
                    let message = "expected a document, but found '...'";
                    return Err(ReadError::new("ParserError", message, Span::at(at)));
                }
                b'-' if line_start => {
                    self.begun = true;
                    at += 1;
                }
                b'\t' => return Err(tab_error(at)),
                b'#' => at = self.line_end(at),
                b'&' | b'*' | b'!' => at = self.word_end(at),
                b'%' if line_start => {
                    self.directive(at)?;
                    at = self.line_end(at);
                }
                _ => at += 1,
            }
        }
        self.cursor = end;
        self.begun |= end < self.text.len();
        Ok(())
    }

    /// Checks a `%` line.
    fn directive(&self, start: usize) -> Result<(), ReadError> {
        let line = &self.text[start..self.line_end(start)];
        let odd = |c: char| !(c.is_ascii_alphanumeric() || "-_".contains(c));
        let name = line[1..].split(odd).next().unwrap_or_default();
        if name.is_empty() || !matches!(line[1 + name.len()..].bytes().next(), None | Some(b' ')) {
            let message = "expected ASCII letters, digits, '-' or '_' in the name of a directive";
            let span = Span::new(start, start + line.len());
            return Err(ReadError::new("ScannerError", message, span));
        }
        let Some(version) = line.strip_prefix("%YAML ") else {
            return match line.find('\t') {
                Some(tab) if line.starts_with("%TAG") || line.starts_with("%YAML") => {
                    Err(tab_error(start + tab))
                }
                _ => Ok(()),
            };
        };
        if let Some(tab) = version.split('#').next().unwrap_or_default().find('\t') {
            return Err(tab_error(start + "%YAML ".len() + tab));
        }
        let major = version.trim_start().split('.').next().unwrap_or_default();
        if major.trim_start_matches('0') == "1" {
            return Ok(());
        }
        Err(ReadError::new(
            "ParserError",
            "found incompatible YAML document (version 1.* is required)",
            Span::new(start, start + line.len()),
        ))
    }

    fn line_end(&self, start: usize) -> usize {
        let rest = &self.text.as_bytes()[start..];
        let length = rest.iter().position(|byte| matches!(byte, b'\n' | b'\r'));
        start + length.unwrap_or(rest.len())
    }

    fn word_end(&self, start: usize) -> usize {
        let rest = &self.text.as_bytes()[start..];
        let length = rest
            .iter()
            .position(|byte| matches!(byte, b' ' | b'\t' | b'\n' | b'\r'));
        start + length.unwrap_or(rest.len())
    }
}

fn odd_name(span: Span) -> ReadError {
    let message = "expected ASCII letters, digits, '-' or '_' in the name of an anchor or alias";
    ReadError::new("ScannerError", message, span)
}

fn tab_error(offset: usize) -> ReadError {
    ReadError::new(
        "ScannerError",
        "found character '\\t' that cannot start any token",
        Span::new(offset, offset + 1),
    )
}

fn cannot_start(text: &str, offset: usize) -> ReadError {
    let character = text.chars().next().unwrap_or_default();
    ReadError::new(
        "ScannerError",
        format!("found character {character:?} that cannot start any token"),
        Span::new(offset, offset + character.len_utf8()),
    )
}
