//! What `$(…)` gives, where it can be known without running anything.

use crate::source::Span;
use crate::source::shell::List;

use super::super::Folder;
use super::expand::joined_by_blanks;
use super::machine::{Machine, Output};
use super::piece::{Content, Field, Piece, parent, text_of};
use super::simple::Words;

impl Machine<'_> {
    /// What a command substitution comes to; its commands come out.
    pub(super) fn substitution(&mut self, list: &List, span: Span) -> Vec<Piece> {
        let before = std::mem::replace(&mut self.output, Output::Nothing);
        let mark = self.state.begin();
        let done = self.nested(|machine| machine.list(list));
        self.state.end(mark);
        let output = std::mem::replace(&mut self.output, before);
        // What is nested too deep was passed over.
        let is_read = done.is_some() && !list.statements.is_empty();
        match output {
            Output::Known(pieces) => pieces,
            Output::Nothing if is_read => Vec::new(),
            Output::Nothing | Output::Unknown => {
                vec![Piece::unknown(&self.output_is_unknown(span))]
            }
        }
    }

    fn output_is_unknown(&self, span: Span) -> String {
        const LONGEST: usize = 48;
        let written = self
            .source
            .text
            .get(span.start..span.end)
            .unwrap_or_default();
        // Substitutions stand in each other: only the beginning is looked at.
        let head = &written[..written.floor_char_boundary(4 * LONGEST)];
        let inner = head
            .trim_start_matches(['$', '(', '`'])
            .trim_end_matches([')', '`'])
            .trim();
        let first = inner.split_whitespace().next().unwrap_or_default();
        let is_short =
            head.len() == written.len() && inner.len() <= LONGEST && !inner.contains(['\n', '`']);
        match (is_short, first.len() <= LONGEST) {
            (true, _) => format!("the output of `{inner}` is not known"),
            (false, true) => format!("the output of `{first} …` is not known"),
            (false, false) => "the output of a command is not known".to_owned(),
        }
    }

    /// What a command prints.
    pub(super) fn output_of(&self, name: &str, words: &Words) -> Output {
        let arguments: Vec<&Field> = words
            .fields
            .iter()
            .skip(1)
            .map(|(field, _)| field)
            .collect();
        let texts: Vec<Option<&str>> = (1..words.terms.len()).map(|at| words.known(at)).collect();
        let known = match (name, texts.as_slice()) {
            ("dirname", [_]) => parent(&arguments[0].pieces),
            ("realpath", [_]) => Some(arguments[0].pieces.clone()),
            ("readlink" | "realpath", [Some("-f" | "-e" | "-m" | "-s"), _]) => {
                Some(arguments[1].pieces.clone())
            }
            ("basename", [path, suffix @ ..]) if suffix.len() < 2 => {
                base_name(&arguments[0].pieces, *path, suffix)
            }
            ("which", [Some(_)]) => Some(arguments[0].pieces.clone()),
            ("command" | "type", [Some("-v" | "-P"), Some(_)]) => Some(arguments[1].pieces.clone()),
            ("echo", [first, ..]) if !first.is_some_and(|word| word.starts_with('-')) => {
                Some(joined_by_blanks(arguments.iter().copied()))
            }
            ("echo", []) => Some(Vec::new()),
            ("git", [Some("rev-parse"), Some("--show-toplevel")]) => Some(vec![Piece::folder(
                Folder::Start(String::new()),
                &self.own_folder,
            )]),
            ("mkdir" | "module" | "conda" | "shopt" | "ulimit" | "trap" | "test" | "[", _) => {
                return Output::Nothing;
            }
            _ => None,
        };
        known.map_or(Output::Unknown, Output::Known)
    }
}

fn base_name(pieces: &[Piece], path: Option<&str>, suffix: &[Option<&str>]) -> Option<Vec<Piece>> {
    let owned = match (path, pieces) {
        (Some(path), _) => path.to_owned(),
        // `basename "$0"`.
        (
            None,
            [
                Piece {
                    content: Content::Folder(..),
                    ..
                },
                rest @ ..,
            ],
        ) if !rest.is_empty() => text_of(rest, &Folder::Unknown).ok()?,
        _ => return None,
    };
    let trimmed = owned.trim_end_matches('/');
    let name = trimmed.rsplit_once('/').map_or(trimmed, |(_, name)| name);
    let name = match suffix {
        [] => name,
        [suffix, ..] => name.strip_suffix((*suffix)?).unwrap_or(name),
    };
    Some(vec![Piece::text(name, None)])
}
