//! The runs of the files that were read, and what the rules say of them: those that launch commands start, and those
//! that are assumed for what no command names.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::Arc;

use crate::formats::launch::{LaunchCommand, LaunchFile};
use crate::knowledge;
use crate::resolve::assemble::{assemble, assemble_recipe};
use crate::resolve::{self, Bypass, Config, Files, Launcher, Run, Word, deepspeed_configs};
use crate::rules::{self, Finding, Label, Severity};

use super::super::assumptions::{Assumed, Assumptions};
use super::super::failure::Failure;
use super::file::{FileResult, Holds};
use super::partners::{Beside, Partners};

/// How many folders a config's project reaches up: `configs/accelerate/fp8.yaml` belongs to what is beside `configs`.
const PROJECT_HEIGHT: usize = 3;

/// How many commands with the same finding are named beside the first.
const NAMED_BESIDE: usize = 3;

/// What the launch commands of a file come to.
#[derive(Default)]
pub(in crate::cli) struct Launched {
    /// The commands that read an accelerate config, or may read one.
    reads_config: Vec<ReadsConfig>,
    /// The commands that train and read none.
    bypasses: Vec<Bypass>,
    findings: Vec<(Finding, String)>,
    /// The files that a command names and in whose run they are judged.
    judged: BTreeSet<String>,
    /// The configs that a command names of which not everything is known.
    doubtful: BTreeSet<String>,
}

/// A command of accelerate's launcher.
struct ReadsConfig {
    /// The file that holds it.
    path: String,
    /// Whether it is known which config it reads.
    is_known: bool,
}

