//! `fp8lint check`: discover → read → recognise → resolve → judge → report.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, Read};
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::discover::{self, Candidate, Discovery, PatternError, Patterns, Problem};
use crate::formats::{self, Kind};
use crate::knowledge;
use crate::report::{self, Checked, CheckedFile, Format, Style};
use crate::resolve::target::{TargetError, closest, packages_asked};
use crate::resolve::{Code, Config, ConfigFile, Launcher, Run, Stage, Target};
use crate::rules::Finding;
use crate::source::{ReadError, SourceFile, Syntax};

use super::arguments::{CheckArguments, ReportRequest};
use super::failure::{Exit, Failure};
use super::notices::{self, NoConfig};
use super::output::Output;
use super::selection::Selection;
use super::workers;

/// Larger files are not parsed.
const SIZE_LIMIT: u64 = 4 << 20;

/// How much of a larger file is looked at to tell whether it was meant to be a config.
const HEAD: usize = 64 << 10;

/// Standard input, as a path on the command line.
const STANDARD_INPUT: &str = "-";

/// Checks files and folders.
pub(super) fn run(arguments: &CheckArguments) -> Result<Exit, Failure> {
    let plan = Plan::new(arguments)?;
    let (inputs, problems) = inputs(arguments, &plan)?;
    let results = workers::map(plan.threads, &inputs, |input| check(input, &plan.target));
    let read = results.iter().filter(|result| result.read).count();
    let nothing_read = read == 0 && !(problems.is_empty() && results.is_empty());
    let checked = gather(results, &problems, &plan);
    write_reports(&checked, &plan)?;

    let fails = checked
        .findings
        .iter()
        .any(|finding| finding.severity >= arguments.fail_on);
    Ok(if nothing_read {
        Exit::Failed
    } else if fails && !arguments.exit_zero {
        Exit::Findings
    } else {
        Exit::Clean
    })
}

/// The settings, once they are known to be right.
struct Plan {
    selection: Selection,
    target: Target,
    threads: NonZeroUsize,
    discovery: discover::Settings,
    reports: Vec<(Format, Style, Output)>,
}

impl Plan {
    fn new(arguments: &CheckArguments) -> Result<Self, Failure> {
        let threads = arguments
            .threads
            .or_else(|| std::thread::available_parallelism().ok())
            .unwrap_or(NonZeroUsize::MIN);
        let patterns = |patterns: &[String]| {
            Patterns::new(patterns.iter().map(String::as_str))
                .map_err(|error: PatternError| Failure::usage(error.to_string(), "see --help"))
        };
        Ok(Self {
            selection: Selection::new(&arguments.select, &arguments.ignore)?,
            target: target(&arguments.target)?,
            threads,
            discovery: discover::Settings {
                include: patterns(&arguments.include)?,
                exclude: patterns(&arguments.exclude)?,
                threads: threads.get(),
            },
            reports: reports(arguments)?,
        })
    }
}

/// The target of `--target` settings.
pub(super) fn target(settings: &[String]) -> Result<Target, Failure> {
    Target::parse(settings.iter().map(String::as_str), knowledge::releases()).map_err(
        |TargetError { message, help }| Failure::usage(format!("--target: {message}"), help),
    )
}

fn reports(arguments: &CheckArguments) -> Result<Vec<(Format, Style, Output)>, Failure> {
    let text = [ReportRequest {
        format: Format::Text,
        file: None,
    }];
    let requests = if arguments.report.is_empty() {
        &text[..]
    } else {
        &arguments.report
    };
    let on_standard_output = requests.iter().filter(|request| request.file.is_none());
    if on_standard_output.count() > 1 {
        return Err(Failure::usage(
            "two reports cannot both go to standard output",
            "name a file for all but one: --report json=fp8lint.json",
        ));
    }
    Ok(requests
        .iter()
        .map(|request| {
            let output = match &request.file {
                Some(file) => Output::File(file.clone()),
                None => Output::standard(arguments.color),
            };
            let style = Style {
                colour: output.colour(),
                quiet: arguments.quiet,
                statistics: arguments.statistics,
            };
            (request.format, style, output)
        })
        .collect())
}

/// Something to check.
enum Input {
    File(Candidate),
    StandardInput { shown: String },
}

