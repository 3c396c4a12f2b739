//! FP107: `num_processes` cannot be used.

use crate::resolve::Cause;
use crate::source::Route;

use super::{Confidence, Example, Finding, Fix, Rule, Safety, Severity, Subject, advice, mend};

pub(crate) static RULE: Rule = Rule {
    code: "FP107",
    name: "num-processes",
    severity: Severity::Error,
    confidence: Confidence::Certain,
    summary: "`num_processes` is missing, -1, or no number of processes.",
    explanation: "\
A config whose `num_processes` is -1 (which is also what a missing key comes to, unless `distributed_type` is 'NO') can
only be launched with `--num_processes` on the command line: ValueError
(accelerate 1.15.0, commands/launch.py:_validate_launch_command). Where that flag is always given, the finding is only
likely, and so a warning. Other values go to torchrun as text: 0 fails an assertion, 8.0 and null are refused
(torch 2.9.1, distributed/run.py:determine_local_world_size).",
    examples: &[
        Example::fails("left to the command line", "distributed_type: MULTI_GPU\nmixed_precision: bf16\nnum_processes: -1\n"),
        Example::fails("a float", "distributed_type: MULTI_GPU\nmixed_precision: bf16\nnum_processes: 8.0\n"),
        Example::passes("a number", "distributed_type: MULTI_GPU\nmixed_precision: bf16\nnum_processes: 8\n"),
        Example::passes("torchrun's own word", "distributed_type: MULTI_GPU\nmixed_precision: bf16\nnum_processes: auto\n"),
    ],
    check,
};

fn check(subject: &Subject<'_>, findings: &mut Vec<Finding>) {
    for exception in subject.caused_by(&[Cause::NumProcesses]) {
        let Some(origin) = exception.origins.first() else {
            continue;
        };
        let by_flag = exception.message.contains("--num_processes");
        let message = match by_flag {
            true => format!(
                "{} refuses this file unless `--num_processes` is given on the command line: {}",
                subject.version(),
                advice::shown(exception)
            ),
            false => format!(
                "{} refuses this file: {}",
                subject.version(),
                advice::shown(exception)
            ),
        };
        let mut finding = RULE.finding(message, subject.label(origin, ""));
        if by_flag {
            finding.severity = Severity::Warning;
            finding.confidence = Confidence::Likely;
        }
        finding.key = subject.key(origin);
        finding.help = Some("write the number of processes: num_processes: 8".to_owned());
        let edits = mend::config(subject)
            .and_then(|editor| editor.put(&Route::keys(["num_processes"]), 8).finish());
        let fix = Fix::of("write num_processes: 8", Safety::DisplayOnly, edits);
        finding.fixes.extend(fix);
        findings.push(finding);
    }
}
