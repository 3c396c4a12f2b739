//! FP304: a key of `fp8_config` that nothing reads.

use crate::source::{EntryRef, Route};

use super::recipe::variable_of;
use super::subject::shown;
use super::{Confidence, Example, Finding, Fix, Label, Rule, Safety, Severity, Subject, mend};
use crate::resolve::target::{closest, is_slip};

pub(crate) static RULE: Rule = Rule {
    code: "FP304",
    name: "recipe-key",
    severity: Severity::Warning,
    confidence: Confidence::Certain,
    summary: "A key of `fp8_config` that nothing reads, such as the wizard's own `amax_history_length`.",
    explanation: "\
Every key of `fp8_config` is exported as `ACCELERATE_FP8_…`, known or not, and the recipe classes read only some of these
variables (accelerate 1.15.0, utils/launch.py:setup_fp8_env, utils/dataclasses.py: TERecipeKwargs, AORecipeKwargs,
MSAMPRecipeKwargs). A key that none reads has no effect and no message. `accelerate config` itself writes three such
keys: amax_history_length, amax_compute_algorithm, optimization_level (commands/config/cluster.py:get_cluster_input).
Where the value is what runs anyway, the finding is a note.",
    examples: &[
        Example::fails(
            "the wizard's spelling",
            "distributed_type: 'NO'\nmixed_precision: fp8\nfp8_config:\n  backend: TE\n  amax_history_length: 16\n",
        ),
        Example::passes(
            "the spelling that is read",
            "distributed_type: 'NO'\nmixed_precision: fp8\nfp8_config:\n  backend: TE\n  amax_history_len: 16\n",
        ),
    ],
    check,
};

/// The wizard's spellings: what is read instead, and the value that runs when nothing is read.
const WIZARD: [(&str, &str, &str); 3] = [
    ("amax_history_length", "amax_history_len", "1024"),
    ("amax_compute_algorithm", "amax_compute_algo", "max"),
    ("optimization_level", "opt_level", "O2"),
];

fn check(subject: &Subject<'_>, findings: &mut Vec<Finding>) {
    // Beside another precision, the whole section is dropped: one finding, by fp8-config-without-fp8.
    if !subject.asks_for_fp8() {
        return;
    }
    for entry in subject.section("fp8_config") {
        let Some(key) = entry.key.text() else {
            continue;
        };
        if !is_read(subject, key) {
            findings.extend(finding(subject, &entry, key));
        }
    }
}

/// Whether anything reads what this key is exported as.
fn is_read(subject: &Subject<'_>, key: &str) -> bool {
    !subject.facts.readers(&variable_of(key)).is_empty()
}

fn finding(subject: &Subject<'_>, entry: &EntryRef<'_>, key: &str) -> Option<Finding> {
    let route = Route::keys(["fp8_config", key]);
    let place = subject.place(entry, route.clone())?;
    let message = format!("nothing reads `fp8_config.{key}` in {}", subject.version());
    let mut finding = RULE.finding(message, Label::key(&place, "never read"));
    finding.key = subject.key_at(&place.route);
    if subject
        .facts
        .wizard_keys("fp8_config")
        .iter()
        .any(|wizard| wizard == key)
    {
        finding
            .notes
            .push("`accelerate config` itself writes this key".to_owned());
    }
    let wizard = WIZARD.iter().find(|(wrong, ..)| *wrong == key);
    if let Some((_, _, default)) = wizard
        && shown(entry) == *default
    {
        finding.severity = Severity::Note;
        finding.notes.push(format!("{default} is what runs anyway"));
    }
    let known = subject
        .facts
        .flags
        .iter()
        .filter_map(|flag| flag.dest.strip_prefix("fp8_"));
    let known: Vec<&str> = known.filter(|known| is_read(subject, known)).collect();
    let meant = wizard
        .map(|(_, right, _)| *right)
        .or_else(|| closest(key, known));
    if let Some(meant) = meant {
        let edits = mend::config(subject)
            .and_then(|editor| editor.rename(&finding.key.route, meant).finish());
        let title = format!("write {meant} instead of {key}");
        let is_certain = wizard.is_some() || is_slip(key, meant);
        let safety = if is_certain {
            Safety::Safe
        } else {
            Safety::Unsafe
        };
        finding.fixes.extend(Fix::of(title, safety, edits));
    }
    finding
        .fixes
        .extend(mend::remove(subject, &finding.key.route, Safety::Unsafe));
    finding.help = Some(match meant {
        Some(meant) => format!("write {meant} instead of {key}"),
        None => format!("remove `{key}`"),
    });
    Some(finding)
}
