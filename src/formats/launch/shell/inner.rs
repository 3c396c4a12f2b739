//! Commands that are given a shell text: `eval "…"`, `bash -c "…"`, `sbatch --wrap "…"`, `bash <<EOF`.

use std::rc::Rc;

use crate::source::shell::{Command, RedirectionKind, read_body};

use super::super::{Folder, Spot};
use super::expand::joined_by_blanks;
use super::machine::{Flow, Machine};
use super::origin::Source;
use super::piece::{Content, Piece};
use super::simple::Words;

const SHELLS: [&str; 5] = ["bash", "sh", "zsh", "dash", "ksh"];

/// The other programs that read commands from a here-document.
const BODY_READERS: [(&str, bool); 4] = [
    ("sbatch", true),
    ("qsub", false),
    ("bsub", true),
    ("ssh", false),
];

/// The programs that run the command among their words, and whether it gets this shell's exported variables.
const WRAPPERS: [(&str, bool); 29] = [
    ("apptainer", true),
    ("command", true),
    ("conda", true),
    ("docker", false),
    ("env", true),
    ("exec", true),
    ("kubectl", false),
    ("micromamba", true),
    ("mpiexec", true),
    ("mpirun", true),
    ("nice", true),
    ("nohup", true),
    ("numactl", true),
    ("parallel", true),
    ("podman", false),
    ("poetry", true),
    ("screen", true),
    ("setsid", true),
    ("singularity", true),
    ("srun", true),
    ("ssh", false),
    ("stdbuf", true),
    ("sudo", true),
    ("time", true),
    ("timeout", true),
    ("tmux", true),
    ("torchrun", true),
    ("uv", true),
    ("xargs", true),
];

impl Machine<'_> {
    /// `eval`: the text runs in this shell.
    pub(super) fn eval(&mut self, words: &Words) -> Flow {
        let Some((_, word)) = words.fields.get(1) else {
            return Flow::Goes;
        };
        let pieces = joined_by_blanks(words.fields.iter().skip(1).map(|(field, _)| field));
        let source = Source::joined(&pieces, &self.state.place.folder, word);
        self.run_source(source)
    }

    /// Runs the text that another shell is given by this command, if it is one of those that do.
    pub(super) fn run_inner(&mut self, words: &Words, command: &Command) {
        let Some((pieces, word, inherits)) =
            inner_text(words).or_else(|| self.inner_body(words, command))
        else {
            return;
        };
        let source = Source::joined(&pieces, &self.state.place.folder, &word);
        self.branch(|machine| {
            let (level, reaches_from) = (machine.level, machine.reaches_from);
            machine.level += 1;
            if !inherits {
                machine.reaches_from = machine.level;
                machine.state.place.folder = Folder::Unknown;
            }
            machine.state.place.positional = None;
            machine.run_source(source);
            machine.level = level;
            machine.reaches_from = reaches_from;
            Flow::Goes
        });
    }

    /// The here-document that a shell reads its commands from: `bash <<EOF`, `sbatch <<EOF`, `ssh host <<EOF`.
    fn inner_body(&mut self, words: &Words, command: &Command) -> Option<Inner> {
        let name = base(words.known(0)?);
        let inherits = match BODY_READERS.iter().find(|(reader, _)| *reader == name) {
            Some((_, inherits)) => *inherits,
            None if SHELLS.contains(&name) => {
                let mut rest = (1..words.terms.len()).map(|position| words.known(position));
                let is_flag = |word: Option<&str>| word.is_some_and(|word| word.starts_with('-'));
                if !rest.clone().all(is_flag) && !rest.any(|word| word == Some("-s")) {
                    return None;
                }
                true
            }
            None => return None,
        };
        let (position, mark) = command.redirections.iter().find_map(|redirection| {
            let RedirectionKind::HereDoc(position) = redirection.kind else {
                return None;
            };
            Some((position, redirection.target.span))
        })?;
        let source = Rc::clone(&self.source);
        let body = source.heredocs.get(position)?;
        let pieces = if body.is_quoted {
            let texts = body.pieces.iter();
            texts
                .filter_map(|span| Some((source.text.get(span.start..span.end)?, *span)))
                .flat_map(|(text, span)| source.pieces(text, span))
                .collect()
        } else {
            let words = read_body(&source.text, &body.pieces);
            words.iter().flat_map(|word| self.value(word)).collect()
        };
        Some((pieces, self.spot(mark), inherits))
    }
}

/// A text, the word that gives it, and whether its shell gets this one's exported variables.
type Inner = (Vec<Piece>, Spot, bool);

fn inner_text(words: &Words) -> Option<Inner> {
    let name = base(words.known(0)?);
    if name == "sbatch" {
        return wrapped(words);
    }
    let (from, inherits) = if SHELLS.contains(&name) {
        (0, true)
    } else {
        let (_, inherits) = WRAPPERS.iter().find(|(wrapper, _)| *wrapper == name)?;
        let shell = (1..words.terms.len()).find(|position| {
            words
                .known(*position)
                .is_some_and(|word| SHELLS.contains(&base(word)))
        })?;
        (shell, *inherits)
    };
    let mut takes_text = false;
    let mut takes_option = false;
    for position in from + 1..words.terms.len() {
        match words.known(position) {
            Some(word) if word.starts_with(['-', '+']) => {
                takes_text |= !word.starts_with("--") && word.contains('c');
                takes_option = word.ends_with('o');
            }
            Some(_) if takes_option => takes_option = false,
            _ if takes_text => {
                let (field, spot) = words.fields.get(position)?;
                return Some((field.pieces.clone(), spot.clone(), inherits));
            }
            _ => return None,
        }
    }
    None
}

/// `sbatch --wrap "…"`, `--wrap="…"`.
fn wrapped(words: &Words) -> Option<Inner> {
    const FLAG: &str = "--wrap=";
    for (position, (field, spot)) in words.fields.iter().enumerate() {
        if words.known(position) == Some("--wrap") {
            let (field, spot) = words.fields.get(position + 1)?;
            return Some((field.pieces.clone(), spot.clone(), true));
        }
        let Some((first, rest)) = field.pieces.split_first() else {
            continue;
        };
        if matches!(&first.content, Content::Text(text) if text.starts_with(FLAG)) {
            let first = first.after(FLAG.len());
            let pieces = first.into_iter().chain(rest.iter().cloned()).collect();
            return Some((pieces, spot.clone(), true));
        }
    }
    None
}

/// The name of a program without its folder.
fn base(program: &str) -> &str {
    program.rsplit_once('/').map_or(program, |(_, name)| name)
}
