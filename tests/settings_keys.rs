//! What the keys of settings do, file by file, and how the command line overrides them.

#![allow(
    missing_docs,
    unreachable_pub,
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic
)]

mod support;

use support::Repository;

/// FP302, an error.
const FP8: &str = "distributed_type: FSDP\nmixed_precision: fp16\nnum_processes: 8\nfsdp_config:\n  fp8: {backend: auto}\n";
const FP8_JSON: &str = r#"{"distributed_type": "FSDP", "mixed_precision": "fp16", "num_processes": 8, "fsdp_config": {"fp8": {"backend": "auto"}}}"#;
/// FP903, a note.
const TEMPLATE: &str = "distributed_type: FSDP\nmixed_precision: {{ precision }}\n";
const CLEAN: &str = "distributed_type: 'NO'\nmixed_precision: bf16\nnum_processes: 1\n";

/// Path, severity and code of each finding, and the exit code.
fn check(repository: &Repository, arguments: &[&str]) -> (Vec<String>, i32) {
    let mut all = vec!["--report", "concise", "--quiet"];
    all.extend(arguments);
    let ran = repository.run(&all);
    assert_eq!(ran.stderr, "", "{arguments:?}");
    let findings = ran.stdout.lines().map(|line| {
        let mut words = line.split(' ');
        let place = words.next().unwrap();
        let path = place.split(':').next().unwrap();
        let (severity, code) = (words.next().unwrap(), words.next().unwrap());
        format!("{path} {severity} {code}")
    });
    (findings.collect(), ran.code)
}

/// What is found, as it is expected.
fn assert_found(repository: &Repository, arguments: &[&str], expected: &[&str], code: i32) {
    let (found, exit) = check(repository, arguments);
    assert_eq!(found, expected, "{arguments:?}");
    assert_eq!(exit, code, "{arguments:?}");
}

/// The paths that are read and recognised.
fn files(repository: &Repository, arguments: &[&str]) -> Vec<String> {
    let mut all = vec!["show-files"];
    all.extend(arguments);
    let ran = repository.run(&all);
    assert_eq!(ran.stderr, "", "{arguments:?}");
    let lines = ran.stdout.lines();
    lines
        .map(|line| line.split_whitespace().last().unwrap().to_owned())
        .collect()
}

fn two(settings: &str) -> Repository {
    Repository::with(&[
        ("fp8lint.toml", settings),
        ("a.yaml", FP8),
        ("t.yaml", TEMPLATE),
    ])
}

const BOTH: [&str; 2] = ["a.yaml error FP302", "t.yaml note FP903"];

#[test]
fn select_holds_until_the_command_line_replaces_it() {
    for select in [
        "'FP3'",
        "'fp302'",
        "'fp8-block-in-section'",
        "'FP30', 'FP1'",
    ] {
        let repository = two(&format!("select = [{select}]\n"));
        assert_found(&repository, &[], &BOTH[..1], 1);
        assert_found(&repository, &["--select", "FP9"], &BOTH[1..], 0);
        assert_found(&repository, &["--isolated"], &BOTH, 1);
    }
    assert_found(&two("select = []\n"), &[], &[], 0);
    // An opt-in rule is reported where the settings select it.
    let repository = Repository::with(&[
        ("a/accelerate.yaml", CLEAN),
        ("a/used.yaml", CLEAN),
        (
            "a/train.sh",
            "accelerate launch --config_file used.yaml train.py\n",
        ),
    ]);
    assert_found(&repository, &["--ignore", "FP3"], &[], 0);
    repository.write("fp8lint.toml", "select = ['unused-config']\n");
    let unused = ["a/accelerate.yaml warning FP405"];
    assert_found(&repository, &[], &unused, 1);
}

