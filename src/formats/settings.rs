//! fp8lint's own settings: `fp8lint.toml`, `.fp8lint.toml`, `[tool.fp8lint]` in `pyproject.toml`.
//!
//! A new key is a field of [`Written`].

use std::collections::BTreeMap;
use std::sync::Arc;

use serde::Deserialize;
use toml::{Spanned, Value};

use crate::source::{Route, SourceFile, Span};

use super::Kind;

mod parts;

/// The names under which settings are looked for in a folder; the first one that holds settings counts.
pub const NAMES: [&str; 3] = ["fp8lint.toml", ".fp8lint.toml", PROJECT];

const PROJECT: &str = "pyproject.toml";

/// What settings look like, on one line.
const EXAMPLE: &str = r#"target = { accelerate = "1.12.0" }, fp8-block = [{ path = "fsdp_config.fp8", backends = ["fp8", "auto"], default-backend = "auto" }], recipes = { "configs/**/*.yaml" = "trl" }"#;

/// Settings.
#[derive(Clone, Debug)]
pub struct Settings {
    /// The file that holds them.
    pub file: Arc<SourceFile>,
    /// The versions and the hardware to assume, in the spelling of `--target`.
    pub target: Vec<TargetSetting>,
    /// The blocks that a loader of the team's own reads.
    pub blocks: Vec<Fp8Block>,
    /// What files are, whatever their content says, in the order of the text.
    pub recipes: Vec<DeclaredKind>,
}

/// A key of `target`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TargetSetting {
    /// `accelerate`, `gpu`, …
    pub key: String,
    /// Its value; of a list, the elements with commas between them.
    pub value: String,
    /// Where the key stands.
    pub span: Span,
}

/// What kind of file those of a pattern are: a key of `recipes`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DeclaredKind {
    /// The glob pattern, as seen from the folder of the settings.
    pub pattern: String,
    /// The kind.
    pub kind: Kind,
    /// Where the pattern stands.
    pub span: Span,
}

/// A declared fp8 block: a place in accelerate's config that a loader of the team's own reads.
#[derive(Clone, Debug)]
pub struct Fp8Block {
    /// The place: `fsdp_config.fp8`.
    pub path: Route,
    /// The backends that the loader supports; at least one.
    pub backends: Vec<String>,
    /// The one that it takes where none is named.
    pub default_backend: String,
    /// The file that declares it, and where.
    pub declared: (Arc<SourceFile>, Span),
}

/// Why settings cannot be used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SettingsError {
    /// What is wrong.
    pub message: String,
    /// What to write instead.
    pub remedy: Remedy,
    /// Where.
    pub span: Span,
}

/// What to write instead.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Remedy {
    /// This.
    Write(String),
    /// One of the known names, in place of the one that is given.
    OneOf {
        /// What is given.
        given: String,
        /// What is known.
        known: Vec<String>,
    },
}

/// The settings as they are written.
#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct Written {
    #[serde(default)]
    target: BTreeMap<Spanned<String>, Spanned<Value>>,
    #[serde(default)]
    fp8_block: Vec<Spanned<WrittenBlock>>,
    #[serde(default)]
    recipes: BTreeMap<Spanned<String>, Spanned<Value>>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct WrittenBlock {
    path: Spanned<String>,
    backends: Spanned<Vec<String>>,
    default_backend: Spanned<String>,
}

#[derive(Deserialize)]
struct Project {
    tool: Option<Tools>,
}

#[derive(Deserialize)]
struct Tools {
    fp8lint: Option<Written>,
}

/// The settings in a file, told by its name; `None` for a project that has none.
///
/// # Errors
/// What is no TOML, an unknown key, a value of another type, a block that cannot be.
pub fn read(file: &Arc<SourceFile>) -> Result<Option<Settings>, SettingsError> {
    let text = file.text();
    let name = file.path.rsplit('/').next().unwrap_or(&file.path);
    let written = if name == PROJECT {
        // Other tools read their parts of this file; only where it speaks of fp8lint is it looked into.
        if !text.contains("fp8lint") {
            return Ok(None);
        }
        let project: Project = toml::from_str(text).map_err(|error| wrong_toml(text, &error))?;
        project.tool.and_then(|tools| tools.fp8lint)
    } else {
        Some(toml::from_str(text).map_err(|error| wrong_toml(text, &error))?)
    };
    written.map(|written| written.settings(file)).transpose()
}

impl Written {
    fn settings(self, file: &Arc<SourceFile>) -> Result<Settings, SettingsError> {
        let mut target = Vec::new();
        for (key, value) in self.target {
            target.push(parts::target_setting(key, value)?);
        }
        target.sort_by_key(|setting| setting.span);
        let mut blocks: Vec<Fp8Block> = Vec::new();
        for written in self.fp8_block {
            let at = span(written.get_ref().path.span());
            let block = parts::block(written.into_inner(), file)?;
            if blocks.iter().any(|known| known.path == block.path) {
                return Err(SettingsError {
                    message: format!("`{}` is declared twice", block.path),
                    remedy: Remedy::Write("remove one of the two".to_owned()),
                    span: at,
                });
            }
            blocks.push(block);
        }
        let recipes = self.recipes.into_iter();
        let mut recipes = recipes
            .map(|(pattern, kind)| parts::declared_kind(pattern, kind))
            .collect::<Result<Vec<_>, _>>()?;
        recipes.sort_by_key(|declared| declared.span);
        Ok(Settings {
            file: Arc::clone(file),
            target,
            blocks,
            recipes,
        })
    }
}

/// The error of the TOML reader, in our words where we have better ones.
fn wrong_toml(text: &str, error: &toml::de::Error) -> SettingsError {
    let message = error.message();
    // ``unknown field `taget`, expected `target` or `fp8-block` ``
    let mut names = message.split('`').skip(1).step_by(2);
    let (message, remedy) = match names.next() {
        Some(unknown) if message.starts_with("unknown field") => (
            format!("`{unknown}` is not a setting"),
            Remedy::OneOf {
                given: unknown.to_owned(),
                known: names.map(str::to_owned).collect(),
            },
        ),
        Some(missing) if message.starts_with("missing field") => (
            format!("`{missing}` is missing"),
            Remedy::Write("a block has path, backends and default-backend".to_owned()),
        ),
        _ if message.starts_with("invalid type") => (
            message.to_owned(),
            Remedy::Write(format!("write for example {EXAMPLE}")),
        ),
        _ => (
            message.trim().replace('\n', ", "),
            Remedy::Write("correct the settings at this place".to_owned()),
        ),
    };
    SettingsError {
        message,
        remedy,
        span: span(error.span().unwrap_or(text.len()..text.len())),
    }
}

fn span(range: std::ops::Range<usize>) -> Span {
    Span::new(range.start, range.end)
}

#[cfg(test)]
mod tests;
