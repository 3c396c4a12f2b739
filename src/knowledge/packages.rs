//! The packages that decide about precision: their names and their releases (`data/packages.toml`).

use std::sync::LazyLock;

use pep440_rs::VersionSpecifiers;
use serde::Deserialize;

use super::Version;
use super::interval::RELEASES;

const TEXT: &str = include_str!("data/packages.toml");

/// Longer names are no name of these.
const LENGTH: usize = 100;

/// A file that does not parse is found by this module's tests; at run time it would be as good as empty.
static PACKAGES: LazyLock<Vec<PackageFacts>> = LazyLock::new(|| {
    let table: Table<'static> = toml::from_str(TEXT).unwrap_or_default();
    table.package.into_iter().map(PackageFacts::of).collect()
});

#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct Table<'a> {
    #[serde(borrow)]
    package: Vec<Row<'a>>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Row<'a> {
    name: &'a str,
    #[serde(borrow)]
    distributions: Vec<&'a str>,
    conda: Vec<&'a str>,
    repositories: Vec<&'a str>,
    brings: Vec<&'a str>,
    /// For the program that writes the releases.
    #[serde(rename = "oldest")]
    _oldest: Option<&'a str>,
    releases: Vec<&'a str>,
}

/// What is known of a package as a whole.
#[derive(Debug)]
pub struct PackageFacts {
    /// As accelerate calls it where it asks what is installed: `torchao`, `transformer_engine`, `msamp`.
    pub name: &'static str,
    /// Its names on the package index, in their normal form, the usual one first.
    pub distributions: Vec<&'static str>,
    /// Its other names on conda channels.
    pub conda: Vec<&'static str>,
    /// The last part of the address of its repository, where that is another name.
    pub repositories: Vec<&'static str>,
    /// The packages that come with it, because it depends on them.
    pub brings: Vec<&'static str>,
    /// The final releases that are known, ascending. The oldest ones may be left out.
    pub releases: Vec<Version>,
}

/// A package is known by its name.
impl PartialEq for PackageFacts {
    fn eq(&self, other: &Self) -> bool {
        self.name == other.name
    }
}

impl Eq for PackageFacts {}

impl PackageFacts {
    fn of(row: Row<'static>) -> Self {
        let listed = row.releases.iter();
        Self {
            name: row.name,
            distributions: row.distributions,
            conda: row.conda,
            repositories: row.repositories,
            brings: row.brings,
            releases: match row.name {
                "accelerate" => RELEASES.versions.clone(),
                _ => listed.filter_map(|release| release.parse().ok()).collect(),
            },
        }
    }

    /// Its name on the package index, as people write it in a requirement.
    pub fn distribution(&self) -> &'static str {
        self.distributions.first().copied().unwrap_or(self.name)
    }

    /// The newest known release that these specifiers allow.
    pub fn newest_release_within(&self, range: &VersionSpecifiers) -> Option<&Version> {
        let mut newest_first = self.releases.iter().rev();
        newest_first.find(|release| range.contains(release))
    }
}

/// The packages that are known.
pub fn packages() -> &'static [PackageFacts] {
    &PACKAGES
}

/// The package of this name, as accelerate calls it.
pub fn package(name: &str) -> Option<&'static PackageFacts> {
    PACKAGES.iter().find(|package| package.name == name)
}

/// The package of this distribution; however its name is spelled.
pub fn package_of_distribution(name: &str) -> Option<&'static PackageFacts> {
    find(name, |package| package.distributions.iter())
}

/// The package of this name on a conda channel; most have the name of the distribution there.
pub fn package_on_conda(name: &str) -> Option<&'static PackageFacts> {
    find(name, |package| package.conda.iter()).or_else(|| package_of_distribution(name))
}

/// The package of a repository with this name, the last part of its address.
pub fn package_of_repository(name: &str) -> Option<&'static PackageFacts> {
    find(name, |package| package.repositories.iter()).or_else(|| package_of_distribution(name))
}

