//! FP302: an fp8 block in a section, where nothing reads it.

use super::sections::stray_settings;
use super::{Confidence, Example, Finding, Rule, Severity, Subject, advice, mend};

pub(crate) static RULE: Rule = Rule {
    code: "FP302",
    name: "fp8-block-in-section",
    severity: Severity::Error,
    confidence: Confidence::Certain,
    summary: "An fp8 block in a section: nothing reads it, and the run is what `mixed_precision` says.",
    explanation: "\
Only the top-level `fp8_config` is read, and only beside `mixed_precision: fp8`. A block such as `fsdp_config.fp8` is
copied to an attribute that nothing reads (accelerate 1.15.0, commands/launch.py:_validate_launch_command), without a
message: an fp8 run that is fp16 or bf16.",
    examples: &[
        Example::fails(
            "as it is advised on the web",
            "distributed_type: FSDP\nmixed_precision: fp16\nnum_processes: 1\nfsdp_config:\n  fp8:\n    backend: auto\n",
        ),
        Example::fails(
            "fp8_config, one level too deep",
            "distributed_type: DEEPSPEED\nmixed_precision: bf16\nnum_processes: 8\ndeepspeed_config:\n  zero_stage: 2\n  fp8_config:\n    backend: TE\n",
        ),
        Example::passes(
            "fp8_config at the top level",
            "distributed_type: DEEPSPEED\nmixed_precision: fp8\nnum_processes: 8\ndeepspeed_config:\n  zero_stage: 2\nfp8_config:\n  backend: TE\n",
        ),
    ],
    check,
};

fn check(subject: &Subject<'_>, findings: &mut Vec<Finding>) {
    for stray in stray_settings(subject).filter(|stray| stray.entry.value.is_dict()) {
        let mut finding = stray.finding(subject, &RULE, true);
        let backend = stray
            .entry
            .value
            .get("backend")
            .and_then(|backend| backend.value.text());
        let meant = backend.and_then(advice::backend_meant);
        if let (Some(backend), None) = (backend, meant) {
            finding.notes.push(format!(
                "`backend: {backend}` is none of AO, TE, MSAMP either"
            ));
        }
        let lead = format!("remove `{}` and ", stray.route);
        let place = (&stray.route, stray.entry.value);
        mend::offer_fp8(subject, &mut finding, &lead, place, meant);
        findings.push(finding);
    }
}
