//! `$NAME` and `${…}`.

use std::rc::Rc;

use crate::source::Span;
use crate::source::shell::{Parameter, Subscript};

use super::super::Folder;
use super::expand::{Expanded, joined_by_blanks};
use super::machine::Machine;
use super::piece::{Content, Field, Piece, text_of};
use super::state::Value;

/// What a parameter holds.
pub(super) enum Held {
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
    pub(super) fn plain(&self, held: Held, parameter: &Parameter) -> Expanded {
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

pub(super) fn unknown(why: &str) -> Expanded {
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
pub(super) fn is_one(field: &Field) -> bool {
    let is_many = |piece: &Piece| matches!(piece.content, Content::Unknown(_, true));
    !field.pieces.iter().any(is_many)
}
