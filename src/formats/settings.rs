//! fp8lint's own settings: `fp8lint.toml`, `.fp8lint.toml`, `[tool.fp8lint]` in `pyproject.toml`.
//!
//! A new key is a field of [`written::Written`], which `schema.json` is made from.

use std::sync::Arc;

use serde::Deserialize;

use crate::source::{Route, SourceFile, Span};

use super::Kind;

mod parts;
#[cfg(test)]
mod schema;
mod written;
mod wrong;

use written::{Project, Written};
use wrong::{no_lists, wrong_toml};

/// The names under which settings are looked for in a folder; the first one that holds settings counts.
pub const NAMES: [&str; 3] = ["fp8lint.toml", ".fp8lint.toml", PROJECT];

/// The file of a Python project, which may hold settings.
pub const PROJECT: &str = "pyproject.toml";

/// The JSON Schema of settings.
pub const SCHEMA: &str = include_str!("settings/schema.json");

/// Settings.
#[derive(Clone, Debug)]
pub struct Settings {
    /// The file that holds them.
    pub file: Arc<SourceFile>,
    /// The versions and the hardware to assume, in the spelling of `--target`.
    pub target: Vec<TargetSetting>,
    /// The only rules that are reported, as they are named; `None` where nothing is said.
    pub select: Option<Placed<Vec<Placed<String>>>>,
    /// The rules that are not reported, as they are named.
    pub ignore: Vec<Placed<String>>,
    /// How bad the findings of rules are, in the order of the text.
    pub severity: Vec<SeveritySetting>,
    /// The severity that fails.
    pub fail_on: Option<Placed<Level>>,
    /// The globs of further files, seen from the folder of the settings.
    pub include: Vec<Placed<String>>,
    /// The globs of what is never read, seen from there too.
    pub exclude: Vec<Placed<String>>,
    /// What holds for the files of a glob only, in the order of the text.
    pub per_path: Vec<PerPath>,
    /// The size of a file that is too large, in bytes.
    pub max_file_size: Option<Placed<u64>>,
    /// What files are, whatever their content says, in the order of the text.
    pub recipes: Vec<DeclaredKind>,
    /// The blocks that a loader of the team's own reads.
    pub blocks: Vec<Fp8Block>,
}

/// Something, and where it stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Placed<T> {
    /// What it is.
    pub value: T,
    /// Where it stands.
    pub span: Span,
}

/// How bad findings are, as settings say it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum Level {
    /// Fails.
    Error,
    /// Fails, unless fail-on says otherwise.
    Warning,
    /// Is shown; fails only where fail-on says so.
    Note,
}

impl Level {
    /// `error`, `warning` or `note`.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Error => "error",
            Self::Warning => "warning",
            Self::Note => "note",
        }
    }
}

/// A key of `severity`: a rule, or several, and how bad their findings are.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SeveritySetting {
    /// The rules, as they are named.
    pub rule: Placed<String>,
    /// How bad it is.
    pub level: Level,
}

/// A key of `per-path`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PerPath {
    /// The glob, seen from the folder of the settings.
    pub pattern: Placed<String>,
    /// The rules that are not reported there.
    pub ignore: Vec<Placed<String>>,
    /// How bad the findings of rules are there.
    pub severity: Vec<SeveritySetting>,
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
        let tables = ["tool", "fp8lint"];
        let project: Project =
            toml::from_str(text).map_err(|error| wrong_toml(text, &tables, &error))?;
        no_lists(text, &tables)?;
        project.tool.and_then(|tools| tools.fp8lint)
    } else {
        let written = toml::from_str(text).map_err(|error| wrong_toml(text, &[], &error))?;
        no_lists(text, &[])?;
        Some(written)
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
        let mut per_path: Vec<_> = self.per_path.into_iter().map(parts::per_path).collect();
        per_path.sort_by_key(|setting| setting.pattern.span);
        Ok(Settings {
            file: Arc::clone(file),
            target,
            select: self.select.map(|rules| Placed {
                span: span(rules.span()),
                value: parts::all_placed(rules.into_inner()),
            }),
            ignore: parts::all_placed(self.ignore),
            severity: parts::severity(self.severity),
            fail_on: self.fail_on.map(parts::placed),
            include: parts::all_placed(self.include),
            exclude: parts::all_placed(self.exclude),
            per_path,
            max_file_size: self.max_file_size.map(parts::file_size).transpose()?,
            recipes,
            blocks,
        })
    }
}

fn span(range: std::ops::Range<usize>) -> Span {
    Span::new(range.start, range.end)
}

#[cfg(test)]
mod tests;
