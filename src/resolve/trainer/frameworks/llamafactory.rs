//! LLaMA-Factory (0.9.5, `train/fp8_utils.py`).

use super::super::super::context::Context;
use super::super::super::outcome::Cause;
use super::super::super::python::Site;
use super::super::super::run::Trainer;
use super::super::super::runtime::Environment;
use super::super::super::stop::{Step, unknown};
use super::super::arguments::{MIXED_PRECISION, build, refused_key, variable};
use super::super::{Given, Said};
use super::nothing_known;
use crate::knowledge::trainers::{LlamaFactory, LlamaFactoryFp8, TrainerHandlers};
use crate::source::Object;

/// The stages whose trainers hear of fp8 (0.9.5, `train/pt/trainer.py`, `train/sft/trainer.py`).
const FP8_STAGES: [&str; 2] = ["pt", "sft"];

/// The keys about fp8, all of which came with the first of them.
const FP8_KEYS: [&str; 3] = ["fp8", "fp8_backend", "fp8_enable_fsdp_float8_all_gather"];

const CHECK: Site = Site::new(
    "llamafactory/hparams/parser.py:get_train_args",
    Cause::TrainerArgument,
);

/// `fp8` writes the environment after `TrainingArguments` was built, and `fp8_backend: te` patches
/// `Accelerator.__init__`.
pub(in super::super) fn llamafactory(
    context: &mut Context<'_>,
    environment: &mut Environment,
    said: &Said<'_>,
    given: Given,
) -> Step<Given> {
    let behaviours = LlamaFactory::of(&said.trainer.version);
    let behaviour = behaviours
        .ok_or_else(|| nothing_known("llamafactory", said))?
        .fp8;
    if behaviour == LlamaFactoryFp8::Unknown {
        for name in FP8_KEYS {
            if let Some(argument) = said.get(name)? {
                return Err(refused_key(&argument, name));
            }
        }
    }
    if said.switched_on("pure_bf16")?.is_some() {
        return Err(unknown(
            "`pure_bf16` trains bf16 weights, outside of mixed precision",
        ));
    }
    let mut given = build(context, environment, said, given)?;
    let Some(fp8) = said.switched_on("fp8")? else {
        return Ok(given);
    };
    let is_quantized = said
        .get("quantization_bit")?
        .is_some_and(|bits| bits.value != Object::None);
    if is_quantized && said.switched_on("use_mca")?.is_none() {
        let message =
            "FP8 training is not compatible with quantization. Please disable one of them.";
        return Err(CHECK.raise("ValueError", message, &fp8.origin));
    }
    match handover(said)? {
        LlamaFactoryHandover::Inert | LlamaFactoryHandover::Stage(_) => {}
        LlamaFactoryHandover::Environment { .. } => {
            environment.set(MIXED_PRECISION, variable("fp8", &fp8.origin));
        }
        LlamaFactoryHandover::Patched => {
            environment.set(MIXED_PRECISION, variable("fp8", &fp8.origin));
            let recipe = [
                ("fp8_format", Object::from("HYBRID")),
                ("amax_history_len", Object::from(16)),
                ("amax_compute_algo", Object::from("max")),
            ];
            given.hand_over_fp8("TERecipeKwargs", recipe, fp8.origin);
        }
    }
    Ok(given)
}

/// What becomes of `fp8: true`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum LlamaFactoryHandover {
    /// It is handed to no trainer.
    Inert,
    /// The trainer of this stage does not look at it.
    Stage(String),
    /// The environment alone says it.
    Environment {
        /// Whether Transformer Engine is meant, and the patch for it does not apply.
        is_te: bool,
    },
    /// The patched `Accelerator.__init__` passes it, with a recipe of Transformer Engine's.
    Patched,
}

fn handover(said: &Said<'_>) -> Step<LlamaFactoryHandover> {
    let behaviours = LlamaFactory::of(&said.trainer.version);
    let behaviours = behaviours.ok_or_else(|| nothing_known("llamafactory", said))?;
    let stage = said
        .get("stage")?
        .map_or_else(|| "sft".to_owned(), |stage| stage.value.python_str());
    if behaviours.fp8 != LlamaFactoryFp8::PretrainingAndSft {
        return Ok(LlamaFactoryHandover::Inert);
    }
    if !FP8_STAGES.contains(&stage.as_str()) {
        return Ok(LlamaFactoryHandover::Stage(stage));
    }
    let is_te = said
        .get("fp8_backend")?
        .is_some_and(|backend| backend.value == Object::from("te"));
    let is_patched = is_te && said.transformers.trainer_handlers == TrainerHandlers::Absent;
    Ok(match is_patched {
        true => LlamaFactoryHandover::Patched,
        false => LlamaFactoryHandover::Environment { is_te },
    })
}

/// What becomes of a trainer's `fp8: true`; `None` where that is not known.
pub(crate) fn llamafactory_handover(trainer: &Trainer) -> Option<LlamaFactoryHandover> {
    handover(&Said::new(trainer).ok()?).ok()
}