/// Judges the runs of a launch file. `configs` are the paths of all accelerate configs that are checked.
pub(in crate::cli) fn launched(
    file: &FileResult,
    assumptions: &Assumptions,
    configs: &[String],
) -> Result<Launched, Failure> {
    let mut launched = Launched::default();
    let (Holds::Launch(holds), Some(recognised)) = (&file.holds, &file.recognised) else {
        return Ok(launched);
    };
    for command in &holds.commands {
        let partners = Beside::of_command(
            &recognised.path,
            &command.folder,
            holds,
            configs,
            assumptions,
        );
        let (run, assumed) = run_of(command, holds, file, assumptions, &partners)?;
        launched.note_launcher(&run, &assumed, &partners, &recognised.path);
        if !is_followed(&run) {
            continue;
        }
        let findings = rules::judge(&run, &assumed.target, assumed.blocks(), &partners);
        let line = command.spot.file.line_column(command.spot.span.start).line;
        let at = format!("{}:{line}", recognised.path);
        launched.note_named(&run, &recognised.path, &partners);
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
    let assumed_at = |path: &Path| -> Result<Assumed, Failure> {
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
        assumed = assumed_at(Path::new(&config.file.path))?;
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
    /// Whether a command reads a config: what is said of configs that no command names depends on it.
    fn note_launcher(&mut self, run: &Run, assumed: &Assumed, files: &dyn Files, path: &str) {
        let Some(command) = &run.command else { return };
        if run.launcher == Launcher::Accelerate {
            self.reads_config.push(ReadsConfig {
                path: path.to_owned(),
                is_known: matches!(run.config, Config::File(_)),
            });
            return;
        }
        // Of a Python script of which nothing is known it cannot be told whether it trains.
        let trains = run.launcher != Launcher::Python || run.trainer.is_some();
        if !trains || command.is_prose {
            return;
        }
        let facts =
            knowledge::accelerate(&assumed.target.accelerate.value).map(|known| known.facts);
        let outcome = facts.map(|facts| resolve::resolve(run, facts, files));
        let says =
            run.trainer.is_some() || run.environment.contains_key("ACCELERATE_MIXED_PRECISION");
        self.bypasses.push(Bypass {
            command: command.clone(),
            precision: outcome
                .filter(|_| says)
                .and_then(|outcome| rules::precision_that_runs(&outcome)),
        });
    }

    fn note_named(&mut self, run: &Run, own: &str, files: &dyn Files) {
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
        // What is said of a DeepSpeed config holds whatever else is not known.
        let deepspeed = deepspeed_configs(run, files).into_iter();
        self.judged.extend(
            deepspeed
                .map(|(file, _)| file.path.clone())
                .filter(|path| path != own),
        );
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

/// All launch commands of a check, as far as they say something about the configs around them.
pub(in crate::cli) struct Around {
    judged: BTreeSet<String>,
    doubtful: BTreeSet<String>,
    reads_config: Vec<(String, bool)>,
    bypasses: Vec<Bypass>,
}

impl Around {
    /// Puts together what the files say.
    pub(in crate::cli) fn of(launched: &[Launched]) -> Self {
        let reads_config = launched.iter().flat_map(|launched| &launched.reads_config);
        Self {
            judged: launched
                .iter()
                .flat_map(|launched| launched.judged.clone())
                .collect(),
            doubtful: launched
                .iter()
                .flat_map(|launched| launched.doubtful.clone())
                .collect(),
            reads_config: reads_config
                .map(|reads| (reads.path.clone(), reads.is_known))
                .collect(),
            bypasses: launched
                .iter()
                .flat_map(|launched| launched.bypasses.clone())
                .collect(),
        }
    }

    /// Notes on the assumed run of a config which commands of its project there are: those below the nearest of the
    /// folders above it that has any. Further up than [`PROJECT_HEIGHT`] folders begins somebody else's project.
    fn note_on(&self, run: &mut Run, config: &str) {
        for folder in Path::new(config).ancestors().skip(1).take(PROJECT_HEIGHT) {
            let is_below = |path: &str| Path::new(path).starts_with(folder);
            let reads: Vec<bool> = self
                .reads_config
                .iter()
                .filter(|(path, _)| is_below(path))
                .map(|(_, is_known)| *is_known)
                .collect();
            let bypasses: Vec<Bypass> = self
                .bypasses
                .iter()
                .filter(|bypass| is_below(&bypass.command.place.file.path))
                .cloned()
                .collect();
            if reads.is_empty() && bypasses.is_empty() {
                continue;
            }
            run.is_unused = reads.iter().all(|is_known| *is_known);
            if reads.is_empty() {
                run.bypassed = bypasses;
            }
            return;
        }
    }
}

/// The findings about what a file holds on its own, unless a command names it.
pub(in crate::cli) fn alone(file: &FileResult, around: &Around) -> Vec<Finding> {
    let (Some(recognised), Some(assumed)) = (&file.recognised, &file.assumed) else {
        return Vec::new();
    };
    let path = &recognised.path;
    if around.judged.contains(path) {
        return Vec::new();
    }
    let target = &assumed.target;
    let run = match &file.holds {
        Holds::Config(config) => {
            let mut run = assumed.run(config.clone());
            if around.doubtful.contains(path) {
                // How many processes there are says the command that names it.
                run.flags = ["--num_processes", "8"].map(Word::from).into();
            } else {
                around.note_on(&mut run, path);
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
    let partners = Partners::of(path);
    let mut target = target.clone();
    if let Some(trainer) = &run.trainer {
        target.accompany(trainer);
    }
    rules::judge(&run, &target, assumed.blocks(), &partners)
}

/// Of findings that say the same of the same place, one: the first, with the places of all.
pub(in crate::cli) fn gathered(findings: impl IntoIterator<Item = Finding>) -> Vec<Finding> {
    let mut kept: Vec<Finding> = Vec::new();
    let mut places = BTreeMap::new();
    for finding in findings {
        let span = finding.primary.source.as_ref().map(|(_, span)| *span);
        let place = (
            finding.code,
            finding.primary.path.clone(),
            span,
            finding.key.route.clone(),
        );
        match places.get(&place).and_then(|at: &usize| kept.get_mut(*at)) {
            None => {
                places.insert(place, kept.len());
                kept.push(finding);
            }
            Some(first) => {
                for label in finding.related {
                    let place = |label: &Label| {
                        let span = label.source.as_ref().map(|(_, span)| *span);
                        (label.path.clone(), span)
                    };
                    if first
                        .related
                        .iter()
                        .all(|known| place(known) != place(&label))
                    {
                        first.related.push(label);
                    }
                }
            }
        }
    }
    kept
}
