//! `init`, `show-settings`, `show-files`, and what the program says about itself: rules, schema, completions, manual.

#![allow(
    missing_docs,
    unreachable_pub,
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic
)]

mod support;

use std::process::{Command, Stdio};

use insta::assert_snapshot;
use serde_json::Value;
use support::Repository;

const CLEAN: &str = "distributed_type: 'NO'\nmixed_precision: bf16\nnum_processes: 1\n";

const COMMANDS: [&str; 10] = [
    "check",
    "resolve",
    "explain",
    "rules",
    "init",
    "show-settings",
    "show-files",
    "schema",
    "completions",
    "man",
];

fn ok(repository: &Repository, arguments: &[&str]) -> String {
    let ran = repository.run(arguments);
    assert_eq!((ran.code, ran.stderr.as_str()), (0, ""), "{arguments:?}");
    ran.stdout
}

fn json(repository: &Repository, arguments: &[&str]) -> Value {
    serde_json::from_str(&ok(repository, arguments)).unwrap()
}

#[test]
fn init_writes_settings_once() {
    let repository = Repository::with(&[("a.yaml", CLEAN)]);
    assert_snapshot!(ok(&repository, &["init"]), @"
    Wrote fp8lint.toml. Every setting in it is a comment: uncomment what you need.
    `fp8lint show-settings FILE` shows what holds for a file.
    ");
    let written = repository.read("fp8lint.toml");
    ok(&repository, &[]);
    let ran = repository.run(&["init"]);
    assert_eq!((ran.code, ran.stdout.as_str()), (2, ""));
    assert_snapshot!(ran.stderr, @"
    error: fp8lint.toml holds settings of fp8lint already
    help: edit it, or remove it first; `fp8lint schema config` has every key
    ");
    assert_eq!(repository.read("fp8lint.toml"), written);
}

#[test]
fn init_knows_the_other_places_of_settings() {
    for (name, text, code) in [
        ("pyproject.toml", "[project]\nname = 'x'\n", 0),
        ("pyproject.toml", "[tool.fp8lint]\n", 2),
        ("pyproject.toml", "[tool.fp8lint\n", 2),
        (".fp8lint.toml", "", 2),
        ("fp8lint.toml", "wrong", 2),
    ] {
        let repository = Repository::with(&[(name, text)]);
        let ran = repository.run(&["init"]);
        assert_eq!(ran.code, code, "{text}: {}", ran.stderr);
        match code {
            0 => assert!(ran.stdout.contains("[tool.fp8lint] of pyproject.toml")),
            _ => assert!(ran.stderr.contains(name), "{}", ran.stderr),
        }
        assert_eq!(repository.read(name), text);
    }
}

fn monorepo() -> Repository {
    Repository::with(&[
        (".git/HEAD", "ref: refs/heads/main\n"),
        (
            "fp8lint.toml",
            "\
ignore = ['FP318']
fail-on = 'error'
exclude = ['third_party']
max-file-size = '8 MiB'

[target]
gpu = 'h100'

[severity]
FP3 = 'note'

[per-path.'conf/*.json']
ignore = ['FP304']
severity = { FP302 = 'warning' }

[per-path.other]
ignore = ['FP305']

[recipes]
'r/*.yaml' = 'trl'

[[fp8-block]]
path = 'fsdp_config.fp8'
backends = ['fp8', 'auto']
default-backend = 'auto'
",
        ),
        ("requirements.txt", "accelerate==1.12.0\n"),
        (
            "conf/a.json",
            "{\"distributed_type\": \"NO\", \"mixed_precision\": \"bf16\"}",
        ),
        ("sub/pyproject.toml", "[tool.fp8lint]\nselect = []\n"),
        ("third_party/x.yaml", CLEAN),
        (
            "train.sh",
            "accelerate launch --config_file a.yaml train.py\n",
        ),
        ("r/recipe.yaml", "learning_rate: 1\n"),
        ("other.yaml", "services: {}\n"),
    ])
}

#[test]
fn the_settings_of_a_file_are_shown_with_where_they_come_from() {
    let repository = monorepo();
    assert_snapshot!(ok(
        &repository,
        &[
            "show-settings",
            "conf/a.json",
            "--ignore",
            "FP9",
            "--include",
            "*.cfg"
        ]
    ));
    assert_snapshot!(ok(
        &repository,
        &[
            "show-settings",
            "sub/new.yaml",
            "--fail-on",
            "note",
            "--target",
            "accelerate=1.10.0"
        ]
    ));
    assert_snapshot!(ok(
        &repository,
        &[
            "show-settings",
            "conf/a.json",
            "--isolated",
            "--select",
            "FP1,template"
        ]
    ));
    let excluded = ok(&repository, &["show-settings", "third_party/x.yaml"]);
    assert!(excluded.contains("excluded"), "{excluded}");
    let shown = json(
        &repository,
        &["show-settings", "conf/a.json", "--format", "json"],
    );
    assert_eq!(shown["settings"], "fp8lint.toml");
    assert_eq!(shown["kind"], "accelerate");
    assert_eq!(shown["excluded"], false);
    let values = shown["values"].as_array().unwrap();
    let accelerate = values.iter().find(|row| row["key"] == "target.accelerate");
    assert_eq!(
        accelerate.unwrap(),
        &serde_json::json!({
            "key": "target.accelerate", "value": "1.12.0", "from": "pin", "path": "requirements.txt", "line": 1
        })
    );
    let folder = repository.run(&["show-settings", "conf"]);
    assert_eq!(folder.code, 2);
    repository.write("fp8lint.toml", "slect = []\n");
    assert_eq!(repository.run(&["show-settings", "conf/a.json"]).code, 2);
}

#[test]
fn the_files_of_a_check_are_shown_with_what_they_are() {
    let repository = monorepo();
    assert_snapshot!(ok(&repository, &["show-files"]), @"
    accelerate  conf/a.json
    -           other.yaml
    recipe:trl  r/recipe.yaml
    launch      train.sh
    ");
    let shown = json(
        &repository,
        &["show-files", "conf", "missing", "--format", "json"],
    );
    assert_eq!(
        shown,
        serde_json::json!([
            {"path": "conf/a.json", "kind": "accelerate"},
            {"path": "missing", "kind": null, "problem": "no such file or folder"},
        ])
    );
    let ran = repository.run(&["show-files", "missing"]);
    assert_eq!(
        (ran.code, ran.stdout.as_str()),
        (3, "unreadable  missing (no such file or folder)\n")
    );
    // They are those that a check reads.
    let checked = repository.run(&["--report", "json"]);
    let checked: Value = serde_json::from_str(&checked.stdout).unwrap();
    assert_eq!(checked["summary"]["files_read"], 4);
    assert_eq!(checked["files"].as_array().unwrap().len(), 3);
}

#[test]
fn rules_are_there_for_programs() {
    let repository = Repository::with(&[]);
    let rules = json(&repository, &["rules", "--format", "json"]);
    let rules = rules.as_array().unwrap();
    let listed = ok(&repository, &["rules"]);
    assert_eq!(listed.lines().count(), rules.len());
    for (rule, line) in rules.iter().zip(listed.lines()) {
        assert!(line.starts_with(rule["code"].as_str().unwrap()));
        for key in ["name", "summary", "explanation"] {
            assert!(!rule[key].as_str().unwrap().is_empty(), "{key} of {line}");
        }
        assert!(["error", "warning", "note"].contains(&rule["severity"].as_str().unwrap()));
        assert!(["certain", "likely"].contains(&rule["confidence"].as_str().unwrap()));
    }
    let opt_in: Vec<_> = rules
        .iter()
        .filter(|rule| rule["opt_in"] == true)
        .map(|rule| rule["code"].as_str().unwrap())
        .collect();
    assert_eq!(opt_in, ["FP405"]);
    let one = json(&repository, &["explain", "te-fsdp2", "--format", "json"]);
    assert!(rules.contains(&one));
    assert_eq!(one["examples"][0]["fails"], true);
    assert!(ok(&repository, &["explain", "FP405"]).contains("opt-in"));
}

#[test]
fn the_schema_of_the_settings_is_printed() {
    let schema = json(&Repository::with(&[]), &["schema", "config"]);
    let validator = jsonschema::validator_for(&schema).unwrap();
    assert!(validator.is_valid(&serde_json::json!({"select": ["FP3"]})));
    assert!(!validator.is_valid(&serde_json::json!({"slect": ["FP3"]})));
}

#[test]
fn every_command_has_short_grouped_help_with_an_example() {
    let repository = Repository::with(&[]);
    let program = ok(&repository, &["--help"]);
    for command in COMMANDS {
        assert!(program.contains(&format!("\n  {command} ")), "{command}");
        let help = ok(&repository, &[command, "--help"]);
        assert!(
            help.contains(&format!("\nExample: fp8lint {command}")),
            "{help}"
        );
        assert!(help.lines().count() < 130, "{help}");
    }
    for command in ["check", "show-settings", "show-files"] {
        let help = ok(&repository, &[command, "--help"]);
        // What is in no group is about the command itself.
        let own = help.split("\nOptions:\n").nth(1).unwrap();
        let own = own.split("\n\n").find(|part| part.contains(" --")).unwrap();
        assert!(own.contains("--help") || own.contains("--format"), "{own}");
        assert!(
            help.contains("\nFiles:\n") && help.contains("\nAssumptions:\n"),
            "{help}"
        );
    }
}

#[test]
fn completions_know_the_commands() {
    let repository = Repository::with(&[]);
    for shell in ["bash", "zsh", "fish", "powershell", "elvish"] {
        let script = ok(&repository, &["completions", shell]);
        for command in COMMANDS {
            assert!(script.contains(command), "{command} in {shell}");
        }
        assert!(script.contains("no-force-exclude"), "{shell}");
        repository.write(format!("script.{shell}"), script);
    }
    for (shell, arguments) in [("bash", ["-n"]), ("zsh", ["-n"]), ("fish", ["-n"])] {
        let mut parser = Command::new(shell);
        parser
            .args(arguments)
            .arg(repository.path().join(format!("script.{shell}")));
        match parser.stdin(Stdio::null()).status() {
            Ok(status) => assert!(status.success(), "{shell}"),
            Err(_) => assert_ne!(
                shell, "bash",
                "bash is on every machine that runs the tests"
            ),
        }
    }
}

#[test]
fn manual_pages_are_there_for_the_program_and_each_command() {
    let repository = Repository::with(&[]);
    let page = ok(&repository, &["man"]);
    assert!(page.contains(".TH fp8lint 1"));
    for command in COMMANDS {
        let name = format!("fp8lint\\-{}", command.replace('-', "\\-"));
        assert!(page.contains(&name), "{name} in the page of the program");
        let page = ok(&repository, &["man", command]);
        assert!(page.contains(&format!(".TH fp8lint-{command} 1")), "{page}");
        assert!(
            page.contains(&format!("Example: fp8lint {}", command.replace('-', "\\-"))),
            "{page}"
        );
    }
    let ran = repository.run(&["man", "chek"]);
    assert_eq!(ran.code, 2);
    assert!(ran.stderr.contains("did you mean check?"), "{}", ran.stderr);
}
