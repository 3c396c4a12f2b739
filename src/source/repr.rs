//! Python's `str()` and `repr()` of objects.

use std::fmt::Write;

use super::Object;

impl Object {
    /// Python's `str(x)`. Sets keep the order of the file, which Python's own do not.
    pub fn python_str(&self) -> String {
        match self {
            Self::Str(text) | Self::Date(text) | Self::DateTime(text) => text.clone(),
            _ => self.python_repr(),
        }
    }

    /// Python's `repr(x)`. Sets keep the order of the file, which Python's own do not.
    pub fn python_repr(&self) -> String {
        let mut out = String::new();
        self.write_repr(&mut out);
        out
    }

    fn write_repr(&self, out: &mut String) {
        match self {
            Self::None => out.push_str("None"),
            Self::Bool(true) => out.push_str("True"),
            Self::Bool(false) => out.push_str("False"),
            Self::Int(value) => out.push_str(&value.to_string()),
            Self::Float(value) => out.push_str(&float(*value)),
            Self::Str(text) => quote(out, text),
            Self::Bytes(bytes) => quote_bytes(out, bytes),
            Self::Date(text) => {
                out.push_str("datetime.date(");
                out.push_str(&numbers(text.split('-')));
                out.push(')');
            }
            Self::DateTime(text) => datetime(out, text),
            Self::List(elements) => sequence(out, "[", elements, "]"),
            Self::Tuple(elements) if elements.len() == 1 => sequence(out, "(", elements, ",)"),
            Self::Tuple(elements) => sequence(out, "(", elements, ")"),
            Self::Set(elements) if elements.is_empty() => out.push_str("set()"),
            Self::Set(elements) => sequence(out, "{", elements, "}"),
            Self::Dict(entries) => {
                out.push('{');
                for (position, (key, value)) in entries.iter().enumerate() {
                    if position > 0 {
                        out.push_str(", ");
                    }
                    key.write_repr(out);
                    out.push_str(": ");
                    value.write_repr(out);
                }
                out.push('}');
            }
        }
    }
}

fn sequence(out: &mut String, open: &str, elements: &[Object], close: &str) {
    out.push_str(open);
    for (position, element) in elements.iter().enumerate() {
        if position > 0 {
            out.push_str(", ");
        }
        element.write_repr(out);
    }
    out.push_str(close);
}

/// The shortest digits that read back as the same number, with an exponent below 1e-4 and from 1e16 on.
fn float(value: f64) -> String {
    if value.is_nan() {
        return "nan".to_owned();
    }
    if value.is_infinite() {
        return if value > 0.0 { "inf" } else { "-inf" }.to_owned();
    }
    let scientific = format!("{value:e}");
    let (digits, exponent) = scientific.split_once('e').unwrap_or((&scientific, "0"));
    let exponent: i32 = exponent.parse().unwrap_or(0);
    if (-4..16).contains(&exponent) {
        return format!("{value:?}");
    }
    let sign = if exponent < 0 { '-' } else { '+' };
    format!("{digits}e{sign}{:02}", exponent.abs())
}

/// Single quotes, unless the text has some and no double ones.
fn quote_for(has_single: bool, has_double: bool) -> char {
    if has_single && !has_double { '"' } else { '\'' }
}

fn quote(out: &mut String, text: &str) {
    let quote = quote_for(text.contains('\''), text.contains('"'));
    out.push(quote);
    for c in text.chars() {
        match c {
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            _ if c == quote => {
                out.push('\\');
                out.push(c);
            }
            _ if is_printable(c) => out.push(c),
            // Writing into a `String` cannot fail.
            '\0'..='\u{ff}' => _ = write!(out, "\\x{:02x}", u32::from(c)),
            '\u{100}'..='\u{ffff}' => _ = write!(out, "\\u{:04x}", u32::from(c)),
            _ => _ = write!(out, "\\U{:08x}", u32::from(c)),
        }
    }
    out.push(quote);
}

/// Python's `str.isprintable`: Rust's `Debug` for `str` leaves the same characters alone, after the first place.
fn is_printable(c: char) -> bool {
    let text = String::from_iter(['a', c]);
    matches!(c, '\'' | '"' | '\\') || text.escape_debug().nth(1) == Some(c)
}

fn quote_bytes(out: &mut String, bytes: &[u8]) {
    let quote = quote_for(bytes.contains(&b'\''), bytes.contains(&b'"'));
    out.push('b');
    out.push(quote);
    for byte in bytes {
        match byte {
            b'\\' => out.push_str("\\\\"),
            b'\n' => out.push_str("\\n"),
            b'\r' => out.push_str("\\r"),
            b'\t' => out.push_str("\\t"),
            _ if char::from(*byte) == quote => {
                out.push('\\');
                out.push(quote);
            }
            b' '..=b'~' => out.push(char::from(*byte)),
            _ => _ = write!(out, "\\x{byte:02x}"),
        }
    }
    out.push(quote);
}

