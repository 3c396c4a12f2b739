//! What a comment says to fp8lint: `ignore[RULE, …] until=YYYY-MM-DD reason`.

use crate::source::Span;

use super::Date;

/// What begins a word to fp8lint.
pub const MARK: &str = "fp8lint:";

/// One word to fp8lint in a comment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Directive {
    /// Its bytes, from the `#` or `<!--`.
    pub(super) span: Span,
    /// What it says.
    pub(super) said: Result<Ignore, Malformed>,
}

/// An ignore.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Ignore {
    /// Whether it is meant for the whole file.
    pub(super) is_file: bool,
    /// The rules, as they are named.
    pub(super) rules: Vec<Named>,
    /// What stands between the brackets.
    pub(super) bracket: Span,
    /// The last day on which it holds.
    pub(super) until: Option<(Date, Span)>,
    /// Why; may be empty.
    pub(super) reason: String,
}

/// A rule that is named.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Named {
    pub(super) text: String,
    pub(super) span: Span,
}

/// Why a comment says nothing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Malformed {
    /// Another word than `ignore` and `ignore-file`; that word.
    Word(Span),
    /// No rule is named.
    NoRules,
    /// The bracket is not closed.
    Unclosed,
    /// `until=` with no day behind it.
    NoDate(Span),
}

/// The directives in a comment, which stands at `comment` in `text`, marks of the comment included.
pub(super) fn directives(text: &str, comment: Span, opening: &str) -> Vec<Directive> {
    let Some(content) = text.get(comment.start..comment.end) else {
        return Vec::new();
    };
    let mut starts: Vec<(usize, usize)> = Vec::new();
    for (at, _) in content.match_indices(MARK) {
        // `see fp8lint: …` is prose: only the comment's mark may stand before it.
        let before = content.get(..at).unwrap_or_default();
        let before = before.trim_end_matches([' ', '\t']);
        let start = match opening {
            "#" => before.trim_end_matches('#').len(),
            _ => before.len().saturating_sub(opening.len()),
        };
        let rest = before.get(..start).unwrap_or_default();
        let is_parted = rest.is_empty() || rest.ends_with([' ', '\t']);
        if before.ends_with(opening) && is_parted {
            starts.push((start, at + MARK.len()));
        }
    }
    let ends = starts.iter().skip(1).map(|(start, _)| *start);
    let ends: Vec<_> = ends.chain([content.len()]).collect();
    let spans = starts.iter().zip(ends);
    spans
        .map(|((start, said), end)| {
            let whole = content.get(*start..end).unwrap_or_default();
            let end = start + whole.trim_end().len();
            let closing = if opening == "#" { "" } else { "-->" };
            let inner = content.get(*said..end).unwrap_or_default();
            let inner = inner.strip_suffix(closing).unwrap_or(inner);
            Directive {
                span: Span::new(comment.start + start, comment.start + end),
                said: parse(inner, comment.start + said),
            }
        })
        .collect()
}

/// Whether a comment can give this as its reason.
pub fn is_reason(reason: &str) -> bool {
    let comment = format!("# {MARK} ignore[FP] {reason}");
    let is_text = !reason.chars().any(char::is_control) && !reason.contains("-->");
    let found = directives(&comment, Span::new(0, comment.len()), "#");
    is_text && matches!(found.as_slice(), [Directive { said: Ok(_), .. }])
}

