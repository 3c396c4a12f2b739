//! Reports of whole repositories, in every format.

#![allow(
    missing_docs,
    unreachable_pub,
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic
)]

mod support;

use std::collections::BTreeSet;
use std::fs;

use serde_json::Value;
use support::{Repository, ran};

const LOWER: &str = "distributed_type: 'NO'\nmixed_precision: fp8\nfp8_config:\n  backend: te\n";
const BARE: &str = "distributed_type: 'NO'\nfp8: true\nmixed_precision: bf16\nnum_processes: 1\n";
const CLEAN: &str = "distributed_type: 'NO'\nmixed_precision: bf16\nnum_processes: 1\n";
const FORMATS: [&str; 8] = [
    "text",
    "concise",
    "json",
    "json-lines",
    "gitlab",
    "junit",
    "rdjson",
    "agent",
];

/// A repository with a safe fix, an unsafe one, and a config without faults.
fn repository() -> Repository {
    let files = [
        ("conf/a.yaml", LOWER),
        ("conf/b.yaml", BARE),
        ("clean.yaml", CLEAN),
    ];
    let repository = Repository::with(&files);
    fs::create_dir(repository.path().join(".git")).unwrap();
    repository
}

fn report(format: &str) -> String {
    let ran = repository().run(&["--report", format]);
    assert_eq!((ran.code, ran.stderr.as_str()), (1, ""));
    ran.stdout
}

#[test]
fn text_says_what_is_fixable() {
    insta::assert_snapshot!(report("text"));
}

#[test]
fn concise_marks_what_is_fixable() {
    insta::assert_snapshot!(report("concise"));
}

#[test]
fn agent_is_terse() {
    insta::assert_snapshot!(report("agent"));
}

#[test]
fn gitlab_is_an_array_of_issues() {
    insta::assert_snapshot!(report("gitlab"));
}

#[test]
fn junit_has_a_suite_for_each_file() {
    insta::assert_snapshot!(report("junit"));
}

#[test]
fn rdjson_has_suggestions() {
    insta::assert_snapshot!(report("rdjson"));
}

#[test]
fn json_lines_are_the_findings_of_json() {
    let json: Value = serde_json::from_str(&report("json")).unwrap();
    let lines: Vec<Value> = report("json-lines")
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    assert!(lines.len() > 1);
    assert_eq!(Value::from(lines), json["findings"]);
    insta::assert_snapshot!(serde_json::to_string_pretty(&json["findings"]).unwrap());
}

#[test]
fn every_format_goes_to_a_file_in_one_pass_as_it_goes_to_standard_output() {
    let repository = repository();
    let arguments = FORMATS.map(|format| ["--report".to_owned(), format!("{format}=out-{format}")]);
    let ran = ran(&mut repository.command(&arguments.concat()));
    assert_eq!(
        (ran.code, ran.stdout, ran.stderr),
        (1, String::new(), String::new())
    );
    for format in FORMATS {
        assert_eq!(
            repository.read(&format!("out-{format}")),
            report(format),
            "{format}"
        );
    }
    // An earlier report is replaced, by an equal one.
    let again = repository.run(&["--report=json=out-json", "--report", "agent"]);
    assert_eq!(again.stdout, report("agent"));
    assert_eq!(repository.read("out-json"), report("json"));
    let left = fs::read_dir(repository.path()).unwrap().count();
    // .git, conf, clean.yaml and the reports: no temporary file.
    assert_eq!(left, 3 + FORMATS.len());
}