/// Numbers without leading zeros, parted by commas.
fn numbers<'a>(parts: impl Iterator<Item = &'a str>) -> String {
    let numbers: Vec<_> = parts
        .map(|part| match part.trim_start_matches('0') {
            "" => "0",
            number => number,
        })
        .collect();
    numbers.join(", ")
}

/// `datetime.datetime(…)` from `2024-01-02 03:04:05.000006+07:00`.
fn datetime(out: &mut String, text: &str) {
    let (date, time) = text.split_once(' ').unwrap_or((text, ""));
    let (time, zone) = match time.find(['+', '-']) {
        Some(at) => time.split_at(at),
        None => (time, ""),
    };
    let mut parts: Vec<_> = date.split('-').chain(time.split([':', '.'])).collect();
    // Python leaves out the seconds where they and the microseconds are nought.
    if parts.len() == 6 && parts.last() == Some(&"00") {
        parts.pop();
    }
    out.push_str("datetime.datetime(");
    out.push_str(&numbers(parts.into_iter()));
    if let Some((hours, minutes)) = zone.split_once(':') {
        let hours: i64 = hours.trim_start_matches(['+', '-']).parse().unwrap_or(0);
        let minutes: i64 = minutes.parse().unwrap_or(0);
        let seconds = (hours * 60 + minutes) * 60;
        out.push_str(", tzinfo=datetime.timezone");
        if seconds == 0 {
            out.push_str(".utc");
        } else if zone.starts_with('-') {
            let rest = 24 * 3600 - seconds;
            _ = write!(out, "(datetime.timedelta(days=-1, seconds={rest}))");
        } else {
            _ = write!(out, "(datetime.timedelta(seconds={seconds}))");
        }
    }
    out.push(')');
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn floats_read_as_python_writes_them() {
        for (value, text) in [
            (1.0, "1.0"),
            (-0.0, "-0.0"),
            (1e16, "1e+16"),
            (123456789012345.6, "123456789012345.6"),
            (1e15, "1000000000000000.0"),
            (0.0001, "0.0001"),
            (0.00001, "1e-05"),
            (2.5e-7, "2.5e-07"),
            (1.5e300, "1.5e+300"),
            (f64::INFINITY, "inf"),
            (f64::NAN, "nan"),
        ] {
            assert_eq!(Object::Float(value).python_repr(), text);
        }
    }

    #[test]
    fn texts_are_quoted_as_python_quotes_them() {
        for (text, repr) in [
            ("no", "'no'"),
            ("it's", "\"it's\""),
            ("'\"", "'\\'\"'"),
            ("a\n\t\\\u{7f}\u{e9}\u{ad}", "'a\\n\\t\\\\\\x7fé\\xad'"),
            (
                "\u{301}\u{2028}\u{feff}\u{e0001}",
                "'\u{301}\\u2028\\ufeff\\U000e0001'",
            ),
        ] {
            assert_eq!(Object::from(text).python_repr(), repr);
        }
        assert_eq!(
            Object::Bytes(b"a'\xff".to_vec()).python_repr(),
            "b\"a'\\xff\""
        );
    }

    #[test]
    fn nested_objects_are_shown_as_python_shows_them() {
        let list = Object::List(vec![
            Object::None,
            Object::from(true),
            Object::Tuple(vec![Object::from(1)]),
            Object::Dict(vec![(Object::from("a"), Object::Set(vec![]))]),
        ]);
        assert_eq!(list.python_str(), "[None, True, (1,), {'a': set()}]");
    }

    #[test]
    fn dates_are_shown_as_python_shows_them() {
        let date = Object::Date("2024-01-02".into());
        assert_eq!(date.python_str(), "2024-01-02");
        assert_eq!(date.python_repr(), "datetime.date(2024, 1, 2)");
        for (text, repr) in [
            ("2024-01-02 10:00:00", "(2024, 1, 2, 10, 0)"),
            ("2024-01-02 10:00:00.000100", "(2024, 1, 2, 10, 0, 0, 100)"),
            (
                "2001-12-14 21:59:43+00:00",
                "(2001, 12, 14, 21, 59, 43, tzinfo=datetime.timezone.utc)",
            ),
            (
                "2001-12-14 21:59:43-05:00",
                "(2001, 12, 14, 21, 59, 43, \
                 tzinfo=datetime.timezone(datetime.timedelta(days=-1, seconds=68400)))",
            ),
        ] {
            let shown = Object::DateTime(text.into()).python_repr();
            assert_eq!(shown, format!("datetime.datetime{repr}"));
        }
    }
}
