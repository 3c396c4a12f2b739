//! Files of variables that a command loads: `uv run --env-file .env`.

use std::sync::Arc;

use crate::source::{SourceFile, Span};

use super::super::words::is_variable_name;
use super::super::{Spot, Term};

/// The variables of a `.env` file.
pub(super) fn read(file: &Arc<SourceFile>) -> Vec<(String, Term)> {
    let mut found = Vec::new();
    let mut start = 0;
    for line in file.text().split_inclusive('\n') {
        found.extend(variable(file, line, start));
        start += line.len();
    }
    found
}

/// The variable of the line that begins at this byte.
fn variable(file: &Arc<SourceFile>, line: &str, start: usize) -> Option<(String, Term)> {
    let (name, value) = line.split_once('=')?;
    let value_start = start + name.len() + 1;
    let name = name.trim();
    let name = name.strip_prefix("export ").unwrap_or(name).trim();
    if !is_variable_name(name) {
        return None;
    }
    let indent = value.len() - value.trim_start().len();
    let value = value.trim();
    let (text, is_literal) = match value.chars().next() {
        Some(quote @ ('"' | '\'')) => {
            let inside = value.get(1..).unwrap_or_default();
            let end = inside.find(quote)?;
            (inside.get(..end).unwrap_or_default(), quote == '\'')
        }
        _ => (
            value.split(" #").next().unwrap_or_default().trim_end(),
            false,
        ),
    };
    let text = if !is_literal && text.contains('$') {
        Err(format!(
            "`{name}` is put together by what loads `{}`",
            file.path
        ))
    } else {
        Ok(text.to_owned())
    };
    let span = Span::new(value_start + indent, value_start + indent + value.len());
    let spot = Spot {
        file: Arc::clone(file),
        span,
    };
    Some((
        name.to_owned(),
        Term {
            text,
            is_open: false,
            spot,
        },
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn variables_of_a_file() {
        let text = "# a comment=1\nA=1\nexport B = 'x # y' # z\nC=bf16 # note\nD=\"a$A\"\r\nE=\nbad name=1\nF='open\n";
        let file = Arc::new(SourceFile::from_text(".env", text));
        let found = read(&file);
        let shown: Vec<_> = found
            .iter()
            .map(|(name, term)| (name.as_str(), term.known()))
            .collect();
        let expected = [
            ("A", Some("1")),
            ("B", Some("x # y")),
            ("C", Some("bf16")),
            ("D", None),
            ("E", Some("")),
        ];
        assert_eq!(shown, expected);
        assert_eq!(file.slice(found[2].1.spot.span), "bf16 # note");
    }
}
