//! `fp8lint check`: discover → read → recognise → resolve → judge → report.

mod adding;
pub(super) mod alone;
mod baseline;
mod changes;
pub(super) mod file;
mod fixing;
pub(super) mod inputs;
mod left_out;
mod merged;
pub(super) mod partners;
pub(super) mod plan;
mod reports;
pub(super) mod runs;
mod selected;
pub(super) mod set_aside;

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;

use crate::discover::{Changed, Overlay, Problem};
use crate::report::{self, Checked};
use crate::resolve::target::closest;
use crate::suppress::Entry;

use super::arguments::CheckArguments;
use super::failure::{Exit, Failure};
use super::{notices, workers};

use alone::Around;
use changes::Changes;
use file::FileResult;
pub(super) use file::decode;
use inputs::{Input, StandardInput};
use plan::Plan;
use set_aside::Judged;

/// Checks files and folders.
pub(super) fn run(arguments: &CheckArguments) -> Result<Exit, Failure> {
    let (mut scene, inputs) = Scene::of(arguments)?;
    let mut came = check(&scene, &inputs, &scene.plan)?;
    if arguments.fix || arguments.diff {
        came = fixing::apply(&scene, inputs, came)?;
    }
    let mut is_written = true;
    if let Some(reason) = &arguments.add_ignores {
        is_written = adding::add(&came.checked, reason, &scene.plan)?;
        let inputs;
        (scene, inputs) = Scene::of(arguments)?;
        came = check(&scene, &inputs, &scene.plan)?;
    }
    if let Some(update) = arguments.update_baseline {
        baseline::update(update, &mut came, &scene.plan)?;
    }
    reports::write(&came.checked, &scene.plan.reports)?;
    Ok(match is_written {
        true => scene.exit(&came),
        false => Exit::Failed,
    })
}

/// What a check is given, read once.
struct Scene<'a> {
    arguments: &'a CheckArguments,
    current: PathBuf,
    changes: Option<Changes>,
    /// What lies over the disk: what is staged, and standard input.
    overlay: Overlay,
    standard_input: Option<StandardInput>,
    plan: Plan,
    problems: Vec<Problem>,
}

impl<'a> Scene<'a> {
    fn of(arguments: &'a CheckArguments) -> Result<(Self, Vec<Input>), Failure> {
        let current = plan::current_folder()?;
        let changes = Changes::of(arguments, &current)?;
        let mut overlay = match &changes {
            Some(changes) if arguments.staged => changes.staged_contents()?,
            _ => Overlay::default(),
        };
        let standard_input = StandardInput::of(arguments, &current)?;
        if let Some(input) = &standard_input {
            input.lay_over(&mut overlay);
        }
        let plan = Plan::new(arguments, &Arc::new(overlay.clone()))?;
        let mut scene = Self {
            arguments,
            current,
            changes,
            overlay,
            standard_input,
            plan,
            problems: Vec::new(),
        };
        let (inputs, problems) = scene.inputs(&scene.plan);
        scene.problems = problems;
        Ok((scene, inputs))
    }

    /// What is to be checked; nothing, where only what has changed counts and nothing has.
    fn inputs(&self, plan: &Plan) -> (Vec<Input>, Vec<Problem>) {
        let changed = self.changes.as_ref().map(Changes::changed);
        match changed.is_some_and(Changed::is_empty) {
            true => Default::default(),
            false => {
                let standard_input = self.standard_input.as_ref();
                inputs::inputs(self.arguments, standard_input, plan, &self.current)
            }
        }
    }

    fn exit(&self, came: &Came) -> Exit {
        let arguments = self.arguments;
        let fixed = !came.checked.fixed.is_empty();
        let mut findings = came.checked.findings.iter();
        let fails = findings.any(|finding| self.plan.fails(finding))
            || (fixed && (arguments.diff || arguments.exit_non_zero_on_fix));
        match (came.read, fails && !arguments.exit_zero) {
            (false, _) => Exit::Failed,
            (true, true) => Exit::Findings,
            (true, false) => Exit::Clean,
        }
    }
}

/// What a check came to.
struct Came {
    checked: Checked,
    /// Whether anything could be read, or there was nothing to read.
    read: bool,
    /// The entries of the baseline that match nothing any more.
    stale: Vec<Entry>,
}

