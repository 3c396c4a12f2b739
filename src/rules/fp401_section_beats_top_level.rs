//! FP401: a key in a section silently beats the same setting elsewhere.

use crate::source::{EntryRef, Route};

use super::subject::shown;
use super::{Confidence, Example, Finding, Label, Rule, Severity, Subject, precision_that_runs};

pub(crate) static RULE: Rule = Rule {
    code: "FP401",
    name: "section-beats-top-level",
    severity: Severity::Warning,
    confidence: Confidence::Certain,
    summary: "A key in `deepspeed_config` or the like beats the same setting at the top level or in `fp8_config`.",
    explanation: "\
The keys of `deepspeed_config`, `megatron_lm_config`, `mpirun_config` and `parallelism_config` are copied into the launch
namespace under their own names, after the top level and `fp8_config`: a `mixed_precision`, `num_processes` or
`fp8_backend` among them replaces what is written there, without a message (accelerate 1.5.0 to 1.15.0,
commands/launch.py:_validate_launch_command). Where the precision that is asked for is lost by it, the rules fp8-is-lost
and precision-is-lost say so instead.",
    examples: &[
        Example::fails(
            "two backends",
            "distributed_type: DEEPSPEED\nmixed_precision: fp8\nnum_processes: 8\nfp8_config:\n  backend: TE\ndeepspeed_config:\n  zero_stage: 2\n  fp8_backend: AO\n",
        ),
        Example::passes(
            "one",
            "distributed_type: DEEPSPEED\nmixed_precision: fp8\nnum_processes: 8\nfp8_config:\n  backend: TE\ndeepspeed_config:\n  zero_stage: 2\n",
        ),
    ],
    check,
};

const FLAT: [&str; 4] = [
    "deepspeed_config",
    "megatron_lm_config",
    "mpirun_config",
    "parallelism_config",
];

fn check(subject: &Subject<'_>, findings: &mut Vec<Finding>) {
    let asked = subject.precision();
    let is_lost = asked.is_some() && precision_that_runs(subject.last()) != asked;
    for section in FLAT {
        for entry in subject.section(section) {
            let Some(key) = entry.key.text() else {
                continue;
            };
            // The rules about lost precision say this one.
            if key == "mixed_precision" && is_lost {
                continue;
            }
            let Some((beaten, beaten_route)) = beaten(subject, key) else {
                continue;
            };
            if shown(&beaten) == shown(&entry) {
                continue;
            }
            let route = Route::keys([section, key]);
            let (Some(place), Some(loser)) = (
                subject.place(&entry, route.clone()),
                subject.place(&beaten, beaten_route.clone()),
            ) else {
                continue;
            };
            let message = format!(
                "`{route}` beats `{beaten_route}` in {}, without a message",
                subject.version()
            );
            let mut finding = RULE.finding(message, Label::value(&place, "this counts"));
            finding.key = subject.key_at(&place.route);
            finding.related.push(Label::value(&loser, "this does not"));
            finding.help = Some(format!(
                "remove one of the two; `{beaten_route}` is where people look"
            ));
            findings.push(finding);
        }
    }
}

/// The setting that a key of a flat section replaces: at the top level, or in `fp8_config`.
fn beaten<'a>(subject: &Subject<'a>, key: &str) -> Option<(EntryRef<'a>, Route)> {
    let root = subject.root()?;
    let top = || root.get(key).map(|entry| (entry, Route::keys([key])));
    let recipe = || {
        let section = root.get("fp8_config")?.value;
        let short = key.strip_prefix("fp8_")?;
        let found = section.get(short).map(|entry| (entry, short));
        let (entry, name) = found.or_else(|| section.get(key).map(|entry| (entry, key)))?;
        Some((entry, Route::keys(["fp8_config", name])))
    };
    top().or_else(recipe)
}
