//! The launch commands among the commands of a shell text, what they install, and the files that they write.

mod dotenv;
mod installs;
mod options;
mod program;
mod recognised;
mod shell_text;
mod split;
mod touched;
pub(super) mod words;
mod wrappers;
mod written;

#[cfg(test)]
pub(super) mod tests;

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::source::SourceFile;

use super::fragments::{Body, Fragment, MappedText};
use super::shell::{self, Executed};
use super::{LaunchCommand, LaunchFile, Loaded, Spot, Term, Touched};

use words::spot_of;
use wrappers::Peeled;

/// How deep a shell text may stand in another one.
const DEPTH: usize = 8;

/// How many bytes the written files of one file may take in all: each is as long as the file.
const WRITTEN_BYTES: usize = 32 << 20;

/// Adds what one fragment says.
pub(super) fn collect(fragment: &Fragment, loaded: &dyn Loaded, found: &mut LaunchFile) {
    let commands = match &fragment.body {
        Body::Shell(text) => {
            let start = shell::Start {
                file: &fragment.file,
                environment: &fragment.environment,
                folder: &fragment.folder,
            };
            shell::run(text, &start, loaded)
        }
        Body::Words(words) => executed_as_it_is(words, fragment).into_iter().collect(),
    };
    let mut collector = Collector {
        file: &fragment.file,
        is_prose: fragment.is_prose,
        loaded,
        found,
        in_shell: matches!(fragment.body, Body::Shell(_)),
        is_handed_on: false,
        outer: Vec::new(),
    };
    for command in commands {
        collector.take(command, 0);
    }
}

/// Words that no shell reads.
fn executed_as_it_is(words: &[Term], fragment: &Fragment) -> Option<Executed> {
    let mut spot = words.first()?.spot.clone();
    for word in words
        .iter()
        .filter(|word| word.spot.file.path == spot.file.path)
    {
        spot.span = spot.span.to(word.spot.span);
    }
    Some(Executed {
        words: words.to_vec(),
        environment: fragment.environment.iter().cloned().collect(),
        folder: fragment.folder.clone(),
        spot,
        redirections: Vec::new(),
    })
}

struct Collector<'a> {
    file: &'a Arc<SourceFile>,
    is_prose: bool,
    loaded: &'a dyn Loaded,
    found: &'a mut LaunchFile,
    /// Whether a shell gives the commands, which also runs those of `bash -c TEXT`.
    in_shell: bool,
    /// Whether another program hands the commands on, behind `--`.
    is_handed_on: bool,
    /// The commands so far that start another shell.
    outer: Vec<Outer>,
}

/// A command that starts another shell.
struct Outer {
    spot: Spot,
    /// What its wrappers set.
    set: Vec<(String, Term)>,
}

impl Collector<'_> {
    /// Adds what a simple command says.
    fn take(&mut self, command: Executed, depth: usize) {
        let Executed {
            words,
            mut environment,
            folder,
            spot,
            redirections,
        } = command;
        self.add_outer(&mut environment, &spot);
        let peeled = wrappers::peel(&words, environment, folder, self.loaded);
        let text = shell_text::of_shell(peeled.words);
        if text.is_some() && self.in_shell {
            // The shell has run it.
            if !peeled.set.is_empty() {
                let set = peeled.set;
                self.outer.push(Outer { spot, set });
            }
            return;
        }
        if let Some(text) = text.or_else(|| shell_text::of_tmux(peeled.words)) {
            let text = text.clone();
            return self.take_text(&text, peeled, depth);
        }
        if (self.found.written.len() + 1) * self.file.text().len() <= WRITTEN_BYTES {
            let written = written::of(peeled.words, &redirections, &peeled.folder, self.file);
            self.found.written.extend(written);
        }
        self.found.touched.extend(
            touched::of(peeled.words, &redirections).map(|path| Touched {
                path,
                at: spot.span.start,
            }),
        );
        self.found
            .installs
            .extend(installs::of(peeled.words, self.is_prose));
        let recognised = recognised::of(&peeled);
        if depth < DEPTH
            && let Some(commands) = recognised::handed_on(recognised.as_ref(), peeled.words)
        {
            for words in commands {
                let command = Executed {
                    words: words.to_vec(),
                    environment: peeled.environment.clone(),
                    folder: peeled.folder.clone(),
                    spot: spot.clone(),
                    redirections: Vec::new(),
                };
                let before = std::mem::replace(&mut self.is_handed_on, true);
                self.take(command, depth + 1);
                self.is_handed_on = before;
            }
            return;
        }
        let Some(recognised) = recognised else {
            return;
        };
        self.found.commands.push(LaunchCommand {
            program: recognised.program,
            program_spot: spot_of(recognised.named_by, &spot),
            spot,
            ordinal: 0, // Given when the whole file has been read.
            flags: recognised.split.flags,
            script: recognised.split.script,
            arguments: recognised.split.arguments,
            environment: peeled.environment,
            folder: peeled.folder,
            is_prose: self.is_prose,
            is_handed_on: self.is_handed_on,
        });
    }

    /// Adds what a text says that the command hands to a shell.
    fn take_text(&mut self, text: &Term, peeled: Peeled<'_>, depth: usize) {
        let Some(known) = text.known().filter(|_| depth < DEPTH) else {
            return;
        };
        let environment: Vec<(String, Term)> = peeled.environment.into_iter().collect();
        let start = shell::Start {
            file: &text.spot.file,
            environment: &environment,
            folder: &peeled.folder,
        };
        // Where the text stands in the file as it is, its words have places of their own.
        let place = words::written(text).find(known);
        let mapped = MappedText::verbatim(known, text.spot.span.start + place.unwrap_or_default());
        let outside = std::mem::replace(&mut self.in_shell, true);
        for mut command in shell::run(&mapped, &start, self.loaded) {
            if place.is_none() {
                command.spot = text.spot.clone();
                command.redirections.clear();
                for word in &mut command.words {
                    word.spot = text.spot.clone();
                }
            }
            self.take(command, depth + 1);
        }
        self.in_shell = outside;
    }

    /// What is set around the shell in which a command runs: `env NAME=value bash -c "…"`. What the command's own text
    /// sets stays.
    fn add_outer(&mut self, environment: &mut BTreeMap<String, Term>, spot: &Spot) {
        // Commands come in the order of the text: those that have ended hold none of the later ones.
        while self
            .outer
            .last()
            .is_some_and(|outer| outer.spot.span.end <= spot.span.start)
        {
            self.outer.pop();
        }
        for outer in self.outer.iter().filter(|outer| holds(&outer.spot, spot)) {
            for (name, value) in &outer.set {
                let own = environment.get(name);
                if !own.is_some_and(|own| holds(&outer.spot, &own.spot)) {
                    environment.insert(name.clone(), value.clone());
                }
            }
        }
    }
}

fn holds(outer: &Spot, inner: &Spot) -> bool {
    Arc::ptr_eq(&outer.file, &inner.file)
        && outer.span.start <= inner.span.start
        && inner.span.end <= outer.span.end
}
