//! FP333: fp8 asked of ms-swift's Trainer path, which has none.

use crate::formats::recipe::Framework;
use crate::resolve::{Origin, Value};

use super::{
    AskedAndRuns, Confidence, Example, Finding, Rule, Severity, Subject, precision_that_runs,
    voices,
};

pub(crate) static RULE: Rule = Rule {
    code: "FP333",
    name: "swift-fp8",
    severity: Severity::Error,
    confidence: Confidence::Likely,
    summary: "fp8 is asked of `swift sft` and its like, which train in bf16 or fp16 only.",
    explanation: "\
`fp8_format`, `fp8_recipe` and the other keys about fp8 belong to Megatron-SWIFT (`megatron sft`). The commands of `swift` train by
the Trainer and have no fp8: `torch_dtype`, the model's own where nobody says it, turns bf16 or fp16 on, and that beats a
precision from the environment (swift/trainers/arguments.py; read in 2.6.1 to 4.6.0). `quant_method: fp8` is another thing, the
quantisation of frozen weights.",
    examples: &[
        Example::fails(
            "Megatron's key under swift",
            "NPROC_PER_NODE=8 swift sft --model org/model --dataset org/data --torch_dtype bfloat16 --fp8_recipe blockwise --fp8_format e4m3\n",
        )
        .named("train.sh"),
        Example::passes(
            "the same under Megatron-SWIFT",
            "NPROC_PER_NODE=8 megatron sft --model org/model --dataset org/data --fp8_recipe blockwise --fp8_format e4m3\n",
        )
        .named("train.sh"),
        Example::passes(
            "weights in fp8",
            "swift sft --model org/model --dataset org/data --torch_dtype bfloat16 --quant_method fp8\n",
        )
        .named("train.sh"),
    ],
    check,
};

/// Keys that ask for fp8: one that people expect, and those of Megatron-SWIFT.
const FP8_KEYS: [&str; 6] = [
    "fp8",
    "fp8_format",
    "fp8_recipe",
    "fp8_param_gather",
    "fp8_amax_history_len",
    "fp8_amax_compute_algo",
];

fn check(subject: &Subject<'_>, findings: &mut Vec<Finding>) {
    let trainer = subject
        .run
        .trainer
        .as_ref()
        .filter(|trainer| trainer.framework == Framework::Swift);
    // `megatron` is not followed.
    let (Some(trainer), Some(_), None) = (trainer, &subject.run.command, &subject.run.unknown)
    else {
        return;
    };
    let keys = FP8_KEYS.iter().filter_map(|name| trainer.known(name));
    let keys: Vec<&Origin> = keys
        .filter(|said| said.value.truthy())
        .map(|said| said.origin)
        .collect();
    let of_environment = asked_by_environment(subject);
    // Where the recipe's dtype decides, FP319 tells of the environment.
    let is_told = voices::decided(subject.last()).is_some();
    let Some(first) = keys
        .first()
        .copied()
        .or(of_environment.as_ref().filter(|_| !is_told))
    else {
        return;
    };
    let why = match keys.is_empty() {
        false if first.name.trim_start_matches('-') == "fp8" => {
            format!("`{}` is none of its arguments", first.name)
        }
        false => format!("`{}` is a key of Megatron-SWIFT", first.name),
        true => "the dtype of the model turns bf16 or fp16 on, which has the last word".to_owned(),
    };
    let message = format!(
        "fp8 is asked for, and {} never trains in fp8 by this command: {why}",
        voices::trainer_version(trainer)
    );
    let mut finding = RULE.finding(message, subject.label(first, "without effect"));
    finding.key = subject.key(first);
    finding.related.extend(
        keys.iter()
            .skip(1)
            .map(|other| subject.label(other, "without effect")),
    );
    finding
        .related
        .extend(voices::others(subject, None, &finding.primary));
    finding.help = Some("train with `megatron sft`, or remove it".to_owned());
    finding.outcome = Some(AskedAndRuns {
        asked: "fp8".to_owned(),
        runs: precision_that_runs(subject.last()).unwrap_or_else(|| "bf16 or fp16".to_owned()),
    });
    findings.push(finding);
}

/// The variable that asks for fp8.
fn asked_by_environment(subject: &Subject<'_>) -> Option<Origin> {
    let is_off = |name: &str| {
        let said = subject
            .run
            .trainer
            .as_ref()
            .and_then(|trainer| trainer.known(name));
        said.is_some_and(|said| !said.value.truthy())
    };
    let Value::Known { value, origin } =
        subject.run.environment.get("ACCELERATE_MIXED_PRECISION")?
    else {
        return None;
    };
    let is_asked = value.to_lowercase() == "fp8" && !(is_off("bf16") && is_off("fp16"));
    is_asked.then(|| origin.clone())
}
