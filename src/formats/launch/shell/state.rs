//! What a shell holds at one point: variables, folder, options; and how branches of it come together.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::rc::Rc;

use super::super::{Folder, Spot};
use super::merge::merged;
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

    pub(super) fn array(&self) -> Option<&[Field]> {
        match self {
            Self::Array(fields) => Some(fields),
            Self::Text(_) => None,
        }
    }

    pub(super) fn text(&self) -> Option<&[Piece]> {
        match self {
            Self::Text(pieces) => Some(pieces),
            Self::Array(_) => None,
        }
    }

    pub(super) fn is_same(&self, other: &Self) -> bool {
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
pub(super) fn is_same(a: &[Piece], b: &[Piece]) -> bool {
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
    /// What `export` named before it had a value: it is exported when it gets one.
    pub(super) exports: Rc<BTreeSet<String>>,
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

impl Branch {
    /// How much there is to do again.
    pub(super) fn len(&self) -> usize {
        self.changes.len() + self.place.exports.len()
    }
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
                exports: Rc::default(),
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
        self.place.exports = joined_names(&self.place.exports, &function.place.exports);
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
    a.exports = joined_names(&a.exports, &b.exports);
    a
}

fn joined_names(a: &Rc<BTreeSet<String>>, b: &Rc<BTreeSet<String>>) -> Rc<BTreeSet<String>> {
    if Rc::ptr_eq(a, b) || b.is_subset(a) {
        return Rc::clone(a);
    }
    Rc::new(a.union(b).cloned().collect())
}
