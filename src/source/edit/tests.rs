use super::*;

fn edited(name: &str, text: &str, change: impl FnOnce(Editor) -> Editor) -> Option<String> {
    let file = Arc::new(SourceFile::from_text(name, text));
    let edits = change(Editor::of(&file)).finish()?;
    let edits = edits.iter().rev();
    Some(edits.fold(text.to_owned(), |text, edit| {
        spliced(&text, &edit.text).unwrap()
    }))
}

fn yaml(text: &str, change: impl FnOnce(Editor) -> Editor) -> Option<String> {
    edited("a.yaml", text, change)
}

fn route(path: &str) -> Route {
    Route::keys(path.split('.'))
}

#[test]
fn values_keep_quotes_comments_and_line_ends() {
    for (text, value, expected) in [
        ("a: ao # c\nb: 1\n", Object::from("AO"), "a: AO # c\nb: 1\n"),
        ("a: 'ao'\r\n", "AO".into(), "a: 'AO'\r\n"),
        ("a: \"ao\"", "AO".into(), "a: \"AO\""),
        ("a: no\n", "no".into(), "a: 'no'\n"),
        ("{a: ao, b: 1}\n", "x, y".into(), "{a: 'x, y', b: 1}\n"),
        ("a: # c\nb: 1\n", "AO".into(), "a: AO # c\nb: 1\n"),
        ("a:\n- 1\n- 2\nb: 1\n", false.into(), "a: false\nb: 1\n"),
        ("\u{feff}a: 1\n", true.into(), "\u{feff}a: true\n"),
        (
            "a: false\n",
            Object::List(vec![false.into(), false.into()]),
            "a: [false, false]\n",
        ),
        ("a: |\n  x\nb: 1\n", "y".into(), "a: y\nb: 1\n"),
    ] {
        let after = yaml(text, |editor| editor.set(&route("a"), value));
        assert_eq!(after.as_deref(), Some(expected), "{text}");
    }
    let json = |text: &str, value: Object| {
        edited("a.json", text, |editor| editor.set(&route("a.b"), value)).unwrap()
    };
    assert_eq!(
        json("{\"a\": {\"b\": \"ao\"}}", "AO".into()),
        "{\"a\": {\"b\": \"AO\"}}"
    );
}

#[test]
fn what_would_change_more_is_not_edited() {
    // An anchor that is used again, a value that a merge key brings, a comment that would go.
    let set = |text| yaml(text, |editor| editor.set(&route("a.b"), 2));
    assert_eq!(set("a: {b: &x 1}\nc: *x\n"), None);
    assert_eq!(set("d: &d {b: 1}\na:\n  <<: *d\n  c: 3\n"), None);
    assert_eq!(set("a:\n  b:\n    # why\n    - 1\n"), None);
    assert_eq!(set("a: {c: 1}\n"), None);
    assert_eq!(set("a: [\n"), None);
    let taken = yaml("a: 1\nb: 2\n", |editor| editor.rename(&route("a"), "b"));
    assert_eq!(taken, None);
}

#[test]
fn keys_are_renamed_in_their_quotes() {
    let rename = |text| yaml(text, |editor| editor.rename(&route("s.old"), "new"));
    assert_eq!(rename("s:\n  old: 1 # c\n").unwrap(), "s:\n  new: 1 # c\n");
    assert_eq!(rename("s: {'old': 1}").unwrap(), "s: {'new': 1}");
}

#[test]
fn keys_go_with_their_lines() {
    for (path, text, expected) in [
        ("a", "a: 1 # c\nb: 2\n", "b: 2\n"),
        ("b", "a: 1\nb: 2", "a: 1"),
        (
            "a",
            "# top\na:\n  x: 1\n\n  # in\n  y: 2\n# end\nb: 2\n",
            "# top\n# end\nb: 2\n",
        ),
        ("s.a", "s:\n  a: 1\nb: 2\n", "s: {}\nb: 2\n"),
        ("s.a", "s: {a: 1}\n", "s: {}\n"),
        (
            "s.a",
            "s: # why\n  # more\n  a: 1\nb: 2\n",
            "s: {} # why\n  # more\nb: 2\n",
        ),
        (
            "s.a",
            "s: {a: 1, # of b\n  b: 2}\n",
            "s: { # of b\n  b: 2}\n",
        ),
        ("s.a", "s: {a: 1, b: 2}\n", "s: {b: 2}\n"),
        ("s.b", "s: {a: 1, b: 2}\n", "s: {a: 1}\n"),
        (
            "s.b",
            "s:\r\n  a: 1\r\n  b:\r\nc: 3\r\n",
            "s:\r\n  a: 1\r\nc: 3\r\n",
        ),
        ("a", "\u{feff}a: 1\nb: 2\n", "\u{feff}b: 2\n"),
    ] {
        let after = yaml(text, |editor| editor.remove(&route(path)));
        assert_eq!(after.as_deref(), Some(expected), "{text}");
    }
    let after = edited("a.json", "{\n  \"a\": 1,\n  \"b\": 2\n}\n", |editor| {
        editor.remove(&route("b"))
    });
    assert_eq!(after.unwrap(), "{\n  \"a\": 1\n}\n");
}

