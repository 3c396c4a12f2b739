//! The text of a scalar of YAML or JSON with the place of each of its bytes.

use crate::source::{NodeRef, Span, Style};

use super::text::{Builder, MappedText, lines};

/// The text of a scalar. What is no text to Python (`8`, `true`) is taken as written, since a command gets it as text;
/// `null` is empty.
///
/// `document` is the text that the tree was read from, which begins at `base` in the file.
pub(super) fn of(document: &str, base: usize, node: NodeRef<'_>) -> Option<MappedText> {
    node.scalar()?;
    let span = node.span();
    let source = document.get(span.start..span.end)?;
    let place = Span::new(base + span.start, base + span.end);
    if node.is_none() {
        return Some(MappedText::verbatim("", place.start));
    }
    let Some(value) = node.text() else {
        return Some(MappedText::verbatim(source, place.start));
    };
    let aligned = match node.style() {
        Style::BlockScalar => block(&document[span.start..], place.start, value),
        Style::SingleQuoted | Style::DoubleQuoted => {
            let inner = source
                .get(1..source.len().saturating_sub(1))
                .unwrap_or_default();
            flow(inner, place.start + 1, value, node.style())
        }
        _ => flow(source, place.start, value, Style::Plain),
    };
    // Rare line breaks (U+2028), escapes of line breaks, tags: the place of the whole.
    Some(if aligned.text == value {
        aligned
    } else {
        let mut builder = Builder::new(place.start);
        builder.replaced(value, place);
        builder.finish()
    })
}

/// A plain or quoted scalar, without its quotes: line breaks are folded, escapes stand for characters.
fn flow(source: &str, start: usize, value: &str, style: Style) -> MappedText {
    let mut builder = Builder::new(start);
    let mut at = 0;
    while let Some(rest) = source.get(at..).filter(|rest| !rest.is_empty()) {
        let special = rest.find(|c| match c {
            '\n' | '\r' => true,
            '\\' => style == Style::DoubleQuoted,
            '\'' => style == Style::SingleQuoted,
            _ => false,
        });
        let plain = &rest[..special.unwrap_or(rest.len())];
        let rest = &rest[plain.len()..];
        let is_break = rest.starts_with(['\n', '\r']);
        let kept = if is_break {
            plain.trim_end_matches([' ', '\t'])
        } else {
            plain
        };
        builder.verbatim(kept, start + at);
        let gap = at + kept.len();
        at += plain.len();
        if rest.is_empty() {
            break;
        }
        // `\` before a break takes away the blank that it would be.
        let is_joined = style == Style::DoubleQuoted && rest[1..].starts_with(['\n', '\r']);
        let (text, length) = if is_break || is_joined {
            let gap = if is_break { rest } else { &rest[1..] };
            let blanks = gap.len() - gap.trim_start_matches([' ', '\t', '\n', '\r']).len();
            let breaks = &gap[..blanks];
            let count = lines(breaks).count() - usize::from(!breaks.ends_with('\n'));
            let text = match (count, is_break) {
                (0 | 1, true) => " ".to_owned(),
                _ => "\n".repeat(count.saturating_sub(1)),
            };
            (text, rest.len() - gap.len() + blanks)
        } else {
            let next = value
                .get(builder.text().len()..)
                .and_then(|rest| rest.chars().next());
            (
                next.map(String::from).unwrap_or_default(),
                escape_length(rest),
            )
        };
        at = (at + length).min(source.len());
        builder.replaced(&text, Span::new(start + gap, start + at));
    }
    builder.finish()
}

/// How many bytes an escape has.
fn escape_length(rest: &str) -> usize {
    let code = |text: &str| {
        let digits = text.strip_prefix("\\u")?.get(..4)?;
        u32::from_str_radix(digits, 16).ok()
    };
    match rest.as_bytes() {
        [b'\\', b'x', ..] => 4,
        [b'\\', b'U', ..] => 10,
        [b'\\', b'u', ..] => {
            let is_high = code(rest).is_some_and(|code| (0xd800..0xdc00).contains(&code));
            let low = rest.get(6..).and_then(code);
            let is_pair = is_high && low.is_some_and(|code| (0xdc00..0xe000).contains(&code));
            if is_pair { 12 } else { 6 }
        }
        _ => 1 + rest[1..].chars().next().map_or(0, char::len_utf8),
    }
}

/// A block scalar, from its `|` or `>` on. The value tells how lines are folded and how many ends of lines are kept.
fn block(source: &str, start: usize, value: &str) -> MappedText {
    let mut builder = Builder::new(start);
    let indentation = |line: &str| line.len() - line.trim_start_matches(' ').len();
    let is_folded = source.starts_with('>');
    let written = lines(source)
        .skip(1)
        .map(|(_, line)| line)
        .find(|line| !line.trim().is_empty());
    let wanted = value.split('\n').find(|line| !line.trim().is_empty());
    let (Some(written), Some(wanted)) = (written, wanted) else {
        return builder.finish();
    };
    let indent = indentation(written).saturating_sub(indentation(wanted));
    // Where the breaks begin that are not yet told from a space.
    let mut gap: Option<usize> = None;
    for (offset, line) in lines(source).skip(1) {
        let dropped = indentation(line).min(indent);
        let content = &line[dropped..];
        let end = offset + line.len();
        if is_folded && content.is_empty() {
            gap.get_or_insert(offset);
            continue;
        }
        if let Some(from) = gap.take() {
            builder.replaced(
                breaks(value, &builder),
                Span::new(start + from, start + offset + dropped),
            );
        }
        let rest = value.get(builder.text().len()..).unwrap_or_default();
        if rest.is_empty() || !rest.starts_with(content) {
            break;
        }
        builder.verbatim(content, start + offset + dropped);
        if is_folded {
            gap = Some(end);
            continue;
        }
        if !rest[content.len()..].starts_with('\n') {
            break;
        }
        let feed = if source[end..].starts_with("\r\n") {
            end + 1
        } else {
            end
        };
        if feed < source.len() {
            builder.verbatim("\n", start + feed);
        }
    }
    if let Some(from) = gap {
        let end = source.len().min(from + 1);
        builder.replaced(
            breaks(value, &builder),
            Span::new(start + from, start + end.max(from)),
        );
    }
    builder.finish()
}

/// The line breaks, or the space, with which the rest of the value begins.
fn breaks<'a>(value: &'a str, builder: &Builder) -> &'a str {
    let rest = value.get(builder.text().len()..).unwrap_or_default();
    let count = rest.len() - rest.trim_start_matches('\n').len();
    if count == 0 && rest.starts_with(' ') {
        &rest[..1]
    } else {
        &rest[..count]
    }
}
