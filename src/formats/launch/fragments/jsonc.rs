//! JSON with comments, as Visual Studio Code writes it.

/// The text as JSON of the same length: blanks in place of comments, of commas before a closing bracket, and of a byte
/// order mark.
pub(super) fn as_json(text: &str) -> String {
    let mut out = Vec::with_capacity(text.len());
    let mut rest = text;
    if let Some(after) = text.strip_prefix('\u{feff}') {
        out.extend(b"   ");
        rest = after;
    }
    // The last comma, if only blanks and comments stand between it and here.
    let mut comma = None;
    let mut commas = Vec::new();
    while let Some(c) = rest.chars().next() {
        let length = match c {
            '"' => string_length(rest),
            '/' if rest.starts_with("//") => rest.find('\n').unwrap_or(rest.len()),
            '/' if rest.starts_with("/*") => rest.find("*/").map_or(rest.len(), |end| end + 2),
            c => c.len_utf8(),
        };
        let (piece, after) = rest.split_at(length);
        rest = after;
        match c {
            ',' => comma = Some(out.len()),
            '}' | ']' => commas.extend(comma.take()),
            '/' if length > 1 => {
                let blank = |byte| {
                    if matches!(byte, b'\n' | b'\r') {
                        byte
                    } else {
                        b' '
                    }
                };
                out.extend(piece.bytes().map(blank));
                continue;
            }
            c if c.is_ascii_whitespace() => {}
            _ => comma = None,
        }
        out.extend(piece.as_bytes());
    }
    for at in commas {
        out[at] = b' ';
    }
    // Only whole characters were replaced.
    String::from_utf8(out).unwrap_or_default()
}

/// How many bytes a string has, with its quotes.
fn string_length(text: &str) -> usize {
    let mut is_escaped = true;
    for (at, c) in text.char_indices() {
        match c {
            '"' if !is_escaped => return at + 1,
            '\\' => is_escaped = !is_escaped,
            _ => is_escaped = false,
        }
    }
    text.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_and_last_commas_become_blanks() {
        let cases = [
            ("{\"a\": 1, // é\n}", "{\"a\": 1       \n}"),
            (
                "[\"//\", /* x\n, */ \"\\\"/*\",]",
                "[\"//\",     \n     \"\\\"/*\" ]",
            ),
            ("\u{feff}[1, 2]", "   [1, 2]"),
            ("\"", "\""),
            ("/", "/"),
            ("/*", "  "),
        ];
        for (text, json) in cases {
            assert_eq!(as_json(text), json, "{text}");
            assert_eq!(as_json(text).len(), text.len());
        }
    }
}
