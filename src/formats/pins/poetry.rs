//! Poetry's own version constraints: `^1.3`, `~1.3`, `1.3.*`, beside those of PEP 440.

use std::str::FromStr;

use pep440_rs::{Version, VersionSpecifier, VersionSpecifiers};

/// The versions that a constraint allows. `*` allows all, so it says nothing; `||` is in no specifier.
pub(super) fn specifiers(constraint: &str) -> Option<VersionSpecifiers> {
    let mut specifiers = Vec::new();
    let mut operator = "";
    // Parts are set apart by commas or blanks; a blank may stand between operator and version, too.
    for word in constraint
        .split([',', ' ', '\t'])
        .filter(|word| !word.is_empty())
    {
        let is_operator = |character: char| "<>=!~^".contains(character);
        if word.chars().all(is_operator) {
            operator = word;
        } else if operator.is_empty() {
            part(word, &mut specifiers)?;
        } else {
            part(&format!("{operator}{word}"), &mut specifiers)?;
            operator = "";
        }
    }
    (!specifiers.is_empty() && operator.is_empty()).then(|| specifiers.into_iter().collect())
}

fn part(part: &str, specifiers: &mut Vec<VersionSpecifier>) -> Option<()> {
    if part == "*" {
        return Some(());
    }
    if let Some(version) = part.strip_prefix('^') {
        let version = Version::from_str(version).ok()?;
        let release = version.release();
        // The first number that is not 0 stays: ^0.30.1 ends before 0.31.
        let first = release.iter().position(|number| *number != 0);
        let fixed = first.unwrap_or(release.len() - 1);
        between(version, fixed, specifiers)
    } else if let Some(version) = part.strip_prefix('~').filter(|rest| !rest.starts_with('=')) {
        let version = Version::from_str(version).ok()?;
        // The second number stays, or the first where it is alone: ~1.3 ends before 1.4, ~1 before 2.
        let fixed = version.release().len().min(2) - 1;
        between(version, fixed, specifiers)
    } else {
        let exact = part.trim_start_matches('=');
        let is_bare = exact.starts_with(|first: char| first.is_ascii_digit());
        let text = if is_bare {
            format!("=={exact}")
        } else {
            part.to_owned()
        };
        specifiers.push(VersionSpecifier::from_str(&text).ok()?);
        Some(())
    }
}

/// From a version on, and before the next one that differs at the number `fixed`.
fn between(version: Version, fixed: usize, specifiers: &mut Vec<VersionSpecifier>) -> Option<()> {
    let mut end = version.release().get(..=fixed)?.to_vec();
    let last = end.last_mut()?;
    *last = last.checked_add(1)?;
    specifiers.push(VersionSpecifier::greater_than_equal_version(version));
    specifiers.push(VersionSpecifier::less_than_version(Version::new(end)));
    Some(())
}
