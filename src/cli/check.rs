//! `fp8lint check`: discover → read → recognise → resolve → judge → report.

mod adding;
pub(super) mod alone;
mod baseline;
pub(super) mod file;
mod fixing;
mod left_out;
mod merged;
pub(super) mod partners;
pub(super) mod plan;
pub(super) mod runs;
pub(super) mod set_aside;

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::discover::Problem;
use crate::report::{self, Checked};
use crate::resolve::target::closest;
use crate::suppress::Entry;

use super::arguments::{CheckArguments, Colour};
use super::failure::{Exit, Failure};
use super::output::Output;
use super::{notices, workers};

use alone::Around;
use file::FileResult;
pub(super) use file::decode;
use plan::{Input, Plan};
use set_aside::Judged;

/// Checks files and folders.
pub(super) fn run(arguments: &CheckArguments) -> Result<Exit, Failure> {
    let overlay = Arc::default();
    let plan = Plan::new(arguments, &overlay)?;
    let (inputs, problems) = plan::inputs(arguments, &plan)?;
    let mut came = check(&inputs, &problems, &plan)?;
    let mut is_changed = false;
    if arguments.fix || arguments.diff {
        let fixing = fixing::fixed(arguments, inputs, &problems, &overlay, came)?;
        is_changed = !fixing.fixed.is_empty();
        if arguments.diff {
            Output::standard(Colour::Never).write(fixing.patch().as_bytes())?;
        } else if let Some(text) = fixing.write()? {
            Output::standard(Colour::Never).write(text)?;
        }
        came = fixing.came;
        came.checked.fixed = fixing.fixed;
    }
    if let Some(reason) = &arguments.add_ignores {
        adding::add(&came.checked, reason, &plan)?;
        let plan = Plan::new(arguments, &overlay)?;
        let (inputs, problems) = plan::inputs(arguments, &plan)?;
        came = check(&inputs, &problems, &plan)?;
    }
    if let Some(update) = arguments.update_baseline {
        baseline::update(update, &mut came, &plan)?;
    }
    let Came { checked, read, .. } = came;
    write_reports(&checked, &plan)?;

    let fails = checked
        .findings
        .iter()
        .any(|finding| finding.severity >= arguments.fail_on)
        || (is_changed && (arguments.diff || arguments.exit_non_zero_on_fix));
    Ok(if !read {
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
fn check(inputs: &[Input], problems: &[Problem], plan: &Plan) -> Result<Came, Failure> {
    let files = workers::map(plan.threads, inputs, |input| {
        file::read(input, &plan.assumptions)
    });
    let files: Vec<_> = files.into_iter().collect::<Result<_, _>>()?;
    let read = files.iter().any(|file| file.read) || (problems.is_empty() && files.is_empty());
    let (checked, stale) = gather(files, problems, plan)?;
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
        runs::launched(file, &plan.assumptions, &configs)
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
        alone::alone(file, &around, &plan.assumptions)
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
    findings.retain(|finding| plan.selection.holds(finding.code));
    report::sort(&mut findings);
    report::number(&mut findings);
    let aside = judged.set_aside(findings, plan)?;
    let checked = Checked {
        target: plan.assumptions.target.clone(),
        files_read,
        files: recognised,
        findings: aside.left,
        suppressed: aside.suppressed,
        fixed: Vec::new(),
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