fn find(
    name: &str,
    names: impl Fn(&'static PackageFacts) -> std::slice::Iter<'static, &'static str>,
) -> Option<&'static PackageFacts> {
    if name.len() > LENGTH {
        return None;
    }
    PACKAGES
        .iter()
        .find(|package| names(package).any(|known| is_name(name, known)))
}

/// The newest known release of the package that these specifiers allow.
pub fn newest_release_within(name: &str, range: &VersionSpecifiers) -> Option<&'static Version> {
    package(name)?.newest_release_within(range)
}

/// Whether a name is this one, which is in its normal form: case does not count, and runs of `-`, `_`, `.` are one `-`
/// (PEP 503).
fn is_name(name: &str, normal: &str) -> bool {
    let mut words = name.split(['-', '_', '.']).filter(|word| !word.is_empty());
    let begins_well = name.starts_with(|first: char| first.is_ascii_alphanumeric());
    begins_well
        && normal.split('-').all(|known| {
            words
                .next()
                .is_some_and(|word| known.eq_ignore_ascii_case(word))
        })
        && words.next().is_none()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_file_parses_and_its_lists_are_in_order() {
        let table: Table<'_> = toml::from_str(TEXT).unwrap();
        assert_eq!(table.package.len(), packages().len());
        for (row, package) in table.package.iter().zip(packages()) {
            let listed = row.releases.len();
            assert!(
                listed == package.releases.len() || row.name == "accelerate",
                "{}",
                row.name
            );
            assert!(package.releases.is_sorted(), "{}", row.name);
            let brought = package.brings.iter();
            assert!(
                brought
                    .copied()
                    .all(|brought| self::package(brought).is_some())
            );
        }
        assert_eq!(
            package("accelerate").unwrap().releases.last(),
            Some(crate::knowledge::newest())
        );
    }

    #[test]
    fn the_releases_whose_behaviour_was_read_are_known() {
        for (name, release) in [
            ("transformers", "4.57.6"),
            ("transformers", "5.24.0"),
            ("trl", "0.7.0"),
            ("trl", "1.16.0"),
            ("torch", "2.9.1"),
            ("torchao", "0.18.0"),
            ("transformer_engine", "2.9.0"),
            ("deepspeed", "0.19.8"),
            ("axolotl", "0.19.0"),
            ("llamafactory", "0.9.5"),
            ("ms-swift", "4.6.0"),
        ] {
            let release = release.parse().unwrap();
            assert!(package(name).unwrap().releases.contains(&release), "{name}");
        }
    }

    #[test]
    fn names_are_found_however_they_are_spelled() {
        for (name, package) in [
            ("torchao", Some("torchao")),
            ("Transformer_Engine", Some("transformer_engine")),
            ("transformer--engine.cu12", Some("transformer_engine")),
            ("transformer-engine-torch", Some("transformer_engine")),
            ("MS-AMP", Some("msamp")),
            ("msamp", Some("msamp")),
            ("LLaMA.Factory", Some("llamafactory")),
            ("ms_swift", Some("ms-swift")),
            ("swift", None),
            ("torch-ao", None),
            ("pytorch", None),
            ("-torch", None),
            ("", None),
            ("törch", None),
        ] {
            let found = package_of_distribution(name).map(|package| package.name);
            assert_eq!(found, package, "{name}");
        }
        let name = |package: &PackageFacts| package.name;
        assert_eq!(package_on_conda("pytorch").map(name), Some("torch"));
        assert_eq!(package_on_conda("trl").map(name), Some("trl"));
        let repository = package_of_repository("TransformerEngine").map(name);
        assert_eq!(repository, Some("transformer_engine"));
    }

    #[test]
    fn the_newest_release_of_a_range() {
        let within = |range: &str| {
            let found = newest_release_within("transformers", &range.parse().unwrap());
            found.map(ToString::to_string)
        };
        assert_eq!(within(">=4.50,<5").as_deref(), Some("4.57.6"));
        assert_eq!(within("<4.30"), None);
        let nothing_known = newest_release_within("msamp", &VersionSpecifiers::empty());
        assert_eq!(nothing_known, None);
    }
}
