//! The trainer between the launch and `Accelerator()`: what the framework that reads the recipe makes of the
//! environment, what it passes to `Accelerator()`, and what it checks itself.
//!
//! transformers' `TrainingArguments` is the core ([`arguments`]); TRL, LLaMA-Factory, axolotl and ms-swift build it and
//! do something before or after ([`frameworks`]).

mod arguments;
mod deepspeed;
mod frameworks;
mod fsdp;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;
use std::sync::Arc;

use super::context::Context;
use super::outcome::{Backend, Cause, Verdict};
use super::python::{Argument, Site};
use super::run::{Code, Origin, Place, Trainer, Value, Voice};
use super::runtime::{Accelerator, DeepSpeedPlugin, DistributedType, Environment};
use super::stop::{Step, raise, unknown};
use crate::formats::recipe::Framework;
use crate::knowledge::AoAllGatherDefault;
use crate::knowledge::trainers::{Fsdp1Prepare, TrainerFsdp2Prepare, Transformers};
use crate::source::{NodeRef, Object, Syntax};

pub(crate) use deepspeed::Mismatches;
pub(crate) use frameworks::{LlamaFactoryHandover, axolotl_other_trainer, llamafactory_handover};

/// Arguments that are true or false.
const SWITCHES: [&str; 6] = [
    "bf16",
    "bf16_full_eval",
    "fp16",
    "fp16_full_eval",
    "no_cuda",
    "use_cpu",
];

/// What `Accelerator()` is given.
#[derive(Clone, Debug, Default)]
pub(crate) struct Given {
    /// Its arguments, those of the script included.
    pub(crate) code: Code,
    /// Who says `mixed_precision`, where the trainer passes it.
    pub(crate) precision: Option<Origin>,
    /// The DeepSpeed plugin that the trainer's `deepspeed` makes.
    pub(crate) deepspeed: Option<DeepSpeedPlugin>,
    /// How that DeepSpeed config differs from the trainer's arguments.
    pub(crate) mismatches: Option<Mismatches>,
    /// The trainer with the arguments that its framework itself makes of what is said, where it makes any.
    pub(crate) derived: Option<Trainer>,
}

impl Given {
    /// Passes `mixed_precision='fp8'` and a recipe of this class, as the framework's patch of `Accelerator()` does.
    fn hand_over_fp8<const N: usize>(
        &mut self,
        class: &str,
        recipe: [(&str, Object); N],
        origin: Origin,
    ) {
        self.code
            .kwargs_handlers
            .push((class.to_owned(), keywords(recipe)));
        self.code
            .arguments
            .insert("mixed_precision".to_owned(), Object::from("fp8"));
        self.precision = Some(origin);
    }
}

/// What is said to the trainer.
#[derive(Clone, Copy)]
pub(crate) struct Said<'run> {
    pub(crate) trainer: &'run Trainer,
    pub(crate) transformers: Transformers,
}

impl<'run> Said<'run> {
    fn new(trainer: &'run Trainer) -> Step<Self> {
        let transformers = Transformers::of(&trainer.transformers);
        Ok(Self {
            trainer,
            transformers: transformers.ok_or_else(|| {
                unknown(format!(
                    "nothing is known of transformers {}",
                    trainer.transformers
                ))
            })?,
        })
    }

    /// The argument of this name, if it is given.
    fn get(&self, name: &str) -> Step<Option<Argument>> {
        match self.trainer.arguments.get(name) {
            None => Ok(None),
            Some(Value::Known { value, origin }) => {
                Ok(Some(Argument::new(value.clone(), origin.clone())))
            }
            Some(Value::Unknown { why, .. }) => {
                Err(unknown(format!("`{name}` is not known: {why}")))
            }
        }
    }

    /// The argument of this name, where it is given and truthy, as the framework converts it.
    fn switched_on(&self, name: &str) -> Step<Option<Argument>> {
        let Some(argument) = self.get(name)? else {
            return Ok(None);
        };
        let is_on = match (&argument.value, self.trainer.framework) {
            // TRL hands the recipe to argparse as text.
            (Object::Str(text), Framework::Trl) if SWITCHES.contains(&name) => {
                let converted = super::python::parse_bool(text);
                converted.ok_or_else(|| {
                    let message = format!(
                        "argument --{name}: Truthy value expected: got {text} but expected one of yes/no, true/false, \
                         t/f, y/n, 1/0 (case insensitive)."
                    );
                    let site = Site::new("transformers/hf_argparser.py:string_to_bool", Cause::TrainerArgument);
                    site.raise("SystemExit", message, &argument.origin)
                })?
            }
            (Object::Str(text), Framework::Axolotl) => {
                super::python::parse_bool(text).unwrap_or(!text.is_empty())
            }
            (value, _) => value.truthy(),
        };
        Ok(is_on.then_some(argument))
    }

