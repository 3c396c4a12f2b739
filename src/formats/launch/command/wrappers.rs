//! Taking away the programs that only run another program: `srun`, `env`, `uv run`, `docker run`.

mod table;

use std::collections::BTreeMap;

use super::super::{Folder, Loaded, Term};
use super::words::{self, is_flag, is_open, part};
use super::{dotenv, folder, program};

use table::{Inherits, WRAPPERS, Wrapper};

/// How deep wrappers are followed.
const DEPTH: usize = 16;

/// A command without its wrappers.
#[derive(Clone, Debug)]
pub(super) struct Peeled<'a> {
    /// Its words.
    pub(super) words: &'a [Term],
    /// The words of the last wrapper, where that runs a Python file or module that is named without `python`.
    pub(super) python: Option<PythonRunner<'a>>,
    /// The environment that it gets.
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

/// Whether a wrapper begins here.
pub(super) fn begins(words: &[Term]) -> bool {
    wrapper_of(words).is_some()
}

/// The wrapper, how many words there are to the end of its name, and where its subcommand stands.
fn wrapper_of(words: &[Term]) -> Option<(&'static Wrapper, usize, usize)> {
    let first = words::base_name(words.first()?)?;
    WRAPPERS.iter().find_map(|wrapper| {
        let mut names = wrapper.name.split(' ');
        if names.next() != Some(first) {
            return None;
        }
        let mut at = 1;
        for name in names {
            // Options of the program may stand before its subcommand.
            while words.get(at).is_some_and(|word| word.known() != Some(name)) {
                at += option_length(wrapper, words.get(at)?)?;
            }
            at += 1;
        }
        (at <= words.len()).then_some((wrapper, at, at - 1))
    })
}

/// How many words an option of a wrapper takes; `None` where this is none, or none that is known.
fn option_length(wrapper: &Wrapper, word: &Term) -> Option<usize> {
    if !words::beginning(word).starts_with('-') {
        return None;
    }
    let text = words::beginning(word);
    if has(wrapper.valued, &text) {
        return Some(2);
    }
    if has(wrapper.paired, &text) {
        return Some(3);
    }
    let is_number = text.len() > 1 && text.bytes().skip(1).all(|byte| byte.is_ascii_digit());
    if has(wrapper.plain, &text) || text.contains('=') || is_number {
        return Some(1);
    }
    if text.starts_with("--") {
        return None;
    }
    // Short options in one word: `-it`, `-n4`, `-itw FOLDER`.
    let mut letters = text.char_indices().skip(1).peekable();
    while let Some((at, letter)) = letters.next() {
        let option = format!("-{letter}");
        if has(wrapper.valued, &option) {
            return Some(if letters.peek().is_none() { 2 } else { 1 });
        }
        // `-K1`: an optional value.
        let is_optional_value = at > 1 && letter.is_ascii_digit();
        if !has(wrapper.plain, &option) && !is_optional_value {
            return None;
        }
    }
    Some(1)
}

fn has(list: &str, option: &str) -> bool {
    list.split_ascii_whitespace().any(|known| known == option)
}

/// An option of a wrapper.
struct Given {
    name: String,
    value: Option<Term>,
}

struct Reader<'a> {
    wrapper: &'static Wrapper,
    words: &'a [Term],
    /// Where the last word of the wrapper's name stands.
    subcommand: usize,
    options: Vec<Given>,
    assignments: Vec<(String, Term)>,
}

impl Reader<'_> {
    /// Where the command begins.
    fn command_start(&mut self) -> Option<usize> {
        let mut at = 1;
        let mut operands = self.wrapper.operands;
        if self.wrapper.only_after_dashes {
            let dashes = self
                .words
                .iter()
                .position(|word| word.known() == Some("--"));
            return dashes.map(|dashes| dashes + 1);
        }
        while let Some(word) = self.words.get(at) {
            if at <= self.subcommand && !is_option(word) {
                at += 1;
                continue;
            }
            if word.known() == Some("--") {
                at += 1;
                return Some(at + operands);
            }
            if is_option(word) {
                match option_length(self.wrapper, word) {
                    Some(length) => {
                        self.note(at, length);
                        at += length;
                    }
                    // Whether the next word is its value is not known.
                    None => return self.search(at + 1),
                }
                continue;
            }
            if self.wrapper.takes_assignments
                && let Some(assignment) = words::assignment(word)
            {
                self.assignments.push(assignment);
                at += 1;
                continue;
            }
            if is_open(word) {
                return self.search(at + 1);
            }
            if operands == 0 {
                return Some(at);
            }
            operands -= 1;
            at += 1;
        }
        None
    }

    /// The next word that can only be the beginning of a command.
    fn search(&self, from: usize) -> Option<usize> {
        (from..self.words.len()).find(|at| {
            let rest = self.words.get(*at..).unwrap_or_default();
            program::begins(rest) || begins(rest)
        })
    }

    fn note(&mut self, at: usize, length: usize) {
        let Some(word) = self.words.get(at) else {
            return;
        };
        let text = words::beginning(word);
        let (name, value) = match (length, text.find('=')) {
            (1, Some(equals)) => {
                let name = text.get(..equals).unwrap_or_default().to_owned();
                (name, Some(part(word, equals + 1)))
            }
            (1, None) => match joined(self.wrapper, &text) {
                Some(length) => {
                    let name = text.get(..length).unwrap_or_default().to_owned();
                    (name, Some(part(word, length)))
                }
                None => (text.into_owned(), None),
            },
            (2, _) => (text.into_owned(), self.words.get(at + 1).cloned()),
            _ => (text.into_owned(), None),
        };
        self.options.push(Given { name, value });
    }
}

