//! The arguments.

use std::num::NonZeroUsize;
use std::path::PathBuf;

use clap::builder::{PossibleValuesParser, TypedValueParser};
use clap::{Args, Parser, Subcommand, ValueEnum};

use crate::report::Format;
use crate::resolve::target::closest;
use crate::rules::Severity;

const IGNORES: &str = "Ignores and baseline";

const AFTER_HELP: &str = "\
Exit codes: 0 nothing at or above the failing level, 1 findings, 2 wrong usage or settings, 3 the run itself failed.

A file or folder named like a command is given as a path: ./rules";

/// Will the precision that you asked for be the one that runs?
///
/// fp8lint finds the launch commands, accelerate configs, recipes and DeepSpeed configs of a repository, puts together
/// the runs that they make, works out which precision each would train in, and reports every place where that differs
/// from what was asked.
#[derive(Debug, Parser)]
#[command(name = "fp8lint", version, args_conflicts_with_subcommands = true, after_help = AFTER_HELP)]
pub(super) struct Arguments {
    #[command(subcommand)]
    pub(super) command: Option<Command>,
    #[command(flatten)]
    pub(super) check: CheckArguments,
}

#[derive(Debug, Subcommand)]
pub(super) enum Command {
    /// Check files and folders (the default command)
    Check(CheckArguments),
    /// Show what a run comes to, stage by stage, and who says so
    Resolve(ResolveArguments),
    /// Explain a rule
    Explain {
        /// Its code or its name: FP901, unreadable-file
        rule: String,
    },
    /// List the rules
    Rules,
    /// Print a JSON Schema
    Schema {
        /// Of what
        of: Schema,
    },
    /// Print the completion script of a shell
    Completions {
        /// The shell
        shell: clap_complete::Shell,
    },
    /// Print the manual page
    Man,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
pub(super) enum Schema {
    /// The report that `--report json` writes
    Output,
}

#[derive(Args, Debug)]
pub(super) struct CheckArguments {
    /// Files and folders to check; `-` is standard input [default: the current folder]
    #[arg(value_name = "PATH")]
    pub(super) paths: Vec<PathBuf>,

    /// Report in FORMAT (text, concise, json), into FILE if one is named; repeatable
    #[arg(long, value_name = "FORMAT[=FILE]", value_parser = report_request)]
    pub(super) report: Vec<ReportRequest>,

    /// Report these rules only: codes, names, or families such as FP3
    #[arg(long, value_name = "RULE", value_delimiter = ',')]
    pub(super) select: Vec<String>,

    /// Leave these rules out; stronger than --select
    #[arg(long, value_name = "RULE", value_delimiter = ',')]
    pub(super) ignore: Vec<String>,

    /// Mend what can be mended safely: what was asked for, spelt so that it takes effect
    #[arg(long, help_heading = "Fixes")]
    pub(super) fix: bool,

    /// With --fix or --diff: make the fixes that change what will run, too
    #[arg(long, help_heading = "Fixes")]
    pub(super) unsafe_fixes: bool,

    /// Print the fixes as a patch for `git apply`, and write nothing
    #[arg(long, help_heading = "Fixes", conflicts_with = "fix")]
    pub(super) diff: bool,

    /// List the fixes that were made
    #[arg(long, help_heading = "Fixes")]
    pub(super) show_fixes: bool,

    /// Exit with 1 where something was fixed
    #[arg(long, help_heading = "Fixes")]
    pub(super) exit_non_zero_on_fix: bool,

    /// Show what ignore comments set aside, too
    #[arg(long, help_heading = IGNORES)]
    pub(super) no_ignores: bool,

    /// Write an ignore comment for each finding, with REASON in it
    #[arg(
        long,
        value_name = "REASON",
        num_args = 0..=1,
        require_equals = true,
        default_missing_value = "",
        help_heading = IGNORES,
        conflicts_with_all = ["no_ignores", "fix", "diff"]
    )]
    pub(super) add_ignores: Option<String>,

    /// Set aside the findings that FILE lists
    #[arg(long, value_name = "FILE", help_heading = IGNORES)]
    pub(super) baseline: Option<PathBuf>,

    /// Take out of the baseline what is no longer found; with `=add`, put in what is new. A baseline that does not
    /// exist yet begins with all findings
    #[arg(
        long,
        value_name = "add",
        value_enum,
        num_args = 0..=1,
        require_equals = true,
        default_missing_value = "prune",
        help_heading = IGNORES,
        requires = "baseline",
        conflicts_with = "diff"
    )]
    pub(super) update_baseline: Option<BaselineUpdate>,

    #[command(flatten)]
    pub(super) assumptions: AssumptionArguments,

    /// Read files of this name as well, besides .yaml, .yml, .json, scripts and other launch files; repeatable
    #[arg(long, value_name = "GLOB")]
    pub(super) include: Vec<String>,

    /// Never read files and folders of this name; stronger than --include and than a path given; repeatable
    #[arg(long, value_name = "GLOB")]
    pub(super) exclude: Vec<String>,

    /// Exit with 1 from this severity on
    #[arg(long, value_name = "SEVERITY", default_value = "warning", value_parser = severity())]
    pub(super) fail_on: Severity,

    /// Exit with 0 whatever is found
    #[arg(long)]
    pub(super) exit_zero: bool,

    /// Print findings only, without the closing line
    #[arg(long, short)]
    pub(super) quiet: bool,

    /// Print how many findings each rule has
    #[arg(long)]
    pub(super) statistics: bool,

    /// Colour the report
    #[arg(long, value_name = "WHEN", value_enum, default_value_t)]
    pub(super) color: Colour,

    /// Use N threads [default: one for each core]
    #[arg(long, value_name = "N")]
    pub(super) threads: Option<NonZeroUsize>,

    /// The path under which standard input is checked and shown
    #[arg(long, value_name = "PATH")]
    pub(super) stdin_filename: Option<PathBuf>,
}

