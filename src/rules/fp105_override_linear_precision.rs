//! FP105: `override_linear_precision` is not a sequence of three.

use crate::knowledge::Fp8Export;
use crate::resolve::Cause;
use crate::source::Object;

use super::{Confidence, Example, Finding, Fix, Rule, Safety, Severity, Subject, advice, mend};

pub(crate) static RULE: Rule = Rule {
    code: "FP105",
    name: "override-linear-precision",
    severity: Severity::Error,
    confidence: Confidence::Certain,
    summary: "`override_linear_precision` is not a list of three booleans.",
    explanation: "\
The launcher takes `value[0]`, `value[1]` and `value[2]` of it, one for each of fprop, dgrad and wgrad
(accelerate 1.15.0, utils/launch.py:setup_fp8_env). A boolean has no elements: `TypeError: 'bool' object is not
subscriptable`. `accelerate config` of 0.34.2 to 1.6.0 wrote `false` itself. A text such as `(false, false, false)` gives
its first three characters, which the recipe then refuses: that is reported by recipe-value.",
    examples: &[
        Example::fails(
            "as the wizard of old wrote it",
            "distributed_type: 'NO'\nmixed_precision: fp8\nfp8_config:\n  backend: TE\n  override_linear_precision: false\n",
        ),
        Example::fails(
            "too short",
            "distributed_type: 'NO'\nmixed_precision: fp8\nfp8_config:\n  backend: TE\n  override_linear_precision: [false]\n",
        ),
        Example::passes(
            "one for each of the three",
            "distributed_type: 'NO'\nmixed_precision: fp8\nfp8_config:\n  backend: TE\n  override_linear_precision: [false, false, false]\n",
        ),
    ],
    check,
};

fn check(subject: &Subject<'_>, findings: &mut Vec<Finding>) {
    for exception in subject.caused_by(&[Cause::OverrideLinearPrecision]) {
        let Some(origin) = exception.origins.first() else {
            continue;
        };
        let message = format!(
            "{} refuses this file: {}",
            subject.version(),
            advice::shown(exception)
        );
        let mut finding = RULE.finding(message, subject.label(origin, ""));
        if origin.place.is_some() {
            finding.primary.text = "not a list of three booleans".to_owned();
        }
        finding.key = subject.key(origin);
        let all = if finding.key.value == "True" {
            "true"
        } else {
            "false"
        };
        // The default is no text either: nothing that the file says helps there.
        let is_always_refused = subject.facts.behaviours.fp8_export == Fp8Export::SplitText;
        let newer = advice::trains_in_fp8_from(subject).filter(|_| is_always_refused);
        finding.help = Some(match newer {
            Some(version) => format!("use accelerate {version} or newer"),
            None => {
                format!("write override_linear_precision: [{all}, {all}, {all}], or remove the key")
            }
        });
        if newer.is_none() && matches!(finding.key.value.as_str(), "True" | "False") {
            let three = Object::List(vec![Object::from(all == "true"); 3]);
            let title = format!("write override_linear_precision: [{all}, {all}, {all}]");
            let fix = Fix::of(title, Safety::Safe, mend::value(subject, origin, three));
            finding.fixes.extend(fix);
        }
        finding.outcome = Some(subject.asked_and_runs("fp8", &subject.outcome));
        findings.push(finding);
    }
}
