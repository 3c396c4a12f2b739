//! FP102: `fp8: true` at the top level.

use super::sections::fp8_at_top_level;
use super::{Confidence, Example, Finding, Label, Rule, Safety, Severity, Subject, mend};

pub(crate) static RULE: Rule = Rule {
    code: "FP102",
    name: "bare-fp8",
    severity: Severity::Error,
    confidence: Confidence::Certain,
    summary: "`fp8: true` at the top level: refused, and no backend is ever said.",
    explanation: "\
accelerate has no key `fp8`: a file with one is refused as having unknown keys
(accelerate 1.15.0, commands/config/config_args.py:from_yaml_file; so in every version). What turns fp8 on is
`mixed_precision: fp8`; which library does it is `fp8_config.backend`: AO (torchao), TE (Transformer Engine) or MSAMP.",
    examples: &[
        Example::fails("fp8 as a switch", "distributed_type: 'NO'\nmixed_precision: fp16\nfp8: true\n"),
        Example::passes(
            "fp8 with its backend",
            "distributed_type: 'NO'\nmixed_precision: fp8\nfp8_config:\n  backend: AO\n",
        ),
    ],
    check,
};

fn check(subject: &Subject<'_>, findings: &mut Vec<Finding>) {
    let Some((entry, place)) =
        fp8_at_top_level(subject).filter(|(entry, _)| !entry.value.is_dict())
    else {
        return;
    };
    let message = format!(
        "{} refuses this file: ValueError, unknown keys ['fp8']; and `fp8` alone names no backend",
        subject.version()
    );
    let mut finding = RULE.finding(
        message,
        Label::key(&place, "nothing in accelerate reads `fp8`"),
    );
    finding.key = subject.key_at(&place.route);
    let asks = entry.value.scalar().is_none_or(|value| value.truthy());
    let route = finding.key.route.clone();
    if asks {
        let stray = (&route, entry.value);
        mend::offer_fp8(subject, &mut finding, "remove `fp8` and ", stray, None);
        finding.outcome = Some(subject.asked_and_runs("fp8", &subject.outcome));
    } else {
        finding.help = Some("remove `fp8`: without the key there is none either".to_owned());
        finding
            .fixes
            .extend(mend::remove(subject, &route, Safety::Safe));
    }
    findings.push(finding);
}
