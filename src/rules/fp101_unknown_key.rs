//! FP101: a top-level key that this version of accelerate does not know.

use crate::knowledge::{self, Interval};
use crate::resolve::target::is_slip;
use crate::resolve::{Cause, Exception};
use crate::source::Route;

use super::{
    Confidence, Example, Finding, Fix, Label, Rule, Safety, Severity, Subject, mend, names,
};

pub(crate) static RULE: Rule = Rule {
    code: "FP101",
    name: "unknown-key",
    severity: Severity::Error,
    confidence: Confidence::Certain,
    summary: "A top-level key that this version of accelerate does not know.",
    explanation: "\
`accelerate launch` refuses a config file with a top-level key that its `ClusterConfig` (for SageMaker:
`SageMakerConfig`) lacks: `ValueError: The config file at … had unknown keys`
(accelerate 1.15.0, commands/config/config_args.py:from_yaml_file). Which keys are known depends on the version.
Correct or remove the key, or use a version that knows it.",
    examples: &[
        Example::fails(
            "a misspelt key",
            "compute_environment: LOCAL_MACHINE\ndistributed_type: 'NO'\nmixed_precission: bf16\n",
        ),
        Example::fails(
            "a key that accelerate 1.13.0 removed",
            "distributed_type: MULTI_GPU\nmixed_precision: bf16\nnum_processes: 8\nipex_config: {}\n",
        ),
        Example::passes(
            "the right spelling",
            "compute_environment: LOCAL_MACHINE\ndistributed_type: 'NO'\nmixed_precision: bf16\n",
        ),
    ],
    check,
};

fn check(subject: &Subject<'_>, findings: &mut Vec<Finding>) {
    for exception in subject.caused_by(&[Cause::UnknownKeys]) {
        // `fp8` has rules of its own, and so have declared blocks.
        let has_others = |key: &str| key == "fp8" || subject.is_declared_block(&Route::keys([key]));
        for (key, index) in keys(exception).filter(|(key, _)| !has_others(key)) {
            findings.push(finding(subject, exception, &key, index));
        }
    }
}

/// The unknown keys of the exception, each with the position of its origin.
fn keys(exception: &Exception) -> impl Iterator<Item = (String, usize)> {
    let origins = exception.origins.iter().enumerate();
    origins.map(|(index, origin)| (origin.name.clone(), index))
}

fn finding(subject: &Subject<'_>, exception: &Exception, key: &str, index: usize) -> Finding {
    let origin = &exception.origins[index];
    let message = format!(
        "{} refuses this file: {}, unknown keys ['{key}']",
        subject.version(),
        exception.kind
    );
    let primary = match &origin.place {
        Some(place) => Label::key(place, "no such key in this version"),
        None => subject.label(origin, "no such key in this version"),
    };
    let mut finding = RULE.finding(message, primary);
    finding.key.route.clone_from(&subject.key(origin).route);
    let is_sagemaker = subject
        .root()
        .and_then(|root| root.get("compute_environment"))
        .is_some_and(|entry| entry.value.text() == Some("AMAZON_SAGEMAKER"));
    let keys = match is_sagemaker {
        true => &subject.facts.sagemaker_keys,
        false => &subject.facts.cluster_keys,
    };
    let known: Vec<&str> = keys.iter().map(|known| known.name.as_str()).collect();
    let history = knowledge::cluster_key_history(key);
    let meant = names::meant(key, &known);
    let route = finding.key.route.clone();
    if let Some(spelt) = meant.as_deref().filter(|meant| known.contains(meant))
        && history.is_empty()
    {
        let edits = mend::config(subject).and_then(|editor| editor.rename(&route, spelt).finish());
        let safety = match is_slip(key, spelt) {
            true => Safety::Safe,
            false => Safety::Unsafe,
        };
        finding
            .fixes
            .extend(Fix::of(format!("write `{spelt}`"), safety, edits));
    }
    finding
        .fixes
        .extend(mend::remove(subject, &route, Safety::Unsafe));
    finding.help = Some(match meant {
        _ if !is_sagemaker && !history.is_empty() => format!(
            "remove `{key}`, or use an accelerate that knows it: {}",
            history
                .iter()
                .map(Interval::to_string)
                .collect::<Vec<_>>()
                .join(", ")
        ),
        Some(meant) => format!("write `{meant}` if that is what is meant, else remove `{key}`"),
        None => format!("remove `{key}`"),
    });
    if let Some(precision) = subject.precision() {
        finding.outcome = Some(subject.asked_and_runs(&precision, &subject.outcome));
    }
    finding
}
