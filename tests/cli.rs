//! The program as its users meet it: whole small repositories in, exit code and output out.

#![allow(
    missing_docs,
    unreachable_pub,
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic
)]

mod support;

use std::process::Stdio;

use insta::assert_snapshot;
use support::{Repository, ran};

const CONFIG: &str =
    "compute_environment: LOCAL_MACHINE\ndistributed_type: 'NO'\nmixed_precision: bf16\n";
const TEMPLATE: &str = "distributed_type: FSDP\nmixed_precision: {{ precision }}\n";

#[test]
fn configs_are_found_by_content_in_a_repository() {
    let repository = Repository::with(&[
        ("configs/a.yaml", CONFIG),
        (".github/b.yml", CONFIG),
        (
            "c.json",
            "{\"distributed_type\": \"NO\", \"mixed_precision\": \"bf16\"}",
        ),
        ("compose.yaml", "services:\n  a: {}\n"),
        ("broken.yaml", "{{ x }}: [\n"),
        ("empty.yaml", ""),
        ("notes.txt", CONFIG),
    ]);
    let utf16: Vec<_> = [0xfeff]
        .into_iter()
        .chain(CONFIG.encode_utf16())
        .flat_map(u16::to_le_bytes)
        .collect();
    repository.write("utf16.yaml", utf16);
    let all = repository.run(&["--report", "json"]);
    let json: serde_json::Value = serde_json::from_str(&all.stdout).unwrap();
    let paths: Vec<_> = json["files"]
        .as_array()
        .unwrap()
        .iter()
        .map(|file| file["path"].as_str().unwrap())
        .collect();
    assert_eq!(
        paths,
        [".github/b.yml", "c.json", "configs/a.yaml", "utf16.yaml"]
    );
    assert_eq!(json["summary"]["files_read"], 7);
    for threads in ["1", "2", "9"] {
        for paths in [&["."][..], &["check"], &["configs", ".github", "."]] {
            let mut arguments = paths.to_vec();
            arguments.extend(["--report", "json", "--threads", threads]);
            assert_eq!(repository.run(&arguments), all, "{arguments:?}");
        }
    }
}

