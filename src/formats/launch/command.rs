//! The launch commands among the commands of a shell text, what they install, and the files that they write.

mod installs;
mod options;
pub(super) mod program;
mod recognised;
mod split;
mod tmux;
mod touched;
mod written;

#[cfg(test)]
pub(super) mod tests;

use std::sync::Arc;

use crate::source::SourceFile;

use super::fragments::{Body, Fragment, MappedText};
use super::shell::{self, Executed};
use super::words::{self, spot_of};
use super::wrappers::{self, Peeled, shells};
use super::{LaunchCommand, LaunchFile, Loaded, Term, Touched};

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
        is_handed_on: false,
        inner_bytes: 0,
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
        has_run_text: false,
    })
}

/// How long the texts in other ones may be in all: one that is given itself again and again ends here.
const INNER_BYTES: usize = 1 << 20;

struct Collector<'a> {
    file: &'a Arc<SourceFile>,
    is_prose: bool,
    loaded: &'a dyn Loaded,
    found: &'a mut LaunchFile,
    /// Whether another program hands the commands on, behind `--`.
    is_handed_on: bool,
    /// How long the texts in other ones were so far.
    inner_bytes: usize,
}

impl Collector<'_> {
    /// Adds what a simple command says.
    fn take(&mut self, command: Executed, depth: usize) {
        let Executed {
            words,
            environment,
            folder,
            spot,
            redirections,
            has_run_text,
        } = command;
        let peeled = wrappers::peel(&words, environment, folder, self.loaded);
        let text = shells::text_of(peeled.words);
        if text.is_some() && has_run_text {
            return;
        }
        if let Some(text) = text.or_else(|| tmux::text_of(peeled.words)) {
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
                    has_run_text: false,
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
        self.inner_bytes += known.len() + 64 * (peeled.environment.len() + 1);
        if self.inner_bytes > INNER_BYTES {
            return;
        }
        let environment: Vec<(String, Term)> = peeled.environment.into_iter().collect();
        let start = shell::Start {
            file: &text.spot.file,
            environment: &environment,
            folder: &peeled.folder,
        };
        // Where the text stands in the file as it is, its words have places of their own.
        let place = words::written(text).find(known);
        let mapped = MappedText::verbatim(known, text.spot.span.start + place.unwrap_or_default());
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
    }
}
