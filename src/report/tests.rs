mod formats;

use std::str::FromStr;
use std::sync::Arc;

use pep440_rs::Version;

use super::*;
use crate::resolve::target::{Declared, FileLine, TargetOrigin};
use crate::rules::{AskedAndRuns, Confidence, Key, Label};
use crate::source::{Route, SourceFile, Span};
use crate::suppress::fingerprint;

const CONFIG: &str = "compute_environment: LOCAL_MACHINE\n\
                      distributed_type: FSDP\n\
                      fsdp_config:\n  fp8:\n    backend: auto\n  fsdp_version: 2\n\
                      mixed_precision: fp16\n";

fn label(file: &Arc<SourceFile>, words: &str, text: &str) -> Label {
    let start = file.text().find(words).unwrap();
    Label::at(file, Span::new(start, start + words.len()), text)
}

fn finding(primary: Label) -> Finding {
    Finding {
        code: "FP301",
        name: "misplaced-fp8-block",
        severity: Severity::Error,
        confidence: Confidence::Certain,
        message: "accelerate 1.15.0 never reads `fsdp_config.fp8`: fp16 runs".to_owned(),
        primary,
        related: Vec::new(),
        notes: Vec::new(),
        help: None,
        outcome: None,
        key: Key {
            route: Route::keys(["fsdp_config", "fp8"]),
            value: "{'backend': 'auto'}".to_owned(),
        },
        occurrence: 0,
        fixes: Vec::new(),
    }
}

fn full_finding() -> Finding {
    let file = Arc::new(SourceFile::from_text("configs/fp8.yaml", CONFIG));
    Finding {
        related: vec![label(&file, "fp16", "this is what runs")],
        notes: vec!["nothing in accelerate looks below `fsdp_config` for fp8".to_owned()],
        help: Some(
            "write at the top level:\nmixed_precision: fp8\nfp8_config:\n  backend: AO".to_owned(),
        ),
        outcome: Some(AskedAndRuns {
            asked: "fp8".to_owned(),
            runs: "fp16".to_owned(),
        }),
        ..finding(label(
            &file,
            "fp8:\n    backend: auto",
            "nothing reads this",
        ))
    }
}

fn checked(mut findings: Vec<Finding>) -> Checked {
    sort(&mut findings);
    let target = Target::newest(&[Version::from_str("1.15.0").unwrap()]);
    Checked {
        target: target.clone(),
        files_read: 3,
        files: vec![CheckedFile {
            path: "configs/fp8.yaml".to_owned(),
            kind: Kind::Accelerate,
            target,
        }],
        findings,
        suppressed: Vec::new(),
        scope: None,
        fixed: Vec::new(),
        fixes_are_written: false,
        paths: RepositoryPaths::default(),
        not_followed: 0,
    }
}

fn written(format: Format, style: Style, checked: &Checked) -> String {
    let mut out = Vec::new();
    format.report(style).write(checked, &mut out).unwrap();
    String::from_utf8(out).unwrap()
}

fn text(findings: Vec<Finding>) -> String {
    written(Format::Text, Style::default(), &checked(findings))
}

