//! `uv.lock`, `poetry.lock`, `pdm.lock`: a `[[package]]` for each.

use std::collections::{BTreeMap, BTreeSet};
use std::str::FromStr;

use pep440_rs::{Version, VersionSpecifier, VersionSpecifiers};
use toml::de::{DeTable, DeValue};

use crate::knowledge::package_of_distribution;

use super::{Said, span};

/// Longer texts are no version.
const LENGTH: usize = 100;

/// The versions that are locked; several of a package where the lock forks by platform or Python.
pub(super) fn toml(text: &str) -> Vec<Said> {
    let Ok(lock) = DeTable::parse(text) else {
        return Vec::new();
    };
    let packages = lock.get_ref().get("package").map(|value| value.get_ref());
    let packages = packages.and_then(DeValue::as_array);
    let mut said: Vec<_> = packages
        .into_iter()
        .flatten()
        .filter_map(|locked| {
            let locked = locked.get_ref().as_table()?;
            let package = package_of_distribution(locked.get("name")?.get_ref().as_str()?)?;
            let version = locked.get("version")?;
            let exact = exactly(version.get_ref().as_str()?)?;
            Some(Said::new(package, exact, span(version.span())))
        })
        .collect();
    forks(&mut said);
    said
}

/// Of several versions of one package in a lock each is for another machine or Python.
pub(super) fn forks(said: &mut [Said]) {
    let mut first = BTreeMap::new();
    let mut forked = BTreeSet::new();
    for said in said.iter() {
        let specifiers = first.entry(said.package.name).or_insert(&said.specifiers);
        if **specifiers != said.specifiers {
            forked.insert(said.package.name);
        }
    }
    for said in said {
        said.is_conditional |= forked.contains(said.package.name);
    }
}

/// Just this version.
pub(super) fn exactly(version: &str) -> Option<VersionSpecifiers> {
    if version.len() > LENGTH {
        return None;
    }
    let version = Version::from_str(version).ok()?;
    Some(VersionSpecifiers::from(VersionSpecifier::equals_version(
        version,
    )))
}