/// Discover: the files to check, and the paths that cannot be searched.
fn inputs(arguments: &CheckArguments, plan: &Plan) -> Result<(Vec<Input>, Vec<Problem>), Failure> {
    let is_standard_input = |path: &&PathBuf| path.as_os_str() == STANDARD_INPUT;
    let mut paths: Vec<_> = arguments
        .paths
        .iter()
        .filter(|path| !is_standard_input(path))
        .cloned()
        .collect();
    if arguments.paths.is_empty() {
        paths.push(PathBuf::from("."));
    }
    let current = std::env::current_dir()
        .map_err(|error| Failure::run(format!("the current folder cannot be read: {error}")))?;
    let Discovery {
        candidates,
        problems,
    } = discover::discover(&paths, &current, &plan.discovery);
    let mut inputs: Vec<_> = candidates.into_iter().map(Input::File).collect();
    if arguments.paths.iter().any(|path| is_standard_input(&path)) {
        let shown = match &arguments.stdin_filename {
            Some(path) => discover::shown(path, &current),
            None => "<stdin>".to_owned(),
        };
        inputs.push(Input::StandardInput { shown });
    } else if arguments.stdin_filename.is_some() {
        return Err(Failure::usage(
            "--stdin-filename is given, but standard input is not checked",
            "add `-` to the paths",
        ));
    }
    Ok((inputs, problems))
}

/// What the check of one file came to.
#[derive(Default)]
struct FileResult {
    /// Whether the file could be read at all.
    read: bool,
    recognised: Option<CheckedFile>,
    findings: Vec<Finding>,
}

/// Read → recognise → resolve → judge, for one file.
fn check(input: &Input, target: &Target) -> FileResult {
    let (shown, explicit, bytes) = match input {
        Input::File(file) => (&file.shown, file.explicit, read_file(&file.path)),
        Input::StandardInput { shown } => (shown, true, read_all(io::stdin().lock())),
    };
    let bytes = match bytes {
        Ok(bytes) => bytes,
        Err(error) => {
            return FileResult {
                findings: vec![notices::unreadable(shown, &discover::reason(&error), None)],
                ..FileResult::default()
            };
        }
    };
    let mut result = FileResult {
        read: true,
        ..FileResult::default()
    };
    if bytes.len() as u64 > SIZE_LIMIT {
        if explicit || looks_like_config(&decode(&bytes[..HEAD])) {
            result.findings.push(notices::too_large(shown, SIZE_LIMIT));
        }
        return result;
    }
    // Bytes that are not UTF-8 may still be a config: the one that accelerate refuses.
    let looks_like_config =
        std::str::from_utf8(&bytes).is_err() && looks_like_config(&decode(&bytes));
    match SourceFile::new(shown.clone(), bytes) {
        Ok(source) => check_text(Arc::new(source), explicit, target, &mut result),
        Err(error) => {
            if looks_like_config {
                let path = shown.clone();
                result.recognised(shown, Kind::Accelerate);
                let config = Config::Unreadable { path, error };
                result.findings.extend(judge(config, &[], target));
            } else if explicit {
                result
                    .findings
                    .push(notices::no_config(shown, None, NoConfig::NotText));
            }
        }
    }
    result
}

fn check_text(file: Arc<SourceFile>, explicit: bool, target: &Target, result: &mut FileResult) {
    let text = file.text();
    if !explicit && !formats::may_be_config(text) {
        return;
    }
    let read = Syntax::of_name(&file.path).read(text);
    match formats::recognise(text, read.as_ref()) {
        Some(recognised) => {
            result.recognised(&file.path, recognised.kind);
            match recognised.placeholder {
                Some(span) => result.findings.push(notices::template(&file, span)),
                None => {
                    let asked = read.as_ref().map(packages_asked).unwrap_or_default();
                    let read = read.map(Arc::new);
                    let config = Config::File(ConfigFile { file, read });
                    result.findings.extend(judge(config, &asked, target));
                }
            }
        }
        None if explicit => {
            let why = if text
                .trim_matches(['\u{feff}', ' ', '\t', '\r', '\n'])
                .is_empty()
            {
                NoConfig::Empty
            } else if text.contains('\0') {
                NoConfig::NotText
            } else {
                match &read {
                    Err(ReadError {
                        exception,
                        message,
                        span,
                    }) => NoConfig::Unparsable(format!("{exception}: {message}"), *span),
                    Ok(document) if !document.root().is_dict() => NoConfig::NotAMapping,
                    Ok(document) => match formats::nested_config(text, document) {
                        Some(key) => NoConfig::Nested(key),
                        // Some other program's file. That it is none of ours says the closing line.
                        None => return,
                    },
                }
            };
            result
                .findings
                .push(notices::no_config(&file.path, Some(&file), why));
        }
        None => {}
    }
}

