//! Expressions of just, as far as they are made of texts and variables.

use std::collections::HashMap;

/// How many bytes a value may have.
const SIZE_LIMIT: usize = 64 << 10;

/// The values of variables.
#[derive(Default)]
pub(super) struct Values(HashMap<String, Result<String, String>>);

impl Values {
    pub(super) fn set(&mut self, name: &str, text: Result<String, String>) {
        self.0.insert(name.to_owned(), text);
    }

    pub(super) fn work_out(&self, expression: &str) -> Result<String, String> {
        self.work_out_with(expression, &Self::default())
    }

    /// The value of an expression, in which other variables come before these.
    pub(super) fn work_out_with(&self, expression: &str, own: &Self) -> Result<String, String> {
        let whole = expression.trim();
        let unknown = || format!("`{whole}` is worked out by just");
        let mut rest = whole;
        let mut out = String::new();
        loop {
            let (piece, after) = match quoted(rest) {
                Some((text, after)) => (text, after),
                None => {
                    let end = rest
                        .find(|c: char| !c.is_ascii_alphanumeric() && c != '_' && c != '-')
                        .unwrap_or(rest.len());
                    let name = &rest[..end];
                    let text = match own.0.get(name).or_else(|| self.0.get(name)) {
                        Some(text) => text.clone()?,
                        None if matches!(name, "true" | "false") => name.to_owned(),
                        None => return Err(unknown()),
                    };
                    (text, &rest[end..])
                }
            };
            out.push_str(&piece);
            if out.len() > SIZE_LIMIT {
                return Err(unknown());
            }
            let after = after.trim_start();
            rest = match after.chars().next() {
                // A comment ends an assignment.
                None | Some('#') => return Ok(out),
                Some('+') => after[1..].trim_start(),
                Some('/') => {
                    out.push('/');
                    after[1..].trim_start()
                }
                Some(_) => return Err(unknown()),
            };
        }
    }
}

/// A text in quotes at the front, and what follows it.
fn quoted(text: &str) -> Option<(String, &str)> {
    let quote = ["'''", "\"\"\"", "'", "\""]
        .into_iter()
        .find(|quote| text.starts_with(quote))?;
    let inner = &text[quote.len()..];
    if quote.starts_with('\'') {
        let end = inner.find(quote)?;
        return Some((inner[..end].to_owned(), &inner[end + quote.len()..]));
    }
    let mut out = String::new();
    let mut chars = inner.char_indices();
    while let Some((at, c)) = chars.next() {
        if inner[at..].starts_with(quote) {
            return Some((out, &inner[at + quote.len()..]));
        }
        match c {
            '\\' => out.push(match chars.next()?.1 {
                'n' => '\n',
                't' => '\t',
                'r' => '\r',
                c @ ('"' | '\\') => c,
                // `\u{…}`
                _ => return None,
            }),
            c => out.push(c),
        }
    }
    None
}

/// The parameters of a recipe's first line, with their offsets: `train model="x" *args: deps`.
pub(super) fn parameters(header: &str) -> Vec<(usize, &str)> {
    let mut found = Vec::new();
    let mut start = None;
    let mut quote = None;
    for (at, c) in header.char_indices() {
        match (quote, c) {
            (Some(open), _) if open == c => quote = None,
            (Some(_), _) => {}
            (None, '"' | '\'' | '`') => quote = Some(c),
            (None, ':') => {
                found.extend(start.take().map(|start| (start, &header[start..at])));
                break;
            }
            (None, c) if c.is_whitespace() => {
                found.extend(start.take().map(|start| (start, &header[start..at])));
                continue;
            }
            _ => {}
        }
        start.get_or_insert(at);
    }
    // The first one is the recipe's name.
    found.split_off(1.min(found.len()))
}
