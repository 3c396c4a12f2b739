//! FP315: `downcast_bf16` in a file is never read.

use crate::resolve::parse_bool;
use crate::source::Object;

use super::{Confidence, Example, Finding, Label, Rule, Safety, Severity, Subject, mend};

pub(crate) static RULE: Rule = Rule {
    code: "FP315",
    name: "downcast-bf16",
    severity: Severity::Warning,
    confidence: Confidence::Certain,
    summary: "`downcast_bf16` in a config file is never read; only the flag works.",
    explanation: "\
A scalar of the file is copied only where the launch namespace still has None, and the flag `--downcast_bf16` has False
there (every version to 1.15.0, commands/launch.py:_validate_launch_command). So the file's value never counts: on a TPU
bf16 stays XLA_USE_BF16, and without a TPU the setting means nothing anyway.",
    examples: &[
        Example::fails("switched on in the file", "distributed_type: 'NO'\nmixed_precision: bf16\ndowncast_bf16: true\n"),
        Example::passes("as the wizard writes it", "distributed_type: 'NO'\nmixed_precision: bf16\ndowncast_bf16: 'no'\n"),
    ],
    check,
};

fn check(subject: &Subject<'_>, findings: &mut Vec<Finding>) {
    let Some(entry) = subject.root().and_then(|root| root.get("downcast_bf16")) else {
        return;
    };
    let asks = match entry.value.scalar() {
        Some(Object::Bool(asks)) => *asks,
        Some(Object::Str(text)) => parse_bool(text) == Some(true),
        _ => false,
    };
    let Some(place) = subject.top("downcast_bf16").filter(|_| asks) else {
        return;
    };
    let message = format!(
        "`downcast_bf16` in a file is never read in {}",
        subject.version()
    );
    let mut finding = RULE.finding(message, Label::key(&place, "never read"));
    finding.key = subject.key_at(&place.route);
    finding.help =
        Some("give the flag --downcast_bf16 to `accelerate launch`, and remove the key".to_owned());
    let fix = mend::remove(subject, &finding.key.route, Safety::Unsafe);
    finding.fixes.extend(fix);
    findings.push(finding);
}
