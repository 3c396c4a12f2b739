//! The lines of a file that a finding shows: never the whole file, safe to print, with the spans moved along.

use std::ops::Range;
use std::sync::Arc;

use crate::source::{SourceFile, Span};

use super::escape;

/// Annotated lines that are further apart get windows of their own.
const GAP: usize = 12;

/// How many lines of a long span are shown.
const SPAN_LINES: usize = 12;

/// How many characters of a line are shown: minified JSON is one line of a megabyte.
const LINE_CHARACTERS: usize = 2_000;

/// One span of a window, and the index of its label.
pub(super) struct Mark {
    /// The bytes in [`Window::text`].
    pub(super) range: Range<usize>,
    /// Which of the given spans it is.
    pub(super) index: usize,
}

/// Neighbouring lines of one file.
pub(super) struct Window {
    /// The lines, ended by `\n`, with every character safe to show.
    pub(super) text: String,
    /// The number of the first line.
    pub(super) first_line: usize,
    /// The spans in it.
    pub(super) marks: Vec<Mark>,
}

/// The windows that show these spans, in the order of the first span in each.
pub(super) fn windows(file: &Arc<SourceFile>, spans: &[Span]) -> Vec<Window> {
    let mut placed: Vec<_> = spans
        .iter()
        .enumerate()
        .map(|(index, span)| {
            let span = clamp(file.text(), *span);
            let first = file.line_column(span.start).line;
            // A span that ends with a line break ends on the line before it.
            let last_byte = span.end.saturating_sub(1).max(span.start);
            let last = file.line_column(last_byte).line.min(first + SPAN_LINES);
            (first, last, span, index)
        })
        .collect();
    placed.sort_by_key(|(first, last, _, index)| (*first, *last, *index));
    let mut groups: Vec<Vec<(usize, usize, Span, usize)>> = Vec::new();
    for mark in placed {
        match groups.last_mut() {
            Some(group) if group.iter().any(|(_, last, ..)| mark.0 <= last + GAP) => {
                group.push(mark);
            }
            _ => groups.push(vec![mark]),
        }
    }
    groups.sort_by_key(|group| group.iter().map(|(.., index)| *index).min());
    groups.iter().map(|group| window(file, group)).collect()
}

fn window(file: &SourceFile, marks: &[(usize, usize, Span, usize)]) -> Window {
    let first_line = marks.iter().map(|mark| mark.0).min().unwrap_or(1);
    let last_line = marks.iter().map(|mark| mark.1).max().unwrap_or(first_line);
    let mut text = String::new();
    let mut starts = Vec::new();
    for line in first_line..=last_line {
        starts.push(text.len());
        text.extend(
            file.slice(file.line_span(line))
                .chars()
                .take(LINE_CHARACTERS)
                .map(escape::in_place),
        );
        text.push('\n');
    }
    let moved = |line: usize, offset: usize| {
        let line_start = starts[line - first_line];
        let line_end = starts
            .get(line - first_line + 1)
            .map_or(text.len(), |next| *next)
            - 1;
        let source = file.line_span(line);
        let before: usize = file
            .slice(Span::new(
                source.start,
                offset.clamp(source.start, source.end),
            ))
            .chars()
            .map(|character| escape::in_place(character).len_utf8())
            .sum();
        (line_start + before).min(line_end)
    };
    let marks = marks
        .iter()
        .map(|(first, last, span, index)| Mark {
            range: moved(*first, span.start)..moved(*last, span.end),
            index: *index,
        })
        .collect();
    Window {
        text,
        first_line,
        marks,
    }
}

/// The span within the text and on character boundaries.
fn clamp(text: &str, span: Span) -> Span {
    let start = text.floor_char_boundary(span.start);
    let end = text.ceil_char_boundary(span.end.max(span.start));
    Span::new(start, end.max(start))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(text: &str, spans: &[Span]) -> Vec<(usize, String, Vec<String>)> {
        let file = Arc::new(SourceFile::from_text("a", text));
        windows(&file, spans)
            .into_iter()
            .map(|window| {
                let marks = window
                    .marks
                    .iter()
                    .map(|mark| window.text[mark.range.clone()].to_owned())
                    .collect();
                (window.first_line, window.text, marks)
            })
            .collect()
    }

    #[test]
    fn spans_move_with_their_text() {
        assert_eq!(
            shown("a\r\n\u{1b}é: x\u{202e}y\r\nz", &[Span::new(6, 12)]),
            [(
                2,
                "\u{241b}é: x\u{fffd}y\n".to_owned(),
                vec![": x\u{fffd}".to_owned()]
            )]
        );
    }

    #[test]
    fn spans_outside_the_text_or_inside_a_character_are_moved_into_it() {
        for (start, end) in [(0, 999), (900, 901), (1, 2), (3, 1), (2, 2)] {
            let windows = shown("é漢", &[Span::new(start, end)]);
            assert_eq!(windows.len(), 1);
        }
        assert_eq!(shown("", &[Span::at(0)])[0].1, "\n");
    }

    #[test]
    fn far_lines_have_windows_of_their_own() {
        let text = "a: 1\n".repeat(100);
        let windows = shown(
            &text,
            &[Span::new(450, 451), Span::new(0, 1), Span::new(10, 11)],
        );
        let lines: Vec<_> = windows.iter().map(|(first, ..)| *first).collect();
        assert_eq!(lines, [91, 1]);
        assert_eq!(shown(&text, &[Span::new(0, 500)])[0].1.lines().count(), 13);
    }

    #[test]
    fn long_lines_are_cut() {
        let text = "é".repeat(1_000_000);
        let windows = shown(&text, &[Span::new(0, 4), Span::new(1_000_000, 1_000_002)]);
        assert!(windows[0].1.len() < 5_000);
    }
}
