//! The DeepSpeed config beside the training arguments
//! (transformers 4.57.6, `integrations/deepspeed.py:HfTrainerDeepSpeedConfig`).

use std::sync::Arc;

use super::super::context::Context;
use super::super::outcome::Cause;
use super::super::python::{Argument, Site};
use super::super::run::{Origin, Place, Voice};
use super::super::runtime::{DeepSpeedPlugin, Environment};
use super::super::stop::{Step, raise, unknown};
use super::arguments::variable;
use super::{Given, Said, by_framework};
use crate::formats::recipe::Framework;
use crate::source::{Integer, NodeRef, Object, Route};

const FINALIZE: &str =
    "transformers/integrations/deepspeed.py:HfTrainerDeepSpeedConfig.trainer_config_finalize";

/// Numbers that must be equal on both sides: route in the DeepSpeed config, argument, its default.
const NUMBERS: [(&str, &str, f64); 7] = [
    (
        "train_micro_batch_size_per_gpu",
        "per_device_train_batch_size",
        8.0,
    ),
    (
        "gradient_accumulation_steps",
        "gradient_accumulation_steps",
        1.0,
    ),
    ("gradient_clipping", "max_grad_norm", 1.0),
    ("optimizer.params.lr", "learning_rate", 5e-5),
    ("optimizer.params.eps", "adam_epsilon", 1e-8),
    ("optimizer.params.weight_decay", "weight_decay", 0.0),
    ("scheduler.params.warmup_max_lr", "learning_rate", 5e-5),
];

/// DeepSpeed configs that ms-swift brings (4.6, swift/arguments/sft_args.py).
const SWIFT_PRESETS: [&str; 6] = [
    "zero0",
    "zero1",
    "zero2",
    "zero3",
    "zero2_offload",
    "zero3_offload",
];

/// The learning rate: its default differs between the classes of training arguments.
const LEARNING_RATE: &str = "learning_rate";

/// Values for which `auto` is filled in from the model and the training: whatever they are, they are numbers.
const FILLED_IN: [&str; 8] = [
    "train_batch_size",
    "optimizer.params.betas",
    "scheduler.params.warmup_min_lr",
    "scheduler.params.total_num_steps",
    "scheduler.params.warmup_num_steps",
    "zero_optimization.reduce_bucket_size",
    "zero_optimization.stage3_prefetch_bucket_size",
    "zero_optimization.stage3_param_persistence_threshold",
];

/// How a DeepSpeed config differs from the training arguments.
#[derive(Clone, Debug, Default)]
pub(crate) struct Mismatches(Vec<(String, [Origin; 2])>);

impl Mismatches {
    /// `trainer_config_finalize`: raised when the training starts.
    pub(crate) fn check(self) -> Step<()> {
        if self.0.is_empty() {
            return Ok(());
        }
        let lines: Vec<&str> = self.0.iter().map(|(line, _)| line.as_str()).collect();
        let message = format!(
            "Please correct the following DeepSpeed config values that mismatch TrainingArguments values:\n{}\nThe \
             easiest method is to set these DeepSpeed config values to 'auto'.",
            lines.join("\n")
        );
        let mut origins: Vec<Origin> = Vec::new();
        for origin in self.0.into_iter().flat_map(|(_, origins)| origins) {
            if !origins.contains(&origin) {
                origins.push(origin);
            }
        }
        Err(raise(
            "ValueError",
            message,
            FINALIZE,
            Cause::TrainerDeepSpeed,
            origins,
        ))
    }
}

/// The plugin of the argument `deepspeed`.
pub(super) fn build(
    context: &mut Context<'_>,
    environment: &mut Environment,
    said: &Said<'_>,
    file: &Argument,
    given: &mut Given,
) -> Step<()> {
    if !context.run.machine.has("deepspeed") {
        // In a process group, the state is set up first, and says so itself.
        if environment.get("RANK")?.is_some() {
            let message = "DeepSpeed is not available => install it using `pip3 install deepspeed` or build it from \
                           source";
            let site = Site::new("state.py:PartialState.__init__", Cause::PackageMissing);
            return Err(site.raise("ImportError", message, &file.origin));
        }
        let message = "No package metadata was found for The 'deepspeed>=0.9.3' distribution was not found and is \
                       required by this application. ";
        let site = Site::new(
            "transformers/utils/versions.py:require_version",
            Cause::PackageMissing,
        );
        return Err(site.raise("PackageNotFoundError", message, &file.origin));
    }
    let Object::Str(path) = &file.value else {
        return Err(unknown(
            "`deepspeed` with the config inside it is not followed",
        ));
    };
    if said.trainer.framework == Framework::Swift && SWIFT_PRESETS.contains(&path.as_str()) {
        return Err(unknown(format!(
            "`{path}` is a DeepSpeed config of ms-swift's own"
        )));
    }
    let path = variable(path.as_str(), &file.origin);
    environment.set("ACCELERATE_USE_DEEPSPEED", variable("true", &file.origin));
    let mut mismatches = Mismatches::default();
    let shown = environment.clone();
    let plugin = DeepSpeedPlugin::of_file(context, environment, &path, |plugin| {
        mismatches = process(said, plugin, &shown)?;
        Ok(())
    })?;
    given.deepspeed = Some(plugin);
    given.mismatches = Some(mismatches);
    Ok(())
}

