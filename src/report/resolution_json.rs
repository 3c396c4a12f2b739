//! `fp8lint resolve --format json`: the runs of a file as one JSON object.

use std::collections::BTreeMap;

use serde::Serialize;

use crate::resolve::{Config, Exception, Stage};
use crate::rules::{Subject, precision_that_runs};

use super::escape;
use super::says::says;

/// The version of this format: a new key keeps it, a changed or removed one raises it.
const FORMAT_VERSION: u32 = 1;

#[derive(Serialize)]
struct Output {
    version: u32,
    runs: Vec<RunOutput>,
}

#[derive(Serialize)]
struct RunOutput {
    /// The command as it reads on one line; `null` for the run that is assumed for a config.
    command: Option<String>,
    place: Option<PlaceOutput>,
    launcher: &'static str,
    /// The accelerate config that is read.
    config: Option<String>,
    recipe: Option<String>,
    accelerate: String,
    trainer: Option<TrainerOutput>,
    says: Vec<SaysOutput>,
    verdict: String,
    /// In which precision it trains.
    runs: Option<String>,
    /// Why it cannot be told.
    why: Option<String>,
    exception: Option<ExceptionOutput>,
    /// The values that decide, each with who says it.
    decisions: Vec<DecisionOutput>,
    /// The words of the command that cannot be known.
    unknown: Vec<String>,
    /// The variables that accelerate's launcher sets.
    environment: BTreeMap<String, String>,
}

#[derive(Serialize)]
struct TrainerOutput {
    framework: &'static str,
    version: String,
    transformers: String,
}

#[derive(Serialize)]
struct SaysOutput {
    who: &'static str,
    what: String,
    place: Option<PlaceOutput>,
    wins: bool,
}

#[derive(Serialize)]
struct DecisionOutput {
    stage: &'static str,
    name: &'static str,
    value: String,
    by: String,
    place: Option<PlaceOutput>,
}

#[derive(Serialize)]
struct ExceptionOutput {
    r#type: String,
    message: String,
    r#where: &'static str,
}

#[derive(Serialize)]
struct PlaceOutput {
    path: String,
    line: usize,
}

/// The runs, as JSON.
///
/// # Errors
/// None that can happen: what is written is made of texts and numbers.
pub fn resolutions_json(subjects: &[Subject<'_>]) -> serde_json::Result<String> {
    let output = Output {
        version: FORMAT_VERSION,
        runs: subjects.iter().map(RunOutput::of).collect(),
    };
    let text = serde_json::to_string_pretty(&output)?;
    Ok(format!("{}\n", escape::json(&text)))
}

impl RunOutput {
    fn of(subject: &Subject<'_>) -> Self {
        let (run, outcome) = (subject.run, &subject.outcome);
        let command = run.command.as_ref();
        let place = |place: &crate::resolve::Place| PlaceOutput {
            path: place.file.path.clone(),
            line: place.file.line_column(place.value.start).line,
        };
        let why = match &outcome.verdict {
            crate::resolve::Verdict::Unknown { why } => Some(why.clone()),
            _ => None,
        };
        Self {
            command: command.map(|command| command.text.clone()),
            place: command.map(|command| place(&command.place)),
            launcher: run.launcher.as_str(),
            config: match &run.config {
                Config::File(config) => Some(config.file.path.clone()),
                Config::Unreadable { path, .. } | Config::Missing { path, .. } => {
                    Some(path.clone())
                }
                Config::None | Config::Unknown { .. } => None,
            },
            recipe: command.and_then(|command| Some(command.recipe.as_ref()?.path.clone())),
            accelerate: subject.facts.version.to_string(),
            trainer: run.trainer.as_ref().map(|trainer| TrainerOutput {
                framework: trainer.framework.as_str(),
                version: trainer.version.to_string(),
                transformers: trainer.transformers.to_string(),
            }),
            says: says(subject)
                .into_iter()
                .map(|says| SaysOutput {
                    who: says.who,
                    what: says.what,
                    place: says.place.map(|(path, line)| PlaceOutput { path, line }),
                    wins: says.wins,
                })
                .collect(),
            verdict: outcome.verdict.to_string(),
            runs: precision_that_runs(outcome),
            why,
            exception: outcome.exception().map(ExceptionOutput::of),
            decisions: outcome
                .decisions
                .iter()
                .map(|decision| DecisionOutput {
                    stage: stage(decision.stage),
                    name: decision.name,
                    value: decision.value.clone(),
                    by: decision.origin.to_string(),
                    place: decision.origin.place.as_ref().map(place),
                })
                .collect(),
            unknown: command.map_or_else(Vec::new, |command| {
                command.unknown.iter().map(|(why, _)| why.clone()).collect()
            }),
            environment: outcome
                .launch
                .as_ref()
                .map_or_else(BTreeMap::new, |launch| {
                    let variables = launch.environment.iter();
                    variables
                        .map(|(name, variable)| (name.clone(), variable.value.clone()))
                        .collect()
                }),
        }
    }
}

impl ExceptionOutput {
    fn of(exception: &Exception) -> Self {
        Self {
            r#type: exception.kind.clone(),
            message: exception.message.clone(),
            r#where: exception.source,
        }
    }
}

fn stage(stage: Stage) -> &'static str {
    match stage {
        Stage::Launch => "launch",
        Stage::Trainer => "trainer",
        Stage::Runtime => "init",
        Stage::Prepare => "prepare",
    }
}
