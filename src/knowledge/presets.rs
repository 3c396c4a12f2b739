//! The accelerate configs that come with TRL (`data/trl_presets.toml`).

use std::sync::LazyLock;

use serde::Deserialize;

const TEXT: &str = include_str!("data/trl_presets.toml");

/// A file that does not parse is found by this module's tests.
static PRESETS: LazyLock<Vec<Preset<'static>>> = LazyLock::new(|| {
    let table: Table<'static> = toml::from_str(TEXT).unwrap_or_default();
    table.preset
});

#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct Table<'a> {
    #[serde(borrow)]
    preset: Vec<Preset<'a>>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Preset<'a> {
    name: &'a str,
    text: &'a str,
}

/// The text of TRL's preset of this name.
pub fn trl_preset(name: &str) -> Option<&'static str> {
    PRESETS
        .iter()
        .find(|preset| preset.name == name)
        .map(|preset| preset.text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_preset_of_the_package_is_there_and_asks_for_bf16() {
        for name in [
            "fsdp1",
            "fsdp2",
            "multi_gpu",
            "single_gpu",
            "zero1",
            "zero2",
            "zero3",
        ] {
            assert!(
                trl_preset(name)
                    .unwrap()
                    .contains("mixed_precision: bf16\n"),
                "{name}"
            );
        }
        assert_eq!(trl_preset("zero4"), None);
    }
}
