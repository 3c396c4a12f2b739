//! A file's text with its line index.

use super::{ReadError, Span};

/// A place as people count: lines and columns start at 1, columns count Unicode scalar values unless said otherwise.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct LineColumn {
    /// Line, from 1.
    pub line: usize,
    /// Column, from 1.
    pub column: usize,
}

/// The text of one file, decoded as UTF-8, and where its lines start.
#[derive(Clone, Debug)]
pub struct SourceFile {
    /// The path as it is shown: relative to the current directory where that is possible, with `/`.
    pub path: String,
    text: String,
    /// Whether it is a part of the file at `path`, such as a here-document, with blanks for all around it.
    is_part: bool,
    /// Offset of the first byte of each line. Lines end at `\n`, `\r\n` or `\r`.
    line_starts: Vec<usize>,
}

impl SourceFile {
    /// Takes the bytes of a file as accelerate opens it: `open(file, encoding="utf-8")`.
    ///
    /// # Errors
    /// `UnicodeDecodeError` where the bytes are not UTF-8 (UTF-16 and latin-1 included).
    pub fn new(path: impl Into<String>, bytes: Vec<u8>) -> Result<Self, ReadError> {
        let text = String::from_utf8(bytes).map_err(|error| {
            let at = error.utf8_error().valid_up_to();
            ReadError {
                exception: "UnicodeDecodeError",
                message: format!(
                    "byte {at} is not UTF-8; accelerate opens its config with encoding=\"utf-8\""
                ),
                span: None,
            }
        })?;
        Ok(Self::from_text(path, text))
    }

    /// Takes text that is already decoded.
    pub fn from_text(path: impl Into<String>, text: impl Into<String>) -> Self {
        let text = text.into();
        let bytes = text.as_bytes();
        let mut line_starts = vec![0];
        for (offset, byte) in bytes.iter().enumerate() {
            let ends_line =
                *byte == b'\n' || (*byte == b'\r' && bytes.get(offset + 1) != Some(&b'\n'));
            if ends_line {
                line_starts.push(offset + 1);
            }
        }
        Self {
            path: path.into(),
            is_part: false,
            text,
            line_starts,
        }
    }

    /// Takes a part of the file at `path`: its text with blanks for all that is not of the part.
    pub fn part(path: impl Into<String>, blanked: impl Into<String>) -> Self {
        Self {
            is_part: true,
            ..Self::from_text(path, blanked)
        }
    }

    /// Whether the file still holds what was read: this text, or around a part of it anything.
    pub fn is_still(&self, text: &str) -> bool {
        let mut bytes = text.bytes().zip(self.text.bytes());
        match self.is_part {
            true => {
                text.len() == self.text.len()
                    && bytes.all(|(now, read)| read == now || read == b' ')
            }
            false => text == self.text,
        }
    }

    /// The whole text.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The text in a span; empty where the span does not fit.
    pub fn slice(&self, span: Span) -> &str {
        self.text.get(span.start..span.end).unwrap_or("")
    }

    /// Line and column of a byte offset. Offsets past the end give the end.
    pub fn line_column(&self, offset: usize) -> LineColumn {
        let offset = offset.min(self.text.len());
        let line = self.line_starts.partition_point(|start| *start <= offset);
        let start = self.line_starts[line - 1];
        let column = self
            .text
            .get(start..offset)
            .map_or(0, |before| before.chars().count())
            + 1;
        LineColumn { line, column }
    }

    /// Line and column of a byte offset, the column in bytes of UTF-8.
    pub fn line_byte_column(&self, offset: usize) -> LineColumn {
        let offset = offset.min(self.text.len());
        let line = self.line_starts.partition_point(|start| *start <= offset);
        let column = offset - self.line_starts[line - 1] + 1;
        LineColumn { line, column }
    }

    /// How the lines end: as the first one does.
    pub fn line_end(&self) -> &'static str {
        match self.text.find(['\n', '\r']) {
            Some(at) if self.text[at..].starts_with("\r\n") => "\r\n",
            Some(at) if self.text[at..].starts_with('\r') => "\r",
            _ => "\n",
        }
    }

    /// How many lines there are.
    pub fn line_count(&self) -> usize {
        self.line_starts.len()
    }

    /// The span of a line (from 1), its line ending left out. Lines that do not exist give an empty span at the end.
    pub fn line_span(&self, line: usize) -> Span {
        let Some(start) = line
            .checked_sub(1)
            .and_then(|index| self.line_starts.get(index))
        else {
            return Span::at(self.text.len());
        };
        let end = self
            .line_starts
            .get(line)
            .copied()
            .unwrap_or(self.text.len());
        let content = self
            .text
            .get(*start..end)
            .unwrap_or("")
            .trim_end_matches(['\n', '\r']);
        Span::new(*start, *start + content.len())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_end_at_lf_crlf_and_cr() {
        let file = SourceFile::from_text("a", "é: 1\r\nb\rc\n");
        assert_eq!(file.line_count(), 4);
        assert_eq!(file.line_column(2), LineColumn { line: 1, column: 2 });
        assert_eq!(file.slice(file.line_span(2)), "b");
        assert_eq!(file.slice(file.line_span(3)), "c");
        assert_eq!(file.line_column(1000), LineColumn { line: 4, column: 1 });
        assert!(file.line_span(9).is_empty());
    }

    #[test]
    fn bytes_that_are_not_utf8_are_refused_as_python_refuses_them() {
        let error = SourceFile::new("a", vec![b'a', 0xe9]).unwrap_err();
        assert_eq!(error.exception, "UnicodeDecodeError");
    }
}
