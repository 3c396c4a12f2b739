//! Walking over the tree: lists, branches, loops, functions.

use std::collections::{HashMap, HashSet};
use std::rc::Rc;
use std::sync::Arc;

use crate::source::shell::{
    self, Command, CommandKind, Connector, List, Pipeline, Statement, Word,
};
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
    /// The first shell from which on exported variables reach this one: `ssh` and `docker` pass none on.
    pub(super) reaches_from: usize,
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
            reaches_from: 0,
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
        variable.level == self.level
            || (variable.is_exported && variable.level >= self.reaches_from)
    }

    /// Whether a function is walked over and the variable is assigned after it, before it may be called.
    pub(super) fn is_assigned_later(&self, name: &str) -> bool {
        let last = self.last_assigned.get(name);
        self.function_end
            .is_some_and(|end| last.is_some_and(|last| *last > end))
    }

    /// Whether the function that is walked over may find another value in a variable that was assigned before it.
    pub(super) fn may_change(&self, name: &str, variable: &Variable) -> bool {
        variable.function_end != self.function_end && self.is_assigned_later(name)
    }

    /// Whether the own text assigns the variable somewhere.
    pub(super) fn is_assigned_somewhere(&self, name: &str) -> bool {
        self.last_assigned.contains_key(name)
    }

    pub(super) fn list(&mut self, list: &List) -> Flow {
        for statement in &list.statements {
            if !self.spend(1) || self.statement(statement) == Flow::Ends {
                return Flow::Ends;
            }
        }
        Flow::Goes
    }

    fn statement(&mut self, statement: &Statement) -> Flow {
        if statement.is_background {
            self.branch(|machine| machine.chain(statement));
            return Flow::Goes;
        }
        self.chain(statement)
    }

    fn chain(&mut self, statement: &Statement) -> Flow {
        if self.pipeline(&statement.first) == Flow::Ends {
            return Flow::Ends;
        }
        let mut succeeds = self.succeeds(&statement.first);
        let mut at = 0;
        while let Some((connector, pipeline)) = statement.rest.get(at) {
            at += 1;
            let is_reached = succeeds.map(|succeeds| succeeds == (*connector == Connector::And));
            if is_reached == Some(true) {
                if self.pipeline(pipeline) == Flow::Ends {
                    return Flow::Ends;
                }
                succeeds = self.succeeds(pipeline);
                continue;
            }
            // What follows after `&&` belongs to it.
            let rest = &statement.rest[at..];
            let is_and = |connector: &Connector| *connector == Connector::And;
            let more = rest
                .iter()
                .take_while(|(connector, _)| is_and(connector))
                .count();
            let more = if is_and(connector) { more } else { 0 };
            let (branch, flow) = self.branch(|machine| {
                let mut flow = machine.pipeline(pipeline);
                for (_, pipeline) in &rest[..more] {
                    if flow == Flow::Goes {
                        flow = machine.pipeline(pipeline);
                    }
                }
                flow
            });
            at += more;
            if is_reached.is_none() && flow == Flow::Goes {
                self.state.merge(vec![branch], true);
            }
        }
        Flow::Goes
    }

    fn pipeline(&mut self, pipeline: &Pipeline) -> Flow {
        if let [command] = pipeline.commands.as_slice() {
            return self.command(command);
        }
        let before = std::mem::replace(&mut self.output, Output::Unknown);
        for command in &pipeline.commands {
            self.branch(|machine| machine.command(command));
        }
        self.output = before;
        self.print(Output::Unknown);
        Flow::Goes
    }

    fn command(&mut self, command: &Command) -> Flow {
        match &command.kind {
            CommandKind::Simple(simple) => self.simple(simple, command),
            CommandKind::Subshell(list) => {
                self.branch(|machine| machine.list(list));
                Flow::Goes
            }
            CommandKind::Group(list) => self
                .nested(|machine| machine.list(list))
                .unwrap_or(Flow::Goes),
            CommandKind::If {
                branches,
                otherwise,
            } => self.conditional(branches, otherwise.as_ref()),
            CommandKind::While { condition, body } => {
                self.forget_assigned(body, command.span);
                self.nested(|machine| machine.list(condition));
                self.maybe(|machine| machine.list(body));
                Flow::Goes
            }
            CommandKind::For { name, words, body } => {
                self.for_loop(name, words.as_deref(), body, command.span)
            }
            CommandKind::ForArithmetic { expression, body } => {
                self.forget_assigned(body, command.span);
                self.arithmetic(*expression);
                self.maybe(|machine| machine.list(body));
                Flow::Goes
            }
            CommandKind::Case { word, items } => {
                self.value(word);
                let mut branches = Vec::new();
                let mut may_skip = true;
                for item in items {
                    let patterns = item.patterns.iter().filter_map(Word::plain);
                    may_skip &= !patterns.into_iter().any(|pattern| pattern == "*");
                    branches.push(self.branch(|machine| machine.list(&item.body)));
                }
                self.join(branches, may_skip)
            }
            CommandKind::Function { name, body } => {
                let end = self.function_end;
                self.function_end = Some(end.unwrap_or(command.span.end));
                let locals = std::mem::take(&mut self.locals);
                let (mut branch, _) = self.branch(|machine| {
                    machine.state.place.positional = None;
                    machine.command(body)
                });
                let own = std::mem::replace(&mut self.locals, locals);
                branch.changes.retain(|name, _| !own.contains(&**name));
                self.function_end = end;
                self.functions.insert(name.clone(), Rc::new(branch));
                Flow::Goes
            }
            CommandKind::Test(words) => {
                for word in words {
                    self.value(word);
                }
                Flow::Goes
            }
            CommandKind::Arithmetic(span) => {
                self.arithmetic(*span);
                Flow::Goes
            }
        }
    }

    /// Does something that may not happen.
    fn maybe(&mut self, run: impl FnOnce(&mut Self) -> Flow) {
        let (branch, flow) = self.branch(run);
        if flow == Flow::Goes {
            self.state.merge(vec![branch], true);
        }
    }

    fn conditional(&mut self, branches: &[(List, List)], otherwise: Option<&List>) -> Flow {
        let mut outcomes = Vec::new();
        // Whether no branch so far is surely taken.
        let mut is_open = true;
        for (condition, body) in branches {
            self.nested(|machine| machine.list(condition));
            let is_taken = self.verdict_of_list(condition);
            let outcome = self.branch(|machine| machine.list(body));
            if is_open && is_taken != Some(false) {
                outcomes.push(outcome);
            }
            is_open &= is_taken != Some(true);
        }
        if let Some(body) = otherwise {
            let outcome = self.branch(|machine| machine.list(body));
            if is_open {
                outcomes.push(outcome);
            }
        }
        self.join(outcomes, otherwise.is_none() && is_open)
    }

    /// Goes on after branches. Those that end the script do not reach what follows.
    fn join(&mut self, branches: Vec<(Branch, Flow)>, may_skip: bool) -> Flow {
        let live: Vec<Branch> = branches
            .into_iter()
            .filter(|(_, flow)| *flow == Flow::Goes)
            .map(|(branch, _)| branch)
            .collect();
        if live.is_empty() && !may_skip {
            return Flow::Ends;
        }
        self.state.merge(live, may_skip);
        Flow::Goes
    }

    fn for_loop(&mut self, name: &str, words: Option<&[Word]>, body: &List, span: Span) -> Flow {
        let elements = self.elements(words.unwrap_or_default());
        self.forget_assigned(body, span);
        let value = match elements.as_slice() {
            [only] if super::piece::text_of(&only.pieces, &self.state.place.folder).is_ok() => {
                Value::Text(Rc::new(only.pieces.clone()))
            }
            _ => Value::unknown(&format!(
                "`${name}` has another value in each turn of the loop"
            )),
        };
        self.assign(name, value, false, span);
        let (branch, flow) = self.branch(|machine| machine.list(body));
        if flow == Flow::Goes {
            let runs = elements.iter().any(|field| !field.pieces.is_empty());
            self.state.merge(vec![branch], !runs);
        }
        Flow::Goes
    }

    /// What the body of a loop assigns is not known at its beginning: it may be of an earlier turn.
    fn forget_assigned(&mut self, body: &List, span: Span) {
        let mut names = Vec::new();
        assigned(body, &mut |name, _, _| {
            names.push(name.to_owned());
        });
        for name in names {
            self.assign_unknown(&name, &format!("`${name}` changes in the loop"), span);
        }
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
        let was_exported = before.is_some_and(|before| before.is_exported);
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
