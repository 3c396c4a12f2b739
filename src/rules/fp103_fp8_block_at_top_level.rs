//! FP103: an `fp8:` block at the top level.

use super::sections::fp8_at_top_level;
use super::{Confidence, Example, Finding, Label, Rule, Severity, Subject, advice, mend};

pub(crate) static RULE: Rule = Rule {
    code: "FP103",
    name: "fp8-block-at-top-level",
    severity: Severity::Error,
    confidence: Confidence::Certain,
    summary: "An `fp8:` block at the top level: refused; accelerate's block is `fp8_config`.",
    explanation: "\
accelerate has no key `fp8`: a file with one is refused as having unknown keys
(accelerate 1.15.0, commands/config/config_args.py:from_yaml_file; so in every version). Its block is `fp8_config`, and
it counts only beside `mixed_precision: fp8`. `backend` takes AO, TE, MSAMP in exactly this spelling; there is no
`auto`: leave `backend` out, and accelerate takes the first of AO, TE, MSAMP that is installed.",
    examples: &[
        Example::fails(
            "a block as it is advised on the web",
            "distributed_type: 'NO'\nmixed_precision: fp16\nfp8:\n  backend: auto\n",
        ),
        Example::passes(
            "the block that accelerate reads",
            "distributed_type: 'NO'\nmixed_precision: fp8\nfp8_config:\n  backend: TE\n",
        ),
    ],
    check,
};

fn check(subject: &Subject<'_>, findings: &mut Vec<Finding>) {
    let Some((entry, place)) = fp8_at_top_level(subject).filter(|(entry, _)| entry.value.is_dict())
    else {
        return;
    };
    let message = format!(
        "{} refuses this file: ValueError, unknown keys ['fp8']",
        subject.version()
    );
    let mut finding = RULE.finding(
        message,
        Label::key(&place, "accelerate's block is `fp8_config`"),
    );
    finding.key.route = place.route;
    let backend = entry
        .value
        .get("backend")
        .and_then(|backend| backend.value.text());
    let meant = backend.and_then(advice::backend_meant);
    if let (Some(backend), None) = (backend, meant) {
        finding.notes.push(format!(
            "`backend: {backend}` is none of AO, TE, MSAMP either"
        ));
    }
    let route = finding.key.route.clone();
    mend::offer_fp8(subject, &mut finding, "", (&route, entry.value), meant);
    finding.outcome = Some(subject.asked_and_runs("fp8", &subject.outcome));
    findings.push(finding);
}
