//! `requirements.txt`, as pip reads it.

use std::collections::{BTreeSet, VecDeque};
use std::sync::Arc;

use crate::source::{SourceFile, Span};

use super::super::paths::cleaned;
use super::{Beside, Pin, Said, requirement};

/// How many files one requirements file may include, itself among them.
const FILES: usize = 32;

/// What a requirements file says, with all that it includes.
pub(super) fn pins(
    name: &str,
    file: &Arc<SourceFile>,
    is_constraint: bool,
    beside: &dyn Beside,
) -> Vec<Pin> {
    let mut reading = Reading::new(name, beside);
    reading.file(name, file, is_constraint);
    reading.finish()
}

/// A file and those that it includes, each of them read once.
pub(super) struct Reading<'a> {
    beside: &'a dyn Beside,
    seen: BTreeSet<String>,
    /// What is still to be read, and whether it only constrains.
    waiting: VecDeque<(String, bool)>,
    pins: Vec<Pin>,
}

impl<'a> Reading<'a> {
    /// Begins with the file of this name.
    pub(super) fn new(name: &str, beside: &'a dyn Beside) -> Self {
        Self {
            beside,
            seen: BTreeSet::from([name.to_owned()]),
            waiting: VecDeque::new(),
            pins: Vec::new(),
        }
    }

    /// Everything, once what is included has been read.
    pub(super) fn finish(mut self) -> Vec<Pin> {
        while let Some((name, is_constraint)) = self.waiting.pop_front() {
            if let Some(file) = self.beside.read(&name) {
                self.file(&name, &file, is_constraint);
            }
        }
        self.pins
    }

    fn file(&mut self, name: &str, file: &Arc<SourceFile>, is_constraint: bool) {
        for line in joined_lines(file) {
            let content = without_comment(&line.text);
            let requirement = content.trim_start();
            let start = line.start + (content.len() - requirement.len());
            // A requirement that only begins on a line that goes on is shown by that line.
            let start = if start < line.end { start } else { line.start };
            let span = |length: usize| {
                let end = (start + length).min(line.end);
                Span::new(start, end.max(start))
            };
            self.line(name, file, requirement, is_constraint, span);
        }
    }

    /// A line of the file of this name: a requirement, or an option.
    pub(super) fn line(
        &mut self,
        name: &str,
        file: &Arc<SourceFile>,
        line: &str,
        is_constraint: bool,
        span: impl Fn(usize) -> Span,
    ) {
        if let Some(included) = option(line, "-r", "--requirement") {
            self.include(name, included, is_constraint);
        } else if let Some(included) = option(line, "-c", "--constraint") {
            self.include(name, included, true);
        } else {
            let line = option(line, "-e", "--editable").unwrap_or(line);
            let mut said: Vec<Said> = Vec::new();
            requirement::collect(without_options(line), span, &mut said);
            self.pins.extend(said.into_iter().map(|said| Pin {
                is_constraint,
                ..said.within(file)
            }));
        }
    }

    fn include(&mut self, from: &str, path: &str, is_constraint: bool) {
        if let Some(path) = beside(from, path)
            && self.seen.len() < FILES
            && self.seen.insert(path.clone())
        {
            self.waiting.push_back((path, is_constraint));
        }
    }
}

/// The value of an option: `-r FILE`, `-rFILE`, `--requirement FILE`, `--requirement=FILE`.
fn option<'text>(line: &'text str, short: &str, long: &str) -> Option<&'text str> {
    let value = match line.strip_prefix(long) {
        Some(rest) => rest
            .strip_prefix('=')
            .or_else(|| rest.starts_with(char::is_whitespace).then_some(rest))?,
        None => line.strip_prefix(short)?,
    };
    Some(value.trim())
}

/// The path of a file that another one includes, as seen from where that one is named. Nothing for addresses, for
/// absolute paths, and for names that are filled in.
fn beside(from: &str, path: &str) -> Option<String> {
    if path.is_empty() || path.starts_with('/') || path.contains("://") || path.contains("${") {
        return None;
    }
    let folder = from.rsplit_once('/').map(|(folder, _)| folder);
    let folder = folder.into_iter().flat_map(|folder| folder.split('/'));
    Some(cleaned(folder.chain(path.split('/'))))
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
        let content = continued.unwrap_or(text).trim_end();
        // A line of nothing but its `\` still is a place.
        let shown = if content.is_empty() { text } else { content };
        let line = open.get_or_insert_with(|| Line {
            start,
            end: start + shown.len(),
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
