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
use std::sync::Arc;

use crate::discover::{Overlay, Problem};
use crate::report::{self, Checked};
use crate::resolve::target::closest;
use crate::suppress::Entry;

use super::arguments::{CheckArguments, Colour};
use super::failure::{Exit, Failure};
use super::output::Output;
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
    let overlay = Arc::new(overlay);
    let plan = Plan::new(arguments, &overlay)?;
    let has_changed = changes
        .as_ref()
        .is_none_or(|changes| !changes.changed().is_empty());
    let (inputs, problems) = match has_changed {
        true => inputs::inputs(arguments, standard_input.as_ref(), &plan, &current),
        false => Default::default(),
    };
    let changes = changes.as_ref();
    let mut came = check(&inputs, &problems, &plan, changes)?;
    let mut is_changed = false;
    if arguments.fix || arguments.diff {
        let fixing = fixing::fixed(
            arguments, inputs, &problems, &overlay, changes, &current, came,
        )?;
        is_changed = !fixing.fixed.is_empty();
        if arguments.diff {
            Output::standard(Colour::Never).write(fixing.patch().as_bytes())?;
        } else {
            fixing.write()?;
            // An editor takes what comes out, changed or not.
            let was = standard_input.as_ref().map(|input| input.bytes.as_slice());
            if let Some(text) = fixing.standard_input().or(was) {
                Output::standard(Colour::Never).write(text)?;
            }
        }
        came = fixing.came;
        came.checked.fixed = fixing.fixed;
        came.checked.fixes_are_written = arguments.fix;
    }
    let mut is_written = true;
    if let Some(reason) = &arguments.add_ignores {
        is_written = adding::add(&came.checked, reason, &plan)?;
        let plan = Plan::new(arguments, &overlay)?;
        let (inputs, problems) = inputs::inputs(arguments, None, &plan, &current);
        came = check(&inputs, &problems, &plan, changes)?;
    }
    if let Some(update) = arguments.update_baseline {
        baseline::update(update, &mut came, &plan)?;
    }
    let Came { checked, read, .. } = came;
    reports::write(&checked, &plan.reports)?;

    let fails = checked.findings.iter().any(|finding| plan.fails(finding))
        || (is_changed && (arguments.diff || arguments.exit_non_zero_on_fix));
    Ok(if !read || !is_written {
        Exit::Failed
    } else if fails && !arguments.exit_zero {
        Exit::Findings
    } else {
        Exit::Clean
    })
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
fn check(
    inputs: &[Input],
    problems: &[Problem],
    plan: &Plan,
    changes: Option<&Changes>,
) -> Result<Came, Failure> {
    plan.progress.expect(3 * inputs.len());
    let files = workers::map(plan.threads, inputs, |input| {
        plan.progress.after(|| file::read(input, &plan.assumptions))
    });
    let files: Vec<_> = files.into_iter().collect::<Result<_, _>>()?;
    let read = files.iter().any(|file| file.read) || (problems.is_empty() && files.is_empty());
    let (mut checked, stale) = gather(files, problems, plan)?;
    if let Some(changes) = changes {
        changes.keep(&mut checked.findings, &checked.files);
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
