//! Expansion: from words with parts to fields of pieces.

use std::rc::Rc;

use crate::source::shell::{Part, PartKind, Word};

use super::machine::Machine;
use super::piece::{Field, Fields, Piece};

/// What a part of a word expands to.
pub(super) enum Expanded {
    /// One text.
    Text(Vec<Piece>),
    /// The elements of `$@`, of `${A[@]}`.
    Many(Rc<Vec<Field>>),
    /// Words, already split: those of `${A:-a b}`.
    Split(Vec<Field>),
}

impl Expanded {
    /// All of it as one text.
    pub(super) fn into_text(self) -> Vec<Piece> {
        match self {
            Self::Text(pieces) => pieces,
            Self::Many(fields) => joined_by_blanks(fields.iter()),
            Self::Split(fields) => joined_by_blanks(&fields),
        }
    }
}

impl Machine<'_> {
    /// The fields that a word of a command comes to.
    pub(super) fn fields(&mut self, word: &Word) -> Vec<Field> {
        self.expand(word, false)
    }

    /// The fields of the word in `${NAME:-word}`, whose unquoted text is split as well.
    pub(super) fn default_fields(&mut self, word: &Word) -> Vec<Field> {
        let mut fields = Fields::default();
        for part in &word.parts {
            let is_quoted = part.is_quoted;
            let expanded = self.part(part, !is_quoted).into_text();
            if is_quoted {
                fields.add(expanded, false);
            } else {
                fields.split(&expanded);
            }
        }
        fields.end();
        fields.done
    }

    /// The elements that words of an array or of a loop come to.
    pub(super) fn elements(&mut self, words: &[Word]) -> Vec<Field> {
        words
            .iter()
            .flat_map(|word| self.expand(word, true))
            .map(|field| Field {
                is_written: false,
                ..field
            })
            .collect()
    }

    /// A word as one text: what is assigned, what is redirected to.
    pub(super) fn value(&mut self, word: &Word) -> Vec<Piece> {
        let mut pieces = Vec::new();
        for part in &word.parts {
            let expanded = self.part(part, false).into_text();
            let via = self.spot(part.span);
            pieces.extend(expanded.into_iter().map(|piece| Piece {
                via: Some(via.clone()),
                ..piece.with_many(false)
            }));
        }
        pieces
    }

    fn expand(&mut self, word: &Word, is_assigned: bool) -> Vec<Field> {
        if has_braces(word) {
            let written = self.source.text.get(word.span.start..word.span.end);
            let why = match written {
                Some(written) if written.len() < 40 => {
                    format!("the braces of `{written}` stand for several words")
                }
                _ => "its braces stand for several words".to_owned(),
            };
            return vec![Field {
                pieces: vec![Piece::unknown(&why).with_many(true)],
                is_written: false,
            }];
        }
        let mut fields = Fields::default();
        for part in &word.parts {
            let is_written = matches!(part.kind, PartKind::Text(_));
            let via = is_assigned.then(|| self.spot(part.span));
            let mark = |pieces: &[Piece]| -> Vec<Piece> {
                let mut pieces = pieces.to_vec();
                if via.is_some() {
                    pieces
                        .iter_mut()
                        .for_each(|piece| piece.via.clone_from(&via));
                }
                pieces
            };
            let splits = !part.is_quoted;
            match self.part(part, splits) {
                Expanded::Text(pieces) if is_written => fields.add(mark(&pieces), true),
                Expanded::Text(pieces) if !splits => {
                    let pieces = mark(&pieces).into_iter().map(|p| p.with_many(false));
                    fields.add(pieces, false);
                }
                Expanded::Text(pieces) => fields.split(&mark(&pieces)),
                Expanded::Many(elements) => {
                    for (position, element) in elements.iter().enumerate() {
                        if position > 0 {
                            fields.end();
                        }
                        if splits {
                            fields.split(&mark(&element.pieces));
                        } else {
                            fields.add(mark(&element.pieces), false);
                        }
                    }
                }
                Expanded::Split(words) => {
                    for (position, word) in words.into_iter().enumerate() {
                        if position > 0 {
                            fields.end();
                        }
                        fields.add(mark(&word.pieces), word.is_written);
                    }
                }
            }
        }
        fields.end();
        self.spend(fields.done.len());
        fields.done
    }

    fn part(&mut self, part: &Part, splits: bool) -> Expanded {
        match &part.kind {
            PartKind::Text(text) => Expanded::Text(self.source.pieces(text, part.span)),
            PartKind::Parameter(parameter) => {
                let expanded = self.parameter(parameter, part.span, splits);
                let amount = match &expanded {
                    Expanded::Text(pieces) => pieces.iter().map(|piece| 1 + piece.len() / 64).sum(),
                    Expanded::Many(fields) => fields.len(),
                    Expanded::Split(words) => words.len(),
                };
                if self.spend(amount) {
                    expanded
                } else {
                    Expanded::Text(vec![Piece::unknown("the script is too long to follow")])
                }
            }
            PartKind::Command(list) => Expanded::Text(self.substitution(list, part.span)),
            PartKind::Process(list) => {
                self.branch(|machine| machine.list(list));
                Expanded::Text(vec![Piece::unknown("it is a pipe to another command")])
            }
            PartKind::Arithmetic(span) => {
                let source = Rc::clone(&self.source);
                let text = source.text.get(span.start..span.end).unwrap_or_default();
                self.arithmetic(*span);
                let number = text.trim();
                Expanded::Text(vec![if !number.is_empty()
                    && number.bytes().all(|byte| byte.is_ascii_digit())
                {
                    Piece::text(number, Some(self.spot(part.span)))
                } else {
                    Piece::unknown("it is the result of arithmetic")
                }])
            }
        }
    }
}

/// Fields as one text.
pub(super) fn joined_by_blanks<'a>(fields: impl IntoIterator<Item = &'a Field>) -> Vec<Piece> {
    let mut pieces = Vec::new();
    for (position, field) in fields.into_iter().enumerate() {
        if position > 0 {
            pieces.push(Piece::text(" ", None));
        }
        pieces.extend(field.pieces.iter().cloned());
    }
    pieces
}

/// Whether a word has `{a,b}` or `{1..4}`.
fn has_braces(word: &Word) -> bool {
    let has_open = |part: &Part| matches!(&part.kind, PartKind::Text(text) if !part.is_quoted && text.contains('{'));
    if !word.parts.iter().any(has_open) {
        return false;
    }
    let mut open: Vec<bool> = Vec::new();
    for part in &word.parts {
        let text = match &part.kind {
            PartKind::Text(text) if !part.is_quoted => text.as_str(),
            _ => continue,
        };
        let mut before = ' ';
        for c in text.chars() {
            match c {
                '{' => open.push(false),
                '}' if open.pop() == Some(true) => return true,
                _ if c == ',' || (c == '.' && before == '.') => {
                    if let Some(is_separated) = open.last_mut() {
                        *is_separated = true;
                    }
                }
                _ => {}
            }
            before = c;
        }
    }
    false
}