#[test]
fn text_shows_lines_labels_notes_and_help() {
    insta::assert_snapshot!(text(vec![full_finding()]), @r#"
    error[FP301]: accelerate 1.15.0 never reads `fsdp_config.fp8`: fp16 runs
     --> configs/fp8.yaml:4:3
      |
    4 | /   fp8:
    5 | |     backend: auto
      | |_________________^ nothing reads this
    6 |     fsdp_version: 2
    7 |   mixed_precision: fp16
      |                    ---- this is what runs
      |
      = note: asked: fp8; runs: fp16
      = note: nothing in accelerate looks below `fsdp_config` for fp8
      = help: write at the top level:
              mixed_precision: fp8
              fp8_config:
                backend: AO

    Found 1 error in 1 accelerate config, accelerate 1.15.0.
    "#);
}

#[test]
fn text_without_findings_says_what_was_checked() {
    assert_eq!(
        text(vec![]),
        "No findings in 1 accelerate config, accelerate 1.15.0.\n"
    );
    let nothing = Checked {
        files: vec![],
        ..checked(vec![])
    };
    assert_eq!(
        written(Format::Text, Style::default(), &nothing),
        "Nothing to check: no accelerate config, recipe or launch command among 3 files read.\n"
    );
}

#[test]
fn text_keeps_hostile_names_and_text_from_the_terminal() {
    let file = Arc::new(SourceFile::from_text(
        "a\n::error::\u{1b}[31m,%\u{202e}.yaml",
        "\tx: \u{1b}]0;t\u{7}漢字\u{9b}1m\u{202e}y\r\nz: 1\r\n",
    ));
    let mut finding = finding(label(&file, "漢字", "wide\n\u{1b}[0m"));
    finding.message = "one\nerror[FP999]: forged\u{1b}[2J".to_owned();
    finding.notes.push("a\u{9b}b\rc".to_owned());
    finding.related.push(Label::file("gone\u{7}.yaml", ""));
    insta::assert_snapshot!(text(vec![finding.clone()]), @r#"
    error[FP301]: one\nerror[FP999]: forged\u{1b}[2J
     --> a\n::error::\u{1b}[31m,%\u{202e}.yaml:1:11
      |
    1 |     x: ␛]0;t␇漢字�1m�y
      |              ^^^^ wide\n\u{1b}[0m
     ::: gone\u{7}.yaml
      = note: a\u{9b}b\rc

    Found 1 error in 1 accelerate config, accelerate 1.15.0.
    "#);
    let coloured = Style {
        colour: true,
        ..Style::default()
    };
    let shown = written(Format::Text, coloured, &checked(vec![finding]));
    assert!(shown.contains("\u{1b}["));
    for bad in [
        "\u{1b}[31m,",
        "\u{1b}[2J",
        "\u{1b}]0",
        "\u{9b}",
        "\u{202e}",
        "\u{7}",
    ] {
        assert!(!shown.contains(bad), "{bad:?}");
    }
}

#[test]
fn json_keeps_them_too_and_its_readers_get_them_back() {
    let message = "a\u{1b}\u{9b}\u{7f}\u{202e}\u{e0001}\n漢";
    let mut finding = finding(Label::file("a.yaml", ""));
    finding.message = message.to_owned();
    let shown = written(Format::Json, Style::default(), &checked(vec![finding]));
    assert!(shown.chars().all(|shown| shown == '\n' || escape::one_line(&shown.to_string()) == shown.to_string()));
    let read: serde_json::Value = serde_json::from_str(&shown).unwrap();
    assert_eq!(read["findings"][0]["message"], message);
}

#[test]
fn text_survives_spans_outside_the_text_and_huge_lines() {
    let empty = Arc::new(SourceFile::from_text("empty.yaml", ""));
    let wide = Arc::new(SourceFile::from_text("wide.yaml", "漢".repeat(500_000)));
    let tabs = Arc::new(SourceFile::from_text("tabs.yaml", "\t\ta:\tb\n\n\n"));
    for (file, span) in [
        (&empty, Span::at(0)),
        (&empty, Span::new(5, 9)),
        (&wide, Span::new(1, 2)),
        (&wide, Span::new(0, 1_500_000)),
        (&wide, Span::new(1_400_001, 9_000_000)),
        (&tabs, Span::new(3, 6)),
        (&tabs, Span::new(7, 9)),
        (&tabs, Span::new(9, 9)),
    ] {
        let shown = text(vec![finding(Label::at(file, span, "here"))]);
        assert!(shown.contains(&file.path), "{shown}");
        assert!(shown.len() < 20_000);
    }
}

#[test]
fn concise_is_one_line_each_in_order() {
    let file = Arc::new(SourceFile::from_text("b.yaml", CONFIG));
    let mut early = finding(label(&file, "LOCAL_MACHINE", ""));
    early.severity = Severity::Note;
    early.message = "two\nlines\u{1b}".to_owned();
    let missing = finding(Label::file("a.yaml", ""));
    let shown = written(
        Format::Concise,
        Style {
            statistics: true,
            ..Style::default()
        },
        &checked(vec![full_finding(), early, missing]),
    );
    insta::assert_snapshot!(shown, @r#"
    a.yaml: error FP301 accelerate 1.15.0 never reads `fsdp_config.fp8`: fp16 runs
    b.yaml:1:22: note FP301 two\nlines\u{1b}
    configs/fp8.yaml:4:3: error FP301 accelerate 1.15.0 never reads `fsdp_config.fp8`: fp16 runs
        3  FP301  misplaced-fp8-block
    Found 2 errors, 1 note in 1 accelerate config, accelerate 1.15.0.
    "#);
}

#[test]
fn json_is_as_its_schema_says() {
    let mut checked = checked(vec![full_finding(), finding(Label::file("a.yaml", ""))]);
    checked.target = Target::parse(
        [
            "accelerate=>=1.3",
            "gpu=h100",
            "installed=te",
            "torch=2.9.1",
        ],
        &[Version::from_str("1.15.0").unwrap()],
    )
    .unwrap();
    let shown = written(Format::Json, Style::default(), &checked);
    insta::assert_snapshot!(shown, @r#"
    {
      "version": 1,
      "tool": {
        "name": "fp8lint",
        "version": "0.1.0"
      },
      "target": {
        "accelerate": {
          "value": "1.15.0",
          "asked": ">=1.3",
          "origin": "flag",
          "place": null
        },
        "gpu": {
          "value": "h100",
          "origin": "flag",
          "place": null
        },
        "capability": {
          "value": "9.0",
          "origin": "flag",
          "place": null
        },
        "installed": {
          "value": [
            "transformer_engine"
          ],
          "origin": "flag",
          "place": null
        },
        "packages": {
          "torch": {
            "value": "2.9.1",
            "asked": null,
            "origin": "flag",
            "place": null
          }
        }
      },
      "files": [
        {
          "path": "configs/fp8.yaml",
          "kind": "accelerate",
          "accelerate": {
            "value": "1.15.0",
            "asked": null,
            "origin": "default",
            "place": null
          },
          "packages": {}
        }
      ],
      "findings": [
        {
          "code": "FP301",
          "name": "misplaced-fp8-block",
          "severity": "error",
          "confidence": "certain",
          "message": "accelerate 1.15.0 never reads `fsdp_config.fp8`: fp16 runs",
          "primary": {
            "path": "a.yaml",
            "start": null,
            "end": null,
            "label": ""
          },
          "related": [],
          "notes": [],
          "help": null,
          "outcome": null,
          "fingerprint": "f4efb68125d89714",
          "fixes": [],
          "url": null
        },
        {
          "code": "FP301",
          "name": "misplaced-fp8-block",
          "severity": "error",
          "confidence": "certain",
          "message": "accelerate 1.15.0 never reads `fsdp_config.fp8`: fp16 runs",
          "primary": {
            "path": "configs/fp8.yaml",
            "start": {
              "line": 4,
              "column": 3,
              "offset": 73
            },
            "end": {
              "line": 5,
              "column": 18,
              "offset": 95
            },
            "label": "nothing reads this"
          },
          "related": [
            {
              "path": "configs/fp8.yaml",
              "start": {
                "line": 7,
                "column": 18,
                "offset": 131
              },
              "end": {
                "line": 7,
                "column": 22,
                "offset": 135
              },
              "label": "this is what runs"
            }
          ],
          "notes": [
            "nothing in accelerate looks below `fsdp_config` for fp8"
          ],
          "help": "write at the top level:\nmixed_precision: fp8\nfp8_config:\n  backend: AO",
          "outcome": {
            "asked": "fp8",
            "runs": "fp16"
          },
          "fingerprint": "2e56d33f40e4475d",
          "fixes": [],
          "url": null
        }
      ],
      "suppressed": [],
      "fixed": [],
      "fixes_are_written": false,
      "scope": null,
      "summary": {
        "files_read": 3,
        "configs": 1,
        "errors": 2,
        "warnings": 0,
        "notes": 0,
        "fixable": {
          "safe": 0,
          "unsafe": 0
        },
        "rules": [
          {
            "code": "FP301",
            "name": "misplaced-fp8-block",
            "findings": 2,
            "fixable": 0
          }
        ]
      }
    }
    "#);
    let schema: serde_json::Value = serde_json::from_str(JSON_SCHEMA).unwrap();
    let output: serde_json::Value = serde_json::from_str(&shown).unwrap();
    follows(&output, &schema, &schema, "$");
}

/// Whether a value follows the part of JSON Schema that the schema uses. Keys that it does not name are faults here:
/// a new key must be described.
fn follows(
    value: &serde_json::Value,
    schema: &serde_json::Value,
    root: &serde_json::Value,
    at: &str,
) {
    if let Some(reference) = schema["$ref"].as_str() {
        let mut target = root
            .pointer(reference.trim_start_matches('#'))
            .unwrap()
            .clone();
        // Keys beside a reference come on top of what it refers to.
        for (key, described) in schema["properties"].as_object().into_iter().flatten() {
            target["properties"][key] = described.clone();
        }
        return follows(value, &target, root, at);
    }
    if let Some(choices) = schema["anyOf"].as_array() {
        let choice = choices
            .iter()
            .find(|choice| (choice["type"] == "null") == value.is_null())
            .unwrap();
        return follows(value, choice, root, at);
    }
    if let Some(allowed) = schema["enum"].as_array() {
        assert!(allowed.contains(value), "{at}: {value}");
    }
    let kind = match value {
        serde_json::Value::Null => "null",
        serde_json::Value::Bool(_) => "boolean",
        serde_json::Value::Number(_) => "integer",
        serde_json::Value::String(_) => "string",
        serde_json::Value::Array(_) => "array",
        serde_json::Value::Object(_) => "object",
    };
    let kinds = match &schema["type"] {
        serde_json::Value::Array(kinds) => kinds.clone(),
        serde_json::Value::Null => vec![],
        one => vec![one.clone()],
    };
    assert!(
        kinds.is_empty() || kinds.contains(&kind.into()),
        "{at} is {kind}"
    );
    for (index, element) in value.as_array().into_iter().flatten().enumerate() {
        follows(element, &schema["items"], root, &format!("{at}[{index}]"));
    }
    if let Some(object) = value.as_object() {
        for key in schema["required"].as_array().into_iter().flatten() {
            assert!(
                object.contains_key(key.as_str().unwrap()),
                "{at} lacks {key}"
            );
        }
        for (key, below) in object {
            let described = [&schema["properties"][key], &schema["additionalProperties"]]
                .into_iter()
                .find(|schema| schema.is_object())
                .unwrap_or_else(|| panic!("{at}.{key} is not described"));
            follows(below, described, root, &format!("{at}.{key}"));
        }
    }
}

#[test]
fn fingerprints_stay_when_lines_move() {
    let first = full_finding();
    let mut moved = full_finding();
    let file = Arc::new(SourceFile::from_text(
        "configs/fp8.yaml",
        format!("# a comment\n\n{CONFIG}"),
    ));
    moved.primary = label(&file, "fp8:", "");
    moved.message = "worded otherwise".to_owned();
    assert_eq!(
        fingerprint(&first, &RepositoryPaths::default()),
        fingerprint(&moved, &RepositoryPaths::default())
    );
    // Kept in baselines: this value must never change.
    assert_eq!(
        fingerprint(&first, &RepositoryPaths::default()),
        "2e56d33f40e4475d"
    );
    moved.key.value.push('x');
    assert_ne!(
        fingerprint(&first, &RepositoryPaths::default()),
        fingerprint(&moved, &RepositoryPaths::default())
    );
}

#[test]
fn the_closing_line_names_at_most_three_versions() {
    let file = |version: &str, line: usize| {
        let mut target = Target::newest(&[Version::from_str("1.15.0").unwrap()]);
        if line > 0 {
            target.accelerate = Declared {
                value: Version::from_str(version).unwrap(),
                origin: TargetOrigin::Pin(FileLine {
                    path: "requirements.txt".to_owned(),
                    line,
                }),
            };
        }
        CheckedFile {
            path: "a.yaml".to_owned(),
            kind: Kind::Accelerate,
            target,
        }
    };
    let closing = |files: Vec<CheckedFile>| {
        closing_line(&Checked {
            files,
            ..checked(vec![])
        })
    };
    assert_eq!(
        closing(vec![file("1.4.0", 3), file("", 0), file("", 0)]),
        "No findings in 3 accelerate configs, accelerate 1.15.0 (newest known) in 2 files, 1.4.0 (requirements.txt:3) \
         in 1."
    );
    let many = (1..=5).map(|line| file("1.4.0", line)).collect();
    assert_eq!(
        closing(many),
        "No findings in 5 accelerate configs, accelerate 1.4.0 (requirements.txt:1) in 1 file, \
         1.4.0 (requirements.txt:2) in 1, 1.4.0 (requirements.txt:3) in 1, others in 2."
    );
}
