//! Which releases of transformers and accelerate a release of a framework allows (`data/companions.toml`).

use std::sync::LazyLock;

use pep440_rs::VersionSpecifiers;
use serde::Deserialize;

use super::Version;

const TEXT: &str = include_str!("data/companions.toml");

/// A file that does not parse is found by this module's tests.
static ROWS: LazyLock<Vec<Row>> = LazyLock::new(|| {
    let table: Table = toml::from_str(TEXT).unwrap_or_default();
    table.companions
});

#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct Table {
    companions: Vec<Row>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Row {
    package: String,
    /// The first release that allows this.
    from: Version,
    transformers: VersionSpecifiers,
    accelerate: VersionSpecifiers,
}

/// The releases of `companion`, transformers or accelerate, that a version of a framework allows; nothing where it
/// allows all, or where nothing is known of it.
pub fn companion_range(
    framework: &str,
    version: &Version,
    companion: &str,
) -> Option<&'static VersionSpecifiers> {
    let of_framework = ROWS
        .iter()
        .filter(|row| row.package == framework && row.from <= *version);
    let row = of_framework.max_by_key(|row| &row.from)?;
    let range = match companion {
        "transformers" => &row.transformers,
        "accelerate" => &row.accelerate,
        _ => return None,
    };
    (!range.is_empty()).then_some(range)
}

#[cfg(test)]
mod tests {
    use super::super::{package, releases};
    use super::*;

    #[test]
    fn the_file_parses_and_every_row_allows_a_known_release() {
        let table: Table = toml::from_str(TEXT).unwrap();
        for row in &table.companions {
            let shown = format!("{} {}", row.package, row.from);
            assert!(
                package(&row.package).unwrap().releases.contains(&row.from),
                "{shown}"
            );
            let transformers = package("transformers").unwrap();
            assert!(
                transformers
                    .newest_release_within(&row.transformers)
                    .is_some(),
                "{shown}"
            );
            assert!(
                releases()
                    .iter()
                    .any(|release| row.accelerate.contains(release)),
                "{shown}"
            );
        }
    }

    #[test]
    fn a_version_has_the_row_at_or_below_it() {
        let range = |framework, version: &str, companion| {
            let found = companion_range(framework, &version.parse().unwrap(), companion);
            found.map(ToString::to_string)
        };
        assert_eq!(
            range("axolotl", "0.19.0", "accelerate").as_deref(),
            Some("==1.13.0")
        );
        assert_eq!(
            range("axolotl", "0.12.1", "transformers").as_deref(),
            Some("==4.55.0")
        );
        assert_eq!(
            range("axolotl", "99", "accelerate").as_deref(),
            Some("==1.15.0")
        );
        assert_eq!(
            range("llamafactory", "0.9.5.dev0", "accelerate").as_deref(),
            Some(">=1.3.0, <=1.11.0")
        );
        assert_eq!(range("axolotl", "0.4", "accelerate"), None);
        assert_eq!(range("ms-swift", "4.6.0", "accelerate"), None);
        assert_eq!(range("simpletuner", "1", "accelerate"), None);
    }
}
