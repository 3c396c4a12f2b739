//! What a shell holds at one point: variables, folder, options; and how branches of it come together.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::rc::Rc;

use super::super::{Folder, Spot};
use super::piece::{Content, Field, Piece};

/// What a variable holds.
#[derive(Clone, Debug)]
pub(super) enum Value {
    Text(Rc<Vec<Piece>>),
    Array(Rc<Vec<Field>>),
}

impl Value {
    pub(super) fn unknown(why: &str) -> Self {
        Self::Text(Rc::new(vec![Piece::unknown(why)]))
    }

    fn array(&self) -> Option<&[Field]> {
        match self {
            Self::Array(fields) => Some(fields),
            Self::Text(_) => None,
        }
    }

    fn text(&self) -> Option<&[Piece]> {
        match self {
            Self::Text(pieces) => Some(pieces),
            Self::Array(_) => None,
        }
    }

    fn is_same(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Text(a), Self::Text(b)) => Rc::ptr_eq(a, b) || is_same(a, b),
            (Self::Array(a), Self::Array(b)) => {
                let mut both = a.iter().zip(b.iter());
                a.len() == b.len() && both.all(|(a, b)| is_same(&a.pieces, &b.pieces))
            }
            _ => false,
        }
    }
}

/// Whether two values are one text, however it is cut.
fn is_same(a: &[Piece], b: &[Piece]) -> bool {
    let whole = |pieces: &[Piece]| {
        let mut text = String::new();
        let mut others = Vec::new();
        for piece in pieces {
            match &piece.content {
                Content::Text(known) => text.push_str(known),
                other => others.push((text.len(), other.clone())),
            }
        }
        (text, others)
    };
    whole(a) == whole(b)
}

/// A variable.
#[derive(Clone, Debug)]
pub(super) struct Variable {
    pub(super) value: Value,
    pub(super) is_exported: bool,
    /// Where it was assigned.
    pub(super) spot: Spot,
    /// The shell, counted from the outermost, that assigned it: an inner one sees it only if it is exported.
    pub(super) level: usize,
    /// The end of the function in which it was assigned.
    pub(super) function_end: Option<usize>,
}

/// What is small enough to be copied for each branch.
#[derive(Clone, Debug)]
pub(super) struct Place {
    pub(super) folder: Folder,
    /// The folders of `pushd`.
    pub(super) stack: Rc<Vec<Folder>>,
    /// `set -a`.
    pub(super) exports_all: bool,
    /// The positional parameters, if `set --` gave them.
    pub(super) positional: Option<Rc<Vec<Field>>>,
}

/// What a branch came to.
#[derive(Debug)]
pub(super) struct Branch {
    pub(super) changes: BTreeMap<Rc<str>, Option<Variable>>,
    place: Place,
    /// Whether it ends in another folder.
    moves: bool,
}

/// A shell's state.
#[derive(Debug)]
pub(super) struct State {
    variables: HashMap<Rc<str>, Variable>,
    /// Every name that was ever exported.
    exported: BTreeSet<Rc<str>>,
    pub(super) place: Place,
    /// What was there before each change, so that a branch can be taken back.
    journal: Vec<(Rc<str>, Option<Variable>)>,
    branches: usize,
}

impl State {
    pub(super) fn new(folder: &Folder) -> Self {
        Self {
            variables: HashMap::new(),
            exported: BTreeSet::new(),
            place: Place {
                folder: folder.clone(),
                stack: Rc::default(),
                exports_all: false,
                positional: None,
            },
            journal: Vec::new(),
            branches: 0,
        }
    }

    pub(super) fn get(&self, name: &str) -> Option<&Variable> {
        self.variables.get(name)
    }

    /// The exported variables.
    pub(super) fn exported(&self) -> impl Iterator<Item = (&Rc<str>, &Variable)> {
        self.exported
            .iter()
            .filter_map(|name| Some((name, self.variables.get(name)?)))
            .filter(|(_, variable)| variable.is_exported)
    }

