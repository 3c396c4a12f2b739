//! A word of an install command as a requirement.

/// How a requirement is spelt.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Spelling {
    /// PEP 508: `accelerate[rich]>=1.3`.
    Pip,
    /// The same, or `accelerate@1.3`.
    Poetry,
    /// `conda-forge::accelerate=1.3`.
    Conda,
}

/// Packages that conda calls otherwise.
const CONDA_NAMES: &[(&str, &str)] = &[("pytorch", "torch")];

/// The requirement as pip reads it, if this looks like one.
pub(super) fn requirement(text: &str, spelling: Spelling) -> Option<String> {
    let text = text.trim();
    let text = match (spelling, text.split_once("::")) {
        (Spelling::Conda, Some((_, package))) => package,
        _ => text,
    };
    let is_name = |letter: char| letter.is_ascii_alphanumeric() || "-_.".contains(letter);
    let length = text.find(|letter| !is_name(letter)).unwrap_or(text.len());
    let (name, rest) = text.split_at(length);
    let begins_well = name.starts_with(|first: char| first.is_ascii_alphanumeric());
    if !begins_well
        || [".whl", ".zip", ".gz", ".yml", ".yaml", ".txt"]
            .iter()
            .any(|ending| name.ends_with(ending))
    {
        return None;
    }
    let mut versions = rest;
    if let Some(extras) = versions.strip_prefix('[') {
        versions = extras.split_once(']')?.1;
    }
    let versions = versions.trim_start();
    let operators = |text: &str| {
        ["==", ">=", "<=", "~=", "!=", ">", "<", ";", "("]
            .iter()
            .any(|operator| text.starts_with(operator))
    };
    match spelling {
        _ if versions.is_empty() || operators(versions) => Some(match spelling {
            Spelling::Conda => format!("{}{rest}", conda_name(name)),
            _ => text.to_owned(),
        }),
        Spelling::Conda => {
            let version = versions.strip_prefix('=')?;
            Some(format!("{}{}", conda_name(name), conda_version(version)?))
        }
        Spelling::Poetry => {
            let version = versions.strip_prefix('@')?;
            let before = text.len() - versions.len();
            let before = text.get(..before).unwrap_or(name).trim_end();
            if operators(version) {
                Some(format!("{before}{version}"))
            } else if version.starts_with(|first: char| first.is_ascii_digit()) {
                Some(format!("{before}=={version}"))
            } else {
                None
            }
        }
        Spelling::Pip => None,
    }
}

fn conda_name(name: &str) -> &str {
    let known = CONDA_NAMES.iter().find(|(conda, _)| *conda == name);
    known.map_or(name, |(_, pip)| pip)
}

/// What follows `name=`: `1.2` is any 1.2, `1.2.3=build` is that build of 1.2.3.
fn conda_version(version: &str) -> Option<String> {
    let is_version = version.starts_with(|first: char| first.is_ascii_digit());
    match version.split_once('=') {
        _ if !is_version => None,
        Some((version, _)) => Some(format!("=={version}")),
        None if version.ends_with(".*") => Some(format!("=={version}")),
        None => Some(format!("=={}.*", version.trim_end_matches('*'))),
    }
}
