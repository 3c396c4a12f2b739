//! The values of `ENV`, `ARG` and `WORKDIR`.

use std::sync::Arc;

use crate::source::{SourceFile, Span};

use super::super::super::{Spot, Term};
use super::super::collector::Environment;
use super::super::fill::{between, name};
use super::super::text::MappedText;

/// The variables that a value may name, those of later layers winning.
pub(super) struct Scope<'a>(pub(super) &'a [&'a Environment]);

impl Scope<'_> {
    fn get(&self, name: &str) -> Option<&Term> {
        self.0.iter().rev().find_map(|layer| layer.get(name))
    }
}

/// `ARG NAME=default NAME`. Without a default, it is that of the same name before the first `FROM`, if there is one.
pub(super) fn arguments(
    text: &MappedText,
    environment: &Environment,
    global: Option<&Environment>,
    into: &mut Environment,
    file: &Arc<SourceFile>,
) {
    let mut at = 0;
    while let Some((name, has_value, start)) = next_name(&text.text, at) {
        if has_value {
            let (end, term) = value(text, start, true, &Scope(&[into, environment]), file);
            into.add(name, term);
            at = end;
        } else {
            let inherited = global.and_then(|global| global.get(name)).cloned();
            let span = text.in_file(Span::new(start - name.len(), start));
            let why = format!("`{name}` is given when the image is built");
            into.add(
                name,
                inherited.unwrap_or_else(|| term(Err(why), span, file)),
            );
            at = start;
        }
    }
}

/// `ENV NAME=value NAME=value`, or `ENV NAME value`.
pub(super) fn variables(
    text: &MappedText,
    arguments: &Environment,
    into: &mut Environment,
    file: &Arc<SourceFile>,
) {
    let mut found = Vec::new();
    // All values of one instruction see the variables as they were before it.
    let scope = Scope(&[arguments, into]);
    let mut at = 0;
    while let Some((name, has_value, start)) = next_name(&text.text, at) {
        let (end, term) = value(text, start, has_value, &scope, file);
        found.push((name, term));
        at = end;
        if !has_value {
            break;
        }
    }
    for (name, term) in found {
        into.add(name, term);
    }
}

/// The next name, whether `=` follows it, and the offset after that.
fn next_name(text: &str, at: usize) -> Option<(&str, bool, usize)> {
    let rest = text.get(at..)?;
    let trimmed = rest.trim_start();
    let start = at + rest.len() - trimmed.len();
    let end = trimmed
        .find(|c: char| c == '=' || c.is_whitespace())
        .unwrap_or(trimmed.len());
    let has_value = trimmed[end..].starts_with('=');
    (end > 0).then(|| {
        (
            &trimmed[..end],
            has_value,
            start + end + usize::from(has_value),
        )
    })
}

/// A value from an offset on, quotes taken away and variables filled in, up to a blank if it `is_word`; and its end.
pub(super) fn value(
    text: &MappedText,
    start: usize,
    is_word: bool,
    scope: &Scope<'_>,
    file: &Arc<SourceFile>,
) -> (usize, Term) {
    let rest = text.text.get(start..).unwrap_or_default();
    let blanks = if is_word {
        0
    } else {
        rest.len() - rest.trim_start().len()
    };
    let rest = if is_word { rest } else { rest.trim() };
    let start = start + blanks;
    let mut value = Ok(String::new());
    let mut quote = None;
    let mut at = 0;
    while let Some(c) = rest[at..].chars().next() {
        if is_word && quote.is_none() && c.is_whitespace() {
            break;
        }
        let length = c.len_utf8();
        let (length, piece) = match c {
            '"' | '\'' if quote.is_none() => {
                quote = Some(c);
                (length, Ok(String::new()))
            }
            _ if quote == Some(c) => {
                quote = None;
                (length, Ok(String::new()))
            }
            '\\' if quote != Some('\'') => {
                let escaped = rest[at + length..].chars().next();
                let escaped_length = escaped.map_or(0, char::len_utf8);
                (
                    length + escaped_length,
                    Ok(escaped.map(String::from).unwrap_or_default()),
                )
            }
            '$' if quote != Some('\'') => variable(&rest[at..], scope),
            c => (length, Ok(String::from(c))),
        };
        match (&mut value, piece) {
            (Ok(value), Ok(piece)) => value.push_str(&piece),
            (Ok(_), Err(why)) => value = Err(why),
            (Err(_), _) => {}
        }
        at += length;
    }
    let span = text.in_file(Span::new(start, start + at));
    (start + at, term(value, span, file))
}

/// A variable, and how many bytes it has.
fn variable(rest: &str, scope: &Scope<'_>) -> (usize, Result<String, String>) {
    let (inner, length) = match between(rest, "${", "}") {
        Some(found) => found,
        None => match name(&rest[1..]) {
            Some(name) => (name, 1 + name.len()),
            None => return (1, Ok("$".to_owned())),
        },
    };
    let named = name(inner).unwrap_or_default();
    let text = match (scope.get(named), inner[named.len()..].split_at_checked(2)) {
        (Some(term), None) => term.text.clone(),
        (Some(term), Some((":-", _))) if term.known().is_some_and(|text| !text.is_empty()) => {
            term.text.clone()
        }
        // Nothing but the image that the build begins from could set it.
        (None, Some((":-", default))) if !default.contains('$') => Ok(default.to_owned()),
        (None, None) => Err(format!("`${named}` is not set in this Dockerfile")),
        _ => Err(format!("`{}` is worked out by Docker", &rest[..length])),
    };
    (length, text)
}

fn term(text: Result<String, String>, span: Span, file: &Arc<SourceFile>) -> Term {
    Term {
        text,
        is_open: false,
        spot: Spot {
            file: Arc::clone(file),
            span,
        },
    }
}