    /// How many names were ever exported.
    pub(super) fn exported_len(&self) -> usize {
        self.exported.len()
    }

    pub(super) fn set(&mut self, name: &str, variable: Option<Variable>) {
        let name: Rc<str> = match self.variables.get_key_value(name) {
            Some((name, _)) => Rc::clone(name),
            None => name.into(),
        };
        let before = match variable {
            Some(variable) => {
                if variable.is_exported && !self.exported.contains(&name) {
                    self.exported.insert(Rc::clone(&name));
                }
                self.variables.insert(Rc::clone(&name), variable)
            }
            None => self.variables.remove(&name),
        };
        if self.branches > 0 {
            self.journal.push((name, before));
        }
    }

    /// Begins a branch; what it gives is needed to end it.
    pub(super) fn begin(&mut self) -> (usize, Place) {
        self.branches += 1;
        (self.journal.len(), self.place.clone())
    }

    /// Ends a branch: everything is as it was before it.
    pub(super) fn end(&mut self, (mark, place): (usize, Place)) -> Branch {
        let mut changes = BTreeMap::new();
        while self.journal.len() > mark {
            let Some((name, before)) = self.journal.pop() else {
                break;
            };
            let after = match before {
                Some(before) => self.variables.insert(Rc::clone(&name), before),
                None => self.variables.remove(&name),
            };
            // The first that is taken back is the last that was done.
            changes.entry(name).or_insert(after);
        }
        self.branches -= 1;
        let moves = self.place.folder != place.folder;
        Branch {
            changes,
            place: std::mem::replace(&mut self.place, place),
            moves,
        }
    }

    /// Goes on after branches of which one was taken, or none of them if `may_skip`.
    pub(super) fn merge(&mut self, branches: Vec<Branch>, may_skip: bool) {
        let mut outcomes: BTreeMap<Rc<str>, Vec<Option<&Variable>>> = BTreeMap::new();
        for (name, after) in branches.iter().flat_map(|branch| &branch.changes) {
            let after = after.as_ref();
            outcomes.entry(Rc::clone(name)).or_default().push(after);
        }
        let merged: Vec<(Rc<str>, Option<Variable>)> = outcomes
            .into_iter()
            .map(|(name, mut outcomes)| {
                if may_skip || outcomes.len() < branches.len() {
                    outcomes.push(self.variables.get(&name));
                }
                let after = merged(&name, &outcomes);
                (name, after)
            })
            .collect();
        for (name, variable) in merged {
            self.set(&name, variable);
        }
        let mut places = branches.into_iter().map(|branch| branch.place);
        let skipped = may_skip.then(|| self.place.clone());
        let Some(first) = places.next() else { return };
        self.place = places.chain(skipped).fold(first, joined_places);
    }

    /// Does again what a function did to the variables. Where it leads to is known only if that is no way from where
    /// it is called.
    pub(super) fn apply(&mut self, function: &Branch) {
        for (name, variable) in &function.changes {
            self.set(name, variable.clone());
        }
        if function.moves {
            self.place.folder = match &function.place.folder {
                own @ Folder::Own(_) => own.clone(),
                _ => Folder::Unknown,
            };
        }
    }
}

fn joined_places(mut a: Place, b: Place) -> Place {
    if a.folder != b.folder {
        a.folder = Folder::Unknown;
    }
    if a.stack != b.stack {
        a.stack = Rc::default();
    }
    let is_same = match (&a.positional, &b.positional) {
        (None, None) => true,
        (Some(a), Some(b)) => Rc::ptr_eq(a, b),
        _ => false,
    };
    if !is_same {
        let why = "the positional parameters differ between the branches above";
        let field = Field {
            pieces: vec![Piece::unknown(why).with_many(true)],
            is_written: false,
        };
        a.positional = Some(Rc::new(vec![field]));
    }
    a.exports_all &= b.exports_all;
    a
}

