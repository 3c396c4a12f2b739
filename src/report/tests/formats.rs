//! The formats for other programs, on findings that are as hostile as can be.

use serde_json::Value;

use super::*;
use crate::rules::{Fix, Safety};
use crate::source::Edit;
use crate::source::edit::Editor;
use crate::suppress::{Suppressed, Suppression};

const HOSTILE: &str = "a,b:c%d::error::e\n\r\u{1b}[31m|`</script>&\"'<!--]]>\u{202e}\u{0}\u{7}\u{9b}\u{fffe}\u{ffff}\u{fffd}\t\u{feff}é漢\u{1f600}";

fn edits(file: &Arc<SourceFile>) -> Vec<Edit> {
    let editor = Editor::of(file).set(&Route::keys(["mixed_precision"]), "fp8");
    let editor = editor.put(&Route::keys(["fp8_config", "backend"]), "AO");
    editor.finish().unwrap()
}

fn fix(safety: Safety, edits: Vec<Edit>) -> Fix {
    Fix::of("write `mixed_precision: fp8`", safety, Some(edits)).unwrap()
}

/// A finding with a fix, one with an unsafe fix, one with a suggestion.
fn fixable_findings() -> Vec<Finding> {
    let safeties = [Safety::Safe, Safety::Unsafe, Safety::DisplayOnly];
    let findings = safeties.into_iter().map(|safety| {
        let mut finding = full_finding();
        let (file, _) = finding.primary.source.clone().unwrap();
        finding.fixes = vec![fix(safety, edits(&file))];
        finding
    });
    findings.collect()
}

fn hostile() -> Checked {
    let file = Arc::new(SourceFile::from_text(
        HOSTILE,
        format!("# {HOSTILE}\nmixed_precision: fp16\n"),
    ));
    let mut hostile = finding(label(&file, "fp16", HOSTILE));
    hostile.message = HOSTILE.to_owned();
    hostile.help = Some(format!("{HOSTILE}\n```\n{HOSTILE}"));
    hostile.notes = vec![HOSTILE.to_owned()];
    hostile.key.value = HOSTILE.to_owned();
    hostile.key.route = Route::keys([HOSTILE]);
    let mut note = hostile.clone();
    note.severity = Severity::Note;
    let suppressed = Suppressed {
        finding: hostile.clone(),
        by: Suppression::Comment {
            place: hostile.primary.clone(),
            reason: HOSTILE.to_owned(),
        },
    };
    let mut checked = checked(vec![hostile, note]);
    checked.suppressed = vec![suppressed];
    number(&mut checked.findings);
    checked
}

fn json(format: Format, checked: &Checked) -> Value {
    serde_json::from_str(&written(format, Style::default(), checked)).unwrap()
}

#[test]
fn no_format_lets_hostile_text_through() {
    for format in Format::ALL {
        let shown = written(*format, Style::default(), &hostile());
        let bad = shown.chars().find(|shown| {
            *shown != '\n' && escape::one_line(&shown.to_string()) != shown.to_string()
        });
        assert_eq!(bad, None, "{}", format.as_str());
    }
}

#[test]
fn readers_of_json_get_hostile_text_back() {
    let checked = hostile();
    let read = json(Format::Json, &checked);
    assert_eq!(read["findings"][0]["message"], HOSTILE);
    assert_eq!(read["suppressed"][0]["by"]["reason"], HOSTILE);
    let lines = written(Format::JsonLines, Style::default(), &checked);
    let lines: Vec<Value> = lines
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    assert_eq!(Value::from(lines), read["findings"]);
    assert_eq!(
        json(Format::Gitlab, &checked)[0]["location"]["path"],
        HOSTILE
    );
    let diagnostics = &json(Format::Rdjson, &checked)["diagnostics"];
    assert_eq!(diagnostics[0]["location"]["path"], HOSTILE);
}

