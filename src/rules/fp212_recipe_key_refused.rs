//! FP212: a recipe asks for a precision by a key that its trainer does not have.

use crate::formats::recipe::Framework;
use crate::knowledge::trainers::LlamaFactoryFp8;
use crate::resolve::{Cause, Origin, Value, Voice};

use super::{
    AskedAndRuns, Confidence, Example, Finding, Rule, Severity, Subject, advice, mend, voices,
};

pub(crate) static RULE: Rule = Rule {
    code: "FP212",
    name: "recipe-key-refused",
    severity: Severity::Error,
    confidence: Confidence::Likely,
    summary: "A key or argument about precision is none of the trainer's, which refuses it.",
    explanation: "\
No `TrainingArguments` has `fp8`, `fp8_config`, `fp8_backend` or `mixed_precision`, and from transformers 5.0 on none has
`half_precision_backend`, `fp16_backend` or `fp16_opt_level`. `HfArgumentParser` raises for what none of the script's
dataclasses has (transformers/hf_argparser.py:HfArgumentParser.parse_dict, parse_args_into_dataclasses). LLaMA-Factory has
`fp8` from 0.9.4 on, and TRL has none: its parser refuses the key, and TRL's own scripts drop it without a word. The script
may have a dataclass with such a field, so that this is likely and not certain; `fp8` is reported where
`per_device_train_batch_size` or another argument of a Trainer stands beside it. `mixed_precision` is the name that scripts
with an `Accelerator` of their own use, and is only reported beside `bf16`, `fp16` or `fp8`, or as fp8 beside what only a
Trainer has (`save_strategy`, `eval_strategy`, `do_train` and the like).",
    examples: &[
        Example::fails(
            "fp8 in a recipe for transformers",
            "output_dir: out\nper_device_train_batch_size: 4\nnum_train_epochs: 1\nlearning_rate: 0.00002\nfp8: true\n",
        )
        .named("recipe.yaml"),
        Example::fails(
            "mixed_precision beside bf16",
            "output_dir: out\nper_device_train_batch_size: 4\nnum_train_epochs: 1\nlearning_rate: 0.00002\nbf16: true\nmixed_precision: bf16\n",
        )
        .named("recipe.yaml"),
        Example::fails(
            "after an upgrade to transformers 5",
            "output_dir: out\nper_device_train_batch_size: 4\nnum_train_epochs: 1\nlearning_rate: 0.00002\nfp16: true\nhalf_precision_backend: auto\n",
        )
        .named("recipe.yaml"),
        Example::fails(
            "LLaMA-Factory before fp8",
            "model_name_or_path: org/model\nstage: sft\ndo_train: true\nfinetuning_type: full\ndataset: alpaca\ntemplate: llama3\noutput_dir: out\nbf16: true\nfp8: true\n",
        )
        .named("recipe.yaml")
        .under(&["llamafactory=0.9.3"]),
        Example::fails(
            "TRL has no fp8",
            "accelerate launch --config_file accelerate.yaml sft.py --config recipe.yaml\n",
        )
        .named("train.sh")
        .with(&[
            ("accelerate.yaml", "distributed_type: 'NO'\nmixed_precision: 'no'\n"),
            ("recipe.yaml", "model_name_or_path: org/model\ndataset_name: org/data\nmax_length: 2048\npacking: true\noutput_dir: out\nper_device_train_batch_size: 4\nnum_train_epochs: 1\nfp8: true\n"),
        ]),
        Example::passes(
            "a script that builds its own Accelerator",
            "output_dir: out\nlearning_rate: 0.00002\nmax_steps: 1000\ngradient_accumulation_steps: 4\nlr_scheduler_type: cosine\nmixed_precision: fp16\n",
        )
        .named("train.yaml"),
        Example::passes(
            "such a script with an fp8 of its own",
            "output_dir: out\nlearning_rate: 0.00002\nmax_steps: 1000\ngradient_accumulation_steps: 4\nlr_scheduler_type: cosine\nfp8: true\n",
        )
        .named("train.yaml"),
        Example::passes(
            "mixed_precision beside what such scripts share with transformers",
            "accelerate launch train.py --output_dir out --per_device_train_batch_size 4 --learning_rate 2e-5 --num_train_epochs 3 --mixed_precision fp8\n",
        )
        .named("train.sh"),
        Example::passes(
            "transformers 4 has the backend",
            "output_dir: out\nper_device_train_batch_size: 4\nnum_train_epochs: 1\nlearning_rate: 0.00002\nfp16: true\nhalf_precision_backend: auto\n",
        )
        .named("recipe.yaml")
        .under(&["transformers=4.57.6"]),
    ],
    check,
};

