//! FP318: a precision in a section, where nothing reads it.

use crate::source::{EntryRef, Object, Route};

use super::subject::shown;
use super::{
    Confidence, Example, Finding, Fix, Label, Rule, Safety, Severity, Subject, mend,
    precision_that_runs,
};

pub(crate) static RULE: Rule = Rule {
    code: "FP318",
    name: "precision-in-section",
    severity: Severity::Warning,
    confidence: Confidence::Certain,
    summary: "bf16 or fp16 is asked for in a section where nothing reads it, and another precision runs.",
    explanation: "\
Only the top-level `mixed_precision` decides. `fsdp_config.mixed_precision` becomes an attribute that nothing reads (FSDP's
policy is made from the top level), and `bf16` or `fp16` in `deepspeed_config` are settings of a DeepSpeed config file,
not of this section (every version to 1.15.0, commands/launch.py:_validate_launch_command, utils/launch.py). The run
trains in what the top level says, 'no' if it says nothing.",
    examples: &[
        Example::fails(
            "under fsdp_config alone",
            "distributed_type: FSDP\nnum_processes: 8\nfsdp_config:\n  mixed_precision: bf16\n",
        ),
        Example::fails(
            "as in a DeepSpeed config file",
            "distributed_type: DEEPSPEED\nnum_processes: 8\ndeepspeed_config:\n  zero_stage: 2\n  bf16:\n    enabled: true\n",
        ),
        Example::passes(
            "at the top level",
            "distributed_type: FSDP\nmixed_precision: bf16\nnum_processes: 8\nfsdp_config:\n  fsdp_version: 1\n",
        ),
    ],
    check,
};

fn check(subject: &Subject<'_>, findings: &mut Vec<Finding>) {
    let Some(runs) = precision_that_runs(subject.last()) else {
        return;
    };
    for section in ["fsdp_config", "deepspeed_config"] {
        for entry in subject.section(section) {
            let Some(key) = entry.key.text() else {
                continue;
            };
            let Some(asked) = asked(section, key, &entry).filter(|asked| *asked != runs) else {
                continue;
            };
            let route = Route::keys([section, key]);
            let Some(place) = subject.place(&entry, route.clone()) else {
                continue;
            };
            let message = format!(
                "nothing reads `{route}` in {}, and the run trains in {runs}",
                subject.version()
            );
            let mut finding = RULE.finding(message, Label::key(&place, "never read"));
            finding.key = subject.key_at(&place.route);
            match subject.top("mixed_precision") {
                Some(decides) => finding.related.push(Label::value(&decides, "this decides")),
                None => finding
                    .notes
                    .push("no `mixed_precision` is written at the top level".to_owned()),
            }
            finding.help = Some(format!(
                "write mixed_precision: {asked} at the top level, and remove `{route}`"
            ));
            let edits = mend::config(subject).and_then(|editor| {
                let precision = Route::keys(["mixed_precision"]);
                editor
                    .remove(&place.route)
                    .put(&precision, asked.as_str())
                    .finish()
            });
            let title = format!("write mixed_precision: {asked} at the top level");
            finding.fixes.extend(Fix::of(title, Safety::Unsafe, edits));
            finding.outcome = Some(subject.asked_and_runs(&asked, subject.last()));
            findings.push(finding);
        }
    }
}

/// The precision that a key of a section asks for: bf16 or fp16.
fn asked(section: &str, key: &str, entry: &EntryRef<'_>) -> Option<String> {
    let in_words = [
        "mixed_precision",
        "fsdp_mixed_precision",
        "mixed_precision_policy",
        "fsdp_mixed_precision_policy",
    ];
    if section == "fsdp_config" && in_words.contains(&key) {
        let value = shown(entry).to_lowercase();
        return ["bf16", "fp16"]
            .into_iter()
            .find(|known| value == *known)
            .map(str::to_owned);
    }
    // `deepspeed_config.mixed_precision` does count; `bf16: {enabled: true}` belongs in a DeepSpeed config file.
    let is_on = match entry.value.object()? {
        Object::Dict(pairs) => pairs.iter().any(|(key, value)| {
            *key == Object::from("enabled") && value.truthy() && *value != Object::from("auto")
        }),
        value => value.truthy(),
    };
    let known = ["bf16", "fp16"].contains(&key);
    (known && is_on).then(|| key.to_owned())
}