/// `trainer_config_process`: `auto` takes the argument's value, and what differs is kept for later.
pub(super) fn process(
    said: &Said<'_>,
    plugin: &mut DeepSpeedPlugin,
    environment: &Environment,
) -> Step<Mismatches> {
    let mut mismatches = Mismatches::default();
    for route in FILLED_IN {
        plugin.fill_match(route, Some(&Object::from(1)))?;
    }
    for (route, name, default) in NUMBERS {
        let argument = said.get(name)?;
        let is_known = argument.is_some() || (name != LEARNING_RATE && has_defaults(said));
        // A number that YAML reads as text (`1e-5`) is converted by some frameworks and not by others.
        let value = argument
            .as_ref()
            .map_or(Some(default), |argument| number(&argument.value));
        let Some(value) = value else { continue };
        let object = argument.as_ref().map_or_else(
            || default_object(default),
            |argument| argument.value.clone(),
        );
        let other = match_value(plugin, route, &object)?;
        if let Some(other) = other
            && is_known
            && number(&other) != Some(value)
        {
            let line = format!(
                "- ds {route}={} vs hf {name}={}",
                other.python_str(),
                object.python_str()
            );
            let origin = argument.map_or_else(
                || by_framework(format!("default of `{name}`")),
                |argument| argument.origin,
            );
            mismatches
                .0
                .push((line, [origin_of(plugin, route, environment), origin]));
        }
    }
    for (route, names, shown) in [
        (
            "fp16.enabled",
            ["fp16", "fp16_full_eval"],
            "fp16|fp16_full_eval+fp16_backend(amp)",
        ),
        (
            "bf16.enabled",
            ["bf16", "bf16_full_eval"],
            "bf16|bf16_full_eval",
        ),
    ] {
        let on = match names[0] {
            "bf16" => said.bf16()?,
            _ => said.switched_on(names[0])?,
        };
        let on = match on {
            Some(on) => Some(on),
            None => said.switched_on(names[1])?,
        };
        let value = Object::Bool(on.is_some());
        let other = match_value(plugin, route, &value)?;
        if let Some(other) = other
            && !other.python_eq(&value)
        {
            let line = format!(
                "- ds {route}={} vs hf {shown}={}",
                other.python_str(),
                value.python_str()
            );
            let written = said.get(names[0])?.map(|argument| argument.origin);
            let origin = on.map(|on| on.origin).or(written);
            let origin =
                origin.unwrap_or_else(|| by_framework(format!("default of `{}`", names[0])));
            mismatches
                .0
                .push((line, [origin_of(plugin, route, environment), origin]));
        }
    }
    Ok(mismatches)
}

/// Whether the framework leaves the defaults of `TrainingArguments` as they are: axolotl and ms-swift have names and
/// defaults of their own.
fn has_defaults(said: &Said<'_>) -> bool {
    matches!(
        said.trainer.framework,
        Framework::Transformers | Framework::Trl | Framework::LlamaFactory
    )
}

/// `fill_match`: fills in for `auto`; gives the value that the config has of its own.
fn match_value(plugin: &mut DeepSpeedPlugin, route: &str, value: &Object) -> Step<Option<Object>> {
    if plugin.is_auto(route)? {
        plugin.fill_match(route, Some(value))?;
        return Ok(None);
    }
    plugin.get(route)
}

/// Who gives a value of the DeepSpeed config: its file, or what accelerate makes of the launch.
fn origin_of(plugin: &DeepSpeedPlugin, route: &str, environment: &Environment) -> Origin {
    let variable = match route {
        "gradient_accumulation_steps" => "ACCELERATE_GRADIENT_ACCUMULATION_STEPS",
        "gradient_clipping" => "ACCELERATE_GRADIENT_CLIPPING",
        "bf16.enabled" | "fp16.enabled" => "ACCELERATE_MIXED_PRECISION",
        _ => "",
    };
    let Some((file, document)) = &plugin.file else {
        return match variable {
            "" => plugin.origin.clone(),
            variable => environment.origin(variable),
        };
    };
    let keys = Route::keys(route.split('.'));
    match document.at(&keys) {
        Some((key, value)) => Origin {
            voice: Voice::DeepSpeedKey,
            name: route.to_owned(),
            place: Some(Place {
                file: Arc::clone(file),
                route: keys,
                key: key.map(NodeRef::span),
                value: value.span(),
            }),
        },
        // Not in the file: filled in from the launch.
        None if !variable.is_empty() => environment.origin(variable),
        None => plugin.origin.clone(),
    }
}

fn number(value: &Object) -> Option<f64> {
    match value {
        Object::Bool(value) => Some(f64::from(u8::from(*value))),
        #[allow(clippy::cast_precision_loss, reason = "settings are small numbers")]
        Object::Int(Integer::Small(value)) => Some(*value as f64),
        Object::Float(value) => Some(*value),
        _ => None,
    }
}

fn default_object(value: f64) -> Object {
    #[allow(clippy::cast_possible_truncation, reason = "a whole number of a table")]
    match value.fract() == 0.0 && value >= 1.0 {
        true => Object::from(value as i64),
        false => Object::Float(value),
    }
}
