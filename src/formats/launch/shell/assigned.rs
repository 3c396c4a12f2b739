//! Which variables a text assigns, wherever it does.

use crate::source::Span;
use crate::source::shell::{Command, CommandKind, List, Simple, Word};

/// What `found` is told: a variable, the offset after the command that assigns it, and whether it is `local`.
type Found<'a> = &'a mut dyn FnMut(&str, usize, bool);

/// The commands whose words are names of variables that they set.
const SETTERS: [&str; 6] = ["read", "mapfile", "readarray", "getopts", "unset", "let"];

/// Every variable that commands assign in their own shell.
pub(super) fn assigned(list: &List, found: Found<'_>) {
    for statement in &list.statements {
        let rest = statement.rest.iter().map(|(_, pipeline)| pipeline);
        for pipeline in std::iter::once(&statement.first).chain(rest) {
            // The commands of a pipeline are subshells.
            if let [command] = pipeline.commands.as_slice() {
                of_command(command, found);
            }
        }
    }
}

fn of_command(command: &Command, found: Found<'_>) {
    match &command.kind {
        CommandKind::Simple(simple) => of_simple(simple, command.span, found),
        CommandKind::Group(list) => assigned(list, found),
        CommandKind::If {
            branches,
            otherwise,
        } => {
            for (condition, body) in branches {
                assigned(condition, found);
                assigned(body, found);
            }
            if let Some(body) = otherwise {
                assigned(body, found);
            }
        }
        CommandKind::While { condition, body } => {
            assigned(condition, found);
            assigned(body, found);
        }
        CommandKind::For { name, body, .. } => {
            found(name, command.span.end, false);
            assigned(body, found);
        }
        CommandKind::ForArithmetic { body, .. } => assigned(body, found),
        CommandKind::Case { items, .. } => {
            for item in items {
                assigned(&item.body, found);
            }
        }
        CommandKind::Function { body, .. } => of_command(body, found),
        CommandKind::Subshell(_) | CommandKind::Test(_) | CommandKind::Arithmetic(_) => {}
    }
}

fn of_simple(simple: &Simple, span: Span, found: Found<'_>) {
    // Those before a command's name are the command's own.
    let lasting = if simple.words.is_empty() {
        simple.assignments.as_slice()
    } else {
        &[]
    };
    let mut words = simple.words.iter().filter_map(Word::plain);
    let name = words.next().unwrap_or_default();
    for assignment in lasting.iter().chain(&simple.declarations) {
        found(&assignment.name, span.end, name == "local");
    }
    if name == "printf" {
        if words.next() == Some("-v") {
            words.take(1).for_each(|name| found(name, span.end, false));
        }
    } else if SETTERS.contains(&name) {
        words.for_each(|name| found(name, span.end, false));
    }
}

/// The variables that an arithmetic expression assigns: `((PORT++))`, `((N = 8))`.
pub(super) fn assigned_by_arithmetic(expression: &str) -> Vec<&str> {
    let is_name = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let mut names = Vec::new();
    let mut start = 0;
    while let Some(found) = expression[start..].find(is_name) {
        let start_of_name = start + found;
        let rest = &expression[start_of_name..];
        let length = rest.find(|c| !is_name(c)).unwrap_or(rest.len());
        let (name, after) = rest.split_at(length);
        let after = after.trim_start();
        let is_set = ["++", "--", "+=", "-=", "*=", "/=", "%=", "|=", "&=", "^="]
            .iter()
            .any(|sign| after.starts_with(sign))
            || (after.starts_with('=') && !after.starts_with("=="));
        let before = expression[..start_of_name].trim_end();
        if is_set || before.ends_with("++") || before.ends_with("--") {
            names.push(name);
        }
        start = start_of_name + length;
    }
    names
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::source::shell;

    #[test]
    fn every_way_to_assign() {
        let text = "A=1; if x; then B=2 c; export C=3 D; fi; (E=1); F=1 | x
            for G in a; do read -r H; done; f() { local I=1; }; printf -v J x";
        let mut names = Vec::new();
        assigned(&shell::read(text).commands, &mut |name, _, _| {
            names.push(name.to_owned());
        });
        names.retain(|name| !name.starts_with('-'));
        assert_eq!(names, ["A", "C", "G", "H", "I", "J"]);
        assert_eq!(
            assigned_by_arithmetic("PORT++, N = A==2, --K, é += M"),
            ["PORT", "N", "K"]
        );
    }
}
