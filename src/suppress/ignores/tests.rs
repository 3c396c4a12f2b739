use super::*;
use crate::rules::{Confidence, Key, Severity};
use crate::source::edit::spliced;

struct Known;

impl Rules for Known {
    fn named(&self, name: &str) -> Vec<&'static str> {
        match name {
            "FP201" | "fp8-backend" => vec!["FP201"],
            "FP301" => vec!["FP301"],
            "FP4" => vec!["FP401", "FP405"],
            "FP9" | "FP909" => vec!["FP909"],
            _ => Vec::new(),
        }
    }

    fn meant(&self, name: &str) -> Option<&'static str> {
        (name == "fp8-backed").then_some("fp8-backend")
    }

    fn is_asked(&self, _path: &str, code: &str) -> bool {
        code != "FP301" && code != "FP405"
    }

    fn can_be_ignored(&self, code: &str) -> bool {
        code != "FP909"
    }
}

fn finding(file: &Arc<SourceFile>, code: &'static str, words: &str) -> Finding {
    let start = file.text().find(words).unwrap();
    Finding {
        code,
        name: "",
        severity: Severity::Error,
        confidence: Confidence::Certain,
        message: String::new(),
        primary: Label::at(file, Span::new(start, start + words.len()), ""),
        related: Vec::new(),
        notes: Vec::new(),
        help: None,
        outcome: None,
        key: Key::default(),
        occurrence: 0,
        fixes: Vec::new(),
    }
}

/// Whether a finding of FP201 at `backend` is ignored, and what is wrong with comments.
fn of(path: &str, text: &str) -> (bool, Vec<Problem>) {
    let file = Arc::new(SourceFile::from_text(path, text));
    let findings = vec![finding(&file, "FP201", "backend")];
    let files = [IgnoringFile {
        is_launch: !path.ends_with(".yaml"),
        file,
        is_judged: true,
    }];
    let today = Date::parse("2026-12-01").unwrap();
    let ignored = ignore(findings, &files, &Known, today);
    (ignored.left.is_empty(), ignored.problems)
}

#[test]
fn a_comment_counts_on_its_line_above_it_and_at_the_top() {
    let mark = "# fp8lint: ignore[FP201] why";
    let file = "# fp8lint: ignore-file[fp8-backend]";
    for (path, text) in [
        ("a.yaml", format!("a: 1\nbackend: ao  {mark}\n")),
        ("a.yaml", format!("a: 1\n{mark}\n# more\nbackend: ao\n")),
        ("a.yaml", format!("\u{feff}{mark}\nbackend: ao\r\n")),
        (
            "a.yaml",
            format!("{mark}\na: {{\n  b: 1,\n  backend: ao}}\n"),
        ),
        (
            "a.yaml",
            format!("a: {{\n  b: 1,\n  backend: ao\n}}  {mark}\n"),
        ),
        ("a.yaml", format!("---\n{file}\n\na: 1\nbackend: ao\n")),
        (
            "a.sh",
            format!("#!/bin/sh\n{mark}\nrun \\\n  --backend ao\n"),
        ),
        (
            "a.sh",
            format!("run \\\n  --backend ao \\\n  --x  {mark}\n"),
        ),
        ("a.sh", format!("#!/bin/sh\n{file}\nrun --backend ao\n")),
        (
            "Dockerfile",
            format!("RUN a \\\n  {mark}\n  --backend ao\n"),
        ),
        (
            "a.md",
            format!(
                "<!-- {} -->\n```sh\nrun\nrun --backend ao\n```\n",
                &mark[2..]
            ),
        ),
        (
            "a.md",
            format!(
                "---\nt: 1\n---\n<!-- {} -->\n\nrun --backend ao\n",
                &file[2..]
            ),
        ),
    ] {
        let (is_ignored, problems) = of(path, &text);
        assert!(is_ignored && problems.is_empty(), "{text}: {problems:?}");
    }
    for (path, text) in [
        ("a.yaml", format!("{mark}\n\nbackend: ao\n")),
        ("a.yaml", format!("a: 1  {mark}\nbackend: ao\n")),
        ("a.yaml", format!("backend: ao\n{mark}\n")),
        ("a.sh", format!("run --backend ao\n{file}\n")),
        ("a.sh", format!("{mark}\nrun \\\n --x\nrun --backend ao\n")),
    ] {
        let (is_ignored, problems) = of(path, &text);
        assert!(!is_ignored && problems.len() == 1, "{text}: {problems:?}");
    }
}

