//! Filling in what another program fills in before the shell or the program sees the text: `${{ matrix.x }}`,
//! `$(MODEL)` of make, `{{model}}` of just.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::source::{SourceFile, Span};

use super::super::{Spot, Term};
use super::text::{Builder, MappedText};

/// Names of the variables that stand for what is not known begin so.
const UNKNOWN: &str = "FP8LINT_UNKNOWN_";

/// How many bytes an expression may have: beyond that, its end is not looked for.
const EXPRESSION_LIMIT: usize = 1_000;

/// How many bytes one text may grow by.
const GROWTH_LIMIT: usize = 1 << 20;

/// What stands in a text after filling in.
pub(super) enum Filling {
    /// This text.
    Known(String),
    /// It is not known, and why.
    Unknown(String),
    /// These one after the other, the unknown ones with the reason.
    Parts(Vec<Result<String, String>>),
}

impl Filling {
    /// The text of a term, or why it has none.
    pub(super) fn of(term: &Term) -> Self {
        match &term.text {
            Ok(text) => Self::Known(text.clone()),
            Err(why) => Self::Unknown(why.clone()),
        }
    }
}

/// Is asked at each mark with the text from there on; answers with the length of an expression and what takes its place.
pub(super) type Find<'a> = &'a mut dyn FnMut(&str) -> Option<(usize, Filling)>;

/// Variables that stand in a shell text for what is not known, with the reason as their value.
pub(super) struct Unknowns<'a> {
    file: &'a Arc<SourceFile>,
    numbers: BTreeMap<String, usize>,
    terms: Vec<(String, Term)>,
}

impl<'a> Unknowns<'a> {
    pub(super) fn new(file: &'a Arc<SourceFile>) -> Self {
        Self {
            file,
            numbers: BTreeMap::new(),
            terms: Vec::new(),
        }
    }

    /// The variables, to be given to the shell.
    pub(super) fn into_terms(self) -> Vec<(String, Term)> {
        self.terms
    }

    /// The name of the variable that stands for this.
    pub(super) fn name(&mut self, why: String, span: Span) -> String {
        if let Some(number) = self.numbers.get(&why) {
            return format!("{UNKNOWN}{number}");
        }
        let number = self.terms.len() + 1;
        let name = format!("{UNKNOWN}{number}");
        let term = Term {
            text: Err(why.clone()),
            is_open: false,
            spot: Spot {
                file: Arc::clone(self.file),
                span,
            },
        };
        self.numbers.insert(why, number);
        self.terms.push((name.clone(), term));
        name
    }
}

/// A shell text with everything filled in that `find` finds at a `mark`.
pub(super) fn shell(
    text: MappedText,
    mark: char,
    find: Find<'_>,
    unknowns: &mut Unknowns<'_>,
) -> MappedText {
    if !text.text.contains(mark) {
        return text;
    }
    let mut quotes = Quotes::default();
    replace(&text, mark, &mut |rest, skipped, span| {
        quotes.pass(skipped);
        let (length, filling) = find(rest)?;
        Some((
            length,
            match filling {
                Filling::Known(text) => text,
                Filling::Unknown(why) => quotes.variable(&unknowns.name(why, span(length))),
                Filling::Parts(parts) => {
                    let parts = parts.into_iter().map(|part| match part {
                        Ok(text) => text,
                        Err(why) => quotes.variable(&unknowns.name(why, span(length))),
                    });
                    parts.collect()
                }
            },
        ))
    })
}

/// A word that no shell sees, with everything filled in.
pub(super) fn word(
    file: &Arc<SourceFile>,
    text: &MappedText,
    mark: char,
    find: Find<'_>,
) -> (MappedText, Term) {
    let mut unknown = None;
    let filled = replace(text, mark, &mut |rest, _, _| {
        let (length, filling) = find(rest)?;
        let text = match filling {
            Filling::Known(text) => Ok(text),
            Filling::Unknown(why) => Err(why),
            Filling::Parts(parts) => parts.into_iter().collect(),
        };
        let text = text.unwrap_or_else(|why| {
            unknown.get_or_insert(why);
            String::new()
        });
        Some((length, text))
    });
    let term = Term {
        text: match unknown {
            Some(why) => Err(why),
            None => Ok(filled.text.clone()),
        },
        is_open: false,
        spot: Spot {
            file: Arc::clone(file),
            span: text.source(),
        },
    };
    (filled, term)
}

