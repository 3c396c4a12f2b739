//! Walking over the tree: lists, branches, loops, functions.

use std::rc::Rc;

use crate::source::Span;
use crate::source::shell::{Command, CommandKind, Connector, List, Pipeline, Statement, Word};

use super::assigned::assigned;
use super::machine::{Flow, Machine, Output};
use super::piece::text_of;
use super::state::{Branch, Value};
use super::verdict::{is_test, reads_arguments};

impl Machine<'_> {
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
                // `[ -z "$A" ] && exit` is for those who do not set it.
                if self.pipeline(pipeline) == Flow::Ends && !is_test(&statement.first) {
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
                // Without arguments, which is how the defaults before such a loop are meant, it does nothing.
                let is_skipped = self.function_end.is_none()
                    && self.state.place.positional.is_none()
                    && reads_arguments(condition);
                if is_skipped {
                    self.branch(|machine| {
                        machine.forget_assigned(body, command.span);
                        machine.list(condition);
                        machine.list(body)
                    });
                    self.forget_empty(body, command.span);
                    return Flow::Goes;
                }
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
            // What ends the script is for those who call it in another way.
            let is_taken = is_taken.filter(|is_taken| !is_taken || outcome.1 == Flow::Goes);
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
            [only] if text_of(&only.pieces, &self.state.place.folder).is_ok() => {
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

    /// An empty default of what the caller's arguments set is none: without the argument the script would not work.
    fn forget_empty(&mut self, body: &List, span: Span) {
        let mut names = Vec::new();
        assigned(body, &mut |name, _, _| {
            let is_empty =
                self.state
                    .get(name)
                    .is_some_and(|variable| match &variable.value {
                        Value::Text(pieces) => text_of(pieces, &self.state.place.folder)
                            .is_ok_and(|text| text.is_empty()),
                        Value::Array(_) => false,
                    });
            if is_empty {
                names.push(name.to_owned());
            }
        });
        for name in names {
            self.assign_unknown(&name, &format!("`${name}` is given by the caller"), span);
        }
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
}
