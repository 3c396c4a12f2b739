//! Fixes: the edits with which a rule mends what it found.

use std::fmt;

use crate::source::Edit;

/// How safe a fix is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Safety {
    /// What was asked for, only spelt so that it takes effect: `--fix` applies it.
    Safe,
    /// Changes what will run: `--unsafe-fixes` applies it.
    Unsafe,
    /// A suggestion that is only shown.
    DisplayOnly,
}

impl Safety {
    /// `safe`, `unsafe` or `display-only`.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Safe => "safe",
            Self::Unsafe => "unsafe",
            Self::DisplayOnly => "display-only",
        }
    }
}

impl fmt::Display for Safety {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// Edits that belong together: all of them are made, or none. They may lie in several files.
#[derive(Clone, Debug)]
pub struct Fix {
    /// What it does, as an order: ``write `backend: AO` ``.
    pub title: String,
    /// How safe it is.
    pub safety: Safety,
    /// The edits; at least one, none overlapping another.
    pub edits: Vec<Edit>,
}

impl Fix {
    /// A fix of these edits; `None` where they cannot be made.
    pub fn of(title: impl Into<String>, safety: Safety, edits: Option<Vec<Edit>>) -> Option<Self> {
        Some(Self {
            title: title.into(),
            safety,
            edits: edits?,
        })
    }
}
