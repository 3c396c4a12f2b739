//! FP205: `deepspeed_config_file` together with settings that it forbids.

use crate::resolve::{Cause, Origin, Voice};

use super::{Confidence, Example, Finding, Fix, Label, Rule, Safety, Severity, Subject, mend};

pub(crate) static RULE: Rule = Rule {
    code: "FP205",
    name: "deepspeed-config-file-conflict",
    severity: Severity::Error,
    confidence: Confidence::Certain,
    summary: "`deepspeed_config_file` together with settings that it forbids, `mixed_precision` among them.",
    explanation: "\
With a DeepSpeed config file, the accelerate config must not say gradient_accumulation_steps, gradient_clipping,
zero_stage, offload_optimizer_device, offload_param_device, the two nvme paths, zero3_save_16bit_model, or any
non-null mixed_precision, even where both agree: ValueError in `Accelerator()`
(every version to 1.15.0, utils/dataclasses.py:DeepSpeedPlugin._deepspeed_config_checks). Say it in the DeepSpeed file;
a precision may also be given as the flag `--mixed_precision`, which is not forbidden.",
    examples: &[
        Example::fails(
            "mixed_precision beside the file",
            "distributed_type: DEEPSPEED\nmixed_precision: bf16\nnum_processes: 8\ndeepspeed_config:\n  deepspeed_config_file: ds.json\n",
        ),
        Example::fails(
            "zero_stage beside the file",
            "distributed_type: DEEPSPEED\nnum_processes: 8\ndeepspeed_config:\n  deepspeed_config_file: ds.json\n  zero_stage: 3\n",
        ),
        Example::passes(
            "no DeepSpeed config file",
            "distributed_type: DEEPSPEED\nmixed_precision: bf16\nnum_processes: 8\ndeepspeed_config:\n  zero_stage: 3\n",
        ),
    ],
    check,
};

fn check(subject: &Subject<'_>, findings: &mut Vec<Finding>) {
    for exception in subject.caused_by(&[Cause::DeepSpeedConfigConflict]) {
        // What stands in the config is refused, also where the recipe has overwritten it since.
        let origins: Vec<Origin> = exception
            .origins
            .iter()
            .map(|origin| in_config(subject, origin))
            .collect();
        let Some(origin) = origins.first() else {
            continue;
        };
        let named = |name: &str| format!("`{}`", name.rsplit('.').next().unwrap_or(name));
        let list: Vec<String> = origins.iter().map(|origin| named(&origin.name)).collect();
        let message = format!(
            "{} raises in `Accelerator()`: ValueError, with `deepspeed_config_file` the config must not say {}",
            subject.version(),
            list.join(", ")
        );
        let mut finding = RULE.finding(
            message,
            subject.label(origin, "forbidden beside `deepspeed_config_file`"),
        );
        finding.key = subject.key(origin);
        for other in &origins[1..] {
            finding.related.push(subject.label(other, "and this"));
        }
        if let Some(place) = subject.within("deepspeed_config", "deepspeed_config_file") {
            finding
                .related
                .push(Label::value(&place, "the DeepSpeed config decides"));
        }
        let is_fp8 = subject
            .precision()
            .is_some_and(|precision| precision == "fp8");
        finding.help = Some(match is_fp8 {
            // A DeepSpeed config has no word for fp8.
            true => format!(
                "remove {} here, and give fp8 as the flag --mixed_precision fp8, which is not forbidden",
                list.join(", ")
            ),
            false => format!(
                "remove {} here and say it in the DeepSpeed config",
                list.join(", ")
            ),
        });
        // fp8 would be lost with the key.
        if !is_fp8 {
            let routes = origins.iter().map(|origin| {
                let place = origin.place.as_ref()?;
                (origin.voice == Voice::ConfigKey).then_some(&place.route)
            });
            let routes: Option<Vec<_>> = routes.collect();
            let edits = routes
                .zip(mend::config(subject))
                .and_then(|(routes, editor)| {
                    let removed = routes
                        .iter()
                        .fold(editor, |editor, route| editor.remove(route));
                    removed.finish()
                });
            let title = format!("remove {}", list.join(", "));
            finding.fixes.extend(Fix::of(title, Safety::Unsafe, edits));
        }
        if let Some(precision) = subject.precision() {
            finding.outcome = Some(subject.asked_and_runs(&precision, &subject.outcome));
        }
        findings.push(finding);
    }
}

/// The config's `mixed_precision` in place of what the trainer has written over it.
fn in_config(subject: &Subject<'_>, origin: &Origin) -> Origin {
    match subject.top("mixed_precision") {
        Some(place)
            if matches!(
                origin.voice,
                Voice::RecipeKey | Voice::ScriptArgument | Voice::Framework
            ) =>
        {
            Origin {
                voice: Voice::ConfigKey,
                name: "mixed_precision".to_owned(),
                place: Some(place),
            }
        }
        _ => origin.clone(),
    }
}
