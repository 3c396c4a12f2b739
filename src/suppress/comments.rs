//! Where the comments of a file stand, and which of them stand by a place.

use std::sync::Arc;

use crate::formats::launch::{self, Comments};
use crate::source::{Document, SourceFile, Span, Style, Syntax};

use super::directive::MARK;

/// A comment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Comment {
    /// Its bytes, from the `#` or `<!--`.
    pub(super) span: Span,
    /// The line on which it begins, from 1.
    pub(super) line: usize,
    /// Whether nothing else stands on its lines.
    pub(super) is_alone: bool,
    /// The line that one alone on its line is meant for: the next one that is no comment. A blank line ends it.
    pub(super) target: Option<usize>,
}

/// The lines of a file, and the comments that begin with the mark.
pub(super) struct Commented {
    pub(super) file: Arc<SourceFile>,
    pub(super) kind: Comments,
    /// Those comments in which the mark occurs.
    pub(super) comments: Vec<Comment>,
    /// What reaches over several lines and can hold no comment inside: first and last line; sorted, and
    /// none in another.
    blocks: Vec<(usize, usize)>,
    /// The first line that says something to anybody.
    pub(super) first_line: usize,
}

/// Where a comment may stand that is meant for a place.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Lines {
    /// On which lines it may begin the place, so that a comment above counts.
    pub(super) below: Vec<usize>,
    /// At the end of which lines it counts.
    pub(super) at: Vec<usize>,
}

impl Commented {
    /// Reads the comments of a file; `is_launch` where it holds launch commands.
    pub(super) fn of(file: &Arc<SourceFile>, is_launch: bool) -> Self {
        let is_yaml = [".yaml", ".yml"].iter().any(|end| file.path.ends_with(end));
        let kind = match is_launch {
            true => launch::comments(&file.path, file.text()),
            false if file.path.ends_with(".json") => Comments::None,
            false => Comments::Hash,
        };
        // Of a file that is no YAML at all the lines tell.
        let document = (kind == Comments::Hash && (is_yaml || !is_launch))
            .then(|| Syntax::Yaml.read(file.text()).ok())
            .flatten();
        let mut commented = Self {
            file: Arc::clone(file),
            kind,
            comments: Vec::new(),
            blocks: Vec::new(),
            first_line: 1,
        };
        match (&document, kind) {
            (_, Comments::None) => {}
            (_, Comments::Html) => commented.read_page(),
            // The text of a block scalar is a script here, with comments of its own.
            (Some(document), _) if !is_launch => commented.read_document(document),
            _ => commented.read_lines(),
        }
        if let Some(document) = &document {
            commented.read_blocks(document);
        }
        if kind != Comments::Html {
            commented.read_continuations();
        }
        commented.blocks = outermost(std::mem::take(&mut commented.blocks));
        commented.first_line = commented.first_line_of_content();
        commented.find_targets();
        commented
    }

    /// A line without its ending.
    pub(super) fn line(&self, line: usize) -> &str {
        self.file.slice(self.file.line_span(line))
    }

