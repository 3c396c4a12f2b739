//! What `${NAME%…}`, `${NAME/…}` and the like make of a known text, for patterns that are plain text, or plain text with
//! `*` at the end that is cut off.

/// The text after the operator, `new` being what `/` puts in; `None` where it is not followed.
pub(super) fn transformed(text: &str, symbol: &str, operand: &str, new: &str) -> Option<String> {
    match symbol {
        "%" | "%%" => without_suffix(text, operand, symbol == "%%"),
        "#" | "##" => without_prefix(text, operand, symbol == "##"),
        "/" | "//" => {
            let pattern = plain(operand).filter(|pattern| !pattern.is_empty())?;
            Some(if symbol == "//" {
                text.replace(pattern, new)
            } else {
                text.replacen(pattern, new, 1)
            })
        }
        "^^" if operand.is_empty() => Some(text.to_uppercase()),
        ",," if operand.is_empty() => Some(text.to_lowercase()),
        _ => None,
    }
}

fn without_suffix(text: &str, pattern: &str, is_longest: bool) -> Option<String> {
    let kept = match pattern.strip_suffix('*') {
        Some(mark) if !mark.is_empty() => {
            let mark = plain(mark)?;
            let at = if is_longest {
                text.find(mark)
            } else {
                text.rfind(mark)
            };
            at.map_or(text, |at| &text[..at])
        }
        _ => {
            let suffix = plain(pattern)?;
            text.strip_suffix(suffix).unwrap_or(text)
        }
    };
    Some(kept.to_owned())
}

fn without_prefix(text: &str, pattern: &str, is_longest: bool) -> Option<String> {
    let kept = match pattern.strip_prefix('*') {
        Some(mark) if !mark.is_empty() => {
            let mark = plain(mark)?;
            let at = if is_longest {
                text.rfind(mark)
            } else {
                text.find(mark)
            };
            at.map_or(text, |at| &text[at + mark.len()..])
        }
        _ => {
            let prefix = plain(pattern)?;
            text.strip_prefix(prefix).unwrap_or(text)
        }
    };
    Some(kept.to_owned())
}

fn plain(pattern: &str) -> Option<&str> {
    (!pattern.contains(['*', '?', '[', '\\'])).then_some(pattern)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn as_bash_does() {
        for (text, symbol, operand, new, expected) in [
            ("a/b.yaml", "%", ".yaml", "", Some("a/b")),
            ("a/b.yaml", "##", "*/", "", Some("b.yaml")),
            ("a/b/c", "#", "*/", "", Some("b/c")),
            ("a/b/c", "%", "/*", "", Some("a/b")),
            ("a/b/c", "%%", "/*", "", Some("a")),
            ("a/b", "%", ".x", "", Some("a/b")),
            ("a-b-c", "//", "-", "_", Some("a_b_c")),
            ("a-b-c", "/", "-", "", Some("ab-c")),
            ("Bf16", "^^", "", "", Some("BF16")),
            ("Bf16", ",,", "", "", Some("bf16")),
            ("abc", "%", "[bc]", "", None),
            ("abc", ":", "0:1", "", None),
        ] {
            assert_eq!(
                transformed(text, symbol, operand, new).as_deref(),
                expected,
                "{text}{symbol}{operand}"
            );
        }
    }
}
