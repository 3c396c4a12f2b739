//! FP213: torchao's fp8 trains, and the first checkpoint cannot be written.

use crate::knowledge::AoAllGatherDefault;
use crate::resolve::{Cause, Value};

use super::{
    AskedAndRuns, Confidence, Example, Finding, Rule, Severity, Subject, advice, mend, voices,
};

pub(crate) static RULE: Rule = Rule {
    code: "FP213",
    name: "checkpoint-save",
    severity: Severity::Error,
    confidence: Confidence::Certain,
    summary: "fp8 by torchao trains until the first checkpoint, and the Trainer cannot write it.",
    explanation: "\
From accelerate 1.13.0 on, a torchao recipe without a config of its own has `enable_fsdp_float8_all_gather=True`
(accelerate, utils/dataclasses.py:AORecipeKwargs.__post_init__). The weights are then tensors of a torchao class that only
FSDP2 gathers; on one GPU or under DDP, `Trainer.save_model` raises `RuntimeError: Attempted to access the data pointer on
an invalid python storage` from safetensors (ran with transformers 4.57.6 and 5.24.0, torchao 0.9 to 0.17). The default
`save_strategy` is `steps`, so that a run without the key saves too. Only runs on one GPU or under DDP, without an adapter,
are reported.",
    examples: &[
        Example::fails(
            "nothing switches saving off",
            "accelerate launch --config_file accelerate.yaml train.py recipe.yaml\n",
        )
        .named("train.sh")
        .with(&[
            ("accelerate.yaml", "distributed_type: MULTI_GPU\nnum_processes: 8\nmixed_precision: fp8\nfp8_config:\n  backend: AO\n"),
            ("recipe.yaml", "output_dir: out\nper_device_train_batch_size: 4\nnum_train_epochs: 1\nlearning_rate: 0.00002\n"),
        ]),
        Example::passes(
            "the all-gather is off",
            "accelerate launch --config_file accelerate.yaml train.py recipe.yaml\n",
        )
        .named("train.sh")
        .with(&[
            ("accelerate.yaml", "distributed_type: MULTI_GPU\nnum_processes: 8\nmixed_precision: fp8\nfp8_config:\n  backend: AO\n  enable_fsdp_float8_all_gather: false\n"),
            ("recipe.yaml", "output_dir: out\nper_device_train_batch_size: 4\nnum_train_epochs: 1\nlearning_rate: 0.00002\n"),
        ]),
        Example::passes(
            "nothing is saved",
            "accelerate launch --config_file accelerate.yaml train.py --output_dir out --per_device_train_batch_size 4 --learning_rate 2e-5 --save_strategy no\n",
        )
        .named("train.sh")
        .with(&[("accelerate.yaml", "distributed_type: MULTI_GPU\nnum_processes: 8\nmixed_precision: fp8\nfp8_config:\n  backend: AO\n")]),
        Example::passes(
            "FSDP2 gathers the weights",
            "accelerate launch --config_file accelerate.yaml train.py recipe.yaml\n",
        )
        .named("train.sh")
        .with(&[
            ("accelerate.yaml", "distributed_type: FSDP\nnum_processes: 8\nmixed_precision: fp8\nfsdp_config:\n  fsdp_version: 2\n  fsdp_cpu_ram_efficient_loading: false\nfp8_config:\n  backend: AO\n"),
            ("recipe.yaml", "output_dir: out\nper_device_train_batch_size: 4\nnum_train_epochs: 1\nlearning_rate: 0.00002\n"),
        ]),
    ],
    check,
};

fn check(subject: &Subject<'_>, findings: &mut Vec<Finding>) {
    let (Some(exception), Some(trainer)) = (
        subject.caused_by(&[Cause::CheckpointSave]).next(),
        &subject.run.trainer,
    ) else {
        return;
    };
    let last = subject.last();
    let Some(fp8) = voices::launched(subject, last).filter(|asked| asked.value == "fp8") else {
        return;
    };
    let message = format!(
        "{} trains in fp8 until the first checkpoint, which cannot be written: {}",
        voices::versions(subject),
        advice::shown(exception)
    );
    let backend = last
        .decision("fp8_backend")
        .map(|decision| &decision.origin);
    let named = backend.filter(|origin| origin.place.is_some());
    let at = named.unwrap_or(&fp8.origin);
    let mut finding = RULE.finding(
        message,
        subject.label(at, "float8 all-gather is on by default here"),
    );
    finding.key = subject.key(at);
    if let Some(Value::Known { origin, .. }) = trainer.arguments.get("save_strategy") {
        finding
            .related
            .push(subject.label(origin, "checkpoints are asked for here"));
    }
    finding.related.extend(voices::command(subject));
    if named.is_none() {
        finding.confidence = Confidence::Likely;
        finding
            .notes
            .push("no backend is named: torchao is taken where it is installed".to_owned());
    }
    finding.notes.push(format!(
        "the default is on in accelerate {}",
        advice::intervals(AoAllGatherDefault::On.intervals())
    ));
    finding.help = Some(
        "write this in the accelerate config:\nfp8_config:\n  enable_fsdp_float8_all_gather: false"
            .to_owned(),
    );
    finding.fixes.extend(mend::without_all_gather(subject));
    finding.outcome = Some(AskedAndRuns {
        asked: "fp8".to_owned(),
        runs: "fp8 until the first checkpoint".to_owned(),
    });
    findings.push(finding);
}
