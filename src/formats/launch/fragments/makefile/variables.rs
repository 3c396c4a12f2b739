//! The values of a Makefile's variables, as they are when its recipes run.

use std::collections::{BTreeMap, BTreeSet};

use crate::source::Span;

use super::super::fill::Filling;

/// How deep variables may name each other.
const DEPTH_LIMIT: usize = 32;

/// How many bytes all values of one Makefile may have together.
const SIZE_LIMIT: usize = 8 << 20;

/// How many bytes one value may have.
const VALUE_LIMIT: usize = 8 << 10;

/// How many bytes a reference may have.
const REFERENCE_LIMIT: usize = 1_000;

/// A value: its parts, of which each is known or not, and why not.
type Parts = Vec<Result<String, String>>;

/// A variable.
#[derive(Clone)]
pub(super) struct Variable {
    /// Its value as written, or why it is not known.
    value: Result<String, String>,
    span: Span,
    /// Whether it is expanded where it is assigned (`:=`).
    is_simple: bool,
}

impl Variable {
    pub(super) fn new(value: &str, span: Span, is_simple: bool) -> Self {
        Self {
            value: Ok(value.to_owned()),
            span,
            is_simple,
        }
    }

    pub(super) fn unknown(why: String, span: Span) -> Self {
        Self {
            value: Err(why),
            span,
            is_simple: false,
        }
    }
}

/// The variables of a Makefile, or of a target.
#[derive(Default)]
pub(super) struct Variables {
    values: BTreeMap<String, Variable>,
    exported: BTreeSet<String>,
}

impl Variables {
    pub(super) fn count(&self) -> usize {
        self.values.len()
    }

    pub(super) fn has(&self, name: &str) -> bool {
        self.values.contains_key(name)
    }

    pub(super) fn set(&mut self, name: &str, mut variable: Variable) {
        // `A := $(A) b`: what it was before is in it.
        if let (Ok(value), Some(before)) = (&variable.value, self.values.get(name)) {
            let own = [format!("$({name})"), format!("${{{name}}}")];
            if variable.is_simple && own.iter().any(|own| value.contains(own)) {
                variable.value = match &before.value {
                    Ok(before) if before.len() + value.len() < REFERENCE_LIMIT => {
                        Ok(value.replace(&own[0], before).replace(&own[1], before))
                    }
                    Ok(_) => Err(format!("`{name}` is assigned from itself")),
                    Err(why) => Err(why.clone()),
                };
            }
        }
        self.values.insert(name.to_owned(), variable);
    }

    pub(super) fn append(&mut self, name: &str, variable: Variable) {
        let Some(before) = self.values.get_mut(name) else {
            self.set(name, variable);
            return;
        };
        match (&mut before.value, variable.value) {
            (Ok(before), Ok(more)) => {
                before.push(' ');
                before.push_str(&more);
            }
            (before, Err(why)) => *before = Err(why),
            (Err(_), Ok(_)) => {}
        }
    }

    pub(super) fn export(&mut self, name: &str, is_exported: bool) {
        if is_exported {
            self.exported.insert(name.to_owned());
        } else {
            self.exported.remove(name);
        }
    }
}

/// Works out values.
pub(super) struct Resolver<'a> {
    variables: &'a Variables,
    /// Those that a target has to itself.
    own: Option<&'a Variables>,
    known: BTreeMap<String, Parts>,
    size: usize,
}

impl<'a> Resolver<'a> {
    pub(super) fn new(variables: &'a Variables, own: Option<&'a Variables>) -> Self {
        Self {
            variables,
            own,
            known: BTreeMap::new(),
            size: 0,
        }
    }

    /// The same with the variables of a target. What it works out counts for this one.
    pub(super) fn with(&self, own: &'a Variables) -> Self {
        Self {
            size: self.size,
            ..Self::new(self.variables, Some(own))
        }
    }

    /// Takes over how much another one has worked out.
    pub(super) fn count(&mut self, other: &Self) {
        self.size = other.size;
    }

    /// The exported variables, with the place of their value.
    pub(super) fn exported(&self, is_all: bool) -> Vec<(String, Span)> {
        let mut found = BTreeMap::new();
        for variables in [Some(self.variables), self.own].into_iter().flatten() {
            for (name, variable) in &variables.values {
                if is_all
                    || self.variables.exported.contains(name)
                    || variables.exported.contains(name)
                {
                    found.insert(name.clone(), variable.span);
                }
            }
        }
        found.into_iter().collect()
    }

