//! What begins with `$`.

use super::cursor::{Reader, begins_name, is_name_byte};
use super::word::Mode;
use super::{List, Operator, Parameter, Part, PartKind, Subscript};
use crate::source::Span;

/// The operators of `${NAME…}`; longer ones first.
const OPERATORS: [&str; 22] = [
    ":-", ":=", ":?", ":+", "##", "%%", "//", "/#", "/%", "^^", ",,", "-", "=", "?", "+", "#", "%",
    "/", "^", ",", ":", "@",
];

impl Reader<'_> {
    /// Reads what begins with this `$`.
    pub(super) fn dollar(&mut self, mode: Mode, parts: &mut Vec<Part>) {
        let start = self.at;
        let is_quoted = mode.is_quoted();
        let Some(next) = self.byte(1) else {
            return self.lone_dollar(is_quoted, parts);
        };
        let kind = match next {
            b'(' => self.parentheses(),
            b'{' => {
                self.at += 2;
                self.braces(is_quoted)
            }
            b'\'' if !is_quoted => {
                self.at += 1;
                return self.ansi_quotes(parts);
            }
            b'"' if !is_quoted => {
                self.at += 1;
                return self.double_quotes(parts);
            }
            byte if begins_name(byte) => {
                self.at += 1;
                named(self.name().to_owned())
            }
            byte if byte.is_ascii_digit() || b"@*#?-$!".contains(&byte) => {
                self.at += 2;
                named(char::from(byte).to_string())
            }
            _ => return self.lone_dollar(is_quoted, parts),
        };
        parts.push(Part {
            kind,
            span: Span::new(start, self.at),
            is_quoted,
        });
    }

    fn lone_dollar(&mut self, is_quoted: bool, parts: &mut Vec<Part>) {
        self.at += 1;
        parts.push(Part {
            kind: PartKind::Text("$".to_owned()),
            span: Span::new(self.at - 1, self.at),
            is_quoted,
        });
    }

    /// The name that begins here.
    pub(super) fn name(&mut self) -> &str {
        let start = self.at;
        while self.byte(0).is_some_and(is_name_byte) {
            self.at += 1;
        }
        self.slice(Span::new(start, self.at))
    }

    fn parentheses(&mut self) -> PartKind {
        self.at += 1;
        if self.byte(1) == Some(b'(') {
            let before = self.at;
            self.at += 2;
            if let Some(span) = self.arithmetic() {
                return PartKind::Arithmetic(span);
            }
            self.at = before;
        }
        PartKind::Command(self.parenthesised())
    }

    /// The commands of `( … )`, from its opening parenthesis on.
    pub(super) fn parenthesised(&mut self) -> List {
        let start = self.at;
        let found = self.nested(|reader| {
            reader.at += 1;
            reader.open.push(super::cursor::Open::Parenthesis);
            let list = reader.list();
            reader.open.pop();
            reader.take(")");
            list
        });
        found.unwrap_or_else(|| {
            self.at = start;
            self.skip_parentheses();
            List::default()
        })
    }

    /// What follows `${`.
    fn braces(&mut self, is_quoted: bool) -> PartKind {
        let mut parameter = Parameter {
            name: String::new(),
            subscript: None,
            is_length: false,
            is_indirect: false,
            operator: None,
        };
        // `${#}` and `${#:…}` are the number of parameters, `${#NAME}` is a length.
        let names_follow =
            |byte: Option<u8>| byte.is_some_and(|byte| is_name_byte(byte) || b"@*".contains(&byte));
        match self.byte(0) {
            Some(b'#') if names_follow(self.byte(1)) => {
                parameter.is_length = true;
                self.at += 1;
            }
            Some(b'!') if names_follow(self.byte(1)) => {
                parameter.is_indirect = true;
                self.at += 1;
            }
            _ => {}
        }
        match self.byte(0) {
            Some(byte) if is_name_byte(byte) => parameter.name = self.name().to_owned(),
            Some(byte) if b"@*#?-$!".contains(&byte) => {
                self.at += 1;
                parameter.name = char::from(byte).to_string();
            }
            _ => {}
        }
        if let Some(span) = self.subscript() {
            parameter.subscript = Some(match self.slice(span) {
                "@" => Subscript::At,
                "*" => Subscript::Star,
                other => Subscript::Index(other.to_owned()),
            });
        }
        let symbol = OPERATORS.iter().find(|symbol| self.starts_with(symbol));
        if let Some(symbol) = symbol {
            self.at += symbol.len();
        }
        let mode = if is_quoted {
            Mode::DoubleBrace
        } else {
            Mode::Brace
        };
        let start = self.at;
        let word = self
            .nested(|reader| reader.word_in(mode))
            .unwrap_or_else(|| self.skip_to_brace(start));
        self.take("}");
        parameter.operator = match symbol {
            Some(symbol) => Some(Operator { symbol, word }),
            // Something that bash would refuse: its value is not to be taken for that of the variable.
            None if !word.parts.is_empty() => Some(Operator { symbol: "@", word }),
            None => None,
        };
        PartKind::Parameter(Box::new(parameter))
    }

    fn skip_to_brace(&mut self, start: usize) -> super::Word {
        while self.byte(0).is_some_and(|byte| byte != b'}') {
            self.at += 1;
        }
        let span = Span::new(start, self.at);
        super::Word {
            parts: vec![Part {
                kind: PartKind::Text(self.slice(span).to_owned()),
                span,
                is_quoted: false,
            }],
            span,
        }
    }

    /// What stands in `[…]`, if it begins here, stands on one line and is short.
    pub(super) fn subscript(&mut self) -> Option<Span> {
        const LONGEST: usize = 256;
        if self.byte(0) != Some(b'[') {
            return None;
        }
        let start = self.at + 1;
        let most = self.end.min(start + LONGEST);
        let rest = &self.bytes[start..most];
        let length = rest
            .iter()
            .position(|byte| matches!(byte, b']' | b'\n'))
            .filter(|length| rest[*length] == b']')?;
        self.at = start + length + 1;
        Some(Span::new(start, start + length))
    }
}

fn named(name: String) -> PartKind {
    PartKind::Parameter(Box::new(Parameter {
        name,
        subscript: None,
        is_length: false,
        is_indirect: false,
        operator: None,
    }))
}
