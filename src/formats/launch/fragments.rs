//! The shell texts of a file, with what the file around them gives them.

use std::sync::Arc;

use crate::source::{SourceFile, Span};

use super::{Folder, Term};

/// What kind of file holds the shell texts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Container {
    /// A shell script, or a batch file for Slurm, PBS or LSF: the whole file is one text.
    Script,
}

/// One shell text.
#[derive(Clone, Debug)]
pub(super) struct Fragment {
    /// The file.
    pub(super) file: Arc<SourceFile>,
    /// What runs.
    pub(super) body: Body,
    /// The variables that the file gives it (`env:`, `ENV`), in the order in which later ones win.
    pub(super) environment: Vec<(String, Term)>,
    /// Where it runs.
    pub(super) folder: Folder,
    /// Whether it is prose, which nothing runs.
    pub(super) is_prose: bool,
}

/// What runs.
#[derive(Clone, Debug)]
pub(super) enum Body {
    /// A text for a shell.
    Shell(MappedText),
    /// Words that are run as they are: the JSON form of a Dockerfile's `CMD`, `command:` and `args:` of Kubernetes.
    Words(Vec<Term>),
}

/// A text with the place of each of its bytes in the file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct MappedText {
    /// The text, as the shell gets it.
    pub(super) text: String,
    /// Offset in `text` and offset in the file, of each piece that stands in both alike; ascending, the first one at 0.
    pub(super) pieces: Vec<(usize, usize)>,
}

impl MappedText {
    /// A text that stands in the file as it is, from this offset on.
    pub(super) fn verbatim(text: impl Into<String>, start: usize) -> Self {
        Self {
            text: text.into(),
            pieces: vec![(0, start)],
        }
    }

    /// The bytes of the file that these bytes of the text come from.
    pub(super) fn in_file(&self, span: Span) -> Span {
        let start = self.offset_in_file(span.start);
        // The end is that of the last byte: the byte after it may be of another piece.
        let end = match span.end.checked_sub(1) {
            Some(last) if span.end > span.start => self.offset_in_file(last) + 1,
            _ => start,
        };
        Span::new(start, end.max(start))
    }

    fn offset_in_file(&self, offset: usize) -> usize {
        let next = self.pieces.partition_point(|(text, _)| *text <= offset);
        next.checked_sub(1).map_or(offset, |piece| {
            let (text, file) = self.pieces[piece];
            file + (offset - text)
        })
    }
}

impl Container {
    /// The kind of a file, told by its name, and by its first line where the name says nothing.
    pub(super) fn of(path: &str, text: &str) -> Option<Self> {
        let ending = path.rsplit_once('.').map(|(_, ending)| ending);
        let is_script = matches!(
            ending,
            Some("sh" | "bash" | "zsh" | "ksh" | "slurm" | "sbatch" | "pbs" | "lsf")
        );
        let first = text.lines().next().unwrap_or_default();
        let says_shell = first.starts_with("#!") && first.trim_end().ends_with("sh");
        (is_script || says_shell).then_some(Self::Script)
    }
}

/// The shell texts of a file.
pub(super) fn of(file: &Arc<SourceFile>) -> Vec<Fragment> {
    match Container::of(&file.path, file.text()) {
        None => Vec::new(),
        Some(Container::Script) => vec![Fragment {
            file: Arc::clone(file),
            body: Body::Shell(MappedText::verbatim(file.text(), 0)),
            environment: Vec::new(),
            folder: Folder::Start(String::new()),
            is_prose: false,
        }],
    }
}
