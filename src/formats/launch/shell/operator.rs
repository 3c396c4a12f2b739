//! The operators of `${NAME…}`: defaults, alternatives, and what changes the text.

use std::rc::Rc;

use crate::source::Span;
use crate::source::shell::{Operator, Parameter, Part, PartKind, Word};

use super::super::Folder;
use super::expand::Expanded;
use super::machine::Machine;
use super::parameter::{Held, is_one, unknown};
use super::piece::{Content, Piece, parent, text_of};
use super::state::Value;
use super::transform::transformed;

impl Machine<'_> {
    pub(super) fn operated(
        &mut self,
        held: Held,
        operator: &Operator,
        parameter: &Parameter,
        span: Span,
        splits: bool,
    ) -> Expanded {
        let is_empty = matches!(&held, Held::Value(value) if is_empty(value));
        let symbol = operator.symbol.trim_start_matches(':');
        let counts_empty = operator.symbol.len() > symbol.len();
        let is_set = match &held {
            Held::Value(_) => !(counts_empty && is_empty),
            Held::Unset(_) => false,
            Held::Unknown(why) => return unknown(why),
        };
        // A value that is not known may be empty.
        let may_be_empty =
            counts_empty && matches!(&held, Held::Value(value) if may_be_empty(value));
        match (symbol, is_set) {
            ("-" | "=" | "?", true) => self.plain(held, parameter),
            ("-" | "=", false) => {
                if symbol == "=" {
                    let value = self.value(&operator.word);
                    let held = Value::Text(Rc::new(value.clone()));
                    self.assign(&parameter.name, held, false, span);
                    return Expanded::Text(value);
                }
                self.default_value(&operator.word, splits)
            }
            ("+", true) if !may_be_empty => self.default_value(&operator.word, splits),
            ("+", false) => Expanded::Text(Vec::new()),
            ("+", true) => unknown(&format!(
                "whether `${}` is empty is not known",
                parameter.name
            )),
            ("?", false) => unknown(&format!(
                "the script stops where `${}` is not set",
                parameter.name
            )),
            _ => self.transform(held, operator, parameter),
        }
    }

    /// The word of `${NAME:-word}`.
    fn default_value(&mut self, word: &Word, splits: bool) -> Expanded {
        let done = self.nested(|machine| {
            if splits {
                Expanded::Split(machine.default_fields(word))
            } else {
                Expanded::Text(machine.value(word))
            }
        });
        done.unwrap_or_else(|| unknown("it is nested too deep to follow"))
    }

    fn transform(&mut self, held: Held, operator: &Operator, parameter: &Parameter) -> Expanded {
        let (operand, new) = match operator.symbol {
            "/" | "//" => split_at_slash(&operator.word),
            _ => (operator.word.clone(), None),
        };
        let operand = self.value(&operand);
        let new = new.map_or_else(Vec::new, |new| self.value(&new));
        let pieces = match self.plain(held, parameter) {
            Expanded::Text(pieces) => pieces,
            Expanded::Many(_) | Expanded::Split(_) => {
                return unknown("the elements of an array are changed");
            }
        };
        let folder = self.state.place.folder.clone();
        let operands =
            text_of(&operand, &folder).and_then(|operand| Ok((operand, text_of(&new, &folder)?)));
        let why = match (text_of(&pieces, &Folder::Unknown), operands) {
            (Ok(text), Ok((operand, new))) => {
                match transformed(&text, operator.symbol, &operand, &new) {
                    Some(text) => return Expanded::Text(vec![Piece::text(&text, None)]),
                    None => format!("`${}` is changed by `{}`", parameter.name, operator.symbol),
                }
            }
            (Err(_), Ok((operand, _))) if operator.symbol == "%" && operand == "/*" => {
                match parent(&pieces) {
                    Some(pieces) => return Expanded::Text(pieces),
                    None => format!("`${}` is not known", parameter.name),
                }
            }
            (Err(why), _) | (_, Err(why)) => why,
        };
        unknown(&why)
    }
}

/// Pattern and replacement of `${NAME/pattern/replacement}`: the first `/` that is not quoted is between them.
fn split_at_slash(word: &Word) -> (Word, Option<Word>) {
    let slash = word.parts.iter().enumerate().find_map(|(position, part)| {
        let PartKind::Text(text) = &part.kind else {
            return None;
        };
        let at = text
            .find('/')
            .filter(|_| !part.is_quoted || text.len() > 1)?;
        Some((position, part.span, at, text))
    });
    let Some((position, span, at, text)) = slash else {
        return (word.clone(), None);
    };
    let part = |text: &str, start: usize| Part {
        kind: PartKind::Text(text.to_owned()),
        span: Span::new(start, start + text.len()),
        is_quoted: word.parts[position].is_quoted,
    };
    let mut pattern = word.clone();
    pattern.parts.truncate(position);
    pattern.parts.push(part(&text[..at], span.start));
    let mut new = word.clone();
    new.parts.drain(..position);
    new.parts[0] = part(&text[at + 1..], span.start + at + 1);
    (pattern, Some(new))
}

fn is_empty(value: &Value) -> bool {
    match value {
        Value::Text(pieces) => pieces.iter().all(|piece| piece.len() == 0),
        Value::Array(fields) => fields.is_empty(),
    }
}

fn may_be_empty(value: &Value) -> bool {
    match value {
        Value::Text(pieces) => pieces
            .iter()
            .all(|piece| piece.len() == 0 || matches!(piece.content, Content::Unknown(..))),
        Value::Array(fields) => fields.iter().all(|field| !is_one(field)),
    }
}
