//! Taking away the programs that only run another program: `srun`, `env`, `uv run`, `docker run`.

mod dotenv;
mod effects;
mod reader;
pub(super) mod shells;
mod table;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;

use super::{Folder, Loaded, Term};

use effects::apply;
use reader::{Reader, has, wrapper_of};

/// How deep wrappers are followed.
const DEPTH: usize = 16;

/// A command without its wrappers.
#[derive(Clone, Debug)]
pub(super) struct Peeled<'a> {
    /// Its words.
    pub(super) words: &'a [Term],
    /// The words of the last wrapper, where that runs a Python file or module that is named without `python`.
    pub(super) python: Option<PythonRunner<'a>>,
    /// What the wrappers set, the later ones last.
    pub(super) set: Vec<(String, Term)>,
    /// The environment that it gets, that included.
    pub(super) environment: BTreeMap<String, Term>,
    /// Where it runs.
    pub(super) folder: Folder,
}

/// A wrapper that runs Python files itself: `uv run train.py`.
#[derive(Clone, Debug)]
pub(super) struct PythonRunner<'a> {
    /// The words of its name.
    pub(super) words: &'a [Term],
    /// Whether its options say that a module follows.
    pub(super) is_module: bool,
}

/// The command inside the wrappers. Where a wrapper's words do not tell where the command begins, the wrapper stays.
pub(super) fn peel<'a>(
    words: &'a [Term],
    environment: BTreeMap<String, Term>,
    folder: Folder,
    loaded: &dyn Loaded,
) -> Peeled<'a> {
    let mut peeled = Peeled {
        words,
        python: None,
        set: Vec::new(),
        environment,
        folder,
    };
    for _ in 0..DEPTH {
        let Some((wrapper, name_length, subcommand)) = wrapper_of(peeled.words) else {
            break;
        };
        let mut reader = Reader {
            wrapper,
            words: peeled.words,
            subcommand,
            options: Vec::new(),
            assignments: Vec::new(),
        };
        let Some(start) = reader.command_start() else {
            break;
        };
        let (options, assignments) = (reader.options, reader.assignments);
        let is_module = options
            .iter()
            .any(|option| has(wrapper.modules, &option.name));
        peeled.python = wrapper.runs_python.then_some(PythonRunner {
            words: peeled.words.get(..name_length).unwrap_or_default(),
            is_module,
        });
        peeled.words = peeled.words.get(start..).unwrap_or_default();
        apply(wrapper, &options, assignments, &mut peeled, loaded);
    }
    peeled
}

/// Whether a wrapper begins here whose command may be any.
pub(super) fn begins(words: &[Term]) -> bool {
    wrapper_of(words).is_some_and(|(wrapper, ..)| !wrapper.only_shells)
}

/// Whether a wrapper begins here.
pub(super) fn is_one(words: &[Term]) -> bool {
    wrapper_of(words).is_some()
}