    /// What begins a comment.
    pub(super) fn opening(&self) -> &'static str {
        match self.kind {
            Comments::Html => "<!--",
            _ => "#",
        }
    }

    fn line_of(&self, offset: usize) -> usize {
        self.file.line_column(offset).line
    }

    /// Whether nothing but a comment stands on a line.
    pub(super) fn is_comment(&self, line: usize) -> bool {
        let text = self.line(line).trim_start_matches(['\u{feff}', ' ', '\t']);
        match self.kind {
            Comments::Hash | Comments::HashAlone => text.starts_with('#'),
            Comments::Html => text.starts_with("<!--") && text.trim_end().ends_with("-->"),
            Comments::None => false,
        }
    }

    fn push(&mut self, span: Span) {
        if !self.file.slice(span).contains(MARK) {
            return;
        }
        let line = self.line_of(span.start);
        let start = self.file.line_span(line).start;
        let end = self.file.line_span(self.line_of(span.end)).end;
        let is_blank = |start, end| {
            let text = self.file.slice(Span::new(start, end));
            text.trim_matches(['\u{feff}', ' ', '\t']).is_empty()
        };
        let is_alone = is_blank(start, span.start) && is_blank(span.end, end);
        if is_alone || self.kind != Comments::HashAlone {
            self.comments.push(Comment {
                span,
                line,
                is_alone,
                target: None,
            });
        }
    }

    fn read_document(&mut self, document: &Document) {
        for comment in &document.comments {
            self.push(comment.span);
        }
    }

    /// `#` at the start of a line or behind a blank, outside the quotes of that line.
    fn read_lines(&mut self) {
        for line in 1..=self.file.line_count() {
            let span = self.file.line_span(line);
            let text = self.file.slice(span);
            if text.contains(MARK)
                && let Some(at) = hash(text)
            {
                self.push(Span::new(span.start + at, span.end));
            }
        }
    }

    /// Comments of HTML outside fences; a fence is a block.
    fn read_page(&mut self) {
        let mut fence: Option<(usize, &str)> = None;
        let file = Arc::clone(&self.file);
        for line in 1..=file.line_count() {
            let span = file.line_span(line);
            let text = file.slice(span);
            let trimmed = text.trim_start();
            if let Some((start, mark)) = fence {
                if trimmed.starts_with(mark) {
                    self.blocks.push((start, line));
                    fence = None;
                }
                continue;
            }
            let opened = ["```", "~~~"]
                .into_iter()
                .find(|mark| trimmed.starts_with(mark));
            if let Some(mark) = opened {
                fence = Some((line, mark));
                continue;
            }
            let mut from = 0;
            while let Some(at) = text.get(from..).and_then(|rest| rest.find("<!--")) {
                let start = from + at;
                let Some(length) = text.get(start..).and_then(|rest| rest.find("-->")) else {
                    break;
                };
                from = start + length + "-->".len();
                self.push(Span::new(span.start + start, span.start + from));
            }
        }
        if let Some((start, _)) = fence {
            self.blocks.push((start, file.line_count()));
        }
    }

    /// Scalars over several lines, and flow collections.
    fn read_blocks(&mut self, document: &Document) {
        for node in &document.nodes {
            let is_literal = || self.file.slice(node.span).starts_with('|');
            let is_one = match node.style {
                Style::Block => false,
                Style::BlockScalar => !is_literal(),
                _ => true,
            };
            if is_one {
                let first = self.line_of(node.span.start);
                let last = self.line_of(node.span.end);
                if first < last {
                    self.blocks.push((first, last));
                }
            }
        }
    }

    /// Lines that end in `\`, with the line behind them.
    fn read_continuations(&mut self) {
        let mut start = None;
        for line in 1..=self.file.line_count() {
            // In a Dockerfile a comment may stand between the lines of an instruction.
            if self.kind == Comments::HashAlone && start.is_some() && self.is_comment(line) {
                continue;
            }
            let text = self.line(line);
            let is_continued = (text.len() - text.trim_end_matches('\\').len()) % 2 == 1
                && !text.trim_start().starts_with('#');
            match (start, is_continued) {
                (None, true) => start = Some(line),
                (Some(first), false) => {
                    self.blocks.push((first, line));
                    start = None;
                }
                _ => {}
            }
        }
    }

    fn first_line_of_content(&self) -> usize {
        let mut lines = 1..=self.file.line_count();
        let mut first = lines.find(|line| !self.is_preamble(*line));
        // The front matter of a page.
        if self.kind == Comments::Html && first.is_some_and(|line| self.line(line) == "---") {
            let _ = lines.find(|line| self.line(*line).trim_end() == "---");
            first = lines.find(|line| !self.is_preamble(*line));
        }
        first.unwrap_or(self.file.line_count() + 1)
    }

    fn is_preamble(&self, line: usize) -> bool {
        let text = self.line(line).trim_matches(['\u{feff}', ' ', '\t']);
        text.is_empty()
            || self.is_comment(line)
            || (self.kind == Comments::Hash && (text == "---" || text.starts_with("%YAML")))
    }

    /// Finds what the comments are meant for, from the last line to the first.
    fn find_targets(&mut self) {
        let mut comments = std::mem::take(&mut self.comments);
        let mut line = self.file.line_count();
        let mut below = None;
        for comment in comments.iter_mut().rev().filter(|comment| comment.is_alone) {
            while line > comment.line {
                if !self.is_comment(line) {
                    below = Some(line);
                }
                line -= 1;
            }
            comment.target = below.filter(|line| !self.line(*line).trim().is_empty());
        }
        self.comments = comments;
    }

    /// Where a comment for this offset may stand.
    pub(super) fn lines(&self, offset: usize) -> Lines {
        let own = self.line_of(offset);
        let mut lines = Lines {
            below: vec![own],
            at: vec![own],
        };
        let position = self.blocks.partition_point(|(_, last)| *last < own);
        if let Some((first, last)) = self.blocks.get(position)
            && *first <= own
        {
            lines.below.push(*first);
            if self.kind != Comments::Html {
                lines.at.extend([*first, *last]);
            }
        }
        lines
    }
}

