//! Running a shell text on paper: which simple commands it comes to, with which words and in which environment.
//!
//! What a variable holds is kept as pieces of text with their places, some of them unknown, so that a word which comes
//! out of `$ARGS` stands where it was written. Branches that may be taken are run one beside the other and brought
//! together; what they leave different is unknown after them.

mod assigned;
mod assignment;
mod builtins;
mod expand;
mod folder;
mod inner;
mod loaded;
mod machine;
mod merge;
mod operator;
mod origin;
mod output;
mod parameter;
mod piece;
mod simple;
mod state;
#[cfg(test)]
mod tests;
mod transform;
mod verdict;
mod walk;

use std::collections::BTreeMap;
use std::rc::Rc;
use std::sync::Arc;

use crate::source::{SourceFile, shell};

use super::fragments::MappedText;
use super::{Folder, Loaded, Spot, Term};

pub(super) use folder::joined;
use machine::Machine;
use origin::Source;
use piece::Piece;
use state::{State, Value, Variable};

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
    /// Whether the text that it gives to another shell has been run: its commands are given out too.
    pub(super) has_run_text: bool,
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
        #[cfg_attr(
            not(test),
            expect(
                dead_code,
                reason = "a text with variables is taken for a template either way"
            )
        )]
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
/// substitutions included; of a function, where it stands. Those that only change the shell itself (`cd`, `export`,
/// `source`, …) are not among them, nor is the call of a function.
pub(super) fn run(text: &MappedText, start: &Start<'_>, loaded: &dyn Loaded) -> Vec<Executed> {
    let script = shell::read(&text.text);
    let mut source = Source::mapped(start.file, text);
    source.heredocs = script.heredocs;
    let mut state = State::new(start.folder);
    for (name, term) in start.environment {
        let piece = match &term.text {
            Ok(text) => Piece::text(text, Some(term.spot.clone())),
            Err(why) => Piece::unknown(why),
        };
        let variable = Variable {
            value: Value::Text(Rc::new(vec![piece])),
            is_exported: true,
            spot: term.spot.clone(),
            level: 0,
            function_end: None,
        };
        state.set(name, Some(variable));
    }
    let mut machine = Machine::new(start.file, loaded, source, state);
    machine.run(&script.commands);
    let mut found = machine.found;
    // A command of `$(…)` is run before the command that it is part of.
    found.sort_by_key(|executed| executed.spot.span.start);
    found
}
