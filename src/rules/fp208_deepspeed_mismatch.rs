//! FP208: the DeepSpeed config and the trainer's arguments differ.

use crate::resolve::{Cause, Verdict, Voice};

use super::{
    Confidence, Example, Finding, Fix, Rule, Safety, Severity, Subject, advice, mend, voices,
};

pub(crate) static RULE: Rule = Rule {
    code: "FP208",
    name: "deepspeed-mismatch",
    severity: Severity::Error,
    confidence: Confidence::Certain,
    summary: "The DeepSpeed config and the recipe say different things, and the Trainer raises.",
    explanation: "\
When the training starts, the Trainer holds the DeepSpeed config against its own arguments, those included that nobody wrote,
and raises for every value that differs and is not `auto` (transformers/integrations/deepspeed.py:
HfTrainerDeepSpeedConfig.trainer_config_process, trainer_config_finalize). accelerate's own DeepSpeed settings are such a
config: `mixed_precision: fp8` or `bf16` writes `bf16.enabled: true` into it, so that a recipe without `bf16` fails; with
`bf16: true` in the recipe it passes and fp8 is off. `bf16_full_eval: true` is the one argument that satisfies the
comparison and keeps fp8.",
    examples: &[
        Example::fails(
            "fp8 under DeepSpeed, and no bf16 in the recipe",
            "accelerate launch --config_file accelerate.yaml train.py recipe.yaml\n",
        )
        .named("train.sh")
        .with(&[
            ("accelerate.yaml", "distributed_type: DEEPSPEED\nmixed_precision: fp8\nnum_processes: 8\ndeepspeed_config:\n  gradient_accumulation_steps: 1\n  zero_stage: 2\n"),
            ("recipe.yaml", "output_dir: out\nper_device_train_batch_size: 4\nnum_train_epochs: 1\nlearning_rate: 0.00002\n"),
        ]),
        Example::fails(
            "the JSON says bf16, the recipe fp16",
            "torchrun --nproc_per_node 8 train.py recipe.yaml\n",
        )
        .named("train.sh")
        .with(&[
            ("ds.json", "{\"zero_optimization\": {\"stage\": 2}, \"bf16\": {\"enabled\": true}, \"train_micro_batch_size_per_gpu\": \"auto\"}\n"),
            ("recipe.yaml", "output_dir: out\nper_device_train_batch_size: 4\nnum_train_epochs: 1\nlearning_rate: 0.00002\ndeepspeed: ds.json\n"),
        ]),
        Example::passes(
            "auto takes what the recipe says",
            "torchrun --nproc_per_node 8 train.py recipe.yaml\n",
        )
        .named("train.sh")
        .with(&[
            ("ds.json", "{\"zero_optimization\": {\"stage\": 2}, \"bf16\": {\"enabled\": \"auto\"}, \"train_micro_batch_size_per_gpu\": \"auto\"}\n"),
            ("recipe.yaml", "output_dir: out\nper_device_train_batch_size: 4\nnum_train_epochs: 1\nlearning_rate: 0.00002\nbf16: true\ndeepspeed: ds.json\n"),
        ]),
    ],
    check,
};

fn check(subject: &Subject<'_>, findings: &mut Vec<Finding>) {
    for exception in subject.caused_by(&[Cause::TrainerDeepSpeed]) {
        // What the recipe says, or the DeepSpeed side where the recipe says nothing.
        let said = exception
            .origins
            .iter()
            .find(|origin| origin.place.is_some() && voices::is_of_trainer(origin));
        let Some(at) = said.or_else(|| {
            exception
                .origins
                .iter()
                .find(|origin| origin.place.is_some())
        }) else {
            continue;
        };
        let message = format!(
            "{} raises when the training starts: {}",
            voices::versions(subject),
            advice::shown(exception)
        );
        let mut finding = RULE.finding(message, subject.label(at, "differs"));
        finding.key = subject.key(at);
        let others = exception.origins.iter().filter(|other| *other != at);
        finding.related.extend(subject.labels(others, "from this"));
        finding.related.extend(voices::command(subject));
        let asked = voices::launched(subject, &subject.outcome);
        let asks_fp8 = asked.as_ref().is_some_and(|asked| asked.value == "fp8");
        let is_kept = |arguments: &[(&str, bool)]| {
            matches!(
                subject
                    .of(&voices::with_arguments(subject, arguments))
                    .last()
                    .verdict,
                Verdict::Fp8(_)
            )
        };
        finding.help = Some(match asks_fp8 {
            true if is_kept(&[("bf16_full_eval", true)]) => {
                "write bf16_full_eval: true in the recipe: bf16: true would turn fp8 off".to_owned()
            }
            _ => "write the same on both sides, or \"auto\" in the DeepSpeed config".to_owned(),
        });
        let mut by_deepspeed = exception.origins.iter();
        let by_deepspeed = by_deepspeed.find(|origin| origin.voice == Voice::DeepSpeedKey);
        if let Some(origin) = by_deepspeed.filter(|_| !asks_fp8) {
            let title = format!("write \"auto\" for {} in the DeepSpeed config", origin.name);
            let fix = Fix::of(title, Safety::Unsafe, mend::value(subject, origin, "auto"));
            finding.fixes.extend(fix);
        }
        if let Some(asked) = asked {
            finding.outcome = Some(subject.asked_and_runs(&asked.value, &subject.outcome));
        }
        voices::doubt_what_is_not_written(subject, &mut finding, said);
        findings.push(finding);
    }
}
