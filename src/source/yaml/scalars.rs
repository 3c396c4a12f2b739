//! Scalars' Python values: what PyYAML's constructors make of a text, and which exception they raise.
//!
//! Source: PyYAML 6.0.4 `constructor.py`; held against it in `tests/reader.rs`.

use super::super::{Integer, Object};
use super::resolve::Tag;
use super::timestamp::Timestamp;

/// A Python exception: its class and what it says.
pub(super) type Fault = (&'static str, String);

/// The value of a scalar under a tag. Collections' tags and unknown ones give `None`.
pub(super) fn construct(tag: &Tag, text: &str) -> Option<Result<Object, Fault>> {
    Some(match tag {
        Tag::Null => Ok(Object::None),
        Tag::Str => Ok(Object::Str(text.to_owned())),
        Tag::Bool => bool(text),
        Tag::Int => int(text).map(Object::Int),
        Tag::Float => float(text).map(Object::Float),
        Tag::Timestamp => timestamp(text),
        Tag::Binary => binary(text).map(Object::Bytes),
        _ => return None,
    })
}

fn bool(text: &str) -> Result<Object, Fault> {
    match text.to_lowercase().as_str() {
        "yes" | "true" | "on" => Ok(Object::Bool(true)),
        "no" | "false" | "off" => Ok(Object::Bool(false)),
        other => Err(("KeyError", Object::from(other).python_repr())),
    }
}

fn timestamp(text: &str) -> Result<Object, Fault> {
    // Python's `$` also matches before a final line feed.
    match Timestamp::parse(text.strip_suffix('\n').unwrap_or(text)) {
        Some(at) => at
            .object()
            .map_err(|reason| ("ValueError", reason.to_owned())),
        None => Err((
            "AttributeError",
            "'NoneType' object has no attribute 'groupdict'".to_owned(),
        )),
    }
}

/// Underscores removed and the sign split off, as for ints and floats alike.
fn signed(text: &str) -> Result<(bool, String), Fault> {
    let text = text.replace('_', "");
    match text.chars().next() {
        None => Err(("IndexError", "string index out of range".to_owned())),
        Some('-') => Ok((true, text[1..].to_owned())),
        Some('+') => Ok((false, text[1..].to_owned())),
        Some(_) => Ok((false, text)),
    }
}

fn int(text: &str) -> Result<Integer, Fault> {
    let (negative, text) = signed(text)?;
    if let Some(digits) = text.strip_prefix("0b") {
        return python_int(negative, digits, 2);
    }
    if let Some(digits) = text.strip_prefix("0x") {
        return python_int(negative, digits, 16);
    }
    if text == "0" {
        return Ok(Integer::Small(0));
    }
    if text.is_empty() {
        return Err(("IndexError", "string index out of range".to_owned()));
    }
    if text.starts_with('0') {
        return python_int(negative, &text, 8);
    }
    if !text.contains(':') {
        return python_int(negative, &text, 10);
    }
    let mut parts = Vec::new();
    for part in text.split(':') {
        match python_int(false, part, 10)? {
            Integer::Small(part) => parts.push(part),
            Integer::Large(_) => return Err(too_long()),
        }
    }
    // Only `!!int` brings parts outside 0…59, and only those carry borrow from each other.
    let sum = parts
        .iter()
        .try_fold(0_i128, |sum, part| sum.checked_mul(60)?.checked_add(*part));
    match sum {
        Some(sum) => Ok(Integer::Small(if negative { -sum } else { sum })),
        None => {
            let digits = parts.iter().map(|part| u32::try_from(*part).unwrap_or(0));
            Integer::of_digits(negative, digits, 60).ok_or_else(too_long)
        }
    }
}

/// Python's `int(text, base)`.
fn python_int(negative: bool, text: &str, base: u32) -> Result<Integer, Fault> {
    let digits = strip(text);
    let (negative, digits) = match digits.strip_prefix('-') {
        Some(digits) => (!negative, digits),
        None => (negative, digits.strip_prefix('+').unwrap_or(digits)),
    };
    let prefixes = match base {
        2 => ["0b", "0B"],
        8 => ["0o", "0O"],
        _ => ["0x", "0X"],
    };
    let digits = prefixes
        .iter()
        .filter(|_| base != 10)
        .find_map(|prefix| digits.strip_prefix(prefix))
        .unwrap_or(digits);
    if digits.is_empty() || !digits.chars().all(|digit| digit.is_digit(base)) {
        return Err((
            "ValueError",
            format!(
                "invalid literal for int() with base {base}: {}",
                Object::from(text).python_repr()
            ),
        ));
    }
    let digits = digits.chars().filter_map(|digit| digit.to_digit(base));
    Integer::of_digits(negative, digits, base).ok_or_else(too_long)
}

fn too_long() -> Fault {
    (
        "ValueError",
        "Exceeds the limit (4300 digits) for integer string conversion".to_owned(),
    )
}

fn float(text: &str) -> Result<f64, Fault> {
    let (negative, text) = signed(&text.to_lowercase())?;
    let sign = if negative { -1.0 } else { 1.0 };
    match text.as_str() {
        ".inf" => Ok(sign * f64::INFINITY),
        ".nan" => Ok(f64::NAN),
        _ if text.contains(':') => {
            let mut value = 0.0;
            let mut base = 1.0;
            for part in text.rsplit(':') {
                value += python_float(part)? * base;
                base *= 60.0;
                if base == f64::INFINITY {
                    let message = "int too large to convert to float";
                    return Err(("OverflowError", message.to_owned()));
                }
            }
            Ok(sign * value)
        }
        _ => Ok(sign * python_float(&text)?),
    }
}

/// Python's `float(text)`, which Rust's grammar equals but for blanks around the number.
fn python_float(text: &str) -> Result<f64, Fault> {
    strip(text).parse().map_err(|_| {
        let text = Object::from(text).python_repr();
        (
            "ValueError",
            format!("could not convert string to float: {text}"),
        )
    })
}

/// Python's `str.strip()`.
fn strip(text: &str) -> &str {
    text.trim_matches(|c: char| c.is_whitespace() || ('\x1c'..='\x1f').contains(&c))
}

/// Python's `base64.decodebytes`: characters outside the alphabet are passed over.
fn binary(text: &str) -> Result<Vec<u8>, Fault> {
    if !text.is_ascii() {
        let message = "failed to convert base64 data into ascii";
        return Err(("ConstructorError", message.to_owned()));
    }
    let mut bytes = Vec::new();
    let mut group = 0_u32;
    let mut held = 0;
    let mut padding = 0;
    for byte in text.bytes() {
        let value = match byte {
            b'A'..=b'Z' => byte - b'A',
            b'a'..=b'z' => byte - b'a' + 26,
            b'0'..=b'9' => byte - b'0' + 52,
            b'+' => 62,
            b'/' => 63,
            b'=' => {
                padding += 1;
                if held >= 2 && held + padding >= 4 {
                    return Ok(bytes);
                }
                continue;
            }
            _ => continue,
        };
        padding = 0;
        group = group << 6 | u32::from(value);
        held = (held + 1) % 4;
        // Each sextet after a group's first completes one byte.
        let spare = match held {
            2 => 4,
            3 => 2,
            0 => 0,
            _ => continue,
        };
        bytes.push((group >> spare & 0xff) as u8);
    }
    if held == 0 {
        Ok(bytes)
    } else {
        let message = "failed to decode base64 data: Incorrect padding";
        Err(("ConstructorError", message.to_owned()))
    }
}
