//! Which accelerate was assumed, and who says so, in a few words.

use std::collections::BTreeMap;

use crate::resolve::Target;
use crate::resolve::target::{Asked, TargetOrigin};

use super::{CheckedFile, one_line};

/// How many versions a closing line names.
const NAMED: usize = 3;

/// `accelerate 1.4.0 (requirements.txt:3)`, or one such for each version that was assumed:
/// `accelerate 1.4.0 (requirements.txt:3) in 2 files, 1.15.0 (newest known) in 5`.
pub(super) fn assumed(files: &[CheckedFile]) -> String {
    let mut versions: BTreeMap<_, (usize, usize)> = BTreeMap::new();
    for (position, file) in files.iter().enumerate() {
        let target = &file.target;
        let said = (
            &target.accelerate.value,
            &target.accelerate_asked,
            &target.accelerate.origin,
        );
        versions.entry(said).or_insert((position, 0)).1 += 1;
    }
    let mut versions: Vec<_> = versions.into_values().collect();
    // The most frequent first, then in the order of the files.
    versions.sort_by_key(|(position, count)| (std::cmp::Reverse(*count), *position));
    if let [(position, _)] = versions[..] {
        let target = &files[position].target;
        return format!("accelerate {}{}", target.accelerate.value, because(target));
    }
    let (named, others) = versions.split_at(versions.len().min(NAMED));
    let mut texts: Vec<_> = named
        .iter()
        .map(|(position, count)| {
            let target = &files[*position].target;
            let because = match target.accelerate.origin {
                TargetOrigin::Default => " (newest known)".to_owned(),
                _ => because(target),
            };
            format!("{}{because} in {count}", target.accelerate.value)
        })
        .collect();
    if let Some(first) = texts.first_mut() {
        let plural = if named[0].1 == 1 { "" } else { "s" };
        *first = format!("accelerate {first} file{plural}");
    }
    if !others.is_empty() {
        let count: usize = others.iter().map(|(_, count)| count).sum();
        texts.push(format!("others in {count}"));
    }
    texts.join(", ")
}

/// Why this version, in brackets; nothing where the command line or nobody names just this one.
pub(super) fn because(target: &Target) -> String {
    let line = target.accelerate.origin.line().map(ToString::to_string);
    let reason = match (&target.accelerate_asked, line) {
        (None, None) => return String::new(),
        (None, Some(line)) => line,
        (Some(Asked::Newer(version)), None) => {
            format!("the newest known; {version} was asked for")
        }
        (Some(Asked::Newer(version)), Some(line)) => {
            format!("the newest known; {line} asks for {version}")
        }
        (Some(Asked::Range(range)), None) => format!("the newest that {range} allows"),
        (Some(Asked::Range(range)), Some(line)) => {
            format!("the newest that {range} allows, {line}")
        }
    };
    format!(" ({})", one_line(&reason))
}
