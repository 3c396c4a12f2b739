//! Ignore comments on whole repositories.

#![allow(
    missing_docs,
    unreachable_pub,
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic
)]

mod support;

use support::{Repository, ran};

const CONFIG: &str = "compute_environment: LOCAL_MACHINE\ndistributed_type: MULTI_GPU\nmixed_precision: fp8\n\
                      fp8_config:\n  backend: ao\nnum_processes: 8\n";

fn with(config: &str) -> Repository {
    Repository::with(&[("a.yaml", config)])
}

/// The codes and lines of what is found.
fn found(repository: &Repository, arguments: &[&str]) -> Vec<String> {
    let mut all = vec!["--report", "concise", "--quiet"];
    all.extend(arguments);
    let ran = repository.run(&all);
    assert!(ran.code <= 1, "{}", ran.stderr);
    let lines = ran.stdout.lines();
    lines
        .map(|line| {
            let at = line.find("FP").unwrap();
            let line_number = line.split(':').nth(1).unwrap();
            format!("{line_number} {}", &line[at..at + 5])
        })
        .collect()
}

#[test]
fn a_finding_is_ignored_on_its_line_above_it_or_for_the_file() {
    let plain = with(CONFIG);
    let codes = found(&plain, &[]);
    assert_eq!(codes, ["5 FP201"]);
    for ignoring in [
        CONFIG.replace("ao\n", "ao  # fp8lint: ignore[FP201] the old loader\n"),
        CONFIG.replace("  backend", "  # fp8lint: ignore[fp8-backend]\n  backend"),
        format!("# fp8lint: ignore-file[FP2] until=2999-12-31\n{CONFIG}"),
    ] {
        let repository = with(&ignoring);
        assert_eq!(found(&repository, &[]), [""; 0], "{ignoring}");
        assert_eq!(repository.run(&[]).code, 0);
        let shown = found(&repository, &["--no-ignores"]);
        assert_eq!(shown.len(), 1, "{ignoring}");
    }
}

#[test]
fn an_ignore_ends_after_its_day() {
    let config = CONFIG.replace("ao\n", "ao  # fp8lint: ignore[FP201] until=2027-01-31\n");
    let repository = with(&config);
    let on = |day: &str| {
        let mut command = repository.command(&["--report", "concise", "--quiet"]);
        ran(command.env("FP8LINT_TODAY", day)).stdout
    };
    assert_eq!(on("2027-01-31"), "");
    let after = on("2027-02-01");
    assert!(
        after.contains("FP201") && after.contains("FP911"),
        "{after}"
    );
    let mut command = repository.command(&[""; 0]);
    assert_eq!(ran(command.env("FP8LINT_TODAY", "tomorrow")).code, 2);
}

#[test]
fn what_is_wrong_with_comments_is_found_and_fixed() {
    let config = "# fp8lint: ignore-file[FP3, FP106] nothing\n".to_owned()
        + &CONFIG
            .replace("MULTI_GPU", "MULTI_GPU # fp8lint: disable-all")
            .replace("ao\n", "ao # fp8lint: ignore[FP201, FP302, fp8-backen]\n")
            .replace("num_", "# fp8lint: ignore\nnum_");
    let repository = with(&config);
    assert_eq!(
        found(&repository, &[]),
        ["1 FP909", "3 FP912", "6 FP909", "6 FP910", "7 FP912"]
    );
    assert_eq!(
        found(&repository, &["--ignore", "FP909,FP910,FP912"]),
        [""; 0]
    );
    // An ignored finding is not mended; comments are.
    repository.run(&["--fix", "--unsafe-fixes"]);
    assert_eq!(
        repository.read("a.yaml"),
        CONFIG.replace("ao\n", "ao # fp8lint: ignore[FP201, fp8-backend]\n")
    );
    assert_eq!(found(&repository, &[]), [""; 0]);
}

#[test]
fn nothing_is_called_unused_that_is_not_known() {
    let unused = CONFIG.replace("ao\n", "AO  # fp8lint: ignore[FP201]\n");
    let repository = with(&unused);
    assert_eq!(found(&repository, &[]), ["5 FP909"]);
    assert_eq!(found(&repository, &["--select", "FP1,FP9"]), [""; 0]);
    assert_eq!(found(&repository, &["--ignore", "FP201"]), [""; 0]);
    assert_eq!(found(&repository, &["--no-ignores"]), [""; 0]);
    // Something that names the file was left out.
    repository.write(".git/HEAD", "ref: refs/heads/main\n");
    repository.write("b.yaml", CONFIG);
    assert_eq!(found(&repository, &["a.yaml"]), ["5 FP909"]);
    repository.write(
        "run.sh",
        "accelerate launch --config_file a.yaml train.py\n",
    );
    assert_eq!(found(&repository, &["a.yaml"]), [""; 0]);
    let excluded = found(&repository, &[".", "--exclude", "run.sh"]);
    assert!(!excluded.contains(&"5 FP909".to_owned()));
    assert!(found(&repository, &["."]).contains(&"5 FP909".to_owned()));
    // Nobody can follow it.
    repository.write(
        "run.sh",
        "accelerate launch --config_file a.yaml $FLAGS train.py\n",
    );
    assert!(!found(&repository, &["."]).contains(&"5 FP909".to_owned()));
}

