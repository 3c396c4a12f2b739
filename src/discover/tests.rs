use std::fs;
use std::process::Command;

use tempfile::TempDir;

use super::*;

fn settings(include: &[&str], exclude: &[&str]) -> Settings {
    Settings {
        include: Patterns::new(include.iter().copied()).unwrap(),
        exclude: Patterns::new(exclude.iter().copied()).unwrap(),
        force_exclude: true,
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
    let discovery = discover(&paths, folder, settings, &NothingLocal);
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
        &NothingLocal,
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

/// The folders of a search, as seen from `folder`.
fn searched(folder: &Path, paths: &[&str], file: &str) -> Vec<String> {
    let paths: Vec<_> = paths.iter().map(PathBuf::from).collect();
    let upwards = Upwards::new(folder, &paths);
    let marked = upwards.folders(Path::new(file)).into_iter();
    marked
        .map(|folder| {
            folder
                .read("mark")
                .map_or_else(String::new, |file| file.shown)
        })
        .collect()
}

#[test]
fn a_search_upwards_ends_at_the_root() {
    let folder = repository(&["mark", "a/mark", "a/b/mark", "a/b/x.yaml", "c/mark"]);
    let outside = folder.path();
    assert_eq!(
        searched(outside, &["."], "a/b/x.yaml"),
        ["a/b/mark", "a/mark", "mark"]
    );
    assert_eq!(searched(outside, &["a/b"], "a/b/x.yaml"), ["a/b/mark"]);
    assert_eq!(
        searched(outside, &["a/b", "a"], "a/b/x.yaml"),
        ["a/b/mark", "a/mark"]
    );
    // A file that is named itself: up to the current folder, if it is there.
    assert_eq!(
        searched(outside, &["a/b/x.yaml"], "./a/b/x.yaml"),
        ["a/b/mark", "a/mark", "mark"]
    );
    assert_eq!(
        searched(&outside.join("c"), &[], "../a/b/x.yaml"),
        ["../a/b/mark"]
    );
    // A file that does not exist, as the name of standard input.
    assert_eq!(searched(outside, &[], "a/new/x.yaml"), ["a/mark", "mark"]);
    // A repository, whose `.git` is a file in a work tree.
    fs::write(outside.join("a/.git"), "gitdir: elsewhere\n").unwrap();
    assert_eq!(
        searched(&outside.join("a/b"), &["."], "x.yaml"),
        ["mark", "../mark"]
    );
    assert_eq!(
        searched(outside, &["."], "a/b/x.yaml"),
        ["a/b/mark", "a/mark"]
    );
}

#[cfg(unix)]
#[test]
fn a_search_upwards_reads_regular_files_below_the_root_only() {
    use std::os::unix::fs::symlink;
    let elsewhere = repository(&["far"]);
    let folder = repository(&["near", "sub/x.yaml"]);
    let sub = folder.path().join("sub");
    symlink("../near", sub.join("inside")).unwrap();
    symlink(elsewhere.path().join("far"), sub.join("outside")).unwrap();
    symlink("nowhere", sub.join("broken")).unwrap();
    fs::create_dir(sub.join("folder")).unwrap();
    fs::write(sub.join("large"), vec![b'a'; (4 << 20) + 1]).unwrap();
    assert!(
        Command::new("mkfifo")
            .arg(sub.join("fifo"))
            .status()
            .unwrap()
            .success()
    );
    let upwards = Upwards::new(folder.path(), &[PathBuf::from(".")]);
    let own = &upwards.folders(Path::new("sub/x.yaml"))[0];
    assert_eq!(own.read("inside").unwrap().shown, "sub/inside");
    for name in ["outside", "broken", "folder", "large", "fifo", "missing"] {
        assert_eq!(own.read(name), None, "{name}");
    }
    assert_eq!(
        own.names(|name| name.len() == 6),
        ["broken", "folder", "inside", "x.yaml"]
    );
}

#[test]
fn each_folder_is_looked_at_once() {
    let folder = repository(&["mark", "a/x.yaml", "a/y.yaml", "b/z.yaml"]);
    let upwards = Upwards::new(folder.path(), &[PathBuf::from(".")]);
    let (nearest, looks) = (Nearest::default(), std::sync::Mutex::new(0));
    for file in ["a/x.yaml", "a/y.yaml", "b/z.yaml"] {
        let found = nearest.of(&upwards.folders(Path::new(file)), |folder| {
            *looks.lock().unwrap() += 1;
            folder.read("mark").map(|file| file.shown)
        });
        assert_eq!(found.as_deref(), Some("mark"));
    }
    assert_eq!(*looks.lock().unwrap(), 3);
}

/// Patterns for all that lies below a folder.
struct Below(PathBuf, Patterns, Patterns);

impl Local for Below {
    fn in_folder(&self, folder: &Path) -> Option<std::sync::Arc<LocalPatterns>> {
        let below = folder.strip_prefix(&self.0).ok()?.to_owned();
        let (include, exclude) = (self.1.clone(), self.2.clone());
        Some(std::sync::Arc::new(LocalPatterns {
            include,
            exclude,
            below,
        }))
    }

    fn excludes(&self, path: &Path) -> bool {
        let path = self.0.parent().unwrap().join(path);
        let below = path.strip_prefix(&self.0);
        below.is_ok_and(|below| self.2.match_path_or_folder(below))
    }
}

#[test]
fn patterns_may_hold_in_a_part_of_the_tree_only() {
    let folder = repository(&[
        "a.yaml",
        "out/b.yaml",
        "part/a.yaml",
        "part/out/deep/b.yaml",
        "part/more.cfg",
        "more.cfg",
    ]);
    let patterns = |pattern: &str| Patterns::new([pattern]).unwrap();
    let local = Below(
        folder.path().join("part"),
        patterns("*.cfg"),
        patterns("/out"),
    );
    let found = |paths: &[&str], force_exclude| {
        let paths: Vec<_> = paths.iter().map(PathBuf::from).collect();
        let settings = Settings {
            force_exclude,
            ..settings(&[], &["a.yaml"])
        };
        let discovery = discover(&paths, folder.path(), &settings, &local);
        let shown = discovery.candidates.into_iter();
        shown.map(|candidate| candidate.shown).collect::<Vec<_>>()
    };
    assert_eq!(found(&["."], true), ["out/b.yaml", "part/more.cfg"]);
    for path in ["part/out/deep/b.yaml", "part/out/deep"] {
        assert_eq!(found(&[path], true), [""; 0], "{path}");
        assert_eq!(found(&[path], false), ["part/out/deep/b.yaml"], "{path}");
    }
    assert_eq!(found(&["a.yaml"], true), [""; 0]);
    assert_eq!(found(&["a.yaml"], false), ["a.yaml"]);
}
