//! Where a wrapper's words end and the command begins.

use super::super::Term;
use super::super::command::program;
use super::super::words::{self, is_flag, is_open, part};
use super::shells;
use super::table::{WRAPPERS, Wrapper};

/// The wrapper, how many words there are to the end of its name, and where its subcommand stands.
pub(super) fn wrapper_of(words: &[Term]) -> Option<(&'static Wrapper, usize, usize)> {
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

pub(super) fn has(list: &str, option: &str) -> bool {
    list.split_ascii_whitespace().any(|known| known == option)
}

/// An option of a wrapper.
pub(super) struct Given {
    pub(super) name: String,
    pub(super) value: Option<Term>,
}

/// A wrapper's words up to the command.
pub(super) struct Reader<'a> {
    pub(super) wrapper: &'static Wrapper,
    pub(super) words: &'a [Term],
    /// Where the last word of the wrapper's name stands.
    pub(super) subcommand: usize,
    pub(super) options: Vec<Given>,
    pub(super) assignments: Vec<(String, Term)>,
}

impl Reader<'_> {
    /// Where the command begins.
    pub(super) fn command_start(&mut self) -> Option<usize> {
        let mut at = 1;
        let mut operands = self.wrapper.operands;
        if self.wrapper.only_shells {
            return self.shell();
        }
        if self.wrapper.only_after_dashes {
            let dashes = self
                .words
                .iter()
                .position(|word| word.known() == Some("--"));
            return dashes.map(|dashes| dashes + 1).or_else(|| self.shell());
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
            program::begins(rest) || super::begins(rest) || shells::text_of(rest).is_some()
        })
    }

    /// The next shell that is given a text.
    fn shell(&self) -> Option<usize> {
        (1..self.words.len()).find(|at| {
            let rest = self.words.get(*at..).unwrap_or_default();
            shells::text_of(rest).is_some()
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
