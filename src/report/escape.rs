//! Text from files, paths and messages, made safe to show: nothing in it can move the cursor, change colours, turn the
//! direction of writing or hide itself.

use std::borrow::Cow;

/// Text for one line: every dangerous character, line breaks and tabs included, as an escape (`\u{1b}`, `\n`).
pub fn one_line(text: &str) -> Cow<'_, str> {
    if !text.chars().any(is_dangerous) {
        return Cow::Borrowed(text);
    }
    let mut safe = String::with_capacity(text.len() + 8);
    for character in text.chars() {
        match character {
            '\n' => safe.push_str("\\n"),
            '\r' => safe.push_str("\\r"),
            '\t' => safe.push_str("\\t"),
            _ if is_dangerous(character) => safe.extend(character.escape_unicode()),
            _ => safe.push(character),
        }
    }
    Cow::Owned(safe)
}

/// The beginning of a text that is longer than `width` characters.
pub(super) fn shortened(text: &str, width: usize) -> Cow<'_, str> {
    match text.char_indices().nth(width) {
        None => Cow::Borrowed(text),
        Some((end, _)) => Cow::Owned(format!("{}…", &text[..end])),
    }
}

/// Text that may have several lines; tabs become four blanks.
pub(super) fn lines(text: &str) -> String {
    let safe: Vec<_> = text
        .split('\n')
        .map(|line| one_line(&line.trim_end_matches('\r').replace('\t', "    ")).into_owned())
        .collect();
    safe.join("\n")
}

/// Help as Markdown: a first line of prose, and what follows it as a block of code that nothing in it can end.
pub(super) fn markdown(help: &str) -> String {
    let help = lines(help);
    let Some((first, code)) = help.split_once('\n') else {
        return help;
    };
    let longest = code.split(|character| character != '`').map(str::len).max();
    let fence = "`".repeat(longest.unwrap_or(0).max(2) + 1);
    format!("{first}\n\n{fence}\n{code}\n{fence}")
}

/// Text for XML 1.0, in an element or an attribute: characters that XML cannot hold at all, and those that are
/// dangerous on a terminal, become visible escapes; line breaks stay.
pub(super) fn xml(text: &str) -> String {
    let mut safe = String::with_capacity(text.len() + 8);
    for character in lines(text).chars() {
        match character {
            '&' => safe.push_str("&amp;"),
            '<' => safe.push_str("&lt;"),
            '>' => safe.push_str("&gt;"),
            '"' => safe.push_str("&quot;"),
            '\'' => safe.push_str("&apos;"),
            '\u{fffe}' | '\u{ffff}' => safe.extend(character.escape_unicode()),
            _ => safe.push(character),
        }
    }
    safe
}

/// JSON with every dangerous character of its texts as JSON's own escape, which a reader takes back.
pub(super) fn json(text: &str) -> String {
    let mut safe = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            // Between the values; in texts they are escaped already.
            '\n' => safe.push(character),
            _ if is_dangerous(character) => {
                for unit in character.encode_utf16(&mut [0; 2]) {
                    safe.push_str(&format!("\\u{unit:04x}"));
                }
            }
            _ => safe.push(character),
        }
    }
    safe
}

/// A character of a source line, as one character, so that columns stay what they are. Tabs stay: the renderer widens
/// them.
pub(super) fn in_place(character: char) -> char {
    match character {
        '\t' => '\t',
        '\u{7f}' => '\u{2421}',
        _ if character < ' ' => char::from_u32(0x2400 + character as u32).unwrap_or('\u{fffd}'),
        _ if is_dangerous(character) => '\u{fffd}',
        _ => character,
    }
}

/// Controls (C0, DEL, C1), marks that turn the direction of writing, line and paragraph separators, and characters
/// without width or look of their own.
fn is_dangerous(character: char) -> bool {
    character.is_control()
        || matches!(character,
            '\u{ad}'
            | '\u{61c}'
            | '\u{180e}'
            | '\u{200b}'..='\u{200f}'
            | '\u{2028}'..='\u{202e}'
            | '\u{2060}'..='\u{206f}'
            | '\u{feff}'
            | '\u{fff9}'..='\u{fffb}'
            | '\u{e0000}'..='\u{e007f}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_dangerous_is_left() {
        assert_eq!(
            one_line("a\u{1b}[31m\n\u{202e}\u{9b}b"),
            "a\\u{1b}[31m\\n\\u{202e}\\u{9b}b"
        );
        assert!(matches!(one_line("é 漢"), Cow::Borrowed(_)));
        assert_eq!(lines("a:\r\n\tb\u{7}"), "a:\n    b\\u{7}");
        assert_eq!(
            xml("a\u{1b}\0&<>\"'\u{fffe}\u{ffff}\u{202e}\nb]]>"),
            "a\\u{1b}\\u{0}&amp;&lt;&gt;&quot;&apos;\\u{fffe}\\u{ffff}\\u{202e}\nb]]&gt;"
        );
        assert_eq!(markdown("do `this`"), "do `this`");
        assert_eq!(
            markdown("write:\na: 1\n```` x"),
            "write:\n\n`````\na: 1\n```` x\n`````"
        );
        assert_eq!(markdown("write:\na: 1"), "write:\n\n```\na: 1\n```");
        assert_eq!(
            "\t\u{1b}\u{202e}\u{7f}é"
                .chars()
                .map(in_place)
                .collect::<String>(),
            "\t\u{241b}\u{fffd}\u{2421}é"
        );
    }
}
