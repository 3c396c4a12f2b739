//! Small files of every kind, and what comes out of them.

mod build;
mod cloud;
mod discovered;
mod hostile;
mod prose;
mod recipes;
mod scalars;
mod workflows;

use std::sync::Arc;

use crate::source::{SourceFile, Span};

use super::super::{Folder, Term};
use super::{Body, Fragment, MappedText};

/// The fragments of a file, checked for the places of their bytes.
fn read(path: &str, text: &str) -> Vec<Fragment> {
    let fragments = super::of(&Arc::new(SourceFile::from_text(path, text)));
    for fragment in &fragments {
        if let Body::Shell(mapped) = &fragment.body {
            check_places(text, mapped);
        }
        let words = match &fragment.body {
            Body::Words(words) => words.as_slice(),
            Body::Shell(_) => &[],
        };
        let given = fragment.environment.iter().map(|(_, term)| term);
        for term in words.iter().chain(given) {
            let span = term.spot.span;
            assert!(
                text.get(span.start..span.end).is_some(),
                "{span:?} of {path}"
            );
        }
    }
    fragments
}

/// Every character of a text comes from the same one of the file, unless it stands for something else there.
fn check_places(file: &str, mapped: &MappedText) {
    for (at, c) in mapped.text.char_indices() {
        let end = at + c.len_utf8();
        let span = mapped.in_file(Span::new(at, end));
        let there = file.get(span.start..span.end);
        assert!(there.is_some(), "{span:?} is not in the file: {mapped:?}");
        let is_replaced = mapped.pieces.iter().filter(|piece| piece.0 == at).count() > 1;
        if !is_replaced {
            assert_eq!(there, mapped.text.get(at..end), "{mapped:?}");
        }
        for (from, to) in [(0, end), (at, at), (at, mapped.text.len())] {
            let span = mapped.in_file(Span::new(from, to));
            assert!(
                file.get(span.start..span.end).is_some(),
                "{span:?} is not in the file"
            );
        }
    }
}

/// One line for each fragment: what runs, what it is given, where.
fn shown(path: &str, text: &str) -> Vec<String> {
    read(path, text).iter().map(show).collect()
}

fn show(fragment: &Fragment) -> String {
    let mut out = match &fragment.body {
        Body::Shell(text) => format!("{:?}", text.text),
        Body::Words(words) => {
            let words: Vec<String> = words.iter().map(show_term).collect();
            format!("[{}]", words.join(", "))
        }
    };
    for (name, term) in &fragment.environment {
        let name = name.strip_prefix("FP8LINT_UNKNOWN_").unwrap_or(name);
        out += &format!(" {name}={}", show_term(term));
    }
    out += &match &fragment.folder {
        Folder::Start(path) => format!(" in {path}"),
        Folder::Own(path) => format!(" in ./{path}"),
        Folder::Unknown => " somewhere".to_owned(),
    };
    out
}

fn show_term(term: &Term) -> String {
    match &term.text {
        Ok(text) => text.clone(),
        Err(why) => format!("<{why}>"),
    }
}

/// Line and column of the first place of a word in the shell texts and words, and the file's text there.
fn place(path: &str, text: &str, word: &str) -> Option<(usize, usize, String)> {
    let file = SourceFile::from_text(path, text);
    let span = read(path, text)
        .iter()
        .find_map(|fragment| match &fragment.body {
            Body::Shell(mapped) => {
                let at = mapped.text.find(word)?;
                Some(mapped.in_file(Span::new(at, at + word.len())))
            }
            Body::Words(words) => {
                let found = words.iter().find(|term| term.known() == Some(word))?;
                Some(found.spot.span)
            }
        })?;
    let at = file.line_column(span.start);
    Some((at.line, at.column, file.slice(span).to_owned()))
}

/// Asserts what [`shown`] gives for each file, also with CRLF and with a byte order mark.
fn assert_shown(cases: &[(&str, &str, &[&str])]) {
    for (path, text, expected) in cases {
        assert_eq!(shown(path, text), *expected, "{path}:\n{text}");
        let other = text.replace('\n', "\r\n");
        assert_eq!(shown(path, &other), *expected, "CRLF, {path}:\n{text}");
        if !path.ends_with(".yaml") && !path.ends_with(".yml") {
            let other = format!("\u{feff}{text}");
            assert_eq!(
                shown(path, &other),
                *expected,
                "byte order mark, {path}:\n{text}"
            );
        }
    }
}
