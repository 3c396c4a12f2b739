//! `Pipfile` and `Pipfile.lock`.

use std::str::FromStr;

use pep440_rs::VersionSpecifiers;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

use crate::knowledge::package_of_distribution;
use crate::source::json;

use super::{Said, marker, span};

/// What `Pipfile.lock` says: `{"default": {"torch": {"version": "==2.9.1", "markers": "…"}}}`.
pub(super) fn lock(text: &str) -> Vec<Said> {
    let Ok(document) = json::read(text) else {
        return Vec::new();
    };
    let sections = [("default", false), ("develop", true)];
    let of_section = |(section, is_group): (&str, bool)| {
        let entries = document.root().get(section);
        let entries = entries
            .into_iter()
            .flat_map(|section| section.value.entries());
        let said = entries.filter_map(|entry| {
            let package = package_of_distribution(entry.key.text()?)?;
            let text = |key: &str| entry.value.get(key).and_then(|found| found.value.text());
            let holds = text("markers").map_or(Some(true), marker::holds);
            let version = entry.value.get("version").map(|found| found.value);
            let said = Said {
                is_conditional: is_group || holds.is_none(),
                ..Said::new(
                    package,
                    specifiers(text("version").unwrap_or_default()),
                    version.unwrap_or(entry.key).span(),
                )
            };
            (holds != Some(false)).then_some(said)
        });
        said.collect::<Vec<_>>()
    };
    sections.into_iter().flat_map(of_section).collect()
}

/// What a `Pipfile` says: `torch = "==2.9.1"`, `torch = {version = "*"}`.
pub(super) fn said(text: &str) -> Vec<Said> {
    let Ok(pipfile) = DeTable::parse(text) else {
        return Vec::new();
    };
    let mut said = Vec::new();
    for (section, is_group) in [("packages", false), ("dev-packages", true)] {
        let packages = pipfile.get_ref().get(section);
        let packages = packages.and_then(|packages| packages.get_ref().as_table());
        for (name, wanted) in packages.into_iter().flatten() {
            let Some(package) = package_of_distribution(name.get_ref()) else {
                continue;
            };
            let text = |key: &str| {
                let value = wanted.get_ref().as_table()?.get(key)?;
                Some((value, value.get_ref().as_str()?))
            };
            let markers = text("markers").map(|(_, marker)| marker);
            let holds = markers.map_or(Some(true), marker::holds);
            if holds == Some(false) {
                continue;
            }
            let plain = wanted.get_ref().as_str().map(|version| (wanted, version));
            let version: Option<(&Spanned<DeValue<'_>>, &str)> = plain.or_else(|| text("version"));
            said.push(Said {
                is_conditional: is_group || holds.is_none(),
                ..Said::new(
                    package,
                    specifiers(version.map_or("", |(_, version)| version)),
                    span(version.map_or(name.span(), |(value, _)| value.span())),
                )
            });
        }
    }
    said
}

/// `*`, and what cannot be understood, allows all.
fn specifiers(text: &str) -> VersionSpecifiers {
    VersionSpecifiers::from_str(text).unwrap_or_else(|_| VersionSpecifiers::empty())
}
