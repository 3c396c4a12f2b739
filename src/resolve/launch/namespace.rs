//! The namespace of `accelerate launch`: its flags as argparse reads them, and what the config adds later.

use std::collections::{BTreeMap, BTreeSet};

use super::super::outcome::Cause;
use super::super::python::{Argument, parse_bool, parse_int};
use super::super::run::{Origin, Voice, Word};
use super::super::stop::{Step, raise};
use crate::knowledge::{Action, Facts, Flag, Kind, Literal};
use crate::source::{Integer, Object};

const SOURCE: &str = "commands/launch.py:launch_command_parser";

/// The attributes of the namespace. Flags that nobody sets answer with their default.
#[derive(Clone, Debug)]
pub(crate) struct Namespace<'facts> {
    facts: &'facts Facts,
    set: BTreeMap<String, Argument>,
    /// `args.nondefault`: what is given on the command line, the script included.
    given: BTreeSet<String>,
}

impl<'facts> Namespace<'facts> {
    /// Reads the words of a launch command, the script and its arguments included.
    pub(crate) fn parse(facts: &'facts Facts, words: &[Word]) -> Step<Self> {
        let script = ["training_script", "training_script_args"].map(str::to_owned);
        let mut namespace = Self {
            facts,
            set: BTreeMap::new(),
            given: BTreeSet::from(script),
        };
        let mut unrecognized = Vec::new();
        let mut words = words.iter();
        while let Some(word) = words.next() {
            if !word.text.starts_with('-') || word.text == "-" {
                // The script: the rest is its own.
                break;
            }
            if word.text == "--" {
                continue;
            }
            let (option, joined) = match word.text.split_once('=') {
                Some((option, value)) if option.starts_with("--") => (option, Some(value)),
                _ => (word.text.as_str(), None),
            };
            match facts.option(option) {
                Some(flag) => namespace.give(flag, option, joined, word, &mut words)?,
                None => unrecognized.push(word),
            }
        }
        match unrecognized.first() {
            Some(_) => {
                let shown: Vec<&str> = unrecognized.iter().map(|word| word.text.as_str()).collect();
                let origins = unrecognized.iter().map(|word| origin(&word.text, word));
                Err(refuse(
                    format!("unrecognized arguments: {}", shown.join(" ")),
                    origins,
                ))
            }
            None => Ok(namespace),
        }
    }

    fn give<'word>(
        &mut self,
        flag: &Flag,
        option: &str,
        joined: Option<&str>,
        word: &Word,
        rest: &mut impl Iterator<Item = &'word Word>,
    ) -> Step<()> {
        let origin = origin(option, word);
        let names = || format!("argument {}", shown_options(flag));
        let value = match flag.action {
            Action::Help => return Err(refuse("shows the help", [origin])),
            Action::StoreTrue | Action::StoreFalse => {
                if let Some(value) = joined {
                    let message = format!(
                        "{}: ignored explicit argument {}",
                        names(),
                        Object::from(value).python_repr()
                    );
                    return Err(refuse(message, [origin]));
                }
                Object::Bool(flag.action == Action::StoreTrue)
            }
            // Positional arguments have no option and never come here.
            Action::Store | Action::Append | Action::Remainder => {
                let text = match joined {
                    Some(text) => text.to_owned(),
                    None => match rest.next() {
                        Some(next)
                            if !next.text.starts_with('-') || parse_int(&next.text).is_some() =>
                        {
                            next.text.clone()
                        }
                        _ => {
                            return Err(refuse(
                                format!("{}: expected one argument", names()),
                                [origin],
                            ));
                        }
                    },
                };
                let value = convert(flag, &text).ok_or_else(|| {
                    let kind = kind_name(flag.kind);
                    let shown = Object::from(text.as_str()).python_repr();
                    refuse(
                        format!("{}: invalid {kind} value: {shown}", names()),
                        [origin.clone()],
                    )
                })?;
                if let Some(choices) = &flag.choices
                    && !choices.contains(&text)
                {
                    let shown = Object::from(text.as_str()).python_repr();
                    let list: Vec<String> = choices
                        .iter()
                        .map(|choice| Object::from(choice.as_str()).python_repr())
                        .collect();
                    let message = format!(
                        "{}: invalid choice: {shown} (choose from {})",
                        names(),
                        list.join(", ")
                    );
                    return Err(refuse(message, [origin]));
                }
                if flag.action == Action::Append {
                    Object::List(vec![value])
                } else {
                    value
                }
            }
        };
        self.given.insert(flag.dest.clone());
        self.set
            .insert(flag.dest.clone(), Argument { value, origin });
        Ok(())
    }

    /// `args.name`; `None` where the namespace has no such attribute.
    pub(crate) fn find(&self, name: &str) -> Option<Argument> {
        self.set
            .get(name)
            .cloned()
            .or_else(|| self.facts.flag(name).map(default))
    }

    /// `getattr(args, name, None)`: a flag always exists, so this also serves for `args.name`.
    pub(crate) fn get(&self, name: &str) -> Argument {
        self.find(name)
            .unwrap_or_else(|| Argument::new(Object::None, Origin::of(Voice::Default, name)))
    }

    /// `args.name`, where the release has such a flag: what a section of the config sets under another release's name
    /// is read by nobody.
    pub(crate) fn of_flag(&self, name: &str) -> Option<Argument> {
        self.facts.flag(name).map(|_| self.get(name))
    }

    /// Whether `args.name` is truthy.
    pub(crate) fn truthy(&self, name: &str) -> bool {
        self.get(name).value.truthy()
    }

    /// Whether `args.name` is `None` or missing.
    pub(crate) fn is_none(&self, name: &str) -> bool {
        matches!(self.get(name).value, Object::None)
    }

    /// `setattr(args, name, …)`
    pub(crate) fn set(&mut self, name: impl Into<String>, argument: Argument) {
        self.set.insert(name.into(), argument);
    }

    /// Notes that a flag was given on the command line whose value is followed elsewhere.
    pub(crate) fn mark_given(&mut self, name: &str) {
        self.given.insert(name.to_owned());
    }

    /// Whether the flag was given on the command line.
    pub(crate) fn is_given(&self, name: &str) -> bool {
        self.given.contains(name)
    }

    /// Every attribute whose name starts with `prefix`, by name.
    pub(crate) fn with_prefix(&self, prefix: &str) -> BTreeMap<String, Argument> {
        let defaults = self
            .facts
            .flags
            .iter()
            .filter(|flag| flag.dest.starts_with(prefix));
        let mut found: BTreeMap<String, Argument> = defaults
            .map(|flag| (flag.dest.clone(), default(flag)))
            .collect();
        let set = self.set.iter().filter(|(name, _)| name.starts_with(prefix));
        found.extend(set.map(|(name, argument)| (name.clone(), argument.clone())));
        found
    }
}

