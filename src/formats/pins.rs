//! What the files of a Python project say about the version of a package: locks, requirements, projects.

mod lock;
mod marker;
mod poetry;
mod project;
mod requirement;
mod requirements;

use std::ops::Range;

use pep440_rs::{Operator, Version, VersionSpecifiers};

use crate::source::{SourceFile, Span};

/// One place that says which versions of a package are allowed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pin {
    /// The versions that are allowed.
    pub specifiers: VersionSpecifiers,
    /// Where it stands.
    pub span: Span,
    /// The line of that, from 1.
    pub line: usize,
}

impl Pin {
    /// The version, where only one is allowed.
    pub fn exact(&self) -> Option<&Version> {
        match &*self.specifiers {
            [only] if matches!(only.operator(), Operator::Equal | Operator::ExactEqual) => {
                Some(only.version())
            }
            _ => None,
        }
    }
}

/// The kinds of files that pin versions; the one that says more exactly what is installed first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum PinFile {
    /// `uv.lock`
    UvLock,
    /// `requirements.txt`, `requirements-dev.txt` and the like, as pip reads them.
    Requirements,
    /// `pyproject.toml`
    Project,
}

impl PinFile {
    /// The kind of a file of this name.
    pub fn of_name(name: &str) -> Option<Self> {
        match name {
            "uv.lock" => Some(Self::UvLock),
            "pyproject.toml" => Some(Self::Project),
            _ if name.starts_with("requirements") && name.ends_with(".txt") => {
                Some(Self::Requirements)
            }
            _ => None,
        }
    }

    /// What the file says about the versions of `package`, whose name is given in its normal form (lower case, `-`).
    /// What cannot be understood says nothing, and neither does a name without a version.
    pub fn pins(self, file: &SourceFile, package: &str) -> Vec<Pin> {
        let said = match self {
            Self::UvLock => lock::pins(file.text(), package),
            Self::Requirements => requirements::pins(file, package),
            Self::Project => project::pins(file.text(), package),
        };
        said.into_iter()
            .map(|said| Pin {
                specifiers: said.specifiers,
                line: file.line_column(said.span.start).line,
                span: said.span,
            })
            .collect()
    }

    /// The pin that counts where a file has several: an exact one before a range, the newest of the exact ones (they
    /// differ by markers, and the newest is for the newest Python), the first of the ranges.
    pub fn deciding_pin(self, file: &SourceFile, package: &str) -> Option<Pin> {
        let pins = self.pins(file, package);
        let exact = pins.iter().filter(|pin| pin.exact().is_some());
        let newest = exact.max_by(|left, right| left.exact().cmp(&right.exact()));
        newest.or(pins.first()).cloned()
    }
}

/// Versions that are allowed, and where that is said.
struct Said {
    specifiers: VersionSpecifiers,
    span: Span,
}

fn span(range: Range<usize>) -> Span {
    Span::new(range.start, range.end)
}

#[cfg(test)]
mod tests;
