//! `fp8lint resolve`: what a run comes to, stage by stage.

use std::fs::File;
use std::io::{self, BufReader, BufWriter};
use std::path::Path;
use std::sync::Arc;

use crate::discover::{self, Candidate};
use crate::formats::launch;
use crate::report;
use crate::resolve::{Config, Files, Run};
use crate::rules::Subject;

use super::arguments::{ResolveArguments, ResolveFormat};
use super::assumptions::{Assumed, Assumptions};
use super::batch;
use super::check::alone::assumed_run;
use super::check::file::{self, Holds};
use super::check::inputs::Input;
use super::check::partners::{Beside, Partners};
use super::check::plan;
use super::check::runs;
use super::failure::{Exit, Failure};
use super::notices;
use super::output::Output;

/// Runs the command.
pub(super) fn run(arguments: &ResolveArguments) -> Result<Exit, Failure> {
    match (&arguments.batch, &arguments.file) {
        (Some(questions), _) => answer_batch(questions, arguments.out.as_deref()),
        (None, Some(file)) => follow(file, arguments),
        (None, None) => Err(Failure::usage(
            "no file is given",
            "name an accelerate config",
        )),
    }
}

/// Follows the runs of one file: those that its launch commands start, or the one that is assumed for a config.
fn follow(path: &Path, arguments: &ResolveArguments) -> Result<Exit, Failure> {
    let current = plan::current_folder()?;
    let assumptions = Assumptions::new(
        &arguments.assumptions,
        &[path.to_owned()],
        &current,
        &Arc::default(),
    )?;
    let shown = discover::shown(path, &current);
    let input = Input::File(Candidate {
        shown: shown.clone(),
        path: path.to_owned(),
        explicit: true,
    });
    let file = file::read(&input, &assumptions)?;
    if !file.read {
        let reason = file
            .findings
            .first()
            .map_or_else(String::new, |finding| finding.message.clone());
        return Err(Failure::run(format!("{shown}: {reason}")));
    }
    match &file.holds {
        Holds::Launch(holds) => {
            let mut runs = Vec::new();
            let beside = Beside::of(&shown, &assumptions);
            for command in &holds.commands {
                let partners = beside.of_command(command, holds, &[]);
                let (run, assumed) = runs::run_of(command, holds, &file, &assumptions, &partners)?;
                if runs::is_followed(&run) {
                    runs.push((run, assumed, partners));
                }
            }
            let runs: Vec<_> = runs
                .iter()
                .map(|(run, assumed, partners)| Followed {
                    run,
                    assumed,
                    files: partners,
                })
                .collect();
            print(&runs, &shown, arguments)
        }
        Holds::Nothing if is_launch_file(path, &shown) => print(&[], &shown, arguments),
        // A file without an ending of its own kind is given to accelerate as YAML, whatever it is.
        Holds::Nothing if !is_data_file(&shown) && file.recognised.is_none() => {
            Err(Failure::usage(
                format!("{shown} holds no launch command, accelerate config or recipe"),
                "name one that does; Python files are not read",
            ))
        }
        holds => {
            let mut assumed = assumptions.of(path)?;
            let run = match (assumed_run(holds, &assumed), file.findings.first()) {
                (Some(run), _) => run,
                (None, Some(finding)) if finding.code == notices::FILE_TOO_LARGE.code => {
                    return Err(Failure::run(format!("{shown}: {}", finding.message)));
                }
                (None, _) => {
                    let bytes = std::fs::read(path).map_err(|error| {
                        Failure::run(format!(
                            "{shown} cannot be read: {}",
                            discover::reason(&error)
                        ))
                    })?;
                    assumed.run(Config::of_bytes(&shown, bytes))
                }
            };
            if let Some(trainer) = &run.trainer {
                assumed.target.accompany(trainer);
            }
            let partners = Partners::of(&shown, &assumptions);
            let followed = Followed {
                run: &run,
                assumed: &assumed,
                files: &partners,
            };
            print(&[followed], &shown, arguments)
        }
    }
}

/// Whether a file is one that could hold launch commands.
fn is_launch_file(path: &Path, shown: &str) -> bool {
    let text = std::fs::read_to_string(path);
    text.is_ok_and(|text| launch::may_be_launch_file(shown, &text))
}

