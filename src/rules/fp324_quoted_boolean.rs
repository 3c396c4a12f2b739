//! FP324: a text where a switch is read without conversion, so that "false" turns it on.

use crate::formats::recipe::Framework;
use crate::knowledge::trainers::PrecisionBlocks;
use crate::resolve::{Cause, Origin, Value, Voice, parse_bool};
use crate::source::{Object, Route};

use super::deepspeed;
use super::{Confidence, Example, Finding, Fix, Rule, Safety, Severity, Subject, mend, voices};

pub(crate) static RULE: Rule = Rule {
    code: "FP324",
    name: "quoted-boolean",
    severity: Severity::Error,
    confidence: Confidence::Likely,
    summary: "A switch is written as text: `bf16: \"false\"` turns bf16 on.",
    explanation: "\
`HfArgumentParser.parse_yaml_file`, `parse_json_file` and `parse_dict` hand values to the dataclass as they are, and any
text is true: `bf16: \"false\"`, `fp16: \"no\"` and `bf16: auto` all turn it on (ran with transformers 4.46, 4.57 and 5.24;
transformers/hf_argparser.py). LLaMA-Factory reads its recipes so too. On the command line, and in TRL's recipes, the text
is converted. DeepSpeed from 0.17.1 on converts `\"enabled\": \"false\"` in its JSON, earlier ones take it for true, and
accelerate and transformers, which read the same JSON, take it for true as well (accelerate,
utils/deepspeed.py:HfDeepSpeedConfig.is_true). Likely where only the names of the keys say who reads the recipe.",
    examples: &[
        Example::fails(
            "false in quotes",
            "output_dir: out\nper_device_train_batch_size: 4\nnum_train_epochs: 1\nlearning_rate: 0.00002\nbf16: \"false\"\n",
        )
        .named("recipe.yaml"),
        Example::fails(
            "auto is DeepSpeed's",
            "output_dir: out\nper_device_train_batch_size: 4\nnum_train_epochs: 1\nlearning_rate: 0.00002\nbf16: auto\n",
        )
        .named("recipe.yaml"),
        Example::fails(
            "fp8 of LLaMA-Factory",
            "model_name_or_path: org/model\nstage: sft\ndo_train: true\nfinetuning_type: full\ndataset: alpaca\ntemplate: llama3\noutput_dir: out\nbf16: true\nfp8: \"false\"\n",
        )
        .named("recipe.yaml"),
        Example::fails(
            "text in the DeepSpeed config",
            "{\"zero_optimization\": {\"stage\": 2}, \"bf16\": {\"enabled\": \"false\"}}\n",
        )
        .named("ds.json"),
        Example::passes(
            "without quotes",
            "output_dir: out\nper_device_train_batch_size: 4\nnum_train_epochs: 1\nlearning_rate: 0.00002\nbf16: false\nfp16: no\n",
        )
        .named("recipe.yaml"),
        Example::passes(
            "TRL converts",
            "model_name_or_path: org/model\ndataset_name: org/data\nmax_length: 2048\npacking: true\noutput_dir: out\nper_device_train_batch_size: 4\nnum_train_epochs: 1\nbf16: \"false\"\n",
        )
        .named("recipe.yaml"),
        Example::passes(
            "so does the command line",
            "torchrun --nproc_per_node 8 train.py --output_dir out --per_device_train_batch_size 4 --learning_rate 2e-5 --save_strategy no --bf16 false\n",
        )
        .named("train.sh"),
        Example::passes(
            "the text says what it does",
            "output_dir: out\nper_device_train_batch_size: 4\nnum_train_epochs: 1\nlearning_rate: 0.00002\nbf16: \"true\"\n",
        )
        .named("recipe.yaml"),
    ],
    check,
};

/// The switches about precision.
const SWITCHES: [&str; 6] = [
    "bf16",
    "bf16_full_eval",
    "fp16",
    "fp16_full_eval",
    "fp8",
    "pure_bf16",
];

