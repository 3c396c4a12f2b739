//! What has changed in a repository, told by git: files, and the lines in them.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsString;
use std::fmt;
use std::ops::RangeInclusive;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use similar::{Algorithm, DiffTag, capture_diff_slices};

use super::git::{self, Git, NoAnswer};
use super::{Overlay, SIZE_LIMIT};

/// Against what changes are told.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Against {
    /// The commit in which HEAD and this revision part, against the files as they are, untracked ones included: what
    /// a pull request would show, and what is not committed yet.
    MergeBase(String),
    /// The last commit, against what is staged.
    Staged,
}

/// Why it cannot be told what has changed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ChangedError {
    /// There is no git.
    NoGit,
    /// The folder lies in no work tree; what git says.
    NoRepository(String),
    /// Nothing is committed yet.
    NoCommit,
    /// There is no such revision. Whether the clone is shallow.
    UnknownRevision {
        /// The revision.
        revision: String,
        /// Whether the clone is shallow.
        is_shallow: bool,
    },
    /// The revision and HEAD have no commit in common.
    NoMergeBase {
        /// The revision.
        revision: String,
        /// Whether the clone is shallow.
        is_shallow: bool,
    },
    /// Anything else that git says.
    Failed(String),
}

impl ChangedError {
    /// What to do about it.
    pub fn help(&self) -> String {
        match self {
            Self::NoGit => "install git, or check without --since, --staged and --changed-lines".to_owned(),
            Self::NoRepository(said) if said.contains("safe.directory") => {
                "the folder belongs to somebody else: trust it with `git config --global --add safe.directory FOLDER`"
                    .to_owned()
            }
            Self::NoRepository(_) => {
                "run fp8lint inside a git work tree, or check without --since and --staged".to_owned()
            }
            Self::NoCommit => "commit first, or use --staged".to_owned(),
            Self::UnknownRevision {
                revision,
                is_shallow: true,
            } => format!(
                "the clone is shallow: fetch more of it with `git fetch --deepen=100` or `git fetch origin {revision}`, \
                 or clone with `fetch-depth: 0` (actions/checkout)"
            ),
            Self::UnknownRevision { .. } => {
                "name a branch, a tag or a commit of this repository, such as origin/main".to_owned()
            }
            Self::NoMergeBase {
                is_shallow: true, ..
            } => "the clone is shallow: fetch more of the history with `git fetch --unshallow`, or clone with \
                  `fetch-depth: 0` (actions/checkout)"
                .to_owned(),
            Self::NoMergeBase { .. } => "name a revision with which HEAD shares history".to_owned(),
            Self::Failed(_) => "try the same with git itself".to_owned(),
        }
    }
}

impl fmt::Display for ChangedError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoGit => f.write_str("there is no git to ask what has changed"),
            Self::NoRepository(said) => write!(f, "git knows no work tree here: {said}"),
            Self::NoCommit => f.write_str("the repository has no commit yet"),
            Self::UnknownRevision { revision, .. } => {
                write!(f, "git knows no revision `{revision}` here")
            }
            Self::NoMergeBase { revision, .. } => {
                write!(f, "`{revision}` and HEAD have no commit in common here")
            }
            Self::Failed(said) => write!(f, "git cannot tell what has changed: {said}"),
        }
    }
}

impl From<NoAnswer> for ChangedError {
    fn from(answer: NoAnswer) -> Self {
        match answer {
            NoAnswer::Missing => Self::NoGit,
            NoAnswer::Failed(said) => Self::Failed(said),
        }
    }
}

/// What has changed.
#[derive(Debug)]
pub struct Changed {
    git: Git,
    /// The root of the work tree, without links.
    root: PathBuf,
    /// The commit that is compared; `None` for what is staged.
    base: Option<String>,
    /// Paths from the root.
    files: BTreeSet<PathBuf>,
    /// Those of them that are not tracked: all their lines count.
    untracked: BTreeSet<PathBuf>,
    /// Paths that are gone.
    gone: BTreeSet<PathBuf>,
    /// The changed lines of the files that were asked for.
    lines: Mutex<KnownLines>,
}

