//! What is left of a variable that branches assign differently.

use std::rc::Rc;

use super::piece::{Field, Piece};
use super::state::{Value, Variable, is_same};

/// One variable after branches.
pub(super) fn merged(name: &str, outcomes: &[Option<&Variable>]) -> Option<Variable> {
    let first = outcomes.iter().flatten().next()?;
    let is_same = outcomes.iter().all(|outcome| {
        outcome.is_some_and(|variable| {
            variable.is_exported == first.is_exported && variable.value.is_same(&first.value)
        })
    });
    let mut variable = (*first).clone();
    if !is_same {
        variable.is_exported = outcomes.iter().flatten().any(|other| other.is_exported);
        let why = format!("`${name}` differs between the branches above");
        let values: Vec<&Value> = outcomes
            .iter()
            .flatten()
            .map(|other| &other.value)
            .collect();
        variable.value = if values.len() < outcomes.len() {
            Value::unknown(&why)
        } else {
            common(&values, &why)
        };
    }
    Some(variable)
}

/// What values have in common at their beginnings and ends, with something unknown between: `A+=(--x)` on one of the
/// branches leaves the other elements known.
fn common(values: &[&Value], why: &str) -> Value {
    let unknown = Piece::unknown(why).with_many(true);
    let arrays: Option<Vec<&[Field]>> = values.iter().map(|value| value.array()).collect();
    if let Some(arrays) = arrays {
        let is_same_field = |a: &Field, b: &Field| is_same(&a.pieces, &b.pieces);
        let (head, tail) = ends(&arrays, is_same_field);
        let first = arrays[0];
        let between = Field {
            pieces: vec![unknown],
            is_written: false,
        };
        let tail = &first[first.len() - tail..];
        let all = first[..head].iter().cloned().chain([between]);
        return Value::Array(Rc::new(all.chain(tail.iter().cloned()).collect()));
    }
    let texts: Option<Vec<&[Piece]>> = values.iter().map(|value| value.text()).collect();
    let Some(texts) = texts else {
        return Value::unknown(why);
    };
    let (head, tail) = ends(&texts, |a, b| a.content == b.content);
    let first = texts[0];
    let (head, tail) = (&first[..head], &first[first.len() - tail..]);
    // The pieces in common are words of their own only where blanks follow them, or go before.
    let rests = || {
        texts
            .iter()
            .map(|text| &text[head.len()..text.len() - tail.len()])
    };
    let begins_blank =
        |pieces: &[Piece]| pieces.first().is_none_or(|piece| piece.is_blank_at(true));
    let ends_blank = |pieces: &[Piece]| pieces.last().is_none_or(|piece| piece.is_blank_at(false));
    let keeps_head = ends_blank(head) || (begins_blank(tail) && rests().all(begins_blank));
    let keeps_tail = begins_blank(tail) || (ends_blank(head) && rests().all(ends_blank));
    if !keeps_head || !keeps_tail {
        return Value::unknown(why);
    }
    let blank = || Piece::text(" ", None);
    let mut pieces = head.to_vec();
    pieces.extend([blank(), unknown, blank()]);
    pieces.extend(tail.iter().cloned());
    if head.is_empty() && tail.is_empty() {
        return Value::unknown(why);
    }
    Value::Text(Rc::new(pieces))
}

/// How many elements all lists have in common at their beginning, and how many at their end.
fn ends<T>(lists: &[&[T]], is_same: impl Fn(&T, &T) -> bool) -> (usize, usize) {
    let Some((first, others)) = lists.split_first() else {
        return (0, 0);
    };
    let shortest = lists.iter().map(|list| list.len()).min().unwrap_or(0);
    let head = (0..shortest)
        .take_while(|at| others.iter().all(|other| is_same(&first[*at], &other[*at])))
        .count();
    let tail = (1..=shortest - head)
        .take_while(|at| {
            let last = &first[first.len() - at];
            others
                .iter()
                .all(|other| is_same(last, &other[other.len() - at]))
        })
        .count();
    (head, tail)
}
