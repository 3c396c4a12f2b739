//! The Python objects that a configuration comes to: what `yaml.safe_load` or `json.load` returns.

use std::collections::HashMap;
use std::fmt;

/// A Python `int`: as large as it likes.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Integer {
    /// Fits in 128 bits.
    Small(i128),
    /// Anything larger, as decimal digits with an optional leading `-`.
    Large(String),
}

impl Integer {
    /// The value, where it fits in 64 bits.
    pub fn to_i64(&self) -> Option<i64> {
        match self {
            Self::Small(value) => i64::try_from(*value).ok(),
            Self::Large(_) => None,
        }
    }

    /// The value of digits in a base. `None` above 4,300 decimal digits: Python can read such a number in base 2, 8
    /// and 16, but never write it.
    pub(crate) fn of_digits(
        negative: bool,
        digits: impl Iterator<Item = u32>,
        base: u32,
    ) -> Option<Self> {
        // The value in limbs of nine decimal digits, least first.
        const LIMB: u64 = 1_000_000_000;
        let mut limbs: Vec<u64> = Vec::new();
        for digit in digits {
            let mut carry = u64::from(digit);
            for limb in &mut limbs {
                let value = *limb * u64::from(base) + carry;
                *limb = value % LIMB;
                carry = value / LIMB;
            }
            if carry > 0 {
                limbs.push(carry);
            }
            if limbs.len() > 4300 / 9 + 1 {
                return None;
            }
        }
        let mut text = String::new();
        for (position, limb) in limbs.iter().rev().enumerate() {
            text += &if position == 0 {
                limb.to_string()
            } else {
                format!("{limb:09}")
            };
        }
        if text.len() > 4300 {
            return None;
        }
        if text.is_empty() {
            text.push('0');
        }
        if negative && text != "0" {
            text.insert(0, '-');
        }
        Some(text.parse().map_or(Self::Large(text), Self::Small))
    }
}

impl fmt::Display for Integer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Small(value) => write!(f, "{value}"),
            Self::Large(digits) => f.write_str(digits),
        }
    }
}

/// A Python object as it comes out of a config file, a flag or a default.
#[derive(Clone, Debug, PartialEq)]
pub enum Object {
    /// `None`
    None,
    /// `bool`
    Bool(bool),
    /// `int`
    Int(Integer),
    /// `float`
    Float(f64),
    /// `str`
    Str(String),
    /// `bytes`, from `!!binary`
    Bytes(Vec<u8>),
    /// `datetime.date`, held as Python's `str()` of it
    Date(String),
    /// `datetime.datetime`, held as Python's `str()` of it
    DateTime(String),
    /// `list`
    List(Vec<Object>),
    /// `tuple`
    Tuple(Vec<Object>),
    /// `dict`, in insertion order
    Dict(Vec<(Object, Object)>),
    /// `set`, from `!!set`
    Set(Vec<Object>),
}

impl Object {
    /// Python's `type(x).__name__`.
    pub fn type_name(&self) -> &'static str {
        match self {
            Self::None => "NoneType",
            Self::Bool(_) => "bool",
            Self::Int(_) => "int",
            Self::Float(_) => "float",
            Self::Str(_) => "str",
            Self::Bytes(_) => "bytes",
            Self::Date(_) => "date",
            Self::DateTime(_) => "datetime",
            Self::List(_) => "list",
            Self::Tuple(_) => "tuple",
            Self::Dict(_) => "dict",
            Self::Set(_) => "set",
        }
    }

    /// Python's `bool(x)`.
    pub fn truthy(&self) -> bool {
        match self {
            Self::None => false,
            Self::Bool(value) => *value,
            Self::Int(value) => *value != Integer::Small(0),
            Self::Float(value) => *value != 0.0,
            Self::Str(text) => !text.is_empty(),
            Self::Bytes(bytes) => !bytes.is_empty(),
            Self::Date(_) | Self::DateTime(_) => true,
            Self::List(elements) | Self::Tuple(elements) | Self::Set(elements) => {
                !elements.is_empty()
            }
            Self::Dict(entries) => !entries.is_empty(),
        }
    }

    /// Python's `x == y`: `True == 1 == 1.0`, dicts and sets without regard to order.
    pub fn python_eq(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Float(float), _) | (_, Self::Float(float)) if float.is_nan() => false,
            (Self::List(these), Self::List(those)) | (Self::Tuple(these), Self::Tuple(those)) => {
                these.len() == those.len()
                    && these
                        .iter()
                        .zip(those)
                        .all(|(this, that)| this.python_eq(that))
            }
            (Self::Set(these), Self::Set(those)) => {
                let hashes = |elements: &[Self]| {
                    let hashes = elements.iter().map(Self::hash_key);
                    hashes.collect::<std::collections::HashSet<_>>()
                };
                hashes(these) == hashes(those)
            }
            (Self::Dict(these), Self::Dict(those)) => {
                let values: HashMap<_, _> = those
                    .iter()
                    .map(|(key, value)| (key.hash_key(), value))
                    .collect();
                these.len() == those.len()
                    && these.iter().all(|(key, value)| {
                        values
                            .get(&key.hash_key())
                            .is_some_and(|that| value.python_eq(that))
                    })
            }
            _ => match (self.hash_key(), other.hash_key()) {
                (Some(this), Some(that)) => this == that,
                _ => false,
            },
        }
    }

    /// Whether Python takes it as a dict's key.
    pub fn is_hashable(&self) -> bool {
        match self {
            Self::List(_) | Self::Dict(_) | Self::Set(_) => false,
            Self::Tuple(elements) => elements.iter().all(Self::is_hashable),
            _ => true,
        }
    }

    /// A text that two objects share exactly where a Python dict takes them as the same key. `None` if unhashable.
    pub(crate) fn hash_key(&self) -> Option<String> {
        Some(match self {
            Self::None => "none".to_owned(),
            Self::Bool(value) => format!("number {}", u8::from(*value)),
            Self::Int(value) => format!("number {value}"),
            Self::Float(0.0) => "number 0".to_owned(),
            Self::Float(value) if value.fract() == 0.0 => format!("number {value:.0}"),
            Self::Float(value) => format!("number {value}"),
            Self::Str(text) => format!("str {text}"),
            Self::Bytes(bytes) => format!("bytes {bytes:?}"),
            Self::Date(text) => format!("date {text}"),
            Self::DateTime(text) => format!("datetime {text}"),
            Self::Tuple(elements) => {
                let mut key = "tuple".to_owned();
                for element in elements {
                    let element = element.hash_key()?;
                    // The length keeps ("a", "b") apart from ("a b").
                    key += &format!(" {}:{element}", element.len());
                }
                key
            }
            Self::List(_) | Self::Dict(_) | Self::Set(_) => return None,
        })
    }
}

