//! The runs that the launch commands of a file start, and what the rules say of them.

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::Arc;

use crate::formats::launch::{LaunchCommand, LaunchFile, Program};
use crate::knowledge;
use crate::resolve::assemble::assemble;
use crate::resolve::{self, Bypass, Config, Files, Launcher, Run, Target, deepspeed_configs};
use crate::rules::{self, Finding, Severity};

use super::super::assumptions::{Assumed, Assumptions};
use super::super::failure::Failure;
use super::file::{FileResult, Holds};
use super::partners::Beside;

/// What the launch commands of a file come to.
#[derive(Default)]
pub(in crate::cli) struct Launched {
    /// The commands that read an accelerate config, or may read one.
    pub(super) reads_config: Vec<ReadsConfig>,
    /// The commands that train and read none.
    pub(super) bypasses: Vec<Arc<Bypass>>,
    pub(super) findings: Vec<(Finding, String)>,
    /// The files that a command names and in whose run they are judged.
    pub(super) judged: BTreeSet<String>,
    /// How many commands start a run that cannot be followed.
    pub(super) not_followed: usize,
    /// What is assumed of the first run of the file.
    pub(super) target: Option<Target>,
    /// The configs that a command names of which not everything is known.
    pub(super) doubtful: BTreeSet<String>,
}

/// A command of accelerate's launcher.
pub(super) struct ReadsConfig {
    /// The file that holds it.
    pub(super) path: String,
    /// Whether it is known which config it reads.
    pub(super) is_known: bool,
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
    let beside = Beside::of(&recognised.path, assumptions);
    for command in &holds.commands {
        let partners = beside.of_command(command, holds, configs);
        let (run, assumed) = run_of(command, holds, file, assumptions, &partners)?;
        launched.note_launcher(&run, &assumed, &partners, &recognised.path);
        // Without a script the launcher only prints its usage.
        let has_script = command.script.is_some() || command.program != Program::AccelerateLaunch;
        if !is_followed(&run) || !has_script {
            continue;
        }
        if run.unknown.is_some() && !command.is_prose {
            launched.not_followed += 1;
        }
        launched
            .target
            .get_or_insert_with(|| assumed.target.clone());
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
        if !trains || command.is_prose || command.own_precision {
            return;
        }
        let facts =
            knowledge::accelerate(&assumed.target.accelerate.value).map(|known| known.facts);
        let outcome = facts.map(|facts| resolve::resolve(run, facts, files));
        let says =
            run.trainer.is_some() || run.environment.contains_key("ACCELERATE_MIXED_PRECISION");
        self.bypasses.push(Arc::new(Bypass {
            command: command.clone(),
            precision: outcome
                .filter(|_| says)
                .and_then(|outcome| rules::precision_that_runs(&outcome)),
        }));
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
