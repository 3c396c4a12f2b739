use std::fs;
use std::process::Command;

use tempfile::TempDir;

use super::*;

fn settings(include: &[&str], exclude: &[&str]) -> Settings {
    Settings {
        include: Patterns::new(include.iter().copied()).unwrap(),
        exclude: Patterns::new(exclude.iter().copied()).unwrap(),
        threads: 2,
    }
}

fn repository(files: &[&str]) -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    for file in files {
        let path = folder.path().join(file);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, "a: 1\n").unwrap();
    }
    folder
}

fn git(folder: &Path, arguments: &[&str]) {
    let status = Command::new("git")
        .arg("-C")
        .arg(folder)
        .args(arguments)
        .stdout(std::process::Stdio::null())
        .status()
        .unwrap();
    assert!(status.success());
}

fn found(folder: &Path, paths: &[&str], settings: &Settings) -> Vec<String> {
    let paths: Vec<_> = paths.iter().map(PathBuf::from).collect();
    let discovery = discover(&paths, folder, settings);
    assert_eq!(discovery.problems, []);
    discovery
        .candidates
        .into_iter()
        .map(|candidate| candidate.shown)
        .collect()
}

#[test]
fn hidden_folders_are_walked_and_git_is_not() {
    let folder = repository(&[
        "b.yaml",
        "a/z.json",
        "a-b.yml",
        ".github/x.yaml",
        ".git/y.yaml",
        "note.txt",
        "config",
        "UPPER.YAML",
    ]);
    assert_eq!(
        found(folder.path(), &["."], &settings(&[], &[])),
        [
            ".github/x.yaml",
            "UPPER.YAML",
            "a/z.json",
            "a-b.yml",
            "b.yaml"
        ]
    );
    assert_eq!(
        found(
            folder.path(),
            &["."],
            &settings(&["config"], &["a", "*.YAML"])
        ),
        [".github/x.yaml", "a-b.yml", "b.yaml", "config"]
    );
}

#[test]
fn ignored_files_are_left_out_unless_git_tracks_them_or_they_are_named() {
    let folder = repository(&[
        "ignored.yaml",
        "tracked.yaml",
        "plain.yaml",
        "out/a.yaml",
        "out/b.yaml",
    ]);
    fs::write(
        folder.path().join(".gitignore"),
        "ignored.yaml\ntracked.yaml\nout/\n",
    )
    .unwrap();
    git(folder.path(), &["init", "-q"]);
    fs::write(folder.path().join(".git/info/exclude"), "plain.yaml\n").unwrap();
    git(folder.path(), &["add", "-f", "tracked.yaml", "out/b.yaml"]);
    let none = settings(&[], &[]);
    assert_eq!(
        found(folder.path(), &["."], &none),
        ["out/b.yaml", "tracked.yaml"]
    );
    // An ignored folder that is named itself is searched.
    assert_eq!(
        found(folder.path(), &["out"], &none),
        ["out/a.yaml", "out/b.yaml"]
    );
    assert_eq!(
        found(folder.path(), &["./ignored.yaml", "."], &none),
        ["ignored.yaml", "out/b.yaml", "tracked.yaml"]
    );
    assert_eq!(
        found(
            folder.path(),
            &["out/b.yaml", "."],
            &settings(&[], &["out"])
        ),
        ["tracked.yaml"]
    );
}

#[test]
fn a_repository_below_the_root_is_asked_as_well() {
    let folder = repository(&["inner/tracked.yaml", "inner/ignored.yaml"]);
    let inner = folder.path().join("inner");
    fs::write(inner.join(".gitignore"), "*.yaml\n").unwrap();
    git(&inner, &["init", "-q"]);
    git(&inner, &["add", "-f", "tracked.yaml"]);
    assert_eq!(
        found(folder.path(), &["."], &settings(&[], &[])),
        ["inner/tracked.yaml"]
    );
}

#[cfg(unix)]
#[test]
fn links_are_followed_only_where_they_are_named() {
    use std::os::unix::fs::symlink;
    let outside = repository(&["far.yaml", "deep/far.yaml"]);
    let folder = repository(&["near.yaml"]);
    symlink(outside.path(), folder.path().join("folder")).unwrap();
    symlink(
        outside.path().join("far.yaml"),
        folder.path().join("link.yaml"),
    )
    .unwrap();
    symlink(folder.path(), folder.path().join("loop")).unwrap();
    symlink("nowhere", folder.path().join("broken.yaml")).unwrap();
    let none = settings(&[], &[]);
    assert_eq!(found(folder.path(), &["."], &none), ["near.yaml"]);
    assert_eq!(found(folder.path(), &["link.yaml"], &none), ["link.yaml"]);
    assert_eq!(
        found(folder.path(), &["folder"], &none),
        ["folder/deep/far.yaml", "folder/far.yaml"]
    );
}

#[cfg(unix)]
#[test]
fn what_cannot_be_read_is_a_value() {
    let folder = repository(&[]);
    let fifo = folder.path().join("fifo.yaml");
    assert!(
        Command::new("mkfifo")
            .arg(&fifo)
            .status()
            .unwrap()
            .success()
    );
    let discovery = discover(
        &["missing.yaml".into(), "fifo.yaml".into(), ".".into()],
        folder.path(),
        &settings(&[], &[]),
    );
    assert_eq!(discovery.candidates, []);
    let problems: Vec<_> = discovery
        .problems
        .iter()
        .map(|problem| format!("{}: {}", problem.shown, problem.reason))
        .collect();
    assert_eq!(
        problems,
        [
            "fifo.yaml: not a regular file; give its text on standard input, as `-`",
            "missing.yaml: no such file or folder",
        ]
    );
}

#[test]
fn a_path_is_shown_once_in_its_plainest_form() {
    let folder = repository(&["a.yaml"]);
    let absolute = folder.path().join("a.yaml");
    let none = settings(&[], &[]);
    assert_eq!(
        found(
            folder.path(),
            &["./a.yaml", "a.yaml", absolute.to_str().unwrap(), ".", "./."],
            &none
        ),
        ["a.yaml"]
    );
}
