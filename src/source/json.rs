//! JSON as Python's `json.load(open(file, encoding="utf-8"))` reads it.
//!
//! Read here and not by jsonc-parser: that stops at 512 levels (Python at 995), drops lone surrogates, takes raw
//! control characters in strings and other blanks than JSON's.
//!
//! Python keeps a lone surrogate (`"\ud800"`) in a `str`; Rust's cannot, so it is read as U+FFFD.

use std::collections::HashMap;

use super::{
    Data, Document, DuplicateKey, Entry, Integer, Node, NodeId, Object, ReadError, Span, Style,
};

/// Python's recursion limit of 1000 is reached when `json` reads this many levels.
const DEPTH_LIMIT: usize = 994;

/// Reads one JSON document.
///
/// # Errors
/// `JSONDecodeError`, `RecursionError`, or `ValueError` for an integer of more than 4,300 digits.
pub fn read(text: &str) -> Result<Document, ReadError> {
    if text.starts_with('\u{feff}') {
        let message = "Unexpected UTF-8 BOM (decode using utf-8-sig)";
        return Err(ReadError::new("JSONDecodeError", message, Span::new(0, 3)));
    }
    let mut reader = Reader {
        text,
        at: 0,
        nodes: Vec::new(),
        duplicate_keys: Vec::new(),
    };
    let root = reader.document()?;
    reader
        .duplicate_keys
        .sort_by_key(|duplicate| duplicate.first.start);
    Ok(Document {
        nodes: reader.nodes,
        root,
        comments: Vec::new(),
        duplicate_keys: reader.duplicate_keys,
    })
}

/// An array or object that is still open.
struct Open {
    start: usize,
    collection: Collection,
}

enum Collection {
    Array(Vec<NodeId>),
    Object {
        entries: Vec<Entry>,
        positions: HashMap<String, usize>,
        /// Keys whose value is lost, with the position of the entry that takes their place.
        losers: Vec<(Span, usize)>,
        /// The key whose value comes next.
        key: Option<NodeId>,
    },
}

struct Reader<'text> {
    text: &'text str,
    at: usize,
    nodes: Vec<Node>,
    duplicate_keys: Vec<DuplicateKey>,
}