#[test]
fn ignored_rules_add_up() {
    let repository = two("ignore = ['FP3xx']\n");
    assert_found(&repository, &[], &BOTH[1..], 0);
    assert_found(&repository, &["--ignore", "template"], &[], 0);
    // What the settings ignore stays ignored whatever is selected.
    assert_found(&repository, &["--select", "FP302"], &[], 0);
}

#[test]
fn severities_change_what_is_shown_and_what_fails() {
    let repository = two("severity = { FP3 = 'note', template = 'error' }\n");
    let turned = ["a.yaml note FP302", "t.yaml error FP903"];
    assert_found(&repository, &[], &turned, 1);
    assert_found(&repository, &["a.yaml"], &turned[..1], 0);
    // The most exact name holds, whatever the order.
    for severity in [
        "FP = 'error'\nFP3 = 'note'\nFP302 = 'warning'\n",
        "FP302 = 'warning'\nFP30 = 'error'\nFP3 = 'note'\n",
    ] {
        let severity = severity.replace("FP = 'error'\n", "");
        let repository = two(&format!("[severity]\n{severity}"));
        assert_found(&repository, &["a.yaml"], &["a.yaml warning FP302"], 1);
    }
}

#[test]
fn fail_on_holds_until_the_command_line_replaces_it() {
    let repository = two("fail-on = 'note'\n");
    assert_found(&repository, &["t.yaml"], &BOTH[1..], 1);
    assert_found(
        &repository,
        &["t.yaml", "--fail-on", "warning"],
        &BOTH[1..],
        0,
    );
    let repository = two("fail-on = 'error'\nseverity = { FP3 = 'warning' }\n");
    let warning = ["a.yaml warning FP302"];
    assert_found(&repository, &["a.yaml"], &warning, 0);
    assert_found(
        &repository,
        &["a.yaml", "--fail-on", "warning"],
        &warning,
        1,
    );
    assert_found(&repository, &["a.yaml", "--isolated"], &BOTH[..1], 1);
}

#[test]
fn per_path_silences_json() {
    let repository = Repository::with(&[
        ("a.json", FP8_JSON),
        ("conf/b.json", FP8_JSON),
        ("conf/deep/c.json", FP8_JSON),
    ]);
    let error = |path: &str| format!("{path} error FP302");
    let (a, b, c) = (
        error("a.json"),
        error("conf/b.json"),
        error("conf/deep/c.json"),
    );
    for (pattern, left) in [
        ("*.json", &[][..]),
        ("conf/*.json", &[&a, &c]),
        ("conf/**/*.json", &[&a]),
        // A folder stands for all that is in it.
        ("conf", &[&a]),
        ("conf/deep/", &[&a, &b]),
        ("/a.json", &[&b, &c]),
    ] {
        repository.write(
            "fp8lint.toml",
            format!("[per-path.'{pattern}']\nignore = ['fp8-block-in-section']\n"),
        );
        let left: Vec<&str> = left.iter().map(|found| found.as_str()).collect();
        assert_found(&repository, &[], &left, i32::from(!left.is_empty()));
    }
    repository.write(
        "fp8lint.toml",
        "severity = { FP302 = 'note' }\nper-path = { 'conf' = { severity = { FP3 = 'warning' } }, '*' = {} }\n",
    );
    let found = [
        "a.json note FP302",
        "conf/b.json warning FP302",
        "conf/deep/c.json warning FP302",
    ];
    assert_found(&repository, &[], &found, 1);
    // The patterns are seen from the folder of the settings, wherever the program is run.
    let mut command = repository.command(&["--report", "concise", "--quiet", "deep"]);
    let ran = support::ran(command.current_dir(repository.path().join("conf")));
    assert!(
        !ran.stdout.contains("warning"),
        "no git root: {}",
        ran.stdout
    );
    std::fs::create_dir(repository.path().join(".git")).unwrap();
    let mut command = repository.command(&["--report", "concise", "--quiet", "deep"]);
    let ran = support::ran(command.current_dir(repository.path().join("conf")));
    assert!(ran.stdout.starts_with("deep/c.json:1:"), "{}", ran.stdout);
    assert!(ran.stdout.contains(" warning FP302 "), "{}", ran.stdout);
}

