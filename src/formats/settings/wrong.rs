//! What the TOML reader says of wrong settings, in our words where we have better ones.

use std::ops::Range;

use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::{Remedy, SettingsError, span};

/// What each key looks like.
const EXAMPLES: &[(&str, &str)] = &[
    (
        "target",
        r#"target = { accelerate = "1.12.0", gpu = "h100" }"#,
    ),
    ("select", r#"select = ["FP1", "FP2", "bare-fp8"]"#),
    ("ignore", r#"ignore = ["FP402", "template"]"#),
    (
        "severity",
        r#"severity = { FP3 = "warning", template = "error" }"#,
    ),
    ("fail-on", r#"fail-on = "error""#),
    ("include", r#"include = ["*.cfg"]"#),
    ("exclude", r#"exclude = ["third_party", "docs/**/*.md"]"#),
    (
        "per-path",
        r#"per-path."configs/*.json" = { ignore = ["FP304"], severity = { FP3 = "note" } }"#,
    ),
    ("max-file-size", r#"max-file-size = "8 MiB""#),
    ("recipes", r#"recipes = { "configs/**/*.yaml" = "trl" }"#),
    (
        "fp8-block",
        r#"fp8-block = [{ path = "fsdp_config.fp8", backends = ["fp8", "auto"], default-backend = "auto" }]"#,
    ),
];

/// The error of the TOML reader about this text; `tables` lead to the settings in it.
pub(super) fn wrong_toml(text: &str, tables: &[&str], error: &toml::de::Error) -> SettingsError {
    let at = error.span().unwrap_or(text.len()..text.len());
    let message = error.message();
    // ``unknown field `taget`, expected one of `target`, `select` ``
    let mut names = message.split('`').skip(1).step_by(2);
    let (message, remedy) = match names.next() {
        Some(unknown) if message.starts_with("unknown field") => (
            format!("`{unknown}` is not a setting"),
            Remedy::OneOf {
                given: unknown.to_owned(),
                known: names.map(str::to_owned).collect(),
            },
        ),
        Some(unknown) if message.starts_with("unknown variant") => (
            format!("`{unknown}` is not a severity"),
            Remedy::OneOf {
                given: unknown.to_owned(),
                known: names.map(str::to_owned).collect(),
            },
        ),
        Some(missing) if message.starts_with("missing field") => (
            format!("`{missing}` is missing"),
            Remedy::Write("a block has path, backends and default-backend".to_owned()),
        ),
        // The only values that are read as one of several names.
        _ if message.starts_with("wanted string or table") => (
            "a severity is a text".to_owned(),
            Remedy::Write(r#"write "error", "warning" or "note""#.to_owned()),
        ),
        _ => (
            message.trim().replace('\n', ", "),
            Remedy::Write(match example(text, tables, &at) {
                Some(example) => format!("write for example {example}"),
                None => "correct the settings at this place".to_owned(),
            }),
        ),
    };
    SettingsError {
        message,
        remedy,
        span: span(at),
    }
}

/// Refuses lists where the settings, or parts of them, are to be tables: serde takes a list for a structure's fields.
pub(super) fn no_lists(text: &str, tables: &[&str]) -> Result<(), SettingsError> {
    let Ok(parsed) = DeTable::parse(text) else {
        return Ok(());
    };
    let mut table = parsed.get_ref();
    for name in tables {
        let Some((_, below)) = table.iter().find(|(key, _)| key.get_ref() == name) else {
            return Ok(());
        };
        table = as_table(below, "[tool.fp8lint]")?;
    }
    for (key, value) in table {
        match (key.get_ref().as_ref(), value.get_ref()) {
            ("per-path", DeValue::Table(entries)) => {
                for value in entries.values() {
                    as_table(value, example_of("per-path"))?;
                }
            }
            ("fp8-block", DeValue::Array(elements)) => {
                for element in elements {
                    as_table(element, example_of("fp8-block"))?;
                }
            }
            _ => {}
        }
    }
    Ok(())
}

fn as_table<'t, 'i>(
    value: &'t Spanned<DeValue<'i>>,
    example: &str,
) -> Result<&'t DeTable<'i>, SettingsError> {
    match value.get_ref() {
        DeValue::Table(table) => Ok(table),
        _ => Err(SettingsError {
            message: "this is to be a table".to_owned(),
            remedy: Remedy::Write(format!("write for example {example}")),
            span: span(value.span()),
        }),
    }
}

fn example_of(key: &str) -> &'static str {
    let mut examples = EXAMPLES.iter();
    let found = examples.find(|(name, _)| *name == key);
    found.map_or("", |(_, example)| *example)
}

/// What the key looks like whose value is at this place; `None` where the text is no TOML.
fn example(text: &str, tables: &[&str], at: &Range<usize>) -> Option<&'static str> {
    let parsed = DeTable::parse(text).ok()?;
    let mut table = parsed.get_ref();
    for name in tables {
        let (_, below) = table.iter().find(|(key, _)| key.get_ref() == name)?;
        let DeValue::Table(below) = below.get_ref() else {
            // The settings themselves are of another type.
            return Some("[tool.fp8lint]");
        };
        table = below;
    }
    let (key, _) = table.iter().find(|(key, value)| {
        key.span() == *at || value.span() == *at || holds(value.get_ref(), at)
    })?;
    Some(example_of(key.get_ref()))
}

/// Whether something in this value stands at this place. How deep TOML may be nested the reader limits.
fn holds(value: &DeValue<'_>, at: &Range<usize>) -> bool {
    match value {
        DeValue::Array(elements) => elements
            .iter()
            .any(|element| element.span() == *at || holds(element.get_ref(), at)),
        DeValue::Table(entries) => entries.iter().any(|(key, value)| {
            key.span() == *at || value.span() == *at || holds(value.get_ref(), at)
        }),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::super::schema::keys;
    use super::*;

    #[test]
    fn every_key_has_an_example_that_is_right() {
        let with_example: Vec<_> = EXAMPLES.iter().map(|(key, _)| *key).collect();
        for key in keys() {
            assert!(with_example.contains(&key.as_str()), "{key}");
        }
        for (key, example) in EXAMPLES {
            assert!(example.starts_with(key));
            let file = crate::source::SourceFile::from_text("fp8lint.toml", *example);
            super::super::read(&std::sync::Arc::new(file)).unwrap();
        }
    }
}
