//! Requirements as PEP 508 writes them: `accelerate[rich]>=1.3,<2; python_version > "3.8"`.

use std::str::FromStr;

use pep440_rs::VersionSpecifiers;

use super::marker;

/// A requirement that allows some versions of a package.
pub(super) struct Requirement {
    pub(super) specifiers: VersionSpecifiers,
    /// How many bytes name, extras and versions take: the requirement without its marker.
    pub(super) length: usize,
}

/// The versions that `text` allows of `package`, if it is about this package, names versions, and its marker does not
/// rule it out.
pub(super) fn versions_of(package: &str, text: &str) -> Option<Requirement> {
    let (before, condition) = match text.split_once(';') {
        Some((before, condition)) => (before.trim_end(), Some(condition)),
        None => (text.trim_end(), None),
    };
    let is_name =
        |character: char| character.is_ascii_alphanumeric() || matches!(character, '-' | '_' | '.');
    let end = before
        .find(|character| !is_name(character))
        .unwrap_or(before.len());
    let (name, rest) = before.split_at(end);
    if !is_package(name, package) {
        return None;
    }
    let mut versions = rest.trim_start();
    if let Some(extras) = versions.strip_prefix('[') {
        versions = extras.split_once(']')?.1.trim_start();
    }
    let parenthesised = versions.strip_prefix('(');
    if let Some(inner) = parenthesised {
        versions = inner.strip_suffix(')')?;
    }
    let versions = versions.trim().trim_end_matches(',');
    let specifiers = VersionSpecifiers::from_str(versions).ok()?;
    let is_ruled_out = condition.is_some_and(|condition| marker::holds(condition) == Some(false));
    (!specifiers.is_empty() && !is_ruled_out).then_some(Requirement {
        specifiers,
        length: before.len(),
    })
}

/// Whether a name is that of the package: case does not count, and runs of `-`, `_`, `.` are one `-` (PEP 503).
pub(super) fn is_package(name: &str, package: &str) -> bool {
    let words = name.split(['-', '_', '.']).filter(|word| !word.is_empty());
    let mut wanted = package.split('-');
    words.into_iter().all(|word| {
        wanted
            .next()
            .is_some_and(|wanted| wanted.eq_ignore_ascii_case(word))
    }) && wanted.next().is_none()
        && name.starts_with(|first: char| first.is_ascii_alphanumeric())
}