impl From<&str> for Object {
    fn from(text: &str) -> Self {
        Self::Str(text.to_owned())
    }
}

impl From<String> for Object {
    fn from(text: String) -> Self {
        Self::Str(text)
    }
}

impl From<bool> for Object {
    fn from(value: bool) -> Self {
        Self::Bool(value)
    }
}

impl From<i64> for Object {
    fn from(value: i64) -> Self {
        Self::Int(Integer::Small(value.into()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn large(digits: &str) -> Object {
        Object::Int(
            Integer::of_digits(false, digits.chars().filter_map(|c| c.to_digit(10)), 10).unwrap(),
        )
    }

    #[test]
    fn numbers_are_equal_across_types() {
        assert!(Object::from(true).python_eq(&Object::from(1)));
        assert!(Object::from(1).python_eq(&Object::Float(1.0)));
        assert!(Object::from(false).python_eq(&Object::Float(-0.0)));
        assert!(!Object::from(1).python_eq(&Object::from("1")));
        assert!(
            large("100000000000000000000000000000000000000000000000000").python_eq(&large(
                "100000000000000000000000000000000000000000000000000"
            ))
        );
        assert!(!Object::Float(f64::NAN).python_eq(&Object::Float(f64::NAN)));
        assert!(large("1152921504606846976").python_eq(&Object::Float(2_f64.powi(60))));
    }

    #[test]
    fn dicts_are_equal_in_any_order() {
        let pair = |key: &str, value: i64| (Object::from(key), Object::from(value));
        let ab = Object::Dict(vec![pair("a", 1), pair("b", 2)]);
        let ba = Object::Dict(vec![pair("b", 2), pair("a", 1)]);
        assert!(ab.python_eq(&ba));
        assert!(!ab.python_eq(&Object::Dict(vec![pair("a", 1)])));
        assert!(!ab.is_hashable() && Object::Tuple(vec![Object::None]).is_hashable());
    }

    #[test]
    fn truth_is_pythons() {
        for falsy in [
            Object::None,
            Object::from(0),
            Object::Float(0.0),
            Object::from(""),
            Object::List(vec![]),
        ] {
            assert!(!falsy.truthy(), "{falsy:?}");
        }
        assert!(Object::Float(f64::NAN).truthy());
        assert!(Object::Date("2024-01-02".into()).truthy());
    }

    #[test]
    fn integers_grow() {
        let digits = |text: &str, base| {
            let digits = text.chars().filter_map(move |c| c.to_digit(16));
            Integer::of_digits(true, digits.collect::<Vec<_>>().into_iter(), base)
        };
        assert_eq!(digits("ff", 16), Some(Integer::Small(-255)));
        assert_eq!(digits("000", 10), Some(Integer::Small(0)));
        let large = "9".repeat(4300);
        assert_eq!(
            digits(&large, 10).map(|value| value.to_string()),
            Some(format!("-{large}"))
        );
        assert_eq!(digits(&"9".repeat(4301), 10), None);
        assert_eq!(digits(&"f".repeat(5_000_000), 16), None);
    }
}
