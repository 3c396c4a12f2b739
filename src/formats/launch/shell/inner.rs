//! Commands that are given a shell text: `eval "…"`, `bash -c "…"`, `sbatch --wrap "…"`, `bash <<EOF`.

use std::collections::BTreeMap;
use std::rc::Rc;

use crate::source::shell::{Command, RedirectionKind, read_body};

use super::super::words::base_name;
use super::super::wrappers::shells::{is_shell, is_shell_alone, text_position};
use super::super::wrappers::{self, Peeled};
use super::super::{Folder, Spot, Term};
use super::Executed;
use super::expand::joined_by_blanks;
use super::machine::{Flow, Machine};
use super::origin::Source;
use super::piece::{Content, Piece};
use super::simple::{Inline, Words};
use super::state::{Value, Variable};

/// The other programs that read commands from a here-document, and whether these get the exported variables.
const BODY_READERS: [(&str, bool); 4] = [
    ("sbatch", true),
    ("qsub", false),
    ("bsub", true),
    ("ssh", false),
];

/// What another shell is given.
pub(super) struct Inner {
    /// The text.
    pieces: Vec<Piece>,
    /// The word that gives it.
    word: Spot,
    /// The variables that are exported to it.
    environment: BTreeMap<String, Term>,
    /// Those of them that the programs in front of the shell set.
    set: Vec<(String, Term)>,
    /// Where it runs.
    folder: Folder,
}

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

    /// The text that this command gives to another shell, if it is one of those that do.
    pub(super) fn inner(
        &mut self,
        words: &Words,
        executed: &Executed,
        command: &Command,
    ) -> Option<Inner> {
        let name = base_name(executed.words.first()?)?;
        let reads_body = BODY_READERS.iter().any(|(reader, _)| *reader == name);
        if !reads_body && !is_shell(name) && !wrappers::is_one(&executed.words) {
            return None;
        }
        let peeled = wrappers::peel(
            &executed.words,
            executed.environment.clone(),
            executed.folder.clone(),
            self.loaded,
        );
        let mut keeps = true;
        let (pieces, word) = match self.argument(words, &peeled) {
            Some(text) => text,
            None => {
                let (pieces, word, inherits) = self.body(&peeled, command)?;
                keeps = inherits;
                (pieces, word)
            }
        };
        let Peeled {
            mut environment,
            mut folder,
            set,
            ..
        } = peeled;
        if !keeps {
            environment.clear();
            folder = Folder::Unknown;
        }
        Some(Inner {
            pieces,
            word,
            environment,
            set,
            folder,
        })
    }

    /// Runs the text that another shell is given.
    pub(super) fn run_inner(&mut self, inner: Inner, inline: Vec<Inline>) {
        let source = Source::joined(&inner.pieces, &self.state.place.folder, &inner.word);
        self.branch(|machine| {
            machine.level += 1;
            machine.enter(&inner, inline);
            machine.state.place.folder = inner.folder;
            machine.state.place.positional = None;
            machine.state.place.exports = Rc::default();
            machine.run_source(source);
            machine.level -= 1;
            Flow::Goes
        });
    }

    /// Leaves exported what the other shell gets, and adds what only it gets.
    fn enter(&mut self, inner: &Inner, inline: Vec<Inline>) {
        let withheld: Vec<(Rc<str>, Variable)> = self
            .state
            .exported()
            .filter(|(name, _)| !inner.environment.contains_key(&***name))
            .map(|(name, variable)| (Rc::clone(name), variable.clone()))
            .collect();
        for (name, mut variable) in withheld {
            variable.is_exported = false;
            self.state.set(&name, Some(variable));
        }
        let set = inner.set.iter().map(|(name, term)| Inline {
            name: name.clone(),
            pieces: match &term.text {
                Ok(text) => vec![Piece::text(text, Some(term.spot.clone()))],
                Err(why) => vec![Piece::unknown(why)],
            },
            spot: term.spot.clone(),
        });
        for Inline { name, pieces, spot } in inline.into_iter().chain(set) {
            if inner.environment.contains_key(&name) {
                let variable = Variable {
                    value: Value::Text(Rc::new(pieces)),
                    is_exported: true,
                    spot,
                    level: self.level,
                    function_end: self.function_end,
                };
                self.state.set(&name, Some(variable));
            }
        }
    }

    /// The text among the words: of `bash -c TEXT`, of `sbatch --wrap TEXT`.
    fn argument(&self, words: &Words, peeled: &Peeled<'_>) -> Option<(Vec<Piece>, Spot)> {
        let program = base_name(peeled.words.first()?)?;
        if program == "sbatch" {
            return wrapped(words);
        }
        let before = words.terms.len() - peeled.words.len();
        let (field, spot) = words.fields.get(before + text_position(peeled.words)?)?;
        Some((field.pieces.clone(), spot.clone()))
    }

    /// The here-document that a shell reads its commands from: `bash <<EOF`, `sbatch <<EOF`, `ssh host <<EOF`.
    fn body(&mut self, peeled: &Peeled<'_>, command: &Command) -> Option<(Vec<Piece>, Spot, bool)> {
        let name = base_name(peeled.words.first()?)?;
        let inherits = match BODY_READERS.iter().find(|(reader, _)| *reader == name) {
            Some((_, inherits)) => *inherits,
            None if is_shell_alone(peeled.words) => true,
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

/// `sbatch --wrap "…"`, `--wrap="…"`.
fn wrapped(words: &Words) -> Option<(Vec<Piece>, Spot)> {
    const FLAG: &str = "--wrap=";
    for (position, (field, spot)) in words.fields.iter().enumerate() {
        if words.known(position) == Some("--wrap") {
            let (field, spot) = words.fields.get(position + 1)?;
            return Some((field.pieces.clone(), spot.clone()));
        }
        let Some((first, rest)) = field.pieces.split_first() else {
            continue;
        };
        if matches!(&first.content, Content::Text(text) if text.starts_with(FLAG)) {
            let first = first.after(FLAG.len());
            let pieces = first.into_iter().chain(rest.iter().cloned()).collect();
            return Some((pieces, spot.clone()));
        }
    }
    None
}
