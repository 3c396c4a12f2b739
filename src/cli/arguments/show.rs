//! The arguments of `show-settings` and `show-files`.

use std::num::NonZeroUsize;
use std::path::PathBuf;

use clap::Args;

use super::{AssumptionArguments, FileArguments, RuleArguments, TextOrJson};

#[derive(Args, Debug)]
#[command(after_help = "Example: fp8lint show-settings configs/fp8.yaml")]
pub(in crate::cli) struct ShowSettingsArguments {
    /// A file, which need not exist
    pub(in crate::cli) file: PathBuf,

    /// Print them as text or as JSON
    #[arg(long, value_name = "FORMAT", value_enum, default_value_t)]
    pub(in crate::cli) format: TextOrJson,

    #[command(flatten)]
    pub(in crate::cli) rules: RuleArguments,

    #[command(flatten)]
    pub(in crate::cli) files: FileArguments,

    #[command(flatten)]
    pub(in crate::cli) assumptions: AssumptionArguments,
}

#[derive(Args, Debug)]
#[command(after_help = "Example: fp8lint show-files configs")]
pub(in crate::cli) struct ShowFilesArguments {
    /// Files and folders [default: the current folder]
    #[arg(value_name = "PATH")]
    pub(in crate::cli) paths: Vec<PathBuf>,

    /// Print them as text or as JSON
    #[arg(long, value_name = "FORMAT", value_enum, default_value_t)]
    pub(in crate::cli) format: TextOrJson,

    #[command(flatten)]
    pub(in crate::cli) files: FileArguments,

    /// Read the settings from FILE, not from the fp8lint.toml, .fp8lint.toml or pyproject.toml above each file
    #[arg(
        long,
        value_name = "FILE",
        conflicts_with = "isolated",
        help_heading = "Assumptions"
    )]
    pub(in crate::cli) config: Option<PathBuf>,

    /// Read no settings files
    #[arg(long, help_heading = "Assumptions")]
    pub(in crate::cli) isolated: bool,

    /// Use N threads [default: one for each core]
    #[arg(long, value_name = "N", help_heading = "General")]
    pub(in crate::cli) threads: Option<NonZeroUsize>,
}