/// What becomes of the baseline.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum BaselineUpdate {
    /// What is no longer found goes
    Prune,
    /// What is new comes in as well
    Add,
}

impl CheckArguments {
    /// Whether standard output is a patch or a fixed text, so that reports go elsewhere.
    pub(super) fn is_output_a_text(&self) -> bool {
        let reads_standard_input = self.paths.iter().any(|path| path.as_os_str() == "-");
        self.diff || (self.fix && reads_standard_input)
    }
}

/// What is assumed.
#[derive(Args, Debug, Default)]
pub(super) struct AssumptionArguments {
    /// Assume these versions and this hardware: accelerate=1.12.0, accelerate='>=1.3,<2', gpu=h100, capability=9.0,
    /// installed=torchao,deepspeed; repeatable
    #[arg(long, value_name = "KEY=VALUE")]
    pub(super) target: Vec<String>,

    /// Read the settings from FILE, not from the fp8lint.toml, .fp8lint.toml or pyproject.toml above each file
    #[arg(long, value_name = "FILE", conflicts_with = "isolated")]
    pub(super) config: Option<PathBuf>,

    /// Read no settings files
    #[arg(long)]
    pub(super) isolated: bool,
}

#[derive(Args, Debug)]
pub(super) struct ResolveArguments {
    /// A file of launch commands, or a config or recipe alone, whose runs are followed
    #[arg(required_unless_present = "batch", conflicts_with = "batch")]
    pub(super) file: Option<PathBuf>,

    /// Print the runs as text or as JSON
    #[arg(
        long,
        value_name = "FORMAT",
        value_enum,
        default_value_t,
        conflicts_with = "batch"
    )]
    pub(super) format: ResolveFormat,

    /// Follow the runs of a file of JSON lines; `-` is standard input
    #[arg(long, value_name = "IN.jsonl", conflicts_with_all = ["target", "config", "isolated"])]
    pub(super) batch: Option<PathBuf>,

    /// Write the answers of --batch there [default: standard output]
    #[arg(long, value_name = "OUT.jsonl", requires = "batch")]
    pub(super) out: Option<PathBuf>,

    #[command(flatten)]
    pub(super) assumptions: AssumptionArguments,

    /// Colour the answer
    #[arg(long, value_name = "WHEN", value_enum, default_value_t)]
    pub(super) color: Colour,
}

/// How `resolve` prints runs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(super) enum ResolveFormat {
    /// For people
    #[default]
    Text,
    /// One JSON object
    Json,
}

/// When to colour.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(super) enum Colour {
    /// For a terminal; NO_COLOR and CLICOLOR_FORCE are honoured
    #[default]
    Auto,
    /// Always
    Always,
    /// Never
    Never,
}

/// `FORMAT[=FILE]`
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct ReportRequest {
    pub(super) format: Format,
    pub(super) file: Option<PathBuf>,
}

fn report_request(text: &str) -> Result<ReportRequest, String> {
    let (name, file) = match text.split_once('=') {
        Some((_, "")) => return Err("the file's name is missing after `=`".to_owned()),
        Some((name, file)) => (name, Some(PathBuf::from(file))),
        None => (text, None),
    };
    let format = Format::of_name(name).ok_or_else(|| {
        let names = Format::ALL.iter().map(|format| format.as_str());
        let meant = closest(name, names.clone())
            .map(|name| format!("did you mean {name}? "))
            .unwrap_or_default();
        let names: Vec<_> = names.collect();
        format!("{meant}known formats are {}", names.join(", "))
    })?;
    Ok(ReportRequest { format, file })
}

fn severity() -> impl TypedValueParser<Value = Severity> {
    PossibleValuesParser::new(["error", "warning", "note"]).map(|name| match name.as_str() {
        "error" => Severity::Error,
        "warning" => Severity::Warning,
        _ => Severity::Note,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_command_line_is_well_formed() {
        use clap::CommandFactory;
        Arguments::command().debug_assert();
    }

    #[test]
    fn check_is_the_default_command() {
        let paths = |line: &[&str]| {
            let arguments = Arguments::try_parse_from(line).unwrap();
            match arguments.command {
                None => arguments.check.paths,
                Some(Command::Check(check)) => check.paths,
                Some(other) => panic!("{other:?}"),
            }
        };
        assert_eq!(paths(&["fp8lint"]), [""; 0].map(PathBuf::from));
        assert_eq!(
            paths(&["fp8lint", "examples"]),
            ["examples"].map(PathBuf::from)
        );
        assert_eq!(
            paths(&["fp8lint", "check", "rules"]),
            ["rules"].map(PathBuf::from)
        );
        assert_eq!(
            paths(&["fp8lint", "--quiet", "./rules", "check"]),
            ["./rules", "check"].map(PathBuf::from)
        );
    }
}
