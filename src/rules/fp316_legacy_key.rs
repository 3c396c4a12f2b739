//! FP316: a key of old that is converted, or dropped.

use super::{Confidence, Example, Finding, Label, Rule, Safety, Severity, Subject, mend};

pub(crate) static RULE: Rule = Rule {
    code: "FP316",
    name: "legacy-key",
    severity: Severity::Note,
    confidence: Confidence::Certain,
    summary: "A key of old: `fp16` counts only where `mixed_precision` is not written, `dynamo_backend` replaces `dynamo_config`.",
    explanation: "\
`fp16: true` becomes `mixed_precision: fp16`, but only where the file has no `mixed_precision`; beside one it is dropped
without a message, and the finding is a warning. `dynamo_backend` at the top level replaces the whole `dynamo_config`
(accelerate 1.15.0, commands/config/config_args.py:process_config; so in every version).",
    examples: &[
        Example::fails("dropped beside mixed_precision", "distributed_type: 'NO'\nmixed_precision: bf16\nfp16: true\n"),
        Example::fails("still converted", "distributed_type: 'NO'\nfp16: true\n"),
        Example::passes("the key of today", "distributed_type: 'NO'\nmixed_precision: fp16\n"),
    ],
    check,
};

fn check(subject: &Subject<'_>, findings: &mut Vec<Finding>) {
    if let Some(place) = subject.top("fp16") {
        findings.push(fp16(subject, &place));
    }
    // Beside no `dynamo_config` the old key does what it says.
    let lost = subject.section("dynamo_config").next().is_some();
    if let Some(place) = subject.top("dynamo_backend").filter(|_| lost) {
        let message = format!(
            "`dynamo_config` is dropped in {}: `dynamo_backend` at the top level replaces it",
            subject.version()
        );
        let mut finding = RULE.finding(message, Label::key(&place, "a key of old"));
        finding.severity = Severity::Warning;
        finding.key = subject.key_at(&place.route);
        finding.help = Some("write dynamo_backend in `dynamo_config`".to_owned());
        findings.push(finding);
    }
}

fn fp16(subject: &Subject<'_>, place: &crate::resolve::Place) -> Finding {
    let precision = subject.top("mixed_precision");
    let message = match &precision {
        Some(_) => format!(
            "`fp16` has no effect in {}: `mixed_precision` is written too",
            subject.version()
        ),
        None => format!(
            "`fp16` is a key of old: {} reads it as `mixed_precision`",
            subject.version()
        ),
    };
    let mut finding = RULE.finding(message, Label::key(place, ""));
    finding.key = subject.key_at(&place.route);
    match precision {
        Some(decides) => {
            finding.severity = Severity::Warning;
            finding.related.push(Label::value(&decides, "this decides"));
            finding.help = Some("remove `fp16`".to_owned());
            let fix = mend::remove(subject, &place.route, Safety::Unsafe);
            finding.fixes.extend(fix);
        }
        None => finding.help = Some("write mixed_precision: fp16 (or 'no') instead".to_owned()),
    }
    finding
}