    /// Who turns `bf16` on, if it is on: nobody needs to have written it.
    fn bf16(&self) -> Step<Option<Argument>> {
        // In TRL `null` is as good as nothing: it is what stands for the default.
        let is_nothing = match self.get("bf16")? {
            None => true,
            Some(said) => {
                self.trainer.framework == Framework::Trl && matches!(said.value, Object::None)
            }
        };
        if !is_nothing {
            return self.switched_on("bf16");
        }
        match self.switched_on("fp16")? {
            Some(_) => Ok(None),
            None => frameworks::bf16_default(self),
        }
    }
}

/// Follows the trainer up to `Accelerator()`.
pub(crate) fn before(context: &mut Context<'_>, environment: &mut Environment) -> Step<Given> {
    let given = Given {
        code: context.run.code.clone(),
        precision: context.run.code.precision.clone(),
        ..Given::default()
    };
    let Some(trainer) = &context.run.trainer else {
        check_choice(&context.run.code)?;
        return Ok(given);
    };
    let said = Said::new(trainer)?;
    match trainer.framework {
        Framework::Transformers => arguments::build(context, environment, &said, given),
        Framework::Trl => frameworks::trl(context, environment, &said, given),
        Framework::LlamaFactory => frameworks::llamafactory(context, environment, &said, given),
        Framework::Axolotl => frameworks::axolotl(context, environment, &said, given),
        Framework::Swift => frameworks::swift(context, environment, &said, given),
        Framework::SimpleTuner => frameworks::simpletuner(&said, given),
    }
}

/// The choices that the example scripts of diffusers give (`examples/*/train_*.py:parse_args`).
const PRECISIONS: [&str; 3] = ["no", "fp16", "bf16"];

/// `--mixed_precision` of an example script of diffusers, whose parser does not know fp8.
fn check_choice(code: &Code) -> Step<()> {
    let (Some(origin), Some(value)) = (&code.precision, code.arguments.get("mixed_precision"))
    else {
        return Ok(());
    };
    let text = value.python_str();
    if PRECISIONS.contains(&text.as_str()) {
        return Ok(());
    }
    let message = format!(
        "argument --mixed_precision: invalid choice: {} (choose from 'no', 'fp16', 'bf16')",
        value.python_repr()
    );
    let site = Site::new("diffusers/examples: parse_args", Cause::TrainerArgument);
    Err(site.raise("SystemExit", message, origin))
}

/// The trainer that trains by transformers' `Trainer`. SimpleTuner has an `Accelerator` of its own.
fn trains<'run>(context: &Context<'run>) -> Option<&'run Trainer> {
    context
        .run
        .trainer
        .as_ref()
        .filter(|trainer| !trainer.is_arguments_only && trainer.framework != Framework::SimpleTuner)
}

/// What the trainer checks once the accelerator is there, and at the start of the training.
pub(crate) fn after(
    context: &Context<'_>,
    accelerator: &Accelerator,
    mismatches: Option<Mismatches>,
    derived: Option<&Trainer>,
) -> Step<()> {
    let Some(trainer) = trains(context) else {
        return Ok(());
    };
    let said = Said::new(derived.unwrap_or(trainer))?;
    match (&accelerator.deepspeed, mismatches) {
        (_, Some(mismatches)) => mismatches.check(),
        (Some(plugin), None) if accelerator.distributed_type == DistributedType::DeepSpeed => {
            let mut config = plugin.clone();
            deepspeed::process(&said, &mut config, &accelerator.environment)?.check()
        }
        _ => Ok(()),
    }
}

