//! Which tag a scalar or collection has: PyYAML's implicit resolvers (YAML 1.1), in their order of registration.
//!
//! Source: PyYAML 6.0.4 `resolver.py`; held against it in `tests/reader.rs`.

use super::timestamp::Timestamp;

/// A tag that `SafeLoader` knows, or one that it does not.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Tag {
    Null,
    Bool,
    Int,
    Float,
    Timestamp,
    Binary,
    Str,
    Seq,
    Map,
    Set,
    Omap,
    Pairs,
    /// `<<`: a merge key.
    Merge,
    /// `=`: YAML 1.1's default value.
    Value,
    /// No constructor.
    Unknown(String),
}

impl Tag {
    /// The tag with this full name.
    pub(super) fn of_name(name: &str) -> Self {
        match name.strip_prefix("tag:yaml.org,2002:").unwrap_or_default() {
            "null" => Self::Null,
            "bool" => Self::Bool,
            "int" => Self::Int,
            "float" => Self::Float,
            "timestamp" => Self::Timestamp,
            "binary" => Self::Binary,
            "str" => Self::Str,
            "seq" => Self::Seq,
            "map" => Self::Map,
            "set" => Self::Set,
            "omap" => Self::Omap,
            "pairs" => Self::Pairs,
            "merge" => Self::Merge,
            "value" => Self::Value,
            _ => Self::Unknown(name.to_owned()),
        }
    }
}

/// The tag of a scalar that is neither quoted nor tagged.
pub(super) fn resolve_plain(value: &str) -> Tag {
    if value.is_empty() {
        return Tag::Null;
    }
    // Python's `$` also matches before a final line feed; only `! |` and `! "…\n"` bring one here.
    let value = value.strip_suffix('\n').unwrap_or(value);
    match value {
        "yes" | "Yes" | "YES" | "no" | "No" | "NO" | "true" | "True" | "TRUE" | "false"
        | "False" | "FALSE" | "on" | "On" | "ON" | "off" | "Off" | "OFF" => return Tag::Bool,
        "<<" => return Tag::Merge,
        "~" | "null" | "Null" | "NULL" => return Tag::Null,
        "=" => return Tag::Value,
        _ => {}
    }
    if !value.starts_with(|first: char| first.is_ascii_digit() || "+-.".contains(first)) {
        return Tag::Str;
    }
    if is_float(value) {
        Tag::Float
    } else if is_int(value) {
        Tag::Int
    } else if Timestamp::parse(value).is_some_and(|at| at.time.is_some() || value.len() == 10) {
        Tag::Timestamp
    } else {
        Tag::Str
    }
}

fn is_float(value: &str) -> bool {
    if matches!(value, ".nan" | ".NaN" | ".NAN") {
        return true;
    }
    let unsigned = value.strip_prefix(['+', '-']).unwrap_or(value);
    if matches!(unsigned, ".inf" | ".Inf" | ".INF") {
        return true;
    }
    let Some((whole, rest)) = unsigned.split_once('.') else {
        return false;
    };
    let (fraction, exponent) = match rest.find(['e', 'E']) {
        Some(at) => (&rest[..at], Some(&rest[at + 1..])),
        None => (rest, None),
    };
    let exponent_fits = exponent.is_none_or(|exponent| {
        exponent
            .strip_prefix(['+', '-'])
            .is_some_and(|digits| all(digits, u8::is_ascii_digit))
    });
    if whole.is_empty() {
        // `-.5` is a string in PyYAML.
        return unsigned.len() == value.len() && is_number(fraction) && exponent_fits;
    }
    if !fraction
        .bytes()
        .all(|byte| byte.is_ascii_digit() || byte == b'_')
    {
        return false;
    }
    match whole.split_once(':') {
        Some((first, parts)) => is_number(first) && are_sixtieths(parts) && exponent.is_none(),
        None => is_number(whole) && exponent_fits,
    }
}

fn is_int(value: &str) -> bool {
    let unsigned = value.strip_prefix(['+', '-']).unwrap_or(value);
    if unsigned == "0" {
        return true;
    }
    if let Some(digits) = unsigned.strip_prefix("0b") {
        return all(digits, |byte| matches!(byte, b'0' | b'1' | b'_'));
    }
    if let Some(digits) = unsigned.strip_prefix("0x") {
        return all(digits, |byte| byte.is_ascii_hexdigit() || *byte == b'_');
    }
    if let Some(digits) = unsigned.strip_prefix('0') {
        return all(digits, |byte| matches!(byte, b'0'..=b'7' | b'_'));
    }
    match unsigned.split_once(':') {
        Some((first, parts)) => is_number(first) && are_sixtieths(parts),
        None => is_number(unsigned),
    }
}

/// One digit, then digits and underscores.
fn is_number(text: &str) -> bool {
    text.starts_with(|first: char| first.is_ascii_digit())
        && all(text, |byte| byte.is_ascii_digit() || *byte == b'_')
}

/// `0`…`59`, parted by colons.
fn are_sixtieths(text: &str) -> bool {
    text.split(':').all(|part| match part.as_bytes() {
        [digit] => digit.is_ascii_digit(),
        [ten, digit] => (b'0'..=b'5').contains(ten) && digit.is_ascii_digit(),
        _ => false,
    })
}

fn all(text: &str, fits: impl Fn(&u8) -> bool) -> bool {
    !text.is_empty() && text.as_bytes().iter().all(fits)
}
