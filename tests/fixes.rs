//! `--fix`, `--diff` and what belongs to them, on whole repositories.

#![allow(
    missing_docs,
    unreachable_pub,
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic
)]

mod support;

use std::io::Write;
use std::process::{Command, Stdio};

use support::Repository;

const LOWER: &str =
    "distributed_type: 'NO'  # one\nmixed_precision: fp8\nfp8_config:\n  backend: te\n";
const UPPER: &str =
    "distributed_type: 'NO'  # one\nmixed_precision: fp8\nfp8_config:\n  backend: TE\n";
const BARE: &str = "distributed_type: 'NO'\nfp8: true\nmixed_precision: bf16\nnum_processes: 1\n";

#[test]
fn fix_mends_what_is_safe_and_leaves_the_rest() {
    let repository = Repository::with(&[("a.yaml", LOWER), ("b.yaml", BARE)]);
    let ran = repository.run(&["--fix", "--show-fixes"]);
    assert_eq!(repository.read("a.yaml"), UPPER);
    assert_eq!(repository.read("b.yaml"), BARE);
    assert_eq!(ran.code, 1, "{}", ran.stdout);
    assert!(
        ran.stdout.contains("Fixed a.yaml:4: FP201 "),
        "{}",
        ran.stdout
    );
    assert!(ran.stdout.contains("FP102"), "{}", ran.stdout);
    let again = repository.run(&["--fix"]);
    assert!(!again.stdout.contains("Fixed"), "{}", again.stdout);
}

#[test]
fn unsafe_fixes_are_made_on_request() {
    let repository = Repository::with(&[("b.yaml", BARE)]);
    let ran = repository.run(&["--fix", "--unsafe-fixes"]);
    assert_eq!(ran.code, 0, "{}", ran.stdout);
    let mended = repository.read("b.yaml");
    assert!(!mended.contains("fp8: true"), "{mended}");
    assert!(mended.contains("mixed_precision: fp8\n"), "{mended}");
    assert!(mended.contains("fp8_config:\n  backend: AO\n"), "{mended}");
    let alone = repository.run(&["--unsafe-fixes"]);
    assert_eq!(alone.code, 2, "{}", alone.stderr);
}

#[test]
fn exit_codes_say_what_was_fixed() {
    let run = |arguments: &[&str]| Repository::with(&[("a.yaml", LOWER)]).run(arguments).code;
    assert_eq!(run(&["--fix"]), 0);
    assert_eq!(run(&["--fix", "--exit-non-zero-on-fix"]), 1);
    assert_eq!(run(&["--fix", "--exit-non-zero-on-fix", "--exit-zero"]), 0);
    assert_eq!(run(&["--diff"]), 1);
    assert_eq!(run(&["--diff", "--exit-zero"]), 0);
    let healthy = Repository::with(&[("a.yaml", UPPER)]);
    assert_eq!(healthy.run(&["--diff"]).code, 0);
    assert_eq!(healthy.run(&["--fix", "--exit-non-zero-on-fix"]).code, 0);
}

/// `git` in a folder of the repository, with nothing of the user's own.
fn git(repository: &Repository, below: &str, arguments: &[&str], input: &str) -> bool {
    let mut child = Command::new("git")
        .args(arguments)
        .current_dir(repository.path().join(below))
        .env("GIT_CONFIG_NOSYSTEM", "1")
        .env("GIT_CONFIG_GLOBAL", "/dev/null")
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .spawn()
        .unwrap();
    child
        .stdin
        .take()
        .unwrap()
        .write_all(input.as_bytes())
        .unwrap();
    child.wait().unwrap().success()
}