/// One variable after branches.
fn merged(name: &str, outcomes: &[Option<&Variable>]) -> Option<Variable> {
    let first = outcomes.iter().flatten().next()?;
    let is_same = outcomes.iter().all(|outcome| {
        outcome.is_some_and(|variable| {
            variable.is_exported == first.is_exported && variable.value.is_same(&first.value)
        })
    });
    let mut variable = (*first).clone();
    if !is_same {
        variable.is_exported = outcomes.iter().flatten().any(|other| other.is_exported);
        let why = format!("`${name}` differs between the branches above");
        let values: Vec<&Value> = outcomes
            .iter()
            .flatten()
            .map(|other| &other.value)
            .collect();
        variable.value = if values.len() < outcomes.len() {
            Value::unknown(&why)
        } else {
            common(&values, &why)
        };
    }
    Some(variable)
}

/// What values have in common at their beginnings and ends, with something unknown between: `A+=(--x)` on one of the
/// branches leaves the other elements known.
fn common(values: &[&Value], why: &str) -> Value {
    let unknown = Piece::unknown(why).with_many(true);
    let arrays: Option<Vec<&[Field]>> = values.iter().map(|value| value.array()).collect();
    if let Some(arrays) = arrays {
        let is_same_field = |a: &Field, b: &Field| is_same(&a.pieces, &b.pieces);
        let (head, tail) = ends(&arrays, is_same_field);
        let first = arrays[0];
        let between = Field {
            pieces: vec![unknown],
            is_written: false,
        };
        let tail = &first[first.len() - tail..];
        let all = first[..head].iter().cloned().chain([between]);
        return Value::Array(Rc::new(all.chain(tail.iter().cloned()).collect()));
    }
    let texts: Option<Vec<&[Piece]>> = values.iter().map(|value| value.text()).collect();
    let Some(texts) = texts else {
        return Value::unknown(why);
    };
    let (head, tail) = ends(&texts, |a, b| a.content == b.content);
    let first = texts[0];
    let (head, tail) = (&first[..head], &first[first.len() - tail..]);
    // The pieces in common are words of their own only where blanks follow them, or go before.
    let rests = || {
        texts
            .iter()
            .map(|text| &text[head.len()..text.len() - tail.len()])
    };
    let begins_blank =
        |pieces: &[Piece]| pieces.first().is_none_or(|piece| piece.is_blank_at(true));
    let ends_blank = |pieces: &[Piece]| pieces.last().is_none_or(|piece| piece.is_blank_at(false));
    let keeps_head = ends_blank(head) || (begins_blank(tail) && rests().all(begins_blank));
    let keeps_tail = begins_blank(tail) || (ends_blank(head) && rests().all(ends_blank));
    if !keeps_head || !keeps_tail {
        return Value::unknown(why);
    }
    let blank = || Piece::text(" ", None);
    let mut pieces = head.to_vec();
    pieces.extend([blank(), unknown, blank()]);
    pieces.extend(tail.iter().cloned());
    if head.is_empty() && tail.is_empty() {
        return Value::unknown(why);
    }
    Value::Text(Rc::new(pieces))
}

/// How many elements all lists have in common at their beginning, and how many at their end.
fn ends<T>(lists: &[&[T]], is_same: impl Fn(&T, &T) -> bool) -> (usize, usize) {
    let Some((first, others)) = lists.split_first() else {
        return (0, 0);
    };
    let shortest = lists.iter().map(|list| list.len()).min().unwrap_or(0);
    let head = (0..shortest)
        .take_while(|at| others.iter().all(|other| is_same(&first[*at], &other[*at])))
        .count();
    let tail = (1..=shortest - head)
        .take_while(|at| {
            let last = &first[first.len() - at];
            others
                .iter()
                .all(|other| is_same(last, &other[other.len() - at]))
        })
        .count();
    (head, tail)
}
