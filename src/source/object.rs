//! The Python objects that a configuration comes to: what `yaml.safe_load` or `json.load` returns.

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
