//! FP313: a recipe setting that is read and still has no effect.

use crate::resolve::{Backend, Verdict, Voice, parse_bool};
use crate::source::{EntryRef, Object, Route};

use super::recipe::{class_of, classes_that_read, variable_of};
use super::subject::shown;
use super::{Confidence, Example, Finding, Label, Rule, Safety, Severity, Subject, mend};

pub(crate) static RULE: Rule = Rule {
    code: "FP313",
    name: "recipe-setting",
    severity: Severity::Warning,
    confidence: Confidence::Certain,
    summary: "A setting of `fp8_config` that the chosen backend never gets.",
    explanation: "\
Four ways in which a known setting is lost without a message, in accelerate 1.9.0 to 1.15.0. A recipe class reads only its
own settings: `opt_level` is MSAMP's, `pad_inner_dim` AO's, the others are TE's (utils/dataclasses.py).
`amax_compute_algo: most_recent` equals accelerate's default, is therefore left out of what Transformer Engine is told,
and Transformer Engine's own default is max (KwargsHandler.to_kwargs). Under DeepSpeed, Transformer Engine is handed the
deprecated handler alone, so that no setting arrives (accelerator.py:_prepare_deepspeed). Transformer Engine 2.x has
neither `interval` nor `override_linear_precision` and drops both silently (2.9.0, common/recipe:DelayedScaling).",
    examples: &[
        Example::fails(
            "a setting of another backend",
            "distributed_type: 'NO'\nmixed_precision: fp8\nfp8_config:\n  backend: TE\n  opt_level: O1\n",
        ),
        Example::fails(
            "most_recent never arrives",
            "distributed_type: 'NO'\nmixed_precision: fp8\nfp8_config:\n  backend: TE\n  amax_compute_algo: most_recent\n",
        ),
        Example::fails(
            "under DeepSpeed, none arrives",
            "distributed_type: DEEPSPEED\nmixed_precision: fp8\nnum_processes: 8\ndeepspeed_config:\n  zero_stage: 2\nfp8_config:\n  backend: TE\n  amax_history_len: 16\n",
        ),
        Example::passes(
            "settings that arrive",
            "distributed_type: 'NO'\nmixed_precision: fp8\nfp8_config:\n  backend: TE\n  amax_history_len: 16\n  amax_compute_algo: max\n",
        ),
    ],
    check,
};

fn check(subject: &Subject<'_>, findings: &mut Vec<Finding>) {
    let last = subject.last();
    let Verdict::Fp8(backend) = &last.verdict else {
        return;
    };
    let chosen = last
        .decision("fp8_backend")
        .map(|decision| &decision.origin);
    let by_installation = chosen.is_none_or(|origin| origin.voice == Voice::Default);
    if by_installation && !subject.target.declares_installed() {
        return;
    }
    let under_deepspeed = last
        .decision("distributed_type")
        .is_some_and(|decision| decision.value == "DEEPSPEED");
    for entry in subject.section("fp8_config") {
        let Some(key) = entry.key.text().filter(|key| *key != "backend") else {
            continue;
        };
        if let Some((why, confidence)) = lost(subject, *backend, under_deepspeed, key, &entry) {
            findings.extend(finding(subject, &entry, key, &why, confidence));
        }
    }
}

/// Why the setting is lost, if it is.
fn lost(
    subject: &Subject<'_>,
    backend: Backend,
    under_deepspeed: bool,
    key: &str,
    entry: &EntryRef<'_>,
) -> Option<(String, Confidence)> {
    let certain = |why: String| Some((why, Confidence::Certain));
    let readers = classes_that_read(subject.facts, &variable_of(key));
    let class = class_of(backend);
    // Keys that nothing reads are the concern of recipe-key.
    if readers.is_empty() || entry.value.is_none() {
        return None;
    }
    let for_deepspeed = backend == Backend::Msamp && under_deepspeed && key == "opt_level";
    if !readers.contains(&class) && !for_deepspeed {
        return certain(format!(
            "only {} read it, and the backend is {backend}",
            readers.join(", ")
        ));
    }
    if backend != Backend::Te || is_default(key, entry) {
        return None;
    }
    if under_deepspeed {
        return certain(
            "under DeepSpeed, Transformer Engine is given no setting at all".to_owned(),
        );
    }
    match key {
        "amax_compute_algo" if shown(entry).eq_ignore_ascii_case("most_recent") => {
            certain("it equals accelerate's default and is left out; Transformer Engine's own default is max".to_owned())
        }
        "interval" | "override_linear_precision" => {
            let declared = subject.run.machine.version_of("transformer_engine").unwrap_or_default();
            let is_first = declared.starts_with("1.") || declared.starts_with("0.");
            let confidence = if declared.is_empty() { Confidence::Likely } else { Confidence::Certain };
            let why = format!("Transformer Engine 2.x has no `{key}` and drops it");
            (!is_first).then_some((why, confidence))
        }
        _ => None,
    }
}

/// Whether the value is what runs without the key.
fn is_default(key: &str, entry: &EntryRef<'_>) -> bool {
    let text = shown(entry);
    match key {
        "fp8_format" | "format" => text.eq_ignore_ascii_case("HYBRID"),
        "margin" => text == "0",
        "interval" => text == "1",
        "amax_history_len" => text == "1024",
        "amax_compute_algo" => text.eq_ignore_ascii_case("max"),
        "override_linear_precision" => match entry.value.object() {
            Some(Object::List(items)) => items.iter().all(|item| !item.truthy()),
            _ => true,
        },
        _ => parse_bool(&text) == Some(false),
    }
}

fn finding(
    subject: &Subject<'_>,
    entry: &EntryRef<'_>,
    key: &str,
    why: &str,
    confidence: Confidence,
) -> Option<Finding> {
    let route = Route::keys(["fp8_config", key]);
    let place = subject.place(entry, route.clone())?;
    let message = format!(
        "`fp8_config.{key}` has no effect in {}: {why}",
        subject.version()
    );
    let mut finding = RULE.finding(message, Label::value(&place, "never arrives"));
    finding.confidence = confidence;
    finding.key = subject.key_at(&place.route);
    if let Some(backend) = subject.within("fp8_config", "backend") {
        finding.related.push(Label::value(&backend, "the backend"));
    }
    finding.help = Some(format!(
        "remove `{key}`, or set it in the script with a recipe handler"
    ));
    let fix = mend::remove(subject, &finding.key.route, Safety::Unsafe);
    finding.fixes.extend(fix);
    Some(finding)
}