#[test]
fn a_diff_is_taken_by_git_and_writes_nothing() {
    let hard =
        "\u{feff}distributed_type: 'NO'\r\nmixed_precision: fp8\r\nfp8_config: {backend: 'te'}";
    let repository = Repository::with(&[
        ("plain.yaml", LOWER),
        ("sub/a b é.yaml", LOWER),
        ("sub/quote\".yaml", LOWER),
        ("sub/hard.yaml", hard),
    ]);
    assert!(git(&repository, ".", &["init", "-q"], ""));
    let ran = repository.run(&["--diff"]);
    assert_eq!(repository.read("plain.yaml"), LOWER);
    assert!(ran.stdout.starts_with("diff --git "), "{}", ran.stdout);
    assert!(!ran.stderr.is_empty());
    assert!(
        git(&repository, ".", &["apply", "-"], &ran.stdout),
        "{}",
        ran.stdout
    );
    assert_eq!(repository.read("plain.yaml"), UPPER);
    assert_eq!(repository.read("sub/a b é.yaml"), UPPER);
    assert_eq!(repository.read("sub/quote\".yaml"), UPPER);
    assert_eq!(
        repository.read("sub/hard.yaml"),
        hard.replace("te'}", "TE'}")
    );

    // Also from a folder below the root.
    repository.write("sub/again.yaml", LOWER);
    let mut below = repository.command(&["--diff"]);
    let output = below
        .current_dir(repository.path().join("sub"))
        .output()
        .unwrap();
    let patch = String::from_utf8(output.stdout).unwrap();
    assert!(git(&repository, "sub", &["apply", "-"], &patch), "{patch}");
    assert_eq!(repository.read("sub/again.yaml"), UPPER);
}

#[test]
fn standard_input_comes_out_mended() {
    let repository = Repository::with(&[]);
    let arguments = ["--fix", "-", "--stdin-filename", "a.yaml"];
    let ran = repository.run_with_input(&arguments, LOWER.as_bytes());
    assert_eq!((ran.code, ran.stdout.as_str()), (0, UPPER));
    assert!(ran.stderr.contains("Fixed 1 finding"), "{}", ran.stderr);
    let healthy = repository.run_with_input(&arguments, UPPER.as_bytes());
    assert_eq!((healthy.code, healthy.stdout.as_str()), (0, UPPER));
    // What cannot be read comes out as it was.
    let broken = repository.run_with_input(&arguments, b"mixed_precision: [\n");
    assert_eq!(broken.stdout, "mixed_precision: [\n");
    assert!(!repository.path().join("a.yaml").exists());
}

#[cfg(unix)]
#[test]
fn links_and_read_only_files_are_respected() {
    use std::fs::{self, Permissions};
    use std::os::unix::fs::{PermissionsExt, symlink};
    let repository = Repository::with(&[("real/a.yaml", LOWER), ("b.yaml", LOWER)]);
    let path = |name: &str| repository.path().join(name);
    symlink("real/a.yaml", path("link.yaml")).unwrap();
    fs::set_permissions(path("b.yaml"), Permissions::from_mode(0o444)).unwrap();
    fs::set_permissions(path("real/a.yaml"), Permissions::from_mode(0o751)).unwrap();
    let ran = repository.run(&["--fix", "link.yaml", "b.yaml"]);
    assert!(path("link.yaml").symlink_metadata().unwrap().is_symlink());
    assert_eq!(repository.read("real/a.yaml"), UPPER);
    let mode = path("real/a.yaml").metadata().unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o751);
    assert_eq!(repository.read("b.yaml"), LOWER);
    assert_eq!(ran.code, 1);
    assert!(
        ran.stdout
            .contains("FP201 is not fixed: b.yaml is read-only"),
        "{}",
        ran.stdout
    );
    // A patch of it can be shown all the same.
    assert!(
        repository
            .run(&["--diff", "b.yaml"])
            .stdout
            .contains("+  backend: TE")
    );
    let names = fs::read_dir(repository.path()).unwrap().count();
    assert_eq!(names, 3, "no temporary file is left");
}

#[test]
fn one_fix_may_need_several_rounds() {
    let text = "distributed_type: 'NO'\nmixed_precision: fp8\nfp8_config: {backend: te, override_linear_precision: false}\n";
    let repository = Repository::with(&[("a.yaml", text)]);
    let ran = repository.run(&["--fix"]);
    assert_eq!(ran.code, 0, "{}", ran.stdout);
    assert_eq!(
        repository.read("a.yaml"),
        "distributed_type: 'NO'\nmixed_precision: fp8\nfp8_config: {backend: TE, override_linear_precision: [false, false, false]}\n"
    );
}

