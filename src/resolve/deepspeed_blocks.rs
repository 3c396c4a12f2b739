//! The precision blocks of a DeepSpeed config, as DeepSpeed reads them (deepspeed 0.19.8,
//! runtime/precision_config.py:DeepSpeedBF16Config, DeepSpeedFP16Config; runtime/config.py:
//! DeepSpeedConfig._initialize_params).

use super::context::Context;
use super::deepspeed_configs::deepspeed_configs;
use super::outcome::Cause;
use super::run::{Origin, Place, Voice};
use super::stop::{Step, raise};
use crate::knowledge::trainers::{DeepSpeed, PrecisionBlocks};
use crate::knowledge::{self, Version};
use crate::source::{Document, EntryRef, NodeRef, Object, Route};

/// The keys that only the `fp16` block has.
const FP16_ONLY: [&str; 8] = [
    "auto_cast",
    "consecutive_hysteresis",
    "fp16_master_weights_and_grads",
    "hysteresis",
    "initial_scale_power",
    "loss_scale",
    "loss_scale_window",
    "min_loss_scale",
];

/// The keys of the `bf16` block, in any strict version.
const OF_BF16: [&str; 5] = [
    "bf16_master_weights_and_grads",
    "bf16_optimizer_states",
    "check_grad_overflow",
    "enabled",
    "immediate_grad_update",
];

/// `bf16` or `fp16` of the top level, with the name under which it stands: bf16 has an older one.
pub fn block<'d>(document: &'d Document, name: &str) -> Option<(&'static str, EntryRef<'d>)> {
    let names: &[&'static str] = match name {
        "bf16" => &["bf16", "bfloat16"],
        _ => &["fp16"],
    };
    let root = document.root();
    let found = names.iter().find_map(|name| Some((*name, root.get(name)?)));
    found.filter(|(_, block)| block.value.is_dict())
}

/// Whether a key belongs to the `fp16` block.
pub fn is_of_fp16(key: &str) -> bool {
    FP16_ONLY.contains(&key)
}

/// The keys that the class of the block `name` does not have; where the classes are not strict, those of the `bf16`
/// block that belong to fp16.
pub fn other_keys<'d>(
    name: &str,
    block: NodeRef<'d>,
    is_strict: bool,
) -> Vec<(&'d str, EntryRef<'d>)> {
    let is_other = |key: &str| match name {
        "bf16" if is_strict => !OF_BF16.contains(&key),
        "bf16" => is_of_fp16(key),
        _ => is_strict && key != "enabled" && !is_of_fp16(key),
    };
    block
        .entries()
        .filter_map(|entry| Some((entry.key.text()?, entry)))
        .filter(|(key, entry)| is_other(key) && entry.value.text() != Some("auto"))
        .collect()
}

/// A block's name and its `enabled`.
type Enabled<'d> = (&'static str, EntryRef<'d>);

/// `enabled` of both blocks, where both are on.
pub fn both_on(document: &Document) -> Option<(Enabled<'_>, Enabled<'_>)> {
    let enabled = |name: &str| {
        let (written, block) = block(document, name)?;
        let entry = block.value.get("enabled")?;
        matches!(entry.value.object(), Some(Object::Bool(true))).then_some((written, entry))
    };
    Some((enabled("bf16")?, enabled("fp16")?))
}

/// A version of DeepSpeed, or else the newest known, and how it reads the blocks.
pub fn reading(version: Option<Version>) -> Option<(Version, PrecisionBlocks)> {
    let newest = || knowledge::package("deepspeed")?.releases.last().cloned();
    let version = version.or_else(newest)?;
    let blocks = DeepSpeed::of(&version)?.precision_blocks;
    Some((version, blocks))
}

/// `deepspeed.initialize` reads the blocks. The recorded answers of the oracle do not call it.
pub(super) fn check(context: &Context<'_>) -> Step<()> {
    let run = context.run;
    if run.command.is_none() || run.set_aside.contains(&Cause::DeepSpeedBlock) {
        return Ok(());
    }
    let declared = run.machine.version_of("deepspeed");
    let declared = declared.and_then(|version| version.parse::<Version>().ok());
    let is_strict = reading(declared).is_some_and(|(_, blocks)| blocks == PrecisionBlocks::Strict);
    for (file, document) in deepspeed_configs(run, context.files) {
        let at = |written: &str, entry: &EntryRef<'_>| {
            let key = entry.key.text().unwrap_or_default();
            Origin {
                place: Some(Place {
                    file: file.clone(),
                    route: Route::keys([written, key]),
                    key: Some(entry.key.span()),
                    value: entry.value.span(),
                }),
                ..Origin::of(Voice::DeepSpeedKey, key)
            }
        };
        let refused = |message: String, class, origin: Origin| {
            Err(raise(
                class,
                message,
                "deepspeed/runtime/config.py:DeepSpeedConfig._initialize_params",
                Cause::DeepSpeedBlock,
                [origin],
            ))
        };
        for name in ["bf16", "fp16"] {
            let Some((written, block)) = block(&document, name).filter(|_| is_strict) else {
                continue;
            };
            if let Some((key, entry)) = other_keys(name, block.value, true).first() {
                let message = format!("{key}: Extra inputs are not permitted");
                return refused(message, "ValidationError", at(written, entry));
            }
        }
        if let Some(((written, entry), _)) = both_on(&document) {
            let message = "bfloat16 and fp16 modes cannot be simultaneously enabled".to_owned();
            return refused(message, "AssertionError", at(written, &entry));
        }
    }
    Ok(())
}
