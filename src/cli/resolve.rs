//! `fp8lint resolve`: what a run comes to, stage by stage.

use std::fs::File;
use std::io::{self, BufReader, BufWriter};
use std::path::Path;

use crate::discover;
use crate::report;
use crate::resolve::Config;
use crate::rules::Subject;

use super::arguments::ResolveArguments;
use super::assumptions::{Assumed, Assumptions};
use super::batch;
use super::check::partners::Partners;
use super::check::plan;
use super::failure::{Exit, Failure};
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

/// Follows the run that is assumed for one config file.
fn follow(path: &Path, arguments: &ResolveArguments) -> Result<Exit, Failure> {
    let current = plan::current_folder()?;
    let assumptions = Assumptions::new(&arguments.assumptions, &[path.to_owned()], &current)?;
    let assumed = assumptions.of(path)?;
    let target = &assumed.target;
    let shown = discover::shown(path, &current);
    let bytes = std::fs::read(path).map_err(|error| {
        Failure::run(format!(
            "{shown} cannot be read: {}",
            discover::reason(&error)
        ))
    })?;
    let run = assumed.run(Config::of_bytes(&shown, bytes));
    let facts = super::target::facts(target)?;
    let partners = Partners::of(&shown);
    let subject = Subject::new(&run, facts, target, assumed.blocks(), &partners);
    let output = Output::standard(arguments.color);
    let mut text = report::resolution(&subject, output.colour());
    for remark in remarks(&subject, &assumed) {
        text.push_str(&report::one_line(&remark));
        text.push('\n');
    }
    if !target.accelerate_others.is_empty() {
        text.push_str(&report::outcomes(&run, target, &partners));
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
