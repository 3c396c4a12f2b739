//! `fp8lint init`: a settings file to begin with.

use std::fs::OpenOptions;
use std::io::{ErrorKind, Write};
use std::path::Path;
use std::sync::Arc;

use crate::discover;
use crate::formats::settings;
use crate::source::SourceFile;

use super::check::plan;
use super::failure::Failure;

/// The file that is written: every setting, as a comment.
const TEXT: &str = include_str!("init.toml");

const NAME: &str = settings::NAMES[0];

/// Writes the file into the current folder, and says what to do with it.
pub(super) fn init() -> Result<String, Failure> {
    let current = plan::current_folder()?;
    for name in settings::NAMES {
        if holds_settings(&current.join(name), name) {
            return Err(Failure::usage(
                format!("{name} holds settings of fp8lint already"),
                "edit it, or remove it first; `fp8lint schema config` has every key",
            ));
        }
    }
    let mut file = OpenOptions::new()
        .write(true)
        .create_new(true)
        .open(current.join(NAME))
        .map_err(|error| match error.kind() {
            ErrorKind::AlreadyExists => Failure::usage(
                format!("{NAME} exists already"),
                "it is left as it is: edit it, or remove it first",
            ),
            _ => failed(&error),
        })?;
    file.write_all(TEXT.as_bytes())
        .map_err(|error| failed(&error))?;
    let mut said = format!(
        "Wrote {NAME}. Every setting in it is a comment: uncomment what you need.\n\
         `fp8lint show-settings FILE` shows what holds for a file.\n"
    );
    if current.join(settings::PROJECT).is_file() {
        said.push_str(
            "The same keys work in [tool.fp8lint] of pyproject.toml; fp8lint.toml goes before it.\n",
        );
    }
    Ok(said)
}

/// Whether there is such a file, and it speaks of fp8lint. What is wrong with it is no matter here.
fn holds_settings(path: &Path, name: &str) -> bool {
    let Ok(bytes) = std::fs::read(path) else {
        return false;
    };
    let file = SourceFile::new(name, bytes).map(Arc::new);
    name != settings::PROJECT || file.is_ok_and(|file| !matches!(settings::read(&file), Ok(None)))
}

fn failed(error: &std::io::Error) -> Failure {
    let reason = discover::reason(error);
    Failure::run(format!("{NAME} cannot be written: {reason}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn uncommented() -> String {
        let lines = TEXT.lines().map(|line| match line.strip_prefix('#') {
            Some(setting) if !setting.is_empty() && !setting.starts_with(' ') => setting,
            _ => line,
        });
        lines.map(|line| format!("{line}\n")).collect()
    }

    fn read(name: &str, text: &str) -> settings::Settings {
        let file = Arc::new(SourceFile::from_text(name, text));
        settings::read(&file).unwrap().unwrap()
    }

    #[test]
    fn the_file_is_accepted_with_all_settings_and_with_none() {
        let none = read(NAME, TEXT);
        assert!(none.select.is_none() && none.target.is_empty());
        let text = uncommented();
        read(NAME, &text);
        let schema: serde_json::Value = serde_json::from_str(settings::SCHEMA).unwrap();
        let written: toml::Table = toml::from_str(&text).unwrap();
        for (key, described) in schema["properties"].as_object().unwrap() {
            assert!(written.contains_key(key), "{key} is missing in init.toml");
            assert!(described["description"].is_string(), "{key} has no docs");
        }
    }

    #[test]
    fn every_rule_that_it_names_exists() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join(NAME), uncommented()).unwrap();
        let arguments = super::super::arguments::AssumptionArguments::default();
        let assumptions = super::super::assumptions::Assumptions::new(
            &arguments,
            &[".".into()],
            folder.path(),
            &Arc::default(),
        );
        if let Err(failure) = assumptions {
            panic!("{failure}");
        }
    }
}
