//! FP314: a section that its `distributed_type` does not use.

use crate::source::Route;

use super::{Confidence, Example, Finding, Label, Rule, Safety, Severity, Subject, mend};

pub(crate) static RULE: Rule = Rule {
    code: "FP314",
    name: "unused-section",
    severity: Severity::Warning,
    confidence: Confidence::Certain,
    summary: "A section such as `fsdp_config` that the `distributed_type` does not use.",
    explanation: "\
`distributed_type` chooses the launcher, and each launcher exports only what belongs to it: `fsdp_config` counts with
FSDP, `deepspeed_config` with DEEPSPEED, `megatron_lm_config` with MEGATRON_LM (every version to 1.15.0,
utils/launch.py). A filled section beside another `distributed_type` shards nothing, without a message. Only the flags
`--use_fsdp`, `--use_deepspeed` or `--use_megatron_lm` on the command line would choose otherwise.",
    examples: &[
        Example::fails(
            "FSDP settings without FSDP",
            "distributed_type: MULTI_GPU\nmixed_precision: bf16\nnum_processes: 8\nfsdp_config:\n  fsdp_sharding_strategy: FULL_SHARD\n",
        ),
        Example::passes(
            "with FSDP",
            "distributed_type: FSDP\nmixed_precision: bf16\nnum_processes: 8\nfsdp_config:\n  fsdp_sharding_strategy: FULL_SHARD\n",
        ),
        Example::passes(
            "an empty section, as the wizard writes it",
            "distributed_type: MULTI_GPU\nmixed_precision: bf16\nnum_processes: 8\nfsdp_config: {}\n",
        ),
    ],
    check,
};

/// Each section and the `distributed_type` that uses it.
const SECTIONS: [(&str, &str); 3] = [
    ("fsdp_config", "FSDP"),
    ("deepspeed_config", "DEEPSPEED"),
    ("megatron_lm_config", "MEGATRON_LM"),
];

fn check(subject: &Subject<'_>, findings: &mut Vec<Finding>) {
    let chosen = subject.root().and_then(|root| root.get("distributed_type"));
    let Some(chosen) = chosen else { return };
    for (section, distributed_type) in SECTIONS {
        if chosen.value.text() == Some(distributed_type)
            || subject.section(section).next().is_none()
        {
            continue;
        }
        // A section of fp8 settings alone has findings of its own.
        if subject
            .section(section)
            .all(|entry| entry.key.text().is_some_and(|key| key.starts_with("fp8")))
        {
            continue;
        }
        let (Some(place), Some(decides)) = (subject.top(section), subject.top("distributed_type"))
        else {
            continue;
        };
        let message = format!(
            "`{section}` is not used in {}: it counts only with `distributed_type: {distributed_type}`",
            subject.version()
        );
        let mut finding = RULE.finding(message, Label::key(&place, "not used"));
        finding.key.route = Route::keys([section]);
        finding.related.push(Label::value(&decides, "this decides"));
        finding.help = Some(format!(
            "write distributed_type: {distributed_type}, or remove `{section}`"
        ));
        let fix = mend::remove(subject, &finding.key.route, Safety::Unsafe);
        finding.fixes.extend(fix);
        findings.push(finding);
    }
}