/// Checks these inputs once.
fn check(scene: &Scene<'_>, inputs: &[Input], plan: &Plan) -> Result<Came, Failure> {
    plan.progress.expect(3 * inputs.len());
    let files = workers::map(plan.threads, inputs, |input| {
        plan.progress.after(|| file::read(input, &plan.assumptions))
    });
    let files: Vec<_> = files.into_iter().collect::<Result<_, _>>()?;
    let read =
        files.iter().any(|file| file.read) || (scene.problems.is_empty() && files.is_empty());
    let (mut checked, stale) = gather(files, &scene.problems, plan)?;
    if let Some(changes) = &scene.changes {
        let overlay = &plan.assumptions.overlay;
        changes.keep(&mut checked.findings, &checked.files, overlay);
        checked.scope = Some(changes.scope.clone());
    }
    plan.progress.clear();
    Ok(Came {
        checked,
        read,
        stale,
    })
}

/// Runs → findings of all files: selected, sorted.
fn gather(
    files: Vec<FileResult>,
    problems: &[Problem],
    plan: &Plan,
) -> Result<(Checked, Vec<Entry>), Failure> {
    let configs: Vec<String> = files.iter().filter_map(FileResult::config).collect();
    let launched = workers::map(plan.threads, &files, |file| {
        plan.progress
            .after(|| runs::launched(file, &plan.assumptions, &configs))
    });
    let launched: Vec<_> = launched.into_iter().collect::<Result<_, _>>()?;
    let not_followed = launched.iter().map(|launched| launched.not_followed).sum();
    let mut targets: Vec<_> = launched
        .iter()
        .map(|launched| launched.target.clone())
        .collect();
    let around = Around::of(&launched);
    let judged = Judged::of(&files, &launched, &plan.paths);
    let alone = workers::map(plan.threads, &files, |file| {
        plan.progress
            .after(|| alone::alone(file, &around, &plan.assumptions))
    });
    let mut findings: Vec<_> = problems
        .iter()
        .map(|problem| notices::unreadable(&problem.shown, &problem.reason, meant(&problem.shown)))
        .collect();
    findings.extend(merged::merged(launched));
    findings.extend(merged::gathered(alone.into_iter().flatten()));

    let files_read = files.iter().filter(|file| file.read).count();
    let mut recognised = Vec::new();
    let mut unknown_pins = BTreeMap::new();
    let mut several_pins = BTreeMap::new();
    for (file, target) in files.into_iter().zip(&mut targets) {
        recognised.extend(file.recognised.map(|mut recognised| {
            // What the commands of a file install counts for it.
            if let Some(target) = target.take() {
                recognised.target = target;
            }
            recognised
        }));
        findings.extend(file.findings);
        let Some(assumed) = file.assumed else {
            continue;
        };
        if let Some(found) = assumed.unknown_pin {
            unknown_pins.insert((found.file.path.clone(), found.line), found);
        }
        for several in assumed.several_pins {
            several_pins.insert(several.key(), several);
        }
    }
    // One finding for a pin, however many configs lie below it.
    findings.extend(unknown_pins.values().map(notices::unknown_pin));
    findings.extend(several_pins.values().map(notices::several_pins));
    let mut findings = plan.selected(findings)?;
    report::sort(&mut findings);
    report::number(&mut findings);
    let aside = judged.set_aside(findings, plan)?;
    let checked = Checked {
        target: plan.assumptions.target.clone(),
        files_read,
        files: recognised,
        findings: aside.left,
        suppressed: aside.suppressed,
        scope: None,
        fixed: Vec::new(),
        fixes_are_written: false,
        paths: plan.paths.clone(),
        not_followed,
    };
    Ok((checked, aside.stale))
}

/// A path that is missing may be a command that was misspelled.
fn meant(path: &str) -> Option<String> {
    use clap::CommandFactory;
    let command = super::arguments::Arguments::command();
    let names: Vec<_> = command
        .get_subcommands()
        .map(|command| command.get_name().to_owned())
        .collect();
    closest(path, names.iter().map(String::as_str)).map(|name| {
        format!("the command is `fp8lint {name}`, if that was meant; options come behind it")
    })
}
