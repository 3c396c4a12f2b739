//! Python's tokens, as far as lists of strings need them.

use std::ops::Range;

/// A token.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Token<'text> {
    /// A name or a keyword.
    Name(&'text str),
    /// A string, quotes included.
    Text {
        bytes: Range<usize>,
        /// What it holds; nothing where that is not what stands there (`f"…"`, `\`).
        holds: Option<&'text str>,
    },
    /// Any other character.
    Mark(char),
    /// The end of a line outside all brackets.
    End,
}

/// The tokens of a text. What is no Python gives some tokens, too.
pub(super) fn of(text: &str) -> Vec<Token<'_>> {
    let mut tokens = Vec::new();
    let mut depth = 0_usize;
    let mut at = 0;
    while let Some(rest) = text.get(at..)
        && let Some(first) = rest.chars().next()
    {
        if is_name(first) {
            let end = rest.find(|character| !is_name(character));
            let name = &rest[..end.unwrap_or(rest.len())];
            let quoted = &rest[name.len()..];
            // `r"…"`, `rb'…'`
            if name.len() <= 2
                && name.chars().all(|letter| "rbfuRBFU".contains(letter))
                && quoted.starts_with(['"', '\''])
            {
                let is_plain = !name.contains(['b', 'f', 'B', 'F']);
                at += name.len();
                at = string(text, at, at - name.len(), is_plain, &mut tokens);
            } else {
                tokens.push(Token::Name(name));
                at += name.len();
            }
            continue;
        }
        match first {
            '"' | '\'' => {
                at = string(text, at, at, true, &mut tokens);
                continue;
            }
            '#' => {
                at += rest.find('\n').unwrap_or(rest.len());
                continue;
            }
            // The next line goes on, its end is none.
            '\\' => at += if rest.starts_with("\\\r\n") { 2 } else { 1 },
            '\n' if depth == 0 => tokens.push(Token::End),
            '(' | '[' | '{' => {
                depth += 1;
                tokens.push(Token::Mark(first));
            }
            ')' | ']' | '}' => {
                depth = depth.saturating_sub(1);
                tokens.push(Token::Mark(first));
            }
            _ if first.is_whitespace() => {}
            _ => tokens.push(Token::Mark(first)),
        }
        // After a backslash this passes over the end of the line.
        at += text
            .get(at..)
            .and_then(|rest| rest.chars().next())
            .map_or(1, char::len_utf8);
    }
    tokens
}

fn is_name(character: char) -> bool {
    character.is_ascii_alphanumeric() || character == '_'
}

/// Takes the string whose quotes open at `at`; its prefix stands at `start`. Gives where it ends.
fn string<'text>(
    text: &'text str,
    at: usize,
    start: usize,
    is_plain: bool,
    tokens: &mut Vec<Token<'text>>,
) -> usize {
    let rest = &text[at..];
    let quote = &rest[..1];
    let triple = quote.repeat(3);
    let quotes = if rest.starts_with(&triple) {
        triple.as_str()
    } else {
        quote
    };
    let inner = &rest[quotes.len()..];
    let mut is_escaped = false;
    let mut end = None;
    for (offset, character) in inner.char_indices() {
        if is_escaped {
            is_escaped = false;
        } else if character == '\\' {
            is_escaped = true;
        } else if inner[offset..].starts_with(quotes) {
            end = Some(offset);
            break;
        } else if character == '\n' && quotes.len() == 1 {
            break;
        }
    }
    let Some(length) = end else {
        // It is not closed: no string, and what follows is looked at by itself.
        tokens.push(Token::Mark('"'));
        return at + quotes.len();
    };
    let end = at + quotes.len() + length + quotes.len();
    let holds = &inner[..length];
    tokens.push(Token::Text {
        bytes: start..end,
        holds: (is_plain && !holds.contains('\\')).then_some(holds),
    });
    end
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn strings_end_where_python_ends_them() {
        let strings = |text: &str| -> Vec<String> {
            let tokens = of(text).into_iter();
            tokens
                .filter_map(|token| match token {
                    Token::Text { bytes, holds } => Some(format!("{} {holds:?}", &text[bytes])),
                    _ => None,
                })
                .collect()
        };
        for (text, expected) in [
            ("'a' \"b\"", vec!["'a' Some(\"a\")", "\"b\" Some(\"b\")"]),
            ("r'é' # 'no'", vec!["r'é' Some(\"é\")"]),
            ("f'{a}' b'x'", vec!["f'{a}' None", "b'x' None"]),
            ("'a\\'b'", vec!["'a\\'b' None"]),
            ("'''a\n'b'''", vec!["'''a\n'b''' Some(\"a\\n'b\")"]),
            ("''", vec!["'' Some(\"\")"]),
            ("'open\n'b'", vec!["'b' Some(\"b\")"]),
            ("\\", vec![]),
            ("'", vec![]),
        ] {
            assert_eq!(strings(text), expected, "{text}");
        }
    }

    #[test]
    fn lines_end_outside_brackets() {
        let ends = |text: &str| {
            of(text)
                .iter()
                .filter(|token| **token == Token::End)
                .count()
        };
        assert_eq!(ends("a = (1,\n2)\nb = \\\n 3\r\nc\n"), 3);
        assert_eq!(ends("a)\n"), 1);
    }
}