/// Lines by the path from the root and by what the file holds, where git does not know that.
type KnownLines = BTreeMap<(PathBuf, Option<Vec<u8>>), Vec<RangeInclusive<usize>>>;

/// Staged files that are larger are not read: bytes. No config is so large, and what is read is held in memory.
const STAGED_LIMIT: u64 = 64 << 20;

/// What is compared is bytes: no renames, no programs that the repository names, the whole work tree.
const PLAIN: [&str; 6] = [
    "--no-renames",
    "--no-ext-diff",
    "--no-textconv",
    "--no-color",
    "--no-relative",
    "--ignore-submodules=dirty",
];

impl Changed {
    /// Asks git in a folder.
    ///
    /// # Errors
    /// Why it cannot be told.
    pub fn new(folder: &Path, against: &Against) -> Result<Self, ChangedError> {
        let git = Git::of(folder);
        let root = match git.ask(&["rev-parse", "--show-toplevel"], None) {
            Ok(output) => git::path_of(git::line(&output)).unwrap_or_else(|| folder.to_owned()),
            Err(NoAnswer::Failed(said)) => {
                return Err(ChangedError::NoRepository(said));
            }
            Err(missing) => return Err(missing.into()),
        };
        let root = root.canonicalize().unwrap_or(root);
        let git = git.without_filters(root.clone());
        let (git, base) = match against {
            Against::MergeBase(revision) => {
                let base = merge_base(&git, revision)?;
                (git, Some(base))
            }
            Against::Staged => (git.with_index_of_hook(), None),
        };
        let mut changed = Self {
            git,
            root,
            base,
            files: BTreeSet::new(),
            untracked: BTreeSet::new(),
            gone: BTreeSet::new(),
            lines: Mutex::default(),
        };
        let output = changed.diff(&["--name-status", "-z"], None)?;
        let mut parts = git::parts(&output);
        while let (Some(status), Some(name)) = (parts.next(), parts.next()) {
            if let Some(path) = git::path_of(name) {
                if status.starts_with(b"D") {
                    changed.gone.insert(path.clone());
                }
                changed.files.insert(path);
            }
        }
        if changed.base.is_some() {
            let arguments = ["ls-files", "-z", "--others", "--exclude-standard"];
            let output = changed.git.ask(&arguments, None)?;
            let names = git::parts(&output).filter_map(git::path_of);
            changed.untracked.extend(names);
            changed.files.extend(changed.untracked.iter().cloned());
        }
        Ok(changed)
    }

    /// Whether nothing has changed.
    pub fn is_empty(&self) -> bool {
        self.files.is_empty()
    }

    /// Whether the file at this absolute path, without links, has changed. All files of a submodule have, where the
    /// commit that it stands at has changed.
    pub fn holds(&self, path: &Path) -> bool {
        let Ok(path) = path.strip_prefix(&self.root) else {
            return false;
        };
        let mut above = path.ancestors().filter(|path| !path.as_os_str().is_empty());
        above.any(|path| self.files.contains(path))
    }

    /// Whether one of these lines (from 1) of the file at this absolute path has changed. `now` is what the file holds,
    /// where that is something else than git knows.
    pub fn touches(&self, path: &Path, lines: &RangeInclusive<usize>, now: Option<&[u8]>) -> bool {
        let Ok(below) = path.strip_prefix(&self.root) else {
            return false;
        };
        if !self.holds(path) {
            return false;
        }
        // A new file is new in every line, and of a submodule git does not tell the lines.
        if self.untracked.contains(below) || !self.files.contains(below) {
            return true;
        }
        let mut known = self.lines.lock().unwrap_or_else(PoisonError::into_inner);
        let key = (below.to_owned(), now.map(<[u8]>::to_vec));
        let changed = known.entry(key).or_insert_with(|| {
            // Where git does not tell the lines, each may have changed.
            self.changed_lines(below, now)
                .unwrap_or_else(|| vec![1..=usize::MAX])
        });
        changed
            .iter()
            .any(|range| range.start() <= lines.end() && lines.start() <= range.end())
    }