impl FileResult {
    fn recognised(&mut self, path: &str, kind: Kind) {
        self.recognised = Some(CheckedFile {
            path: path.to_owned(),
            kind,
        });
    }
}

/// Resolve → judge, for the run that is assumed for a config that nothing launches.
fn judge(config: Config, asked: &[&str], target: &Target) -> Vec<Finding> {
    let run = Run {
        launcher: Launcher::Accelerate,
        config,
        default_config: false,
        flags: Vec::new(),
        environment: BTreeMap::new(),
        code: Code::default(),
        machine: target.machine(asked),
        stage: Stage::Prepare,
    };
    let Some(_known) = knowledge::accelerate(&target.accelerate.value) else {
        return Vec::new();
    };
    // WIRING: let outcome = resolve::resolve(&run, known.facts, &NoFiles); rules::judge(&Subject { … })
    let _ = run;
    Vec::new()
}

fn read_file(path: &Path) -> io::Result<Vec<u8>> {
    read_all(File::open(path)?)
}

/// Everything, up to one byte more than the limit.
fn read_all(input: impl Read) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    input.take(SIZE_LIMIT + 1).read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// The text of bytes that are not UTF-8, good enough to recognise a config that accelerate will refuse.
fn decode(bytes: &[u8]) -> String {
    let units = |unit: fn([u8; 2]) -> u16| {
        let units: Vec<_> = bytes[2..]
            .chunks_exact(2)
            .map(|pair| unit([pair[0], pair[1]]))
            .collect();
        String::from_utf16_lossy(&units)
    };
    match bytes {
        [0xff, 0xfe, ..] => units(u16::from_le_bytes),
        [0xfe, 0xff, ..] => units(u16::from_be_bytes),
        _ => String::from_utf8_lossy(bytes).into_owned(),
    }
}

fn looks_like_config(text: &str) -> bool {
    let unread = ReadError {
        exception: "UnicodeDecodeError",
        message: String::new(),
        span: None,
    };
    formats::may_be_config(text) && formats::recognise(text, Err(&unread)).is_some()
}

/// All results together: selected, sorted.
fn gather(results: Vec<FileResult>, problems: &[Problem], plan: &Plan) -> Checked {
    let files_read = results.iter().filter(|result| result.read).count();
    let mut files = Vec::new();
    let mut findings: Vec<_> = problems
        .iter()
        .map(|problem| notices::unreadable(&problem.shown, &problem.reason, meant(&problem.shown)))
        .collect();
    for result in results {
        files.extend(result.recognised);
        findings.extend(result.findings);
    }
    findings.retain(|finding| plan.selection.holds(finding.code));
    report::sort(&mut findings);
    Checked {
        target: plan.target.clone(),
        files_read,
        files,
        findings,
    }
}

/// A path that is missing may be a command that was misspelled.
fn meant(path: &str) -> Option<String> {
    use clap::CommandFactory;
    let command = super::arguments::Arguments::command();
    let names: Vec<_> = command
        .get_subcommands()
        .map(|command| command.get_name().to_owned())
        .collect();
    closest(path, names.iter().map(String::as_str))
        .map(|name| format!("the command is `fp8lint {name}`, if that was meant"))
}

fn write_reports(checked: &Checked, plan: &Plan) -> Result<(), Failure> {
    for (format, style, output) in &plan.reports {
        let mut content = Vec::new();
        format
            .report(*style)
            .write(checked, &mut content)
            .map_err(|error| Failure::run(format!("the report cannot be written: {error}")))?;
        output.write(&content)?;
    }
    Ok(())
}