fn check(subject: &Subject<'_>, findings: &mut Vec<Finding>) {
    let Some(trainer) = &subject.run.trainer else {
        return;
    };
    let version = voices::trainer_version(trainer);
    for exception in subject.caused_by(&[Cause::TrainerKey]) {
        let (placed, _): (Vec<_>, Vec<_>) = exception
            .origins
            .iter()
            .partition(|origin| origin.place.is_some());
        let Some((at, others)) = placed.split_first() else {
            continue;
        };
        let message = format!(
            "`{}` is no argument of the trainer: {version} raises before `Accelerator()`: {}",
            at.name,
            advice::shown(exception)
        );
        let mut finding = finding(subject, message, at);
        finding
            .related
            .extend(subject.labels(others.iter().copied(), "is none either"));
        finding.related.extend(voices::command(subject));
        if trainer.framework == Framework::LlamaFactory {
            finding.confidence = Confidence::Certain;
        }
        if is_fp8(subject, at) {
            finding.outcome = Some(subject.asked_and_runs("fp8", &subject.outcome));
        }
        findings.push(finding);
    }
    if trainer.framework == Framework::Trl {
        of_trl(subject, &version, findings);
    }
}

/// TRL refuses `fp8` or drops it: which of them is in the script.
fn of_trl(subject: &Subject<'_>, version: &str, findings: &mut Vec<Finding>) {
    let trainer = subject.run.trainer.iter();
    let arguments = trainer.flat_map(|trainer| &trainer.arguments);
    for (name, value) in arguments {
        let Value::Known { value, origin } = value else {
            continue;
        };
        if !["fp8", "fp8_config"].contains(&name.as_str()) || !value.truthy() {
            continue;
        }
        let message = format!(
            "`{}` is no argument of TRL's: the parser of {version} refuses it, and TRL's own scripts drop it without a \
             message",
            origin.name
        );
        let mut finding = finding(subject, message, origin);
        finding.related.extend(voices::command(subject));
        finding.outcome = Some(AskedAndRuns {
            asked: "fp8".to_owned(),
            runs: "refused, or without fp8".to_owned(),
        });
        findings.push(finding);
    }
}

fn finding(subject: &Subject<'_>, message: String, at: &Origin) -> Finding {
    let mut finding = RULE.finding(message, subject.label(at, "nothing reads this"));
    finding.key = subject.key(at);
    finding.help = Some(help(subject, at));
    finding
        .fixes
        .extend(mend::drop_key(at, is_fp8(subject, at)));
    finding
}

fn name(origin: &Origin) -> &str {
    origin.name.trim_start_matches('-')
}

/// Whether the key asks for fp8, by its name or its value.
fn is_fp8(subject: &Subject<'_>, origin: &Origin) -> bool {
    let value = subject.asks.iter().find(|ask| ask.origin == *origin);
    let is_asked = value.is_some_and(|ask| match name(origin) {
        "mixed_precision" => ask.value.python_str() == "fp8",
        other => other.starts_with("fp8") && ask.value.truthy(),
    });
    is_asked && matches!(origin.voice, Voice::RecipeKey | Voice::ScriptArgument)
}

fn help(subject: &Subject<'_>, at: &Origin) -> String {
    let is_llamafactory = subject
        .run
        .trainer
        .as_ref()
        .is_some_and(|trainer| trainer.framework == Framework::LlamaFactory);
    let is_trl = subject
        .run
        .trainer
        .as_ref()
        .is_some_and(|trainer| trainer.framework == Framework::Trl);
    let mut in_config = "write this in the accelerate config, and launch with it:\n\
                     mixed_precision: fp8\nfp8_config:\n  backend: AO  # torchao; or TE (Transformer Engine), MSAMP"
        .to_owned();
    if is_trl {
        in_config.push_str("\nand in the recipe, where bf16 is on without the key:\nbf16: false");
    }
    match name(at) {
        _ if is_llamafactory => format!(
            "use LLaMA-Factory {}, or drop the key",
            LlamaFactoryFp8::PretrainingAndSft.versions()
        ),
        key if key.starts_with("fp8") => in_config,
        "mixed_precision" if is_fp8(subject, at) => in_config,
        "mixed_precision" => {
            "write bf16: true or fp16: true in its place, or mixed_precision in the accelerate config".to_owned()
        }
        _ => "drop it: transformers 5 has only one way of mixed precision".to_owned(),
    }
}