#[test]
fn a_template_is_a_note_and_no_failure() {
    let repository = Repository::with(&[("fp8.yaml", TEMPLATE)]);
    let ran = repository.run(&["--target", "accelerate=1.15.0"]);
    assert_eq!((ran.code, ran.stderr.as_str()), (0, ""));
    assert_snapshot!(ran.stdout, @r#"
    note[FP903]: this accelerate config is a template, so it cannot be said what will run
     --> fp8.yaml:2:18
      |
    2 | mixed_precision: {{ precision }}
      |                  ^^^^^^^^^^^^^^^ filled in by another program
      |
      = help: fill it in and check the result, for example with `… | fp8lint -`

    Found 1 note in 1 accelerate config, accelerate 1.15.0.
    "#);
    assert_eq!(repository.run(&["--fail-on", "note"]).code, 1);
    assert_eq!(
        repository.run(&["--fail-on", "note", "--exit-zero"]).code,
        0
    );
    assert_eq!(
        repository
            .run(&["--fail-on", "note", "--ignore", "template"])
            .code,
        0
    );
    assert_eq!(
        repository
            .run(&["--fail-on", "note", "--select", "FP901,FP902"])
            .code,
        0
    );
    assert_eq!(
        repository
            .run(&["--fail-on", "note", "--select", "FP9"])
            .code,
        1
    );
}

#[test]
fn files_that_are_named_and_hold_no_config_say_why() {
    let repository = Repository::with(&[
        ("empty.yaml", "\n"),
        ("list.yaml", "- 1\n"),
        ("broken.yaml", "a: [\n"),
        ("nested.yaml", "accelerate:\n  distributed_type: FSDP\n"),
        ("other.yaml", "services: {}\n"),
    ]);
    repository.write("binary", b"\0\xff\xfe");
    repository.write("nul.yaml", b"a\0b");
    repository.write("big.yaml", "a".repeat((4 << 20) + 1));
    let ran = repository.run(&[
        "--report",
        "concise",
        "empty.yaml",
        "list.yaml",
        "broken.yaml",
        "nested.yaml",
        "other.yaml",
        "binary",
        "nul.yaml",
        "big.yaml",
    ]);
    assert_eq!((ran.code, ran.stderr.as_str()), (0, ""));
    assert_snapshot!(ran.stdout, @r#"
    big.yaml: note FP902 this file is larger than 4 MiB and was not read
    binary: note FP904 this file is no UTF-8 text, so it can be neither a config nor a launch file
    broken.yaml:1:4: note FP904 no config, recipe or launch command can be made out in this file: ParserError: unclosed bracket '['
    empty.yaml: note FP904 this file is empty, so there is nothing to check; accelerate cannot load it as a config
    list.yaml: note FP904 this file is no mapping of keys to values and holds no launch command
    nested.yaml:1:1: note FP904 the keys of an accelerate config stand below `accelerate` here; accelerate reads top-level keys only
    nul.yaml: note FP904 this file is no UTF-8 text, so it can be neither a config nor a launch file
    Found 7 notes; no accelerate config, recipe or launch command among 8 files read.
    "#);
    // In a folder they are passed over.
    let ran = repository.run(&[]);
    assert_eq!(
        ran.stdout,
        "Nothing to check: no accelerate config, recipe or launch command among 7 files read.\n"
    );
}

#[test]
fn a_large_file_that_begins_as_a_config_is_not_passed_over() {
    let repository = Repository::with(&[]);
    repository.write("big.yaml", format!("{CONFIG}# {}\n", "x".repeat(4 << 20)));
    repository.write("data.json", format!("[{}1]", "1,".repeat(3 << 20)));
    let ran = repository.run(&["--report", "concise"]);
    assert_snapshot!(ran.stdout, @r#"
    big.yaml: note FP902 this file is larger than 4 MiB and was not read
    Found 1 note; no accelerate config, recipe or launch command among 2 files read.
    "#);
}

#[test]
fn what_cannot_be_read_is_a_finding_and_the_rest_goes_on() {
    let repository = Repository::with(&[("a.yaml", TEMPLATE)]);
    let ran = repository.run(&["a.yaml", "missing.yaml", "--target", "accelerate=1.15.0"]);
    assert_eq!((ran.code, ran.stderr.as_str()), (1, ""));
    assert_snapshot!(ran.stdout, @r#"
    note[FP903]: this accelerate config is a template, so it cannot be said what will run
     --> a.yaml:2:18
      |
    2 | mixed_precision: {{ precision }}
      |                  ^^^^^^^^^^^^^^^ filled in by another program
      |
      = help: fill it in and check the result, for example with `… | fp8lint -`

    error[FP901]: cannot be read: no such file or folder
    --> missing.yaml

    Found 1 error, 1 note in 1 accelerate config, accelerate 1.15.0.
    "#);
    let ran = repository.run(&["missing.yaml", "--exit-zero"]);
    assert_eq!(ran.code, 3);
    assert_snapshot!(ran.stdout, @r#"
    error[FP901]: cannot be read: no such file or folder
    --> missing.yaml

    Found 1 error; no accelerate config, recipe or launch command among 0 files read.
    "#);
    let ran = repository.run(&["rulse"]);
    assert_eq!(ran.code, 3);
    assert_snapshot!(ran.stdout, @r#"
    error[FP901]: cannot be read: no such file or folder
    --> rulse
     = help: the command is `fp8lint rules`, if that was meant; options come behind it

    Found 1 error; no accelerate config, recipe or launch command among 0 files read.
    "#);
}

#[cfg(unix)]
#[test]
fn a_file_without_permission_is_a_finding() {
    use std::os::unix::fs::PermissionsExt;
    let repository = Repository::with(&[("a.yaml", CONFIG), ("b.yaml", CONFIG)]);
    let path = repository.path().join("a.yaml");
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o000)).unwrap();
    if std::fs::read(&path).is_ok() {
        eprintln!("run as root: permissions are not tested");
        return;
    }
    let ran = repository.run(&["--report", "concise"]);
    assert_eq!(ran.code, 1);
    assert!(
        ran.stdout
            .contains("a.yaml: warning FP901 cannot be read: permission denied")
    );
}

#[test]
fn an_empty_folder_is_no_failure() {
    let repository = Repository::with(&[]);
    let ran = repository.run(&[]);
    assert_eq!((ran.code, ran.stderr.as_str()), (0, ""));
    assert_eq!(
        ran.stdout,
        "Nothing to check: no accelerate config, recipe or launch command among 0 files read.\n"
    );
}

#[test]
fn standard_input_is_checked_under_its_name() {
    let repository = Repository::with(&[]);
    let ran = repository.run_with_input(
        &[
            "-",
            "-q",
            "--stdin-filename",
            "conf/x.yaml",
            "--report",
            "concise",
        ],
        TEMPLATE.as_bytes(),
    );
    assert_eq!(
        ran.stdout,
        "conf/x.yaml:2:18: note FP903 this accelerate config is a template, so it cannot be said what will run\n"
    );
    let ran = repository.run_with_input(&["-", "--report", "concise", "--quiet"], b"");
    assert_eq!(
        ran.stdout,
        "<stdin>: note FP904 this file is empty, so there is nothing to check; accelerate cannot load it as a config\n"
    );
    let ran = repository.run(&["--stdin-filename", "x.yaml"]);
    assert_eq!(ran.code, 2);
    assert_snapshot!(ran.stderr, @r#"
    error: --stdin-filename is given, but standard input is not checked
    help: add `-` to the paths
    "#);
}

#[test]
fn reports_go_where_they_are_sent() {
    let repository = Repository::with(&[("a.yaml", TEMPLATE)]);
    let ran = repository.run(&[
        "--report",
        "text",
        "--report",
        "json=out.json",
        "--report",
        "concise=out.txt",
    ]);
    assert_eq!((ran.code, ran.stderr.as_str()), (0, ""));
    assert!(ran.stdout.starts_with("note[FP903]"));
    assert!(
        repository
            .read("out.txt")
            .starts_with("a.yaml:2:18: note FP903")
    );
    let json: serde_json::Value = serde_json::from_str(&repository.read("out.json")).unwrap();
    assert_eq!(json["findings"][0]["code"], "FP903");
    assert_eq!(
        repository
            .run(&["--report", "json=out.json", "a.yaml"])
            .stdout,
        ""
    );

    let ran = repository.run(&["--report", "json=missing/out.json"]);
    assert_eq!((ran.code, ran.stdout.as_str()), (3, ""));
    assert!(
        ran.stderr
            .starts_with("error: the report missing/out.json cannot be written")
    );
}

#[test]
fn wrong_usage_says_what_to_write() {
    let repository = Repository::with(&[("a.yaml", CONFIG)]);
    let mut shown = String::new();
    for arguments in [
        &["--report", "jsn"][..],
        &["--report", "json="],
        &["--report", "text", "--report", "json"],
        &["--select", "unreadable-fil"],
        &["--ignore", "templat"],
        &["--target", "acelerate=1.12"],
        &["--exclude", "a[b"],
        &["--threads", "0"],
        &["explain", "FP90"],
        &["--xyzzy"],
    ] {
        let ran = repository.run(arguments);
        assert_eq!((ran.code, ran.stdout.as_str()), (2, ""), "{arguments:?}");
        shown.push_str(&format!(
            "$ {}\n{}\n",
            arguments.join(" "),
            ran.stderr
                .replace("\n\nFor more information, try '--help'.", "")
                .trim()
        ));
    }
    assert_snapshot!(shown, @r"
    $ --report jsn
    error: invalid value 'jsn' for '--report <FORMAT[=FILE]>': did you mean json? known formats are text, concise, json, json-lines, gitlab, junit, rdjson, agent
    $ --report json=
    error: invalid value 'json=' for '--report <FORMAT[=FILE]>': the file's name is missing after `=`
    $ --report text --report json
    error: two reports cannot both go to standard output
    help: name a file for all but one: --report json=fp8lint.json
    $ --select unreadable-fil
    error: there is no rule `unreadable-fil`
    help: did you mean unreadable-file? `fp8lint rules` lists them all
    $ --ignore templat
    error: there is no rule `templat`
    help: did you mean template? `fp8lint rules` lists them all
    $ --target acelerate=1.12
    error: --target: `acelerate` is not a part of the target
    help: did you mean accelerate? known are accelerate, gpu, capability, installed, axolotl, deepspeed, llamafactory, ms-swift, msamp, torch, torchao, transformer_engine, transformers, trl
    $ --exclude a[b
    error: `a[b` is not a glob pattern: unclosed character class; missing ']'
    help: write for example '*.yaml' or third_party
    $ --threads 0
    error: invalid value '0' for '--threads <N>': number would be zero for non-zero type
    $ explain FP90
    error: there is no rule `FP90`
    help: did you mean FP901? `fp8lint rules` lists them all
    $ --xyzzy
    error: unexpected argument '--xyzzy' found

      tip: to pass '--xyzzy' as a value, use '-- --xyzzy'

    Usage: fp8lint [OPTIONS] [PATH]...
           fp8lint <COMMAND>
    ");
}

#[test]
fn the_target_is_said() {
    let repository = Repository::with(&[("a.yaml", CONFIG)]);
    let closing = |target: &str| repository.run(&["--target", target]).stdout;
    assert!(closing("accelerate=1.12").ends_with("in 1 accelerate config, accelerate 1.12.0.\n"));
    assert!(
        closing("accelerate=<1.12")
            .ends_with("accelerate 1.11.0 (the newest that <1.12 allows).\n")
    );
    assert!(closing("accelerate=99").ends_with("(the newest known; 99 was asked for).\n"));
}

#[test]
fn colours_are_for_terminals_unless_they_are_asked_for() {
    let repository = Repository::with(&[("a.yaml", TEMPLATE)]);
    let coloured = |arguments: &[&str], variables: &[(&str, &str)]| {
        let mut command = repository.command(arguments);
        command.envs(variables.iter().copied());
        ran(&mut command).stdout.contains('\u{1b}')
    };
    assert!(!coloured(&[], &[]));
    assert!(coloured(&["--color", "always"], &[("NO_COLOR", "1")]));
    assert!(coloured(&[], &[("CLICOLOR_FORCE", "1")]));
    assert!(!coloured(&["--color", "never"], &[("CLICOLOR_FORCE", "1")]));
    assert!(!coloured(
        &[],
        &[("CLICOLOR_FORCE", "1"), ("NO_COLOR", "1")]
    ));
    assert!(!coloured(
        &["--color", "always", "--report", "concise"],
        &[]
    ));
    let plain = repository.run(&[]);
    let forced = repository.run(&["--color", "always", "--report", "text=out.txt"]);
    assert_eq!(
        (forced.stdout.as_str(), repository.read("out.txt")),
        ("", plain.stdout)
    );
}

#[cfg(unix)]
#[test]
fn hostile_names_reach_no_terminal_raw() {
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt;
    let repository = Repository::with(&[]);
    for name in [
        &b"new\nline.yaml"[..],
        b"esc\x1b[31m.yaml",
        b"a%b,c::error::d.yaml",
        b"latin-\xe9.yaml",
        "right-to-left\u{202e}.yaml".as_bytes(),
    ] {
        repository.write(OsStr::from_bytes(name), TEMPLATE);
    }
    let shown = repository.run(&["--report", "concise", "--quiet"]).stdout;
    assert_snapshot!(shown, @r#"
    a%b,c::error::d.yaml:2:18: note FP903 this accelerate config is a template, so it cannot be said what will run
    esc\u{1b}[31m.yaml:2:18: note FP903 this accelerate config is a template, so it cannot be said what will run
    latin-�.yaml:2:18: note FP903 this accelerate config is a template, so it cannot be said what will run
    new\nline.yaml:2:18: note FP903 this accelerate config is a template, so it cannot be said what will run
    right-to-left\u{202e}.yaml:2:18: note FP903 this accelerate config is a template, so it cannot be said what will run
    "#);
    for format in ["text", "json"] {
        let shown = repository.run(&["--report", format]).stdout;
        assert!(
            !shown.contains('\u{1b}') && !shown.contains("new\nline"),
            "{format}"
        );
    }
}

#[test]
fn a_reader_that_goes_away_is_no_failure() {
    let repository = Repository::with(&[("a.yaml", TEMPLATE)]);
    let mut child = repository
        .command(&["--report", "json"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(0));
    assert_eq!(String::from_utf8_lossy(&output.stderr), "");
}

#[test]
fn a_path_named_like_a_command_is_given_with_a_dot() {
    let repository = Repository::with(&[("rules/a.yaml", TEMPLATE)]);
    assert!(repository.run(&["./rules"]).stdout.contains("rules/a.yaml"));
    assert!(
        repository
            .run(&["check", "rules"])
            .stdout
            .contains("rules/a.yaml")
    );
    assert!(repository.run(&["rules"]).stdout.starts_with("FP"));
}

#[test]
fn rules_are_listed_and_explained() {
    let repository = Repository::with(&[]);
    let rules = repository.run(&["rules"]).stdout;
    let codes: Vec<_> = rules
        .lines()
        .map(|line| line.split(' ').next().unwrap())
        .collect();
    assert!(codes.is_sorted());
    for code in codes {
        let explained = repository.run(&["explain", code]);
        assert_eq!(explained.code, 0);
        assert!(explained.stdout.starts_with(code));
    }
    assert!(
        repository
            .run(&["explain", "template"])
            .stdout
            .starts_with("FP903 template\n")
    );
}

#[test]
fn schema_completions_and_manual_are_printed() {
    let repository = Repository::with(&[]);
    let schema = repository.run(&["schema", "output"]).stdout;
    let schema: serde_json::Value = serde_json::from_str(&schema).unwrap();
    assert_eq!(schema["properties"]["version"]["const"], 1);
    for shell in ["bash", "zsh", "fish", "powershell", "elvish"] {
        assert!(
            repository
                .run(&["completions", shell])
                .stdout
                .contains("fp8lint")
        );
    }
    assert!(repository.run(&["man"]).stdout.contains(".TH fp8lint"));
}