#[test]
fn files_that_cannot_be_are_refused_before_anything_is_written() {
    let repository = repository();
    let refused = |code, arguments: &[&str], message: &str| {
        let ran = repository.run(arguments);
        assert_eq!(
            (ran.code, ran.stdout.as_str()),
            (code, ""),
            "{}",
            ran.stderr
        );
        assert!(ran.stderr.contains(message), "{}", ran.stderr);
        assert!(ran.stderr.contains("help: "), "{}", ran.stderr);
    };
    let same = ["--report", "json=r", "--report", "junit=conf/../r"];
    refused(
        2,
        &same,
        "two reports cannot both go to one file: r and conf/../r",
    );
    let both = ["--report", "junit", "--report", "json"];
    refused(2, &both, "standard output");
    let missing = ["--report", "json=r", "--report", "junit=no/such/r.xml"];
    refused(3, &missing, "there is no folder no/such");
    refused(3, &["--report", "json=conf"], "it is a folder");
    assert!(!repository.path().join("r").exists());
    let unknown = repository.run(&["--report", "jsonl"]);
    assert!(unknown.stderr.contains("json-lines"), "{}", unknown.stderr);
}

#[cfg(unix)]
#[test]
fn a_report_keeps_the_links_and_the_mode_of_its_file() {
    use std::os::unix::fs::{PermissionsExt, symlink};
    let repository = repository();
    let path = |name: &str| repository.path().join(name);
    fs::write(path("real"), "old").unwrap();
    fs::set_permissions(path("real"), fs::Permissions::from_mode(0o640)).unwrap();
    symlink("real", path("link")).unwrap();
    assert_eq!(
        repository
            .run(&["--report", "json=link", "--report", "concise=new"])
            .code,
        1
    );
    assert!(path("link").symlink_metadata().unwrap().is_symlink());
    let mode = |name: &str| path(name).metadata().unwrap().permissions().mode() & 0o777;
    assert_eq!(mode("real"), 0o640);
    assert!(repository.read("real").starts_with('{'));
    // A new one has the mode of any new file.
    fs::write(path("other"), "").unwrap();
    assert_eq!(mode("new"), mode("other"));
    // What is no file is written to all the same.
    let ran = repository.run(&["--report", "agent=/dev/stdout"]);
    assert_eq!(ran.stdout, report("agent"));
}

#[test]
fn paths_begin_where_the_reader_stands() {
    let repository = repository();
    for (format, shown, other) in [
        ("text", "--> a.yaml:", "conf/a.yaml"),
        ("concise", "a.yaml:", "conf/a.yaml"),
        ("agent", "a.yaml:", "conf/a.yaml"),
        ("json", "\"path\": \"a.yaml\"", "conf/a.yaml"),
        ("json-lines", "\"path\":\"a.yaml\"", "conf/a.yaml"),
        ("gitlab", "\"path\": \"conf/a.yaml\"", "\"a.yaml\""),
        ("junit", "name=\"conf/a.yaml\"", "\"a.yaml\""),
        ("rdjson", "\"path\": \"conf/a.yaml\"", "\"a.yaml\""),
    ] {
        let mut command = repository.command(&["--report", format]);
        command.current_dir(repository.path().join("conf"));
        let shown_here = ran(&mut command).stdout;
        assert!(shown_here.contains(shown), "{format}: {shown_here}");
        assert!(!shown_here.contains(other), "{format}: {shown_here}");
    }
}

#[test]
fn gitlab_names_no_two_findings_alike() {
    let bare = format!("{BARE}fp8_backend: TE\nfp8_format: E4M3\n");
    let repository = Repository::with(&[("a.yaml", &bare), ("b.yaml", &bare)]);
    let shown = repository.run(&["--report", "gitlab"]).stdout;
    let issues: Vec<Value> = serde_json::from_str(&shown).unwrap();
    let prints: BTreeSet<_> = issues
        .iter()
        .map(|issue| issue["fingerprint"].to_string())
        .collect();
    assert!(issues.len() > 3);
    assert_eq!(prints.len(), issues.len());
}

#[test]
fn a_repository_without_findings_has_reports_too() {
    let repository = Repository::with(&[("clean.yaml", CLEAN)]);
    let shown = FORMATS.map(|format| {
        let ran = repository.run(&["--report", format]);
        assert_eq!((ran.code, ran.stderr.as_str()), (0, ""), "{format}");
        ran.stdout
    });
    assert_eq!(shown[3], "");
    assert_eq!(shown[4], "[]\n");
    assert!(
        shown[5].contains("tests=\"1\" failures=\"0\""),
        "{}",
        shown[5]
    );
    assert_eq!(
        shown[7],
        "0 errors, 0 warnings, 0 notes, 0 fixable with --fix, 0 fixable with --fix --unsafe-fixes\n"
    );
}

