//! FP311: a declared fp8 block in another place than declared.

use crate::source::Object;
use crate::source::edit::Editor;

use super::declared::{At, out_of_place};
use super::fp210_declared_fp8_block_value::DECLARED;
use super::{Confidence, Example, Finding, Fix, Rule, Safety, Severity, Subject, mend};

pub(crate) static RULE: Rule = Rule {
    code: "FP311",
    name: "declared-fp8-block-place",
    severity: Severity::Error,
    confidence: Confidence::Certain,
    summary: "An fp8 block that the settings declare stands in another place, where nothing reads it.",
    explanation: "\
`[[fp8-block]]` in the settings describes a loader of the team's own, which reads fp8 settings at the declared path. In
another place neither that loader nor accelerate reads them; at the top level accelerate's launcher refuses the file
besides (accelerate 1.15.0, commands/config/config_args.py:from_yaml_file). Move the block to the path that is declared.",
    examples: &[
        Example::fails(
            "at the top level",
            "distributed_type: FSDP\nmixed_precision: fp16\nnum_processes: 1\nfp8:\n  backend: auto\n",
        )
        .declaring(DECLARED),
        Example::fails(
            "in another section",
            "distributed_type: DEEPSPEED\nmixed_precision: bf16\nnum_processes: 8\ndeepspeed_config:\n  zero_stage: 2\n  fp8:\n    backend: auto\n",
        )
        .declaring(DECLARED),
        Example::passes(
            "where it is declared",
            "distributed_type: FSDP\nmixed_precision: fp16\nnum_processes: 1\nfsdp_config:\n  fp8:\n    backend: auto\n",
        )
        .declaring(DECLARED),
    ],
    check,
};

fn check(subject: &Subject<'_>, findings: &mut Vec<Finding>) {
    for found in out_of_place(subject) {
        let name = found.route.last_key().unwrap_or_default();
        let namesakes = subject
            .blocks
            .iter()
            .filter(|block| block.path.last_key() == Some(name));
        let paths: Vec<_> = namesakes.map(|block| format!("`{}`", block.path)).collect();
        let is_refused = subject.exceptions().any(|exception| {
            let mut places = exception
                .origins
                .iter()
                .filter_map(|origin| origin.place.as_ref());
            places.any(|place| place.route == found.route)
        });
        let refused = match is_refused {
            true => format!(", and {} refuses the file for it", subject.version()),
            false => String::new(),
        };
        let message = format!(
            "nothing reads `{}`: the declared loader reads {}{refused}",
            found.route,
            paths.join(" and ")
        );
        let mut finding = found.finding(subject, &RULE, message, At::Key, "never read");
        if is_refused {
            finding.outcome = Some(subject.asked_and_runs("fp8", &subject.outcome));
        } else if found.is_off() {
            finding.severity = Severity::Warning;
        }
        let backend = found
            .entry
            .value
            .get("backend")
            .and_then(|backend| backend.value.text());
        let backend =
            backend.filter(|backend| found.block.backends.iter().any(|known| known == backend));
        let backend = backend.unwrap_or(&found.block.default_backend);
        let moved = |editor: Editor| {
            let block = match found.entry.value.get("backend") {
                Some(_) => found.entry.value.object(),
                None => Some(Object::Dict(vec![("backend".into(), backend.into())])),
            };
            editor
                .remove(&found.route)
                .put(&found.block.path, block?)
                .finish()
        };
        finding.fixes.extend(match found.is_off() {
            true => mend::remove(subject, &found.route, Safety::Safe),
            false => Fix::of(
                format!("move it to `{}`", found.block.path),
                Safety::Unsafe,
                mend::config(subject).and_then(moved),
            ),
        });
        finding.help = Some(match found.is_off() {
            true => format!("remove `{}`", found.route),
            false => format!(
                "remove it here and write\n{}",
                found.written(subject, backend)
            ),
        });
        findings.push(finding);
    }
}
