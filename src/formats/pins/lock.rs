//! `uv.lock`.

use std::str::FromStr;

use pep440_rs::{Version, VersionSpecifier, VersionSpecifiers};
use toml::de::{DeTable, DeValue};

use super::requirement::is_package;
use super::{Said, span};

/// The versions of a package that are locked; several where the lock forks by platform or Python.
pub(super) fn pins(text: &str, package: &str) -> Vec<Said> {
    let Ok(lock) = DeTable::parse(text) else {
        return Vec::new();
    };
    let packages = lock.get_ref().get("package").map(|value| value.get_ref());
    let packages = packages.and_then(DeValue::as_array);
    packages
        .into_iter()
        .flatten()
        .filter_map(|locked| {
            let locked = locked.get_ref().as_table()?;
            let name = locked.get("name")?.get_ref().as_str()?;
            let version = locked
                .get("version")
                .filter(|_| is_package(name, package))?;
            let locked = Version::from_str(version.get_ref().as_str()?).ok()?;
            Some(Said {
                specifiers: VersionSpecifiers::from(VersionSpecifier::equals_version(locked)),
                span: span(version.span()),
            })
        })
        .collect()
}
