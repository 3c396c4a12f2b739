//! `--since`, `--staged` and `--changed-lines` in real repositories.

#![allow(
    missing_docs,
    unreachable_pub,
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic
)]

mod support;

use std::path::Path;
use std::process::{Command, Stdio};

use support::{Ran, Repository, program, ran};

const HEALTHY: &str = "distributed_type: 'NO'\nmixed_precision: fp8\nfp8_config:\n  backend: TE\n";
const BROKEN: &str = "distributed_type: 'NO'\nmixed_precision: fp8\nfp8_config:\n  backend: te\n";

/// `git` with nothing of the user's own.
fn git(folder: &Path, arguments: &[&str]) -> String {
    let output = Command::new("git")
        .args([
            "-c",
            "user.name=a",
            "-c",
            "user.email=a@b",
            "-c",
            "init.defaultBranch=main",
        ])
        .args(["-c", "protocol.file.allow=always"])
        .args(arguments)
        .current_dir(folder)
        .env("GIT_CONFIG_NOSYSTEM", "1")
        .env("GIT_CONFIG_GLOBAL", "/dev/null")
        .stdin(Stdio::null())
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "git {arguments:?}: {said}");
    String::from_utf8(output.stdout).unwrap()
}

/// A repository with these files committed on `main`.
fn committed(files: &[(&str, &str)]) -> Repository {
    let repository = Repository::with(files);
    git(repository.path(), &["init", "-q"]);
    commit(&repository, "first");
    repository
}

fn commit(repository: &Repository, message: &str) {
    git(repository.path(), &["add", "-A"]);
    git(
        repository.path(),
        &["commit", "-q", "--allow-empty", "-m", message],
    );
}

/// `path code` of each finding.
fn found(repository: &Repository, arguments: &[&str]) -> Vec<String> {
    let mut all = vec!["--report", "concise", "--quiet"];
    all.extend(arguments);
    let ran = repository.run(&all);
    assert_eq!(ran.stderr, "", "{arguments:?}");
    let lines = ran.stdout.lines().map(|line| {
        let (path, rest) = line.split_once(':').unwrap();
        format!(
            "{path} {}",
            rest.split(' ').find(|word| word.starts_with("FP")).unwrap()
        )
    });
    lines.collect()
}

fn refused(ran: &Ran) -> &str {
    assert_eq!((ran.code, ran.stdout.as_str()), (2, ""));
    &ran.stderr
}

#[test]
fn only_changed_files_count() {
    let repository = committed(&[
        ("old.yaml", BROKEN),
        ("new.yaml", HEALTHY),
        ("a b/c.yaml", HEALTHY),
    ]);
    let closing = repository.run(&["--since", "main"]).stdout;
    assert!(
        closing.contains("Nothing to check") && closing.contains("since main"),
        "{closing}"
    );
    git(repository.path(), &["checkout", "-q", "-b", "topic"]);
    repository.write("new.yaml", BROKEN);
    commit(&repository, "second");
    assert_eq!(found(&repository, &["--since", "main"]), ["new.yaml FP201"]);
    // What is not committed yet, and what is not tracked yet.
    repository.write("a b/c.yaml", BROKEN);
    repository.write("untracked.yaml", BROKEN);
    assert_eq!(
        found(&repository, &["--since", "main"]),
        ["a b/c.yaml FP201", "new.yaml FP201", "untracked.yaml FP201"]
    );
    assert_eq!(
        found(&repository, &["--since", "main", "a b"]),
        ["a b/c.yaml FP201"]
    );
    assert_eq!(
        found(&repository, &["--since", "HEAD", "new.yaml"]),
        [""; 0]
    );
    // What main did in the meantime is none of this branch's.
    git(repository.path(), &["stash", "-q", "-u"]);
    git(repository.path(), &["checkout", "-q", "main"]);
    repository.write("old.yaml", format!("# moved\n{BROKEN}"));
    commit(&repository, "on main");
    git(repository.path(), &["checkout", "-q", "topic"]);
    assert_eq!(found(&repository, &["--since", "main"]), ["new.yaml FP201"]);
    // From a folder below, and with HEAD on no branch.
    git(repository.path(), &["checkout", "-q", "--detach"]);
    let mut below = program(&repository.path().join("a b"));
    let below = ran(below.args(["--since", "main", "--report", "concise", "..", "--quiet"]));
    assert!(below.stdout.starts_with("../new.yaml:"), "{}", below.stdout);
}