#[test]
fn scripts_pages_and_pins_have_comments() {
    let script = "#!/bin/sh\n# fp8lint: ignore[FP110] as the cluster wants it\n\
                  accelerate launch \\\n  --fp8_backend auto \\\n  train.py\n";
    let repository = Repository::with(&[
        ("run.sh", script),
        ("a.yaml", &CONFIG.replace("ao", "AO")),
        (
            "requirements.txt",
            "accelerate==0.1.0  # fp8lint: ignore[FP905] old\ntorchao\n",
        ),
    ]);
    assert_eq!(found(&repository, &[]), [""; 0]);
    let shown = found(&repository, &["--no-ignores"]);
    assert!(
        shown.iter().any(|line| line.ends_with("FP905")),
        "{shown:?}"
    );
    assert!(
        shown.iter().any(|line| line.ends_with("FP110")),
        "{shown:?}"
    );
}

#[test]
fn ignores_are_added_where_they_can_stand_and_then_nothing_is_left() {
    let written = "#!/bin/sh\ncat > c.yaml <<EOF\nmixed_precision: fp8\nfp8_config: {backend: ao}\n\
                   distributed_type: MULTI_GPU\nnum_processes: 8\nEOF\n\
                   accelerate launch --config_file c.yaml \\\n  --fp8_backend auto \\\n  train.py\n";
    let config = "\u{feff}".to_owned() + &CONFIG.replace('\n', "\r\n");
    let repository = Repository::with(&[
        ("a.yaml", config.trim_end()),
        (
            "b/b.yaml",
            "mixed_precision: fp8\ndistributed_type: FSDP\nfsdp_config: {\n  fp8: true}\nnum_processes: 8\n",
        ),
        ("run.sh", written),
        (
            "Makefile",
            "run:\n\taccelerate launch --fp8_backend auto train.py\n",
        ),
        (
            "Dockerfile",
            "FROM x\nCMD accelerate launch --fp8_backend auto train.py\n",
        ),
        (
            ".github/workflows/w.yml",
            "jobs:\n  a:\n    steps:\n      - run: |\n          accelerate launch --fp8_backend auto train.py\n",
        ),
        (
            "README.md",
            "# A\n\n```sh\naccelerate launch --fp8_backend auto train.py\n```\n",
        ),
        ("requirements.txt", "accelerate==0.1.0\ntorchao\n"),
    ]);
    let before = found(&repository, &[]);
    assert!(before.len() == 8, "{before:?}");
    let ran = repository.run(&["--add-ignores=adopted"]);
    assert_eq!(ran.code, 0, "{}{}", ran.stdout, ran.stderr);
    assert!(ran.stderr.contains("Ignored"), "{}", ran.stderr);
    assert_eq!(found(&repository, &[]), [""; 0]);
    assert_eq!(found(&repository, &["--no-ignores"]).len(), before.len());
    let texts = || {
        [
            "a.yaml",
            "b/b.yaml",
            "run.sh",
            "Makefile",
            "Dockerfile",
            "README.md",
            "requirements.txt",
        ]
        .map(|path| repository.read(path))
    };
    let once = texts();
    assert_eq!(
        once[0],
        config
            .trim_end()
            .replace("ao\r", "ao  # fp8lint: ignore[FP201] adopted\r")
    );
    assert_eq!(repository.run(&["--add-ignores=adopted"]).code, 0);
    assert_eq!(texts(), once);
}

#[test]
fn what_cannot_have_a_comment_gets_its_settings() {
    let json = "{\"compute_environment\": \"LOCAL_MACHINE\", \"distributed_type\": \"MULTI_GPU\", \
                \"mixed_precision\": \"fp8\", \"fp8_config\": {\"backend\": \"ao\"}, \"num_processes\": 8}\n";
    let repository = Repository::with(&[("c/a.json", json)]);
    let ran = repository.run(&["--add-ignores"]);
    assert_eq!(ran.code, 1);
    assert_eq!(repository.read("c/a.json"), json);
    let settings = "c/a.json: JSON has no comments; write into fp8lint.toml:\n\n\
                    [per-path.\"c/a.json\"]\nignore = [\"FP201\"]\n";
    assert!(ran.stderr.contains(settings), "{}", ran.stderr);
    for arguments in [
        ["--add-ignores=two\nlines", "."],
        ["--add-ignores=until=soon", "."],
        ["--add-ignores", "-"],
        ["--add-ignores", "--no-ignores"],
        ["--add-ignores", "--fix"],
    ] {
        assert_eq!(repository.run(&arguments).code, 2, "{arguments:?}");
    }
}

#[test]
fn a_file_that_cannot_be_written_keeps_no_other_from_it() {
    let repository = Repository::with(&[("a.yaml", CONFIG), ("b.yaml", CONFIG)]);
    let read_only = repository.path().join("a.yaml");
    let mut permissions = std::fs::metadata(&read_only).unwrap().permissions();
    permissions.set_readonly(true);
    std::fs::set_permissions(&read_only, permissions).unwrap();
    let ran = repository.run(&["--add-ignores", "--report", "concise"]);
    assert_eq!(ran.code, 3);
    let said =
        "a.yaml is read-only, so no comment was written there\nIgnored 1 finding in 1 file.\n";
    assert!(ran.stderr.contains(said), "{}", ran.stderr);
    assert!(ran.stdout.contains("a.yaml:5"), "{}", ran.stdout);
    assert_eq!(repository.read("a.yaml"), CONFIG);
    assert!(repository.read("b.yaml").contains("ignore[FP201]"));
}

#[test]
fn the_day_counts_for_what_is_added() {
    let repository = with(CONFIG);
    let mut command = repository.command(&["--add-ignores=until=2020-01-31"]);
    let ran = ran(command.env("FP8LINT_TODAY", "2020-01-01"));
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    assert!(repository.read("a.yaml").contains("until=2020-01-31"));
}
