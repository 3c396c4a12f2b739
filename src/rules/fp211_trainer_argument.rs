//! FP211: the trainer's own arguments contradict each other, or one has a value that it does not take.

use crate::resolve::{Cause, Exception, Origin, Value};
use crate::source::Object;

use super::{Confidence, Example, Finding, Rule, Severity, Subject, advice, voices};

pub(crate) static RULE: Rule = Rule {
    code: "FP211",
    name: "trainer-argument",
    severity: Severity::Error,
    confidence: Confidence::Certain,
    summary: "The arguments of the trainer exclude each other, or one has a value that it does not take: it raises before training.",
    explanation: "\
`TrainingArguments` takes at most one of `bf16` and `fp16`, and at most one of `bf16_full_eval` and `fp16_full_eval`
(transformers/training_args.py:TrainingArguments.__post_init__; every version read from 4.30 to 5.24). `accelerator_config`
is not an accelerate config: it knows batches, data loaders and gradient accumulation, and nothing about precision
(transformers/trainer_pt_utils.py:AcceleratorConfig). LLaMA-Factory refuses fp8 beside quantization. axolotl is none of
these: it lets `bf16` win over `fp16`.",
    examples: &[
        Example::fails(
            "bf16 and fp16",
            "output_dir: out\nper_device_train_batch_size: 4\nnum_train_epochs: 1\nlearning_rate: 0.00002\nbf16: true\nfp16: true\n",
        )
        .named("recipe.yaml"),
        Example::fails(
            "the script's argument joins the recipe",
            "torchrun --nproc_per_node 8 train.py --output_dir out --per_device_train_batch_size 4 --learning_rate 2e-5 --save_strategy no --bf16 --fp16\n",
        )
        .named("train.sh"),
        Example::fails(
            "a precision in accelerator_config",
            "output_dir: out\nper_device_train_batch_size: 4\nnum_train_epochs: 1\nlearning_rate: 0.00002\naccelerator_config:\n  mixed_precision: fp8\n",
        )
        .named("recipe.yaml"),
        Example::fails(
            "axolotl's documentation shows it, its schema refuses it",
            "base_model: org/model\ndatasets:\n  - path: org/data\n    type: alpaca\nmicro_batch_size: 2\nbf16: full\n",
        )
        .named("recipe.yaml"),
        Example::fails(
            "an example script of diffusers knows no fp8",
            "accelerate launch train_text_to_image.py --pretrained_model_name_or_path org/model --mixed_precision fp8\n",
        )
        .named("train.sh")
        .with(&[]),
        Example::passes(
            "one of them is off",
            "output_dir: out\nper_device_train_batch_size: 4\nnum_train_epochs: 1\nlearning_rate: 0.00002\nbf16: true\nfp16: false\naccelerator_config:\n  split_batches: true\n",
        )
        .named("recipe.yaml"),
        Example::passes(
            "axolotl's templates name both",
            "base_model: org/model\ndatasets:\n  - path: org/data\n    type: alpaca\nmicro_batch_size: 2\nnum_epochs: 1\nsequence_len: 2048\nbf16: auto\nfp16: true\n",
        )
        .named("recipe.yaml"),
    ],
    check,
};

fn check(subject: &Subject<'_>, findings: &mut Vec<Finding>) {
    for exception in subject.caused_by(&[Cause::TrainerArgument]) {
        let Some(at) = exception
            .origins
            .iter()
            .find(|origin| origin.place.is_some())
        else {
            continue;
        };
        let trainer = subject.run.trainer.as_ref();
        let who = trainer.map_or_else(|| "the script".to_owned(), voices::trainer_version);
        let message = format!(
            "{who} raises before `Accelerator()`: {}",
            advice::shown(exception)
        );
        let mut finding = RULE.finding(message, subject.label(at, "is refused"));
        finding.key = subject.key(at);
        let others = exception.origins.iter().filter(|other| *other != at);
        finding
            .related
            .extend(subject.labels(others, "together with this"));
        finding.related.extend(voices::command(subject));
        finding.help = Some(help(subject, exception, at));
        if voices::is_guessed(subject) && subject.run.command.is_none() {
            finding.confidence = Confidence::Likely;
        }
        if let Some(asked) = voices::launched(subject, &subject.outcome) {
            finding.outcome = Some(subject.asked_and_runs(&asked.value, &subject.outcome));
        }
        findings.push(finding);
    }
}

fn help(subject: &Subject<'_>, exception: &Exception, at: &Origin) -> String {
    let quoted = exception
        .origins
        .iter()
        .find(|origin| is_text(subject, origin));
    match (at.name.trim_start_matches('-'), exception.kind.as_str(), quoted) {
        ("accelerator_config", ..) => {
            "write bf16: true or fp16: true in the recipe, or mixed_precision in the accelerate config".to_owned()
        }
        ("mixed_precision", "SystemExit", _) => {
            "remove it, and say the precision to the launch: `accelerate launch --mixed_precision fp8`".to_owned()
        }
        ("bf16", "ValidationError", _) => "write bf16: auto, true or false".to_owned(),
        ("fp8_config", "ValidationError", _) => {
            "write fp8: true, and of fp8_config only recipe: tensorwise, rowwise or rowwise_with_gw_hp".to_owned()
        }
        ("fp8_enable_fsdp_float8_all_gather", "ValidationError", _) => {
            "write fsdp_version: 2 with the recipe tensorwise, or remove the key".to_owned()
        }
        (_, "SystemExit", _) => format!("write `{}: true` or `{0}: false`", at.name),
        ("fp8", ..) => "drop fp8, or train an unquantized model".to_owned(),
        (.., Some(quoted)) => format!(
            "take the quotes from `{}`: any text counts as true there",
            quoted.name
        ),
        _ => {
            let names: Vec<String> = exception.origins.iter().map(|origin| format!("`{}`", origin.name)).collect();
            format!("keep one of {}", names.join(" and "))
        }
    }
}

/// Whether an argument of a switch is written as text.
fn is_text(subject: &Subject<'_>, origin: &Origin) -> bool {
    let arguments = subject
        .run
        .trainer
        .iter()
        .flat_map(|trainer| trainer.arguments.values());
    let mut same = arguments.filter_map(|value| match value {
        Value::Known { value, origin: own } if own == origin => Some(value),
        _ => None,
    });
    same.any(|value| matches!(value, Object::Str(_)))
}
