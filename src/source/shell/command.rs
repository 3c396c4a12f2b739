//! Lists, statements, pipelines, and which command begins where.

use super::cursor::{Open, Reader, ends_word};
use super::{Command, CommandKind, Connector, List, Pipeline, Statement};
use crate::source::Span;

/// The reserved words that begin no command.
const CLOSING: [&str; 8] = ["then", "elif", "else", "fi", "do", "done", "esac", "}"];

/// The reserved words.
const RESERVED: [&str; 22] = [
    "if", "then", "elif", "else", "fi", "while", "until", "for", "select", "do", "done", "case",
    "esac", "in", "function", "time", "coproc", "{", "}", "!", "[[", "]]",
];

impl Reader<'_> {
    /// The reserved word that stands here, if one does. Only where a command may begin.
    pub(super) fn reserved(&self) -> Option<&'static str> {
        let length = (0..=8)
            .find(|ahead| self.byte(*ahead).is_none_or(ends_word) || self.line_break(*ahead) > 0)?;
        let word = self.slice(Span::new(self.at, self.at + length));
        RESERVED.iter().find(|reserved| **reserved == word).copied()
    }

    /// Steps over a reserved word if it is next.
    pub(super) fn take_reserved(&mut self, word: &str) -> bool {
        self.reserved() == Some(word) && self.take(word)
    }

    /// The commands from here to what closes them, which is not stepped over.
    pub(super) fn list(&mut self) -> List {
        let mut list = List::default();
        loop {
            self.blank_lines();
            if self.at >= self.end || self.is_closed() {
                return list;
            }
            let before = self.at;
            if let Some(statement) = self.statement() {
                list.statements.push(statement);
            }
            if self.at == before {
                // A sign that begins nothing: bash would stop here.
                self.stray();
            }
        }
    }

    /// Whether what stands here closes something that is open. What is open around a parenthesis is out of reach.
    fn is_closed(&self) -> bool {
        let wanted = match self.byte(0) {
            Some(b')') => return self.open.contains(&Open::Parenthesis),
            Some(b';') if matches!(self.byte(1), Some(b';' | b'&')) => Open::Case,
            _ => match self.reserved() {
                Some("then" | "elif" | "else" | "fi") => Open::If,
                Some("do" | "done") => Open::Loop,
                Some("esac") => Open::Case,
                Some("}") => Open::Brace,
                _ => return false,
            },
        };
        self.open
            .iter()
            .rev()
            .take_while(|open| **open != Open::Parenthesis)
            .any(|open| *open == wanted)
    }

    fn stray(&mut self) {
        match self.reserved() {
            Some(word) => self.at += word.len(),
            None => self.step(),
        }
    }

    fn statement(&mut self) -> Option<Statement> {
        let mut statement = Statement {
            first: self.pipeline()?,
            rest: Vec::new(),
            is_background: false,
        };
        loop {
            self.blanks();
            let connector = match (self.byte(0), self.byte(1)) {
                (Some(b'&'), Some(b'&')) => Connector::And,
                (Some(b'|'), Some(b'|')) => Connector::Or,
                (Some(b'&'), _) => {
                    self.at += 1;
                    statement.is_background = true;
                    return Some(statement);
                }
                (Some(b';'), next) => {
                    self.at += usize::from(!matches!(next, Some(b';' | b'&')));
                    return Some(statement);
                }
                _ => return Some(statement),
            };
            self.at += 2;
            self.blank_lines();
            match self.pipeline() {
                Some(pipeline) => statement.rest.push((connector, pipeline)),
                None => return Some(statement),
            }
        }
    }

    fn pipeline(&mut self) -> Option<Pipeline> {
        let mut is_negated = false;
        loop {
            self.blanks();
            if self.take_reserved("!") {
                is_negated = !is_negated;
            } else if self.take_reserved("time") {
                self.blanks();
                if self.starts_with("-p ") {
                    self.at += 2;
                }
            } else if !self.take_reserved("coproc") {
                break;
            }
        }
        let mut commands = vec![self.command()?];
        loop {
            self.blanks();
            if self.byte(0) != Some(b'|') || self.byte(1) == Some(b'|') {
                break;
            }
            self.at += 1;
            self.take("&");
            self.blank_lines();
            match self.command() {
                Some(command) => commands.push(command),
                None => break,
            }
        }
        Some(Pipeline {
            commands,
            is_negated,
        })
    }

    /// The command that begins here, if one does.
    pub(super) fn command(&mut self) -> Option<Command> {
        self.blanks();
        let start = self.at;
        let kind = match self.compound() {
            Some(kind) => kind,
            None if self.reserved().is_some_and(|word| CLOSING.contains(&word)) => return None,
            None => return self.simple_command(),
        };
        let span = Span::new(start, self.at);
        let mut redirections = Vec::new();
        if !matches!(kind, CommandKind::Function { .. }) {
            self.redirections(&mut redirections);
        }
        Some(Command {
            kind,
            redirections,
            span,
        })
    }
}
