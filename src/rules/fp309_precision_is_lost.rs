//! FP309: bf16 or fp16 is asked for, and another precision runs.

use crate::resolve::{Verdict, Voice};

use super::{
    Confidence, Example, Finding, Label, Rule, Safety, Severity, Subject, advice, mend,
    precision_that_runs, voices,
};

pub(crate) static RULE: Rule = Rule {
    code: "FP309",
    name: "precision-is-lost",
    severity: Severity::Warning,
    confidence: Confidence::Certain,
    summary: "bf16 or fp16 is asked for, and another precision runs.",
    explanation: "\
The run was followed from the launch to `prepare()`: it starts, raises nothing, and trains in another precision than
`mixed_precision` says. So it is with fp16 on the CPU (no autocast is entered: accelerator.py:Accelerator.__init__), with
fp16 under `distributed_type: XLA` (only bf16 reaches a TPU: utils/launch.py:prepare_tpu), and where a section brings a
`mixed_precision` of its own (commands/launch.py:_validate_launch_command). Seen in accelerate 1.9.0 to 1.15.0.",
    examples: &[
        Example::fails(
            "fp16 on the CPU",
            "distributed_type: 'NO'\nmixed_precision: fp16\nuse_cpu: true\n",
        ),
        Example::fails(
            "a section overrides the top level",
            "distributed_type: DEEPSPEED\nmixed_precision: bf16\nnum_processes: 8\ndeepspeed_config:\n  zero_stage: 2\n  mixed_precision: fp16\n",
        ),
        Example::passes("bf16 on the CPU", "distributed_type: 'NO'\nmixed_precision: bf16\nuse_cpu: true\n"),
    ],
    check,
};

fn check(subject: &Subject<'_>, findings: &mut Vec<Finding>) {
    let last = subject.last();
    if voices::is_decided_elsewhere(last) {
        return;
    }
    let Some(asked) = subject
        .precision()
        .filter(|asked| asked == "bf16" || asked == "fp16")
    else {
        return;
    };
    let on_xla = last
        .decision("distributed_type")
        .is_some_and(|decision| decision.value == "XLA")
        || matches!(last.verdict, Verdict::InitOnly { .. });
    let runs = match precision_that_runs(last) {
        // On a TPU, bf16 comes through XLA_USE_BF16 and `Accelerator()` does not know of it.
        Some(_) if on_xla && asked == "bf16" => return,
        Some(runs) if runs != asked => runs,
        _ => return,
    };
    let Some(place) = subject.top("mixed_precision") else {
        return;
    };
    let message = format!(
        "{asked} is asked for, and {} trains in {runs}, without a message",
        subject.version()
    );
    let mut finding = RULE.finding(message, Label::value(&place, "asked for here"));
    finding.key = subject.key_at(&place.route);
    let decider = last
        .decision("mixed_precision")
        .map(|decision| &decision.origin);
    let cpu = subject.top("use_cpu");
    match (decider.and_then(|origin| origin.place.as_ref()), cpu) {
        (Some(decider), _) if decider.route != place.route => {
            finding.related.push(Label::value(decider, "this decides"));
            if advice::runs_without(subject, &decider.route).is_some_and(|runs| runs == asked) {
                finding.help = Some(format!("remove `{}`", decider.route));
                let fix = mend::remove(subject, &decider.route, Safety::Unsafe);
                finding.fixes.extend(fix);
            }
        }
        (_, Some(cpu)) if asked == "fp16" && !on_xla => {
            finding
                .related
                .push(Label::value(&cpu, "there is no fp16 on the CPU"));
            finding.help = Some("write mixed_precision: bf16".to_owned());
            finding.fixes.extend(mend::precision(subject, "bf16"));
        }
        _ if on_xla => {
            finding.help = Some("write mixed_precision: bf16".to_owned());
            finding.fixes.extend(mend::precision(subject, "bf16"));
        }
        _ => {}
    }
    if decider.is_some_and(|origin| origin.voice == Voice::Default) {
        finding.notes.push("a default decides".to_owned());
    }
    finding.outcome = Some(subject.asked_and_runs(&asked, last));
    findings.push(finding);
}
