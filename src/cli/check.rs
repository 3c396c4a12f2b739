//! `fp8lint check`: discover → read → recognise → resolve → judge → report.

mod file;
pub(super) mod partners;
pub(super) mod plan;

use std::collections::BTreeMap;

use crate::discover::Problem;
use crate::report::{self, Checked};
use crate::resolve::target::closest;

use super::arguments::CheckArguments;
use super::failure::{Exit, Failure};
use super::{notices, workers};

use file::FileResult;
pub(super) use file::decode;
use plan::Plan;

/// Checks files and folders.
pub(super) fn run(arguments: &CheckArguments) -> Result<Exit, Failure> {
    let plan = Plan::new(arguments)?;
    let (inputs, problems) = plan::inputs(arguments, &plan)?;
    let results = workers::map(plan.threads, &inputs, |input| {
        file::check(input, &plan.assumptions)
    });
    let results: Vec<_> = results.into_iter().collect::<Result<_, _>>()?;
    let read = results.iter().filter(|result| result.read).count();
    let nothing_read = read == 0 && !(problems.is_empty() && results.is_empty());
    let checked = gather(results, &problems, &plan);
    write_reports(&checked, &plan)?;

    let fails = checked
        .findings
        .iter()
        .any(|finding| finding.severity >= arguments.fail_on);
    Ok(if nothing_read {
        Exit::Failed
    } else if fails && !arguments.exit_zero {
        Exit::Findings
    } else {
        Exit::Clean
    })
}

/// All results together: selected, sorted.
fn gather(results: Vec<FileResult>, problems: &[Problem], plan: &Plan) -> Checked {
    let files_read = results.iter().filter(|result| result.read).count();
    let mut files = Vec::new();
    let mut findings: Vec<_> = problems
        .iter()
        .map(|problem| notices::unreadable(&problem.shown, &problem.reason, meant(&problem.shown)))
        .collect();
    let mut unknown_pins = BTreeMap::new();
    let mut several_pins = BTreeMap::new();
    for result in results {
        files.extend(result.recognised);
        findings.extend(result.findings);
        if let Some(found) = result.unknown_pin {
            unknown_pins.insert((found.file.path.clone(), found.line), found);
        }
        for several in result.several_pins {
            several_pins.insert(several.key(), several);
        }
    }
    // One finding for a pin, however many configs lie below it.
    findings.extend(unknown_pins.values().map(notices::unknown_pin));
    findings.extend(several_pins.values().map(notices::several_pins));
    findings.retain(|finding| plan.selection.holds(finding.code));
    report::sort(&mut findings);
    Checked {
        target: plan.assumptions.target.clone(),
        files_read,
        files,
        findings,
    }
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
