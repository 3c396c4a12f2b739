//! Files that a script loads: `source env.sh`, `export $(cat .env | xargs)`.

use std::rc::Rc;
use std::sync::Arc;

use crate::source::shell::{Command, CommandKind, List, Part, PartKind, RedirectionKind, Word};
use crate::source::{SourceFile, Span};

use super::super::Spot;
use super::super::fragments::MappedText;
use super::builtins::is_name;
use super::machine::{Flow, Machine};
use super::origin::Source;
use super::piece::{Piece, path_of};
use super::simple::Words;
use super::state::{Value, Variable};

/// How many files may be loaded one out of the other.
const MAX_LOADS: usize = 8;

/// The programs that print a file, whole or without some lines.
const PRINTERS: [&str; 7] = ["cat", "grep", "egrep", "sed", "awk", "xargs", "envsubst"];

impl Machine<'_> {
    /// `source FILE`: what it assigns takes effect; its commands are its own file's matter.
    pub(super) fn load(&mut self, words: &Words) {
        if self.loads >= MAX_LOADS || !self.spend(1) {
            return;
        }
        let Some(file) = words
            .fields
            .get(1)
            .and_then(|(field, _)| self.file(&field.pieces))
        else {
            return;
        };
        if !self.spend(file.text().len() / 64) {
            return;
        }
        self.loads += 1;
        let text = MappedText::verbatim(file.text(), 0);
        let mut source = Source::mapped(&file, &text);
        source.is_own = false;
        self.run_source(source);
        self.loads -= 1;
    }

    fn file(&self, path: &[Piece]) -> Option<Arc<SourceFile>> {
        let (path, folder) = path_of(path, &self.state.place.folder)?;
        self.loaded.load(&path, &folder)
    }

    /// `export $(cat .env | xargs)`: each line `NAME=value` of the file is exported.
    pub(super) fn export_env_file(&mut self, word: &Word) {
        let list = match word.parts.as_slice() {
            [
                Part {
                    kind: PartKind::Command(list),
                    ..
                },
            ] => list,
            _ => return,
        };
        if !self.spend(1) {
            return;
        }
        let Some(path) = printed_file(list) else {
            return;
        };
        let mut pieces = Vec::new();
        self.branch(|machine| {
            pieces = machine.value(path);
            Flow::Goes
        });
        let Some(file) = self.file(&pieces) else {
            return;
        };
        if !self.spend(file.line_count()) {
            return;
        }
        for line in 1..=file.line_count() {
            self.export_line(&file, file.line_span(line));
        }
    }

    fn export_line(&mut self, file: &Arc<SourceFile>, span: Span) {
        let line = file.slice(span);
        let Some((name, value)) = line.split_once('=') else {
            return;
        };
        let name = name.trim();
        let name = name.strip_prefix("export ").map_or(name, str::trim);
        if !is_name(name) {
            return;
        }
        let value = value.trim();
        let unquoted = ['"', '\'']
            .iter()
            .find_map(|quote| value.strip_prefix(*quote)?.strip_suffix(*quote))
            .unwrap_or(value);
        let spot = |start: usize, length: usize| Spot {
            file: Arc::clone(file),
            span: Span::new(start, start + length),
        };
        // Both are parts of the line.
        let start = span.start + (unquoted.as_ptr() as usize - line.as_ptr() as usize);
        let piece = Piece::text(unquoted, Some(spot(start, unquoted.len())));
        let variable = Variable {
            value: Value::Text(Rc::new(vec![piece])),
            is_exported: true,
            spot: spot(span.start, line.len()),
            level: self.level,
            function_end: self.function_end,
        };
        self.state.set(name, Some(variable));
    }
}

/// The file that a pipeline of `cat`, `grep -v`, `sed`, `xargs` prints.
fn printed_file(list: &List) -> Option<&Word> {
    let [statement] = list.statements.as_slice() else {
        return None;
    };
    let commands = &statement.first.commands;
    let is_printer = |command: &Command| match &command.kind {
        CommandKind::Simple(simple) => simple
            .words
            .first()
            .is_none_or(|word| word.plain().is_some_and(|name| PRINTERS.contains(&name))),
        _ => false,
    };
    if !statement.rest.is_empty() || !commands.iter().all(is_printer) {
        return None;
    }
    let first = commands.first()?;
    let input = first
        .redirections
        .iter()
        .find(|redirection| redirection.kind == RedirectionKind::Input);
    match (&first.kind, input) {
        (_, Some(input)) => Some(&input.target),
        (CommandKind::Simple(simple), None) if simple.words.len() > 1 => simple.words.last(),
        _ => None,
    }
}
