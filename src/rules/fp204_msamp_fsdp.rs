//! FP204: MS-AMP with FSDP or ZeRO-3.

use crate::resolve::Cause;

use super::{Confidence, Example, Finding, Rule, Severity, Subject, advice};

pub(crate) static RULE: Rule = Rule {
    code: "FP204",
    name: "msamp-sharding",
    severity: Severity::Error,
    confidence: Confidence::Certain,
    summary: "MS-AMP does not work with FSDP, nor with ZeRO stage 3.",
    explanation: "\
`Accelerator()` raises NotImplementedError for MS-AMP with FSDP (accelerate 1.0.1 to 1.15.0,
accelerator.py:Accelerator.__init__), and for MS-AMP with ZeRO stage 3 (1.5.2 to 1.15.0,
utils/dataclasses.py:DeepSpeedPlugin.__post_init__). Use TE or AO, or ZeRO stage 0, 1 or 2.",
    examples: &[
        Example::fails(
            "with FSDP",
            "distributed_type: FSDP\nmixed_precision: fp8\nnum_processes: 8\nfsdp_config:\n  fsdp_version: 1\nfp8_config:\n  backend: MSAMP\n",
        ),
        Example::fails(
            "with ZeRO-3",
            "distributed_type: DEEPSPEED\nmixed_precision: fp8\nnum_processes: 8\ndeepspeed_config:\n  zero_stage: 3\nfp8_config:\n  backend: MSAMP\n",
        ),
        Example::passes(
            "with ZeRO-2",
            "distributed_type: DEEPSPEED\nmixed_precision: fp8\nnum_processes: 8\ndeepspeed_config:\n  zero_stage: 2\nfp8_config:\n  backend: MSAMP\n",
        ),
    ],
    check,
};

fn check(subject: &Subject<'_>, findings: &mut Vec<Finding>) {
    for exception in subject.caused_by(&[Cause::MsampFsdp, Cause::MsampZero3]) {
        let Some(origin) = exception.origins.first() else {
            continue;
        };
        let message = format!(
            "{} raises in `Accelerator()`: {}",
            subject.version(),
            advice::shown(exception)
        );
        let (help, label) = match exception.cause {
            Cause::MsampFsdp => (
                "write backend: TE, or use DeepSpeed with ZeRO stage 0, 1 or 2",
                "MS-AMP, under FSDP",
            ),
            _ => (
                "write zero_stage: 2, or backend: TE",
                "ZeRO stage 3, under MS-AMP",
            ),
        };
        let mut finding = RULE.finding(message, subject.label(origin, label));
        finding.key = subject.key(origin);
        finding.help = Some(help.to_owned());
        finding.outcome = Some(subject.asked_and_runs("fp8", &subject.outcome));
        findings.push(finding);
    }
}