fn origin(option: &str, word: &Word) -> Origin {
    Origin {
        voice: Voice::Flag,
        name: option.to_owned(),
        place: word.place.clone(),
    }
}

fn refuse(
    message: impl Into<String>,
    origins: impl IntoIterator<Item = Origin>,
) -> super::super::stop::Stop {
    let message = format!("accelerate launch: error: {}", message.into());
    raise("SystemExit", message, SOURCE, Cause::LaunchFlag, origins)
}

/// How argparse names a flag: `--a_b/--a-b`.
fn shown_options(flag: &Flag) -> String {
    let both = flag.options.iter().flat_map(|option| {
        let hyphenated = option.replace('_', "-");
        let other = (hyphenated != *option).then_some(hyphenated);
        std::iter::once(option.clone()).chain(other)
    });
    both.collect::<Vec<_>>().join("/")
}

fn kind_name(kind: Option<Kind>) -> &'static str {
    match kind {
        Some(Kind::Int) => "int",
        Some(Kind::Float) => "float",
        Some(Kind::Bool) => "bool",
        Some(Kind::StrToBool) => "str_to_bool",
        Some(Kind::BoolTuple) => "<lambda>",
        Some(Kind::Str) | None => "str",
    }
}

/// What the flag's `type` makes of a text; `None` where it raises.
fn convert(flag: &Flag, text: &str) -> Option<Object> {
    Some(match flag.kind {
        Some(Kind::Int) => Object::Int(Integer::Small(i128::from(parse_int(text)?))),
        Some(Kind::Float) => Object::Float(text.trim().parse().ok()?),
        Some(Kind::Bool) => Object::Bool(!text.is_empty()),
        Some(Kind::StrToBool) => Object::from(i64::from(parse_bool(text)?)),
        Some(Kind::BoolTuple) => {
            let parts = text
                .split(',')
                .map(|part| parse_bool(part).map(|value| Object::from(i64::from(value))));
            Object::Tuple(parts.collect::<Option<Vec<_>>>()?)
        }
        Some(Kind::Str) | None => Object::from(text),
    })
}

/// A flag's default. argparse passes a text default through `type`.
fn default(flag: &Flag) -> Argument {
    let value = match &flag.default {
        Literal::Str(text) => convert(flag, text).unwrap_or_else(|| Object::from(text.as_str())),
        literal => object(literal),
    };
    let name = flag
        .options
        .first()
        .map_or(flag.dest.as_str(), String::as_str);
    Argument {
        value,
        origin: Origin::of(Voice::Default, name),
    }
}

/// A literal of accelerate's source as the Python object that it is.
pub(crate) fn object(literal: &Literal) -> Object {
    match literal {
        Literal::None => Object::None,
        Literal::Bool(value) => Object::Bool(*value),
        Literal::Int(value) => Object::from(*value),
        Literal::Float(value) => Object::Float(*value),
        Literal::Str(text) => Object::from(text.as_str()),
        Literal::List(items) => Object::List(items.iter().map(object).collect()),
        Literal::Tuple(items) => Object::Tuple(items.iter().map(object).collect()),
    }
}
