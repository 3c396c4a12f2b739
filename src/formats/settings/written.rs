//! The settings as they are written: the one place that knows their keys. The JSON Schema is made from these types, and
//! its descriptions are their docs.

use std::collections::BTreeMap;

use serde::Deserialize;
use toml::{Spanned, Value};

use super::Level;
#[cfg(test)]
use super::schema;

/// Settings of fp8lint: fp8lint.toml, .fp8lint.toml, or [tool.fp8lint] in pyproject.toml. The nearest of them above a
/// file holds for it, alone.
#[derive(Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[cfg_attr(test, schemars(title = "fp8lint settings"))]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(super) struct Written {
    /// The versions and the hardware to assume, as --target takes them: accelerate = "1.12.0", gpu = "h100",
    /// installed = ["torchao"].
    #[serde(default)]
    #[cfg_attr(test, schemars(with = "BTreeMap<String, schema::TargetValue>"))]
    pub(super) target: BTreeMap<Spanned<String>, Spanned<Value>>,
    /// The only rules that are reported: codes, names, or families such as FP3. Without it all are that are not opt-in;
    /// --select replaces it.
    #[serde(default)]
    #[cfg_attr(test, schemars(with = "Vec<String>"))]
    pub(super) select: Option<Spanned<Vec<Spanned<String>>>>,
    /// The rules that are not reported; stronger than select. --ignore adds to it.
    #[serde(default)]
    #[cfg_attr(test, schemars(with = "Vec<String>"))]
    pub(super) ignore: Vec<Spanned<String>>,
    /// How bad the findings of a rule are. Of several names for a rule the most exact one holds.
    #[serde(default)]
    #[cfg_attr(test, schemars(with = "BTreeMap<String, Level>"))]
    pub(super) severity: BTreeMap<Spanned<String>, Spanned<Level>>,
    /// Findings from this severity on make the exit code 1; "warning" without it. --fail-on replaces it.
    #[serde(default)]
    #[cfg_attr(test, schemars(with = "Level"))]
    pub(super) fail_on: Option<Spanned<Level>>,
    /// Globs of files that are read besides those with usual endings. Like all globs here they are seen from the folder
    /// of the settings; one without a slash matches names at any depth.
    #[serde(default)]
    #[cfg_attr(test, schemars(with = "Vec<String>"))]
    pub(super) include: Vec<Spanned<String>>,
    /// Globs of files and folders that are never read, also where they are named on the command line
    /// (--no-force-exclude reads those).
    #[serde(default)]
    #[cfg_attr(test, schemars(with = "Vec<String>"))]
    pub(super) exclude: Vec<Spanned<String>>,
    /// What holds for the files of a glob only, and for all files in a folder that it matches. This is also how JSON
    /// files, which have no comments, are silenced.
    #[serde(default)]
    #[cfg_attr(test, schemars(with = "BTreeMap<String, WrittenPerPath>"))]
    pub(super) per_path: BTreeMap<Spanned<String>, WrittenPerPath>,
    /// Files larger than this are not read: bytes, or a text such as "8 MiB". 4 MiB without it.
    #[serde(default)]
    #[cfg_attr(test, schemars(with = "schema::Size"))]
    pub(super) max_file_size: Option<Spanned<Value>>,
    /// What the files of a glob are, whatever they look like; the last glob that matches holds.
    #[serde(default)]
    #[cfg_attr(test, schemars(with = "BTreeMap<String, schema::KindName>"))]
    pub(super) recipes: BTreeMap<Spanned<String>, Spanned<Value>>,
    /// The places in an accelerate config from which a loader of your own reads fp8 settings.
    #[serde(default)]
    #[cfg_attr(test, schemars(with = "Vec<WrittenBlock>"))]
    pub(super) fp8_block: Vec<Spanned<WrittenBlock>>,
}

/// What holds for the files of a glob.
#[derive(Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(super) struct WrittenPerPath {
    /// The rules that are not reported there, besides those of ignore.
    #[serde(default)]
    #[cfg_attr(test, schemars(with = "Vec<String>"))]
    pub(super) ignore: Vec<Spanned<String>>,
    /// How bad the findings of a rule are there; stronger than severity.
    #[serde(default)]
    #[cfg_attr(test, schemars(with = "BTreeMap<String, Level>"))]
    pub(super) severity: BTreeMap<Spanned<String>, Spanned<Level>>,
}

/// A place from which a loader of your own reads fp8 settings.
#[derive(Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(super) struct WrittenBlock {
    /// The place, with dots between the keys: "fsdp_config.fp8".
    #[cfg_attr(test, schemars(with = "String"))]
    pub(super) path: Spanned<String>,
    /// The backends that the loader takes.
    #[cfg_attr(test, schemars(with = "Vec<String>", length(min = 1)))]
    pub(super) backends: Spanned<Vec<String>>,
    /// The backend that it takes where the block names none; one of backends.
    #[cfg_attr(test, schemars(with = "String"))]
    pub(super) default_backend: Spanned<String>,
}

/// A pyproject.toml, as far as it is ours.
#[derive(Deserialize)]
pub(super) struct Project {
    pub(super) tool: Option<Tools>,
}

#[derive(Deserialize)]
pub(super) struct Tools {
    pub(super) fp8lint: Option<Written>,
}