/// Transformer Engine refuses a model that is prepared without its optimizer.
pub(crate) fn check_prepare(context: &Context<'_>, accelerator: &Accelerator) -> Step<()> {
    let Some(trainer) = trains(context) else {
        return Ok(());
    };
    let is_te = accelerator.fp8_backend(context)? == Some(Backend::Te);
    if accelerator.distributed_type != DistributedType::Fsdp || !is_te {
        return Ok(());
    }
    let transformers = Said::new(trainer)?.transformers;
    let is_alone = match accelerator.is_fsdp2() {
        true => transformers.fsdp2_prepare == TrainerFsdp2Prepare::ModelAlone,
        false => transformers.fsdp1_prepare == Fsdp1Prepare::ModelAlone,
    };
    if !is_alone {
        return Ok(());
    }
    let message = "You must pass a model and an optimizer together to `accelerate.prepare()` when using \
                   TransformerEngine.";
    let origins = [
        accelerator.backend_origin(),
        accelerator.environment.origin("FSDP_VERSION"),
        accelerator.environment.origin("ACCELERATE_USE_FSDP"),
    ];
    Err(raise(
        "ValueError",
        message,
        "accelerator.py:Accelerator.prepare",
        Cause::TrainerModelAlone,
        origins,
    ))
}

/// The recipe's variable that gathers weights in float8.
const ALL_GATHER: &str = "ACCELERATE_FP8_ENABLE_FSDP_FLOAT8_ALL_GATHER";

/// With the float8 all-gather the weights are tensors of a torchao class, which only FSDP2 gathers before they are saved.
pub(crate) fn check_save(
    context: &Context<'_>,
    accelerator: &Accelerator,
    verdict: &Verdict,
) -> Step<()> {
    let trainer = context
        .run
        .trainer
        .as_ref()
        .filter(|trainer| saves(trainer));
    // Only one GPU and DDP were tried.
    let is_plain = matches!(
        accelerator.distributed_type,
        DistributedType::No | DistributedType::MultiGpu
    );
    let is_set_aside = context.run.set_aside.contains(&Cause::CheckpointSave);
    let (Some(trainer), Verdict::Fp8(Backend::Ao)) = (trainer, verdict) else {
        return Ok(());
    };
    if is_set_aside
        || !is_plain
        || context.run.command.is_none()
        || context.behaviours.ao_all_gather_default != AoAllGatherDefault::On
    {
        return Ok(());
    }
    let said = accelerator.environment.get(ALL_GATHER)?;
    if said.is_some_and(|said| super::python::parse_bool(&said.value) != Some(true)) {
        return Ok(());
    }
    let strategy = match trainer.arguments.get("save_strategy") {
        Some(Value::Known { origin, .. }) => Some(origin.clone()),
        _ => None,
    };
    Err(raise(
        "RuntimeError",
        "Attempted to access the data pointer on an invalid python storage",
        "transformers/trainer.py:Trainer.save_model",
        Cause::CheckpointSave,
        std::iter::once(accelerator.backend_origin()).chain(strategy),
    ))
}

/// Whether the Trainer writes checkpoints of the whole model, and leaves accelerate's recipe as it is.
fn saves(trainer: &Trainer) -> bool {
    let has_adapter = trainer
        .arguments
        .keys()
        .any(|name| name.contains("lora") || name.contains("peft") || name.contains("adapter"));
    let off = match trainer.arguments.get("save_strategy") {
        None => false,
        // What `no` without quotes comes to is another matter.
        Some(Value::Known {
            value: Object::Str(text),
            ..
        }) => text.eq_ignore_ascii_case("no"),
        Some(_) => true,
    };
    // The other frameworks make recipes of their own, or need an older accelerate.
    let is_plain = matches!(trainer.framework, Framework::Transformers | Framework::Trl);
    is_plain && !trainer.is_arguments_only && !has_adapter && !off
}

/// A value that a framework sets although nobody wrote it.
fn by_framework(name: impl Into<String>) -> Origin {
    Origin::of(Voice::Framework, name)
}

/// Who says a key below a mapping of the recipe: the place of that key, where it can be found again.
fn below(mapping: &Origin, key: &str) -> Origin {
    let found = mapping.place.as_ref().and_then(|place| {
        let document = Syntax::of_name(&place.file.path)
            .read(place.file.text())
            .ok()?;
        let route = place.route.key(key);
        let (key, value) = document.at(&route)?;
        Some(Place {
            file: Arc::clone(&place.file),
            key: key.map(NodeRef::span),
            value: value.span(),
            route,
        })
    });
    match found {
        Some(place) => Origin {
            voice: mapping.voice,
            name: place.route.to_string(),
            place: Some(place),
        },
        None => mapping.clone(),
    }
}

/// Keyword arguments of a handler.
fn keywords<const N: usize>(pairs: [(&str, Object); N]) -> BTreeMap<String, Object> {
    pairs
        .into_iter()
        .map(|(name, value)| (name.to_owned(), value))
        .collect()
}
