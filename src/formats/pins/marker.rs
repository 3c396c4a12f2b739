//! Environment markers: `sys_platform == "win32" and python_version < "3.9"`.
//!
//! Training on GPUs is done on Linux with CPython; nothing else about the machine is assumed, so most markers cannot
//! be decided.

/// Inner brackets: more of them are not looked into.
const DEPTH: usize = 16;

/// Whether a marker holds; `None` where that cannot be told.
pub(super) fn holds(marker: &str) -> Option<bool> {
    let mut tokens = Tokens { left: marker };
    let value = any(&mut tokens, DEPTH).ok()?;
    // What is left over is no marker: nothing is known of it.
    tokens.next().is_none().then_some(value).flatten()
}

/// What is known of an expression; an error where it is none.
type Value = Result<Option<bool>, ()>;

#[derive(Clone, Copy, PartialEq, Eq)]
enum Token<'text> {
    Word(&'text str),
    Text(&'text str),
    Operator(&'text str),
}

#[derive(Clone, Copy)]
struct Tokens<'text> {
    left: &'text str,
}

impl<'text> Tokens<'text> {
    fn next(&mut self) -> Option<Token<'text>> {
        let text = self.left.trim_start();
        let first = text.chars().next()?;
        let (token, left) = if matches!(first, '"' | '\'') {
            let inner = &text[1..];
            // A quote without its partner is an operator that nobody knows.
            match inner.split_once(first) {
                Some((inner, left)) => (Token::Text(inner), left),
                None => (Token::Operator(text), ""),
            }
        } else if matches!(first, '(' | ')') {
            (Token::Operator(&text[..1]), &text[1..])
        } else {
            let is_word = |character: char| {
                character.is_ascii_alphanumeric() || matches!(character, '_' | '.')
            };
            let of_kind = |character: char| {
                is_word(character) == is_word(first)
                    && !matches!(character, '(' | ')' | '"' | '\'')
                    && !character.is_whitespace()
            };
            let end = text
                .find(|character| !of_kind(character))
                .unwrap_or(text.len());
            let (token, left) = text.split_at(end);
            match is_word(first) {
                true => (Token::Word(token), left),
                false => (Token::Operator(token), left),
            }
        };
        self.left = left;
        Some(token)
    }

    /// Takes the next token if it is this one.
    fn take(&mut self, token: Token<'_>) -> bool {
        let mut after = *self;
        let is_next = after.next() == Some(token);
        if is_next {
            *self = after;
        }
        is_next
    }
}

fn any(tokens: &mut Tokens<'_>, depth: usize) -> Value {
    let mut value = all(tokens, depth)?;
    while tokens.take(Token::Word("or")) {
        value = match (value, all(tokens, depth)?) {
            (Some(true), _) | (_, Some(true)) => Some(true),
            (Some(false), Some(false)) => Some(false),
            _ => None,
        };
    }
    Ok(value)
}

fn all(tokens: &mut Tokens<'_>, depth: usize) -> Value {
    let mut value = comparison(tokens, depth)?;
    while tokens.take(Token::Word("and")) {
        value = match (value, comparison(tokens, depth)?) {
            (Some(false), _) | (_, Some(false)) => Some(false),
            (Some(true), Some(true)) => Some(true),
            _ => None,
        };
    }
    Ok(value)
}

fn comparison(tokens: &mut Tokens<'_>, depth: usize) -> Value {
    if tokens.take(Token::Operator("(")) {
        let value = any(tokens, depth.checked_sub(1).ok_or(())?)?;
        return match tokens.take(Token::Operator(")")) {
            true => Ok(value),
            false => Err(()),
        };
    }
    let left = tokens.next().ok_or(())?;
    let operator = tokens.next().ok_or(())?;
    let is_negated = operator == Token::Word("not");
    if is_negated && !tokens.take(Token::Word("in")) {
        return Err(());
    }
    let right = tokens.next().ok_or(())?;
    let (Some(left), Some(right)) = (text_of(left)?, text_of(right)?) else {
        return Ok(None);
    };
    Ok(match operator {
        Token::Operator("==") => Some(left == right),
        Token::Operator("!=") => Some(left != right),
        Token::Word("in") => Some(right.contains(left)),
        Token::Word("not") => Some(!right.contains(left)),
        _ => None,
    })
}

/// The text of a literal or variable; nothing for a variable that is not known.
fn text_of(token: Token<'_>) -> Result<Option<&str>, ()> {
    Ok(match token {
        Token::Text(text) => Some(text),
        Token::Word("sys_platform") => Some("linux"),
        Token::Word("platform_system") => Some("Linux"),
        Token::Word("os_name") => Some("posix"),
        Token::Word("implementation_name") => Some("cpython"),
        Token::Word("platform_python_implementation") => Some("CPython"),
        Token::Word(_) => None,
        Token::Operator(_) => return Err(()),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_can_be_told_is_told() {
        for (marker, value) in [
            ("sys_platform == 'linux'", Some(true)),
            ("sys_platform=='win32'", Some(false)),
            ("'linux' in sys_platform", Some(true)),
            ("sys_platform not in 'win32 darwin'", Some(true)),
            ("platform_system != \"Windows\"", Some(true)),
            ("python_version < '3.9'", None),
            ("python_version < '3.9' and os_name == 'nt'", Some(false)),
            ("python_version < '3.9' or os_name == 'posix'", Some(true)),
            ("python_version < '3.9' and os_name == 'posix'", None),
            (
                "(os_name == 'nt' or sys_platform == 'linux') and (extra == 'x')",
                None,
            ),
            ("os_name ~= 'posix'", None),
        ] {
            assert_eq!(holds(marker), value, "{marker}");
        }
    }

    #[test]
    fn nothing_is_known_of_what_is_no_marker() {
        let deep = "(".repeat(1 << 20);
        for marker in [
            "",
            "os_name",
            "os_name ==",
            "os_name == 'nt",
            "== 'nt'",
            "os_name == 'nt' )",
            "(os_name == 'nt'",
            "os_name not 'nt'",
            "é == '1'",
            "os_name == 'nt' os_name",
            &deep,
        ] {
            assert_eq!(holds(marker), None, "{}", &marker[..marker.len().min(40)]);
        }
    }
}
