//! Running a shell text on paper: which simple commands it comes to, with which words and in which environment.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::source::SourceFile;

use super::fragments::MappedText;
use super::{Folder, Loaded, Spot, Term};

/// A simple command, as it would be run.
#[derive(Clone, Debug)]
pub(super) struct Executed {
    /// Its words after expansion, the command's name first. Never empty.
    pub(super) words: Vec<Term>,
    /// The variables that are exported to it, its inline ones included.
    pub(super) environment: BTreeMap<String, Term>,
    /// Where it runs.
    pub(super) folder: Folder,
    /// The whole command with its inline variables; redirections left out.
    pub(super) spot: Spot,
    /// Where its output goes and what it reads.
    pub(super) redirections: Vec<Redirection>,
}

/// A redirection.
#[derive(Clone, Debug)]
pub(super) enum Redirection {
    /// `> FILE`, `>| FILE`: what was there is gone.
    Output(Term),
    /// `>> FILE`.
    Append(Term),
    /// `<<EOF` or `<<< text`.
    Body {
        /// The text that is read.
        text: MappedText,
        /// Whether variables in it are filled in (`<<EOF`, not `<<'EOF'`), which is not done here.
        is_expanded: bool,
    },
}

/// What a shell text is given from outside.
#[derive(Clone, Debug)]
pub(super) struct Start<'a> {
    /// The file that holds it.
    pub(super) file: &'a Arc<SourceFile>,
    /// Exported variables.
    pub(super) environment: &'a [(String, Term)],
    /// Where it starts.
    pub(super) folder: &'a Folder,
}

/// The simple commands of a shell text in the order of the text, those of `bash -c '…'`, `eval`, subshells and command
/// substitutions included; of a function, where it stands.
pub(super) fn run(_text: &MappedText, _start: &Start<'_>, _loaded: &dyn Loaded) -> Vec<Executed> {
    Vec::new()
}
