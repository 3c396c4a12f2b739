//! A text with the place of each of its bytes in the file.

use std::ops::Range;

use crate::source::Span;

/// A text with the place of each of its bytes in the file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in super::super) struct MappedText {
    /// The text, as the shell gets it.
    pub(in super::super) text: String,
    /// Offset in `text` and offset in the file, of each piece that stands in both alike; ascending, the first one at 0.
    /// A byte that stands for other bytes of the file (an escape, a variable) has two pieces of its own: first the last
    /// byte of what is written there, then the first one.
    pub(in super::super) pieces: Vec<(usize, usize)>,
}

impl MappedText {
    /// A text that stands in the file as it is, from this offset on.
    pub(in super::super) fn verbatim(text: impl Into<String>, start: usize) -> Self {
        Self {
            text: text.into(),
            pieces: vec![(0, start)],
        }
    }

    /// The bytes of the file that these bytes of the text come from.
    pub(in super::super) fn in_file(&self, span: Span) -> Span {
        let start = self.offset_in_file(span.start);
        // The end is that of the last byte: the byte after it may be of another piece.
        let end = match span.end.checked_sub(1) {
            Some(last) if span.end > span.start => self.end_in_file(last),
            _ => start,
        };
        Span::new(start, end.max(start))
    }

    /// A part of the text; empty where the range does not fit.
    pub(in super::super) fn slice(&self, range: Range<usize>) -> Self {
        let mut builder = Builder::new(self.offset_in_file(range.start));
        builder.part(self, range);
        builder.finish()
    }

    fn offset_in_file(&self, offset: usize) -> usize {
        let next = self.pieces.partition_point(|(text, _)| *text <= offset);
        next.checked_sub(1).map_or(offset, |piece| {
            let (text, file) = self.pieces[piece];
            file + (offset - text)
        })
    }

    /// The offset in the file after this byte of the text.
    fn end_in_file(&self, last: usize) -> usize {
        let next = self.pieces.partition_point(|(text, _)| *text < last);
        match self.pieces.get(next) {
            Some((text, file)) if *text == last => file + 1,
            _ => self.offset_in_file(last) + 1,
        }
    }

    /// A text whose places are in this one, with its places in the file instead.
    pub(super) fn through(&self, inner: &Self) -> Self {
        let start = self.offset_in_file(inner.offset_in_file(0));
        let mut builder = Builder::new(start);
        let mut unit = [0; 4];
        for (at, c) in inner.text.char_indices() {
            let c = c.encode_utf8(&mut unit);
            let here = inner.in_file(Span::new(at, at + c.len()));
            if self.text.get(here.start..here.end) == Some(c) {
                builder.part(self, here.start..here.end);
            } else {
                builder.replaced(c, self.in_file(here));
            }
        }
        builder.finish()
    }

    /// The bytes of the file that the whole text comes from.
    pub(super) fn source(&self) -> Span {
        self.in_file(Span::new(0, self.text.len()))
    }
}

/// Puts a text together out of pieces of a file.
pub(super) struct Builder {
    text: String,
    pieces: Vec<(usize, usize)>,
}

impl Builder {
    /// An empty text, which stands at this offset.
    pub(super) fn new(start: usize) -> Self {
        Self {
            text: String::new(),
            pieces: vec![(0, start)],
        }
    }

    /// What has been put together so far.
    pub(super) fn text(&self) -> &str {
        &self.text
    }

    /// Adds text that stands in the file as it is.
    pub(super) fn verbatim(&mut self, text: &str, start: usize) {
        if text.is_empty() {
            return;
        }
        self.resume(start);
        self.text.push_str(text);
    }

    /// Adds text that stands for other bytes of the file.
    pub(super) fn replaced(&mut self, text: &str, source: Span) {
        if text.is_empty() {
            return;
        }
        if self
            .pieces
            .last()
            .is_some_and(|(at, _)| *at == self.text.len())
        {
            self.pieces.pop();
        }
        let at = self.text.len();
        // Of no bytes at all: the end is then the start.
        let last = source.end.max(source.start).saturating_sub(1);
        self.pieces
            .extend((at..at + text.len()).flat_map(|byte| [(byte, last), (byte, source.start)]));
        self.text.push_str(text);
        self.pieces.push((self.text.len(), source.end));
    }

    /// Adds a line feed for the end of a line, which is at this offset of the file.
    pub(super) fn line_feed(&mut self, file: &str, end: usize) {
        match file.as_bytes().get(end..) {
            Some([b'\n', ..]) => self.verbatim("\n", end),
            Some([b'\r', b'\n', ..]) => self.verbatim("\n", end + 1),
            _ => self.replaced("\n", Span::at(end)),
        }
    }

