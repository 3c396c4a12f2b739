//! FP104: a `mixed_precision` that accelerate does not take.

use crate::knowledge::Enumeration;
use crate::resolve::{Cause, Exception};
use crate::source::Object;

use super::{Confidence, Example, Finding, Fix, Rule, Safety, Severity, Subject, advice, mend};

pub(crate) static RULE: Rule = Rule {
    code: "FP104",
    name: "mixed-precision-value",
    severity: Severity::Error,
    confidence: Confidence::Certain,
    summary: "`mixed_precision` has a value that accelerate does not take, such as an unquoted `no`.",
    explanation: "\
The launcher calls `.lower()` on the value and looks it up in `PrecisionType`: no, fp8, fp16, bf16
(accelerate 1.15.0, utils/launch.py:prepare_simple_launcher_cmd_env, prepare_multi_gpu_env). YAML 1.1 reads an unquoted
`no`, `off` or `yes` as a boolean, which has no `.lower()`: AttributeError. `fp32` is no member: ValueError.
Write `mixed_precision: 'no'` for full precision.",
    examples: &[
        Example::fails("unquoted no is False", "distributed_type: MULTI_GPU\nmixed_precision: no\nnum_processes: 8\n"),
        Example::fails("fp32 is no member", "distributed_type: 'NO'\nmixed_precision: fp32\n"),
        Example::passes("quoted", "distributed_type: MULTI_GPU\nmixed_precision: 'no'\nnum_processes: 8\n"),
        Example::passes("case does not matter", "distributed_type: 'NO'\nmixed_precision: BF16\n"),
    ],
    check,
};

fn check(subject: &Subject<'_>, findings: &mut Vec<Finding>) {
    for exception in subject.caused_by(&[Cause::MixedPrecision]) {
        let Some(origin) = exception.origins.first() else {
            continue;
        };
        let written = origin
            .place
            .as_ref()
            .map_or("", |place| place.file.slice(place.value));
        // What the launcher lets pass raises later.
        if !is_of_launch(subject, exception) {
            continue;
        }
        let message = format!(
            "{} refuses this file: {}",
            subject.version(),
            advice::shown(exception)
        );
        let mut finding = RULE.finding(message, subject.label(origin, ""));
        finding.key = subject.key(origin);
        let value = subject
            .root()
            .and_then(|root| root.get("mixed_precision"))
            .and_then(|entry| entry.value.scalar());
        let known = subject.facts.values(Enumeration::PrecisionType).join(", ");
        finding.help = Some(match value {
            Some(Object::Bool(value)) => {
                let python = if *value { "True" } else { "False" };
                finding.primary.text = format!("YAML 1.1 reads `{written}` as {python}");
                match value {
                    false => "write mixed_precision: 'no'".to_owned(),
                    true => format!("write one of {known}"),
                }
            }
            Some(Object::Str(text)) if text.to_lowercase() == "fp32" => {
                "write mixed_precision: 'no' for full precision".to_owned()
            }
            _ => format!("write one of {known}; quote 'no'"),
        });
        let spelt = match value {
            Some(Object::Bool(false)) => Some("no".to_owned()),
            Some(Object::Str(text)) if text.eq_ignore_ascii_case("fp32") => Some("no".to_owned()),
            Some(Object::Str(text)) => {
                let mut known = subject.facts.values(Enumeration::PrecisionType).iter();
                let spelt = known.find(|known| known.eq_ignore_ascii_case(text.trim()));
                spelt.cloned()
            }
            _ => None,
        };
        if let Some(spelt) = spelt {
            let title = format!("write mixed_precision: {}", quoted(&spelt));
            let fix = Fix::of(title, Safety::Safe, mend::value(subject, origin, spelt));
            finding.fixes.extend(fix);
        }
        finding.outcome = Some(subject.asked_and_runs(written, &subject.outcome));
        findings.push(finding);
    }
}

/// `no` is a boolean where it is not in quotes.
fn quoted(precision: &str) -> String {
    match precision {
        "no" => "'no'".to_owned(),
        other => other.to_owned(),
    }
}

fn is_of_launch(subject: &Subject<'_>, exception: &Exception) -> bool {
    let outcomes = std::iter::once(&subject.outcome).chain(&subject.behind);
    let mut launches = outcomes.filter_map(|outcome| outcome.launch.as_ref()?.exception.as_ref());
    launches.any(|launched| launched == exception)
}
