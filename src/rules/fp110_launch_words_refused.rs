//! FP110: the launcher refuses its own words.

use crate::resolve::Cause;
use crate::resolve::target::{closest, is_slip};
use crate::source::Edit;

use super::{Confidence, Example, Finding, Fix, Rule, Safety, Severity, Subject, advice, voices};

pub(crate) static RULE: Rule = Rule {
    code: "FP110",
    name: "launch-words-refused",
    severity: Severity::Error,
    confidence: Confidence::Certain,
    summary: "`accelerate launch` does not know a flag, or does not take its value.",
    explanation: "\
The words before the script are read by argparse (accelerate, commands/launch.py:launch_command_parser): a flag that this
version does not have, a value that is none of the choices, a number that is none, and the command ends with its usage
text. Words after the script are the script's own.",
    examples: &[
        Example::fails(
            "no such choice before 1.13",
            "accelerate launch --num_processes 1 --mixed_precision fp8 --fp8_backend ao train.py\n",
        )
        .named("train.sh")
        .under(&["accelerate=1.12.0"]),
        Example::fails("no such flag", "accelerate launch --num_procs 8 train.py\n").named("train.sh"),
        Example::passes(
            "the script's own flag",
            "accelerate launch --num_processes 8 train.py --num_procs 8\n",
        )
        .named("train.sh"),
    ],
    check,
};

fn check(subject: &Subject<'_>, findings: &mut Vec<Finding>) {
    // In prose, a word such as `{NUM_GPUS}` stands for another one.
    let Some(command) = subject
        .run
        .command
        .as_ref()
        .filter(|command| !command.is_prose)
    else {
        return;
    };
    for exception in subject.caused_by(&[Cause::LaunchFlag]) {
        let Some(origin) = exception.origins.first() else {
            continue;
        };
        let message = format!(
            "{} refuses the command: {}",
            subject.version(),
            advice::shown(exception)
        );
        let mut finding = RULE.finding(message, subject.label(origin, ""));
        finding.key = subject.key(origin);
        finding.key.route.clone_from(&command.place.route);
        finding.related = voices::command(subject).into_iter().collect();
        let known = subject
            .facts
            .flags
            .iter()
            .flat_map(|flag| flag.options.iter().map(String::as_str));
        let meant = closest(&origin.name, known).filter(|meant| *meant != origin.name);
        finding.help = Some(match meant {
            Some(meant) => format!("write {meant}, if that is meant"),
            None => format!(
                "correct `{}`, or use a version of accelerate that takes it",
                origin.name
            ),
        });
        if let (Some(meant), Some(place)) = (meant, &origin.place)
            && exception.message.contains("unrecognized arguments")
            && place.file.slice(place.value) == origin.name
            && is_slip(&origin.name, meant)
        {
            let edits = Edit::word(&place.file, place.value, meant).map(|edit| vec![edit]);
            finding
                .fixes
                .extend(Fix::of(format!("write {meant}"), Safety::Safe, edits));
        }
        findings.push(finding);
    }
}
