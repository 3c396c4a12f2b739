//! Simple commands and assignments.

use super::cursor::{Reader, begins_name};
use super::{Assigned, Assignment, Command, CommandKind, Redirection, Simple, Word};
use crate::source::Span;

/// The commands whose words may be assignments.
const DECLARATIONS: [&str; 6] = ["export", "declare", "typeset", "local", "readonly", "alias"];

impl Reader<'_> {
    /// The simple command that begins here, or the function.
    pub(super) fn simple_command(&mut self) -> Option<Command> {
        let start = self.at;
        let mut simple = Simple::default();
        let mut redirections: Vec<Redirection> = Vec::new();
        let mut is_declaration = false;
        let mut span: Option<Span> = None;
        loop {
            self.blanks();
            if let Some(redirection) = self.redirection() {
                redirections.push(redirection);
                continue;
            }
            let at = self.at;
            if (simple.words.is_empty() || is_declaration)
                && let Some(assignment) = self.assignment()
            {
                if simple.words.is_empty() {
                    simple.assignments.push(assignment);
                } else {
                    simple.declarations.push(assignment);
                }
                let found = Span::new(at, self.at);
                span = Some(span.map_or(found, |span| span.to(found)));
                continue;
            }
            if let Some(word) = self.word() {
                if simple.words.is_empty() {
                    let text = word.plain();
                    is_declaration = text.is_some_and(|text| DECLARATIONS.contains(&text));
                }
                span = Some(span.map_or(word.span, |span| span.to(word.span)));
                simple.words.push(word);
                continue;
            }
            if self.byte(0) == Some(b'(') && !simple.words.is_empty() {
                if let Some(function) = self.function_after(&simple, start) {
                    return Some(function);
                }
                // Bash would refuse it.
                self.skip_parentheses();
                continue;
            }
            break;
        }
        if span.is_none() && redirections.is_empty() {
            return None;
        }
        Some(Command {
            kind: CommandKind::Simple(simple),
            redirections,
            span: span.unwrap_or(Span::at(start)),
        })
    }

    /// The function whose name was read and whose `()` is next.
    fn function_after(&mut self, simple: &Simple, start: usize) -> Option<Command> {
        let name = match simple.words.as_slice() {
            [word] if simple.assignments.is_empty() => word.plain()?.to_owned(),
            _ => return None,
        };
        let before = self.at;
        self.at += 1;
        self.blanks();
        if !self.take(")") {
            self.at = before;
            return None;
        }
        let kind = self.nested(|reader| reader.function_body(name))?;
        Some(Command {
            kind,
            redirections: Vec::new(),
            span: Span::new(start, self.at),
        })
    }

    /// The assignment that begins here, if one does.
    fn assignment(&mut self) -> Option<Assignment> {
        let start = self.at;
        if !self.byte(0).is_some_and(begins_name) {
            return None;
        }
        let name = self.name().to_owned();
        let subscript = self.subscript();
        let is_append = self.starts_with("+=");
        self.at += usize::from(is_append);
        if !self.take("=") {
            self.at = start;
            return None;
        }
        let value = if self.byte(0) == Some(b'(') {
            Assigned::Array(self.array())
        } else {
            Assigned::Word(self.word_or_missing())
        };
        Some(Assignment {
            name,
            subscript,
            is_append,
            value,
            span: Span::new(start, self.at),
        })
    }

    fn array(&mut self) -> Vec<Word> {
        self.at += 1;
        let mut elements = Vec::new();
        loop {
            self.blank_lines();
            match self.word() {
                Some(word) => elements.push(word),
                None => {
                    // A sign that no array has ends it as well, so that the rest is read as commands.
                    self.take(")");
                    return elements;
                }
            }
        }
    }
}