    fn changed_lines(
        &self,
        below: &Path,
        now: Option<&[u8]>,
    ) -> Option<Vec<RangeInclusive<usize>>> {
        let Some(now) = now else {
            let arguments = ["--unified=0", "--inter-hunk-context=0", "--text"];
            return Some(hunks(&self.diff(&arguments, Some(below)).ok()?));
        };
        let mut name = OsString::from(self.base.as_deref().unwrap_or("HEAD"));
        name.push(":");
        name.push(below);
        let arguments = [OsString::from("cat-file"), "blob".into(), name];
        let before = self.git.ask(&arguments, None).ok()?;
        let lines = |bytes| -> Vec<&[u8]> {
            <[u8]>::split_inclusive(bytes, |byte| *byte == b'\n').collect()
        };
        let diff = capture_diff_slices(Algorithm::Myers, &lines(&before), &lines(now));
        let new = diff.iter().filter(|op| op.tag() != DiffTag::Equal);
        let ranges = new.map(|op| {
            let new = op.new_range();
            match new.is_empty() {
                true => new.start.max(1)..=new.start + 1,
                false => new.start + 1..=new.end,
            }
        });
        Some(ranges.collect())
    }

    /// Whether a file that is gone may be meant by these words: its path ends so.
    pub fn is_gone(&self, words: &str) -> bool {
        let path = Path::new(words.trim_matches(['"', '\''])).components();
        let path: PathBuf = path.filter(|part| part.as_os_str() != ".").collect();
        !path.as_os_str().is_empty() && self.gone.iter().any(|gone| gone.ends_with(&path))
    }

    /// What is staged where the disk holds something else: changed or gone there, or still there although its going
    /// is staged.
    ///
    /// # Errors
    /// What git says.
    pub fn staged_contents(&self) -> Result<Overlay, ChangedError> {
        let mut overlay = Overlay::default();
        let mut arguments = vec!["diff", "--raw", "-z", "--no-abbrev"];
        arguments.extend(PLAIN);
        let output = self.git.ask(&arguments, None)?;
        let mut parts = git::parts(&output);
        let mut wanted = Vec::new();
        while let (Some(about), Some(name)) = (parts.next(), parts.next()) {
            // `:100644 100644 <staged> <on the disk> M`
            let about = String::from_utf8_lossy(about);
            let mut words = about.split(' ');
            let is_file = words.next().is_some_and(|mode| mode.starts_with(":100"));
            let staged = words.nth(1);
            if let (true, Some(staged), Some(path)) = (is_file, staged, git::path_of(name)) {
                wanted.push((self.root.join(path), staged.to_owned()));
            }
        }
        let asked = |wanted: &[(PathBuf, String)]| -> String {
            wanted.iter().map(|(_, id)| format!("{id}\n")).collect()
        };
        if !wanted.is_empty() {
            let all = asked(&wanted);
            let output = self
                .git
                .ask(&["cat-file", "--batch-check"], Some(all.as_bytes()))?;
            let output = String::from_utf8_lossy(&output);
            let sizes = output
                .lines()
                .map(|line| line.split(' ').nth(2)?.parse().ok());
            let sizes: Vec<Option<u64>> = sizes.collect();
            if let Some(at) = sizes.iter().position(Option::is_none) {
                let id = wanted.get(at).map_or("", |(_, id)| id);
                return Err(ChangedError::Failed(format!(
                    "the staged object {id} is missing"
                )));
            }
            let mut sizes = sizes.into_iter().flatten();
            wanted.retain(|(path, _)| {
                let is_read = sizes.next().is_some_and(|size| size <= STAGED_LIMIT);
                if !is_read {
                    // As long as what is never read, so that it is said to be too large.
                    overlay.set(path.clone(), vec![b'\n'; SIZE_LIMIT as usize + 1]);
                }
                is_read
            });
            let all = asked(&wanted);
            let output = self
                .git
                .ask(&["cat-file", "--batch"], Some(all.as_bytes()))?;
            let mut rest = output.as_slice();
            for (path, id) in wanted {
                let Some((content, behind)) = batched(rest) else {
                    return Err(ChangedError::Failed(format!(
                        "the staged object {id} is cut off"
                    )));
                };
                overlay.set(path, content.to_vec());
                rest = behind;
            }
        }
        for gone in &self.gone {
            overlay.remove(self.root.join(gone));
        }
        Ok(overlay)
    }

