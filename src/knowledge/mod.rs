//! Knowledge: what is known of each release of accelerate, and of the trainers above it.
//!
//! Two data files, both with an interval of releases and a source for each row, are embedded and read when first asked
//! for. `data/accelerate.json` holds **facts**, extracted from the released wheels by `tools/extract_accelerate.py`: the
//! keys of config files, the arguments of `accelerate launch`, enums, who reads which environment variable.
//! `data/behaviours.toml` chooses among **named behaviours** ([`Behaviours`]), which are read by people. This stage
//! imports no other.
//!
//! Of the trainers, `data/trainers.toml` chooses among named behaviours in the same way ([`trainers`]), and
//! `data/recipe_keys.toml` knows the keys of training recipes ([`recipe_key`]).
//!
//! `data/packages.toml` beside them has the names and the releases of the packages that take part ([`packages()`]), and
//! `data/companions.toml` which of them a framework allows beside itself ([`companion_range`]). `data/trl_presets.toml` has
//! the configs that come with TRL ([`trl_preset`]).
//!
//! ```
//! use fp8lint::knowledge;
//!
//! let known = knowledge::accelerate(&"1.12.0".parse()?).ok_or("too old")?;
//! assert!(known.exact);
//! assert!(known.facts.cluster_key("fp8_config").is_some());
//! assert!(known.facts.option("--mixed-precision").is_some());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod behaviours;
mod companions;
mod facts;
mod interval;
mod packages;
mod presets;
mod recipes;
pub mod trainers;

use std::sync::LazyLock;

pub use behaviours::*;
pub use companions::companion_range;
pub use facts::{
    Action, ConfigKey, Enumeration, Facts, Flag, Kind, Literal, Parser, cluster_key_history,
    flag_history, value_history,
};
pub use interval::Interval;
pub use packages::{
    PackageFacts, newest_release_within, package, package_of_distribution, package_of_repository,
    package_on_conda, packages,
};
pub use presets::trl_preset;
pub use recipes::{Reader, RecipeKey, recipe_key};

use interval::RELEASES;

/// A version of a Python package (PEP 440).
pub type Version = pep440_rs::Version;

/// What is known of a version of accelerate.
#[derive(Clone, Copy, Debug)]
pub struct Known {
    /// The facts of the version, or of the nearest known release below it.
    pub facts: &'static Facts,
    /// Whether the version is a known release: not so for newer ones, and for pre- and post-releases.
    pub exact: bool,
}

/// The known releases of accelerate, ascending.
pub fn releases() -> &'static [Version] {
    &RELEASES.versions
}

/// The newest known release of accelerate.
pub fn newest() -> &'static Version {
    /// Stands in for the data file if that should not parse, which a test excludes.
    static NONE: LazyLock<Version> = LazyLock::new(|| Version::new([0]));
    releases().last().unwrap_or(&NONE)
}

/// The intervals that these releases make together: what holds in each of them.
pub fn folded(releases: &[Version]) -> Vec<Interval> {
    Interval::folded(releases)
}

/// What is known of this version of accelerate; `None` for one older than the first known release. A local version
/// (`1.12.0+vendor`) counts as its release.
pub fn accelerate(version: &Version) -> Option<Known> {
    let facts = facts::facts_at(RELEASES.at(version)?)?;
    Some(Known {
        facts,
        exact: facts.version == version.clone().without_local(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn known(version: &str) -> Option<(String, bool)> {
        accelerate(&version.parse().unwrap())
            .map(|known| (known.facts.version.to_string(), known.exact))
    }

    #[test]
    fn releases_ascend_and_end_with_the_newest() {
        assert!(releases().is_sorted());
        assert_eq!(releases().first().unwrap().to_string(), "0.18.0");
        assert_eq!(newest().to_string(), "1.15.0");
    }

    #[test]
    fn a_known_release_is_exact() {
        for (asked, found) in [
            ("1.12.0", "1.12.0"),
            ("1.12", "1.12.0"),
            ("1.12.0+cu126", "1.12.0"),
        ] {
            assert_eq!(known(asked), Some((found.to_owned(), true)), "{asked}");
        }
    }

    #[test]
    fn an_unknown_version_takes_the_nearest_release_below() {
        for (asked, found) in [
            ("2.0", "1.15.0"),
            ("1.16.0.dev0", "1.15.0"),
            ("1.10.7", "1.10.1"),
            ("1.10.0.post1", "1.10.0"),
            ("1.11.0rc1", "1.10.1"),
        ] {
            assert_eq!(known(asked), Some((found.to_owned(), false)), "{asked}");
        }
    }

    #[test]
    fn nothing_is_known_of_versions_before_the_first() {
        assert_eq!(known("0.17.1"), None);
    }
}