/// Those that lie in no other one, sorted; what overlaps is one.
fn outermost(mut blocks: Vec<(usize, usize)>) -> Vec<(usize, usize)> {
    blocks.sort_unstable();
    let mut outer: Vec<(usize, usize)> = Vec::new();
    for (first, last) in blocks {
        match outer.last_mut() {
            Some(before) if first <= before.1 => before.1 = before.1.max(last),
            _ => outer.push((first, last)),
        }
    }
    outer
}

/// Where the comment of a line begins: `#` at its start or behind a blank, outside quotes.
fn hash(text: &str) -> Option<usize> {
    let mut quote = None;
    let mut is_escaped = false;
    let mut before = ' ';
    for (at, character) in text.char_indices() {
        let is_plain = !std::mem::take(&mut is_escaped);
        match (quote, character) {
            (None, '#') if matches!(before, ' ' | '\t' | '\u{feff}') => return Some(at),
            (Some('\''), '\\') => {}
            (_, '\\') if is_plain => is_escaped = true,
            (None, '"') if is_plain => quote = Some(character),
            // `it's` quotes nothing.
            (None, '\'') if is_plain && !before.is_alphanumeric() => quote = Some(character),
            (Some(open), _) if open == character && is_plain => quote = None,
            _ => {}
        }
        before = character;
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(path: &str, text: &str, is_launch: bool) -> Commented {
        Commented::of(&Arc::new(SourceFile::from_text(path, text)), is_launch)
    }

    fn found(path: &str, text: &str, is_launch: bool) -> Vec<(usize, bool)> {
        let read = read(path, text, is_launch);
        let found = read.comments.iter();
        found
            .map(|comment| (comment.line, comment.is_alone))
            .collect()
    }

    #[test]
    fn comments_are_where_the_language_has_them() {
        let mark = "fp8lint: ignore[A]";
        let yaml = format!("a: '# {mark}'\nb: |\n  # {mark}\nc: 1 # {mark}\n# {mark}\n");
        assert_eq!(found("a.yaml", &yaml, false), [(4, false), (5, true)]);
        let shell = format!("echo \"# {mark}\"\necho it's # {mark}\n\t# {mark}\na#{mark}\n");
        assert_eq!(found("a.sh", &shell, true), [(2, false), (3, true)]);
        let docker = format!("ENV A=b # {mark}\nRUN a \\\n# {mark}\n b\n");
        assert_eq!(found("Dockerfile", &docker, true), [(3, true)]);
        let page = format!(
            "# {mark}\n<!-- {mark} -->\n```sh\n<!-- {mark} -->\n# {mark}\n```\nx <!-- {mark} -->\n"
        );
        assert_eq!(found("a.md", &page, true), [(2, true), (7, false)]);
        assert!(found("a.json", &format!("{{\"a\": \"# {mark}\"}}"), false).is_empty());
    }

    #[test]
    fn a_command_over_several_lines_is_one_place() {
        let read = read("a.sh", "# x\n\nrun \\\n  --a \\\n  --b\nnext\n", true);
        let lines = read.lines("# x\n\nrun \\\n  --".len());
        assert_eq!((lines.below, lines.at), (vec![4, 3], vec![4, 3, 5]));
        assert_eq!(read.first_line, 3);
        assert_eq!(super::hash("a 'x # y' \\\" # z"), Some(13));
    }
}
