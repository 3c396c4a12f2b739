//! The launch command that a command without its wrappers is.

use super::super::fragments::{Container, may_hold_launch};
use super::super::words::is_python_file;
use super::super::wrappers::{self, Peeled, PythonRunner, shells};
use super::super::{Program, Script, Term};
use super::program::{self, Start};
use super::split::{self, Split};

/// A command that starts training, and its parts.
pub(super) struct Recognised<'a> {
    /// The program.
    pub(super) program: Program,
    /// The words that name it.
    pub(super) named_by: &'a [Term],
    /// The words after those.
    pub(super) split: Split,
}

/// What a command starts.
pub(super) fn of<'a>(peeled: &Peeled<'a>) -> Option<Recognised<'a>> {
    let words = peeled.words;
    let Some(runner) = &peeled.python else {
        return started(program::start_of(words)?, words);
    };
    let start = if runner.is_module {
        program::of_module(words)
    } else {
        program::start_of(words)
    };
    match start {
        Some(start) => started(start, words),
        None => run_by(runner, words),
    }
}

fn started(start: Start, words: &[Term]) -> Option<Recognised<'_>> {
    let (named_by, rest) = words.split_at_checked(start.length)?;
    let split = match start.options {
        Some(options) => split::split(rest, options),
        None => Split {
            arguments: rest.to_vec(),
            ..Split::default()
        },
    };
    let counts = start.program != Program::Python || trains(&split);
    counts.then_some(Recognised {
        program: start.program,
        named_by,
        split,
    })
}

/// `uv run train.py`, `uv run -m package.train`.
fn run_by<'a>(runner: &PythonRunner<'a>, words: &'a [Term]) -> Option<Recognised<'a>> {
    let (name, arguments) = words.split_first()?;
    let split = Split {
        flags: Vec::new(),
        script: Some(Script {
            name: name.clone(),
            is_module: runner.is_module,
        }),
        arguments: arguments.to_vec(),
    };
    let counts = (runner.is_module || is_python_file(name)) && trains(&split);
    counts.then_some(Recognised {
        program: Program::Python,
        named_by: runner.words,
        split,
    })
}

fn trains(split: &Split) -> bool {
    split.script.as_ref().is_some_and(program::may_train)
}

/// The commands that a command hands on, if a launcher is among them: `python submit.py --gpus 8 -- accelerate launch
/// train.py`, several with `&&` between them, which is quoted then. A launcher hands on nothing, since what follows its
/// `--` is its own.
pub(super) fn handed_on<'a>(
    recognised: Option<&Recognised<'_>>,
    words: &'a [Term],
) -> Option<Vec<&'a [Term]>> {
    if recognised.is_some_and(|recognised| recognised.program != Program::Python) {
        return None;
    }
    let dashes = words.iter().position(|word| word.known() == Some("--"))?;
    let rest = words.get(dashes + 1..)?;
    let commands: Vec<&[Term]> = rest
        .split(|word| matches!(word.known(), Some("&&" | ";")))
        .filter(|command| !command.is_empty())
        .collect();
    let launches = |command: &&[Term]| match program::start_of(command) {
        Some(start) => start.program != Program::Python,
        None if recognised.is_none() => {
            wrappers::is_one(command) || shells::text_of(command).is_some()
        }
        None => {
            let text = shells::text_of(command).and_then(Term::known);
            text.is_some_and(|text| may_hold_launch(Container::Markdown, text))
        }
    };
    commands.iter().any(launches).then_some(commands)
}
