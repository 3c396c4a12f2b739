//! The launch commands among the commands of a shell text, what they install, and the files that they write.

mod dotenv;
mod folder;
mod installs;
mod options;
mod program;
mod shell_text;
mod split;
pub(super) mod words;
mod wrappers;
mod written;

#[cfg(test)]
pub(super) mod tests;

use std::sync::Arc;

use crate::source::SourceFile;

use super::fragments::{Body, Fragment, MappedText};
use super::shell::{self, Executed};
use super::{LaunchCommand, LaunchFile, Loaded, Program, Script, Spot, Term};

use split::Split;
use words::spot_of;
use wrappers::Peeled;

/// How deep a shell text may stand in another one.
const DEPTH: usize = 8;

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
        } = command;
        let peeled = wrappers::peel(&words, environment, folder, self.loaded);
        if let Some(text) = shell_text::of(peeled.words) {
            if depth < DEPTH {
                for inner in self.inner(&text, peeled) {
                    self.take(inner, depth + 1);
                }
            }
            return;
        }
        let written = written::of(peeled.words, &redirections, &peeled.folder, self.file);
        self.found.written.extend(written);
        self.found
            .installs
            .extend(installs::of(peeled.words, self.is_prose));
        self.found
            .commands
            .extend(launch_of(peeled, spot, self.is_prose));
    }

    /// The commands of `bash -c TEXT`.
    fn inner(&self, text: &Term, peeled: Peeled<'_>) -> Vec<Executed> {
        let Some(known) = text.known() else {
            return Vec::new();
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
        let mut commands = shell::run(&mapped, &start, self.loaded);
        if place.is_none() {
            for command in &mut commands {
                command.spot = text.spot.clone();
                command.redirections.clear();
                for word in &mut command.words {
                    word.spot = text.spot.clone();
                }
            }
        }
        commands
    }
}

/// The launch command that this is.
fn launch_of(peeled: Peeled<'_>, spot: Spot, is_prose: bool) -> Option<LaunchCommand> {
    let (program, named_by, split) = recognise(&peeled)?;
    Some(LaunchCommand {
        program,
        program_spot: spot_of(named_by, &spot),
        spot,
        ordinal: 0, // Given when the whole file has been read.
        flags: split.flags,
        script: split.script,
        arguments: split.arguments,
        environment: peeled.environment,
        folder: peeled.folder,
        is_prose,
    })
}

/// The program, the words that name it, and the words after it.
fn recognise<'a>(peeled: &Peeled<'a>) -> Option<(Program, &'a [Term], Split)> {
    let words = peeled.words;
    let runs_module = peeled
        .python
        .as_ref()
        .is_some_and(|python| python.is_module);
    let launcher = runs_module.then(|| program::of_module(words)).flatten();
    if let Some(python) = &peeled.python
        && launcher.is_none()
        && let Some(script) = words.first()
        && (python.is_module || words::is_python_file(script))
    {
        let script = Script {
            name: script.clone(),
            is_module: python.is_module,
        };
        let split = Split {
            flags: Vec::new(),
            arguments: words.get(1..).unwrap_or_default().to_vec(),
            script: Some(script),
        };
        return trains(&split).then_some((Program::Python, python.words, split));
    }
    let start = launcher.or_else(|| program::start_of(words))?;
    let (named_by, rest) = words.split_at_checked(start.length)?;
    let split = match start.options {
        Some(options) => split::split(rest, options),
        None => Split {
            arguments: rest.to_vec(),
            ..Split::default()
        },
    };
    let counts = start.program != Program::Python || trains(&split);
    counts.then_some((start.program, named_by, split))
}

fn trains(split: &Split) -> bool {
    split.script.as_ref().is_some_and(program::may_train)
}