    fn diff(&self, arguments: &[&str], path: Option<&Path>) -> Result<Vec<u8>, ChangedError> {
        let mut all: Vec<OsString> = vec!["diff".into()];
        all.extend(PLAIN.iter().chain(arguments).map(OsString::from));
        all.push(self.base.as_deref().unwrap_or("--cached").into());
        all.push("--".into());
        all.extend(path.map(OsString::from));
        Ok(self.git.ask(&all, None)?)
    }
}

/// The commit in which HEAD and a revision part.
fn merge_base(git: &Git, revision: &str) -> Result<String, ChangedError> {
    let ask = |arguments: &[&str]| git.ask(arguments, None);
    let is_shallow = || {
        ask(&["rev-parse", "--is-shallow-repository"])
            .is_ok_and(|output| output.starts_with(b"true"))
    };
    let commit = |revision: &str| {
        let revision = format!("{revision}^{{commit}}");
        let output = ask(&[
            "rev-parse",
            "--verify",
            "--quiet",
            "--end-of-options",
            &revision,
        ]);
        output.map(|output| String::from_utf8_lossy(git::line(&output)).into_owned())
    };
    let head = commit("HEAD").map_err(|_| ChangedError::NoCommit)?;
    let other = commit(revision).map_err(|_| ChangedError::UnknownRevision {
        revision: revision.to_owned(),
        is_shallow: is_shallow(),
    })?;
    let base = ask(&["merge-base", &other, &head]).map_err(|_| ChangedError::NoMergeBase {
        revision: revision.to_owned(),
        is_shallow: is_shallow(),
    })?;
    Ok(String::from_utf8_lossy(git::line(&base)).into_owned())
}

/// The lines on the new side of the hunks of one file's diff. Where lines are only gone, those around them.
fn hunks(diff: &[u8]) -> Vec<RangeInclusive<usize>> {
    let heads = diff.split(|byte| *byte == b'\n').filter_map(|line| {
        // What follows the second `@@` is a line of the file and may be anything.
        let line = line.strip_prefix(b"@@ -")?;
        let end = line.windows(3).position(|bytes| bytes == b" @@")?;
        let line = std::str::from_utf8(&line[..end]).ok()?;
        let new = line.split(' ').nth(1)?.strip_prefix('+')?;
        let (start, count) = new.split_once(',').unwrap_or((new, "1"));
        let (start, count): (usize, usize) = (start.parse().ok()?, count.parse().ok()?);
        Some(match count {
            0 => start.max(1)..=start + 1,
            _ => start..=start + count - 1,
        })
    });
    heads.collect()
}

/// The next content of `cat-file --batch`, and what follows it.
fn batched(output: &[u8]) -> Option<(&[u8], &[u8])> {
    let end = output.iter().position(|byte| *byte == b'\n')?;
    let head = std::str::from_utf8(&output[..end]).ok()?;
    let size: usize = head.split(' ').nth(2)?.parse().ok()?;
    let content = output.get(end + 1..end + 1 + size)?;
    let behind = output.get(end + 2 + size..)?;
    Some((content, behind))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_lines_of_hunks_are_read() {
        let diff = b"diff --git a/x b/x\n--- a/x\n+++ b/x\n@@ -1 +1,2 @@ a: \xff\n-a\n+b\n+@@ -7 +7 @@\n@@ -9,2 +8,0 @@\n";
        assert_eq!(hunks(diff), [1..=2, 8..=9]);
        assert_eq!(hunks(b"@@ -1,2 +0,0 @@\n"), [1..=1]);
        assert!(hunks(b"").is_empty());
    }

    #[test]
    fn contents_of_a_batch_are_taken_apart() {
        let output = b"id blob 3\na\nb\nid blob 0\n\nmissing\n";
        let (first, rest) = batched(output).unwrap();
        let (second, rest) = batched(rest).unwrap();
        assert_eq!((first, second), (&b"a\nb"[..], &b""[..]));
        assert!(batched(rest).is_none());
    }
}
