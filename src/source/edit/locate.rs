//! The bytes of a change of keys and values: found in the document, written as the text around them is.

use super::super::{Document, EntryRef, NodeRef, Object, Route, Span, Style, Syntax};
use super::applied::split;
use super::{Change, TextEdit, literal};

/// The bytes of a change. They are a proposal: whoever takes them reads the result again.
pub(super) fn locate(
    text: &str,
    syntax: Syntax,
    document: &Document,
    change: &Change,
    line_end: &'static str,
) -> Option<TextEdit> {
    let page = Page {
        text,
        syntax,
        document,
        line_end,
    };
    match change {
        Change::Set { route, value } => page.set(route, value),
        Change::Rename { route, key } => page.rename(route, key),
        Change::Remove { route } => page.remove(route),
        Change::Add { route, value } => page.add(route, value),
        Change::Word { .. } | Change::Comment { .. } | Change::Several(_) => None,
    }
}

/// A text and what it reads as.
struct Page<'p> {
    text: &'p str,
    syntax: Syntax,
    document: &'p Document,
    /// How the lines of the file end.
    line_end: &'static str,
}

impl<'p> Page<'p> {
    fn set(&self, route: &Route, value: &Object) -> Option<TextEdit> {
        let (key, old) = self.document.at(route)?;
        let span = old.span();
        let content = literal::inline(value, self.syntax, old.style())?;
        if span.is_empty() || old.style() == Style::Block {
            // From behind the colon: a block begins on a line of its own.
            let start = self.behind_colon(key?)?;
            let end = span.end.max(start);
            if self.has_comment(Span::new(start, end)) {
                return None;
            }
            return edit(Span::new(start, end), format!(" {content}"));
        }
        edit(span, content)
    }

    fn rename(&self, route: &Route, name: &str) -> Option<TextEdit> {
        let (key, _) = self.document.at(route)?;
        let key = key?;
        edit(key.span(), literal::string(name, self.syntax, key.style())?)
    }

    fn remove(&self, route: &Route) -> Option<TextEdit> {
        let (name, parent) = split(route)?;
        let (parent_key, mapping) = self.document.at(&parent)?;
        let entries = by_place(mapping);
        let at = entries
            .iter()
            .position(|entry| entry.key.text() == Some(name))?;
        let entry = &entries[at];
        if entries.len() == 1 {
            // A section that is left without keys is not a section without a value.
            return match mapping.style() {
                Style::Block => {
                    let start = self.behind_colon(parent_key?)?;
                    // The comments above the key stay.
                    let above = self
                        .text
                        .get(start..self.line_start(entry.key.span().start));
                    let above = above.unwrap_or_default().trim_end();
                    edit(
                        Span::new(start, self.end_of(entry)?),
                        format!(" {{}}{above}"),
                    )
                }
                _ => edit(mapping.span(), "{}".to_owned()),
            };
        }
        if mapping.style() != Style::Block {
            let (before, after) = (at.checked_sub(1), entries.get(at + 1));
            let span = match (after, before) {
                (Some(after), _) => {
                    let whole = Span::new(entry.key.span().start, after.key.span().start);
                    match self.has_comment(whole) {
                        // Those behind the comma may be about what follows.
                        true => Span::new(whole.start, self.behind_comma(self.end_of(entry)?)?),
                        false => whole,
                    }
                }
                (None, Some(before)) => {
                    Span::new(self.end_of(&entries[before])?, self.end_of(entry)?)
                }
                (None, None) => return None,
            };
            return edit(span, String::new());
        }
        let start = self.line_start(entry.key.span().start);
        if !self.is_blank(Span::new(start, entry.key.span().start)) {
            return None;
        }
        let end = self.next_line(self.end_of(entry)?);
        // A last line without an end takes that of the line before it.
        let start = match self.text.get(..end)?.ends_with(['\n', '\r']) {
            true => start,
            false => self.text.get(..start)?.trim_end_matches(['\n', '\r']).len(),
        };
        edit(Span::new(start, end), String::new())
    }

