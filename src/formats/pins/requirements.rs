//! `requirements.txt`, as pip reads it.

use crate::source::{SourceFile, Span};

use super::Said;
use super::requirement::versions_of;

/// What a requirements file says about a package. Options (`-r`, `-e`, `--index-url`) and URLs say nothing.
pub(super) fn pins(file: &SourceFile, package: &str) -> Vec<Said> {
    let lines = joined_lines(file).into_iter();
    lines
        .filter_map(|line| {
            let content = without_comment(&line.text);
            let requirement = content.trim_start();
            let indentation = content.len() - requirement.len();
            let found = versions_of(package, without_options(requirement))?;
            let start = line.start + indentation;
            let end = (start + found.length).min(line.end);
            Some(Said {
                specifiers: found.specifiers,
                span: Span::new(start, end.max(start)),
            })
        })
        .collect()
}

/// A line, with those that it is continued on.
#[derive(Default)]
struct Line {
    text: String,
    /// Where the first of them starts, and ends.
    start: usize,
    end: usize,
}

/// Lines that end in `\` go on in the next one, comments do not (pip 25, `req/req_file.py:join_lines`).
fn joined_lines(file: &SourceFile) -> Vec<Line> {
    let mut lines = Vec::new();
    let mut open: Option<Line> = None;
    for number in 1..=file.line_count() {
        let span = file.line_span(number);
        let mut text = file.slice(span);
        if number == 1 {
            text = text.strip_prefix('\u{feff}').unwrap_or(text);
        }
        let start = span.end - text.len();
        let is_comment = text.trim_start().starts_with('#');
        let continued = text.strip_suffix('\\').filter(|_| !is_comment);
        let line = open.get_or_insert_with(|| Line {
            start,
            end: start + continued.unwrap_or(text).trim_end().len(),
            ..Line::default()
        });
        if is_comment {
            line.text.push(' ');
        }
        line.text.push_str(continued.unwrap_or(text));
        if continued.is_none() {
            lines.extend(open.take());
        }
    }
    lines.extend(open);
    lines
}

/// A `#` begins a comment at the start of a line and after a blank.
fn without_comment(line: &str) -> &str {
    before_word(line, "#")
}

/// `--hash=…` and the like come after the requirement.
fn without_options(requirement: &str) -> &str {
    before_word(requirement, "-")
}

/// What stands before the first word that begins with `mark`.
fn before_word<'text>(text: &'text str, mark: &str) -> &'text str {
    let begins_word = |offset: &usize| {
        let before = text[..*offset].chars().next_back();
        before.is_none_or(char::is_whitespace)
    };
    let mut marks = text.match_indices(mark).map(|(offset, _)| offset);
    marks
        .find(begins_word)
        .map_or(text, |offset| &text[..offset])
}