#[test]
fn each_file_of_a_monorepo_is_judged_by_the_nearest_settings() {
    let repository = Repository::with(&[
        (".git/HEAD", "ref: refs/heads/main\n"),
        (
            "pyproject.toml",
            "[tool.fp8lint]\nseverity = { FP3 = 'warning' }\nexclude = ['gone', 'far.yaml', 'two/out']\n",
        ),
        (
            "one/fp8lint.toml",
            "ignore = ['template']\nexclude = ['no.yaml']\n",
        ),
        ("one/a.yaml", FP8),
        ("one/t.yaml", TEMPLATE),
        ("one/no.yaml", FP8),
        ("one/far.yaml", FP8),
        ("gone/fp8lint.toml", ""),
        ("gone/a.yaml", FP8),
        ("two/out/a.yaml", FP8),
        ("two/a.yaml", FP8),
        ("two/t.yaml", TEMPLATE),
        ("two/no.yaml", FP8),
        ("two/far.yaml", FP8),
        ("three/.fp8lint.toml", "fail-on = 'note'\n"),
        ("three/t.yaml", TEMPLATE),
    ]);
    let all = [
        // Nothing of the outer settings holds here, except that what they exclude is not entered.
        "one/a.yaml error FP302",
        "one/far.yaml error FP302",
        "three/t.yaml note FP903",
        "two/a.yaml warning FP302",
        "two/no.yaml warning FP302",
        "two/t.yaml note FP903",
    ];
    assert_found(&repository, &[], &all, 1);
    assert_found(&repository, &["two/t.yaml"], &["two/t.yaml note FP903"], 0);
    assert_found(&repository, &["three"], &["three/t.yaml note FP903"], 1);
    for threads in ["1", "7"] {
        assert_found(&repository, &["--threads", threads], &all, 1);
    }
}

#[test]
fn what_is_excluded_is_not_read_even_where_it_is_named() {
    let repository = Repository::with(&[
        (".git/HEAD", "ref: refs/heads/main\n"),
        (
            "fp8lint.toml",
            "exclude = ['out', 'b.*', 'conf/**/x.yaml']\ninclude = ['*.cfg']\n",
        ),
        ("a.yaml", CLEAN),
        ("b.yaml", CLEAN),
        ("c.cfg", CLEAN),
        ("c.ini", CLEAN),
        ("out/a.yaml", CLEAN),
        ("deep/out/a.yaml", CLEAN),
        ("conf/x.yaml", CLEAN),
        ("conf/y/x.yaml", CLEAN),
        ("conf/y/z.yaml", CLEAN),
    ]);
    let read = |arguments: &[&str]| files(&repository, arguments);
    assert_eq!(read(&[]), ["a.yaml", "c.cfg", "conf/y/z.yaml"]);
    // The command line adds to both.
    assert_eq!(
        read(&["--exclude", "conf", "--include", "*.ini"]),
        ["a.yaml", "c.cfg", "c.ini"]
    );
    for path in ["b.yaml", "out", "out/a.yaml", "./deep/out", "conf/y/x.yaml"] {
        assert_eq!(read(&[path]), [""; 0], "{path}");
        assert_eq!(read(&[path, "--no-force-exclude"]).len(), 1, "{path}");
        assert_eq!(read(&[path, "--isolated"]).len(), 1, "{path}");
    }
    let absolute = repository.path().join("b.yaml");
    assert_eq!(read(&[absolute.to_str().unwrap()]), [""; 0]);
    assert_eq!(read(&["--exclude", "a.*", "a.yaml"]), [""; 0]);
    assert_eq!(
        read(&["--exclude", "a.*", "a.yaml", "--no-force-exclude"]),
        ["a.yaml"]
    );
    // A tracked file that git ignores is no way around it.
    repository.write(".gitignore", "out/\n");
    std::fs::remove_dir_all(repository.path().join(".git")).unwrap();
    for arguments in [&["init", "-q"][..], &["add", "-f", "."]] {
        let mut git = std::process::Command::new("git");
        let status = git
            .arg("-C")
            .arg(repository.path())
            .args(arguments)
            .status();
        assert!(status.unwrap().success());
    }
    assert_eq!(read(&[]), ["a.yaml", "c.cfg", "conf/y/z.yaml"]);
}

