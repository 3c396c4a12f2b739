//! A shell on paper: what it holds while it walks over the tree.

use std::collections::{HashMap, HashSet};
use std::rc::Rc;
use std::sync::Arc;

use crate::source::shell::{self, List};
use crate::source::{SourceFile, Span};

use super::super::{Loaded, Spot};
use super::Executed;
use super::assigned::{assigned, assigned_by_arithmetic};
use super::origin::Source;
use super::piece::Piece;
use super::state::{Branch, State, Value, Variable};

/// How deep constructs, texts of `eval` and loaded files may be nested in all.
const MAX_DEPTH: usize = 72;

/// How many words and variables may be given out for one text. A script of people comes to some thousands; one that is
/// made to multiply itself ends here.
const MAX_WORK: usize = 500_000;

/// Whether the commands after this one are reached.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Flow {
    Goes,
    /// `exit`, `return`, `exec`.
    Ends,
}

/// What the commands of a substitution print.
#[derive(Clone, Debug)]
pub(super) enum Output {
    Nothing,
    Known(Vec<Piece>),
    Unknown,
}

/// A shell on paper.
pub(super) struct Machine<'a> {
    pub(super) own: &'a Arc<SourceFile>,
    /// The path of its folder.
    pub(super) own_folder: Rc<str>,
    pub(super) loaded: &'a dyn Loaded,
    pub(super) state: State,
    /// The text that is run.
    pub(super) source: Rc<Source>,
    pub(super) found: Vec<Executed>,
    /// What each function does to the variables.
    pub(super) functions: HashMap<String, Rc<Branch>>,
    /// The offset after the last assignment of each variable in the own text.
    last_assigned: HashMap<String, usize>,
    /// The offset after the function that is walked over.
    pub(super) function_end: Option<usize>,
    pub(super) locals: HashSet<String>,
    /// How many shells are around this one.
    pub(super) level: usize,
    /// How many loaded files are around this text; their commands are not given out.
    pub(super) loads: usize,
    depth: usize,
    work: usize,
    pub(super) output: Output,
}

impl<'a> Machine<'a> {
    pub(super) fn new(
        own: &'a Arc<SourceFile>,
        loaded: &'a dyn Loaded,
        source: Source,
        state: State,
    ) -> Self {
        let own_folder = own.path.rsplit_once('/').map_or("", |(folder, _)| folder);
        Self {
            own,
            own_folder: own_folder.into(),
            loaded,
            state,
            source: Rc::new(source),
            found: Vec::new(),
            functions: HashMap::new(),
            last_assigned: HashMap::new(),
            function_end: None,
            locals: HashSet::new(),
            level: 0,
            loads: 0,
            depth: 0,
            work: 0,
            output: Output::Nothing,
        }
    }

    /// Runs the own text.
    pub(super) fn run(&mut self, commands: &List) {
        let mut last = HashMap::new();
        assigned(commands, &mut |name, end, is_local| {
            if !is_local {
                last.insert(name.to_owned(), end);
            }
        });
        self.last_assigned = last;
        self.list(commands);
    }

    /// Runs another text in this shell.
    pub(super) fn run_source(&mut self, mut source: Source) -> Flow {
        let script = shell::read(&source.text);
        source.heredocs = script.heredocs;
        let outer = std::mem::replace(&mut self.source, Rc::new(source));
        let function_end = self.function_end.take();
        let flow = self.nested(|machine| machine.list(&script.commands));
        self.function_end = function_end;
        self.source = outer;
        flow.unwrap_or(Flow::Goes)
    }

    /// Counts what is given out; whether there may be more.
    pub(super) fn spend(&mut self, amount: usize) -> bool {
        self.work = self.work.saturating_add(amount);
        self.work < MAX_WORK
    }

    /// Does something nested; `None` where it is nested too deep.
    pub(super) fn nested<T>(&mut self, run: impl FnOnce(&mut Self) -> T) -> Option<T> {
        if self.depth >= MAX_DEPTH {
            return None;
        }
        self.depth += 1;
        let done = run(self);
        self.depth -= 1;
        Some(done)
    }

    /// Does something of which nothing lasts.
    pub(super) fn branch(&mut self, run: impl FnOnce(&mut Self) -> Flow) -> (Branch, Flow) {
        let before = std::mem::replace(&mut self.output, Output::Nothing);
        let mark = self.state.begin();
        let flow = self.nested(run).unwrap_or(Flow::Goes);
        let branch = self.state.end(mark);
        let is_silent = matches!(self.output, Output::Nothing);
        self.output = if is_silent { before } else { Output::Unknown };
        (branch, flow)
    }

    /// Something is printed.
    pub(super) fn print(&mut self, output: Output) {
        self.output = match (&self.output, output) {
            (before, Output::Nothing) => before.clone(),
            (Output::Nothing, output) => output,
            _ => Output::Unknown,
        };
    }

    /// Whether a variable is seen in this shell.
    pub(super) fn sees(&self, variable: &Variable) -> bool {
        variable.level == self.level || variable.is_exported
    }

    /// Whether a function is walked over and the variable is assigned after it, before it may be called.
    pub(super) fn is_assigned_later(&self, name: &str) -> bool {
        let last = self.last_assigned.get(name);
        self.function_end
            .is_some_and(|end| last.is_some_and(|last| *last > end))
    }

    /// The variables that are assigned after the function that is walked over.
    pub(super) fn assigned_later(&self) -> impl Iterator<Item = &str> {
        let end = self.function_end.unwrap_or(usize::MAX);
        let later = self
            .last_assigned
            .iter()
            .filter(move |(_, last)| **last > end);
        later.map(|(name, _)| &**name)
    }

    /// Whether the function that is walked over may find another value in a variable that was assigned before it.
    pub(super) fn may_change(&self, name: &str, variable: &Variable) -> bool {
        variable.function_end != self.function_end && self.is_assigned_later(name)
    }

    /// Whether the own text assigns the variable somewhere.
    pub(super) fn is_assigned_somewhere(&self, name: &str) -> bool {
        self.last_assigned.contains_key(name)
    }

    /// `((…))`.
    pub(super) fn arithmetic(&mut self, span: Span) {
        let source = Rc::clone(&self.source);
        let text = source.text.get(span.start..span.end).unwrap_or_default();
        for name in assigned_by_arithmetic(text) {
            self.assign_unknown(
                name,
                &format!("`${name}` is the result of arithmetic"),
                span,
            );
        }
    }

    /// Assigns something that is not known.
    pub(super) fn assign_unknown(&mut self, name: &str, why: &str, span: Span) {
        self.assign(name, Value::unknown(why), false, span);
    }

    /// Assigns; an exported variable stays exported.
    pub(super) fn assign(&mut self, name: &str, value: Value, exports: bool, span: Span) {
        let before = self.state.get(name);
        let was_exported = before.is_some_and(|before| before.is_exported)
            || self.state.place.exports.contains(name);
        let variable = Variable {
            value,
            is_exported: exports || was_exported || self.state.place.exports_all,
            spot: self.spot(span),
            level: self.level,
            function_end: self.function_end,
        };
        self.state.set(name, Some(variable));
    }

    /// Where these bytes of the text that is run stand.
    pub(super) fn spot(&self, span: Span) -> Spot {
        self.source.spot(span)
    }
}