fn check(subject: &Subject<'_>, findings: &mut Vec<Finding>) {
    of_recipe(subject, findings);
    of_deepspeed(subject, findings);
}

fn of_recipe(subject: &Subject<'_>, findings: &mut Vec<Finding>) {
    let Some(trainer) = &subject.run.trainer else {
        return;
    };
    if !matches!(
        trainer.framework,
        Framework::Transformers | Framework::LlamaFactory
    ) {
        return;
    }
    let version = voices::trainer_version(trainer);
    for name in SWITCHES {
        let Some(Value::Known {
            value: Object::Str(text),
            origin,
        }) = trainer.arguments.get(name)
        else {
            continue;
        };
        // Of what is refused, the refusal tells.
        let is_filled_in = text.contains('$') || text.contains('{');
        let says = parse_bool(text);
        let is_meant = says == Some(true) || text.is_empty() || is_filled_in;
        if is_meant || origin.voice != Voice::RecipeKey || is_told(subject, origin) {
            continue;
        }
        let message =
            format!("`{name}: \"{text}\"` turns {name} on: any text counts as true in {version}");
        let mut finding = RULE.finding(message, subject.label(origin, "a text, not false"));
        finding.key = subject.key(origin);
        finding.related.extend(voices::command(subject));
        finding.help = Some(match says {
            Some(_) => format!("write {name}: false, without quotes"),
            None => format!("write {name}: true or {name}: false"),
        });
        if says == Some(false) {
            let title = format!("write {name}: false");
            let fix = Fix::of(title, Safety::Safe, mend::value(subject, origin, false));
            finding.fixes.extend(fix);
        }
        if says.is_none() {
            finding.severity = Severity::Warning;
        }
        if trainer.framework == Framework::LlamaFactory {
            finding.confidence = Confidence::Certain;
        }
        findings.push(finding);
    }
}

/// Whether an exception about this argument is reported.
fn is_told(subject: &Subject<'_>, origin: &Origin) -> bool {
    let mut raised = subject.caused_by(&[Cause::TrainerArgument, Cause::TrainerKey]);
    raised.any(|exception| exception.origins.contains(origin))
}

fn of_deepspeed(subject: &Subject<'_>, findings: &mut Vec<Finding>) {
    let Some((version, blocks)) = deepspeed::version(subject) else {
        return;
    };
    for config in deepspeed::configs(subject) {
        for name in ["bf16", "fp16"] {
            let Some((written, enabled)) = config
                .block(name)
                .and_then(|(written, block)| Some((written, block.value.get("enabled")?)))
            else {
                continue;
            };
            let Some(text) = enabled.value.text().filter(|text| *text != "auto") else {
                continue;
            };
            // Of one text, all readers make the same.
            let is_strict = blocks == PrecisionBlocks::Strict;
            let says = parse_bool(text);
            if says == Some(true) || (says.is_none() && !is_strict) || text.is_empty() {
                continue;
            }
            let by_deepspeed = match (is_strict, says) {
                (true, None) => format!("DeepSpeed {version} refuses it"),
                (true, Some(_)) => format!("DeepSpeed {version} takes it for false"),
                (false, _) => format!("so does DeepSpeed {version}"),
            };
            let message = format!(
                "`{written}.enabled` is the text \"{text}\": {} takes it for true, {by_deepspeed}",
                subject.version()
            );
            let mut finding =
                RULE.finding(message, config.value_label(&enabled, "a text, not false"));
            finding.key = deepspeed::key(written, "enabled");
            finding.related.extend(voices::command(subject));
            finding.confidence = Confidence::Certain;
            finding.help = Some("write true or false without quotes, or \"auto\"".to_owned());
            if says == Some(false) {
                let edits = config
                    .editor()
                    .set(&Route::keys([written, "enabled"]), false);
                let title = format!("write {written}.enabled: false");
                finding
                    .fixes
                    .extend(Fix::of(title, Safety::Safe, edits.finish()));
            }
            if is_strict && says.is_some() {
                finding.severity = Severity::Warning;
            }
            findings.push(finding);
        }
    }
}
