//! Requirements as PEP 508 writes them: `accelerate[rich]>=1.3,<2; python_version > "3.8"`.

use std::str::FromStr;

use pep440_rs::VersionSpecifiers;

use crate::knowledge::{PackageFacts, package_of_distribution};
use crate::source::Span;

use super::{Said, address, marker};

/// Adds what `text` says about the packages that are known, unless its marker rules it out. `span` gives the place of
/// its first bytes, as many as it is given: the requirement without its marker.
pub(super) fn collect(text: &str, span: impl Fn(usize) -> Span, said: &mut Vec<Said>) {
    collect_named(text, package_of_distribution, span, said);
}

/// The same, with another way to find a package by its name.
pub(super) fn collect_named(
    text: &str,
    find: impl Fn(&str) -> Option<&'static PackageFacts>,
    span: impl Fn(usize) -> Span,
    said: &mut Vec<Said>,
) {
    let Some(requirement) = Requirement::of(text) else {
        return;
    };
    let at = span(requirement.length);
    let mut add = |package, specifiers| {
        said.push(Said {
            is_conditional: requirement.is_conditional,
            ..Said::new(package, specifiers, at)
        });
    };
    let package = match requirement.form {
        Form::Name => find(requirement.name),
        Form::Address => address::package(requirement.name),
    };
    if let Some(package) = package {
        add(package, requirement.specifiers);
    }
    // `accelerate[deepspeed]` installs DeepSpeed: an extra with the name of a package is there for it.
    for extra in requirement.extras.split(',') {
        if let Some(extra) = package_of_distribution(extra.trim())
            && Some(extra) != package
        {
            add(extra, VersionSpecifiers::empty());
        }
    }
}

/// How a requirement names its package.
enum Form {
    Name,
    /// An address, or a path.
    Address,
}

struct Requirement<'text> {
    form: Form,
    name: &'text str,
    extras: &'text str,
    /// Empty where no versions are named, or where they cannot be understood.
    specifiers: VersionSpecifiers,
    is_conditional: bool,
    /// How many bytes name, extras and versions take.
    length: usize,
}

impl<'text> Requirement<'text> {
    /// `None` for what is no requirement, and for one whose marker does not hold.
    fn of(text: &'text str) -> Option<Self> {
        let (before, condition) = match text.split_once(';') {
            Some((before, condition)) => (before.trim_end(), Some(condition)),
            None => (text.trim_end(), None),
        };
        let holds = condition.map_or(Some(true), marker::holds);
        if holds == Some(false) {
            return None;
        }
        let named = Self {
            form: Form::Name,
            name: before,
            extras: "",
            specifiers: VersionSpecifiers::empty(),
            is_conditional: holds.is_none(),
            length: before.len(),
        };
        let (name, rest) = split_name(before);
        let mut versions = rest.trim_start();
        let mut extras = "";
        if let Some(inner) = versions.strip_prefix('[') {
            (extras, versions) = inner.split_once(']')?;
            versions = versions.trim_start();
        }
        let is_name =
            versions.is_empty() || versions.starts_with(['<', '>', '=', '!', '~', '(', '@']);
        if !is_name {
            return Some(Self {
                form: Form::Address,
                ..named
            });
        }
        if let Some(inner) = versions.strip_prefix('(') {
            versions = inner.strip_suffix(')').unwrap_or("(");
        }
        let versions = versions.trim().trim_end_matches(',');
        Some(Self {
            name,
            extras,
            specifiers: VersionSpecifiers::from_str(versions)
                .unwrap_or_else(|_| VersionSpecifiers::empty()),
            ..named
        })
    }
}

/// The name at the beginning of a text, and what follows it.
pub(super) fn split_name(text: &str) -> (&str, &str) {
    let is_name =
        |character: char| character.is_ascii_alphanumeric() || matches!(character, '-' | '_' | '.');
    let end = text
        .find(|character| !is_name(character))
        .unwrap_or(text.len());
    text.split_at(end)
}