    /// Adds a part of another text of the same file.
    pub(super) fn part(&mut self, of: &MappedText, range: Range<usize>) {
        let Some(text) = of.text.get(range.clone()) else {
            return;
        };
        if text.is_empty() {
            return;
        }
        let first = of.pieces.partition_point(|(at, _)| *at < range.start);
        let at = self.text.len();
        if of
            .pieces
            .get(first)
            .is_some_and(|piece| piece.0 == range.start)
        {
            if self.pieces.last().is_some_and(|(last, _)| *last == at) {
                self.pieces.pop();
            }
        } else {
            self.resume(of.offset_in_file(range.start));
        }
        let copied = of.pieces[first..]
            .iter()
            .take_while(|piece| piece.0 < range.end)
            .map(|(text, file)| (text - range.start + at, *file));
        self.pieces.extend(copied);
        self.text.push_str(text);
        let end = of.end_in_file(range.end - 1);
        // Not needed where the last piece goes on so by itself, which one for a replaced byte never does by intent.
        let is_replaced = of.pieces.partition_point(|piece| piece.0 < range.end - 1);
        if of
            .pieces
            .get(is_replaced)
            .is_some_and(|piece| piece.0 == range.end - 1)
        {
            self.pieces.push((self.text.len(), end));
        }
    }

    /// Adds another text of the same file.
    pub(super) fn whole(&mut self, of: &MappedText) {
        self.part(of, 0..of.text.len());
    }

    pub(super) fn finish(self) -> MappedText {
        MappedText {
            text: self.text,
            pieces: self.pieces,
        }
    }

    /// Makes the next byte stand for the one at this offset.
    fn resume(&mut self, file: usize) {
        let at = self.text.len();
        match self.pieces.last_mut() {
            Some(last) if last.0 == at => last.1 = file,
            Some(last) if last.1 + (at - last.0) == file => {}
            _ => self.pieces.push((at, file)),
        }
    }
}

/// A text of the file from this offset on, with line feeds only and without a byte order mark.
pub(super) fn with_line_feeds(text: &str, start: usize) -> MappedText {
    let mut builder = Builder::new(start);
    let mut at = start;
    for line in text.split_inclusive('\n') {
        let content = line.strip_suffix("\r\n").unwrap_or(line);
        let shown = content.strip_prefix('\u{feff}').filter(|_| at == 0);
        builder.verbatim(
            shown.unwrap_or(content),
            at + content.len() - shown.unwrap_or(content).len(),
        );
        if content.len() < line.len() {
            builder.verbatim("\n", at + line.len() - 1);
        }
        at += line.len();
    }
    builder.finish()
}

/// The lines of a text with their offsets, line endings left out.
pub(super) fn lines(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let mut at = 0;
    text.split_inclusive('\n').map(move |line| {
        let start = at;
        at += line.len();
        let line = line.strip_suffix('\n').unwrap_or(line);
        (start, line.strip_suffix('\r').unwrap_or(line))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_byte_that_stands_for_others_is_all_of_them() {
        // `a $(N) b` with N = 8
        let mut builder = Builder::new(10);
        builder.verbatim("a ", 10);
        builder.replaced("8", Span::new(12, 16));
        builder.verbatim(" b", 16);
        let text = builder.finish();
        assert_eq!(text.text, "a 8 b");
        let cases = [
            ((0, 1), (10, 11)),
            ((2, 3), (12, 16)),
            ((0, 3), (10, 16)),
            ((2, 5), (12, 18)),
            ((3, 3), (16, 16)),
            ((5, 5), (18, 18)),
        ];
        for (span, file) in cases {
            assert_eq!(
                text.in_file(Span::new(span.0, span.1)),
                Span::new(file.0, file.1)
            );
        }
        let part = text.slice(1..4);
        assert_eq!(part.text, " 8 ");
        assert_eq!(part.source(), Span::new(11, 17));
        assert_eq!(part.in_file(Span::new(1, 2)), Span::new(12, 16));
        assert_eq!(text.slice(2..3).in_file(Span::new(1, 1)), Span::new(16, 16));
    }

    #[test]
    fn line_feeds_and_byte_order_mark() {
        let text = with_line_feeds("\u{feff}a\r\nb\nc\r\n", 0);
        assert_eq!(text.text, "a\nb\nc\n");
        assert_eq!(text.in_file(Span::new(0, 1)), Span::new(3, 4));
        assert_eq!(text.in_file(Span::new(1, 2)), Span::new(5, 6));
        assert_eq!(text.in_file(Span::new(4, 5)), Span::new(8, 9));
    }
}
