//! `--baseline` and `--update-baseline`: the file.

use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use crate::discover;
use crate::fix;
use crate::report::{self, one_line};
use crate::suppress::Baseline;

use super::super::arguments::{BaselineUpdate, CheckArguments, Colour};
use super::super::failure::Failure;
use super::super::notices;
use super::super::output::Output;
use super::Came;
use super::adding::plural;
use super::plan::Plan;

/// The baseline and where it comes from.
pub(super) struct BaselineFile {
    pub(super) baseline: Baseline,
    /// The path as it is shown.
    pub(super) shown: String,
    path: PathBuf,
    /// What it holds; `None` where it does not exist yet.
    text: Option<String>,
}

/// Reads the baseline that is named. One that does not exist is only right where it is to be written.
pub(super) fn read(
    arguments: &CheckArguments,
    current: &Path,
) -> Result<Option<BaselineFile>, Failure> {
    let Some(path) = &arguments.baseline else {
        return Ok(None);
    };
    let shown = discover::shown(path, current);
    let path = current.join(path);
    let text = match std::fs::read(&path) {
        Ok(bytes) => match String::from_utf8(bytes) {
            Ok(text) => Some(text),
            Err(_) => return Err(broken(&format!("{shown}: it is no UTF-8 text"))),
        },
        Err(error) if error.kind() == ErrorKind::NotFound => None,
        Err(error) => {
            let reason = discover::reason(&error);
            return Err(Failure::usage(
                format!("the baseline {shown} cannot be read: {reason}"),
                "let --baseline name a file that you may read",
            ));
        }
    };
    let baseline = match &text {
        Some(text) => Baseline::parse(text).map_err(|error| {
            let place = match error.place {
                Some((line, column)) => format!(":{line}:{column}"),
                None => String::new(),
            };
            broken(&format!("{shown}{place}: {}", error.message))
        })?,
        None if arguments.update_baseline.is_some() => Baseline::default(),
        None => {
            return Err(Failure::usage(
                format!("the baseline {shown} does not exist"),
                "write one with all that is found now: add --update-baseline",
            ));
        }
    };
    Ok(Some(BaselineFile {
        baseline,
        shown,
        path,
        text,
    }))
}

fn broken(message: &str) -> Failure {
    Failure::usage(
        format!("the baseline is broken: {message}"),
        "take it back from git, or delete it and write a new one with --update-baseline",
    )
}

/// Writes the baseline anew: without what is stale; and with what is left, where that is asked for or where the file is
/// new. What it lets pass by then is set aside.
pub(super) fn update(update: BaselineUpdate, came: &mut Came, plan: &Plan) -> Result<(), Failure> {
    let Some(file) = &plan.setting_aside.baseline else {
        return Ok(());
    };
    let adds = update == BaselineUpdate::Add || file.text.is_none();
    let left = std::mem::take(&mut came.checked.findings);
    let new: Vec<_> = left
        .iter()
        .filter(|finding| adds && notices::can_pass(finding.code))
        .collect();
    let baseline = file.baseline.updated(&came.stale, &new, &plan.paths);
    if baseline != file.baseline || file.text.is_none() {
        let before = file.text.as_ref().map(String::as_bytes);
        fix::write_new(&file.path, before, baseline.render().as_bytes())
            .map_err(|refusal| Failure::run(format!("the baseline {} {refusal}", file.shown)))?;
    }
    if !plan.setting_aside.quiet {
        say(file, &baseline, came.stale.len())?;
    }
    came.stale.clear();
    let (left, suppressed, _) = baseline.apply(left, &plan.paths);
    came.checked.findings = left;
    came.checked.suppressed.extend(suppressed);
    report::sort_suppressed(&mut came.checked.suppressed);
    Ok(())
}

/// Says on standard error what the baseline holds now.
fn say(file: &BaselineFile, new: &Baseline, stale: usize) -> Result<(), Failure> {
    let shown = one_line(&file.shown);
    let is_new = file.text.is_none() || *new != file.baseline;
    let begin = match is_new {
        true => format!("Wrote {shown}"),
        false => format!("{shown} stays as it was"),
    };
    let verb = if new.len() == 1 { "passes" } else { "pass" };
    let passing = plural(new.len(), "finding");
    let taken_out = match stale {
        0 => String::new(),
        stale => format!("; took out {stale}"),
    };
    let said = format!("{begin}: {passing} {verb}{taken_out}.\n");
    Output::standard_error(Colour::Never).write(said.as_bytes())
}
