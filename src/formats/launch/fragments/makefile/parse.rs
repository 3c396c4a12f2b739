//! The variables and rules of a Makefile.

use std::collections::BTreeMap;

use crate::source::Span;

use super::super::text::{Builder, MappedText, lines};
use super::variables::{Variable, Variables};

/// A rule.
pub(super) struct Rule {
    /// What stands before its colon.
    pub(super) targets: String,
    pub(super) recipe: Vec<MappedText>,
}

/// A Makefile.
#[derive(Default)]
pub(super) struct Makefile {
    pub(super) variables: Variables,
    pub(super) rules: Vec<Rule>,
    pub(super) is_one_shell: bool,
    /// `export` alone.
    pub(super) is_all_exported: bool,
    /// `target: NAME = value`
    specific: BTreeMap<String, Variables>,
}

impl Makefile {
    /// The variables that a rule's targets have to themselves.
    pub(super) fn of_targets(&self, targets: &str) -> Option<&Variables> {
        targets
            .split_whitespace()
            .find_map(|target| self.specific.get(target))
    }
}

/// What a line assigns.
struct Assignment<'l> {
    name: &'l str,
    operator: &'l str,
    value: &'l str,
    /// Where the value begins.
    at: usize,
    is_exported: bool,
}

/// Words that may stand before an assignment.
const MODIFIERS: [&str; 4] = ["export", "override", "private", "unexport"];

const CONDITIONS: [&str; 4] = ["ifeq", "ifneq", "ifdef", "ifndef"];

pub(super) fn read(text: &str) -> Makefile {
    let mut makefile = Makefile::default();
    let mut lines = lines(text);
    // The variables that each open condition asks to be missing: assigning those is a default.
    let mut conditions: Vec<Option<String>> = Vec::new();
    let mut is_define = false;
    while let Some((start, line)) = lines.next() {
        let is_recipe = line.starts_with('\t') && !makefile.rules.is_empty();
        let mut builder = Builder::new(start);
        let mut part = match line.strip_prefix('\u{feff}') {
            Some(line) if start == 0 => ('\u{feff}'.len_utf8(), line),
            _ => (start, line),
        };
        if is_recipe {
            part = (start + 1, &line[1..]);
        }
        while continues(part.1) {
            let Some((next, line)) = lines.next() else {
                break;
            };
            if is_recipe {
                builder.verbatim(part.1, part.0);
                builder.line_feed(text, part.0 + part.1.len());
                let content = line.strip_prefix('\t').unwrap_or(line);
                part = (next + line.len() - content.len(), content);
            } else {
                let kept = part.1[..part.1.len() - 1].trim_end();
                builder.verbatim(kept, part.0);
                let content = line.trim_start();
                let at = next + line.len() - content.len();
                builder.replaced(" ", Span::new(part.0 + kept.len(), at));
                part = (at, content);
            }
        }
        builder.verbatim(part.1, part.0);
        let logical = builder.finish();
        if is_recipe {
            if let Some(rule) = makefile.rules.last_mut().filter(|_| !is_define) {
                rule.recipe.push(logical);
            }
            continue;
        }
        let content = without_comment(&logical.text);
        let word = content.split_whitespace().next().unwrap_or_default();
        match word {
            "endef" => is_define = false,
            _ if is_define => {}
            "define" => {
                is_define = true;
                let name = content.split_whitespace().nth(1).unwrap_or_default();
                let why = format!("`{name}` is a `define` of the Makefile");
                makefile
                    .variables
                    .set(name, Variable::unknown(why, logical.source()));
            }
            _ if CONDITIONS.contains(&word) => {
                let name = content.split_whitespace().nth(1).map(str::to_owned);
                conditions.push(name.filter(|_| word == "ifndef"));
            }
            "endif" => {
                conditions.pop();
            }
            // Of the other branch nothing is a default.
            "else" => {
                if let Some(last) = conditions.last_mut() {
                    *last = None;
                }
            }
            "export" | "unexport" if assignment(content, 0).is_none() => {
                makefile.is_all_exported |= word == "export" && content.trim() == "export";
                for name in content.split_whitespace().skip(1) {
                    makefile.variables.export(name, word == "export");
                }
            }
            _ => {
                let decides = |name: &str| {
                    let is_default =
                        |condition: &Option<String>| condition.as_deref() == Some(name);
                    conditions.iter().all(is_default)
                };
                statement(&mut makefile, &logical, content, &decides);
            }
        }
    }
    makefile
}

/// An assignment, or a rule with or without one.
fn statement(
    makefile: &mut Makefile,
    logical: &MappedText,
    content: &str,
    decides: &dyn Fn(&str) -> bool,
) {
    if let Some(found) = assignment(content, 0) {
        assign(
            &mut makefile.variables,
            logical,
            &found,
            decides(found.name),
        );
        return;
    }
    let Some((targets, rest)) = content.split_once(':') else {
        return;
    };
    let rest = rest.trim_start_matches(':');
    if let Some(found) = assignment(rest, content.len() - rest.len()) {
        for target in targets.split_whitespace() {
            let variables = makefile.specific.entry(target.to_owned()).or_default();
            assign(variables, logical, &found, decides(found.name));
        }
        return;
    }
    makefile.is_one_shell |= targets.trim() == ".ONESHELL";
    makefile.is_all_exported |= targets.trim() == ".EXPORT_ALL_VARIABLES";
    makefile.rules.push(Rule {
        targets: targets.to_owned(),
        recipe: Vec::new(),
    });
}

fn assign(variables: &mut Variables, logical: &MappedText, found: &Assignment<'_>, decides: bool) {
    let span = logical.in_file(Span::new(found.at, found.at + found.value.len()));
    if found.operator == "?=" && variables.has(found.name) {
        return;
    }
    let variable = if !decides {
        let why = format!("`{}` depends on a condition of the Makefile", found.name);
        Variable::unknown(why, span)
    } else if found.operator == "!=" {
        let why = format!("`{}` is what a command prints", found.name);
        Variable::unknown(why, span)
    } else {
        Variable::new(found.value, span, found.operator.ends_with(":="))
    };
    if found.operator == "+=" {
        variables.append(found.name, variable);
    } else {
        variables.set(found.name, variable);
    }
    if found.is_exported {
        variables.export(found.name, true);
    }
}

/// `export NAME := value`; `None` for anything else. The text begins at this offset of its line.
fn assignment(content: &str, start: usize) -> Option<Assignment<'_>> {
    let equals = content.find('=')?;
    let before = &content[..equals];
    let name = before.trim_end_matches([':', '?', '+', '!']);
    let operator = &content[name.len()..=equals];
    let mut rest = name.trim();
    let mut is_exported = false;
    while let Some((word, after)) = rest.split_once(char::is_whitespace) {
        if !MODIFIERS.contains(&word) {
            return None;
        }
        is_exported |= word == "export";
        rest = after.trim_start();
    }
    let is_name = !rest.is_empty() && !rest.contains([':', '$', '#', '(']);
    let value = content[equals + 1..].trim_start();
    is_name.then(|| Assignment {
        name: rest,
        operator,
        value: value.trim_end(),
        at: start + content.len() - value.len(),
        is_exported,
    })
}

/// Whether a line ends in an odd number of backslashes.
fn continues(line: &str) -> bool {
    let count = line.len() - line.trim_end_matches('\\').len();
    count % 2 == 1
}

/// A line up to its `#`.
fn without_comment(line: &str) -> &str {
    let comment = line
        .match_indices('#')
        .find(|(at, _)| !line[..*at].ends_with('\\'));
    comment.map_or(line, |(at, _)| &line[..at])
}
