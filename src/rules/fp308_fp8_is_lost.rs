//! FP308: fp8 is asked for, and another precision runs.

use crate::resolve::{Cause, LauncherKind, Place, Verdict, Voice};

use super::advice;
use super::precision_that_runs;
use super::voices;
use super::{
    AskedAndRuns, Confidence, Example, Finding, Label, Rule, Safety, Severity, Subject, mend,
};

pub(crate) static RULE: Rule = Rule {
    code: "FP308",
    name: "fp8-is-lost",
    severity: Severity::Error,
    confidence: Confidence::Certain,
    summary: "fp8 is asked for, and another precision runs.",
    explanation: "\
The run was followed from the launch to `prepare()`: it starts, raises nothing, and does not train in fp8. So it is with
`distributed_type: XLA` (the precision never reaches the script: utils/launch.py:prepare_tpu), with MEGATRON_LM (nothing
tells Megatron-LM of fp8), with a section whose `mixed_precision` overrides the top level
(commands/launch.py:_validate_launch_command), under DeepSpeed without a backend up to accelerate 1.10.1
(state.py:AcceleratorState), and in older releases with much else that the newest one trains in fp8. Transformer Engine
under FSDP2 has a rule of its own, te-fsdp2.",
    examples: &[
        Example::fails(
            "a section overrides the top level",
            "distributed_type: DEEPSPEED\nmixed_precision: fp8\nnum_processes: 8\ndeepspeed_config:\n  zero_stage: 2\n  mixed_precision: bf16\nfp8_config:\n  backend: TE\n",
        ),
        Example::fails(
            "the precision never reaches a TPU",
            "distributed_type: XLA\nmixed_precision: fp8\nnum_processes: 8\nfp8_config:\n  backend: AO\n",
        ),
        Example::passes(
            "nothing overrides it",
            "distributed_type: DEEPSPEED\nmixed_precision: fp8\nnum_processes: 8\ndeepspeed_config:\n  zero_stage: 2\nfp8_config:\n  backend: TE\n",
        ),
    ],
    check,
};

/// What is never the reason.
const TRAINS_IN_FP8: [&str; 4] = ["NO", "'NO'", "MULTI_GPU", "FSDP"];

fn check(subject: &Subject<'_>, findings: &mut Vec<Finding>) {
    let last = subject.last();
    let is_refused = subject.caused_by(&[Cause::MixedPrecision]).next().is_some();
    let by_trainer = voices::decided(last).is_some_and(|(value, origin)| {
        value != "fp8" && (voices::is_of_trainer(origin) || origin.voice == Voice::Flag)
    });
    if is_refused || by_trainer {
        return;
    }
    let is_other_rule = matches!(
        &last.verdict,
        Verdict::NoFp8 {
            te_layers: true,
            ..
        }
    ) || last.decision("fp8_capability").is_some();
    let asked = asked(subject);
    let (Some(place), false) = (asked, is_other_rule) else {
        return;
    };
    let on_megatron = last
        .decision("distributed_type")
        .is_some_and(|decision| decision.value == "MEGATRON_LM");
    let launcher = last.launch.as_ref().and_then(|launch| launch.launcher);
    let (runs, why) = match (&last.verdict, precision_that_runs(last)) {
        (Verdict::InitOnly { .. }, _) if on_megatron => (
            "what Megatron-LM is set to".to_owned(),
            "nothing tells Megatron-LM of fp8",
        ),
        (Verdict::InitOnly { .. }, Some(runs)) if runs != "fp8" => (
            runs,
            "a TPU launch does not hand the precision to the script",
        ),
        (Verdict::LaunchOnly, _) if launcher == Some(LauncherKind::TpuPod) => (
            "no mixed precision (fp32)".to_owned(),
            "the launch on the pod is told `--mixed_precision no`",
        ),
        (Verdict::NoFp8 { .. }, Some(runs)) => (runs, "fp8 is not what decides in the end"),
        _ => return,
    };
    let message = format!(
        "fp8 is asked for, and {} trains in {runs}, without a message: {why}",
        subject.version()
    );
    let mut finding = RULE.finding(message, Label::value(&place, "asked for here"));
    finding.key = subject.key_at(&place.route);
    let decider = last
        .decision("mixed_precision")
        .and_then(|decision| decision.origin.place.clone());
    let decider = decider.filter(|decider| decider.route != place.route);
    if let Some(decider) = &decider {
        finding.related.push(Label::value(decider, "this decides"));
    }
    let gives_way = |decider: &Place| {
        advice::runs_without(subject, &decider.route).is_some_and(|runs| runs == "fp8")
    };
    if let Some(decider) = decider.filter(gives_way) {
        finding.help = Some(format!("remove `{}`", decider.route));
        let fix = mend::remove(subject, &decider.route, Safety::Unsafe);
        finding.fixes.extend(fix);
    } else if let Some(version) = advice::trains_in_fp8_from(subject) {
        finding.help = Some(format!(
            "use accelerate {version} or newer, which trains this in fp8"
        ));
    } else if let Some(distributed_type) = subject.top("distributed_type")
        && !TRAINS_IN_FP8.contains(&distributed_type.file.slice(distributed_type.value))
    {
        finding
            .related
            .push(Label::value(&distributed_type, "not in fp8 with this"));
        finding.help = Some(
            "use a distributed_type that accelerate trains in fp8, such as FSDP or MULTI_GPU"
                .to_owned(),
        );
    }
    finding.outcome = Some(AskedAndRuns {
        asked: "fp8".to_owned(),
        runs,
    });
    findings.push(finding);
}

/// Where fp8 is asked for: in the config, or else by a flag or a variable of the launch.
fn asked(subject: &Subject<'_>) -> Option<Place> {
    if subject.asks_for_fp8() {
        return subject.top("mixed_precision");
    }
    let launched = voices::launched(subject, subject.last())?;
    let is_fp8 = launched.value == "fp8" && !voices::is_of_trainer(&launched.origin);
    launched.origin.place.filter(|_| is_fp8)
}