#[test]
fn a_config_is_mended_where_a_script_names_or_writes_it() {
    let script = "cat > made.yaml <<EOF\ndistributed_type: 'NO'\nmixed_precision: fp8\nfp8_config:\n  backend: te\nEOF\n\
                  accelerate launch --config_file made.yaml a.py\n\
                  accelerate launch --config_file conf/a.yaml a.py\n\
                  accelerate launch --mixed_precision fp8 --fp8_backend te a.py\n\
                  accelerate launch --num_machine 1 a.py\n";
    let repository = Repository::with(&[("run.sh", script), ("conf/a.yaml", LOWER)]);
    let ran = repository.run(&["--fix", "run.sh"]);
    assert_eq!(repository.read("conf/a.yaml"), UPPER, "{}", ran.stdout);
    let mended = repository.read("run.sh");
    assert!(
        mended.contains("  backend: TE\nEOF\n"),
        "{mended}\n{}",
        ran.stdout
    );
    // As a flag no spelling works, so that one stays.
    assert!(mended.contains("--fp8_backend te a.py"), "{mended}");
    assert!(mended.contains("--num_machines 1 a.py"), "{mended}");
}

#[test]
fn standard_input_stands_for_its_file() {
    let script = "accelerate launch --config_file conf/a.yaml a.py\n";
    let repository = Repository::with(&[
        ("run.sh", script),
        ("conf/a.yaml", UPPER),
        ("fp8lint.toml", "[target]\naccelerate = '1.9.0'\n"),
    ]);
    let arguments = [
        "-",
        ".",
        "--stdin-filename",
        "conf/a.yaml",
        "--report",
        "concise",
    ];
    // The command sees the text, not what the disk holds, and settings and pins are those of the path.
    let ran = repository.run_with_input(&arguments, LOWER.as_bytes());
    let lines: Vec<_> = ran.stdout.lines().collect();
    assert_eq!(lines.len(), 2, "{}", ran.stdout);
    assert!(
        lines[0].starts_with("conf/a.yaml:4:12: error FP201 [*] accelerate 1.9.0"),
        "{}",
        lines[0]
    );
    let healthy = repository.run_with_input(&arguments, UPPER.as_bytes());
    assert_eq!(healthy.code, 0, "{}", healthy.stdout);
    // A file that is not saved yet, and one that is left out.
    let unsaved = [
        "-",
        "run.sh",
        "--stdin-filename",
        "conf/new.yaml",
        "--report",
        "concise",
    ];
    repository.write("run.sh", script.replace("a.yaml", "new.yaml"));
    let ran = repository.run_with_input(&unsaved, LOWER.as_bytes());
    assert!(
        ran.stdout.starts_with("conf/new.yaml:4:12: error FP201"),
        "{}",
        ran.stdout
    );
    let excluded = [
        "--fix",
        "-",
        "--stdin-filename",
        "conf/a.yaml",
        "--exclude",
        "conf",
    ];
    let ran = repository.run_with_input(&excluded, LOWER.as_bytes());
    assert_eq!(
        (ran.code, ran.stdout.as_str()),
        (0, LOWER),
        "{}",
        ran.stderr
    );
}

#[test]
fn of_standard_input_only_the_text_is_mended() {
    let script = "accelerate launch --config_file conf/a.yaml a.py\n";
    let repository = Repository::with(&[
        ("run.sh", script),
        ("conf/a.yaml", LOWER),
        ("b.yaml", LOWER),
    ]);
    let arguments = ["--fix", "-", ".", "--stdin-filename", "conf/a.yaml"];
    let ran = repository.run_with_input(&arguments, LOWER.as_bytes());
    assert_eq!(ran.stdout, UPPER);
    assert_eq!(repository.read("conf/a.yaml"), LOWER);
    assert_eq!(repository.read("b.yaml"), LOWER);
    assert!(ran.stderr.contains("b.yaml"), "{}", ran.stderr);
}

#[test]
fn a_fix_that_would_lose_fp8_is_not_offered() {
    let bare = "distributed_type: 'NO'\nfp8: true\nmixed_precision: bf16\nnum_processes: 1\n";
    let repository = Repository::with(&[("a.yaml", bare)]);
    let old = repository.run(&["--target", "accelerate=1.6.0", "--fix", "--unsafe-fixes"]);
    let mended = repository.read("a.yaml");
    // Either the run trains in fp8 then, or nothing was changed and the release is named.
    let is_left = mended == bare && old.stdout.contains("or newer");
    let check = repository.run(&["--target", "accelerate=1.6.0", "--report", "concise"]);
    assert!(
        is_left || !check.stdout.contains("FP308"),
        "{}\n{mended}",
        check.stdout
    );
    let fsdp =
        "distributed_type: FSDP\nfp8: true\nnum_processes: 8\nfsdp_config:\n  fsdp_version: 2\n";
    repository.write("a.yaml", fsdp);
    let ran = repository.run(&["--target", "accelerate=1.7.0", "--fix", "--unsafe-fixes"]);
    assert_eq!(repository.read("a.yaml"), fsdp);
    assert!(ran.stdout.contains("and use accelerate"), "{}", ran.stdout);
}

