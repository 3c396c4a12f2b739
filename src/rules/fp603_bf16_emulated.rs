//! FP603: bf16 on a GPU without bf16 units.

use super::{
    Confidence, Example, Finding, Label, Rule, Severity, Subject, mend, precision_that_runs,
};

pub(crate) static RULE: Rule = Rule {
    code: "FP603",
    name: "bf16-emulated",
    severity: Severity::Warning,
    confidence: Confidence::Likely,
    summary: "bf16 on a GPU below compute capability 8.0: it runs, emulated.",
    explanation: "\
Only where a GPU is declared (`--target gpu=…` or `capability=…`). Below compute capability 8.0 (Ampere) a GPU has no bf16
units. torch 2.4 and newer still answers that bf16 is supported, since it counts emulation
(torch 2.9.1, cuda/__init__.py:is_bf16_supported), so accelerate goes on without a message, and slower than fp16.",
    examples: &[
        Example::fails("a T4", "distributed_type: 'NO'\nmixed_precision: bf16\n").under(&["gpu=t4"]),
        Example::passes("an A100", "distributed_type: 'NO'\nmixed_precision: bf16\n").under(&["gpu=a100"]),
    ],
    check,
};

/// The lowest capability with bf16 units.
const BF16_CAPABILITY: (u32, u32) = (8, 0);

fn check(subject: &Subject<'_>, findings: &mut Vec<Finding>) {
    let (major, minor) = subject.run.machine.capability;
    let is_emulated = subject.target.declares_gpu() && (major, minor) < BF16_CAPABILITY;
    if !is_emulated || precision_that_runs(subject.last()).as_deref() != Some("bf16") {
        return;
    }
    let Some(place) = subject.top("mixed_precision") else {
        return;
    };
    let message = format!("bf16 is only emulated on compute capability {major}.{minor}");
    let mut finding = RULE.finding(
        message,
        Label::value(&place, "needs compute capability 8.0 or higher"),
    );
    finding.key = subject.key_at(&place.route);
    finding.help = Some("write mixed_precision: fp16, or run on an Ampere or newer GPU".to_owned());
    finding.fixes.extend(mend::precision(subject, "fp16"));
    findings.push(finding);
}