impl Reader<'_> {
    fn document(&mut self) -> Result<NodeId, ReadError> {
        let mut open: Vec<Open> = Vec::new();
        loop {
            self.blanks();
            let mut value = match self.value()? {
                Some(value) => value,
                None => {
                    if open.len() >= DEPTH_LIMIT {
                        let message = "nested too deeply: maximum recursion depth exceeded";
                        return Err(ReadError::new("RecursionError", message, Span::at(self.at)));
                    }
                    match self.open()? {
                        Ok(opened) => {
                            open.push(opened);
                            continue;
                        }
                        Err(empty) => empty,
                    }
                }
            };
            // A value is complete: close what it completes.
            loop {
                let Some(inner) = open.last_mut() else {
                    self.blanks();
                    if self.at < self.text.len() {
                        return Err(self.error("Extra data"));
                    }
                    return Ok(value);
                };
                let close = match &mut inner.collection {
                    Collection::Array(elements) => {
                        elements.push(value);
                        b']'
                    }
                    object @ Collection::Object { .. } => {
                        self.insert(object, value);
                        b'}'
                    }
                };
                self.blanks();
                match self.byte() {
                    Some(b',') => {
                        self.at += 1;
                        if close == b'}' {
                            self.blanks();
                            self.key(&mut inner.collection)?;
                        }
                        break;
                    }
                    Some(byte) if byte == close => {
                        self.at += 1;
                        let Some(done) = open.pop() else {
                            return Err(self.error("Extra data"));
                        };
                        value = self.close(done);
                    }
                    _ => return Err(self.error("Expecting ',' delimiter")),
                }
            }
        }
    }

    /// Opens the array or object here; `Err` with the node if it is empty.
    fn open(&mut self) -> Result<Result<Open, NodeId>, ReadError> {
        let start = self.at;
        let array = self.byte() == Some(b'[');
        self.at += 1;
        self.blanks();
        let mut collection = if array {
            Collection::Array(Vec::new())
        } else {
            Collection::Object {
                entries: Vec::new(),
                positions: HashMap::new(),
                losers: Vec::new(),
                key: None,
            }
        };
        if self.byte() == Some(if array { b']' } else { b'}' }) {
            self.at += 1;
            return Ok(Err(self.close(Open { start, collection })));
        }
        if !array {
            self.key(&mut collection)?;
        }
        Ok(Ok(Open { start, collection }))
    }

    fn close(&mut self, open: Open) -> NodeId {
        let data = match open.collection {
            Collection::Array(elements) => Data::List(elements),
            Collection::Object {
                entries, losers, ..
            } => {
                for (first, position) in losers {
                    let key = &self.nodes[entries[position].key.0 as usize];
                    if let Data::Scalar(Object::Str(name)) = &key.data {
                        self.duplicate_keys.push(DuplicateKey {
                            key: name.clone(),
                            first,
                            last: key.span,
                        });
                    }
                }
                Data::Dict(entries)
            }
        };
        self.add(open.start, Style::Flow, data)
    }

    /// Reads a key and its colon.
    fn key(&mut self, collection: &mut Collection) -> Result<(), ReadError> {
        if self.byte() != Some(b'"') {
            return Err(self.error("Expecting property name enclosed in double quotes"));
        }
        let written = self.string()?;
        self.blanks();
        if self.byte() != Some(b':') {
            return Err(self.error("Expecting ':' delimiter"));
        }
        self.at += 1;
        if let Collection::Object { key, .. } = collection {
            *key = Some(written);
        }
        Ok(())
    }

    /// Puts a value under the key that was read last.
    fn insert(&self, collection: &mut Collection, value: NodeId) {
        let Collection::Object {
            entries,
            positions,
            losers,
            key,
        } = collection
        else {
            return;
        };
        let Some(key) = key.take() else { return };
        let entry = Entry {
            key,
            value,
            merged: false,
        };
        let Data::Scalar(Object::Str(name)) = &self.nodes[key.0 as usize].data else {
            return;
        };
        match positions.get(name) {
            None => {
                positions.insert(name.clone(), entries.len());
                entries.push(entry);
            }
            Some(position) => {
                let earlier = std::mem::replace(&mut entries[*position], entry);
                losers.push((self.nodes[earlier.key.0 as usize].span, *position));
            }
        }
    }

    /// Reads a scalar; `None` before an array or object.
    fn value(&mut self) -> Result<Option<NodeId>, ReadError> {
        const WORDS: [(&str, Object); 6] = [
            ("null", Object::None),
            ("true", Object::Bool(true)),
            ("false", Object::Bool(false)),
            ("NaN", Object::Float(f64::NAN)),
            ("Infinity", Object::Float(f64::INFINITY)),
            ("-Infinity", Object::Float(f64::NEG_INFINITY)),
        ];
        match self.byte() {
            Some(b'[' | b'{') => return Ok(None),
            Some(b'"') => return self.string().map(Some),
            _ => {}
        }
        let rest = &self.text[self.at..];
        if let Some((word, object)) = WORDS.iter().find(|(word, _)| rest.starts_with(word)) {
            let start = self.at;
            self.at += word.len();
            return Ok(Some(self.add(
                start,
                Style::Plain,
                Data::Scalar(object.clone()),
            )));
        }
        self.number().map(Some)
    }

    fn number(&mut self) -> Result<NodeId, ReadError> {
        let start = self.at;
        let rest = &self.text[start..];
        let unsigned = rest.strip_prefix('-').unwrap_or(rest);
        let digits = |text: &str| text.bytes().take_while(u8::is_ascii_digit).count();
        let whole = match unsigned.as_bytes() {
            [b'0', ..] => 1,
            _ => digits(unsigned),
        };
        if whole == 0 {
            return Err(self.error("Expecting value"));
        }
        let mut length = rest.len() - unsigned.len() + whole;
        let integer = length;
        if let Some(fraction) = rest[length..].strip_prefix('.') {
            let fraction = digits(fraction);
            length += if fraction > 0 { 1 + fraction } else { 0 };
        }
        if let Some(exponent) = rest[length..].strip_prefix(['e', 'E']) {
            let unsigned = exponent.strip_prefix(['+', '-']).unwrap_or(exponent);
            let exponent_digits = digits(unsigned);
            if exponent_digits > 0 {
                length += 1 + (exponent.len() - unsigned.len()) + exponent_digits;
            }
        }
        self.at = start + length;
        let number = &rest[..length];
        let object = if length == integer {
            let digits = number.bytes().filter(u8::is_ascii_digit);
            let digits = digits.map(|digit| u32::from(digit - b'0'));
            match Integer::of_digits(number.starts_with('-'), digits, 10) {
                Some(integer) => Object::Int(integer),
                None => {
                    let message = "Exceeds the limit (4300 digits) for integer string conversion";
                    let span = Span::new(start, self.at);
                    return Err(ReadError::new("ValueError", message, span));
                }
            }
        } else {
            Object::Float(number.parse().unwrap_or(f64::NAN))
        };
        Ok(self.add(start, Style::Plain, Data::Scalar(object)))
    }

    fn string(&mut self) -> Result<NodeId, ReadError> {
        let start = self.at;
        self.at += 1;
        let mut value = String::new();
        loop {
            let rest = &self.text[self.at..];
            let plain = rest
                .find(|c: char| c == '"' || c == '\\' || c < ' ')
                .unwrap_or(rest.len());
            value.push_str(&rest[..plain]);
            self.at += plain;
            match self.byte() {
                Some(b'"') => {
                    self.at += 1;
                    let text = Data::Scalar(Object::Str(value));
                    return Ok(self.add(start, Style::DoubleQuoted, text));
                }
                Some(b'\\') => value.push(self.escape()?),
                Some(_) => return Err(self.error("Invalid control character")),
                None => {
                    self.at = start;
                    return Err(self.error("Unterminated string"));
                }
            }
        }
    }

    fn escape(&mut self) -> Result<char, ReadError> {
        let escaped = self.text[self.at + 1..].chars().next();
        let c = match escaped {
            Some(c @ ('"' | '\\' | '/')) => c,
            Some('b') => '\u{8}',
            Some('f') => '\u{c}',
            Some('n') => '\n',
            Some('r') => '\r',
            Some('t') => '\t',
            Some('u') => return self.unicode_escape(),
            _ => return Err(self.error("Invalid \\escape")),
        };
        self.at += 2;
        Ok(c)
    }

    fn unicode_escape(&mut self) -> Result<char, ReadError> {
        let Some(first) = self.hex_at(self.at + 2) else {
            return Err(self.error("Invalid \\uXXXX escape"));
        };
        let second = (self.text.get(self.at + 6..self.at + 8) == Some("\\u"))
            .then(|| self.hex_at(self.at + 8))
            .flatten();
        let units = [first, second.unwrap_or(0)];
        if let (0xd800..0xdc00, Some(0xdc00..0xe000)) = (first, second) {
            self.at += 12;
            let pair = char::decode_utf16(units).next();
            return Ok(pair
                .and_then(Result::ok)
                .unwrap_or(char::REPLACEMENT_CHARACTER));
        }
        self.at += 6;
        Ok(char::from_u32(first.into()).unwrap_or(char::REPLACEMENT_CHARACTER))
    }

    fn hex_at(&self, start: usize) -> Option<u16> {
        let digits = self.text.get(start..start + 4)?;
        let all_hex = digits.bytes().all(|byte| byte.is_ascii_hexdigit());
        all_hex.then(|| u16::from_str_radix(digits, 16).ok())?
    }

    fn blanks(&mut self) {
        let rest = &self.text[self.at..];
        self.at += rest.len() - rest.trim_start_matches([' ', '\t', '\n', '\r']).len();
    }

    fn byte(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    fn add(&mut self, start: usize, style: Style, data: Data) -> NodeId {
        // A node takes at least one byte of text, and texts are far below 4 GiB.
        let id = NodeId(u32::try_from(self.nodes.len()).unwrap_or(u32::MAX));
        self.nodes.push(Node {
            span: Span::new(start, self.at),
            style,
            data,
        });
        id
    }

    fn error(&self, message: &str) -> ReadError {
        ReadError::new("JSONDecodeError", message, Span::at(self.at))
    }
}

