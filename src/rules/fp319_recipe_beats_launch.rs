//! FP319: the launch asks for a precision, and the recipe has the last word.

use crate::formats::recipe::Framework;
use crate::resolve::{Origin, Verdict, Voice};

use super::keeping::keeps_fp8;
use super::{
    AskedAndRuns, Confidence, Example, Finding, Rule, Severity, Subject, precision_that_runs,
};
use super::{recipe_fp8, voices};

pub(crate) static RULE: Rule = Rule {
    code: "FP319",
    name: "recipe-beats-launch",
    severity: Severity::Error,
    confidence: Confidence::Certain,
    summary: "The launch asks for one precision, and the recipe's bf16 or fp16 trains in another.",
    explanation: "\
`TrainingArguments` has the last word over config, flags and environment: up to transformers 4.57 it overwrites
`ACCELERATE_MIXED_PRECISION`, from 5.0 on the Trainer passes its own precision to `Accelerator()`
(transformers/training_args.py:TrainingArguments.__post_init__, trainer.py:_build_accelerator_args). No message says so. The
key need not be written: every config of TRL from 0.19 on turns `bf16` on unless `fp16` is (trl/trainer/base_config.py), and
axolotl's default is `bf16: auto`. An error where fp8 is lost, a warning where bf16 and fp16 are exchanged.",
    examples: &[
        Example::fails(
            "bf16 in the recipe",
            "accelerate launch --config_file accelerate.yaml train.py recipe.yaml\n",
        )
        .named("train.sh")
        .with(&[
            ("accelerate.yaml", "distributed_type: 'NO'\nmixed_precision: fp8\n"),
            ("recipe.yaml", "output_dir: out\nper_device_train_batch_size: 4\nnum_train_epochs: 1\nlearning_rate: 0.00002\nbf16: true\n"),
        ]),
        Example::fails(
            "nobody wrote it: TRL's default",
            "accelerate launch --config_file accelerate.yaml sft.py --config recipe.yaml\n",
        )
        .named("train.sh")
        .with(&[
            ("accelerate.yaml", "distributed_type: 'NO'\nmixed_precision: fp8\n"),
            ("recipe.yaml", "model_name_or_path: org/model\ndataset_name: org/data\nmax_length: 2048\npacking: true\noutput_dir: out\nper_device_train_batch_size: 4\nnum_train_epochs: 1\n"),
        ]),
        Example::passes(
            "both say bf16",
            "accelerate launch --config_file accelerate.yaml train.py recipe.yaml\n",
        )
        .named("train.sh")
        .with(&[
            ("accelerate.yaml", "distributed_type: 'NO'\nmixed_precision: bf16\n"),
            ("recipe.yaml", "output_dir: out\nper_device_train_batch_size: 4\nnum_train_epochs: 1\nlearning_rate: 0.00002\nbf16: true\n"),
        ]),
    ],
    check,
};

fn check(subject: &Subject<'_>, findings: &mut Vec<Finding>) {
    let last = subject.last();
    let (Some(asked), Some((decided, decider))) =
        (voices::launched(subject, last), voices::decided(last))
    else {
        return;
    };
    let runs = match (&last.verdict, precision_that_runs(last)) {
        (Verdict::NoFp8 { .. } | Verdict::InitOnly { .. }, Some(runs)) => runs,
        _ => return,
    };
    if decided == asked.value || !voices::is_of_trainer(decider) || asks_itself(subject) {
        return;
    }
    // A text that turns it on has a rule of its own.
    let is_text = |ask: &crate::resolve::Ask| {
        ask.origin == *decider && matches!(ask.value, crate::source::Object::Str(_))
    };
    let by_trl = subject
        .run
        .trainer
        .as_ref()
        .is_some_and(|trainer| trainer.framework == Framework::Trl);
    if !by_trl && subject.asks.iter().any(is_text) {
        return;
    }
    let message = format!(
        "{} is asked for, and {} trains in {runs}, without a message: {} has the last word",
        asked.value,
        voices::versions(subject),
        voices::named(subject, decider)
    );
    let label = match decider.place {
        Some(_) => "this decides",
        None if decided == "no" => "nothing here asks for a precision",
        None => "`bf16` is on here although nobody writes it",
    };
    let mut finding = RULE.finding(message, subject.label(decider, label));
    finding.key = subject.key(decider);
    finding.related = voices::others(subject, Some(&asked.origin), &finding.primary);
    match keeps_fp8(subject) {
        Some(keeping) if asked.value == "fp8" && !is_mixed_precision(decider) => {
            keeping.advise(subject, &mut finding);
        }
        _ => finding.help = help(subject, &asked.value, decider),
    }
    if asked.value != "fp8" {
        finding.severity = Severity::Warning;
    }
    finding.outcome = Some(AskedAndRuns {
        asked: asked.value,
        runs,
    });
    voices::doubt_what_is_not_written(subject, &mut finding, Some(decider));
    findings.push(finding);
}

/// A recipe whose framework has a key `fp8` and that sets it has rules of its own.
fn asks_itself(subject: &Subject<'_>) -> bool {
    let trainer = subject.run.trainer.as_ref();
    trainer
        .is_some_and(|trainer| recipe_fp8::has_key(trainer) && recipe_fp8::asked(trainer).is_some())
}

/// Whether the script's own `mixed_precision` decides.
fn is_mixed_precision(decider: &Origin) -> bool {
    decider.name.trim_start_matches('-') == "mixed_precision"
}

fn help(subject: &Subject<'_>, asked: &str, decider: &Origin) -> Option<String> {
    if asked == "fp8" && is_mixed_precision(decider) {
        let is_script = decider.voice == Voice::ScriptArgument && subject.run.trainer.is_none();
        let help = match is_script {
            true => "remove it, so that the launch decides",
            false => "write mixed_precision: fp8 there",
        };
        return Some(help.to_owned());
    }
    if asked == "fp8" {
        return None;
    }
    let what = match decider.place {
        Some(_) => format!("remove `{}`", decider.name),
        None => "write `bf16: false`".to_owned(),
    };
    Some(format!(
        "{what}, or ask for the same precision on both sides"
    ))
}