#[test]
fn excluded_files_and_links_that_lead_out_stay() {
    let script = "accelerate launch --config_file conf/a.yaml a.py\n";
    let repository = Repository::with(&[("run.sh", script), ("conf/a.yaml", LOWER)]);
    let ran = repository.run(&["--fix", "--exclude", "conf", "."]);
    assert_eq!(repository.read("conf/a.yaml"), LOWER);
    assert!(
        ran.stdout.contains("conf/a.yaml is excluded"),
        "{}",
        ran.stdout
    );
    let ignored = repository.run(&["--fix", "--exclude", "conf", "--ignore", "FP908", "."]);
    assert!(!ignored.stdout.contains("FP908"), "{}", ignored.stdout);
    #[cfg(unix)]
    {
        let outside = Repository::with(&[("real.yaml", LOWER)]);
        let link = repository.path().join("link.yaml");
        std::os::unix::fs::symlink(outside.path().join("real.yaml"), link).unwrap();
        let ran = repository.run(&["--fix", "link.yaml"]);
        assert_eq!(outside.read("real.yaml"), LOWER);
        assert!(
            ran.stdout.contains("is a link out of the repository"),
            "{}",
            ran.stdout
        );
    }
}

#[test]
fn many_fixes_of_one_file_are_made_in_one_run() {
    let keys: String = (0..150).map(|n| format!("  unread_{n}: 1\n")).collect();
    let text = format!(
        "distributed_type: 'NO'\nmixed_precision: fp8\nnum_processes: 1\nfp8_config:\n  backend: TE\n{keys}"
    );
    let repository = Repository::with(&[("a.yaml", &text)]);
    let ran = repository.run(&["--fix", "--unsafe-fixes", "--report", "json"]);
    let report: serde_json::Value = serde_json::from_str(&ran.stdout).unwrap();
    assert_eq!(report["fixed"].as_array().unwrap().len(), 150);
    assert_eq!(report["fixes_are_written"], true);
    assert!(!repository.read("a.yaml").contains("unread_"));
    assert_eq!(ran.code, 0);
}

#[test]
fn bytes_come_out_as_they_went_in() {
    let script = "echo \"\u{1b}[31mred\u{7f}\"\naccelerate launch train.py\n";
    let repository = Repository::with(&[]);
    let arguments = ["--fix", "-", "--stdin-filename", "a.sh", "--exit-zero"];
    assert_eq!(
        repository
            .run_with_input(&arguments, script.as_bytes())
            .stdout,
        script
    );
    let with_config = format!(
        "cat > c.yaml <<EOF\n{LOWER}EOF\n{script}accelerate launch --config_file c.yaml t.py\n"
    );
    repository.write("b.sh", &with_config);
    assert!(git(&repository, ".", &["init", "-q"], ""));
    let ran = repository.run(&["--diff", "b.sh"]);
    assert!(
        git(&repository, ".", &["apply", "-"], &ran.stdout),
        "{}",
        ran.stdout
    );
    assert!(repository.read("b.sh").contains("backend: TE"));
}

#[cfg(unix)]
#[test]
fn a_patch_names_the_file_behind_a_link() {
    let repository = Repository::with(&[("real/a.yaml", LOWER)]);
    std::os::unix::fs::symlink("real/a.yaml", repository.path().join("link.yaml")).unwrap();
    assert!(git(&repository, ".", &["init", "-q"], ""));
    let ran = repository.run(&["--diff", "link.yaml", "real/a.yaml"]);
    assert!(
        git(&repository, ".", &["apply", "-"], &ran.stdout),
        "{}",
        ran.stdout
    );
    assert_eq!(repository.read("real/a.yaml"), UPPER);
}
