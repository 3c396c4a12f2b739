//! `pyproject.toml`: PEP 621, dependency groups (PEP 735), Poetry.

use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::requirement::{is_package, versions_of};
use super::{Said, poetry, span};

/// What a project says about a package.
pub(super) fn pins(text: &str, package: &str) -> Vec<Said> {
    let Ok(project) = DeTable::parse(text) else {
        return Vec::new();
    };
    let root = project.get_ref();
    let mut lists: Vec<&DeValue<'_>> = Vec::new();
    lists.extend(at(root, &["project", "dependencies"]));
    lists.extend(values(at(root, &["project", "optional-dependencies"])));
    lists.extend(values(at(root, &["dependency-groups"])));
    let requirements = lists.into_iter().filter_map(DeValue::as_array).flatten();
    let mut said: Vec<Said> = requirements
        .filter_map(|requirement| {
            // A table (`{include-group = "dev"}`) names no package.
            let found = versions_of(package, requirement.get_ref().as_str()?.trim())?;
            Some(Said {
                specifiers: found.specifiers,
                span: span(requirement.span()),
            })
        })
        .collect();

    let mut tables: Vec<&DeValue<'_>> = Vec::new();
    tables.extend(at(root, &["tool", "poetry", "dependencies"]));
    for group in values(at(root, &["tool", "poetry", "group"])) {
        tables.extend(
            group
                .as_table()
                .and_then(|group| at(group, &["dependencies"])),
        );
    }
    let dependencies = tables.into_iter().filter_map(DeValue::as_table).flatten();
    let of_package = dependencies.filter(|(name, _)| is_package(name.get_ref(), package));
    said.extend(of_package.flat_map(|(_, dependency)| poetry_versions(dependency)));
    said
}

/// `"^1.3"`, `{version = "^1.3", extras = ["rich"]}`, or a list of such tables.
fn poetry_versions(dependency: &Spanned<DeValue<'_>>) -> Vec<Said> {
    let alternatives = match dependency.get_ref() {
        DeValue::Array(alternatives) => alternatives.iter().collect(),
        _ => vec![dependency],
    };
    alternatives
        .into_iter()
        .filter_map(|alternative| {
            let constraint = match alternative.get_ref() {
                DeValue::Table(table) => table.get("version")?,
                _ => alternative,
            };
            Some(Said {
                specifiers: poetry::specifiers(constraint.get_ref().as_str()?)?,
                span: span(constraint.span()),
            })
        })
        .collect()
}

/// The value at a route of keys.
fn at<'t, 'text>(table: &'t DeTable<'text>, route: &[&str]) -> Option<&'t DeValue<'text>> {
    let (first, rest) = route.split_first()?;
    let value = table.get(*first)?.get_ref();
    match rest {
        [] => Some(value),
        _ => at(value.as_table()?, rest),
    }
}

/// The values of a table.
fn values<'t, 'text>(
    table: Option<&'t DeValue<'text>>,
) -> impl Iterator<Item = &'t DeValue<'text>> {
    let table = table.and_then(DeValue::as_table);
    table
        .into_iter()
        .flat_map(|table| table.values().map(Spanned::get_ref))
}