fn is_data_file(shown: &str) -> bool {
    [".yaml", ".yml", ".json"]
        .iter()
        .any(|ending| shown.ends_with(ending))
}

/// A run with what it is followed under.
struct Followed<'a> {
    run: &'a Run,
    assumed: &'a Assumed,
    files: &'a dyn Files,
}

fn print(
    runs: &[Followed<'_>],
    shown: &str,
    arguments: &ResolveArguments,
) -> Result<Exit, Failure> {
    let mut subjects = Vec::new();
    for followed in runs {
        let target = &followed.assumed.target;
        let facts = super::target::facts(target)?;
        let blocks = followed.assumed.blocks();
        subjects.push(Subject::new(
            followed.run,
            facts,
            target,
            blocks,
            followed.files,
        ));
    }
    let output = Output::standard(arguments.color);
    if arguments.format == ResolveFormat::Json {
        let text = report::resolutions_json(&subjects)
            .map_err(|error| Failure::run(format!("the runs cannot be written: {error}")))?;
        output.write(text.as_bytes())?;
        return Ok(Exit::Clean);
    }
    let mut text = String::new();
    for (position, (subject, followed)) in subjects.iter().zip(runs).enumerate() {
        if position > 0 {
            text.push('\n');
        }
        text.push_str(&report::resolution(subject, output.colour()));
        for remark in remarks(subject, followed.assumed) {
            text.push_str(&report::one_line(&remark));
            text.push('\n');
        }
        let target = &followed.assumed.target;
        if !target.accelerate_others.is_empty() {
            text.push_str(&report::outcomes(followed.run, target, followed.files));
        }
    }
    if subjects.is_empty() {
        let shown = report::one_line(shown);
        text.push_str(&format!(
            "No launch command in {shown} starts a training of which anything is known: accelerate's launcher, a \
             recipe, or a script with a Trainer's arguments.\n"
        ));
    }
    output.write(text.as_bytes())?;
    Ok(Exit::Clean)
}

/// What was assumed beyond the version.
fn remarks(subject: &Subject<'_>, assumed: &Assumed) -> Vec<String> {
    let mut remarks = Vec::new();
    if let Some(pin) = &assumed.unknown_pin {
        remarks.push(format!(
            "Nothing is known of `accelerate{}`, which {}:{} pins: the newest known release is assumed.",
            pin.specifiers, pin.file.path, pin.line
        ));
    }
    let words = subject
        .run
        .command
        .iter()
        .flat_map(|command| &command.unknown);
    remarks.extend(words.map(|(why, place)| {
        let at = place.file.line_column(place.value.start);
        format!("{}:{}: {why}.", place.file.path, at.line)
    }));
    let document = subject.config().map(|(_, document)| document);
    for block in assumed.blocks() {
        if document.is_some_and(|document| document.at(&block.path).is_some()) {
            let (file, span) = &block.declared;
            remarks.push(format!(
                "`{}` is read by the loader that {}:{} declares; what that does with it is not followed.",
                block.path,
                file.path,
                file.line_column(span.start).line
            ));
        }
    }
    remarks
}

/// Answers the oracle's batch contract.
fn answer_batch(questions: &Path, answers: Option<&Path>) -> Result<Exit, Failure> {
    let input: Box<dyn io::BufRead> = match questions.as_os_str() == "-" {
        true => Box::new(io::stdin().lock()),
        false => {
            let file = File::open(questions).map_err(|error| {
                Failure::run(format!(
                    "{} cannot be read: {}",
                    questions.display(),
                    discover::reason(&error)
                ))
            })?;
            Box::new(BufReader::new(file))
        }
    };
    let answered = match answers {
        Some(path) => {
            let file = File::create(path).map_err(|error| {
                Failure::run(format!("{} cannot be written: {error}", path.display()))
            })?;
            batch::answer(input, BufWriter::new(file))
        }
        None => batch::answer(input, BufWriter::new(io::stdout().lock())),
    };
    match answered {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => Err(Failure::run(format!(
            "the answers cannot be written: {error}"
        ))),
        _ => Ok(Exit::Clean),
    }
}