#[test]
fn partners_of_a_changed_file_are_read_and_their_findings_count() {
    let script = "accelerate launch --config_file conf/a.yaml train.py\n";
    let repository = committed(&[
        ("run.sh", script),
        ("conf/a.yaml", BROKEN),
        ("b.yaml", BROKEN),
    ]);
    repository.write("run.sh", format!("# changed\n{script}"));
    // The finding of the config names the command that makes the run.
    let counted = found(&repository, &["--since", "HEAD"]);
    assert!(
        !counted.iter().any(|line| line.starts_with("b.yaml")),
        "{counted:?}"
    );
    repository.write("conf/a.yaml", format!("# changed\n{BROKEN}"));
    git(repository.path(), &["checkout", "-q", "run.sh"]);
    assert_eq!(
        found(&repository, &["--since", "HEAD"]),
        ["conf/a.yaml FP201"]
    );
}

#[test]
fn a_file_that_is_gone_is_missed_where_it_is_named() {
    let script = "accelerate launch --config_file conf/a.yaml train.py\n";
    let other = "accelerate launch --config_file conf/other.yaml train.py\n";
    let repository = committed(&[
        ("run.sh", script),
        ("other.sh", other),
        ("conf/a.yaml", HEALTHY),
    ]);
    std::fs::remove_file(repository.path().join("conf/a.yaml")).unwrap();
    assert_eq!(found(&repository, &["--since", "HEAD"]), ["run.sh FP109"]);
}

#[test]
fn changed_lines_narrow_further() {
    let text = format!("{BROKEN}use_cpu: false\n");
    let repository = committed(&[("a.yaml", &text)]);
    repository.write("a.yaml", text.replace("use_cpu: false", "use_cpu: 'false'"));
    let all = found(&repository, &["--since", "HEAD"]);
    assert!(all.contains(&"a.yaml FP201".to_owned()), "{all:?}");
    let narrowed = found(&repository, &["--since", "HEAD", "--changed-lines"]);
    assert!(
        !narrowed.contains(&"a.yaml FP201".to_owned()),
        "{narrowed:?}"
    );
    repository.write("a.yaml", text.replace("  backend: te", "  backend: 'te'"));
    assert_eq!(
        found(&repository, &["--since", "HEAD", "--changed-lines"]),
        ["a.yaml FP201"]
    );
    // In a new file every line is new.
    repository.write("b.yaml", BROKEN);
    let both = found(&repository, &["--since", "HEAD", "--changed-lines"]);
    assert_eq!(both, ["a.yaml FP201", "b.yaml FP201"]);
}

#[test]
fn a_changed_pin_counts_and_another_line_of_its_file_does_not() {
    // Refused before 1.10, taken from there on.
    let config = "distributed_type: 'NO'\nmixed_precision: bf16\nparallelism_config: {}\n";
    let repository = committed(&[
        ("a.yaml", config),
        ("requirements.txt", "accelerate==1.12.0\nnumpy==1.0\n"),
    ]);
    assert_eq!(found(&repository, &["--since", "HEAD"]), [""; 0]);
    repository.write("requirements.txt", "accelerate==1.12.0\nnumpy==2.0\n");
    assert_eq!(found(&repository, &["--since", "HEAD"]), [""; 0]);
    repository.write("requirements.txt", "accelerate==1.9.0\nnumpy==1.0\n");
    assert_eq!(found(&repository, &["--since", "HEAD"]), ["a.yaml FP101"]);
}

#[test]
fn what_is_staged_is_checked_as_it_is_staged() {
    let script = "accelerate launch --config_file conf/a.yaml train.py\n";
    let repository = committed(&[
        ("a.yaml", HEALTHY),
        ("run.sh", script),
        ("conf/a.yaml", HEALTHY),
    ]);
    assert_eq!(found(&repository, &["--staged"]), [""; 0]);
    // Broken on the disk, and not staged.
    repository.write("a.yaml", BROKEN);
    assert_eq!(found(&repository, &["--staged"]), [""; 0]);
    git(repository.path(), &["add", "a.yaml"]);
    assert_eq!(found(&repository, &["--staged"]), ["a.yaml FP201"]);
    // Mended on the disk, and not staged: the index is what will be committed.
    repository.write("a.yaml", HEALTHY);
    assert_eq!(found(&repository, &["--staged"]), ["a.yaml FP201"]);
    let patched = repository.run(&["--staged", "--fix"]);
    assert!(
        patched.stdout.contains("FP201") || patched.stderr.contains("has changed"),
        "{patched:?}"
    );
    assert_eq!(repository.read("a.yaml"), HEALTHY);
    // Gone on the disk, still staged; then the other way round.
    std::fs::remove_file(repository.path().join("a.yaml")).unwrap();
    assert_eq!(found(&repository, &["--staged"]), ["a.yaml FP201"]);
    git(repository.path(), &["reset", "-q", "--hard"]);
    git(repository.path(), &["rm", "-q", "--cached", "conf/a.yaml"]);
    assert_eq!(found(&repository, &["--staged"]), ["run.sh FP109"]);
}

