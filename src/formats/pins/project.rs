//! `pyproject.toml`: PEP 621, dependency groups (PEP 735), Poetry, uv, PDM, Hatch.

use pep440_rs::VersionSpecifiers;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

use crate::knowledge::{PackageFacts, package_of_distribution};

use super::{Said, marker, poetry, requirement, span};

/// Whether all of a list of requirements is installed.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Always,
    /// An extra or a group, which somebody asks for or not.
    Optional,
    /// It only limits versions.
    Constraint,
}

/// Where requirements are listed; `*` stands for every key of a table.
const LISTS: &[(&[&str], Kind)] = &[
    (&["tool", "uv", "override-dependencies"], Kind::Constraint),
    (&["project", "dependencies"], Kind::Always),
    (&["project", "optional-dependencies", "*"], Kind::Optional),
    (&["dependency-groups", "*"], Kind::Optional),
    (&["tool", "uv", "dev-dependencies"], Kind::Optional),
    (&["tool", "uv", "constraint-dependencies"], Kind::Constraint),
    (&["tool", "pdm", "dev-dependencies", "*"], Kind::Optional),
    (
        &["tool", "hatch", "envs", "*", "dependencies"],
        Kind::Optional,
    ),
    (
        &["tool", "hatch", "envs", "*", "extra-dependencies"],
        Kind::Optional,
    ),
];

/// Where Poetry lists dependencies.
const POETRY: &[(&[&str], Kind)] = &[
    (&["tool", "poetry", "dependencies"], Kind::Always),
    (&["tool", "poetry", "dev-dependencies"], Kind::Optional),
    (
        &["tool", "poetry", "group", "*", "dependencies"],
        Kind::Optional,
    ),
];

/// What a project says.
pub(super) fn said(text: &str) -> Vec<Said> {
    let Ok(project) = DeTable::parse(text) else {
        return Vec::new();
    };
    let root = project.get_ref();
    let mut said = Vec::new();
    for (route, kind) in LISTS {
        let listed = at(root, route)
            .into_iter()
            .filter_map(DeValue::as_array)
            .flatten();
        for requirement in listed {
            // A table (`{include-group = "dev"}`) names no package.
            if let Some(text) = requirement.get_ref().as_str() {
                let mut found = Vec::new();
                requirement::collect(text.trim(), |_| span(requirement.span()), &mut found);
                said.extend(found.into_iter().map(|found| kind.put_on(found)));
            }
        }
    }
    for (route, kind) in POETRY {
        let tables = at(root, route)
            .into_iter()
            .filter_map(DeValue::as_table)
            .flatten();
        for (name, dependency) in tables {
            if let Some(package) = package_of_distribution(name.get_ref()) {
                let found = of_poetry(package, span(name.span()), dependency);
                said.extend(found.into_iter().map(|found| kind.put_on(found)));
            }
        }
    }
    said
}

impl Kind {
    fn put_on(self, said: Said) -> Said {
        Said {
            is_conditional: said.is_conditional || self == Self::Optional,
            is_constraint: self == Self::Constraint,
            ..said
        }
    }
}

/// `"^1.3"`, `{version = "^1.3", extras = ["rich"]}`, or a list of such tables.
fn of_poetry(
    package: &'static PackageFacts,
    name: crate::source::Span,
    dependency: &Spanned<DeValue<'_>>,
) -> Vec<Said> {
    let alternatives = match dependency.get_ref() {
        DeValue::Array(alternatives) => alternatives.iter().collect(),
        _ => vec![dependency],
    };
    let is_one_of_several = alternatives.len() > 1;
    let mut said = Vec::new();
    for alternative in alternatives {
        let (constraint, table) = match alternative.get_ref() {
            DeValue::Table(table) => (table.get("version"), Some(table)),
            _ => (Some(alternative), None),
        };
        let has = |key: &str| table.is_some_and(|table| table.contains_key(key));
        let markers = table.and_then(|table| table.get("markers")?.get_ref().as_str());
        let holds = markers.map_or(Some(true), marker::holds);
        if holds == Some(false) {
            continue;
        }
        let text = constraint.and_then(|constraint| constraint.get_ref().as_str());
        let specifiers = text.and_then(poetry::specifiers);
        said.push(Said {
            is_conditional: is_one_of_several
                || holds.is_none()
                || has("python")
                || has("optional"),
            ..Said::new(
                package,
                specifiers.unwrap_or_else(VersionSpecifiers::empty),
                constraint.map_or(name, |constraint| span(constraint.span())),
            )
        });
    }
    said
}

/// The values at a route of keys.
fn at<'t, 'text>(table: &'t DeTable<'text>, route: &[&str]) -> Vec<&'t DeValue<'text>> {
    let Some((first, rest)) = route.split_first() else {
        return Vec::new();
    };
    let values: Vec<_> = match *first {
        "*" => table.values().map(Spanned::get_ref).collect(),
        key => table.get(key).map(Spanned::get_ref).into_iter().collect(),
    };
    if rest.is_empty() {
        return values;
    }
    let tables = values.into_iter().filter_map(DeValue::as_table);
    tables.flat_map(|table| at(table, rest)).collect()
}