/// The text after the only fix of the only problem.
fn mended(text: &str) -> (ProblemKind, String) {
    let (_, mut problems) = of("a.yaml", text);
    assert_eq!(problems.len(), 1, "{problems:?}");
    let Problem { kind, fix, .. } = problems.remove(0);
    let edit = &fix.unwrap().edits[0];
    (kind, spliced(text, &edit.text).unwrap())
}

#[test]
fn what_is_wrong_with_a_comment_is_mended() {
    let unused = |names: &[&str]| {
        let names = names.iter().map(|name| (*name).to_owned());
        ProblemKind::Unused(names.collect(), true)
    };
    for (before, kind, after) in [
        (
            "a: 1  # fp8lint: ignore[FP201]\nbackend: 1\n",
            unused(&["FP201"]),
            "a: 1\nbackend: 1\n",
        ),
        (
            "  # fp8lint: ignore[FP4] x\r\n\r\nbackend: 1",
            unused(&["FP4"]),
            "\r\nbackend: 1",
        ),
        (
            "backend: 1 # fp8lint: ignore[FP201,FP4] x\n",
            unused(&["FP4"]),
            "backend: 1 # fp8lint: ignore[FP201] x\n",
        ),
        (
            "a: 1 # it # fp8lint: ignore[FP201]\nbackend: 1\n",
            unused(&["FP201"]),
            "a: 1 # it\nbackend: 1\n",
        ),
        (
            "backend: 1 # fp8lint: ignore[fp8-backed]\n",
            ProblemKind::UnknownRule("fp8-backed".to_owned(), Some("fp8-backend")),
            "backend: 1 # fp8lint: ignore[fp8-backend]\n",
        ),
        (
            "backend: 1 # fp8lint: ignore[FP201, x]\n",
            ProblemKind::UnknownRule("x".to_owned(), None),
            "backend: 1 # fp8lint: ignore[FP201]\n",
        ),
        (
            "backend: 1 # fp8lint: ignore[x , FP201]\n",
            ProblemKind::UnknownRule("x".to_owned(), None),
            "backend: 1 # fp8lint: ignore[FP201]\n",
        ),
        (
            "backend: 1 # fp8lint: ignore[x]\n",
            ProblemKind::UnknownRule("x".to_owned(), None),
            "backend: 1\n",
        ),
        (
            "backend: 1 # fp8lint: ignore[FP201] until=2026-11-30\n",
            ProblemKind::Expired(Date::parse("2026-11-30").unwrap(), "FP201".to_owned()),
            "backend: 1\n",
        ),
        (
            "backend: 1 # fp8lint: ignroe[FP201]\n",
            ProblemKind::Word("ignroe".to_owned()),
            "backend: 1 # fp8lint: ignore[FP201]\n",
        ),
        (
            "backend: 1 # fp8lint: ignore\n",
            ProblemKind::NoRules,
            "backend: 1\n",
        ),
        (
            "backend: 1 # fp8lint: ignore[FP201\n",
            ProblemKind::Unclosed,
            "backend: 1\n",
        ),
        (
            "backend: 1 # fp8lint: ignore[FP201] until=soon\n",
            ProblemKind::NoDate("until=soon".to_owned()),
            "backend: 1\n",
        ),
        (
            "backend: 1\n# fp8lint: ignore-file[FP201]\n",
            ProblemKind::NotAtTheTop,
            "backend: 1\n",
        ),
    ] {
        assert_eq!(mended(before), (kind, after.to_owned()), "{before}");
    }
}

#[test]
fn what_was_not_asked_is_not_unused_and_a_day_counts_to_its_end() {
    for text in [
        "backend: 1\na: 1 # fp8lint: ignore[FP301]\n",
        "backend: 1 # fp8lint: ignore[FP201] until=2026-12-01\n",
    ] {
        assert!(of("a.yaml", text).1.is_empty(), "{text}");
    }
    let (_, problems) = of("a.yaml", "backend: 1 # fp8lint: ignore[FP909]\n");
    assert_eq!(
        problems[0].kind,
        ProblemKind::Unused(vec!["FP909".to_owned()], false)
    );
}
