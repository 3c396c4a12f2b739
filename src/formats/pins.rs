//! What the files of a Python project say about the packages that decide about precision: locks, requirements,
//! environments, projects.

mod address;
mod conda;
mod lock;
mod marker;
mod pipfile;
mod poetry;
mod project;
mod requirement;
mod requirements;
mod setup_cfg;
mod setup_py;

use std::ops::Range;
use std::sync::Arc;

use pep440_rs::{Operator, Version, VersionSpecifiers};

use crate::knowledge::{PackageFacts, package_on_conda};
use crate::source::{SourceFile, Span};

/// One place that names a package, and may say which versions of it are allowed.
#[derive(Clone, Debug)]
pub struct Pin {
    /// The package.
    pub package: &'static PackageFacts,
    /// The versions that are allowed; none of them: nothing is said about the version.
    pub specifiers: VersionSpecifiers,
    /// The file that it stands in: not always the one that was read, which may include others.
    pub file: Arc<SourceFile>,
    /// Where it stands.
    pub span: Span,
    /// The line of that, from 1.
    pub line: usize,
    /// Whether it only holds under a condition: a marker that cannot be decided, an extra, a group, one of several
    /// alternatives.
    pub is_conditional: bool,
    /// Whether it only limits the versions of a package that something else installs.
    pub is_constraint: bool,
}

impl Pin {
    /// Whether it says anything about the version.
    pub fn names_versions(&self) -> bool {
        !self.specifiers.is_empty()
    }

    /// The version, where only one is allowed.
    pub fn exact(&self) -> Option<&Version> {
        match &*self.specifiers {
            [only] if matches!(only.operator(), Operator::Equal | Operator::ExactEqual) => {
                Some(only.version())
            }
            _ => None,
        }
    }

    /// The requirement, as it would stand in a requirements file.
    pub fn requirement(&self) -> String {
        format!("{}{}", self.package.distribution(), self.specifiers)
    }
}

/// The kinds of files that pin versions; the one that says more exactly what is installed first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum PinFile {
    /// `uv.lock`
    UvLock,
    /// `poetry.lock`
    PoetryLock,
    /// `pdm.lock`
    PdmLock,
    /// `Pipfile.lock`
    PipfileLock,
    /// `conda-lock.yml`
    CondaLock,
    /// `conda-linux-64.lock`: the addresses of conda packages.
    CondaExplicit,
    /// `requirements.txt`, `requirements-dev.txt`, `dev-requirements.txt` and the like, as pip reads them.
    Requirements,
    /// `constraints.txt` and the like.
    Constraints,
    /// `environment.yml`
    CondaEnvironment,
    /// `pyproject.toml`
    Project,
    /// `setup.cfg`
    SetupCfg,
    /// `setup.py`
    SetupPy,
    /// `Pipfile`
    Pipfile,
}

/// The names of pin files: how they begin, how they end.
const NAMES: &[(PinFile, &str, &str)] = &[
    (PinFile::UvLock, "uv.lock", ""),
    (PinFile::PoetryLock, "poetry.lock", ""),
    (PinFile::PdmLock, "pdm.lock", ""),
    (PinFile::PipfileLock, "Pipfile.lock", ""),
    (PinFile::CondaLock, "conda-lock.yml", ""),
    (PinFile::CondaLock, "conda-lock.yaml", ""),
    (PinFile::CondaExplicit, "conda-linux", ".lock"),
    (PinFile::Requirements, "requirements", ".txt"),
    (PinFile::Requirements, "requirements", ".in"),
    (PinFile::Requirements, "", "requirements.txt"),
    (PinFile::Requirements, "", "requirements.in"),
    (PinFile::Constraints, "constraints", ".txt"),
    (PinFile::Constraints, "", "constraints.txt"),
    (PinFile::CondaEnvironment, "environment", ".yml"),
    (PinFile::CondaEnvironment, "environment", ".yaml"),
    (PinFile::Project, "pyproject.toml", ""),
    (PinFile::SetupCfg, "setup.cfg", ""),
    (PinFile::SetupPy, "setup.py", ""),
    (PinFile::Pipfile, "Pipfile", ""),
];

/// The files beside a pin file, which it may include.
pub trait Beside {
    /// The file at `path`, as seen from the folder of the pin file; `None` where there is none, or where it may not be
    /// read.
    fn read(&self, path: &str) -> Option<Arc<SourceFile>>;
}

