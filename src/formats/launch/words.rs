//! Looking at words that may not be known, or only in part.

use std::borrow::Cow;

use crate::source::Span;

use super::{Spot, Term};

/// How a word begins: its text where it is known; else what stands in the file before the first thing to fill in.
pub(super) fn beginning(term: &Term) -> Cow<'_, str> {
    match term.known() {
        Some(text) => Cow::Borrowed(text),
        None => {
            let written = written(term);
            let end = written.find(['$', '`']).unwrap_or(written.len());
            let before = written.get(..end).unwrap_or_default();
            // A word out of the middle of a variable's value begins with what parts it from the one before.
            let is_parting = |character: char| character.is_whitespace() || character == '\\';
            let before = before.trim_start_matches(is_parting);
            if before.contains(['"', '\'']) {
                Cow::Owned(before.replace(['"', '\''], ""))
            } else {
                Cow::Borrowed(before)
            }
        }
    }
}

/// The name of the program or file that a word names, folders left out. It can be known although the folders are not:
/// `$VENV/bin/accelerate`.
pub(super) fn base_name(term: &Term) -> Option<&str> {
    match term.known() {
        Some(text) => text.rsplit('/').next(),
        None => {
            let (_, name) = written(term)
                .trim_end_matches(['"', '\''])
                .rsplit_once('/')?;
            let is_plain = name
                .bytes()
                .all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'_' | b'-'));
            is_plain.then_some(name)
        }
    }
}

/// Whether a word names a Python file, also where its folder is not known.
pub(super) fn is_python_file(term: &Term) -> bool {
    let text = match term.known() {
        Some(text) => text,
        None => written(term).trim_end_matches(['"', '\'']),
    };
    text.ends_with(".py")
}

/// Whether a word is an option, or an option with its value: `-m`, `--config_file=$FILE`. Numbers are none.
pub(super) fn is_flag(term: &Term) -> bool {
    let text = beginning(term);
    text.len() > 1 && text.starts_with('-') && !is_negative_number(&text)
}

/// Whether a word may stand for any number of words, options included.
pub(super) fn is_open(term: &Term) -> bool {
    term.is_open && term.known().is_none() && beginning(term).is_empty()
}

/// The word from this byte of its beginning on: the value in `--flag=value`.
pub(super) fn part(term: &Term, start: usize) -> Term {
    let text = match &term.text {
        Ok(text) => Ok(text.get(start..).unwrap_or_default().to_owned()),
        Err(reason) => Err(reason.clone()),
    };
    let begins_alike = beginning(term)
        .get(..start)
        .is_some_and(|before| written(term).starts_with(before));
    let span = term.spot.span;
    Term {
        text,
        is_open: false,
        spot: Spot {
            file: term.spot.file.clone(),
            span: if begins_alike {
                Span::new(span.start + start, span.end)
            } else {
                span
            },
        },
    }
}

/// An assignment, `NAME=value`.
pub(super) fn assignment(term: &Term) -> Option<(String, Term)> {
    let text = beginning(term);
    let (name, _) = text.split_once('=')?;
    is_variable_name(name).then(|| (name.to_owned(), part(term, name.len() + 1)))
}

/// Whether a shell would take this as the name of a variable.
pub(super) fn is_variable_name(name: &str) -> bool {
    let is_word = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_';
    !name.is_empty()
        && name.bytes().all(is_word)
        && !name.starts_with(|first: char| first.is_ascii_digit())
}

/// The place of several words: from the first to the last, where they stand in one line of thought.
pub(super) fn spot_of(words: &[Term], command: &Spot) -> Spot {
    let within = |spot: &Spot| {
        spot.file.path == command.file.path
            && command.span.start <= spot.span.start
            && spot.span.end <= command.span.end
    };
    let Some(first) = words.first() else {
        return command.clone();
    };
    let mut spot = first.spot.clone();
    if words.iter().all(|word| within(&word.spot)) {
        for word in words {
            spot.span = spot.span.to(word.spot.span);
        }
    }
    spot
}

/// The word as it stands in its file.
pub(super) fn written(term: &Term) -> &str {
    term.spot.file.slice(term.spot.span)
}

fn is_negative_number(text: &str) -> bool {
    text.strip_prefix('-').is_some_and(|digits| {
        digits.starts_with(|first: char| first.is_ascii_digit() || first == '.')
    }) && text.parse::<f64>().is_ok()
}

#[cfg(test)]
mod tests {
    use super::super::command::tests::{open, term};
    use super::*;

    #[test]
    fn what_can_be_seen_of_a_word() {
        // The word as written, whether it is known; its beginning, its base name.
        for (text, is_known, begins, name) in [
            (
                "/opt/bin/accelerate",
                true,
                "/opt/bin/accelerate",
                Some("accelerate"),
            ),
            ("$VENV/bin/python3", false, "", Some("python3")),
            ("\"${VENV}/bin/torchrun\"", false, "", Some("torchrun")),
            ("--config_file=$FILE", false, "--config_file=", None),
            ("bin/$NAME", false, "bin/", None),
            ("$PYTHON", false, "", None),
        ] {
            let word = if is_known { term(text) } else { open(text) };
            assert_eq!(beginning(&word), begins, "{text}");
            assert_eq!(base_name(&word), name, "{text}");
        }
    }

    #[test]
    fn flags_and_numbers() {
        for (text, expected) in [
            ("-m", true),
            ("--lr=1", true),
            ("-", false),
            ("-1", false),
            ("-1e-5", false),
            ("-inf", true),
            ("x", false),
        ] {
            assert_eq!(is_flag(&term(text)), expected, "{text}");
        }
        assert!(is_flag(&open("--num_processes=$N")));
        assert!(!is_flag(&open("$ARGS")));
    }

    #[test]
    fn an_assignment_keeps_its_place() {
        let (name, value) = assignment(&term("A=é=1")).unwrap();
        assert_eq!((name.as_str(), value.known()), ("A", Some("é=1")));
        assert_eq!(written(&value), "é=1");
        let (name, value) = assignment(&open("A=$B")).unwrap();
        assert_eq!((name.as_str(), value.known()), ("A", None));
        assert!(assignment(&term("1A=1")).is_none());
        assert!(assignment(&term("--a=1")).is_none());
    }
}
