//! FP206: the run raises after the launch, for another reason.

use crate::knowledge::DeepspeedStatePrecision;
use crate::resolve::{Cause, Exception, Outcome};

use super::{Confidence, Example, Finding, Rule, Severity, Subject, advice, voices};

pub(crate) static RULE: Rule = Rule {
    code: "FP206",
    name: "raises",
    severity: Severity::Error,
    confidence: Confidence::Certain,
    summary: "`Accelerator()` or `accelerator.prepare()` ends with an exception under this file.",
    explanation: "\
The launch succeeds, and then `Accelerator()` or `accelerator.prepare(model, optimizer)` raises the exception shown, in
every process. Both were followed step by step with the environment that the launcher makes of this file. More common
reasons have rules of their own (the other FP2xx).",
    examples: &[
        Example::fails(
            "no such sharding strategy",
            "distributed_type: FSDP\nmixed_precision: bf16\nnum_processes: 8\nfsdp_config:\n  fsdp_sharding_strategy: FULL\n",
        ),
        Example::fails(
            "gradient accumulation is no number",
            "distributed_type: DEEPSPEED\nmixed_precision: bf16\nnum_processes: 8\ndeepspeed_config:\n  gradient_accumulation_steps: auto\n  zero_stage: 2\n",
        ),
        Example::passes(
            "a strategy of torch's",
            "distributed_type: FSDP\nmixed_precision: bf16\nnum_processes: 8\nfsdp_config:\n  fsdp_sharding_strategy: FULL_SHARD\n",
        ),
    ],
    check,
};

fn check(subject: &Subject<'_>, findings: &mut Vec<Finding>) {
    for outcome in std::iter::once(&subject.outcome).chain(&subject.behind) {
        let Some((stage, exception)) = raised(outcome) else {
            continue;
        };
        let lost_to_hardware = outcome.decision("fp8_capability").is_some();
        let is_left_behind = exception.cause == Cause::BackendWithoutFp8
            && exception.origins.first().is_some_and(voices::is_of_trainer);
        if !is_other(exception) || lost_to_hardware || is_left_behind {
            continue;
        }
        // Of a default or a class nobody can tell where it stands.
        let placed = exception
            .origins
            .iter()
            .find(|origin| origin.place.is_some());
        let Some(origin) = placed.or(exception.origins.first()) else {
            continue;
        };
        let message = format!(
            "{} raises in `{stage}`: {}",
            subject.version(),
            advice::shown(exception)
        );
        let mut finding = RULE.finding(message, subject.label(origin, ""));
        finding.key = subject.key(origin);
        let others = exception.origins.iter().skip(1);
        finding
            .related
            .extend(subject.labels(others, "together with this"));
        finding.help = Some(match exception.cause {
            Cause::BackendWithoutFp8 if under_deepspeed(outcome) => {
                format!(
                    "use accelerate {}: before, fp8 is not kept under DeepSpeed",
                    advice::intervals(DeepspeedStatePrecision::KeepsFp8.intervals())
                )
            }
            Cause::AoFsdp2 => format!(
                "write fsdp_version: 1, or use accelerate {}",
                advice::ao_under_fsdp2()
            ),
            Cause::DeepSpeedPrecision => {
                "say the same precision on both sides, or \"auto\" in the DeepSpeed config"
                    .to_owned()
            }
            _ => match advice::trains_in_fp8_from(subject) {
                Some(version) => {
                    format!("use accelerate {version} or newer, which trains this in fp8")
                }
                None => format!("correct `{}`", origin.name),
            },
        });
        if let Some(precision) = subject.precision() {
            finding.outcome = Some(subject.asked_and_runs(&precision, outcome));
        }
        findings.push(finding);
    }
}

/// The exception after the launch, and the call that raises it.
fn raised(outcome: &Outcome) -> Option<(&'static str, &Exception)> {
    let runtime = outcome
        .runtime
        .as_ref()
        .and_then(|runtime| runtime.exception.as_ref());
    let prepare = outcome
        .prepare
        .as_ref()
        .and_then(|prepare| prepare.exception.as_ref());
    runtime
        .map(|exception| ("Accelerator()", exception))
        .or(prepare.map(|exception| ("accelerator.prepare()", exception)))
}

fn under_deepspeed(outcome: &Outcome) -> bool {
    let decided = outcome.decision("distributed_type");
    decided.is_some_and(|decision| decision.value == "DEEPSPEED")
}

fn is_other(exception: &Exception) -> bool {
    matches!(
        exception.cause,
        Cause::LaunchValue
            | Cause::DynamoBackend
            | Cause::FsdpOption
            | Cause::Parallelism
            | Cause::Device
            | Cause::BackendWithoutFp8
            | Cause::AoFsdp2
            | Cause::DeepSpeedConfig
            | Cause::DeepSpeedPrecision
            | Cause::HandlerWithoutFp8
            | Cause::MixedPrecision
            | Cause::Version
    )
}
