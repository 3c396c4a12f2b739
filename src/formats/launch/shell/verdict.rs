//! Whether a command succeeds, where that can be told.

use crate::source::shell::{CommandKind, List, PartKind, Pipeline, Word};

use super::machine::Machine;
use super::piece::text_of;

/// The commands that do not fail in a run that goes well, so that what stands after `&&` is reached and what stands
/// after `||` is not.
const SUCCEEDING: [&str; 22] = [
    ":", ".", "cd", "conda", "declare", "echo", "export", "local", "mkdir", "module", "popd",
    "printf", "pushd", "pwd", "readonly", "set", "shopt", "source", "true", "typeset", "ulimit",
    "unset",
];

impl Machine<'_> {
    /// Whether a pipeline succeeds.
    pub(super) fn succeeds(&mut self, pipeline: &Pipeline) -> Option<bool> {
        let [command] = pipeline.commands.as_slice() else {
            return None;
        };
        let verdict = match &command.kind {
            CommandKind::Simple(simple) => match simple.words.split_first() {
                None => Some(true),
                Some((name, words)) => match name.plain()? {
                    "[" => self.test(words.split_last()?.1),
                    "test" => self.test(words),
                    name => SUCCEEDING.contains(&name).then_some(true),
                },
            },
            CommandKind::Test(words) => self.test(words),
            _ => None,
        };
        verdict.map(|verdict| verdict != pipeline.is_negated)
    }

    /// Whether the one command of a condition succeeds.
    pub(super) fn verdict_of_list(&mut self, condition: &List) -> Option<bool> {
        match condition.statements.as_slice() {
            [statement] if statement.rest.is_empty() => self.succeeds(&statement.first),
            _ => None,
        }
    }

    /// `-z`, `-n` and the comparison of texts. A variable that nothing in the file sets counts as empty, as it does for
    /// `${NAME:-default}`.
    fn test(&mut self, words: &[Word]) -> Option<bool> {
        match words {
            [flag, word] if flag.plain() == Some("-z") => self.is_empty_word(word),
            [flag, word] if flag.plain() == Some("-n") => Some(!self.is_empty_word(word)?),
            [left, sign, right] => {
                let is_equal = match sign.plain()? {
                    "=" | "==" => true,
                    "!=" => false,
                    _ => return None,
                };
                let (left, right) = (self.known_text(left)?, self.known_text(right)?);
                let is_pattern = right.contains(['*', '?', '[']);
                (!is_pattern).then_some((left == right) == is_equal)
            }
            _ => None,
        }
    }

    fn known_text(&mut self, word: &Word) -> Option<String> {
        let has_commands = word
            .parts
            .iter()
            .any(|part| !matches!(part.kind, PartKind::Text(_) | PartKind::Parameter(_)));
        if has_commands {
            // They have been run once.
            return None;
        }
        let pieces = self.value(word);
        text_of(&pieces, &self.state.place.folder).ok()
    }

    fn is_empty_word(&mut self, word: &Word) -> Option<bool> {
        if let [part] = word.parts.as_slice()
            && let PartKind::Parameter(parameter) = &part.kind
            && parameter.operator.is_none()
            && parameter.subscript.is_none()
            && !parameter.is_length
            && !parameter.is_indirect
            && self.is_unset(parameter)
        {
            return Some(true);
        }
        self.known_text(word).map(|text| text.is_empty())
    }
}

/// Whether a pipeline is a test.
pub(super) fn is_test(pipeline: &Pipeline) -> bool {
    match pipeline.commands.first().map(|command| &command.kind) {
        Some(CommandKind::Test(_)) => true,
        Some(CommandKind::Simple(simple)) => {
            let name = simple.words.first().and_then(Word::plain);
            matches!(name, Some("[" | "test"))
        }
        _ => false,
    }
}

/// Whether the condition of a loop asks for the caller's arguments: `[ $# -gt 0 ]`, `getopts …`.
pub(super) fn reads_arguments(condition: &List) -> bool {
    let [statement] = condition.statements.as_slice() else {
        return false;
    };
    let words = match statement
        .first
        .commands
        .first()
        .map(|command| &command.kind)
    {
        Some(CommandKind::Test(words)) => words,
        Some(CommandKind::Simple(simple)) => &simple.words,
        _ => return false,
    };
    let is_argument = |word: &Word| {
        word.parts.iter().any(|part| match &part.kind {
            PartKind::Parameter(parameter) => matches!(parameter.name.as_str(), "#" | "1"),
            _ => false,
        })
    };
    words.first().and_then(Word::plain) == Some("getopts") || words.iter().any(is_argument)
}