#[test]
fn keys_come_at_the_end_of_their_mapping() {
    let section = || Object::Dict(vec![("backend".into(), "AO".into())]);
    for (path, text, value, expected) in [
        ("b", "a: 1\n", Object::from("x"), "a: 1\nb: x\n"),
        ("b", "a: 1", "x".into(), "a: 1\nb: x"),
        (
            "f",
            "a: 1 # c\r\n# end\r\n",
            section(),
            "a: 1 # c\r\nf:\r\n  backend: AO\r\n# end\r\n",
        ),
        (
            "f.backend",
            "f:\n    x: 1\na: 1\n",
            "AO".into(),
            "f:\n    x: 1\n    backend: AO\na: 1\n",
        ),
        (
            "f.backend",
            "f: # c\na: 1\n",
            "AO".into(),
            "f: # c\n  backend: AO\na: 1\n",
        ),
        ("f.backend", "f: {}\n", "AO".into(), "f: {backend: AO}\n"),
        (
            "f.backend",
            "f: {x: 1}\n",
            "AO".into(),
            "f: {x: 1, backend: AO}\n",
        ),
        (
            "f.backend",
            "a: 1\n",
            "AO".into(),
            "a: 1\nf:\n  backend: AO\n",
        ),
        ("a", "a: 1\n", "no".into(), "a: 'no'\n"),
        ("b", "a: |+\n  x\n\n", "y".into(), "a: |+\n  x\n\nb: y\n"),
    ] {
        let after = yaml(text, |editor| editor.put(&route(path), value));
        // A block scalar that keeps its blank lines would lose them.
        let expected = (!text.contains("|+")).then_some(expected);
        assert_eq!(after.as_deref(), expected, "{text}");
    }
    let json =
        |text: &str| edited("a.json", text, |editor| editor.put(&route("f"), section())).unwrap();
    assert_eq!(
        json("{\"a\": 1}"),
        "{\"a\": 1, \"f\": {\"backend\": \"AO\"}}"
    );
    assert_eq!(
        json("{\n  \"a\": 1\n}"),
        "{\n  \"a\": 1,\n  \"f\": {\"backend\": \"AO\"}\n}"
    );
}

#[test]
fn changes_follow_each_other() {
    let text = "m: fp16\nfsdp_config:\n  fp8: true\nz: 1\n";
    let file = Arc::new(SourceFile::from_text("a.yaml", text));
    let edits = Editor::of(&file)
        .remove(&route("fsdp_config.fp8"))
        .set(&route("m"), "fp8")
        .put(&route("fp8_config.backend"), "AO")
        .put(&route("fsdp_config.eff"), false)
        .finish()
        .unwrap();
    let after = edits.iter().rev().fold(text.to_owned(), |text, edit| {
        spliced(&text, &edit.text).unwrap()
    });
    assert_eq!(
        after,
        "m: fp8\nfsdp_config: {eff: false}\nz: 1\nfp8_config:\n  backend: AO\n"
    );
    let spans: Vec<_> = edits.iter().map(|edit| edit.text.span).collect();
    assert!(
        spans.windows(2).all(|pair| pair[0].end < pair[1].start),
        "{spans:?}"
    );
    assert!(matches!(&edits[1].change, Change::Several(changes) if changes.len() == 2));
}

#[test]
fn words_are_plain() {
    let file = Arc::new(SourceFile::from_text("a.sh", "x --b ao $y"));
    let word = |start, end, text| Edit::word(&file, Span::new(start, end), text).is_some();
    assert!(word(6, 8, "AO"));
    assert!(!word(6, 8, "A O") && !word(6, 8, "") && !word(9, 11, "AO"));
}
