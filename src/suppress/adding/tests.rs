use proptest::prelude::*;

use super::*;
use crate::rules::{Confidence, Key, Severity};
use crate::source::{Document, Syntax};

struct Any;

impl Rules for Any {
    fn named(&self, name: &str) -> Vec<&'static str> {
        match name {
            "FP201" => vec!["FP201"],
            "FP301" => vec!["FP301"],
            _ => Vec::new(),
        }
    }

    fn meant(&self, _name: &str) -> Option<&'static str> {
        None
    }

    fn is_asked(&self, _path: &str, _code: &str) -> bool {
        true
    }

    fn can_be_ignored(&self, _code: &str) -> bool {
        true
    }
}

fn finding(file: &Arc<SourceFile>, code: &'static str, offset: Option<usize>) -> Finding {
    Finding {
        code,
        name: "",
        severity: Severity::Error,
        confidence: Confidence::Certain,
        message: String::new(),
        primary: match offset {
            Some(offset) => Label::at(file, Span::at(offset), ""),
            None => Label::file(file.path.clone(), ""),
        },
        related: Vec::new(),
        notes: Vec::new(),
        help: None,
        outcome: None,
        key: Key::default(),
        occurrence: 0,
        fixes: Vec::new(),
    }
}

fn today() -> Date {
    Date::parse("2026-12-01").unwrap()
}

/// Comments for a finding at the first `@` of a text, which is taken away.
fn added(path: &str, text: &str, reason: &str) -> Added {
    let offset = text.find('@').unwrap();
    let file = Arc::new(SourceFile::from_text(path, text.replacen('@', "", 1)));
    let finding = finding(&file, "FP201", Some(offset));
    add_ignores(
        &file,
        !path.ends_with("yaml") && !path.ends_with("json"),
        &[&finding],
        reason,
        &Any,
        today(),
    )
}

#[test]
fn a_comment_is_put_where_the_language_allows_one() {
    for (path, before, after) in [
        (
            "a.yaml",
            "a: @1\r\nb: 2",
            "a: 1  # fp8lint: ignore[FP201] old\r\nb: 2",
        ),
        (
            "a.yaml",
            "\u{feff}@a: 1  # it is\nb: 2\n",
            "\u{feff}a: 1  # it is  # fp8lint: ignore[FP201] old\nb: 2\n",
        ),
        (
            "a.yaml",
            "a: 1  # fp8lint: ignore[FP301] old\nb: {\n c: @2 }",
            "a: 1  # fp8lint: ignore[FP301] old\nb: {\n c: 2 }  # fp8lint: ignore[FP201] old",
        ),
        (
            "a.yaml",
            "@a: 1  # fp8lint: ignore[FP301] old\n",
            "a: 1  # fp8lint: ignore[FP301, FP201] old\n",
        ),
        (
            "a.yaml",
            "# fp8lint: ignore[FP301] old\n@a: 1\n",
            "# fp8lint: ignore[FP301, FP201] old\na: 1\n",
        ),
        (
            "a.yaml",
            "a:\n  b: @\"x\n    y\"\n",
            "a:\n  b: \"x\n    y\"  # fp8lint: ignore[FP201] old\n",
        ),
        (
            "a.yaml",
            "a: |\n  x\n  @y\n",
            "# fp8lint: ignore-file[FP201] old\na: |\n  x\n  y\n",
        ),
        (
            "a.yaml",
            "---\na: @|\n  x\n",
            "---\na: |  # fp8lint: ignore[FP201] old\n  x\n",
        ),
        (
            "a.sh",
            "#!/bin/sh\naccelerate launch \\\n  --mixed_precision @fp8 \\\n  a.py\n",
            "#!/bin/sh\naccelerate launch \\\n  --mixed_precision fp8 \\\n  a.py  # fp8lint: ignore[FP201] old\n",
        ),
        (
            "a.sh",
            "f() {\n\taccelerate launch a.py --x 'a\n @ b'\n}\n",
            "f() {\n\taccelerate launch a.py --x 'a\n  b'  # fp8lint: ignore[FP201] old\n}\n",
        ),
        (
            "Dockerfile",
            "FROM a\nCMD accelerate launch @a.py\n",
            "FROM a\n# fp8lint: ignore[FP201] old\nCMD accelerate launch a.py\n",
        ),
        (
            "Makefile",
            "a:\n\t@accelerate launch \\\n\t  a.py\n",
            "a:\n\taccelerate launch \\\n\t  a.py  # fp8lint: ignore[FP201] old\n",
        ),
        (
            "a.md",
            "# A\n\n```sh\naccelerate launch @a.py\n```\n",
            "# A\n\n<!-- fp8lint: ignore[FP201] old -->\n```sh\naccelerate launch a.py\n```\n",
        ),
        (
            "w.yml",
            "jobs:\n  a:\n    steps:\n      - run: |\n          cd x\n          accelerate launch @a.py\n",
            "jobs:\n  a:\n    steps:\n      - run: |\n          cd x\n          accelerate launch a.py  # fp8lint: ignore[FP201] old\n",
        ),
        (
            "w.yml",
            "jobs:\n  a:\n    steps:\n      - run: >\n          accelerate launch\n          @a.py\n",
            "jobs:\n  a:\n    steps:\n      - run: >\n          accelerate launch\n          a.py  # fp8lint: ignore[FP201] old\n",
        ),
    ] {
        let found = added(path, before, "old");
        assert_eq!(found.text, after, "{before}");
        assert!(found.unplaced.is_empty(), "{before}");
    }
    let json = added("a.json", "{\"a\": @1}", "old");
    assert_eq!(
        (json.text.as_str(), json.unplaced),
        ("{\"a\": 1}", vec!["FP201"])
    );
    let long = "# fp8lint: ignore[FP301] other\n".repeat(20_000);
    let many = added("a.yaml", &format!("{long}a: @1\n"), "old");
    assert!(many.text.ends_with("a: 1  # fp8lint: ignore[FP201] old\n"));
    // A day that has passed ignores nothing.
    let expired = added("a.yaml", "a: @1\n", "until=2020-01-01");
    assert_eq!((expired.text.as_str(), expired.ignored), ("a: 1\n", 0));
}

