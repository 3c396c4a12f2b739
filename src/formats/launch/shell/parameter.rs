//! `$NAME` and `${…}`.

use std::rc::Rc;

use crate::source::Span;
use crate::source::shell::{Assigned, Operator, Parameter, Part, PartKind, Subscript, Word};

use super::super::Folder;
use super::expand::{Expanded, joined_by_blanks};
use super::machine::Machine;
use super::piece::{Content, Field, Piece, parent, text_of};
use super::state::Value;
use super::transform::transformed;

/// What a parameter holds.
enum Held {
    Value(Value),
    /// Nothing in this file gives it a value.
    Unset(String),
    /// Something does, and what is not known.
    Unknown(String),
}

/// What is known of the parameters that the shell itself sets.
const SHELL_SETS: [&str; 9] = [
    "?", "$", "!", "-", "_", "RANDOM", "SECONDS", "LINENO", "OLDPWD",
];

impl Machine<'_> {
    pub(super) fn parameter(
        &mut self,
        parameter: &Parameter,
        span: Span,
        splits: bool,
    ) -> Expanded {
        let held = self.held(parameter);
        if parameter.is_indirect {
            let why = format!(
                "`${{!{}}}` is the value of a variable that another one names",
                parameter.name
            );
            return unknown(&why);
        }
        if parameter.is_length {
            return length(&held, parameter);
        }
        match &parameter.operator {
            Some(operator) => self.operated(held, operator, parameter, span, splits),
            None => self.plain(held, parameter),
        }
    }

    /// Whether nothing in the file gives it a value.
    pub(super) fn is_unset(&self, parameter: &Parameter) -> bool {
        matches!(self.held(parameter), Held::Unset(_))
    }

    fn held(&self, parameter: &Parameter) -> Held {
        let name = parameter.name.as_str();
        if let Some(why) = self.source.unknown(name) {
            return Held::Unknown(why.to_string());
        }
        if name.bytes().all(|byte| byte.is_ascii_digit()) && name != "0" {
            return self.positional(name);
        }
        match name {
            "0" | "BASH_SOURCE" => return self.own_path(),
            "@" | "*" => return self.all_positional(),
            "#" => {
                return match &self.state.place.positional {
                    Some(fields) if fields.iter().all(|field| is_known(&field.pieces)) => {
                        Held::Value(text_value(&fields.len().to_string()))
                    }
                    _ => Held::Unknown(given_by_caller("#")),
                };
            }
            _ if SHELL_SETS.contains(&name) => {
                return Held::Unknown(format!("`${name}` is only known when it runs"));
            }
            _ => {}
        }
        match self.state.get(name) {
            Some(variable) if self.may_change(name, variable) => {
                Held::Unknown(format!("`${name}` is assigned again after this function"))
            }
            Some(variable) if self.sees(variable) => Held::Value(variable.value.clone()),
            Some(_) => Held::Unset(format!("`${name}` is not exported to this shell")),
            None if name == "PWD" => match &self.state.place.folder {
                Folder::Unknown => Held::Unknown("the folder is not known here".to_owned()),
                folder => Held::Value(Value::Text(Rc::new(vec![Piece::folder(
                    folder.clone(),
                    &self.own_folder,
                )]))),
            },
            None if self.is_assigned_later(name) => {
                Held::Unknown(format!("`${name}` is assigned after this function"))
            }
            None if self.is_assigned_somewhere(name) => {
                Held::Unset(format!("`${name}` is not assigned before this"))
            }
            None => Held::Unset(format!("`${name}` is not assigned in this file")),
        }
    }

    fn positional(&self, number: &str) -> Held {
        let Some(fields) = &self.state.place.positional else {
            // A function is called with arguments; a script often is not, which is what `${1:-default}` is for.
            let why = given_by_caller(number);
            return if self.function_end.is_some() {
                Held::Unknown(why)
            } else {
                Held::Unset(why)
            };
        };
        let position = number.parse::<usize>().unwrap_or(usize::MAX) - 1;
        let before = &fields[..position.min(fields.len())];
        match fields.get(position) {
            _ if before.iter().any(|field| !is_known(&field.pieces)) => {
                Held::Unknown(given_by_caller(number))
            }
            Some(field) => Held::Value(Value::Text(Rc::new(field.pieces.clone()))),
            None => Held::Unset(format!("`${number}` is not given by `set --`")),
        }
    }

    fn all_positional(&self) -> Held {
        let fields = self.state.place.positional.clone().unwrap_or_else(|| {
            let why = given_by_caller("@");
            Rc::new(vec![Field {
                pieces: vec![Piece::unknown(&why).with_many(true)],
                is_written: false,
            }])
        });
        Held::Value(Value::Array(fields))
    }

    /// `$0`: the path of the file.
    fn own_path(&self) -> Held {
        if !self.source.is_own || self.level > 0 {
            return Held::Unknown("`$0` is only known when it runs".to_owned());
        }
        let path = &self.own.path;
        let name = path
            .rsplit_once('/')
            .map_or(path.as_str(), |(_, name)| name);
        Held::Value(Value::Text(Rc::new(vec![
            Piece::folder(Folder::Own(String::new()), &self.own_folder),
            Piece::text(&format!("/{name}"), None),
        ])))
    }

    /// The value as it is.
    fn plain(&self, held: Held, parameter: &Parameter) -> Expanded {
        let value = match held {
            Held::Value(value) => value,
            Held::Unset(why) | Held::Unknown(why) => return unknown(&why),
        };
        match (value, &parameter.subscript) {
            (Value::Text(pieces), _) => Expanded::Text(pieces.to_vec()),
            (Value::Array(fields), Some(Subscript::Star)) => {
                Expanded::Text(joined_by_blanks(fields.iter()))
            }
            (Value::Array(fields), Some(Subscript::At)) => Expanded::Many(fields),
            (Value::Array(fields), None) if parameter.name == "@" => Expanded::Many(fields),
            (Value::Array(fields), None) if parameter.name == "*" => {
                Expanded::Text(joined_by_blanks(fields.iter()))
            }
            (Value::Array(fields), subscript) => {
                let index = match subscript {
                    Some(Subscript::Index(index)) => index.trim().parse::<usize>().ok(),
                    _ => Some(0),
                };
                match index {
                    Some(index) if fields.iter().take(index + 1).all(is_one) => Expanded::Text(
                        fields
                            .get(index)
                            .map_or_else(Vec::new, |field| field.pieces.clone()),
                    ),
                    _ => unknown(&format!(
                        "it is not known which element of `${}`",
                        parameter.name
                    )),
                }
            }
        }
    }

    fn operated(
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

    /// Assigns what stands in the text.
    pub(super) fn assignment(
        &mut self,
        assignment: &crate::source::shell::Assignment,
        exports: bool,
    ) {
        let name = assignment.name.as_str();
        let given = match &assignment.value {
            Assigned::Word(word) => Value::Text(Rc::new(self.value(word))),
            Assigned::Array(words) => self.array(words),
        };
        let before = self.state.get(name).map(|before| before.value.clone());
        let value = match (given, assignment.subscript, assignment.is_append) {
            (_, Some(_), _) => Value::unknown(&format!(
                "the elements of `${name}` are assigned one by one"
            )),
            (given, None, false) => given,
            (given, None, true) => appended(before, given, name),
        };
        let amount = match &value {
            Value::Text(pieces) => pieces.len(),
            Value::Array(fields) => fields.len(),
        };
        self.spend(amount / 16);
        self.assign(name, bounded(value, name), exports, assignment.span);
    }

    fn array(&mut self, words: &[Word]) -> Value {
        let is_keyed = |word: &Word| {
            let text = self.source.text.get(word.span.start..word.span.end);
            text.is_some_and(|text| text.starts_with('[') && text.contains("]="))
        };
        if words.iter().any(is_keyed) {
            return Value::unknown("the elements of the array have keys");
        }
        Value::Array(Rc::new(self.elements(words)))
    }

    /// The value of an inline assignment, which is the command's own.
    pub(super) fn inline_value(
        &mut self,
        assignment: &crate::source::shell::Assignment,
    ) -> (Vec<Piece>, Span) {
        let pieces = match &assignment.value {
            Assigned::Word(word) => self.value(word),
            Assigned::Array(_) => vec![Piece::unknown("an array is not exported")],
        };
        (pieces, assignment.span)
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

/// How long a value may grow.
const LONGEST_VALUE: usize = 16 * 1024;
const MOST_PIECES: usize = 512;

fn bounded(value: Value, name: &str) -> Value {
    let (length, count) = match &value {
        Value::Text(pieces) => (pieces.iter().map(Piece::len).sum(), pieces.len()),
        Value::Array(fields) => {
            let pieces = || fields.iter().flat_map(|field| &field.pieces);
            (
                pieces().map(Piece::len).sum::<usize>(),
                fields.len().max(pieces().count()),
            )
        }
    };
    if length > LONGEST_VALUE || count > MOST_PIECES {
        return Value::unknown(&format!("`${name}` is too long to follow"));
    }
    value
}

fn appended(before: Option<Value>, given: Value, name: &str) -> Value {
    match (before, given) {
        (None, Value::Array(given)) => Value::Array(given),
        (None, Value::Text(given)) => {
            // What the environment of the start gives it comes first.
            let mut pieces = vec![Piece::unknown(&format!(
                "`${name}` is not assigned before this"
            ))];
            pieces.extend(given.iter().cloned());
            Value::Text(Rc::new(pieces))
        }
        (Some(Value::Text(mut before)), Value::Text(given)) => {
            Rc::make_mut(&mut before).extend(given.iter().cloned());
            Value::Text(before)
        }
        (Some(Value::Array(mut before)), Value::Array(given)) => {
            Rc::make_mut(&mut before).extend(given.iter().cloned());
            Value::Array(before)
        }
        (Some(Value::Text(before)), Value::Array(given)) => {
            let mut fields = vec![Field {
                pieces: before.to_vec(),
                is_written: false,
            }];
            fields.extend(given.iter().cloned());
            Value::Array(Rc::new(fields))
        }
        (Some(Value::Array(_)), Value::Text(_)) => {
            Value::unknown(&format!("an element of `${name}` is appended to"))
        }
    }
}

/// `${#NAME}`, `${#NAME[@]}`.
fn length(held: &Held, parameter: &Parameter) -> Expanded {
    let is_whole = matches!(parameter.subscript, Some(Subscript::At | Subscript::Star))
        || matches!(parameter.name.as_str(), "@" | "*");
    let of_text = |pieces: &[Piece]| {
        let text = text_of(pieces, &Folder::Unknown).ok()?;
        Some(text.chars().count())
    };
    let length = match held {
        Held::Value(Value::Array(fields)) if is_whole => {
            fields.iter().all(is_one).then_some(fields.len())
        }
        Held::Value(Value::Array(fields)) if parameter.subscript.is_none() => fields
            .first()
            .map_or(Some(0), |field| of_text(&field.pieces)),
        Held::Value(Value::Text(pieces)) => of_text(pieces),
        _ => None,
    };
    match length {
        Some(length) => Expanded::Text(vec![Piece::text(&length.to_string(), None)]),
        None => unknown("it is the length of something that is not known"),
    }
}

fn text_value(text: &str) -> Value {
    Value::Text(Rc::new(vec![Piece::text(text, None)]))
}

fn unknown(why: &str) -> Expanded {
    Expanded::Text(vec![Piece::unknown(why)])
}

fn given_by_caller(name: &str) -> String {
    format!("`${name}` is given by the caller")
}

fn is_known(pieces: &[Piece]) -> bool {
    let is_unknown = |piece: &Piece| matches!(piece.content, Content::Unknown(..));
    !pieces.iter().any(is_unknown)
}

/// Whether a field stands for one word, known or not.
fn is_one(field: &Field) -> bool {
    let is_many = |piece: &Piece| matches!(piece.content, Content::Unknown(_, true));
    !field.pieces.iter().any(is_many)
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