#[test]
fn the_limit_of_size_is_that_of_the_nearest_settings() {
    let large = format!("{CLEAN}# {}\n", "x".repeat(1 << 10));
    let repository = Repository::with(&[
        ("a.yaml", &large),
        ("big/fp8lint.toml", "max-file-size = '5 MiB'\n"),
    ]);
    repository.write("big/a.yaml", format!("{CLEAN}# {}\n", "x".repeat(4 << 20)));
    let (found, _) = check(&repository, &["big"]);
    assert_eq!(found, [""; 0]);
    repository.write("fp8lint.toml", "max-file-size = '1 KiB'\n");
    let shown = repository.run(&["--report", "concise", "--quiet"]).stdout;
    assert_eq!(
        shown,
        "a.yaml: note FP902 this file is larger than 1 KiB and was not read\n"
    );
    let input = repository.run_with_input(
        &[
            "-",
            "-q",
            "--stdin-filename",
            "b.yaml",
            "--report",
            "concise",
        ],
        large.as_bytes(),
    );
    assert!(
        input.stdout.starts_with("b.yaml: note FP902"),
        "{}",
        input.stdout
    );
}

#[test]
fn standard_input_is_judged_by_the_settings_above_its_name() {
    let repository = two("ignore = ['FP3']\n");
    for (name, code) in [("x/new.yaml", 0), ("../x.yaml", 1)] {
        let ran = repository.run_with_input(&["-", "--stdin-filename", name], FP8.as_bytes());
        assert_eq!(ran.code, code, "{name}: {}", ran.stdout);
    }
    let repository = two("exclude = ['out']\n");
    for (flag, code) in [("--quiet", 0), ("--no-force-exclude", 1)] {
        let arguments = ["-", "--stdin-filename", "out/a.yaml", flag];
        let ran = repository.run_with_input(&arguments, FP8.as_bytes());
        assert_eq!(ran.code, code, "{flag}: {}", ran.stdout);
    }
}

#[test]
fn wrong_rules_and_patterns_are_refused_with_their_place() {
    let repository = Repository::with(&[("a.yaml", CLEAN)]);
    let mut shown = String::new();
    for text in [
        "\nselect = ['FP3', 'FP8xx']\n",
        "ignore = ['templat']\n",
        "severity = { unused-confg = 'note' }\n",
        "severity = { FP3 = 'eror' }\n",
        "fail-on = 1\n",
        "exclude = ['out', 'a[']\n",
        "include = '*.cfg'\n",
        "[per-path.'a[']\nignore = ['FP3']\n",
        "[per-path.'*.json']\nignore = ['FP000']\n",
        "[per-path.'*.json']\nselect = ['FP3']\n",
        "max-file-size = '4 megs'\n",
    ] {
        repository.write("fp8lint.toml", text);
        let ran = repository.run(&[]);
        assert_eq!((ran.code, ran.stdout.as_str()), (2, ""), "{text}");
        shown.push_str(&ran.stderr);
        repository.write("fp8lint.toml", "");
        repository.write(
            "pyproject.toml",
            format!(
                "[tool.fp8lint]\n{}",
                text.replace("[per-path", "[tool.fp8lint.per-path")
            ),
        );
        let as_project = repository.run(&["--config", "pyproject.toml"]);
        assert_eq!(as_project.code, 2, "{text}");
    }
    insta::assert_snapshot!(shown);
}
