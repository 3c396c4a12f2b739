//! `setup.py`: the strings in what `install_requires` and `extras_require` are given, through names that are assigned
//! in the same file. Nothing is run, so what is put together otherwise is not seen.

mod tokens;

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::ops::Range;

use super::{Said, requirement, span};
use tokens::Token;

/// What a project says.
pub(super) fn said(text: &str) -> Vec<Said> {
    let tokens = tokens::of(text);
    let mut scan = Scan {
        tokens: &tokens,
        values: values(&tokens),
        seen: BTreeSet::new(),
        waiting: arguments(&tokens).into(),
        said: Vec::new(),
    };
    while let Some((value, is_optional)) = scan.waiting.pop_front() {
        scan.value(value, is_optional);
    }
    scan.said
}

/// What is said of a name: `deps = […]`, `deps += […]`, `deps["x"] = […]`, `deps.append("x")`.
fn values<'text>(tokens: &[Token<'text>]) -> BTreeMap<&'text str, Vec<Range<usize>>> {
    let mut values: BTreeMap<_, Vec<_>> = BTreeMap::new();
    let mut start = 0;
    for statement in tokens.split(|token| *token == Token::End) {
        if let Some(Token::Name(name)) = statement.first() {
            let value = start + 1..start + statement.len();
            values.entry(*name).or_default().push(value);
        }
        start += statement.len() + 1;
    }
    values
}

/// What the arguments are given: `install_requires=…`. True for extras.
fn arguments(tokens: &[Token<'_>]) -> Vec<(Range<usize>, bool)> {
    let mut arguments = Vec::new();
    let mut at = 0;
    while let Some(token) = tokens.get(at) {
        at += 1;
        let is_extra = match token {
            Token::Name("install_requires") => false,
            Token::Name("extras_require") => true,
            _ => continue,
        };
        let is_assigned = tokens.get(at) == Some(&Token::Mark('='))
            && tokens.get(at + 1) != Some(&Token::Mark('='));
        if is_assigned {
            let start = at + 1;
            at = end(tokens, start);
            arguments.push((start..at, is_extra));
        }
    }
    // What is always installed first: a name that both use counts for it.
    arguments.sort_by_key(|(_, is_extra)| *is_extra);
    arguments
}

/// Where the value ends that begins here: at a comma, at the end of the call, at the end of the line.
fn end(tokens: &[Token<'_>], start: usize) -> usize {
    let mut depth = 0_usize;
    for (offset, token) in tokens.iter().enumerate().skip(start) {
        match token {
            Token::Mark('(' | '[' | '{') => depth += 1,
            Token::Mark(')' | ']' | '}') if depth > 0 => depth -= 1,
            Token::Mark(',' | ')' | ']' | '}') if depth == 0 => return offset,
            Token::End if depth == 0 => return offset,
            _ => {}
        }
    }
    tokens.len()
}

struct Scan<'a, 'text> {
    tokens: &'a [Token<'text>],
    values: BTreeMap<&'text str, Vec<Range<usize>>>,
    seen: BTreeSet<&'text str>,
    waiting: VecDeque<(Range<usize>, bool)>,
    said: Vec<Said>,
}

impl Scan<'_, '_> {
    fn value(&mut self, value: Range<usize>, is_optional: bool) {
        for at in value {
            let before = |back: usize| at.checked_sub(back).and_then(|at| self.tokens.get(at));
            let is_before = |mark: char| before(1) == Some(&Token::Mark(mark));
            let after = self.tokens.get(at + 1);
            match self.tokens.get(at) {
                Some(Token::Text {
                    bytes,
                    holds: Some(text),
                }) => {
                    let is_key = after == Some(&Token::Mark(':'));
                    let is_subscript = is_before('[')
                        && matches!(before(2), Some(Token::Name(_) | Token::Mark(']' | ')')));
                    // `"a" "b"` is one string.
                    let is_part = [before(1), after]
                        .iter()
                        .any(|token| matches!(token, Some(Token::Text { .. })));
                    if is_key || is_subscript || is_part {
                        continue;
                    }
                    let mut found = Vec::new();
                    requirement::collect(text.trim(), |_| span(bytes.clone()), &mut found);
                    self.said.extend(found.into_iter().map(|found| Said {
                        is_conditional: found.is_conditional || is_optional,
                        ..found
                    }));
                }
                Some(Token::Name(name)) if !is_before('.') && self.seen.insert(name) => {
                    // One of many: `deps["torch"]`.
                    let is_optional = is_optional || after == Some(&Token::Mark('['));
                    let values = self.values.get(name).into_iter().flatten();
                    self.waiting
                        .extend(values.map(|value| (value.clone(), is_optional)));
                }
                _ => {}
            }
        }
    }
}
