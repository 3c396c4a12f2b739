//! FP108: the launcher refuses the file for another reason.

use crate::resolve::{Cause, Exception};

use super::{Confidence, Example, Finding, Rule, Severity, Subject, advice};

pub(crate) static RULE: Rule = Rule {
    code: "FP108",
    name: "refused",
    severity: Severity::Error,
    confidence: Confidence::Certain,
    summary: "`accelerate launch` ends with an exception on this file.",
    explanation: "\
The launcher was followed step by step with this file, and one of its steps raises the exception shown. The place named
is the value that leads to it. More common reasons have rules of their own (the other FP1xx).",
    examples: &[
        Example::fails(
            "a number where ids are split",
            "distributed_type: MULTI_GPU\nmixed_precision: bf16\nnum_processes: 2\ngpu_ids: 0\n",
        ),
        Example::fails(
            "no such dynamo backend",
            "distributed_type: 'NO'\nmixed_precision: bf16\ndynamo_config:\n  dynamo_backend: inductr\n",
        ),
        Example::passes("ids as text", "distributed_type: MULTI_GPU\nmixed_precision: bf16\nnum_processes: 2\ngpu_ids: 0,1\n"),
    ],
    check,
};

const CAUSES: [Cause; 8] = [
    Cause::DynamoBackend,
    Cause::GpuIds,
    Cause::LaunchSelection,
    Cause::LaunchValue,
    Cause::FsdpOption,
    Cause::Parallelism,
    Cause::Device,
    Cause::SageMaker,
];

fn check(subject: &Subject<'_>, findings: &mut Vec<Finding>) {
    let outcomes = std::iter::once(&subject.outcome).chain(&subject.behind);
    let at_launch = outcomes.filter_map(|outcome| outcome.launch.as_ref()?.exception.as_ref());
    for exception in at_launch.filter(|exception| CAUSES.contains(&exception.cause)) {
        let Some(origin) = exception.origins.first() else {
            continue;
        };
        let refused = if subject.root().is_some() {
            "file"
        } else {
            "command"
        };
        let message = format!(
            "{} refuses this {refused}: {}",
            subject.version(),
            advice::shown(exception)
        );
        let mut finding = RULE.finding(message, subject.label(origin, ""));
        finding.key = subject.key(origin);
        finding.help = help(exception, &origin.name);
        findings.push(finding);
    }
}

fn help(exception: &Exception, name: &str) -> Option<String> {
    Some(match exception.cause {
        Cause::GpuIds => "write the ids as text with commas: gpu_ids: 0,1 (or gpu_ids: all)".to_owned(),
        Cause::DynamoBackend => "write dynamo_backend: INDUCTOR, or 'NO' in quotes".to_owned(),
        Cause::SageMaker => {
            "no accelerate from 1.10.0 on launches SageMaker configs; start the job with SageMaker's own estimator"
                .to_owned()
        }
        Cause::FsdpOption => {
            "set fsdp_sync_module_states: true, or fsdp_cpu_ram_efficient_loading: false".to_owned()
        }
        _ => format!("correct `{name}`"),
    })
}
