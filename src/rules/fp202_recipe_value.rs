//! FP202: a value that the fp8 recipe does not take.

use std::sync::Arc;

use crate::resolve::{Cause, Origin};
use crate::source::Object;

use super::{Confidence, Example, Finding, Fix, Rule, Safety, Severity, Subject, advice, mend};

pub(crate) static RULE: Rule = Rule {
    code: "FP202",
    name: "recipe-value",
    severity: Severity::Error,
    confidence: Confidence::Certain,
    summary: "A value in `fp8_config` that the recipe of its backend refuses.",
    explanation: "\
`fp8_config` travels as text in environment variables, and the recipe class parses it: numbers with int(), booleans with
str_to_bool (y, yes, t, true, on, 1 and their opposites), `fp8_format` among HYBRID, E4M3, E5M2, `amax_compute_algo`
among max, most_recent, `opt_level` among O1, O2 (accelerate 1.15.0, utils/dataclasses.py: TERecipeKwargs,
AORecipeKwargs, MSAMPRecipeKwargs). Transformer Engine itself then refuses pure E5M2
(2.9.0, common/recipe: DelayedScaling).",
    examples: &[
        Example::fails(
            "no such format",
            "distributed_type: 'NO'\nmixed_precision: fp8\nfp8_config:\n  backend: TE\n  fp8_format: e4m3fn\n",
        ),
        Example::fails(
            "a tuple as Python writes it is a text in YAML",
            "distributed_type: 'NO'\nmixed_precision: fp8\nfp8_config:\n  backend: TE\n  override_linear_precision: (false, false, false)\n",
        ),
        Example::fails(
            "Transformer Engine refuses E5M2",
            "distributed_type: 'NO'\nmixed_precision: fp8\nfp8_config:\n  backend: TE\n  fp8_format: E5M2\n",
        ),
        Example::passes(
            "values that arrive",
            "distributed_type: 'NO'\nmixed_precision: fp8\nfp8_config:\n  backend: TE\n  fp8_format: E4M3\n  amax_history_len: 16\n  amax_compute_algo: max\n",
        ),
    ],
    check,
};

fn check(subject: &Subject<'_>, findings: &mut Vec<Finding>) {
    for exception in subject.caused_by(&[Cause::RecipeValue, Cause::TeRecipe]) {
        let Some(origin) = exception.origins.first() else {
            continue;
        };
        let stage = match exception.cause {
            Cause::TeRecipe => "accelerator.prepare()",
            _ => "Accelerator()",
        };
        let message = format!(
            "{} raises in `{stage}`: {}",
            subject.version(),
            advice::shown(exception)
        );
        let mut finding = RULE.finding(message, subject.label(origin, ""));
        finding.key = subject.key(origin);
        finding.help = Some(help(subject, &mut finding, &origin.name));
        if let Some(meant) = meant(subject, origin) {
            let key = origin.name.rsplit('.').next().unwrap_or(&origin.name);
            let title = format!("write {key}: {}", shown(&meant));
            let fix = Fix::of(title, Safety::Safe, mend::value(subject, origin, meant));
            finding.fixes.extend(fix);
        }
        finding.outcome = Some(subject.asked_and_runs("fp8", &subject.outcome));
        findings.push(finding);
    }
}

/// The value that is meant, where the text that is written leaves no doubt.
fn meant(subject: &Subject<'_>, origin: &Origin) -> Option<Object> {
    let place = origin.place.as_ref()?;
    let (config, document) = subject.config()?;
    if !Arc::ptr_eq(&config.file, &place.file) {
        return None;
    }
    let (_, value) = document.at(&place.route)?;
    let Some(Object::Str(text)) = value.scalar() else {
        return None;
    };
    let text = text.trim();
    let spelt = |known: &[&str]| {
        let mut known = known.iter();
        let found = known.find(|known| known.eq_ignore_ascii_case(text));
        found.map(|known| Object::from(*known))
    };
    let switch = |text: &str| match text.trim().to_ascii_lowercase().as_str() {
        "true" | "yes" | "on" => Some(true),
        "false" | "no" | "off" => Some(false),
        _ => None,
    };
    match origin.name.rsplit('.').next()? {
        "override_linear_precision" => {
            let inner = text.strip_prefix(['(', '['])?.strip_suffix([')', ']'])?;
            let three: Vec<_> = inner.split(',').map(switch).collect::<Option<_>>()?;
            let three = three.into_iter().map(Object::from).collect::<Vec<_>>();
            (three.len() == 3).then_some(Object::List(three))
        }
        "fp8_format" | "format" => spelt(&["HYBRID", "E4M3"]),
        "amax_compute_algo" => spelt(&["max", "most_recent"]),
        "opt_level" => spelt(&["O1", "O2"]),
        "margin" | "interval" | "amax_history_len" => {
            let whole = text.parse::<i64>().ok()?;
            Some(Object::from(whole))
        }
        "use_mxfp8_block_scaling" => None,
        _ => switch(text).map(Object::from),
    }
}

/// A value as a config shows it.
fn shown(value: &Object) -> String {
    value
        .python_str()
        .replace("False", "false")
        .replace("True", "true")
}

fn help(subject: &Subject<'_>, finding: &mut Finding, name: &str) -> String {
    let key = name.rsplit('.').next().unwrap_or(name);
    match key {
        "override_linear_precision" => {
            let route = finding.key.route.clone();
            let value = subject
                .config()
                .and_then(|(_, document)| document.at(&route))
                .map(|(_, value)| value);
            if let Some(Object::Str(_)) = value.and_then(|value| value.scalar()) {
                finding.primary.text =
                    "this is a text, whose first three characters are taken".to_owned();
            }
            "write a list: override_linear_precision: [false, false, false]".to_owned()
        }
        "fp8_format" | "format" => "write fp8_format: HYBRID or E4M3".to_owned(),
        "amax_compute_algo" => "write amax_compute_algo: max".to_owned(),
        "opt_level" => "write opt_level: O1 or O2, in this case".to_owned(),
        "margin" | "interval" | "amax_history_len" => format!("write a whole number: {key}: 1"),
        "use_mxfp8_block_scaling" => {
            "remove it, or run on a GPU of capability 10.0 or higher".to_owned()
        }
        _ => format!("write {key}: true or {key}: false"),
    }
}
