//! conda: `environment.yml`, `conda-lock.yml`, and explicit lists of packages.

use std::collections::HashSet;
use std::str::FromStr;
use std::sync::Arc;

use pep440_rs::VersionSpecifiers;

use crate::knowledge::{package_of_distribution, package_on_conda};
use crate::source::{NodeRef, SourceFile, Span, yaml};

use super::lock::{exactly, forks};
use super::requirement::split_name;
use super::requirements::Reading;
use super::{Beside, Pin, Said};

/// What an environment says, with the requirements files that its `pip` list includes.
pub(super) fn environment(name: &str, file: &Arc<SourceFile>, beside: &dyn Beside) -> Vec<Pin> {
    let Ok(document) = yaml::read(file.text()) else {
        return Vec::new();
    };
    let mut pins = Vec::new();
    let mut pip = Reading::new(name, beside);
    let mut seen = HashSet::new();
    for dependency in elements(document.root(), "dependencies") {
        if !seen.insert(dependency.id()) {
            continue;
        }
        if let Some(text) = dependency.text() {
            pins.extend(wanted(text, dependency.span()).map(|said| said.within(file)));
        }
        for line in elements(dependency, "pip") {
            if !seen.insert(line.id()) {
                continue;
            }
            if let Some(text) = line.text() {
                pip.line(name, file, text.trim(), false, |_| line.span());
            }
        }
    }
    pins.extend(pip.finish());
    pins
}

/// The elements of the list under a key. Aliases may name one of them without end, so each is to be looked at once.
fn elements<'d>(mapping: NodeRef<'d>, key: &str) -> impl Iterator<Item = NodeRef<'d>> {
    let list = mapping.get(key);
    list.into_iter().flat_map(|entry| entry.value.elements())
}

/// A package as an environment asks for it: `conda-forge::accelerate>=1.3`, `pytorch=2.9.1=*_cuda126`.
fn wanted(text: &str, span: Span) -> Option<Said> {
    let text = text.rsplit_once("::").map_or(text, |(_, text)| text).trim();
    let (name, rest) = split_name(text);
    let package = package_on_conda(name)?;
    Some(Said::new(package, versions(rest), span))
}

/// The versions of a conda match specification. What cannot be said in specifiers of Python says nothing.
fn versions(rest: &str) -> VersionSpecifiers {
    let rest = rest.trim();
    let bracketed = rest
        .strip_prefix('[')
        .and_then(|inner| inner.split_once("version="))
        .and_then(|(_, version)| {
            version
                .split([']', '"', '\''])
                .find(|part| !part.is_empty())
        });
    let rest = bracketed.unwrap_or(rest);
    // `=2.9` is 2.9 and all that begins so, `=2.9=BUILD` and `2.9 BUILD` are just 2.9.
    let is_comparison =
        |text: &str| text.starts_with(['<', '>', '!', '~']) || text.starts_with("==");
    let text = if is_comparison(rest) {
        rest.to_owned()
    } else {
        let (is_fuzzy, version) = match rest.strip_prefix('=') {
            Some(version) => (true, version),
            None => (false, rest),
        };
        let mut parts = version.split(['=', ' ']).filter(|part| !part.is_empty());
        let version = parts.next().unwrap_or_default();
        match (is_fuzzy, parts.next()) {
            (true, None) => format!("=={}.*", version.trim_end_matches(['*', '.'])),
            _ => format!("=={version}"),
        }
    };
    VersionSpecifiers::from_str(&text).unwrap_or_else(|_| VersionSpecifiers::empty())
}

/// What `conda-lock.yml` says for Linux.
pub(super) fn lock(file: &SourceFile) -> Vec<Said> {
    let Ok(document) = yaml::read(file.text()) else {
        return Vec::new();
    };
    let mut seen = HashSet::new();
    let mut said: Vec<_> = elements(document.root(), "package")
        .filter(|locked| seen.insert(locked.id()))
        .filter_map(|locked| locked_package(file, locked))
        .collect();
    forks(&mut said);
    said
}

fn locked_package(file: &SourceFile, locked: NodeRef<'_>) -> Option<Said> {
    let text = |key: &str| locked.get(key).and_then(|found| found.value.text());
    if text("platform").is_some_and(|platform| !platform.starts_with("linux")) {
        return None;
    }
    let package = match text("manager") {
        Some("pip") => package_of_distribution(text("name")?),
        _ => package_on_conda(text("name")?),
    }?;
    let version = locked.get("version")?.value;
    // As it is written: to YAML `1.10` is the number 1.1.
    let written = version.text().unwrap_or_else(|| file.slice(version.span()));
    Some(Said::new(package, exactly(written)?, version.span()))
}

/// What a list of addresses says: `https://conda.anaconda.org/conda-forge/linux-64/pytorch-2.9.1-cuda126_0.conda#md5`.
pub(super) fn explicit(file: &SourceFile) -> Vec<Said> {
    let lines = (1..=file.line_count()).map(|number| file.line_span(number));
    lines
        .filter_map(|span| {
            let address = file.slice(span).split('#').next()?.trim();
            let (_, last) = address.rsplit_once('/')?;
            let mut parts = last.rsplitn(3, '-');
            let (_build, version, name) = (parts.next()?, parts.next()?, parts.next()?);
            Some(Said::new(package_on_conda(name)?, exactly(version)?, span))
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn match_specifications() {
        for (text, expected) in [
            ("pytorch", "torch "),
            ("pytorch=2.9", "torch ==2.9.*"),
            ("pytorch=2.9.*", "torch ==2.9.*"),
            ("pytorch==2.9.1", "torch ==2.9.1"),
            ("pytorch=2.9.1=*cuda126*", "torch ==2.9.1"),
            ("pytorch 2.9.1 py311_0", "torch ==2.9.1"),
            ("pytorch 2.9.*", "torch ==2.9.*"),
            ("pytorch >=2.4,<2.10", "torch >=2.4, <2.10"),
            ("conda-forge::accelerate>=1.3", "accelerate >=1.3"),
            (
                "conda-forge/linux-64::accelerate=1.3.0",
                "accelerate ==1.3.0.*",
            ),
            ("accelerate[version='>=1.3,<2']", "accelerate >=1.3, <2"),
            ("accelerate=1.3|1.4", "accelerate "),
            ("accelerate=", "accelerate "),
            ("accelerate[version=", "accelerate "),
        ] {
            let said = wanted(text, Span::at(0)).unwrap();
            assert_eq!(
                format!("{} {}", said.package.name, said.specifiers),
                expected,
                "{text}"
            );
        }
        for text in ["", "python=3.11", "pytorch-cuda=12.6", "::", "é=1"] {
            assert!(wanted(text, Span::at(0)).is_none(), "{text}");
        }
    }
}