    fn add(&self, route: &Route, value: &Object) -> Option<TextEdit> {
        let (name, parent) = split(route)?;
        let (parent_key, mapping) = self.document.at(&parent)?;
        let entries = by_place(mapping);
        let Some(last) = entries.last() else {
            if mapping.is_dict() {
                let key = literal::string(name, self.syntax, Style::Plain)?;
                let value = literal::inline(value, self.syntax, Style::Plain)?;
                return edit(mapping.span(), format!("{{{key}: {value}}}"));
            }
            // `section:` and nothing more.
            let key = parent_key?.span();
            let indent = format!("{}  ", self.indent_of(key.start)?);
            let line = literal::block(name, value, &indent, self.line_end)?;
            return self.line_after(self.behind_colon(parent_key?)?, &format!("{indent}{line}"));
        };
        let end = self.end_of(last)?;
        if mapping.style() == Style::Block {
            let indent = self.indent_of(entries.first()?.key.span().start)?;
            let line = literal::block(name, value, indent, self.line_end)?;
            return self.line_after(end, &format!("{indent}{line}"));
        }
        let key = literal::string(name, self.syntax, last.key.style())?;
        let value = literal::inline(value, self.syntax, Style::Plain)?;
        let between = match self.indent_of(last.key.span().start) {
            Some(indent) => format!("{}{indent}", self.line_end),
            None => " ".to_owned(),
        };
        edit(Span::at(end), format!(",{between}{key}: {value}"))
    }

    /// A line of its own behind the line that holds this offset.
    fn line_after(&self, offset: usize, line: &str) -> Option<TextEdit> {
        let at = self.next_line(offset);
        let end = self.line_end;
        let content = match self.text.get(..at)?.ends_with(['\n', '\r']) {
            true => format!("{line}{end}"),
            false => format!("{end}{line}"),
        };
        edit(Span::at(at), content)
    }

    /// Where an entry ends: with its value, or behind its colon.
    fn end_of(&self, entry: &EntryRef<'_>) -> Option<usize> {
        match entry.value.span() {
            span if span.is_empty() => self.behind_colon(entry.key),
            span => Some(span.end),
        }
    }

    /// The offset behind the colon of a key.
    fn behind_colon(&self, key: NodeRef<'_>) -> Option<usize> {
        let end = key.span().end;
        let rest = self.text.get(end..)?;
        let colon = rest.find(|character: char| !matches!(character, ' ' | '\t'))?;
        rest[colon..].starts_with(':').then_some(end + colon + 1)
    }

    /// The offset behind the comma that follows this one.
    fn behind_comma(&self, offset: usize) -> Option<usize> {
        let rest = self.text.get(offset..)?;
        let comma = rest.find(|character: char| !character.is_whitespace())?;
        rest[comma..].starts_with(',').then_some(offset + comma + 1)
    }

    /// The blanks before this offset, if nothing else stands before it on its line.
    fn indent_of(&self, offset: usize) -> Option<&'p str> {
        let start = self.line_start(offset);
        let indent = Span::new(start, offset);
        self.is_blank(indent).then(|| &self.text[start..offset])
    }

    fn line_start(&self, offset: usize) -> usize {
        let before = &self.text[..offset];
        let start = before.rfind(['\n', '\r']).map_or(0, |end| end + 1);
        match self.text[start..].strip_prefix('\u{feff}') {
            Some(rest) if start == 0 && offset > 0 => self.text.len() - rest.len(),
            _ => start,
        }
    }

    /// Where the line after the one with this offset begins; the end, where there is none.
    fn next_line(&self, offset: usize) -> usize {
        let rest = &self.text[offset..];
        match rest.find(['\n', '\r']) {
            Some(at) if rest[at..].starts_with("\r\n") => offset + at + 2,
            Some(at) => offset + at + 1,
            None => self.text.len(),
        }
    }

    fn is_blank(&self, span: Span) -> bool {
        let blanks = self.text.get(span.start..span.end);
        blanks.is_some_and(|text| text.trim_matches([' ', '\t']).is_empty())
    }

    fn has_comment(&self, span: Span) -> bool {
        let mut comments = self.document.comments.iter();
        comments.any(|comment| comment.span.start < span.end && span.start < comment.span.end)
    }
}

/// The entries of a mapping in the order of the text; what a merge key brings stands elsewhere.
fn by_place<'document>(mapping: NodeRef<'document>) -> Vec<EntryRef<'document>> {
    let mut entries: Vec<_> = mapping.entries().filter(|entry| !entry.merged).collect();
    entries.sort_by_key(|entry| entry.key.span());
    entries
}

fn edit(span: Span, content: String) -> Option<TextEdit> {
    Some(TextEdit { span, content })
}