#[test]
fn readers_of_junit_get_every_suite_and_test() {
    let mut checked = hostile();
    checked.files[0].path = HOSTILE.to_owned();
    checked.files.push(CheckedFile {
        path: "clean.yaml".to_owned(),
        ..checked.files[0].clone()
    });
    let shown = written(Format::Junit, Style::default(), &checked);
    let read = roxmltree::Document::parse(&shown).unwrap();
    let all = read.root_element();
    let counts = |node: roxmltree::Node<'_, '_>| {
        ["tests", "failures", "errors"].map(|name| node.attribute(name).unwrap().to_owned())
    };
    assert_eq!(counts(all), ["3", "1", "0"]);
    let elements = |node: roxmltree::Node<'_, '_>| -> Vec<_> {
        let children = node.children().filter(|child| child.is_element());
        children.map(|child| child.id()).collect()
    };
    let nodes = |node| {
        elements(node)
            .into_iter()
            .map(|id| read.get_node(id).unwrap())
    };
    let suites: Vec<_> = nodes(all).collect();
    let names: Vec<_> = suites
        .iter()
        .map(|suite| suite.attribute("name").unwrap())
        .collect();
    let hostile = "a,b:c%d::error::e\\n\\r\\u{1b}[31m|`</script>&\"'<!--]]>\\u{202e}\\u{0}\\u{7}\\u{9b}\\u{fffe}\\u{ffff}\
                   \u{fffd}\\t\\u{feff}é漢\u{1f600}";
    assert_eq!(names, [hostile, "clean.yaml"]);
    let tests = |suite| nodes(suite).collect::<Vec<_>>();
    assert_eq!(tests(suites[1]).len(), 1);
    assert_eq!(elements(tests(suites[1])[0]), []);
    // The note fails nothing, and no two tests have one name.
    let tests = tests(suites[0]);
    let inside = |test| nodes(test).next().unwrap().tag_name().name().to_owned();
    assert_eq!(
        [inside(tests[0]), inside(tests[1])],
        ["failure", "system-out"]
    );
    assert_ne!(tests[0].attribute("name"), tests[1].attribute("name"));
    // A reader that takes anything would prove nothing.
    for (good, bad) in [("</testsuite>", ""), ("&lt;", "<"), ("\\u{0}", "\u{1}")] {
        assert!(
            roxmltree::Document::parse(&shown.replace(good, bad)).is_err(),
            "{bad:?}"
        );
    }
}

#[test]
fn gitlab_fingerprints_are_unique_and_paths_begin_at_the_root() {
    let mut checked = hostile();
    checked.paths =
        RepositoryPaths::new(std::path::Path::new("/r"), std::path::Path::new("/r/sub"));
    for finding in &mut checked.findings {
        finding.primary.path = "../a.yaml".to_owned();
    }
    let read = json(Format::Gitlab, &checked);
    assert_ne!(read[0]["fingerprint"], read[1]["fingerprint"]);
    assert_eq!(read[0]["location"]["path"], "a.yaml");
    assert_eq!(
        [&read[0]["severity"], &read[1]["severity"]],
        ["critical", "info"]
    );
}

#[test]
fn rdjson_counts_bytes_and_suggests_whole_fixes() {
    let text = "a: 1\n漢: {é: 'x', mixed_precision: fp16}\nz: 1\n";
    let file = Arc::new(SourceFile::from_text("a.yaml", text));
    let mut finding = finding(label(&file, "fp16", ""));
    let route = Route::keys(["漢", "mixed_precision"]);
    let both = Editor::of(&file)
        .set(&route, "fp8")
        .set(&Route::keys(["z"]), 2)
        .finish()
        .unwrap();
    assert_eq!(both.len(), 2);
    finding.fixes = vec![fix(Safety::Unsafe, both.clone())];
    let read = json(Format::Rdjson, &checked(vec![finding.clone()]));
    let diagnostic = &read["diagnostics"][0];
    // `漢` has three bytes, `é` two.
    let range = serde_json::json!({
        "start": {"line": 2, "column": 33}, "end": {"line": 2, "column": 37},
    });
    assert_eq!(diagnostic["location"]["range"], range);
    let suggestion = &diagnostic["suggestions"][0];
    assert_eq!(suggestion["text"], "fp8}\nz: 2");
    assert_eq!(suggestion["range"]["start"], range["start"]);
    assert_eq!(
        suggestion["range"]["end"],
        serde_json::json!({"line": 3, "column": 5})
    );

    // A part of a fix is no fix.
    let other = Arc::new(SourceFile::from_text("b.yaml", text));
    let elsewhere = Editor::of(&other).set(&route, "fp8").finish().unwrap();
    finding.fixes = vec![fix(Safety::Safe, [both, elsewhere].concat())];
    let read = json(Format::Rdjson, &checked(vec![finding]));
    assert_eq!(read["diagnostics"][0].get("suggestions"), None);
}