/// `-n4`: how long the option is in front of its value.
fn joined(wrapper: &Wrapper, text: &str) -> Option<usize> {
    let option = text.char_indices().nth(2).map(|(end, _)| end)?;
    (!text.starts_with("--") && has(wrapper.valued, text.get(..option)?)).then_some(option)
}

/// Also a lone `-`, which `env` takes as an option, but nothing else does.
fn is_option(word: &Term) -> bool {
    is_flag(word) || words::beginning(word).starts_with('-')
}

/// What the wrapper does to the environment and the folder.
fn apply(
    wrapper: &Wrapper,
    options: &[Given],
    assignments: Vec<(String, Term)>,
    peeled: &mut Peeled<'_>,
    loaded: &dyn Loaded,
) {
    let given = |list: &str| options.iter().any(|option| has(list, &option.name));
    let start = peeled.folder.clone();
    let outside = peeled.environment.clone();
    let inherits = match wrapper.inherits {
        Inherits::All => true,
        Inherits::Nothing => false,
        Inherits::Unless(list) => !given(list),
        Inherits::Only(list) => given(list),
        Inherits::SlurmExport => slurm_export(options, &mut peeled.environment),
    };
    if !inherits {
        peeled.environment.clear();
    }
    if wrapper.is_elsewhere {
        peeled.folder = Folder::Unknown;
    }
    for option in options {
        let Some(value) = &option.value else {
            continue;
        };
        if has(wrapper.loads, &option.name)
            && let Some(path) = value.known()
            && let Some(file) = loaded.load(path, &start)
        {
            peeled.environment.extend(dotenv::read(&file));
        }
        if has(wrapper.unsets, &option.name)
            && let Some(name) = value.known()
        {
            peeled.environment.remove(name);
        }
        if has(wrapper.sets, &option.name) {
            for (name, value) in set_by(value, &outside) {
                peeled.environment.insert(name, value);
            }
        }
        if has(wrapper.enters, &option.name) {
            peeled.folder = folder::enter(&peeled.folder, value);
        }
    }
    if wrapper.inherits == Inherits::SlurmExport
        && let Some(list) = last(options, "--export")
    {
        let set = items(list).filter_map(|item| words::assignment(&item));
        peeled.environment.extend(set);
    }
    peeled.environment.extend(assignments);
}

/// `-e NAME=value`, `-e NAME` (as it is outside), `--env A=1,B=2`.
fn set_by(value: &Term, outside: &BTreeMap<String, Term>) -> Vec<(String, Term)> {
    if let Some(name) = value.known()
        && words::is_variable_name(name)
    {
        let kept = outside.get_key_value(name);
        return kept
            .map(|(name, value)| (name.clone(), value.clone()))
            .into_iter()
            .collect();
    }
    // A comma parts two variables only where another assignment follows it.
    let all: Option<Vec<_>> = items(value).map(|item| words::assignment(&item)).collect();
    all.or_else(|| words::assignment(value).map(|one| vec![one]))
        .unwrap_or_default()
}

/// The parts of a list with commas; the whole where it is not known.
fn items(list: &Term) -> impl Iterator<Item = Term> {
    let text = list.known().unwrap_or_default();
    let starts = std::iter::once(0).chain(text.match_indices(',').map(|(at, _)| at + 1));
    let ends = text
        .match_indices(',')
        .map(|(at, _)| at)
        .chain([text.len()]);
    starts.zip(ends).map(move |(start, end)| {
        let mut item = part(list, start);
        if let Ok(text) = &mut item.text {
            text.truncate(end.saturating_sub(start));
            // Where the word stands as it is, so does its part.
            let whole = list.spot.span;
            if item.spot.span != whole
                || start == 0 && words::written(list) == list.known().unwrap_or_default()
            {
                item.spot.span.end = item.spot.span.start + (end - start);
            }
        }
        item
    })
}

fn last<'a>(options: &'a [Given], name: &str) -> Option<&'a Term> {
    let given = options.iter().rev().find(|option| option.name == name);
    given.and_then(|option| option.value.as_ref())
}

/// Whether Slurm passes the variables on that are exported; those that `--export` names without a value stay.
fn slurm_export(options: &[Given], environment: &mut BTreeMap<String, Term>) -> bool {
    let Some(list) = last(options, "--export") else {
        return true;
    };
    let Some(text) = list.known() else {
        return true;
    };
    let names: Vec<&str> = text.split(',').collect();
    if !names.contains(&"ALL") {
        environment.retain(|name, _| names.contains(&name.as_str()));
    }
    true
}
