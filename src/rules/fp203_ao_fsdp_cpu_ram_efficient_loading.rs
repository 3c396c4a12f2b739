//! FP203: torchao with FSDP and `cpu_ram_efficient_loading`.

use crate::formats::recipe::Framework;
use crate::resolve::{Cause, Voice};

use super::{
    Confidence, Example, Finding, Fix, Label, Rule, Safety, Severity, Subject, advice, mend,
};

pub(crate) static RULE: Rule = Rule {
    code: "FP203",
    name: "ao-fsdp-cpu-ram-efficient-loading",
    severity: Severity::Error,
    confidence: Confidence::Certain,
    summary: "torchao with FSDP needs `fsdp_cpu_ram_efficient_loading: false`; absent counts as true.",
    explanation: "\
`Accelerator()` refuses torchao with FSDP (1 and 2 alike) while `cpu_ram_efficient_loading` is true: ValueError
(accelerate 1.8.1 to 1.15.0, accelerator.py:Accelerator.__init__). The launcher's default for a missing key is true. With
no backend named, torchao is what accelerate takes where it is installed.",
    examples: &[
        Example::fails(
            "the key is missing, so it is true",
            "distributed_type: FSDP\nmixed_precision: fp8\nnum_processes: 8\nfsdp_config:\n  fsdp_version: 2\nfp8_config:\n  backend: AO\n",
        ),
        Example::fails(
            "no backend named: torchao where it is installed",
            "distributed_type: FSDP\nmixed_precision: fp8\nnum_processes: 8\nfsdp_config:\n  fsdp_cpu_ram_efficient_loading: true\n",
        ),
        Example::passes(
            "switched off",
            "distributed_type: FSDP\nmixed_precision: fp8\nnum_processes: 8\nfsdp_config:\n  fsdp_version: 2\n  fsdp_cpu_ram_efficient_loading: false\nfp8_config:\n  backend: AO\n",
        ),
    ],
    check,
};

fn check(subject: &Subject<'_>, findings: &mut Vec<Finding>) {
    for exception in subject.caused_by(&[Cause::AoFsdpCpuRamEfficientLoading]) {
        let [loading, backend] = exception.origins.as_slice() else {
            continue;
        };
        // A backend of another spelling is taken away to find what comes behind it.
        let misspelt = subject.caused_by(&[Cause::Fp8Backend]).next().is_some();
        let meant = subject
            .within("fp8_config", "backend")
            .and_then(|place| advice::backend_meant(place.file.slice(place.value)));
        if misspelt && meant != Some("AO") {
            continue;
        }
        let is_named = misspelt || backend.voice != Voice::Default;
        // axolotl hands torchao's recipe to `Accelerator()` itself.
        let by_trainer = subject
            .run
            .trainer
            .as_ref()
            .is_some_and(|trainer| trainer.framework == Framework::Axolotl);
        let is_settled = is_named || by_trainer || subject.target.declares_installed();
        let supposed = match is_settled {
            true => "",
            false => ", where torchao is installed (no backend is named, so accelerate takes it)",
        };
        let message = format!(
            "{} raises in `Accelerator()`{supposed}: ValueError, torchao with FSDP and cpu_ram_efficient_loading is not supported",
            subject.version()
        );
        let absent = loading.place.is_none();
        let primary = match (
            absent,
            subject.within("fp8_config", "backend"),
            subject.top("mixed_precision"),
        ) {
            (false, ..) => subject.label(loading, "torchao cannot be used with this"),
            (true, Some(place), _) if is_named => Label::value(&place, "torchao"),
            (true, _, Some(place)) => Label::value(&place, "fp8, by torchao"),
            (true, ..) => subject.label(backend, ""),
        };
        let mut finding = RULE.finding(message, primary);
        finding.key = subject.key(if absent { backend } else { loading });
        if absent {
            finding.notes.push(
                "`fsdp_cpu_ram_efficient_loading` is not written, and a missing key counts as true"
                    .to_owned(),
            );
        } else if let (true, Some(place)) = (is_named, subject.within("fp8_config", "backend")) {
            finding
                .related
                .push(Label::value(&place, "torchao is asked for here"));
        }
        if !is_settled {
            finding.severity = Severity::Warning;
            finding.confidence = Confidence::Likely;
        }
        let written = loading
            .place
            .as_ref()
            .and_then(|place| place.route.last_key());
        let key = written.unwrap_or("fsdp_cpu_ram_efficient_loading");
        let mut help = format!("write in `fsdp_config`\n{key}: false");
        if advice::ao_fails_under_fsdp2(subject) {
            help.push_str(
                "
fsdp_version: 1",
            );
        }
        finding.help = Some(help);
        let edits =
            mend::config(subject).and_then(|editor| mend::ao_under_fsdp(subject, editor).finish());
        let title = match advice::ao_fails_under_fsdp2(subject) {
            true => format!("write {key}: false and fsdp_version: 1"),
            false => format!("write {key}: false"),
        };
        finding.fixes.extend(Fix::of(title, Safety::Unsafe, edits));
        if advice::uses_fsdp(subject) {
            finding.outcome = Some(subject.asked_and_runs("fp8", &subject.outcome));
        }
        findings.push(finding);
    }
}