#[test]
fn a_finding_without_a_place_is_ignored_at_the_top() {
    let file = Arc::new(SourceFile::from_text("a.yaml", "# c\na: 1\n"));
    let found = [
        finding(&file, "FP201", None),
        finding(&file, "FP301", Some(4)),
    ];
    let found: Vec<_> = found.iter().collect();
    let Added { text, .. } = add_ignores(&file, false, &found, "", &Any, today());
    assert_eq!(
        text,
        "# fp8lint: ignore-file[FP201]\n# c\na: 1  # fp8lint: ignore[FP301]\n"
    );
    let file = Arc::new(SourceFile::from_text("a.yaml", text));
    let again = finding(&file, "FP301", None);
    let Added { text, .. } = add_ignores(&file, false, &[&again], "", &Any, today());
    assert!(text.starts_with("# fp8lint: ignore-file[FP201, FP301]\n"));
}

/// Texts of YAML with what is hard about comments.
fn yaml() -> impl Strategy<Value = String> {
    let value = prop_oneof![
        Just("1"),
        Just("'a # b'"),
        Just("\"a\n    b\""),
        Just("plain\n    text"),
        Just("{x: 1,\n    y: [2,\n      3]}"),
        Just("|\n    # text\n    more"),
        Just(">-\n    folded\n    text"),
        Just("&a {x: y}"),
        Just("\n    in: side"),
        Just("\n  - 1\n  - two"),
        Just(""),
        Just("é  # comment"),
        Just("1  # fp8lint: ignore[FP301] old"),
    ];
    let entry = (
        value,
        prop_oneof![Just("\n"), Just("\n\n"), Just("\n# note\n")],
    );
    let ending = prop_oneof![Just("\n"), Just("\r\n")];
    let start = prop_oneof![Just(""), Just("---\n"), Just("# top\n"), Just("\u{feff}")];
    (start, prop::collection::vec(entry, 1..8), ending).prop_map(|(start, entries, ending)| {
        let mut text = start.to_owned();
        for (position, (value, end)) in entries.iter().enumerate() {
            text += &format!("key{position}: {value}{end}");
        }
        text.replace('\n', ending)
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1000))]

    #[test]
    fn comments_keep_the_object_and_ignore_the_findings(text in yaml(), places in prop::collection::vec((0usize..1000, any::<bool>()), 1..6)) {
        let file = Arc::new(SourceFile::from_text("a.yaml", text.clone()));
        let Ok(before) = Syntax::Yaml.read(&text) else {
            return Ok(());
        };
        let chosen: Vec<_> = places
            .iter()
            .map(|(place, is_first)| {
                let code = if *is_first { "FP201" } else { "FP301" };
                (place % before.nodes.len(), code)
            })
            .collect();
        let at = |file: &Arc<SourceFile>, document: &Document| -> Vec<Finding> {
            let places = chosen.iter();
            let offset = |node: usize| Some(document.nodes[node].span.start);
            places.map(|(node, code)| finding(file, code, offset(*node))).collect()
        };
        let findings = at(&file, &before);
        let findings: Vec<_> = findings.iter().collect();
        let added = add_ignores(&file, false, &findings, "old", &Any, today());
        prop_assert!(added.unplaced.is_empty(), "{:?}", added);
        let after = Syntax::Yaml.read(&added.text).unwrap();
        prop_assert!(before.root().object().unwrap().python_eq(&after.root().object().unwrap()));
        prop_assert_eq!(added.text.ends_with('\n'), text.ends_with('\n'));
        prop_assert_eq!(added.text.contains('\r'), text.contains('\r'));
        // The nodes of both documents have the same numbers.
        let file = Arc::new(SourceFile::from_text("a.yaml", added.text));
        let files = [IgnoringFile {
            file: Arc::clone(&file),
            is_launch: false,
            is_judged: false,
        }];
        let ignored = ignore(at(&file, &after), &files, &Any, today());
        prop_assert!(ignored.left.is_empty() && ignored.problems.is_empty(), "{:?}", file.text());
    }
}
