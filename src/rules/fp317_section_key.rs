//! FP317: a misspelt key in a section: ignored without a message.

use crate::resolve::target::{closest, is_slip};
use crate::source::Route;

use super::{Confidence, Example, Finding, Fix, Label, Rule, Safety, Severity, Subject, mend};

pub(crate) static RULE: Rule = Rule {
    code: "FP317",
    name: "section-key",
    severity: Severity::Warning,
    confidence: Confidence::Likely,
    summary: "A key of `fsdp_config` or `deepspeed_config` that nothing reads and that looks like a known one.",
    explanation: "\
Every key of a section is copied into the launch namespace, known or not, and only the known ones are looked at
(accelerate 1.15.0, commands/launch.py:_validate_launch_command, utils/launch.py). A misspelt key has no effect and no
message. Only keys that are close to a known one are reported.",
    examples: &[
        Example::fails(
            "one letter less",
            "distributed_type: FSDP\nmixed_precision: bf16\nnum_processes: 8\nfsdp_config:\n  fsdp_cpu_ram_eficient_loading: false\n",
        ),
        Example::passes(
            "as accelerate spells it",
            "distributed_type: FSDP\nmixed_precision: bf16\nnum_processes: 8\nfsdp_config:\n  fsdp_cpu_ram_efficient_loading: false\n",
        ),
        Example::passes(
            "the prefix may be left out",
            "distributed_type: FSDP\nmixed_precision: bf16\nnum_processes: 8\nfsdp_config:\n  cpu_ram_efficient_loading: false\n",
        ),
    ],
    check,
};

fn check(subject: &Subject<'_>, findings: &mut Vec<Finding>) {
    for section in ["fsdp_config", "deepspeed_config"] {
        let known: Vec<&str> = subject
            .facts
            .wizard_keys(section)
            .iter()
            .map(String::as_str)
            .collect();
        for entry in subject.section(section) {
            let Some(key) = entry.key.text() else {
                continue;
            };
            let attribute = match section {
                "fsdp_config" if !key.starts_with("fsdp") => format!("fsdp_{key}"),
                _ => key.to_owned(),
            };
            if subject.facts.flag(&attribute).is_some()
                || known.contains(&key)
                || key.starts_with("fp8")
            {
                continue;
            }
            let Some(meant) = closest(&attribute, known.iter().copied()) else {
                continue;
            };
            let route = Route::keys([section, key]);
            let Some(place) = subject.place(&entry, route.clone()) else {
                continue;
            };
            let message = format!("nothing reads `{route}` in {}", subject.version());
            let mut finding = RULE.finding(message, Label::key(&place, "never read"));
            finding.key.route = route;
            finding.help = Some(format!("write {meant} if that is what is meant"));
            let edits = mend::config(subject)
                .and_then(|editor| editor.rename(&finding.key.route, meant).finish());
            let title = format!("write {meant}");
            let safety = match is_slip(&attribute, meant) {
                true => Safety::Safe,
                false => Safety::Unsafe,
            };
            finding.fixes.extend(Fix::of(title, safety, edits));
            findings.push(finding);
        }
    }
}