/// What is asked at a mark, see [`replace`].
type Replace<'a> = &'a mut dyn FnMut(&str, &str, &dyn Fn(usize) -> Span) -> Option<(usize, String)>;

/// Replaces expressions. `find` gets the text from a mark on, what was passed since the last call, and the bytes of the
/// file that an expression of a length would have.
fn replace(text: &MappedText, mark: char, find: Replace<'_>) -> MappedText {
    let mut builder = Builder::new(text.source().start);
    // Copied so far, looked at so far, given to `find` so far.
    let (mut copied, mut at, mut passed) = (0, 0, 0);
    let mut growth = 0;
    while let Some(found) = text.text.get(at..).and_then(|rest| rest.find(mark)) {
        let start = at + found;
        let rest = &text.text[start..];
        let span = |length| text.in_file(Span::new(start, start + length));
        let answer = find(rest, &text.text[passed..start], &span);
        passed = start;
        at = start + mark.len_utf8();
        let Some((length, filling)) = answer else {
            continue;
        };
        growth += filling.len();
        if growth > GROWTH_LIMIT {
            break;
        }
        builder.part(text, copied..start);
        builder.replaced(&filling, span(length));
        copied = start + length;
        (at, passed) = (copied, copied);
    }
    builder.part(text, copied..text.text.len());
    builder.finish()
}

/// The text between `open`, with which `rest` begins, and `close`, and the length of it all.
pub(super) fn between<'a>(rest: &'a str, open: &str, close: &str) -> Option<(&'a str, usize)> {
    let inner = rest.strip_prefix(open)?;
    let mut limit = inner.len().min(EXPRESSION_LIMIT);
    while !inner.is_char_boundary(limit) {
        limit -= 1;
    }
    let end = inner[..limit].find(close)?;
    Some((&inner[..end], open.len() + end + close.len()))
}

/// The name with which a text begins: letters, digits and underscores, no digit first.
pub(super) fn name(text: &str) -> Option<&str> {
    let end = text
        .find(|c: char| !c.is_ascii_alphanumeric() && c != '_')
        .unwrap_or(text.len());
    (end > 0 && !text.starts_with(|c: char| c.is_ascii_digit())).then(|| &text[..end])
}

/// Which quotes of the shell are open.
#[derive(Default)]
struct Quotes {
    open: Option<char>,
    is_escaped: bool,
    is_comment: bool,
    /// Whether the last character ends a word, so that a `#` would begin a comment.
    is_inside_word: bool,
}

impl Quotes {
    fn pass(&mut self, text: &str) {
        for c in text.chars() {
            if self.is_comment {
                self.is_comment = c != '\n';
                self.is_inside_word = self.is_comment;
                continue;
            }
            if self.is_escaped {
                self.is_escaped = false;
                self.is_inside_word = true;
                continue;
            }
            match (self.open, c) {
                (None | Some('"'), '\\') => self.is_escaped = true,
                (None, '\'' | '"') => self.open = Some(c),
                (None, '#') if !self.is_inside_word => self.is_comment = true,
                (Some(open), _) if open == c => self.open = None,
                _ => {}
            }
            self.is_inside_word = !c.is_whitespace() && !";&|(".contains(c);
        }
    }

    /// How a variable is written here, so that the shell fills it in.
    fn variable(&mut self, name: &str) -> String {
        self.is_inside_word = true;
        match self.open {
            Some('\'') => format!("'\"${{{name}}}\"'"),
            _ => format!("${{{name}}}"),
        }
    }
}