#[test]
fn agent_lines_split_at_bars() {
    let shown = written(Format::Agent, Style::default(), &hostile());
    let lines: Vec<_> = shown.lines().collect();
    assert_eq!(lines.len(), 3);
    assert_eq!(lines[0].split(" | ").count(), 2);
    assert!(lines.iter().all(|line| line.matches('|').count() < 2));
    let shown = written(
        Format::Agent,
        Style::default(),
        &checked(fixable_findings()),
    );
    insta::assert_snapshot!(shown, @r"
    configs/fp8.yaml:4:3 FP301 error accelerate 1.15.0 never reads `fsdp_config.fp8`: fp16 runs | write at the top level:\nmixed_precision: fp8\nfp8_config:\n  backend: AO | --fix
    configs/fp8.yaml:4:3 FP301 error accelerate 1.15.0 never reads `fsdp_config.fp8`: fp16 runs | write at the top level:\nmixed_precision: fp8\nfp8_config:\n  backend: AO | --fix --unsafe-fixes
    configs/fp8.yaml:4:3 FP301 error accelerate 1.15.0 never reads `fsdp_config.fp8`: fp16 runs | write at the top level:\nmixed_precision: fp8\nfp8_config:\n  backend: AO
    3 errors, 0 warnings, 0 notes, 1 fixable with --fix, 1 fixable with --fix --unsafe-fixes
    ");
}

#[test]
fn fixes_are_said_counted_and_marked() {
    let mut checked = checked(fixable_findings());
    let suppressed = |by| Suppressed {
        finding: full_finding(),
        by,
    };
    checked.suppressed = vec![
        suppressed(Suppression::Baseline),
        suppressed(Suppression::Comment {
            place: full_finding().primary,
            reason: String::new(),
        }),
        suppressed(Suppression::Baseline),
    ];
    let style = Style {
        statistics: true,
        ..Style::default()
    };
    insta::assert_snapshot!(written(Format::Concise, style, &checked), @r"
    configs/fp8.yaml:4:3: error FP301 [*] accelerate 1.15.0 never reads `fsdp_config.fp8`: fp16 runs
    configs/fp8.yaml:4:3: error FP301 [*] accelerate 1.15.0 never reads `fsdp_config.fp8`: fp16 runs
    configs/fp8.yaml:4:3: error FP301 accelerate 1.15.0 never reads `fsdp_config.fp8`: fp16 runs
        3  FP301  misplaced-fp8-block  (2 fixable)
    Found 3 errors in 1 accelerate config, accelerate 1.15.0. 1 fixable with --fix, 1 more with --unsafe-fixes. 1 ignored, 2 in the baseline. [*] marks what is fixable.
    ");
    let text = written(Format::Text, style, &checked);
    assert_eq!(text.matches("= help: fixable with --fix\n").count(), 1);
    assert_eq!(
        text.matches("= help: fixable with --fix --unsafe-fixes\n")
            .count(),
        1
    );
    // Without help of its own, a suggestion says what to write.
    checked.findings[2].help = None;
    let text = written(Format::Text, style, &checked);
    assert_eq!(
        text.matches("= help: write `mixed_precision: fp8`\n")
            .count(),
        1
    );

    let schema: Value = serde_json::from_str(JSON_SCHEMA).unwrap();
    let output = json(Format::Json, &checked);
    follows(&output, &schema, &schema, "$");
    insta::assert_snapshot!(serde_json::to_string_pretty(&output["findings"][0]["fixes"]).unwrap(), @r#"
    [
      {
        "edits": [
          {
            "content": "fp8",
            "end": {
              "column": 22,
              "line": 7,
              "offset": 135
            },
            "path": "configs/fp8.yaml",
            "start": {
              "column": 18,
              "line": 7,
              "offset": 131
            }
          },
          {
            "content": "fp8_config:\n  backend: AO\n",
            "end": {
              "column": 1,
              "line": 8,
              "offset": 136
            },
            "path": "configs/fp8.yaml",
            "start": {
              "column": 1,
              "line": 8,
              "offset": 136
            }
          }
        ],
        "safety": "safe",
        "title": "write `mixed_precision: fp8`"
      }
    ]
    "#);
    insta::assert_snapshot!(serde_json::to_string(&output["summary"]).unwrap(), @r#"{"configs":1,"errors":3,"files_read":3,"fixable":{"safe":1,"unsafe":1},"notes":0,"rules":[{"code":"FP301","findings":3,"fixable":2,"name":"misplaced-fp8-block"}],"warnings":0}"#);
}

#[test]
fn only_a_terminal_with_links_gets_them() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::create_dir(folder.path().join("configs")).unwrap();
    std::fs::write(folder.path().join("configs/fp8.yaml"), CONFIG).unwrap();
    let mut checked = checked(vec![full_finding()]);
    checked.paths = RepositoryPaths::new(folder.path(), folder.path());
    for format in Format::ALL {
        let plain = written(*format, Style::default(), &checked);
        assert!(!plain.contains("\u{1b}]8;;"));
        let linked = Style {
            links: true,
            ..Style::default()
        };
        let links = written(*format, linked, &checked)
            .matches("\u{1b}]8;;file://")
            .count();
        let expected = usize::from(matches!(format, Format::Text | Format::Concise));
        assert_eq!(links, expected, "{}", format.as_str());
    }
}