/// Nothing lies beside it.
#[derive(Clone, Copy, Debug, Default)]
pub struct NothingBeside;

impl Beside for NothingBeside {
    fn read(&self, _path: &str) -> Option<Arc<SourceFile>> {
        None
    }
}

impl PinFile {
    /// The kind of a file of this name.
    pub fn of_name(name: &str) -> Option<Self> {
        let is_it = |begin: &str, end: &str| match (begin, end) {
            (_, "") => name == begin,
            _ => name.starts_with(begin) && name.ends_with(end),
        };
        NAMES
            .iter()
            .find(|(_, begin, end)| is_it(begin, end))
            .map(|(kind, _, _)| *kind)
    }

    /// The kind of a file of this name in a folder called `requirements`: `base.txt`, `gpu.txt`.
    pub fn of_name_among_requirements(name: &str) -> Option<Self> {
        let is_text = name.ends_with(".txt") || name.ends_with(".in");
        Self::of_name(name).or(is_text.then_some(Self::Requirements))
    }

    /// What the file says about the packages that are known, in one reading. What cannot be understood says nothing.
    /// `name` is its path as seen from the folder from which `beside` reads what it includes.
    pub fn pins_of(self, name: &str, file: &Arc<SourceFile>, beside: &dyn Beside) -> Vec<Pin> {
        let text = file.text();
        let said = match self {
            Self::UvLock | Self::PoetryLock | Self::PdmLock => lock::toml(text),
            Self::PipfileLock => pipfile::lock(text),
            Self::CondaLock => conda::lock(file),
            Self::CondaExplicit => conda::explicit(file),
            Self::Project => project::said(text),
            Self::SetupCfg => setup_cfg::said(file),
            Self::SetupPy => setup_py::said(text),
            Self::Pipfile => pipfile::said(text),
            Self::Requirements => return requirements::pins(name, file, false, beside),
            Self::Constraints => return requirements::pins(name, file, true, beside),
            Self::CondaEnvironment => return conda::environment(name, file, beside),
        };
        said.into_iter().map(|said| said.within(file)).collect()
    }
}

/// The pin of a package that counts where a file has several: an exact one before a range, one without a condition
/// before one with, the newest of the exact ones (they differ by markers, and the newest is for the newest Python), the
/// first of the ranges. Those that say nothing about the version do not count.
pub fn deciding_pin<'p>(pins: &'p [Pin], package: &'static PackageFacts) -> Option<&'p Pin> {
    let of_package = || {
        pins.iter()
            .filter(move |pin| pin.package == package && pin.names_versions())
    };
    let exact = of_package().filter(|pin| pin.exact().is_some());
    let best = exact.max_by_key(|pin| (!pin.is_conditional, pin.exact()));
    best.or_else(|| of_package().next())
}

/// What an install command is given, as pip reads it: `accelerate[deepspeed]==1.7.0`. It stands in `file` at `span`.
/// Besides the package itself, it may name others by its extras. Names of conda are understood, too.
pub fn requirement(text: &str, file: &Arc<SourceFile>, span: Span) -> Vec<Pin> {
    let mut said = Vec::new();
    requirement::collect_named(text, package_on_conda, |_| span, &mut said);
    said.into_iter().map(|said| said.within(file)).collect()
}

/// A package that is named, the versions of it that are allowed, and where that is said.
struct Said {
    package: &'static PackageFacts,
    specifiers: VersionSpecifiers,
    span: Span,
    is_conditional: bool,
    is_constraint: bool,
}

impl Said {
    /// Without a condition.
    fn new(package: &'static PackageFacts, specifiers: VersionSpecifiers, span: Span) -> Self {
        Self {
            package,
            specifiers,
            span,
            is_conditional: false,
            is_constraint: false,
        }
    }

    fn within(self, file: &Arc<SourceFile>) -> Pin {
        Pin {
            package: self.package,
            specifiers: self.specifiers,
            line: file.line_column(self.span.start).line,
            file: Arc::clone(file),
            span: self.span,
            is_conditional: self.is_conditional,
            is_constraint: self.is_constraint,
        }
    }
}

fn span(range: Range<usize>) -> Span {
    Span::new(range.start, range.end)
}

#[cfg(test)]
mod tests;
