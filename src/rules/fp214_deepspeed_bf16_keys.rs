//! FP214: a DeepSpeed config whose precision blocks DeepSpeed refuses.

use crate::knowledge::Version;
use crate::knowledge::trainers::PrecisionBlocks;
use crate::resolve::deepspeed_blocks;
use crate::source::Route;

use super::deepspeed::{self, DeepSpeedConfig};
use super::{Confidence, Example, Finding, Fix, Rule, Safety, Severity, Subject, voices};

pub(crate) static RULE: Rule = Rule {
    code: "FP214",
    name: "deepspeed-bf16-keys",
    severity: Severity::Error,
    confidence: Confidence::Certain,
    summary: "DeepSpeed refuses the `bf16` or `fp16` block of its config: keys that belong to fp16 only, or both blocks on.",
    explanation: "\
From DeepSpeed 0.17.1 on, the blocks `bf16` and `fp16` are read into classes that forbid other keys
(deepspeed/runtime/precision_config.py:DeepSpeedBF16Config, DeepSpeedFP16Config; runtime/config_utils.py:
DeepSpeedConfigModel). bf16 has no loss scale, so that `loss_scale`, `loss_scale_window`, `initial_scale_power`, `hysteresis`,
`min_loss_scale` and `auto_cast` in its block, copied from an fp16 config, raise pydantic's `ValidationError` in
`deepspeed.initialize`, even with `enabled: false`. Up to 0.17.0 they had no effect: then a note. A value `\"auto\"` is taken
out before. Both blocks enabled is an `AssertionError` in every version (runtime/config.py:
DeepSpeedConfig._initialize_params).",
    examples: &[
        Example::fails(
            "a block copied from fp16",
            "{\"zero_optimization\": {\"stage\": 2}, \"bf16\": {\"enabled\": true, \"loss_scale\": 0, \"hysteresis\": 2}}\n",
        )
        .named("ds.json"),
        Example::fails(
            "a note before 0.17.1",
            "{\"zero_optimization\": {\"stage\": 2}, \"bf16\": {\"enabled\": true, \"min_loss_scale\": 1}}\n",
        )
        .named("ds.json")
        .under(&["deepspeed=0.16.4"]),
        Example::fails(
            "both at once",
            "{\"zero_optimization\": {\"stage\": 2}, \"fp16\": {\"enabled\": true}, \"bf16\": {\"enabled\": true}}\n",
        )
        .named("ds.json"),
        Example::fails(
            "the JSON that a recipe names",
            "torchrun --nproc_per_node 8 train.py recipe.yaml\n",
        )
        .named("train.sh")
        .with(&[
            ("ds.json", "{\"zero_optimization\": {\"stage\": 2}, \"bf16\": {\"enabled\": \"auto\", \"auto_cast\": true}, \"train_micro_batch_size_per_gpu\": \"auto\"}\n"),
            ("recipe.yaml", "output_dir: out\nper_device_train_batch_size: 4\nnum_train_epochs: 1\nlearning_rate: 0.00002\nbf16: true\ndeepspeed: ds.json\n"),
        ]),
        Example::passes(
            "each key in its block",
            "{\"zero_optimization\": {\"stage\": 2}, \"fp16\": {\"enabled\": \"auto\", \"loss_scale\": 0, \"loss_scale_window\": 1000, \"initial_scale_power\": 16, \"hysteresis\": 2, \"min_loss_scale\": 1}, \"bf16\": {\"enabled\": \"auto\", \"loss_scale\": \"auto\"}}\n",
        )
        .named("ds.json"),
        Example::passes(
            "one of them is off",
            "{\"zero_optimization\": {\"stage\": 2}, \"fp16\": {\"enabled\": false}, \"bf16\": {\"enabled\": true}}\n",
        )
        .named("ds.json"),
    ],
    check,
};

fn check(subject: &Subject<'_>, findings: &mut Vec<Finding>) {
    let Some((version, blocks)) = deepspeed::version(subject) else {
        return;
    };
    for config in deepspeed::configs(subject) {
        for name in ["bf16", "fp16"] {
            findings.extend(other_keys(subject, &config, name, &version, blocks));
        }
        findings.extend(both(subject, &config, &version));
    }
}

/// The keys that the class of a block does not have.
fn other_keys(
    subject: &Subject<'_>,
    config: &DeepSpeedConfig,
    name: &str,
    version: &Version,
    blocks: PrecisionBlocks,
) -> Option<Finding> {
    let (written, block) = config.block(name)?;
    let is_strict = blocks == PrecisionBlocks::Strict;
    let others = deepspeed_blocks::other_keys(name, block.value, is_strict);
    let ((first, at), rest) = others.split_first()?;
    let names: Vec<String> = others.iter().map(|(key, _)| format!("`{key}`")).collect();
    let names = names.join(", ");
    let message = match is_strict {
        true => format!(
            "DeepSpeed {version} raises in `deepspeed.initialize()`: ValidationError: in `{written}`, {names}: Extra \
             inputs are not permitted"
        ),
        false => format!(
            "{names} in `{written}` has no effect in DeepSpeed {version}, and is refused in DeepSpeed {}",
            PrecisionBlocks::Strict.versions()
        ),
    };
    let label = match deepspeed_blocks::is_of_fp16(first) {
        true => "belongs to `fp16`",
        false => "no such key",
    };
    let mut finding = RULE.finding(message, config.key_label(at, label));
    finding.key = deepspeed::key(written, first);
    finding.related.extend(
        rest.iter()
            .map(|(_, entry)| config.key_label(entry, "and this")),
    );
    finding.related.extend(voices::command(subject));
    finding.help = Some(match name {
        "bf16" => format!("keep `enabled` only: \"{written}\": {{\"enabled\": …}}"),
        _ => format!("drop {names}"),
    });
    let removed = others.iter().fold(config.editor(), |editor, (key, _)| {
        editor.remove(&Route::keys([written, key]))
    });
    let title = format!("remove {names}");
    finding
        .fixes
        .extend(Fix::of(title, Safety::Unsafe, removed.finish()));
    if !is_strict {
        finding.severity = Severity::Note;
    }
    Some(finding)
}

/// Both blocks on.
fn both(subject: &Subject<'_>, config: &DeepSpeedConfig, version: &Version) -> Option<Finding> {
    let ((bf16, at), (_, other)) = deepspeed_blocks::both_on(config.document())?;
    let message = format!(
        "DeepSpeed {version} raises in `deepspeed.initialize()`: AssertionError: bfloat16 and fp16 modes cannot be \
         simultaneously enabled"
    );
    let mut finding = RULE.finding(message, config.value_label(&at, "is on"));
    finding.key = deepspeed::key(bf16, "enabled");
    finding
        .related
        .push(config.value_label(&other, "and so is this"));
    finding.related.extend(voices::command(subject));
    finding.help = Some("enable one of them, or write \"auto\" in both".to_owned());
    Some(finding)
}