#[test]
fn the_first_commit_can_be_checked() {
    let repository = Repository::with(&[("a.yaml", BROKEN), ("b.yaml", BROKEN)]);
    git(repository.path(), &["init", "-q"]);
    git(repository.path(), &["add", "a.yaml"]);
    assert_eq!(found(&repository, &["--staged"]), ["a.yaml FP201"]);
    let ran = repository.run(&["--since", "HEAD"]);
    assert!(refused(&ran).contains("no commit yet"), "{}", ran.stderr);
}

#[test]
fn a_hook_sees_what_is_about_to_be_committed() {
    let repository = committed(&[("a.yaml", HEALTHY)]);
    let hook = repository.path().join(".git/hooks/pre-commit");
    let binary = env!("CARGO_BIN_EXE_fp8lint");
    std::fs::write(
        &hook,
        format!("#!/bin/sh\n{binary} --staged --report concise > out.txt\nexit 0\n"),
    )
    .unwrap();
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        std::fs::set_permissions(&hook, std::fs::Permissions::from_mode(0o755)).unwrap();
    }
    repository.write("a.yaml", BROKEN);
    // `commit -a` commits by an index of its own, which the environment names.
    git(repository.path(), &["commit", "-q", "-a", "-m", "x"]);
    let out = repository.read("out.txt");
    assert!(out.starts_with("a.yaml:4:"), "{out}");
}

#[test]
fn worktrees_submodules_and_hostile_names_work() {
    let repository = committed(&[("a.yaml", HEALTHY), ("-x\n\"y.yaml", HEALTHY)]);
    git(
        repository.path(),
        &["worktree", "add", "-q", "-b", "other", "tree"],
    );
    repository.write("tree/a.yaml", BROKEN);
    let mut tree = program(&repository.path().join("tree"));
    let tree = ran(tree.args(["--since", "main", "--report", "concise", "--quiet"]));
    assert!(tree.stdout.starts_with("a.yaml:4:"), "{tree:?}");
    std::fs::remove_dir_all(repository.path().join("tree")).unwrap();
    repository.write("-x\n\"y.yaml", BROKEN);
    assert_eq!(
        found(&repository, &["--since", "HEAD", "--changed-lines"]),
        ["-x\\n\"y.yaml FP201"]
    );

    let inner = committed(&[("b.yaml", HEALTHY)]);
    let outer = committed(&[("a.yaml", HEALTHY)]);
    git(
        outer.path(),
        &[
            "submodule",
            "-q",
            "add",
            inner.path().to_str().unwrap(),
            "sub",
        ],
    );
    commit(&outer, "with a submodule");
    outer.write("sub/b.yaml", BROKEN);
    let mut sub = program(&outer.path().join("sub"));
    let sub = ran(sub.args(["--since", "HEAD", "--report", "concise", "--quiet"]));
    assert!(sub.stdout.starts_with("b.yaml:4:"), "{sub:?}");
    // From outside, a submodule has changed when it stands at another commit.
    assert_eq!(found(&outer, &["--since", "HEAD"]), [""; 0]);
    git(
        &outer.path().join("sub"),
        &["commit", "-q", "-a", "-m", "x"],
    );
    assert_eq!(found(&outer, &["--since", "HEAD"]), ["sub/b.yaml FP201"]);
}

#[test]
fn what_git_cannot_tell_is_said_with_what_to_do() {
    let repository = committed(&[("a.yaml", HEALTHY)]);
    commit(&repository, "second");
    git(repository.path(), &["checkout", "-q", "--orphan", "alone"]);
    commit(&repository, "unrelated");
    let unrelated = repository.run(&["--since", "main"]);
    assert!(
        refused(&unrelated).contains("no commit in common"),
        "{}",
        unrelated.stderr
    );
    let unknown = repository.run(&["--since", "nowhere"]);
    assert!(
        refused(&unknown).contains("no revision `nowhere`"),
        "{}",
        unknown.stderr
    );
    for hostile in ["--output=x", "-h", "HEAD\u{1b}[31m"] {
        let ran = repository.run(&[&format!("--since={hostile}")]);
        assert!(refused(&ran).contains("no revision"), "{}", ran.stderr);
        assert!(!ran.stderr.contains('\u{1b}'));
    }
    assert!(!repository.path().join("x").exists());

    let shallow = Repository::with(&[]);
    let from = format!("file://{}", repository.path().display());
    git(
        shallow.path(),
        &[
            "clone", "-q", "--depth", "1", "--branch", "main", &from, "clone",
        ],
    );
    let mut missing = program(&shallow.path().join("clone"));
    let missing = ran(missing.args(["--since", "HEAD~1"]));
    assert!(
        refused(&missing).contains("the clone is shallow"),
        "{}",
        missing.stderr
    );
    assert!(
        missing.stderr.contains("fetch-depth: 0"),
        "{}",
        missing.stderr
    );

    let outside = Repository::with(&[("a.yaml", BROKEN)]);
    for arguments in [&["--since", "main"][..], &["--staged"]] {
        let ran = outside.run(arguments);
        assert!(
            refused(&ran).contains("git knows no work tree here"),
            "{}",
            ran.stderr
        );
    }
    let no_git = {
        let mut command = outside.command(&["--staged"]);
        ran(command.env("PATH", outside.path()))
    };
    assert!(
        refused(&no_git).contains("there is no git"),
        "{}",
        no_git.stderr
    );
    let wrong = outside.run(&["--changed-lines"]);
    assert!(refused(&wrong).contains("--since"), "{}", wrong.stderr);
}

