//! The instructions of a Dockerfile, their lines joined.

use crate::source::Span;

use super::super::text::{Builder, MappedText, lines};
use super::after_keyword;

/// How many heredocs one instruction may begin.
const HEREDOC_LIMIT: usize = 16;

/// One instruction.
pub(super) struct Instruction {
    /// In capitals.
    pub(super) keyword: String,
    keyword_span: Span,
    /// What follows it, lines joined, comments between them left out.
    pub(super) arguments: MappedText,
    /// The lines of its heredocs, terminators included.
    heredocs: Option<MappedText>,
    /// How many bytes of that are the first body.
    first_body: usize,
}

impl Instruction {
    pub(super) fn is(&self, keyword: &str) -> bool {
        self.keyword == keyword
    }

    /// What a shell gets of a `RUN`.
    pub(super) fn script(&self) -> MappedText {
        let flags = flags(&self.arguments.text);
        let text = self.arguments.slice(flags..self.arguments.text.len());
        let Some(bodies) = &self.heredocs else {
            return text;
        };
        // `RUN <<EOF` alone: the body is the script.
        if text.text.starts_with("<<") && text.text.split_whitespace().nth(1).is_none() {
            return bodies.slice(0..self.first_body);
        }
        let mut builder = Builder::new(text.source().start);
        builder.whole(&text);
        builder.replaced("\n", Span::at(text.source().end));
        builder.whole(bodies);
        builder.finish()
    }

    /// `COPY <<EOF accelerate.yaml` as the shell would write it.
    pub(super) fn written_file(&self) -> Option<MappedText> {
        let bodies = self.heredocs.as_ref()?;
        let text = &self.arguments.text;
        let start = flags(text);
        let rest = text.get(start..)?.trim_end();
        let (heredoc, path) = rest.split_once([' ', '\t'])?;
        let path = path.trim_start();
        if !heredoc.starts_with("<<") || path.contains(char::is_whitespace) || path.ends_with('/') {
            return None;
        }
        let whole = self.arguments.slice(start..start + heredoc.len());
        let mut builder = after_keyword("cat ", self.keyword_span, &whole);
        let at = start + rest.len() - path.len();
        let path = self.arguments.slice(at..at + path.len());
        builder.replaced(" > ", Span::at(path.source().start));
        builder.whole(&path);
        builder.replaced("\n", Span::at(path.source().end));
        builder.whole(bodies);
        Some(builder.finish())
    }
}

/// How many bytes the options at the front take: `--mount=type=cache,target=/root/.cache`.
fn flags(text: &str) -> usize {
    let mut rest = text.trim_start();
    while rest.starts_with("--") {
        let end = rest.find(char::is_whitespace).unwrap_or(rest.len());
        rest = rest[end..].trim_start();
    }
    text.len() - rest.len()
}

/// The instructions of a Dockerfile.
pub(super) fn of(text: &str) -> Vec<Instruction> {
    let escape = escape(text);
    let mut found = Vec::new();
    let mut lines = lines(text).peekable();
    while let Some((start, line)) = lines.next() {
        let content = line.trim_start_matches([' ', '\t', '\u{feff}']);
        if content.is_empty() || content.starts_with('#') {
            continue;
        }
        let start = start + line.len() - content.len();
        let mut joined = Builder::new(start);
        let mut next = Some((start, content));
        while let Some((start, line)) = next.take() {
            let trimmed = line.trim_end_matches([' ', '\t']);
            let Some(kept) = trimmed.strip_suffix(escape) else {
                joined.verbatim(line, start);
                break;
            };
            joined.verbatim(kept, start);
            next = lines.find(|(_, line)| {
                let content = line.trim_start_matches([' ', '\t']);
                !content.is_empty() && !content.starts_with('#')
            });
        }
        let joined = joined.finish();
        let end = joined
            .text
            .find(char::is_whitespace)
            .unwrap_or(joined.text.len());
        let rest = joined.text[end..].trim_start();
        let arguments = joined.slice(joined.text.len() - rest.len()..joined.text.len());
        let keyword = joined.text[..end].to_ascii_uppercase();
        let keyword_span = joined.in_file(Span::new(0, end));
        let mut heredocs = None;
        let mut first_body = 0;
        if matches!(keyword.as_str(), "RUN" | "COPY" | "ADD") && rest.contains("<<") {
            let start = lines.peek().map_or(text.len(), |(start, _)| *start);
            let mut bodies = Builder::new(start);
            for (count, (name, is_indented)) in terminators(rest).into_iter().enumerate() {
                if count == 0 {
                    first_body = usize::MAX;
                }
                for (start, line) in lines.by_ref() {
                    let content = if is_indented {
                        line.trim_start_matches('\t')
                    } else {
                        line
                    };
                    let ends = content == name;
                    if ends && count == 0 {
                        first_body = bodies.text().len();
                    }
                    bodies.verbatim(line, start);
                    bodies.line_feed(text, start + line.len());
                    if ends {
                        break;
                    }
                }
            }
            if first_body > 0 || !bodies.text().is_empty() {
                first_body = first_body.min(bodies.text().len());
                heredocs = Some(bodies.finish());
            }
        }
        found.push(Instruction {
            keyword,
            keyword_span,
            arguments,
            heredocs,
            first_body,
        });
    }
    found
}

/// The names that end heredocs, and whether tabs may stand before them.
fn terminators(arguments: &str) -> Vec<(&str, bool)> {
    let mut found = Vec::new();
    for part in arguments.split("<<").skip(1).take(HEREDOC_LIMIT) {
        let name = part.strip_prefix('-');
        let is_indented = name.is_some();
        let name = name.unwrap_or(part).trim_start_matches(['"', '\'']);
        let end = name
            .find(|c: char| !c.is_ascii_alphanumeric() && c != '_')
            .unwrap_or(name.len());
        if end > 0 {
            found.push((&name[..end], is_indented));
        }
    }
    found
}

/// The character that continues a line: `# escape=` in the comments at the top.
fn escape(text: &str) -> char {
    for line in text.lines() {
        let Some(comment) = line.trim_start().strip_prefix('#') else {
            break;
        };
        let Some((name, value)) = comment.split_once('=') else {
            break;
        };
        if name.trim().eq_ignore_ascii_case("escape") && value.trim() == "`" {
            return '`';
        }
    }
    '\\'
}
