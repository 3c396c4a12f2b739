//! FP602: the declared GPU cannot do fp8.

use crate::resolve::{Backend, Verdict};

use super::precision_that_runs;
use super::{Confidence, Example, Finding, Label, Rule, Severity, Subject, advice, mend};

pub(crate) static RULE: Rule = Rule {
    code: "FP602",
    name: "gpu-without-fp8",
    severity: Severity::Error,
    confidence: Confidence::Certain,
    summary: "fp8 on a GPU below compute capability 8.9: fp16 instead, or an exception.",
    explanation: "\
Only where a GPU is declared (`--target gpu=…` or `capability=…`). Below compute capability 8.9 (Ada, Hopper),
`Accelerator()` warns and sets the precision to fp16 (accelerate 1.15.0, state.py:AcceleratorState.__init__,
utils/environment.py:check_cuda_fp8_capability). A backend that is named in the config is still prepared, and `prepare()`
raises AttributeError for AO and MSAMP.",
    examples: &[
        Example::fails("an A100", "distributed_type: 'NO'\nmixed_precision: fp8\n").under(&["gpu=a100", "installed=torchao"]),
        Example::passes("an H100", "distributed_type: 'NO'\nmixed_precision: fp8\n").under(&["gpu=h100", "installed=torchao"]),
    ],
    check,
};

fn check(subject: &Subject<'_>, findings: &mut Vec<Finding>) {
    let last = subject.last();
    if !subject.target.declares_gpu() || last.decision("fp8_capability").is_none() {
        return;
    }
    let decided = last
        .decision("mixed_precision")
        .and_then(|decision| decision.origin.place.clone());
    let Some(place) = decided.or_else(|| subject.top("mixed_precision")) else {
        return;
    };
    let (major, minor) = subject.run.machine.capability;
    let consequence = match (last.exception(), precision_that_runs(last)) {
        (Some(exception), _) => format!("raises {}", advice::shown(exception)),
        (None, Some(runs)) if runs != "fp8" => format!("trains in {runs}, with a warning only"),
        _ if last.verdict == Verdict::Fp8(Backend::Ao) => {
            "goes on, and torchao's kernels refuse".to_owned()
        }
        _ => "goes on, and Transformer Engine itself refuses".to_owned(),
    };
    let message = format!(
        "{} cannot do fp8 on compute capability {major}.{minor} and {consequence}",
        subject.version()
    );
    let mut finding = RULE.finding(
        message,
        Label::value(&place, "needs compute capability 8.9 or higher"),
    );
    finding.key = subject.key_at(&place.route);
    finding.help =
        Some("write mixed_precision: bf16, or run on an Ada, Hopper or newer GPU".to_owned());
    let mut outcome = subject.asked_and_runs("fp8", last);
    // The oracle's Transformer Engine is a stand-in that does not ask for the capability; the real one does.
    if outcome.runs == "fp8" {
        outcome.runs = match last.verdict {
            Verdict::Fp8(Backend::Ao) => "raises in torchao".to_owned(),
            _ => "raises in Transformer Engine".to_owned(),
        };
    }
    finding.outcome = Some(outcome);
    finding.fixes.extend(mend::precision(subject, "bf16"));
    findings.push(finding);
}
