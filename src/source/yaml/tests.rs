//! What the recordings do not show: spans, comments, duplicate keys.

use super::read;
use crate::source::{Data, Document, Object, Route, SourceFile, Span, Step, Style};

fn text_at(text: &str, span: Span) -> &str {
    text.get(span.start..span.end).unwrap()
}

fn value<'text>(text: &'text str, document: &Document, steps: &[Step]) -> &'text str {
    let (_, node) = document.at(&Route(steps.to_vec())).unwrap();
    text_at(text, node.span())
}

fn key(name: &str) -> Step {
    Step::Key(name.to_owned())
}

#[test]
fn spans_leave_out_properties_and_comments() {
    let text = "a: &x !!str 'b' # c\nd: {e: 1, f: [2, g]} # h\ni:\n  j: k\n  l: m # n\no: 1\n";
    let document = read(text).unwrap();
    assert_eq!(value(text, &document, &[key("a")]), "'b'");
    assert_eq!(value(text, &document, &[key("d")]), "{e: 1, f: [2, g]}");
    assert_eq!(value(text, &document, &[key("d"), key("f")]), "[2, g]");
    assert_eq!(value(text, &document, &[key("i")]), "j: k\n  l: m");
    assert_eq!(value(text, &document, &[]).len(), text.len() - 1);
    let comments: Vec<_> = document
        .comments
        .iter()
        .map(|comment| text_at(text, comment.span))
        .collect();
    assert_eq!(comments, ["# c", "# h", "# n"]);
}

#[test]
fn spans_count_bytes_whatever_ends_the_lines() {
    for end in ["\n", "\r\n", "\r", "\u{85}"] {
        let text = [
            "\u{feff}é: ü",
            "日本:",
            "  - \"😀\"",
            "  - x",
            "b: |",
            "  l",
            "c: d",
            "",
        ]
        .join(end);
        let document = read(&text).unwrap();
        assert_eq!(value(&text, &document, &[key("é")]), "ü");
        assert_eq!(
            value(&text, &document, &[key("日本"), Step::Index(0)]),
            "\"😀\""
        );
        assert_eq!(
            value(&text, &document, &[key("日本")]),
            format!("- \"😀\"{end}  - x")
        );
        assert_eq!(value(&text, &document, &[key("b")]), format!("|{end}  l"));
        assert_eq!(value(&text, &document, &[key("c")]), "d");
    }
}

#[test]
fn a_block_scalar_reaches_from_its_indicator_to_its_last_written_line() {
    let text = "a: >- # c\n  x\n  y\n\n\nb: |+\n\nc: &k !!str |\n  z\n";
    let document = read(text).unwrap();
    assert_eq!(value(text, &document, &[key("a")]), ">- # c\n  x\n  y");
    assert_eq!(value(text, &document, &[key("b")]), "|+");
    assert_eq!(value(text, &document, &[key("c")]), "|\n  z");
    assert_eq!(
        document.root().get("a").unwrap().value.style(),
        Style::BlockScalar
    );
}

#[test]
fn a_value_that_is_not_written_stands_after_its_colon() {
    let text = "a:\nb:   # c\nd: {e: , f}\n";
    let document = read(text).unwrap();
    let place = |steps: &[Step]| document.at(&Route(steps.to_vec())).unwrap().1.span();
    assert_eq!(place(&[key("a")]), Span::at(2));
    assert_eq!(place(&[key("b")]), Span::at(5));
    assert_eq!(
        place(&[key("d"), key("e")]),
        Span::at(text.find(", f").unwrap() - 1)
    );
}

#[test]
fn a_sequence_that_is_not_indented_begins_at_its_dash() {
    let text = "a: # c - d\n# e\n- f\n- - g\n  - h\nb: 1\n";
    let document = read(text).unwrap();
    assert_eq!(value(text, &document, &[key("a")]), "- f\n- - g\n  - h");
    assert_eq!(
        value(text, &document, &[key("a"), Step::Index(1)]),
        "- g\n  - h"
    );
}

#[test]
fn an_alias_is_the_node_of_its_anchor() {
    let document = read("a: &x [1]\nb: *x\nc: &y {d: *y}\n").unwrap();
    let root = document.root();
    assert_eq!(
        root.get("a").unwrap().value.id(),
        root.get("b").unwrap().value.id()
    );
    let c = root.get("c").unwrap().value;
    assert_eq!(c.get("d").unwrap().value.id(), c.id());
    assert_eq!(root.object(), None);
}

#[test]
fn the_last_of_equal_keys_wins_in_the_place_of_the_first() {
    let text = "a: 1\nb: 2\na: 3\na: 4\n";
    let document = read(text).unwrap();
    assert_eq!(
        document.root().object().unwrap().python_repr(),
        "{'a': 4, 'b': 2}"
    );
    let lines: Vec<_> = document
        .duplicate_keys
        .iter()
        .map(|duplicate| {
            (
                duplicate.key.as_str(),
                duplicate.first.start,
                duplicate.last.start,
            )
        })
        .collect();
    assert_eq!(lines, [("a", 0, 15), ("a", 10, 15)]);
    let entry = document.root().get("a").unwrap();
    assert_eq!(entry.key.span().start, 15);
}

#[test]
fn python_keeps_the_first_of_two_key_objects() {
    let document = read("1: a\ntrue: b\n").unwrap();
    assert_eq!(document.root().object().unwrap().python_repr(), "{1: 'b'}");
    assert_eq!(document.duplicate_keys.len(), 1);
}

#[test]
fn merged_entries_say_so_and_are_no_duplicates() {
    let document = read("a: &x {k1: 1, k2: 2}\nb: {<<: *x, k1: 3}\n").unwrap();
    let b = document.root().get("b").unwrap().value;
    let entries: Vec<_> = b
        .entries()
        .map(|entry| (entry.key.text().unwrap().to_owned(), entry.merged))
        .collect();
    assert_eq!(entries, [("k1".to_owned(), false), ("k2".to_owned(), true)]);
    assert!(document.duplicate_keys.is_empty());
}

#[test]
fn comments_that_touch_a_value_are_comments() {
    let text = "a: \"b\"#c\nd: [e]#f\n";
    let document = read(text).unwrap();
    let comments: Vec<_> = document
        .comments
        .iter()
        .map(|comment| text_at(text, comment.span))
        .collect();
    assert_eq!(comments, ["#c", "#f"]);
}

#[test]
fn errors_name_their_place() {
    for (text, exception, line, column) in [
        ("a: 1\n\tb: 2\n", "ScannerError", 2, 1),
        ("a: *b\n", "ComposerError", 1, 4),
        ("a: !b c\n", "ConstructorError", 1, 7),
        ("a: {{ b }}\n", "ConstructorError", 1, 5),
        ("a: 1\nb: \u{7}\n", "ReaderError", 2, 4),
        ("a: 1\n---\nb: 2\n", "ComposerError", 2, 1),
        ("a: 2024-13-01\n", "ValueError", 1, 4),
    ] {
        let error = read(text).unwrap_err();
        let place = SourceFile::from_text("t", text).line_column(error.span.unwrap().start);
        assert_eq!(
            (error.exception, place.line, place.column),
            (exception, line, column),
            "{text:?}: {}",
            error.message
        );
    }
}

#[test]
fn an_empty_document_is_none() {
    for text in ["", "# c\n", "---\n", "\u{feff}"] {
        let document = read(text).unwrap();
        assert_eq!(*document.root().data(), Data::Scalar(Object::None));
    }
}
