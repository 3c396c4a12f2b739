//! FP201: an fp8 backend that accelerate does not know.

use crate::knowledge::Enumeration;
use crate::resolve::{Cause, Voice};

use super::{Confidence, Example, Finding, Fix, Rule, Safety, Severity, Subject, advice, mend};

pub(crate) static RULE: Rule = Rule {
    code: "FP201",
    name: "fp8-backend",
    severity: Severity::Error,
    confidence: Confidence::Certain,
    summary: "The fp8 backend is not one of AO, TE, MSAMP, or in another case.",
    explanation: "\
`Accelerator()` looks the backend up as `FP8BackendType(…)`, whose values are NO, TE, MSAMP and AO in exactly this case
(accelerate 1.15.0, accelerator.py:fp8_backend). Anything else, `ao` and `auto` included, is a ValueError after the
launch, in every process. An unquoted NO is False in YAML, and so refused too; leave the key out to let accelerate choose.",
    examples: &[
        Example::fails("lower case", "distributed_type: 'NO'\nmixed_precision: fp8\nfp8_config:\n  backend: te\n"),
        Example::fails("there is no auto", "distributed_type: 'NO'\nmixed_precision: fp8\nfp8_config:\n  backend: auto\n"),
        Example::passes("as the enum spells it", "distributed_type: 'NO'\nmixed_precision: fp8\nfp8_config:\n  backend: TE\n"),
    ],
    check,
};

fn check(subject: &Subject<'_>, findings: &mut Vec<Finding>) {
    for exception in subject.caused_by(&[Cause::Fp8Backend]) {
        let Some(origin) = exception.origins.first() else {
            continue;
        };
        let message = format!(
            "{} raises in `Accelerator()`: {}",
            subject.version(),
            advice::shown(exception)
        );
        let mut finding = RULE.finding(
            message,
            subject.label(origin, "no fp8 backend of this name"),
        );
        finding.key = subject.key(origin);
        let known: Vec<&str> = subject
            .facts
            .values(Enumeration::Fp8BackendType)
            .iter()
            .map(String::as_str)
            .filter(|value| *value != "NO")
            .collect();
        let written = mend::written(subject, origin);
        let written = written.as_deref().unwrap_or(&finding.key.value);
        let meant = advice::backend_meant(written);
        // The launcher refuses the spelling that `Accelerator()` takes: as a flag, none works.
        if let Some(meant) = meant.filter(|_| origin.voice != Voice::Flag) {
            let title = format!("write backend: {meant}");
            let fix = Fix::of(title, Safety::Safe, mend::value(subject, origin, meant));
            finding.fixes.extend(fix);
        }
        finding.help = Some(match meant {
            Some(meant) => format!("write backend: {meant}"),
            None => format!(
                "write one of {}, or leave `backend` out: then the first of AO, TE, MSAMP that is installed is taken",
                known.join(", ")
            ),
        });
        finding.outcome = Some(subject.asked_and_runs("fp8", &subject.outcome));
        findings.push(finding);
    }
}
