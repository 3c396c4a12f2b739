//! FP310: a declared fp8 block without a backend.

use super::declared::{At, backends, in_place};
use super::fp210_declared_fp8_block_value::DECLARED;
use super::{Confidence, Example, Finding, Fix, Rule, Safety, Severity, Subject, mend};

pub(crate) static RULE: Rule = Rule {
    code: "FP310",
    name: "declared-fp8-block-default",
    severity: Severity::Note,
    confidence: Confidence::Certain,
    summary: "An fp8 block that the settings declare names no backend: its loader takes the default.",
    explanation: "\
`[[fp8-block]]` in the settings describes a loader of the team's own, which reads fp8 settings where accelerate's launcher
reads none. Of a mapping without `backend` it takes the `default-backend` that is declared. Where the choice matters, it
is better said in the file.",
    examples: &[
        Example::fails(
            "no backend",
            "distributed_type: FSDP\nmixed_precision: fp16\nnum_processes: 1\nfsdp_config:\n  fp8: {}\n",
        )
        .declaring(DECLARED),
        Example::passes(
            "the same, said",
            "distributed_type: FSDP\nmixed_precision: fp16\nnum_processes: 1\nfsdp_config:\n  fp8: {backend: auto}\n",
        )
        .declaring(DECLARED),
    ],
    check,
};

fn check(subject: &Subject<'_>, findings: &mut Vec<Finding>) {
    for found in in_place(subject) {
        let value = found.entry.value;
        if !value.is_dict() || value.get("backend").is_some() {
            continue;
        }
        let default = &found.block.default_backend;
        let message = format!(
            "`{}` names no backend: the loader declared for it takes its default, {default}",
            found.route
        );
        let mut finding = found.finding(subject, &RULE, message, At::Key, "by which backend?");
        finding
            .notes
            .push(format!("supported are {}", backends(found.block)));
        finding.help = Some(format!("write\n{}", found.written(subject, default)));
        let route = found.route.key("backend");
        let edits =
            mend::config(subject).and_then(|editor| editor.put(&route, default.as_str()).finish());
        let title = format!("write backend: {default}");
        finding.fixes.extend(Fix::of(title, Safety::Safe, edits));
        findings.push(finding);
    }
}
