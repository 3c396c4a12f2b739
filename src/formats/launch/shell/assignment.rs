//! Assignments.

use std::rc::Rc;

use crate::source::shell::{Assigned, Assignment, Word};

use super::machine::Machine;
use super::piece::{Field, Piece};
use super::state::Value;

impl Machine<'_> {
    /// Assigns what stands in the text.
    pub(super) fn assignment(&mut self, assignment: &Assignment, exports: bool) {
        let name = assignment.name.as_str();
        let given = match &assignment.value {
            Assigned::Word(word) => Value::Text(Rc::new(self.value(word))),
            Assigned::Array(words) => self.array(words),
        };
        let before = self.state.get(name).map(|before| before.value.clone());
        let value = match (given, assignment.subscript, assignment.is_append) {
            (_, Some(_), _) => Value::unknown(&format!(
                "the elements of `${name}` are assigned one by one"
            )),
            (given, None, false) => given,
            (given, None, true) => appended(before, given, name),
        };
        let amount = match &value {
            Value::Text(pieces) => pieces.len(),
            Value::Array(fields) => fields.len(),
        };
        self.spend(amount / 16);
        self.assign(name, bounded(value, name), exports, assignment.span);
    }

    fn array(&mut self, words: &[Word]) -> Value {
        let is_keyed = |word: &Word| {
            let text = self.source.text.get(word.span.start..word.span.end);
            text.is_some_and(|text| text.starts_with('[') && text.contains("]="))
        };
        if words.iter().any(is_keyed) {
            return Value::unknown("the elements of the array have keys");
        }
        Value::Array(Rc::new(self.elements(words)))
    }
}

/// How long a value may grow.
const LONGEST_VALUE: usize = 16 * 1024;
const MOST_PIECES: usize = 512;

fn bounded(value: Value, name: &str) -> Value {
    let (length, count) = match &value {
        Value::Text(pieces) => (pieces.iter().map(Piece::len).sum(), pieces.len()),
        Value::Array(fields) => {
            let pieces = || fields.iter().flat_map(|field| &field.pieces);
            (
                pieces().map(Piece::len).sum::<usize>(),
                fields.len().max(pieces().count()),
            )
        }
    };
    if length > LONGEST_VALUE || count > MOST_PIECES {
        return Value::unknown(&format!("`${name}` is too long to follow"));
    }
    value
}

fn appended(before: Option<Value>, given: Value, name: &str) -> Value {
    match (before, given) {
        (None, Value::Array(given)) => Value::Array(given),
        (None, Value::Text(given)) => {
            // What the environment of the start gives it comes first.
            let mut pieces = vec![Piece::unknown(&format!(
                "`${name}` is not assigned before this"
            ))];
            pieces.extend(given.iter().cloned());
            Value::Text(Rc::new(pieces))
        }
        (Some(Value::Text(mut before)), Value::Text(given)) => {
            Rc::make_mut(&mut before).extend(given.iter().cloned());
            Value::Text(before)
        }
        (Some(Value::Array(mut before)), Value::Array(given)) => {
            Rc::make_mut(&mut before).extend(given.iter().cloned());
            Value::Array(before)
        }
        (Some(Value::Text(before)), Value::Array(given)) => {
            let mut fields = vec![Field {
                pieces: before.to_vec(),
                is_written: false,
            }];
            fields.extend(given.iter().cloned());
            Value::Array(Rc::new(fields))
        }
        (Some(Value::Array(_)), Value::Text(_)) => {
            Value::unknown(&format!("an element of `${name}` is appended to"))
        }
    }
}