#[test]
fn the_schema_that_is_printed_names_every_key_of_a_finding() {
    let repository = repository();
    let schema = repository.run(&["schema", "output"]).stdout;
    let schema: Value = serde_json::from_str(&schema).unwrap();
    let json: Value = serde_json::from_str(&report("json")).unwrap();
    let keys = |value: &Value| -> BTreeSet<String> {
        value.as_object().unwrap().keys().cloned().collect()
    };
    assert_eq!(keys(&json), keys(&schema["properties"]));
    let described = &schema["$defs"]["finding"]["properties"];
    for finding in json["findings"].as_array().unwrap() {
        assert_eq!(keys(finding), keys(described));
        for fix in finding["fixes"].as_array().unwrap() {
            let described = &described["fixes"]["items"]["properties"];
            assert_eq!(keys(fix), keys(described));
            assert_eq!(
                keys(&fix["edits"][0]),
                keys(&described["edits"]["items"]["properties"])
            );
        }
    }
}

#[cfg(unix)]
#[test]
fn names_that_are_no_utf_8_and_hostile_names_are_safe_in_every_format() {
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt;
    let repository = Repository::with(&[]);
    for name in [
        &b"\xff\xfe.yaml"[..],
        b"a,b:c%d::error::e\n\r\x1b[31m|`<script>&\"']]>\xe2\x80\xae\x07.yaml",
    ] {
        repository.write(OsStr::from_bytes(name), BARE);
    }
    for format in FORMATS {
        let ran = repository.run(&["--report", format, "--color", "always"]);
        assert_eq!((ran.code, ran.stderr.as_str()), (1, ""), "{format}");
        for bad in ["\u{1b}[31m|", "\r", "\u{202e}", "\u{7}", "e\n"] {
            assert!(
                !ran.stdout.contains(&format!("error::{bad}")),
                "{format}: {bad:?}"
            );
        }
        assert!(
            !ran.stdout.contains(['\r', '\u{202e}', '\u{7}']),
            "{format}"
        );
        assert!(ran.stdout.contains('\u{fffd}'), "{format}");
    }
}

#[test]
fn nothing_for_terminals_reaches_pipes_and_files() {
    let repository = repository();
    for report in ["text", "text=out", "concise", "concise=out"] {
        let mut command = repository.command(&["--report", report, "--color", "always"]);
        command
            .env("FORCE_HYPERLINK", "1")
            .env("TERM", "xterm-kitty");
        let ran = ran(&mut command);
        let shown = match report.contains('=') {
            true => repository.read("out"),
            false => ran.stdout,
        };
        assert!(shown.contains("a.yaml"));
        assert!(!shown.contains("\u{1b}]"), "{shown:?}");
        // No progress bar either.
        assert_eq!(ran.stderr, "");
    }
}

#[test]
fn statistics_count_by_rule_and_what_is_fixable() {
    let safe = "distributed_type: 'NO'\nmixed_precision: fp8\nfp8_config:\n  backend: te\n";
    let neither =
        "distributed_type: 'NO'\nmixed_precision: bf16\nuse_cpu: [1]\nmixed_precision: bf16\n";
    let repository = Repository::with(&[("a.yaml", safe), ("b.yaml", safe), ("c.yaml", neither)]);
    let ran = repository.run(&["--statistics", "--report", "concise", "--exit-zero"]);
    let line = |code: &str| {
        let mut lines = ran.stdout.lines();
        let found = lines.find(|line| line.contains(&format!("  {code}  ")));
        found
            .unwrap_or_else(|| panic!("{code}: {}", ran.stdout))
            .to_owned()
    };
    assert!(
        line("FP201").trim_start().starts_with("2 "),
        "{}",
        ran.stdout
    );
    assert!(line("FP201").contains("2 fixable"), "{}", ran.stdout);
    assert!(!line("FP307").contains("fixable"), "{}", ran.stdout);
}
