//! FP209: the Trainer prepares the model without its optimizer.

use crate::knowledge::trainers::Fsdp1Prepare;
use crate::resolve::Cause;

use super::{Confidence, Example, Finding, Rule, Severity, Subject, voices};

pub(crate) static RULE: Rule = Rule {
    code: "FP209",
    name: "te-model-alone",
    severity: Severity::Error,
    confidence: Confidence::Certain,
    summary: "Transformer Engine under FSDP1: the Trainer prepares the model without its optimizer, which raises.",
    explanation: "\
Under FSDP1 the Trainer creates the optimizer after the model was prepared. Transformer Engine replaces the parameters, so
accelerate demands both together (accelerator.py:Accelerator.prepare). From transformers 4.47 to 5.2 the Trainer made an
exception for fp8; it was lost in 5.3.0 (transformers/trainer.py:Trainer._prepare_for_training). Under FSDP2 both are prepared
together from 4.47 on.",
    examples: &[
        Example::fails(
            "FSDP1 with the newest transformers",
            "accelerate launch --config_file accelerate.yaml train.py recipe.yaml\n",
        )
        .named("train.sh")
        .with(&[
            ("accelerate.yaml", "distributed_type: FSDP\nmixed_precision: fp8\nnum_processes: 8\nfsdp_config:\n  fsdp_version: 1\n  fsdp_cpu_ram_efficient_loading: false\nfp8_config:\n  backend: TE\n"),
            ("recipe.yaml", "output_dir: out\nper_device_train_batch_size: 4\nnum_train_epochs: 1\nlearning_rate: 0.00002\n"),
        ]),
        Example::passes(
            "a transformers that prepares both",
            "accelerate launch --config_file accelerate.yaml train.py recipe.yaml\n",
        )
        .named("train.sh")
        .with(&[
            ("accelerate.yaml", "distributed_type: FSDP\nmixed_precision: fp8\nnum_processes: 8\nfsdp_config:\n  fsdp_version: 1\n  fsdp_cpu_ram_efficient_loading: false\nfp8_config:\n  backend: TE\n"),
            ("recipe.yaml", "output_dir: out\nper_device_train_batch_size: 4\nnum_train_epochs: 1\nlearning_rate: 0.00002\n"),
        ])
        .under(&["transformers=5.2.0"]),
    ],
    check,
};

fn check(subject: &Subject<'_>, findings: &mut Vec<Finding>) {
    for exception in subject.caused_by(&[Cause::TrainerModelAlone]) {
        let (Some(origin), Some(trainer)) = (exception.origins.first(), &subject.run.trainer)
        else {
            continue;
        };
        let message = format!(
            "transformers {} with {} raises in `accelerator.prepare()`: ValueError: You must pass a model and an \
             optimizer together to `accelerate.prepare()` when using TransformerEngine",
            trainer.transformers,
            subject.version()
        );
        let mut finding = RULE.finding(message, subject.label(origin, "Transformer Engine"));
        finding.key = subject.key(origin);
        let others = exception.origins.iter().skip(1);
        finding.related.extend(subject.labels(others, "with this"));
        finding.related.extend(voices::command(subject));
        finding.help = Some(format!(
            "use transformers {}, or torchao as the backend",
            Fsdp1Prepare::Together.versions()
        ));
        finding.outcome = Some(subject.asked_and_runs("fp8", &subject.outcome));
        findings.push(finding);
    }
}
