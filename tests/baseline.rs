//! The baseline on whole repositories.

#![allow(
    missing_docs,
    unreachable_pub,
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic
)]

mod support;

use support::{Ran, Repository};

const CONFIG: &str = "compute_environment: LOCAL_MACHINE\ndistributed_type: MULTI_GPU\nmixed_precision: fp8\n\
                      fp8_config:\n  backend: ao\nnum_processes: 8\n";
const FILE: &str = "fp8lint-baseline.json";

fn adopted() -> Repository {
    let repository = Repository::with(&[
        (".git/HEAD", "ref: refs/heads/main\n"),
        ("a/a.yaml", CONFIG),
        ("b/b.yaml", CONFIG),
    ]);
    let ran = check(&repository, &["--update-baseline"]);
    assert_eq!((ran.code, ran.stdout.as_str()), (0, ""), "{}", ran.stderr);
    repository
}

fn check(repository: &Repository, arguments: &[&str]) -> Ran {
    let mut all = vec!["--report", "concise", "--quiet", "--baseline", FILE];
    all.extend(arguments);
    repository.run(&all)
}

fn entries(repository: &Repository) -> usize {
    let text = repository.read(FILE);
    text.matches("\"fingerprint\"").count()
}

#[test]
fn a_repository_is_adopted_and_lines_may_move() {
    let repository = adopted();
    assert_eq!(entries(&repository), 2);
    insta::assert_snapshot!(repository.read(FILE), @r#"
    {
      "version": 1,
      "findings": [
        {"fingerprint":"6a24654551caa78b","rule":"FP201","path":"a/a.yaml","route":"fp8_config.backend","value":"ao"},
        {"fingerprint":"641404fc6cf5981f","rule":"FP201","path":"b/b.yaml","route":"fp8_config.backend","value":"ao"}
      ]
    }
    "#);
    assert_eq!(check(&repository, &[]).code, 0);
    // Comments and keys above it, another order, another line ending.
    let moved = "# moved\r\n\r\nfp8_config:\r\n  backend: ao  # here\r\nuse_cpu: false\r\nmixed_precision: fp8\r\n\
                 num_processes: 8\r\ndistributed_type: MULTI_GPU\r\ncompute_environment: LOCAL_MACHINE\r\n";
    repository.write("a/a.yaml", moved);
    let ran = check(&repository, &[]);
    assert_eq!((ran.code, ran.stdout.as_str()), (0, ""));
    // A new fault is found.
    repository.write("a/a.yaml", CONFIG.replace("ao", "torchao"));
    let ran = check(&repository, &[]);
    assert_eq!(ran.code, 1);
    assert!(ran.stdout.contains("torchao"), "{}", ran.stdout);
    // Without the baseline all of it.
    assert_eq!(
        repository
            .run(&["--quiet", "--report", "concise"])
            .stdout
            .lines()
            .count(),
        2
    );
}

#[test]
fn the_folder_in_which_it_is_started_does_not_matter() {
    let repository = adopted();
    let mut command = support::program(&repository.path().join("a"));
    command.args(["--baseline", "../fp8lint-baseline.json", "--quiet"]);
    assert_eq!(support::ran(&mut command).stdout, "");
}

#[test]
fn what_is_mended_is_reported_and_pruned_and_what_was_not_checked_stays() {
    let repository = adopted();
    for folder in ["a/a.yaml", "b/b.yaml"] {
        repository.write(folder, CONFIG.replace("ao", "AO"));
    }
    let ran = check(&repository, &["a"]);
    assert_eq!(ran.code, 0);
    assert!(
        ran.stdout
            .contains("1 entry of this baseline matches nothing"),
        "{}",
        ran.stdout
    );
    assert_eq!(check(&repository, &["--select", "FP3,FP9"]).stdout, "");
    check(&repository, &["--select", "FP3", "--update-baseline"]);
    assert_eq!(entries(&repository), 2);
    check(&repository, &["a", "--update-baseline"]);
    assert_eq!(entries(&repository), 1);
    assert!(repository.read(FILE).contains("b/b.yaml"));
    // A file that is named by one that was left out may have findings there.
    repository.write(
        "run.sh",
        "accelerate launch --config_file b/b.yaml train.py\n",
    );
    check(&repository, &["b", "--update-baseline"]);
    assert_eq!(entries(&repository), 1);
    check(&repository, &["--update-baseline"]);
    assert_eq!(
        repository.read(FILE),
        "{\n  \"version\": 1,\n  \"findings\": []\n}\n"
    );
}

#[test]
fn what_is_excluded_is_not_stale() {
    let repository = adopted();
    for arguments in [&["--exclude", "a"][..], &["--exclude", "*.yaml"]] {
        assert_eq!(check(&repository, arguments).stdout, "");
        check(&repository, &[arguments, &["--update-baseline"]].concat());
        assert_eq!(entries(&repository), 2, "{arguments:?}");
    }
    // Neither is what only the excluded file may find, nor what is gone from an excluded folder.
    repository.write("b/b.yaml", CONFIG.replace("ao", "AO"));
    repository.write(
        "a/run.sh",
        "accelerate launch --config_file b/b.yaml train.py\n",
    );
    std::fs::remove_file(repository.path().join("a/a.yaml")).unwrap();
    check(&repository, &["--exclude", "a", "--update-baseline"]);
    assert_eq!(entries(&repository), 2);
    repository.write("fp8lint.toml", "exclude = [\"a\"]\n");
    check(&repository, &["--update-baseline"]);
    assert_eq!(entries(&repository), 2);
    std::fs::remove_file(repository.path().join("fp8lint.toml")).unwrap();
    check(&repository, &["--update-baseline"]);
    assert_eq!(entries(&repository), 0);
}

#[test]
fn what_was_named_itself_is_not_stale_where_it_is_not() {
    let repository = Repository::with(&[(".git/HEAD", "ref: refs/heads/main\n")]);
    repository.write("config.txt", CONFIG);
    check(&repository, &["config.txt", "--update-baseline"]);
    assert_eq!(entries(&repository), 1);
    check(&repository, &["--update-baseline"]);
    assert_eq!(entries(&repository), 1);
}

#[test]
fn new_findings_are_added_on_request_and_a_moved_file_is_new() {
    let repository = adopted();
    let text = repository.read("a/a.yaml");
    std::fs::remove_file(repository.path().join("a/a.yaml")).unwrap();
    repository.write("a/c.yaml", text);
    let ran = check(&repository, &[]);
    assert_eq!(ran.code, 1);
    assert!(
        ran.stdout.contains("a/c.yaml") && ran.stdout.contains("FP913"),
        "{}",
        ran.stdout
    );
    assert_eq!(check(&repository, &["--update-baseline"]).code, 1);
    assert_eq!(entries(&repository), 1);
    assert_eq!(check(&repository, &["--update-baseline=add"]).code, 0);
    assert_eq!(entries(&repository), 2);
    assert!(repository.read(FILE).contains("a/c.yaml"));
    let before = repository.read(FILE);
    check(&repository, &["--update-baseline=add"]);
    assert_eq!(repository.read(FILE), before);
}

#[test]
fn equal_findings_and_ignored_ones_are_told_apart() {
    let repository = adopted();
    // Ignored in the file: not in need of the baseline.
    let ignoring = CONFIG.replace("ao\n", "ao  # fp8lint: ignore[FP201]\n");
    repository.write("a/a.yaml", ignoring);
    assert_eq!(check(&repository, &["--update-baseline"]).code, 0);
    assert_eq!(entries(&repository), 1);
    // What is about the check itself is never let pass.
    repository.write(
        "a/a.yaml",
        CONFIG.replace("ao\n", "AO  # fp8lint: ignore[FP201]\n"),
    );
    assert_eq!(check(&repository, &["--update-baseline=add"]).code, 1);
    assert_eq!(entries(&repository), 1);
}

#[test]
fn a_broken_or_missing_baseline_is_wrong_usage() {
    let repository = adopted();
    repository.write(FILE, "{\n  \"version\": 1,\n  \"findings\": 3\n}\n");
    let ran = check(&repository, &["--update-baseline"]);
    assert_eq!(ran.code, 2);
    assert!(
        ran.stderr
            .contains("fp8lint-baseline.json:3:15: invalid type"),
        "{}",
        ran.stderr
    );
    std::fs::remove_file(repository.path().join(FILE)).unwrap();
    let ran = check(&repository, &[]);
    assert_eq!(ran.code, 2);
    assert!(ran.stderr.contains("--update-baseline"), "{}", ran.stderr);
    assert_eq!(repository.run(&["--update-baseline"]).code, 2);
}

#[test]
fn it_is_said_what_was_written() {
    let repository = adopted();
    let said = |arguments: &[&str]| {
        let all = [&["--baseline", FILE, "--no-progress"][..], arguments].concat();
        repository.run(&all).stderr
    };
    let update = ["--update-baseline"];
    assert_eq!(
        said(&update),
        "fp8lint-baseline.json stays as it was: 2 findings pass.\n"
    );
    repository.write("a/a.yaml", CONFIG.replace("ao", "AO"));
    assert_eq!(said(&[]), "");
    assert_eq!(
        said(&update),
        "Wrote fp8lint-baseline.json: 1 finding passes; took out 1.\n"
    );
}

#[test]
fn a_baseline_that_cannot_be_read_is_not_broken() {
    let repository = adopted();
    let ran = repository.run(&["--baseline", "a"]);
    assert_eq!(ran.code, 2);
    assert!(
        ran.stderr.contains("the baseline a cannot be read"),
        "{}",
        ran.stderr
    );
}
