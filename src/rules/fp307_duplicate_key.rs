//! FP307: a key that is written twice.

use super::{Confidence, Example, Finding, Label, Rule, Severity, Subject};

pub(crate) static RULE: Rule = Rule {
    code: "FP307",
    name: "duplicate-key",
    severity: Severity::Warning,
    confidence: Confidence::Certain,
    summary: "A key that is written twice: the last value counts, without a message.",
    explanation: "\
PyYAML and Python's json take the last value of a key that is written twice, silently. Whoever changes the first one
changes nothing.",
    examples: &[
        Example::fails(
            "the second one counts",
            "distributed_type: 'NO'\nmixed_precision: fp8\nfp8_config:\n  backend: AO\nmixed_precision: bf16\n",
        ),
        Example::passes("once", "distributed_type: 'NO'\nmixed_precision: bf16\n"),
    ],
    check,
};

fn check(subject: &Subject<'_>, findings: &mut Vec<Finding>) {
    let Some((config, document)) = subject.config() else {
        return;
    };
    for (ordinal, duplicate) in document.duplicate_keys.iter().enumerate() {
        let message = format!(
            "`{}` is written twice; the last value counts",
            duplicate.key
        );
        let mut finding = RULE.finding(
            message,
            Label::at(&config.file, duplicate.first, "does not count"),
        );
        finding
            .related
            .push(Label::at(&config.file, duplicate.last, "counts"));
        // A file may have the same key twice in several places.
        finding.key.value = ordinal.to_string();
        finding.key.route = crate::source::Route::keys([duplicate.key.as_str()]);
        finding.help = Some("remove one of the two".to_owned());
        findings.push(finding);
    }
}
