//! Options that several commands have.

use clap::Args;

use crate::rules::Severity;

use super::severity;

/// Which rules count, in place of what the settings say.
#[derive(Args, Clone, Debug, Default)]
pub(in crate::cli) struct RuleArguments {
    /// Report these rules only, whatever the settings select: codes, names, or families such as FP3
    #[arg(
        long,
        value_name = "RULE",
        value_delimiter = ',',
        help_heading = "Rules"
    )]
    pub(in crate::cli) select: Vec<String>,

    /// Leave these rules out, besides those of the settings; stronger than --select
    #[arg(
        long,
        value_name = "RULE",
        value_delimiter = ',',
        help_heading = "Rules"
    )]
    pub(in crate::cli) ignore: Vec<String>,

    /// Exit with 1 from this severity on [default: that of the settings, or warning]
    #[arg(long, value_name = "SEVERITY", value_parser = severity(), help_heading = "Rules")]
    pub(in crate::cli) fail_on: Option<Severity>,
}

/// Which files are read, besides what the settings say.
#[derive(Args, Clone, Debug, Default)]
pub(in crate::cli) struct FileArguments {
    /// Read files of this name as well, besides .yaml, .yml, .json, scripts and other launch files; repeatable
    #[arg(long, value_name = "GLOB", help_heading = "Files")]
    pub(in crate::cli) include: Vec<String>,

    /// Never read files and folders of this name; stronger than --include and than a path given; repeatable
    #[arg(long, value_name = "GLOB", help_heading = "Files")]
    pub(in crate::cli) exclude: Vec<String>,

    /// Read the paths given even where they are excluded
    #[arg(long, help_heading = "Files")]
    pub(in crate::cli) no_force_exclude: bool,
}
