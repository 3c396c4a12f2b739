//! The commands that change the shell itself. They are not given out: they run nothing.

use std::rc::Rc;

use crate::source::Span;
use crate::source::shell::{Command, Simple};

use super::super::Folder;
use super::folder::joined;
use super::machine::{Flow, Machine, Output};
use super::piece::{Content, Field, Piece, path_of};
use super::simple::Words;
use super::state::Value;

impl Machine<'_> {
    /// Runs a builtin; `None` where it is none of them.
    pub(super) fn builtin(
        &mut self,
        name: &str,
        simple: &Simple,
        words: &Words,
        command: &Command,
    ) -> Option<Flow> {
        let span = command.span;
        match name {
            "export" | "declare" | "typeset" | "local" | "readonly" => {
                self.declare(name, simple, words, span);
            }
            "unset" => self.unset(words),
            "cd" | "pushd" => self.change_folder(words, name == "pushd"),
            "popd" => {
                let stack = Rc::make_mut(&mut self.state.place.stack);
                self.state.place.folder = stack.pop().unwrap_or(Folder::Unknown);
            }
            "source" | "." => self.load(words),
            "set" => self.set_options(words),
            "shift" => self.shift(words),
            "read" | "mapfile" | "readarray" | "getopts" => {
                for position in 1..words.terms.len() {
                    let name = words.known(position).unwrap_or_default();
                    let why = format!("`${name}` is read when it runs");
                    self.assign_named(name, Value::unknown(&why), false, span);
                }
            }
            "let" => {
                for word in &simple.words {
                    self.arithmetic(word.span);
                }
            }
            "printf" if words.known(1) == Some("-v") => {
                let name = words.known(2).unwrap_or_default();
                let why = format!("`${name}` is the output of `printf`");
                self.assign_named(name, Value::unknown(&why), false, span);
            }
            "exit" | "return" => return Some(Flow::Ends),
            "eval" => return Some(self.eval(words)),
            ":" | "true" | "false" | "break" | "continue" | "alias" => {}
            "pwd" => {
                let folder = self.state.place.folder.clone();
                self.print(match folder {
                    Folder::Unknown => Output::Unknown,
                    folder => Output::Known(vec![Piece::folder(folder, &self.own_folder)]),
                });
            }
            _ => return None,
        }
        Some(Flow::Goes)
    }

    /// Assigns if it is a name, not a flag.
    fn assign_named(&mut self, name: &str, value: Value, exports: bool, span: Span) {
        if is_name(name) {
            self.assign(name, value, exports, span);
        }
    }

    fn declare(&mut self, builtin: &str, simple: &Simple, words: &Words, span: Span) {
        let has_flag = |flag: char| {
            (1..words.terms.len())
                .filter_map(|position| words.known(position))
                .any(|word| word.starts_with('-') && word.contains(flag))
        };
        let withdraws = builtin == "export" && has_flag('n');
        let exports = (builtin == "export" && !withdraws) || (builtin != "export" && has_flag('x'));
        for assignment in &simple.declarations {
            if builtin == "local" {
                self.locals.insert(assignment.name.clone());
            }
            self.assignment(assignment, exports);
        }
        if builtin == "export" {
            for word in &simple.words {
                self.export_env_file(word);
            }
        }
        for (field, spot) in words.fields.iter().skip(1) {
            let Some((name, value)) = split_assignment(field) else {
                continue;
            };
            if builtin == "local" {
                self.locals.insert(name.clone());
            }
            match value {
                Some(pieces) => {
                    self.assign_named(&name, Value::Text(Rc::new(pieces)), exports, span);
                    if let Some(mut variable) = self.state.get(&name).cloned() {
                        variable.spot = spot.clone();
                        self.state.set(&name, Some(variable));
                    }
                }
                None => self.declare_name(&name, exports, withdraws),
            }
        }
    }

    /// `export NAME`, `export -n NAME`.
    fn declare_name(&mut self, name: &str, exports: bool, withdraws: bool) {
        let variable = self.state.get(name).cloned();
        match variable.filter(|variable| self.sees(variable)) {
            Some(mut variable) => {
                variable.is_exported = (variable.is_exported || exports) && !withdraws;
                self.state.set(name, Some(variable));
            }
            None if exports => self.export_later(name),
            None => {}
        }
        if withdraws {
            self.export_never(name);
        }
    }

    fn export_later(&mut self, name: &str) {
        let exports = &self.state.place.exports;
        if !exports.contains(name) && self.spend(exports.len() / 16) {
            Rc::make_mut(&mut self.state.place.exports).insert(name.to_owned());
        }
    }

    fn export_never(&mut self, name: &str) {
        let exports = &mut self.state.place.exports;
        if exports.contains(name) {
            Rc::make_mut(exports).remove(name);
        }
    }

    fn unset(&mut self, words: &Words) {
        let names: Vec<&str> = (1..words.terms.len())
            .filter_map(|position| words.known(position))
            .collect();
        if names.first() == Some(&"-f") {
            for name in names {
                self.functions.remove(name);
            }
            return;
        }
        for name in names {
            self.state.set(name, None);
            self.export_never(name);
        }
    }

    fn change_folder(&mut self, words: &Words, pushes: bool) {
        if pushes {
            let folder = self.state.place.folder.clone();
            let stack = Rc::make_mut(&mut self.state.place.stack);
            // So many are never pushed but in a loop.
            if stack.len() < 64 {
                stack.push(folder);
            }
        }
        let to = (1..words.terms.len())
            .find(|position| !matches!(words.known(*position), Some("--" | "-P" | "-L" | "-e")));
        let folder = &self.state.place.folder;
        let to = to
            .filter(|position| words.known(*position) != Some("-"))
            .and_then(|position| words.fields.get(position))
            .and_then(|(field, _)| path_of(&field.pieces, folder))
            .map_or(Folder::Unknown, |(path, base)| joined(&base, &path));
        self.state.place.folder = to;
    }

    fn set_options(&mut self, words: &Words) {
        let mut position = 1;
        while position < words.terms.len() {
            let word = words.known(position).unwrap_or_default();
            let sets = word.starts_with('-');
            position += 1;
            match word {
                "--" => {
                    self.set_positional(words, position);
                    return;
                }
                "-o" | "+o" => {
                    if words.known(position) == Some("allexport") {
                        self.state.place.exports_all = sets;
                    }
                    position += 1;
                }
                _ if sets || word.starts_with('+') => {
                    if word.contains('a') {
                        self.state.place.exports_all = sets;
                    }
                    // `set -eo pipefail`.
                    position += usize::from(word.ends_with('o'));
                }
                _ => {
                    self.set_positional(words, position - 1);
                    return;
                }
            }
        }
    }

    fn set_positional(&mut self, words: &Words, from: usize) {
        let fields = words.fields.iter().skip(from);
        let fields = fields.map(|(field, spot)| {
            let mut field = field.clone();
            if field.is_written {
                field.is_written = false;
                for piece in &mut field.pieces {
                    piece.via = Some(spot.clone());
                }
            }
            field
        });
        self.state.place.positional = Some(Rc::new(fields.collect()));
    }

    fn shift(&mut self, words: &Words) {
        let Some(fields) = &self.state.place.positional else {
            return;
        };
        let count = match words.terms.len() {
            1 => Some(1),
            _ => words.known(1).and_then(|count| count.parse().ok()),
        };
        let is_many = |field: &Field| {
            let mut pieces = field.pieces.iter();
            pieces.any(|piece| matches!(piece.content, Content::Unknown(_, true)))
        };
        let rest = match count {
            Some(count) if !fields.iter().take(count).any(is_many) => {
                fields.get(count..).unwrap_or_default().to_vec()
            }
            _ => vec![Field {
                pieces: vec![Piece::unknown("`$@` is given by the caller").with_many(true)],
                is_written: false,
            }],
        };
        if self.spend(rest.len()) {
            self.state.place.positional = Some(Rc::new(rest));
        }
    }
}

/// Whether a text is a variable's name.
pub(super) fn is_name(text: &str) -> bool {
    text.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
        && text.bytes().all(|c| c.is_ascii_alphanumeric() || c == b'_')
}

/// The name and the value of `"NAME=value"` as a word of `export`; of `NAME`, the name alone.
fn split_assignment(field: &Field) -> Option<(String, Option<Vec<Piece>>)> {
    let (first, rest) = field.pieces.split_first()?;
    let Content::Text(text) = &first.content else {
        return None;
    };
    let Some((name, value)) = text.split_once('=') else {
        return (rest.is_empty() && is_name(text)).then(|| (text.to_string(), None));
    };
    if !is_name(name) {
        return None;
    }
    let mut pieces = first.after(name.len() + 1).into_iter().collect::<Vec<_>>();
    if pieces.is_empty() && !value.is_empty() {
        return None;
    }
    pieces.extend(rest.iter().cloned());
    Some((name.to_owned(), Some(pieces)))
}