#[cfg(test)]
mod tests {
    use super::read;
    use crate::source::{Data, Object};

    #[test]
    fn spans_are_bytes_and_quotes_belong_to_them() {
        let text = "{\"é\": [1, \"ü\"], \"b\": {\"c\": null}}\n";
        let document = read(text).unwrap();
        let slice = |key: &str| {
            let entry = document.root().get(key).unwrap();
            let (key, value) = (entry.key.span(), entry.value.span());
            (&text[key.start..key.end], &text[value.start..value.end])
        };
        assert_eq!(slice("é"), ("\"é\"", "[1, \"ü\"]"));
        assert_eq!(slice("b"), ("\"b\"", "{\"c\": null}"));
        assert_eq!(document.root().span().end, text.len() - 1);
    }

    #[test]
    fn the_last_of_equal_keys_wins_in_the_place_of_the_first() {
        let document = read("{\"a\": 1, \"b\": 2, \"a\": 3}").unwrap();
        assert_eq!(
            document.root().object().unwrap().python_repr(),
            "{'a': 3, 'b': 2}"
        );
        let duplicate = &document.duplicate_keys[0];
        assert_eq!((duplicate.first.start, duplicate.last.start), (1, 17));
    }

    #[test]
    fn a_lone_surrogate_is_the_replacement_character() {
        let document = read("\"\\ud800x\"").unwrap();
        assert_eq!(
            *document.root().data(),
            Data::Scalar(Object::from("\u{fffd}x"))
        );
    }
}