/// What stands behind the mark; `base` is where in the file.
fn parse(text: &str, base: usize) -> Result<Ignore, Malformed> {
    let at = |start: usize, end: usize| Span::new(base + start, base + end);
    let start = text.len() - text.trim_start().len();
    let rest = &text[start..];
    let is_part = |character: char| character.is_alphanumeric() || matches!(character, '-' | '_');
    let length = rest.find(|c| !is_part(c)).unwrap_or(rest.len());
    let word = start..start + length;
    let is_file = match &rest[..length] {
        "ignore" => false,
        "ignore-file" => true,
        _ => return Err(Malformed::Word(at(word.start, word.end))),
    };
    let behind = &text[word.end..];
    let open = word.end + behind.len() - behind.trim_start().len();
    if !text[open..].starts_with('[') {
        return Err(Malformed::NoRules);
    }
    let inside = open + 1;
    let Some(length) = text[inside..].find(']') else {
        return Err(Malformed::Unclosed);
    };
    let close = inside + length;
    let mut rules = Vec::new();
    let mut offset = inside;
    for part in text[inside..close].split(',') {
        let name = part.trim();
        if !name.is_empty() {
            let start = offset + part.len() - part.trim_start().len();
            rules.push(Named {
                text: name.to_owned(),
                span: at(start, start + name.len()),
            });
        }
        offset += part.len() + 1;
    }
    if rules.is_empty() {
        return Err(Malformed::NoRules);
    }
    let mut until = None;
    let mut reason = Vec::new();
    let mut offset = close + 1;
    for word in text[close + 1..].split_inclusive(char::is_whitespace) {
        let trimmed = word.trim();
        let span = at(offset, offset + trimmed.len());
        offset += word.len();
        // `until 2027-01-31`, too: as a reason it would hold for ever.
        let follows = reason.last() == Some(&"until");
        if follows && let Some(date) = Date::parse(trimmed) {
            reason.pop();
            until = Some((date, span));
        } else if let Some(date) = trimmed.strip_prefix("until=") {
            let date = date.trim_end_matches([',', '.', ';', ':']);
            let date = Date::parse(date).ok_or(Malformed::NoDate(span))?;
            until = Some((date, span));
        } else if !trimmed.is_empty() {
            reason.push(trimmed);
        }
    }
    Ok(Ignore {
        is_file,
        rules,
        bracket: at(inside, close),
        until,
        reason: reason.join(" "),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(comment: &str) -> Vec<Directive> {
        let opening = if comment.starts_with('#') {
            "#"
        } else {
            "<!--"
        };
        directives(comment, Span::new(0, comment.len()), opening)
    }

    #[test]
    fn rules_day_and_reason() {
        let comment =
            "# old # fp8lint: ignore[FP201, fp8-backend ] until=2027-01-31, the é cluster";
        let found = of(comment);
        let [
            Directive {
                span,
                said: Ok(ignore),
            },
        ] = found.as_slice()
        else {
            panic!("{found:?}");
        };
        assert_eq!(&comment[span.start..span.end], &comment[6..]);
        let rules: Vec<_> = ignore.rules.iter().map(|rule| rule.text.as_str()).collect();
        assert_eq!(rules, ["FP201", "fp8-backend"]);
        for rule in &ignore.rules {
            assert_eq!(&comment[rule.span.start..rule.span.end], rule.text);
        }
        assert_eq!(ignore.reason, "the é cluster");
        assert_eq!(
            ignore.until.map(|(date, _)| date),
            Date::parse("2027-01-31")
        );
        let page = of("<!-- fp8lint: ignore-file[FP3] why -->");
        let said = page[0].said.as_ref().unwrap();
        assert!(said.is_file && said.reason == "why");
        let two = of("# fp8lint: ignore[A] x # fp8lint: ignore[B] y");
        assert_eq!(two.len(), 2);
        assert_eq!(two[0].said.as_ref().unwrap().reason, "x");
    }

    #[test]
    fn what_is_none_and_what_is_malformed() {
        assert!(of("# see fp8lint: ignore[A]").is_empty());
        assert!(of("# see docs#fp8lint: ignore[A]").is_empty());
        let said = |comment: &str| of(comment).remove(0).said.unwrap_err();
        assert!(matches!(said("# fp8lint: disable[A]"), Malformed::Word(_)));
        assert!(matches!(said("# fp8lint:"), Malformed::Word(_)));
        assert!(matches!(said("#fp8lint:ignore"), Malformed::NoRules));
        assert!(matches!(
            said("## fp8lint: ignore-file[ , ]"),
            Malformed::NoRules
        ));
        assert!(matches!(said("# fp8lint: ignore[A"), Malformed::Unclosed));
        assert!(matches!(
            said("# fp8lint: ignore[A] until=soon"),
            Malformed::NoDate(_)
        ));
    }
}
