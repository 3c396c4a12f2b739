//! The arguments.

mod groups;
mod show;

use std::num::NonZeroUsize;
use std::path::PathBuf;

use clap::builder::{PossibleValuesParser, TypedValueParser};
use clap::{Args, Parser, Subcommand, ValueEnum};

use crate::report::Format;
use crate::resolve::target::closest;
use crate::rules::Severity;

pub(super) use groups::{FileArguments, RuleArguments};
pub(super) use show::{ShowFilesArguments, ShowSettingsArguments};

const CHECK_EXAMPLE: &str = "Example: fp8lint check configs --target accelerate=1.12.0";
const IGNORES: &str = "Ignores and baseline";

const AFTER_HELP: &str = "\
Example: fp8lint configs --target accelerate=1.12.0

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
    #[command(after_help = "Example: fp8lint explain FP302")]
    Explain {
        /// Its code or its name: FP901, unreadable-file
        rule: String,

        /// Print it as text or as JSON
        #[arg(long, value_name = "FORMAT", value_enum, default_value_t)]
        format: TextOrJson,
    },
    /// List the rules
    #[command(after_help = "Example: fp8lint rules --format json")]
    Rules {
        /// Print them as text or as JSON
        #[arg(long, value_name = "FORMAT", value_enum, default_value_t)]
        format: TextOrJson,
    },
    /// Write an fp8lint.toml, every setting in it as a comment
    #[command(after_help = "Example: fp8lint init")]
    Init,
    /// Show the settings that hold for a file, and where each comes from
    ShowSettings(ShowSettingsArguments),
    /// Show the files that a check reads, and what each is
    ShowFiles(ShowFilesArguments),
    /// Print a JSON Schema
    #[command(after_help = "Example: fp8lint schema config > fp8lint.schema.json")]
    Schema {
        /// Of what
        of: Schema,
    },
    /// Print the completion script of a shell
    #[command(
        after_help = "Example: fp8lint completions bash > ~/.local/share/bash-completion/completions/fp8lint"
    )]
    Completions {
        /// The shell
        shell: clap_complete::Shell,
    },
    /// Print a manual page
    #[command(after_help = "Example: fp8lint man > fp8lint.1; fp8lint man check > fp8lint-check.1")]
    Man {
        /// The command that it is about [default: fp8lint itself]
        command: Option<String>,
    },
}

#[derive(Clone, Copy, Debug, ValueEnum)]
pub(super) enum Schema {
    /// The settings: fp8lint.toml, or [tool.fp8lint] of a pyproject.toml
    Config,
    /// The report that `--report json` writes
    Output,
}

#[derive(Args, Debug, Default)]
#[command(after_help = CHECK_EXAMPLE)]
pub(super) struct CheckArguments {
    /// Files and folders to check; `-` is standard input [default: the current folder]
    #[arg(value_name = "PATH")]
    pub(super) paths: Vec<PathBuf>,

    /// Report in FORMAT, into FILE if one is named; repeatable: text, concise, json, json-lines, gitlab, junit, rdjson
    /// (for reviewdog), agent (for programs that read)
    #[arg(long, value_name = "FORMAT[=FILE]", value_parser = report_request, help_heading = "Reports")]
    pub(super) report: Vec<ReportRequest>,

    #[command(flatten)]
    pub(super) rules: RuleArguments,

    /// Mend what can be mended safely: what was asked for, spelt so that it takes effect
    #[arg(long, help_heading = "Fixes", group = "fixing")]
    pub(super) fix: bool,

    /// With --fix or --diff: make the fixes that change what will run, too
    #[arg(long, help_heading = "Fixes", requires = "fixing")]
    pub(super) unsafe_fixes: bool,

    /// Print the fixes as a patch for `git apply`, and write nothing
    #[arg(long, help_heading = "Fixes", group = "fixing")]
    pub(super) diff: bool,

    /// List the fixes that were made
    #[arg(long, help_heading = "Fixes", requires = "fixing")]
    pub(super) show_fixes: bool,

    /// Exit with 1 where something was fixed
    #[arg(long, help_heading = "Fixes", requires = "fix")]
    pub(super) exit_non_zero_on_fix: bool,

    /// Report only what touches a file that has changed since HEAD and REF parted, as a pull request shows it
    #[arg(
        long,
        value_name = "REF",
        help_heading = "Changes",
        conflicts_with = "staged",
        group = "changes"
    )]
    pub(super) since: Option<String>,

    /// Report only what touches a staged file; files are read as they are staged
    #[arg(long, help_heading = "Changes", group = "changes")]
    pub(super) staged: bool,

    /// With --since or --staged: report only what touches a changed line
    #[arg(long, help_heading = "Changes", requires = "changes")]
    pub(super) changed_lines: bool,

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
        conflicts_with_all = ["no_ignores", "fix", "diff", "staged"]
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

    #[command(flatten)]
    pub(super) files: FileArguments,

    /// Exit with 0 whatever is found
    #[arg(long, help_heading = "Rules")]
    pub(super) exit_zero: bool,

    /// Print findings only, without the closing line
    #[arg(long, short, help_heading = "Reports")]
    pub(super) quiet: bool,

    /// Print how many findings each rule has, and how many of them are fixable
    #[arg(long, help_heading = "Reports")]
    pub(super) statistics: bool,

    /// Show no progress bar, which long checks have on a terminal outside CI
    #[arg(long, help_heading = "Reports")]
    pub(super) no_progress: bool,

    /// Colour the report
    #[arg(
        long,
        value_name = "WHEN",
        value_enum,
        default_value_t,
        help_heading = "Reports"
    )]
    pub(super) color: Colour,

    /// Use N threads [default: one for each core]
    #[arg(long, value_name = "N", help_heading = "General")]
    pub(super) threads: Option<NonZeroUsize>,

    /// The path under which standard input is checked and shown
    #[arg(long, value_name = "PATH", help_heading = "Files")]
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
    /// Whether standard input is among what is checked.
    pub(super) fn reads_standard_input(&self) -> bool {
        self.paths.iter().any(|path| path.as_os_str() == "-")
    }

    /// Whether standard output is a patch or a fixed text, so that reports go elsewhere.
    pub(super) fn is_output_a_text(&self) -> bool {
        self.diff || (self.fix && self.reads_standard_input())
    }
}

/// What is assumed.
#[derive(Args, Clone, Debug, Default)]
pub(super) struct AssumptionArguments {
    /// Assume these versions and this hardware: accelerate=1.12.0, accelerate='>=1.3,<2', gpu=h100, capability=9.0,
    /// installed=torchao,deepspeed; repeatable
    #[arg(long, value_name = "KEY=VALUE", help_heading = "Assumptions")]
    pub(super) target: Vec<String>,

    /// Read the settings from FILE, not from the fp8lint.toml, .fp8lint.toml or pyproject.toml above each file
    #[arg(
        long,
        value_name = "FILE",
        conflicts_with = "isolated",
        help_heading = "Assumptions"
    )]
    pub(super) config: Option<PathBuf>,

    /// Read no settings files
    #[arg(long, help_heading = "Assumptions")]
    pub(super) isolated: bool,
}

#[derive(Args, Debug)]
#[command(after_help = "Example: fp8lint resolve train.sh")]
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
    pub(super) format: TextOrJson,

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

/// How a command prints what it shows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(super) enum TextOrJson {
    /// For people
    #[default]
    Text,
    /// For programs
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
