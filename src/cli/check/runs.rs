//! The runs of the files that were read, and what the rules say of them: those that launch commands start, and those
//! that are assumed for what no command names.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use crate::formats::launch::{LaunchCommand, LaunchFile};
use crate::resolve::assemble::{assemble, assemble_recipe};
use crate::resolve::{Config, Launcher, Run, Word};
use crate::rules::{self, Finding, Severity};

use super::super::assumptions::{Assumed, Assumptions};
use super::super::failure::Failure;
use super::file::{FileResult, Holds};
use super::partners::{Beside, Partners};

/// How many commands with the same finding are named beside the first.
const NAMED_BESIDE: usize = 3;

/// What the launch commands of a file come to.
#[derive(Default)]
pub(in crate::cli) struct Launched {
    findings: Vec<(Finding, String)>,
    /// The files that a command names and in whose run they are judged.
    pub(in crate::cli) judged: BTreeSet<String>,
    /// The configs that a command names of which not everything is known.
    pub(in crate::cli) doubtful: BTreeSet<String>,
}

/// Judges the runs of a launch file.
pub(in crate::cli) fn launched(
    file: &FileResult,
    assumptions: &Assumptions,
) -> Result<Launched, Failure> {
    let mut launched = Launched::default();
    let (Holds::Launch(holds), Some(recognised)) = (&file.holds, &file.recognised) else {
        return Ok(launched);
    };
    for command in &holds.commands {
        let partners = Beside::of_command(&recognised.path, &command.folder, holds);
        let (run, assumed) = run_of(command, holds, file, assumptions, &partners)?;
        if !is_followed(&run) {
            continue;
        }
        let findings = rules::judge(&run, &assumed.target, assumed.blocks(), &partners);
        let line = command.spot.file.line_column(command.spot.span.start).line;
        let at = format!("{}:{line}", recognised.path);
        launched.note_named(&run, &recognised.path);
        let kept = findings.into_iter().filter_map(|mut finding| {
            if command.is_prose {
                // Nothing runs prose: of what it names the owner hears elsewhere.
                finding.severity = Severity::Note;
                (finding.primary.path == recognised.path).then_some(finding)
            } else {
                Some(finding)
            }
        });
        launched
            .findings
            .extend(kept.map(|finding| (finding, at.clone())));
    }
    Ok(launched)
}

/// The run of a command, and what is assumed of it: the versions that are pinned nearest to its config.
pub(in crate::cli) fn run_of(
    command: &LaunchCommand,
    holds: &LaunchFile,
    file: &FileResult,
    assumptions: &Assumptions,
    partners: &Beside<'_>,
) -> Result<(Run, Assumed), Failure> {
    let assumed_at = |path: &std::path::Path| -> Result<Assumed, Failure> {
        let mut assumed = assumptions.of(path)?;
        assumed.install(&holds.installs, command.is_prose);
        Ok(assumed)
    };
    let mut assumed = assumed_at(&file.path)?;
    let mut run = assemble(command, &assumed.target, partners);
    if let Config::File(config) = &run.config
        && config.file.path != command.spot.file.path
        && !config.is_preset()
    {
        assumed = assumed_at(std::path::Path::new(&config.file.path))?;
        run = assemble(command, &assumed.target, partners);
    }
    assumed.without_blocks(&mut run);
    if let Some(trainer) = &run.trainer {
        assumed.target.accompany(trainer);
    }
    Ok((run, assumed))
}

/// Whether anything is to be said of a run: of a script of which nothing is known, only accelerate's launcher can tell.
pub(in crate::cli) fn is_followed(run: &Run) -> bool {
    run.launcher == Launcher::Accelerate
        || run.trainer.is_some()
        || run
            .environment
            .keys()
            .any(|name| name.starts_with("ACCELERATE_"))
}

impl Launched {
    fn note_named(&mut self, run: &Run, own: &str) {
        let is_prose = run.command.as_ref().is_some_and(|command| command.is_prose);
        if is_prose {
            return;
        }
        let config = match &run.config {
            Config::File(config) => Some(&config.file),
            _ => None,
        };
        let recipe = run
            .command
            .as_ref()
            .and_then(|command| command.recipe.as_ref());
        let named = config
            .into_iter()
            .chain(recipe)
            .map(|file| file.path.clone());
        let named = named.filter(|path| path != own);
        match run.unknown {
            None => self.judged.extend(named),
            Some(_) => self.doubtful.extend(named),
        }
    }
}

/// The findings of all commands: of those that say the same of the same place the first, which names the others.
pub(in crate::cli) fn merged(launched: impl IntoIterator<Item = Launched>) -> Vec<Finding> {
    let mut findings: Vec<(Finding, Vec<String>)> = Vec::new();
    let mut places = BTreeMap::new();
    for (finding, at) in launched.into_iter().flat_map(|launched| launched.findings) {
        let span = finding.primary.source.as_ref().map(|(_, span)| *span);
        let place = (
            finding.code,
            finding.primary.path.clone(),
            span,
            finding.key.route.clone(),
        );
        let index = *places.entry(place).or_insert(findings.len());
        match findings.get_mut(index) {
            Some((_, others)) => {
                if !others.contains(&at) {
                    others.push(at);
                }
            }
            None => findings.push((finding, vec![at])),
        }
    }
    let named = findings.into_iter().map(|(mut finding, at)| {
        if let [_, others @ ..] = at.as_slice()
            && !others.is_empty()
        {
            let shown = others
                .iter()
                .take(NAMED_BESIDE)
                .cloned()
                .collect::<Vec<_>>()
                .join(", ");
            let more = match others.len().checked_sub(NAMED_BESIDE) {
                Some(more) if more > 0 => format!(" and {more} more"),
                _ => String::new(),
            };
            let command = if others.len() == 1 {
                "command"
            } else {
                "commands"
            };
            finding.notes.push(format!(
                "the same with the launch {command} at {shown}{more}"
            ));
        }
        finding
    });
    named.collect()
}

/// The findings about what a file holds on its own, unless a command names it.
pub(in crate::cli) fn alone(
    file: &FileResult,
    judged: &BTreeSet<String>,
    doubtful: &BTreeSet<String>,
) -> Vec<Finding> {
    let (Some(recognised), Some(assumed)) = (&file.recognised, &file.assumed) else {
        return Vec::new();
    };
    if judged.contains(&recognised.path) {
        return Vec::new();
    }
    let target = &assumed.target;
    let run = match &file.holds {
        Holds::Config(config) => {
            let mut run = assumed.run(config.clone());
            if doubtful.contains(&recognised.path) {
                // How many processes there are says the command that names it.
                run.flags = ["--num_processes", "8"].map(Word::from).into();
            }
            run
        }
        Holds::Recipe(framework, file, document) => {
            assemble_recipe(*framework, file, document, target)
        }
        Holds::DeepSpeed(file, document) => {
            let mut run = Run::assumed(Config::None, target);
            run.deepspeed = Some((Arc::clone(file), Arc::clone(document)));
            run.unknown = Some("nothing launches a DeepSpeed config by itself".to_owned());
            run
        }
        Holds::Nothing | Holds::Launch(_) => return Vec::new(),
    };
    let partners = Partners::of(&recognised.path);
    let mut target = target.clone();
    if let Some(trainer) = &run.trainer {
        target.accompany(trainer);
    }
    rules::judge(&run, &target, assumed.blocks(), &partners)
}
