//! FP301: `fp8: true` in a section, where nothing reads it.

use super::sections::{StraySetting, stray_settings};
use super::{Confidence, Example, Finding, Rule, Safety, Severity, Subject, advice, mend};

pub(crate) static RULE: Rule = Rule {
    code: "FP301",
    name: "bare-fp8-in-section",
    severity: Severity::Error,
    confidence: Confidence::Certain,
    summary: "`fp8: true` in a section: nothing reads it, and no backend is ever said.",
    explanation: "\
The launcher copies `fsdp_config.fp8` to an attribute `fsdp_fp8`, and that of the other sections to `fp8`, and nothing
reads either (accelerate 1.15.0, commands/launch.py:_validate_launch_command). There is no message: the run trains in what
`mixed_precision` says. What turns fp8 on is `mixed_precision: fp8` at the top level; which library does it is
`fp8_config.backend`.",
    examples: &[
        Example::fails(
            "a switch under fsdp_config",
            "distributed_type: FSDP\nmixed_precision: fp16\nnum_processes: 1\nfsdp_config:\n  fp8: true\n",
        ),
        Example::passes(
            "fp8 where accelerate reads it",
            "distributed_type: FSDP\nmixed_precision: fp8\nnum_processes: 1\nfsdp_config:\n  fsdp_cpu_ram_efficient_loading: false\nfp8_config:\n  backend: AO\n",
        ),
    ],
    check,
};

fn check(subject: &Subject<'_>, findings: &mut Vec<Finding>) {
    for stray in stray_settings(subject).filter(|stray| !stray.entry.value.is_dict()) {
        findings.push(finding(subject, &stray));
    }
}

fn finding(subject: &Subject<'_>, stray: &StraySetting<'_>) -> Finding {
    let asks = stray
        .entry
        .value
        .scalar()
        .is_none_or(|value| value.truthy());
    let mut finding = stray.finding(subject, &RULE, asks);
    let written = stray.entry.value.text();
    if stray.key == "fp8" {
        finding
            .notes
            .push("a bare `fp8` names no backend either".to_owned());
    }
    let meant = written.and_then(advice::backend_meant);
    let lead = format!("remove `{}` and ", stray.route);
    if asks {
        let place = (&stray.route, stray.entry.value);
        mend::offer_fp8(subject, &mut finding, &lead, place, meant);
    } else {
        // It says what runs anyway.
        finding.help = Some(format!("remove `{}`", stray.route));
        let fix = mend::remove(subject, &stray.route, Safety::Safe);
        finding.fixes.extend(fix);
    }
    finding
}