    /// The value of a variable.
    pub(super) fn value(&mut self, name: &str) -> Result<String, String> {
        self.value_at(name, 0).into_iter().collect()
    }

    /// What a `$` and what follows it come to in a recipe, and how many bytes they have.
    pub(super) fn reference(&mut self, rest: &str, target: &str) -> Option<(usize, Filling)> {
        let (name, length) = reference(rest)?;
        let parts = match name {
            "$" => vec![Ok("$".to_owned())],
            "@" if !target.is_empty() && !target.contains(['%', '$', ' ', '\t']) => {
                vec![Ok(target.to_owned())]
            }
            "MAKE" => vec![Ok("make".to_owned())],
            name => self.value_at(name, 0),
        };
        Some((length, Filling::Parts(parts)))
    }

    fn value_at(&mut self, name: &str, depth: usize) -> Parts {
        if let Some(known) = self.known.get(name) {
            return known.clone();
        }
        let own = self.own.and_then(|own| own.values.get(name));
        let parts = match own.or_else(|| self.variables.values.get(name)) {
            Some(variable) if depth < DEPTH_LIMIT => match &variable.value {
                Ok(written) => {
                    // For one that names itself.
                    let why = format!("`{name}` is assigned from itself");
                    self.known.insert(name.to_owned(), vec![Err(why)]);
                    self.expand(written, depth + 1)
                }
                Err(why) => vec![Err(why.clone())],
            },
            Some(_) => vec![Err(format!(
                "`{name}` is assigned through too many variables"
            ))],
            None if is_name(name) => {
                vec![Err(format!("`$({name})` is not assigned in this Makefile"))]
            }
            None => vec![Err(format!("`$({name})` is worked out by make"))],
        };
        self.size += size(&parts);
        let parts = if self.size > SIZE_LIMIT {
            vec![Err(format!("`{name}` is too long"))]
        } else {
            parts
        };
        self.known.insert(name.to_owned(), parts.clone());
        parts
    }

    fn expand(&mut self, written: &str, depth: usize) -> Parts {
        let mut out: Parts = Vec::new();
        let mut length = 0;
        let mut rest = written;
        while let Some(at) = rest.find('$') {
            push(&mut out, Ok(rest[..at].to_owned()));
            rest = &rest[at..];
            let Some((name, end)) = reference(rest) else {
                push(
                    &mut out,
                    Err("a `$` without an end in the Makefile".to_owned()),
                );
                return out;
            };
            if name == "$" {
                push(&mut out, Ok("$".to_owned()));
            } else {
                let parts = self.value_at(name, depth);
                length += size(&parts);
                if length > VALUE_LIMIT {
                    return vec![Err("the value is too long".to_owned())];
                }
                for part in parts {
                    push(&mut out, part);
                }
            }
            rest = &rest[end..];
        }
        push(&mut out, Ok(rest.to_owned()));
        out
    }
}

/// Adds a part, known ones next to each other as one.
fn push(parts: &mut Parts, part: Result<String, String>) {
    match (parts.last_mut(), part) {
        (Some(Ok(last)), Ok(more)) => last.push_str(&more),
        (_, part) => parts.push(part),
    }
}

fn size(parts: &Parts) -> usize {
    let lengths = parts
        .iter()
        .map(|part| part.as_ref().map_or_else(String::len, String::len));
    lengths.sum::<usize>() + parts.len()
}

/// The name in `$(NAME)`, `${NAME}` or `$N`, and how many bytes that has.
fn reference(rest: &str) -> Option<(&str, usize)> {
    let inner = rest.strip_prefix('$')?;
    let (open, close) = match inner.chars().next()? {
        '(' => ('(', ')'),
        '{' => ('{', '}'),
        c => return Some((&inner[..c.len_utf8()], 1 + c.len_utf8())),
    };
    let mut depth = 0;
    for (at, c) in inner.char_indices().take(REFERENCE_LIMIT) {
        if c == open {
            depth += 1;
        } else if c == close {
            depth -= 1;
            if depth == 0 {
                return Some((&inner[1..at], at + 2));
            }
        }
    }
    None
}

fn is_name(name: &str) -> bool {
    !name.is_empty()
        && name
            .chars()
            .all(|c| c.is_alphanumeric() || "_.-".contains(c))
}