/// Nothing that a repository names is started: no file monitor, diff driver, text conversion, filter or hook.
#[cfg(unix)]
#[test]
fn no_program_of_the_repository_is_started() {
    use std::os::unix::fs::PermissionsExt;
    let repository = committed(&[
        ("a.yaml", HEALTHY),
        ("same.yaml", HEALTHY),
        (".gitattributes", "*.yaml diff=evil filter=a=b\n"),
    ]);
    let started = repository.path().join("started");
    let touch = format!("touch {}; cat", started.display());
    for name in [
        "diff.evil.command",
        "diff.evil.textconv",
        "core.fsmonitor",
        "diff.external",
        "core.pager",
        "filter.a=b.clean",
        "filter.a=b.process",
    ] {
        git(repository.path(), &["config", name, &touch]);
    }
    git(
        repository.path(),
        &["config", "filter.a=b.required", "true"],
    );
    let hook = repository.path().join(".git/hooks/post-index-change");
    std::fs::write(&hook, format!("#!/bin/sh\n{touch} </dev/null\n")).unwrap();
    std::fs::set_permissions(&hook, std::fs::Permissions::from_mode(0o755)).unwrap();
    repository.write("a.yaml", BROKEN);
    // Touched and the same: git reads it to tell.
    repository.write("same.yaml", HEALTHY);
    for arguments in [
        &["--since", "HEAD", "--changed-lines"][..],
        &["--since", "HEAD"],
        &["--staged"],
    ] {
        repository.run(arguments);
        assert!(!started.exists(), "{arguments:?}");
    }
    assert_eq!(
        found(&repository, &["--since", "HEAD", "--changed-lines"]),
        ["a.yaml FP201"]
    );
}

/// In a linked worktree git names the repository, and not the work tree, to its hooks.
#[cfg(unix)]
#[test]
fn a_hook_of_a_linked_worktree_may_go_elsewhere() {
    use std::os::unix::fs::PermissionsExt;
    let repository = committed(&[("a.yaml", HEALTHY), ("sub/b.yaml", HEALTHY)]);
    let hook = repository.path().join(".git/hooks/pre-commit");
    let binary = env!("CARGO_BIN_EXE_fp8lint");
    let script =
        format!("#!/bin/sh\ncd sub\n{binary} --staged --report concise .. > ../out.txt\nexit 0\n");
    std::fs::write(&hook, script).unwrap();
    std::fs::set_permissions(&hook, std::fs::Permissions::from_mode(0o755)).unwrap();
    git(
        repository.path(),
        &["worktree", "add", "-q", "-b", "other", "tree"],
    );
    repository.write("tree/a.yaml", BROKEN);
    git(
        &repository.path().join("tree"),
        &["commit", "-q", "-a", "-m", "x"],
    );
    let out = repository.read("tree/out.txt");
    assert!(out.starts_with("../a.yaml:4:"), "{out}");
    assert!(
        out.contains("Found 1 error in 2 accelerate configs"),
        "{out}"
    );
}

#[test]
fn changed_lines_are_counted_in_the_fixed_text() {
    let section = "fsdp_config:\n  fsdp_version: 2\n  fsdp_offload_params: false\n";
    let text = "distributed_type: 'NO'\nmixed_precision: fp8\nfp8_config:\n  backend: TE\n";
    let repository = committed(&[("a.yaml", text)]);
    repository.write("a.yaml", format!("{section}{}", text.replace("TE", "foo")));
    let arguments = [
        "--since",
        "HEAD",
        "--changed-lines",
        "--fix",
        "--unsafe-fixes",
        "--report",
        "concise",
    ];
    let ran = repository.run(&arguments);
    assert!(!repository.read("a.yaml").contains("fsdp_config"));
    assert!(ran.stdout.contains("FP201"), "{}", ran.stdout);
    assert_eq!(ran.code, 1);
}
