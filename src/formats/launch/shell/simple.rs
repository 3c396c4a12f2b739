//! Simple commands: what they assign, and those that are given out.

use std::collections::BTreeMap;
use std::rc::Rc;

use crate::source::Span;
use crate::source::shell::{Command, RedirectionKind, Simple};

use super::super::fragments::MappedText;
use super::super::{Folder, Spot, Term};
use super::machine::{Flow, Machine, Output};
use super::origin::mapped_text;
use super::piece::{Field, Piece, term, text_of};
use super::state::Value;
use super::{Executed, Redirection};

/// The words of a command after expansion, each with the place of the word that gave it.
pub(super) struct Words {
    pub(super) fields: Vec<(Field, Spot)>,
    pub(super) terms: Vec<Term>,
}

/// A variable that is assigned in front of a command, for it alone.
pub(super) struct Inline {
    pub(super) name: String,
    pub(super) pieces: Vec<Piece>,
    pub(super) spot: Spot,
}

impl Words {
    /// The known text of a word.
    pub(super) fn known(&self, position: usize) -> Option<&str> {
        self.terms.get(position)?.known()
    }
}

impl Machine<'_> {
    pub(super) fn simple(&mut self, simple: &Simple, command: &Command) -> Flow {
        let words = self.words(simple);
        if words.terms.is_empty() {
            for assignment in &simple.assignments {
                self.assignment(assignment, false);
            }
            return Flow::Goes;
        }
        let inline = self.inline(simple);
        let name = words.known(0).unwrap_or_default().to_owned();
        if let Some(flow) = self.builtin(&name, simple, &words, command) {
            return flow;
        }
        if let Some(function) = self.functions.get(&name).cloned() {
            if self.spend(function.len()) {
                self.state.apply(&function);
            }
            self.print(Output::Unknown);
            return Flow::Goes;
        }
        let output = self.output_of(&name, &words);
        self.print(output);
        let is_exec = name == "exec" && words.terms.len() > 1;
        self.give_out(&words, inline, command);
        if is_exec { Flow::Ends } else { Flow::Goes }
    }

    /// What stands in front of a command; each assignment sees those before it.
    fn inline(&mut self, simple: &Simple) -> Vec<Inline> {
        let mut inline = Vec::new();
        if simple.assignments.is_empty() {
            return inline;
        }
        self.branch(|machine| {
            for assignment in &simple.assignments {
                machine.assignment(assignment, false);
                let name = &assignment.name;
                let value = machine.state.get(name).map(|variable| &variable.value);
                let pieces = match value {
                    Some(Value::Text(pieces)) => pieces.to_vec(),
                    Some(Value::Array(_)) => vec![Piece::unknown("an array is not exported")],
                    None => continue,
                };
                inline.push(Inline {
                    name: name.clone(),
                    pieces,
                    spot: machine.spot(assignment.span),
                });
            }
            Flow::Goes
        });
        inline
    }

    fn words(&mut self, simple: &Simple) -> Words {
        let mut fields = Vec::new();
        for word in &simple.words {
            let spot = self.spot(word.span);
            let expanded = self.fields(word);
            fields.extend(expanded.into_iter().map(|field| (field, spot.clone())));
        }
        let folder = &self.state.place.folder;
        let terms = fields
            .iter()
            .map(|(field, spot)| term(field, folder, spot))
            .collect();
        Words { fields, terms }
    }

    fn give_out(&mut self, words: &Words, inline: Vec<Inline>, command: &Command) {
        let redirections = self.redirections(command);
        let amount = words.terms.len() + self.state.exported_len();
        if self.loads > 0 || !self.spend(amount) {
            return;
        }
        let folder = self.state.place.folder.clone();
        let mut environment = self.environment();
        for Inline { name, pieces, spot } in &inline {
            let term = Term {
                text: text_of(pieces, &folder),
                is_open: false,
                spot: spot.clone(),
            };
            environment.insert(name.clone(), term);
        }
        let mut executed = Executed {
            words: words.terms.clone(),
            environment,
            folder,
            spot: self.spot(command.span),
            redirections,
            has_run_text: false,
        };
        let inner = self.inner(words, &executed, command);
        executed.has_run_text = inner.is_some();
        self.found.push(executed);
        if let Some(inner) = inner {
            self.run_inner(inner, inline);
        }
    }

    fn environment(&self) -> BTreeMap<String, Term> {
        let folder = &self.state.place.folder;
        // A function is called later: what is assigned until then may be exported too.
        let later = self.assigned_later().map(|name| {
            let term = Term {
                text: Err(format!("`${name}` is assigned after this function")),
                is_open: false,
                spot: self.spot(Span::at(0)),
            };
            (name.to_owned(), term)
        });
        let mut environment: BTreeMap<String, Term> = later.collect();
        environment.extend(self.exported_terms(folder));
        environment
    }

    fn exported_terms(&self, folder: &Folder) -> BTreeMap<String, Term> {
        self.state
            .exported()
            .filter(|(_, variable)| self.sees(variable))
            .map(|(name, variable)| {
                let text = match &variable.value {
                    _ if self.may_change(name, variable) => {
                        Err(format!("`${name}` is assigned again after this function"))
                    }
                    Value::Text(pieces) => text_of(pieces, folder),
                    Value::Array(_) => Err("an array is not exported".to_owned()),
                };
                let term = Term {
                    text,
                    is_open: false,
                    spot: variable.spot.clone(),
                };
                (name.to_string(), term)
            })
            .collect()
    }

    fn redirections(&mut self, command: &Command) -> Vec<Redirection> {
        let mut found = Vec::new();
        for redirection in &command.redirections {
            let is_output = matches!(redirection.descriptor, None | Some(1));
            let target = &redirection.target;
            match redirection.kind {
                RedirectionKind::HereDoc(position) => {
                    let source = Rc::clone(&self.source);
                    let body = source.heredocs.get(position).and_then(|body| {
                        let text = source.mapped_parts(&body.pieces, self.own)?;
                        Some((text, !body.is_quoted))
                    });
                    found.extend(
                        body.map(|(text, is_expanded)| Redirection::Body { text, is_expanded }),
                    );
                }
                RedirectionKind::HereString => {
                    let pieces = self.value(target);
                    let text: Option<MappedText> = mapped_text(&pieces, self.own);
                    found.extend(text.map(|text| Redirection::Body {
                        text,
                        is_expanded: false,
                    }));
                }
                kind => {
                    let spot = self.spot(target.span);
                    let fields = self.fields(target);
                    let file = fields
                        .first()
                        .map(|field| term(field, &self.state.place.folder, &spot));
                    match (kind, file) {
                        (RedirectionKind::Output, Some(file)) if is_output => {
                            found.push(Redirection::Output(file));
                        }
                        (RedirectionKind::Append, Some(file)) if is_output => {
                            found.push(Redirection::Append(file));
                        }
                        (RedirectionKind::BothOutput, Some(file)) => {
                            found.push(Redirection::Output(file));
                        }
                        (RedirectionKind::BothAppend, Some(file)) => {
                            found.push(Redirection::Append(file));
                        }
                        _ => {}
                    }
                }
            }
        }
        found
    }
}
