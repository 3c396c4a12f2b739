//! Recipe keys: what `data/recipe_keys.toml` knows of the keys of training recipes that have to do with precision.

use std::sync::LazyLock;

use serde::Deserialize;

use super::Version;

const TEXT: &str = include_str!("data/recipe_keys.toml");

/// A file that does not parse is found by this module's tests; at run time no key would be known.
static FRAMEWORKS: LazyLock<Vec<Framework>> = LazyLock::new(|| {
    let data: Data = toml::from_str(TEXT).unwrap_or_default();
    data.framework.into_iter().map(Framework::from).collect()
});

#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct Data {
    framework: Vec<FrameworkRow>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct FrameworkRow {
    name: String,
    package: String,
    inherits: Option<String>,
    /// Read by people, and by the test that no row lacks it.
    #[cfg_attr(
        not(test),
        expect(dead_code, reason = "read by people and by the tests")
    )]
    source: String,
    keys: Vec<KeyRow>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct KeyRow {
    name: String,
    first: Option<Version>,
    last: Option<Version>,
    reader: Reader,
}

struct Framework {
    name: String,
    inherits: Option<String>,
    keys: Vec<RecipeKey>,
}

/// What takes a recipe key.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Reader {
    /// The arguments of the trainer.
    Trainer,
    /// The command that starts the trainer: it hands the key to `accelerate launch`.
    Launcher,
    /// The environment: a mapping of variables.
    Environment,
    /// Nothing: no release has the key.
    Nothing,
}

/// A key of a recipe.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RecipeKey {
    /// The key.
    pub name: String,
    /// The package in whose releases `first` and `last` are counted: the framework's own, or transformers for a key
    /// that it takes over from `TrainingArguments`.
    pub package: String,
    /// The first release that has it, of those that were read; `None`: the oldest of them has it.
    pub first: Option<Version>,
    /// The last release that has it; `None`: the newest has it.
    pub last: Option<Version>,
    /// What takes it.
    pub reader: Reader,
}

impl RecipeKey {
    /// Whether this release of [`Self::package`] has the key, as far as it is known.
    pub fn is_in(&self, version: &Version) -> bool {
        self.reader != Reader::Nothing
            && self.first.as_ref().is_none_or(|first| first <= version)
            && self.last.as_ref().is_none_or(|last| version <= last)
    }
}

impl From<FrameworkRow> for Framework {
    fn from(row: FrameworkRow) -> Self {
        let keys = row.keys.into_iter().map(|key| RecipeKey {
            name: key.name,
            package: row.package.clone(),
            first: key.first,
            last: key.last,
            reader: key.reader,
        });
        Self {
            keys: keys.collect(),
            name: row.name,
            inherits: row.inherits,
        }
    }
}

/// What is known of a key in the recipes of a framework (`trl`, `axolotl`, …); `None` for a key that has nothing to do
/// with precision.
pub fn recipe_key(framework: &str, key: &str) -> Option<&'static RecipeKey> {
    let named = |name: &str| FRAMEWORKS.iter().find(|framework| framework.name == name);
    let own = named(framework)?;
    let inherited = own.inherits.as_deref().and_then(named);
    [Some(own), inherited]
        .into_iter()
        .flatten()
        .find_map(|framework| framework.keys.iter().find(|known| known.name == key))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_file_parses_and_every_framework_has_a_source_and_each_key_once() {
        let data: Data = toml::from_str(TEXT).unwrap();
        assert_eq!(data.framework.len(), 6);
        for row in data.framework {
            assert!(!row.source.is_empty());
            let mut names: Vec<_> = row.keys.iter().map(|key| &key.name).collect();
            names.sort_unstable();
            assert!(names.is_sorted_by(|one, two| one < two), "{}", row.name);
            for key in &row.keys {
                if let (Some(first), Some(last)) = (&key.first, &key.last) {
                    assert!(first <= last, "{}", key.name);
                }
            }
        }
    }

    #[test]
    fn keys_have_releases_and_a_reader() {
        let held = |framework, key, version: &str| {
            recipe_key(framework, key).map(|known| known.is_in(&version.parse().unwrap()))
        };
        for (framework, key, version, expected) in [
            ("transformers", "no_cuda", "4.57.6", Some(true)),
            ("transformers", "no_cuda", "5.0.0", Some(false)),
            ("transformers", "fp8", "5.24.0", Some(false)),
            ("transformers", "learning_rate", "5.24.0", None),
            ("trl", "torch_dtype", "1.0.0", Some(false)),
            ("trl", "accelerate_config", "0.17.0", Some(false)),
            ("llamafactory", "fp8", "0.9.3", Some(false)),
            ("llamafactory", "fp8", "0.9.5", Some(true)),
            ("axolotl", "fp8", "0.8.1", Some(true)),
            ("axolotl", "half_precision_backend", "0.8.1", None),
            ("nobody", "bf16", "1", None),
        ] {
            assert_eq!(held(framework, key, version), expected, "{framework} {key}");
        }
        let inherited = recipe_key("trl", "bf16").unwrap();
        assert_eq!(
            (inherited.package.as_str(), inherited.reader),
            ("transformers", Reader::Trainer)
        );
        assert_eq!(
            recipe_key("trl", "mixed_precision").unwrap().reader,
            Reader::Launcher
        );
    }
}
