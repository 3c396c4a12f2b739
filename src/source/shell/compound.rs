//! Compound commands and functions.

use super::cursor::{Open, Reader};
use super::{CaseItem, CommandKind, List, Word};
use crate::source::Span;

impl Reader<'_> {
    /// The compound command that begins here, if one does and it is not nested too deep.
    pub(super) fn compound(&mut self) -> Option<CommandKind> {
        if self.starts_with("((") {
            let before = self.at;
            self.at += 2;
            if let Some(span) = self.arithmetic() {
                return Some(CommandKind::Arithmetic(span));
            }
            self.at = before;
        }
        if self.byte(0) == Some(b'(') {
            return Some(CommandKind::Subshell(self.parenthesised()));
        }
        let word = self.reserved()?;
        let read = match word {
            "if" => Self::if_command,
            "while" | "until" => Self::while_command,
            "for" | "select" => Self::for_command,
            "case" => Self::case_command,
            "{" => Self::group,
            "function" => Self::function,
            "[[" => Self::test,
            _ => return None,
        };
        self.nested(|reader| {
            reader.at += word.len();
            read(reader)
        })
    }

    /// The commands up to what closes the construct or its part.
    fn list_in(&mut self, open: Open) -> List {
        self.open.push(open);
        let list = self.list();
        self.open.pop();
        list
    }

    fn if_command(&mut self) -> CommandKind {
        let mut branches = Vec::new();
        let mut otherwise = None;
        loop {
            let condition = self.list_in(Open::If);
            let body = if self.take_reserved("then") {
                self.list_in(Open::If)
            } else {
                List::default()
            };
            branches.push((condition, body));
            if self.take_reserved("elif") {
                continue;
            }
            // More than one `else` is an error; the text of the others is read for its commands.
            while self.take_reserved("else") {
                let list = self.list_in(Open::If);
                let kept: &mut List = otherwise.get_or_insert_default();
                kept.statements.extend(list.statements);
            }
            self.take_reserved("fi");
            return CommandKind::If {
                branches,
                otherwise,
            };
        }
    }

    fn while_command(&mut self) -> CommandKind {
        let condition = self.list_in(Open::Loop);
        let body = self.loop_body();
        CommandKind::While { condition, body }
    }

    /// `do … done`, also the `{ … }` that bash takes after `for`.
    fn loop_body(&mut self) -> List {
        self.blanks();
        if self.take(";") {
            self.blanks();
        }
        self.blank_lines();
        if self.take_reserved("{") {
            let list = self.list_in(Open::Brace);
            self.take_reserved("}");
            return list;
        }
        if !self.take_reserved("do") {
            return List::default();
        }
        let list = self.list_in(Open::Loop);
        self.take_reserved("done");
        list
    }

    fn for_command(&mut self) -> CommandKind {
        self.blanks();
        if self.take("((") {
            let expression = self.arithmetic().unwrap_or(Span::at(self.at));
            let body = self.loop_body();
            return CommandKind::ForArithmetic { expression, body };
        }
        let name = self.name().to_owned();
        self.blank_lines();
        let mut words = None;
        if self.take_reserved("in") {
            words = Some(self.words());
        }
        let body = self.loop_body();
        CommandKind::For { name, words, body }
    }

    /// The words up to the end of the command.
    fn words(&mut self) -> Vec<Word> {
        let mut words = Vec::new();
        loop {
            self.blanks();
            match self.word() {
                Some(word) => words.push(word),
                None => return words,
            }
        }
    }

    fn case_command(&mut self) -> CommandKind {
        self.blanks();
        let word = self.word_or_missing();
        self.blank_lines();
        self.take_reserved("in");
        let mut items = Vec::new();
        loop {
            self.blank_lines();
            if self.take_reserved("esac") || self.at >= self.end {
                break;
            }
            let before = self.at;
            self.take("(");
            let mut patterns = Vec::new();
            loop {
                patterns.extend(self.words());
                if !self.take("|") {
                    break;
                }
            }
            if !self.take(")") {
                // No pattern ends here: the construct is broken, and what follows is read as commands again.
                self.at = before;
                break;
            }
            let body = self.list_in(Open::Case);
            items.push(CaseItem { patterns, body });
            let _ = self.take(";;&") || self.take(";;") || self.take(";&");
        }
        CommandKind::Case { word, items }
    }

    fn group(&mut self) -> CommandKind {
        let list = self.list_in(Open::Brace);
        self.take_reserved("}");
        CommandKind::Group(list)
    }

    fn function(&mut self) -> CommandKind {
        self.blanks();
        let word = self.word_or_missing();
        let name = self.slice(word.span).to_owned();
        self.blanks();
        if self.take("(") {
            self.blanks();
            self.take(")");
        }
        self.function_body(name)
    }

    /// The body that a function's head is followed by.
    pub(super) fn function_body(&mut self, name: String) -> CommandKind {
        self.blank_lines();
        match self.command() {
            Some(body) => CommandKind::Function {
                name,
                body: Box::new(body),
            },
            None => CommandKind::Group(List::default()),
        }
    }

    fn test(&mut self) -> CommandKind {
        let mut words = Vec::new();
        loop {
            self.blank_lines();
            if self.take_reserved("]]") || matches!(self.byte(0), None | Some(b';')) {
                return CommandKind::Test(words);
            }
            match self.word() {
                Some(word) => words.push(word),
                // `<`, `&&`, the parentheses of a regular expression.
                None => self.step(),
            }
        }
    }
}
