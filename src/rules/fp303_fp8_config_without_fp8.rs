//! FP303: `fp8_config` beside another precision.

use crate::resolve::Cause;

use super::precision_that_runs;
use super::{Confidence, Example, Finding, Label, Rule, Severity, Subject, mend};

pub(crate) static RULE: Rule = Rule {
    code: "FP303",
    name: "fp8-config-without-fp8",
    severity: Severity::Warning,
    confidence: Confidence::Certain,
    summary: "`fp8_config` without `mixed_precision: fp8`: nothing of it reaches the run.",
    explanation: "\
The launcher exports the recipe only where `mixed_precision` is fp8 (accelerate 1.5.0 to 1.15.0,
utils/launch.py:prepare_simple_launcher_cmd_env, prepare_multi_gpu_env, prepare_deepspeed_cmd_env). Beside any other
precision, or none, `fp8_config` is dropped without a message. Where the config names no precision at all, `fp8_config` is
all that asks for one, and the finding is an error.",
    examples: &[
        Example::fails("beside bf16", "distributed_type: 'NO'\nmixed_precision: bf16\nfp8_config:\n  backend: AO\n"),
        Example::fails("beside nothing", "distributed_type: 'NO'\nfp8_config:\n  backend: AO\n"),
        Example::passes("beside fp8", "distributed_type: 'NO'\nmixed_precision: fp8\nfp8_config:\n  backend: AO\n"),
        Example::passes("an empty section asks for nothing", "distributed_type: 'NO'\nmixed_precision: bf16\nfp8_config: {}\n"),
    ],
    check,
};

fn check(subject: &Subject<'_>, findings: &mut Vec<Finding>) {
    let last = subject.last();
    let decided = last.decision("mixed_precision");
    let is_known = decided.is_some_and(|decided| decided.value != "fp8")
        && !subject.asks_for_fp8()
        && subject.caused_by(&[Cause::MixedPrecision]).next().is_none();
    let Some(place) = subject.top("fp8_config").filter(|_| is_known) else {
        return;
    };
    if subject.section("fp8_config").next().is_none() {
        return;
    }
    let runs = precision_that_runs(last).unwrap_or_else(|| "another precision".to_owned());
    let message = format!(
        "`fp8_config` has no effect in {}: the run trains in {runs}",
        subject.version()
    );
    let mut finding = RULE.finding(
        message,
        Label::key(&place, "read only beside `mixed_precision: fp8`"),
    );
    finding.key.route = place.route;
    let precision = subject.top("mixed_precision");
    let says_none = subject.precision().is_none();
    match &precision {
        Some(place) => finding.related.push(Label::value(place, "this decides")),
        None => finding
            .notes
            .push("no `mixed_precision` is written, which counts as 'no'".to_owned()),
    }
    if says_none {
        finding.severity = Severity::Error;
        finding.help = Some("write mixed_precision: fp8".to_owned());
        finding.outcome = Some(subject.asked_and_runs("fp8", last));
    } else {
        finding.help =
            Some("write mixed_precision: fp8 if fp8 is meant, else remove `fp8_config`".to_owned());
    }
    finding.fixes.extend(mend::precision(subject, "fp8"));
    findings.push(finding);
}
