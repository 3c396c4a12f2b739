//! `MegatronLMPlugin` from the environment
//! (accelerate 1.15.0, `utils/dataclasses.py:MegatronLMPlugin.__post_init__`).

use super::super::context::Context;
use super::super::outcome::Cause;
use super::super::python::{Site, float, int, str_to_bool};
use super::super::stop::Step;
use super::{Environment, INIT};

const SITE: Site = Site::new(
    "utils/dataclasses.py:MegatronLMPlugin.__post_init__",
    Cause::LaunchValue,
);

/// How a setting is read.
#[derive(Clone, Copy)]
enum Read {
    Int,
    Float,
    Bool,
}

/// The settings in the order in which the plugin reads them. A version that does not read one does not export it
/// either.
const SETTINGS: [(&str, Read); 24] = [
    ("TP_DEGREE", Read::Int),
    ("PP_DEGREE", Read::Int),
    ("USE_CUSTOM_FSDP", Read::Bool),
    ("NO_LOAD_OPTIM", Read::Bool),
    ("EOD_MASK_LOSS", Read::Bool),
    ("NO_SAVE_OPTIM", Read::Bool),
    ("OPTIMIZER_CPU_OFFLOAD", Read::Bool),
    ("OVERLAP_CPU_OPTIMIZER_D2H_H2D", Read::Bool),
    ("USE_PRECISION_AWARE_OPTIMIZER", Read::Bool),
    ("DECODER_LAST_PIPELINE_NUM_LAYERS", Read::Int),
    ("NUM_MICRO_BATCHES", Read::Int),
    ("GRADIENT_CLIPPING", Read::Float),
    ("RECOMPUTE_ACTIVATIONS", Read::Bool),
    ("USE_DISTRIBUTED_OPTIMIZER", Read::Bool),
    ("SEQUENCE_PARALLELISM", Read::Bool),
    ("RECOMPUTE_NUM_LAYERS", Read::Int),
    ("ATTENTION_BACKEND", Read::Bool),
    ("EXPERT_MODEL_PARALLEL_SIZE", Read::Int),
    ("CONTEXT_PARALLEL_SIZE", Read::Int),
    ("ATTENTION_DROPOUT", Read::Float),
    ("HIDDEN_DROPOUT", Read::Float),
    ("ATTENTION_SOFTMAX_IN_FP32", Read::Bool),
    ("EXPERT_TENSOR_PARALLEL_SIZE", Read::Int),
    ("CALCULATE_PER_TOKEN_LOSS", Read::Bool),
];

/// Reads the plugin's settings, and needs Megatron-LM.
pub(crate) fn check(context: &Context<'_>, environment: &Environment) -> Step<()> {
    for (name, read) in SETTINGS {
        let Some(variable) = environment.get(&format!("MEGATRON_LM_{name}"))? else {
            continue;
        };
        match read {
            Read::Int => int(&variable.value, &variable.origin, SITE).map(drop)?,
            Read::Float => float(&variable.value, &variable.origin, SITE).map(drop)?,
            Read::Bool => {
                str_to_bool(&variable.value, &variable.origin, Cause::LaunchValue).map(drop)?
            }
        }
    }
    if !context.run.machine.has("megatron") {
        let message = "Megatron is not installed. please build it from source.";
        let origin = environment.origin("ACCELERATE_USE_MEGATRON_LM");
        return Err(Site::new(INIT, Cause::PackageMissing).raise("ImportError", message, &origin));
    }
    Ok(())
}
