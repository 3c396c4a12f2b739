//! The few operations of Python that accelerate applies to configured values, with the exceptions that they raise.

use super::outcome::Cause;
use super::run::Origin;
use super::stop::{Step, Stop, raise};
use crate::source::{Integer, Object};

/// A value that somebody says.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Argument {
    pub(crate) value: Object,
    pub(crate) origin: Origin,
}

impl Argument {
    pub(crate) fn new(value: impl Into<Object>, origin: Origin) -> Self {
        Self {
            value: value.into(),
            origin,
        }
    }
}

/// Where in accelerate an operation stands, and what its failure is called.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Site {
    pub(crate) source: &'static str,
    pub(crate) cause: Cause,
}

impl Site {
    pub(crate) const fn new(source: &'static str, cause: Cause) -> Self {
        Self { source, cause }
    }

    pub(crate) fn raise(self, kind: &str, message: impl Into<String>, origin: &Origin) -> Stop {
        raise(kind, message, self.source, self.cause, [origin.clone()])
    }
}

/// How Python shows a list of texts: `['no', 'fp8']`.
pub(crate) fn list_repr(texts: &[String]) -> String {
    let texts = texts.iter().map(|text| Object::from(text.as_str()));
    Object::List(texts.collect()).python_repr()
}

impl Argument {
    /// `value.method`: only `str` has the methods that accelerate calls.
    pub(crate) fn text_for(&self, method: &str, site: Site) -> Step<&str> {
        match &self.value {
            Object::Str(text) => Ok(text),
            other => {
                let message = format!("'{}' object has no attribute '{method}'", other.type_name());
                Err(site.raise("AttributeError", message, &self.origin))
            }
        }
    }

    /// The value as a number, for comparisons and arithmetic: `int`, `bool` and `float` are numbers.
    fn number(&self) -> Option<f64> {
        match &self.value {
            Object::Bool(value) => Some(f64::from(u8::from(*value))),
            #[allow(
                clippy::cast_precision_loss,
                reason = "only signs and small bounds are compared"
            )]
            Object::Int(Integer::Small(value)) => Some(*value as f64),
            Object::Int(Integer::Large(digits)) => Some(if digits.starts_with('-') {
                f64::NEG_INFINITY
            } else {
                f64::INFINITY
            }),
            Object::Float(value) => Some(*value),
            _ => None,
        }
    }

    /// `value OPERATOR bound` for an order comparison with an `int`.
    pub(crate) fn compare(&self, operator: &str, bound: i32, site: Site) -> Step<bool> {
        let Some(number) = self.number() else {
            let name = self.value.type_name();
            let message =
                format!("'{operator}' not supported between instances of '{name}' and 'int'");
            return Err(site.raise("TypeError", message, &self.origin));
        };
        let bound = f64::from(bound);
        Ok(match operator {
            "<" => number < bound,
            "<=" => number <= bound,
            ">" => number > bound,
            _ => number >= bound,
        })
    }

    /// `str(value // divisor)`
    pub(crate) fn floor_divided(&self, divisor: &Argument, site: Site) -> Step<String> {
        if let (Object::Str(_), _) | (_, Object::Str(_)) = (&self.value, &divisor.value) {
            let (left, right) = (self.value.type_name(), divisor.value.type_name());
            let message = format!("unsupported operand type(s) for //: '{left}' and '{right}'");
            return Err(site.raise("TypeError", message, &self.origin));
        }
        let (Some(left), Some(right)) = (self.number(), divisor.number()) else {
            let (left, right) = (self.value.type_name(), divisor.value.type_name());
            let message = format!("unsupported operand type(s) for //: '{left}' and '{right}'");
            return Err(site.raise("TypeError", message, &self.origin));
        };
        if right == 0.0 {
            return Err(site.raise(
                "ZeroDivisionError",
                "integer division or modulo by zero",
                &divisor.origin,
            ));
        }
        let whole = (left / right).floor();
        let is_float =
            matches!(self.value, Object::Float(_)) || matches!(divisor.value, Object::Float(_));
        Ok(if is_float {
            Object::Float(whole).python_str()
        } else {
            format!("{whole:.0}")
        })
    }

    /// `int(value)`
    pub(crate) fn int(&self, site: Site) -> Step<i64> {
        match &self.value {
            Object::Bool(value) => Ok(i64::from(*value)),
            Object::Int(value) => Ok(value.to_i64().unwrap_or(i64::MAX)),
            #[allow(
                clippy::cast_possible_truncation,
                reason = "Python truncates towards zero"
            )]
            Object::Float(value) if value.is_finite() => Ok(*value as i64),
            Object::Float(value) if value.is_nan() => Err(site.raise(
                "ValueError",
                "cannot convert float NaN to integer",
                &self.origin,
            )),
            Object::Float(_) => Err(site.raise(
                "OverflowError",
                "cannot convert float infinity to integer",
                &self.origin,
            )),
            Object::Str(text) => int(text, &self.origin, site),
            other => {
                let message = format!(
                    "int() argument must be a string, a bytes-like object or a real number, not '{}'",
                    other.type_name()
                );
                Err(site.raise("TypeError", message, &self.origin))
            }
        }
    }
}

/// The integer that `int(text)` gives: blanks around it, a sign and single underscores between digits are allowed.
pub(crate) fn parse_int(text: &str) -> Option<i64> {
    let trimmed = text.trim();
    let (sign, digits) = match trimmed.strip_prefix('-') {
        Some(rest) => (-1, rest),
        None => (1, trimmed.strip_prefix('+').unwrap_or(trimmed)),
    };
    let well_formed = !digits.is_empty()
        && !digits.starts_with('_')
        && !digits.ends_with('_')
        && !digits.contains("__")
        && digits
            .chars()
            .all(|character| character.is_ascii_digit() || character == '_');
    if !well_formed {
        return None;
    }
    let digits: String = digits
        .chars()
        .filter(|character| *character != '_')
        .collect();
    Some(
        digits
            .parse::<i64>()
            .map_or(sign * i64::MAX, |value| sign * value),
    )
}

/// `int(text)`
pub(crate) fn int(text: &str, origin: &Origin, site: Site) -> Step<i64> {
    parse_int(text).ok_or_else(|| {
        let shown = Object::from(text).python_repr();
        site.raise(
            "ValueError",
            format!("invalid literal for int() with base 10: {shown}"),
            origin,
        )
    })
}

/// `float(text)`, as far as it fails or not.
pub(crate) fn float(text: &str, origin: &Origin, site: Site) -> Step<f64> {
    let plain: String = text
        .trim()
        .chars()
        .filter(|character| *character != '_')
        .collect();
    plain.parse::<f64>().map_err(|_| {
        let shown = Object::from(text).python_repr();
        site.raise(
            "ValueError",
            format!("could not convert string to float: {shown}"),
            origin,
        )
    })
}

/// `str_to_bool(text)` (accelerate 1.15.0, `utils/environment.py:str_to_bool`).
pub(crate) fn parse_bool(text: &str) -> Option<bool> {
    match text.to_lowercase().as_str() {
        "y" | "yes" | "t" | "true" | "on" | "1" => Some(true),
        "n" | "no" | "f" | "false" | "off" | "0" => Some(false),
        _ => None,
    }
}

/// `str_to_bool(text)`
pub(crate) fn str_to_bool(text: &str, origin: &Origin, cause: Cause) -> Step<bool> {
    parse_bool(text).ok_or_else(|| {
        let site = Site::new("utils/environment.py:str_to_bool", cause);
        site.raise(
            "ValueError",
            format!("invalid truth value {}", text.to_lowercase()),
            origin,
        )
    })
}
