//! Findings: a rule's word about a run or a file.

use std::fmt;
use std::sync::Arc;

use crate::resolve::Place;
use crate::source::{Route, SourceFile, Span};

use super::Fix;

/// How bad it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Severity {
    /// Advice: shown, never fails by default.
    Note,
    /// A setting without effect, a likely fault.
    Warning,
    /// Refused, raises, or asked-for fp8 silently lost.
    Error,
}

impl Severity {
    /// `error`, `warning` or `note`.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Error => "error",
            Self::Warning => "warning",
            Self::Note => "note",
        }
    }
}

impl fmt::Display for Severity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// How sure fp8lint is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Confidence {
    /// A heuristic, worded so.
    Likely,
    /// Held against the oracle or exact code.
    Certain,
}

impl Confidence {
    /// `certain` or `likely`.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Certain => "certain",
            Self::Likely => "likely",
        }
    }
}

/// A place in a file, with what is to be said about it.
#[derive(Clone, Debug)]
pub struct Label {
    /// The path, as it is shown.
    pub path: String,
    /// The text and the bytes in it; `None` where the file has no text that can be shown.
    pub source: Option<(Arc<SourceFile>, Span)>,
    /// What is said about it; may be empty.
    pub text: String,
}

impl Label {
    /// The value at a place.
    pub fn value(place: &Place, text: impl Into<String>) -> Self {
        Self::at(&place.file, place.value, text)
    }

    /// The key at a place; the value, where it has no key.
    pub fn key(place: &Place, text: impl Into<String>) -> Self {
        Self::at(&place.file, place.key.unwrap_or(place.value), text)
    }

    /// These bytes of a file.
    pub fn at(file: &Arc<SourceFile>, span: Span, text: impl Into<String>) -> Self {
        Self {
            path: file.path.clone(),
            source: Some((Arc::clone(file), span)),
            text: text.into(),
        }
    }

    /// A whole file whose text cannot be shown.
    pub fn file(path: impl Into<String>, text: impl Into<String>) -> Self {
        Self {
            path: path.into(),
            source: None,
            text: text.into(),
        }
    }

    /// The file and the bytes in it.
    pub fn place(&self) -> (String, Option<Span>) {
        let span = self.source.as_ref().map(|(_, span)| *span);
        (self.path.clone(), span)
    }
}

/// What names a finding's place so that moving lines does not change it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Key {
    /// The route of keys.
    pub route: Route,
    /// The value there, as Python's `str()`; empty where the key itself is at fault.
    pub value: String,
}

/// Which precision was asked for, and which runs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AskedAndRuns {
    /// What was asked for: `fp8`.
    pub asked: String,
    /// What runs, or where it stops: `bf16`, `refused by accelerate launch`, `raises in Accelerator()`.
    pub runs: String,
}

/// A rule's word about a run or a file. A message has three parts: what happens, in which version (both in
/// `message`), and what to write instead (`help`).
#[derive(Clone, Debug)]
pub struct Finding {
    /// The rule's stable code: `FP101`.
    pub code: &'static str,
    /// The rule's name: `unknown-key`.
    pub name: &'static str,
    /// How bad it is.
    pub severity: Severity,
    /// How sure fp8lint is.
    pub confidence: Confidence,
    /// What happens, and in which version.
    pub message: String,
    /// Where.
    pub primary: Label,
    /// Other places that take part.
    pub related: Vec<Label>,
    /// Further facts.
    pub notes: Vec<String>,
    /// What to write instead; may be several lines of configuration.
    pub help: Option<String>,
    /// Which precision was asked for, and which runs.
    pub outcome: Option<AskedAndRuns>,
    /// Its name for fingerprints.
    pub key: Key,
    /// How many findings of the same rule, file, route and value come before this one; known once all are.
    pub occurrence: usize,
    /// How to mend it, the best fix first; may be empty.
    pub fixes: Vec<Fix>,
}

impl Finding {
    /// Where it stands, under which rule: what tells two findings of a run apart.
    pub fn place(&self) -> FindingPlace {
        FindingPlace {
            code: self.code,
            at: self.primary.place(),
            route: self.key.route.clone(),
        }
    }
}

/// See [`Finding::place`].
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct FindingPlace {
    code: &'static str,
    at: (String, Option<Span>),
    route: Route,
}
