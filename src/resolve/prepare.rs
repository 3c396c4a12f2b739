//! `accelerator.prepare(model, optimizer)`: which precision trains in the end
//! (accelerate 1.15.0, `accelerator.py:Accelerator.prepare`, `_prepare_ao`, `_prepare_te`, `_prepare_msamp`,
//! `_prepare_deepspeed`; `utils/transformer_engine.py:apply_fp8_autowrap`).

use super::context::Context;
use super::deepspeed_blocks;
use super::outcome::{Backend, Cause, Verdict};
use super::python::{Site, int};
use super::run::Origin;
use super::runtime::{
    Accelerator, DeepSpeedPlugin, Device, DistributedType, FP8_CAPABILITY, TeRecipe, no_gpu,
};
use super::stop::{Step, Stop, raise, unknown};
use crate::knowledge::{
    AoLayers, AoPrepareFsdp2, DeepspeedMicroBatch, Fp8Capability, Fp8Prepare, Fsdp2Prepare,
    FsdpAutocast, FsdpOptimizer, Ipex, ParallelismCheck,
};
use crate::source::Object;

const PREPARE: &str = "accelerator.py:Accelerator.prepare";
const PREPARE_MODEL: &str = "accelerator.py:prepare_model";
const PREPARE_AO: &str = "accelerator.py:_prepare_ao";
const PREPARE_TE: &str = "accelerator.py:_prepare_te";
const PREPARE_MSAMP: &str = "accelerator.py:_prepare_msamp";
const PREPARE_DEEPSPEED: &str = "accelerator.py:_prepare_deepspeed";
const AUTOWRAP: &str = "utils/transformer_engine.py:apply_fp8_autowrap";

/// The capability that MXFP8 needs (Transformer Engine 2.9.0, `pytorch/fp8.py:check_mxfp8_support`).
const MXFP8_CAPABILITY: (u32, u32) = (10, 0);

/// The compute capability of the first GPUs with fp8.
const HOPPER: (u32, u32) = (9, 0);

/// Whether prepare can be followed at all: Megatron-LM and XLA bring their own.
pub(crate) fn is_skipped(accelerator: &Accelerator) -> bool {
    accelerator.distributed_type == DistributedType::MegatronLm || accelerator.device == Device::Xla
}

/// Prepares a model with its optimizer.
pub(crate) fn prepare(context: &mut Context<'_>, accelerator: &mut Accelerator) -> Step<Verdict> {
    check_ipex(context, accelerator)?;
    let backend = backend(context, accelerator)?;
    match backend {
        Some(Backend::Te) => need(context, Backend::Te, PREPARE_TE, accelerator)?,
        Some(Backend::Ao) => prepare_ao(context, accelerator)?,
        Some(Backend::Msamp) | None => {}
    }
    let mut te_autocast = false;
    let alone =
        accelerator.is_fsdp2() && context.behaviours.fsdp2_prepare == Fsdp2Prepare::OnItsOwn;
    if accelerator.distributed_type == DistributedType::DeepSpeed {
        if backend == Some(Backend::Te) {
            // `FP8RecipeKwargs` alone is passed on: a recipe from the config never arrives.
            apply_fp8_autowrap(context, fp8_recipe(accelerator).as_ref())?;
            te_autocast = true;
        }
        if backend == Some(Backend::Msamp) && !context.run.machine.has("msamp") {
            let (message, origin) = ("No module named 'msamp'", accelerator.backend_origin());
            return Err(Site::new(PREPARE_DEEPSPEED, Cause::PackageMissing).raise(
                "ModuleNotFoundError",
                message,
                &origin,
            ));
        }
        prepare_deepspeed(context, accelerator)?;
        deepspeed_blocks::check(context)?;
    } else if alone {
        check_checkpointing(accelerator)?;
    } else {
        if backend == Some(Backend::Msamp) {
            prepare_msamp(context, accelerator)?;
        }
        if backend == Some(Backend::Te) {
            if accelerator.is_fsdp2() && !alone {
                let site = Site::new(PREPARE, Cause::FsdpOption);
                let origin = accelerator.backend_origin();
                return Err(site.raise("KeyError", "Parameter containing: …", &origin));
            }
            let own = accelerator.handlers.te.clone();
            apply_fp8_autowrap(context, own.or_else(|| fp8_recipe(accelerator)).as_ref())?;
            te_autocast = can_enter_fp8(context, accelerator)?;
        }
        check_names(context, accelerator, backend)?;
        if accelerator.distributed_type == DistributedType::Tp {
            return Err(unknown(
                "whether a model can be prepared for tensor parallelism depends on the model",
            ));
        }
        if accelerator.distributed_type == DistributedType::Fsdp
            && context.behaviours.fsdp_optimizer == FsdpOptimizer::MadeAgain
            && context.run.machine.is_newest
        {
            let message =
                "AdamW.__init__() got an unexpected keyword argument 'decoupled_weight_decay'";
            let site = Site::new("accelerator.py:_prepare_fsdp", Cause::FsdpOption);
            let origin = accelerator.environment.origin("ACCELERATE_USE_FSDP");
            return Err(site.raise("TypeError", message, &origin));
        }
    }
    Ok(verdict(context, accelerator, backend, te_autocast))
}

/// FSDP2 checkpoints the layers that the wrapping policy chooses.
fn check_checkpointing(accelerator: &Accelerator) -> Step<()> {
    let fsdp = accelerator.fsdp.as_ref();
    let Some(origin) = fsdp.and_then(|fsdp| fsdp.checkpointing_unwrapped.as_ref()) else {
        return Ok(());
    };
    let site = Site::new("utils/fsdp_utils.py:fsdp2_apply_ac", Cause::FsdpOption);
    Err(site.raise("TypeError", "'NoneType' object is not callable", origin))
}

/// Some releases look for the parameters of a compiled model under the names of the original.
fn check_names(
    context: &Context<'_>,
    accelerator: &Accelerator,
    backend: Option<Backend>,
) -> Step<()> {
    let dynamo = accelerator
        .environment
        .or("ACCELERATE_DYNAMO_BACKEND", "NO")?;
    let by_fsdp2 = accelerator.is_fsdp2()
        && context.behaviours.fsdp2_prepare == Fsdp2Prepare::AsOthersUncompiled;
    let by_te =
        backend == Some(Backend::Te) && context.behaviours.fp8_prepare != Fp8Prepare::Handler;
    if dynamo.value.eq_ignore_ascii_case("no") || !(by_fsdp2 || by_te) {
        return Ok(());
    }
    let site = Site::new(PREPARE, Cause::DynamoBackend);
    Err(site.raise("KeyError", "'a.weight'", &dynamo.origin))
}

/// The backend for which the model is converted.
fn backend(context: &Context<'_>, accelerator: &Accelerator) -> Step<Option<Backend>> {
    let is_fp8 = accelerator.precision() == "fp8";
    match context.behaviours.fp8_prepare {
        Fp8Prepare::Precision if is_fp8 && !context.run.machine.has("transformer_engine") => {
            let site = Site::new(
                "utils/transformer_engine.py:has_transformer_engine_layers",
                Cause::NoFp8Library,
            );
            let origin = &accelerator.mixed_precision.origin;
            Err(site.raise("NameError", "name 'te' is not defined", origin))
        }
        Fp8Prepare::HandlerNeeded if is_fp8 && !accelerator.handlers.any => {
            Err(no_handler("backend", PREPARE, accelerator))
        }
        _ => accelerator.fp8_backend(context),
    }
}

/// The Transformer Engine recipe of `FP8RecipeKwargs`.
fn fp8_recipe(accelerator: &Accelerator) -> Option<TeRecipe> {
    let handler = accelerator.handlers.fp8.as_ref();
    handler.map(|(_, recipe)| recipe.clone())
}

/// Whether Transformer Engine's autocast is on: some releases look at the GPU here.
fn can_enter_fp8(context: &Context<'_>, accelerator: &Accelerator) -> Step<bool> {
    let least = match context.behaviours.fp8_capability {
        Fp8Capability::PrepareNeedsHopper => HOPPER,
        Fp8Capability::PrepareNeedsAda => FP8_CAPABILITY,
        Fp8Capability::AcceleratorAsksGpu | Fp8Capability::AcceleratorIfGpu => return Ok(true),
    };
    if context.run.machine.gpus == 0 {
        let origin = accelerator.mixed_precision.origin.clone();
        return Err(no_gpu(PREPARE_MODEL, origin));
    }
    Ok(context.run.machine.capability >= least)
}

/// Intel's extension, where it is switched on, must be installed.
fn check_ipex(context: &Context<'_>, accelerator: &Accelerator) -> Step<()> {
    let is_on = context.behaviours.ipex == Ipex::Enabled
        && accelerator.device == Device::Cpu
        && accelerator.environment.is_true("IPEX_ENABLED", context)?;
    if !is_on {
        return Ok(());
    }
    let message = "Using IPEX but IPEX is not installed or IPEX's version does not match current PyTorch, please refer \
                   to https://github.com/intel/intel-extension-for-pytorch.";
    let site = Site::new("accelerator.py:_prepare_ipex", Cause::PackageMissing);
    Err(site.raise(
        "ImportError",
        message,
        &accelerator.environment.origin("IPEX_ENABLED"),
    ))
}

/// In the oracle's words (`oracle.py`, function `verdict`).
fn verdict(
    context: &Context<'_>,
    accelerator: &Accelerator,
    backend: Option<Backend>,
    te_autocast: bool,
) -> Verdict {
    let alone =
        accelerator.is_fsdp2() && context.behaviours.fsdp2_prepare == Fsdp2Prepare::OnItsOwn;
    match backend {
        Some(Backend::Ao) => return Verdict::Fp8(Backend::Ao),
        Some(Backend::Te) if te_autocast => return Verdict::Fp8(Backend::Te),
        // Under FSDP2 nothing of MS-AMP is called.
        Some(Backend::Msamp) if !alone => return Verdict::Fp8(Backend::Msamp),
        _ => {}
    }
    Verdict::NoFp8 {
        precision: precision(context, accelerator, alone),
        te_layers: backend == Some(Backend::Te),
    }
}

/// torch's autocast if it is entered, else what DeepSpeed's config says, else FSDP's mixed precision policy.
fn precision(context: &Context<'_>, accelerator: &Accelerator, alone: bool) -> String {
    let on_deepspeed = accelerator.distributed_type == DistributedType::DeepSpeed;
    let on_fsdp = accelerator.distributed_type == DistributedType::Fsdp;
    let autocast = context.behaviours.fsdp_autocast;
    let enters = !(on_deepspeed || alone || (on_fsdp && autocast == FsdpAutocast::Absent));
    if accelerator.native_amp && enters {
        return match accelerator.precision().as_str() {
            "fp16" => "float16".to_owned(),
            // As the oracle spells torch's own choice.
            _ if on_fsdp && autocast == FsdpAutocast::WithoutType => "None".to_owned(),
            _ => "bfloat16".to_owned(),
        };
    }
    if let Some(plugin) = &accelerator.deepspeed {
        return plugin.verdict_precision().to_owned();
    }
    match &accelerator.fsdp {
        Some(plugin) if on_fsdp => format!("fsdp-{}", plugin.parameters.unwrap_or("none")),
        _ => "none".to_owned(),
    }
}

fn need(
    context: &Context<'_>,
    backend: Backend,
    source: &'static str,
    accelerator: &Accelerator,
) -> Step<()> {
    if context.run.machine.has(backend.package()) {
        return Ok(());
    }
    let package = backend.package();
    let message = format!(
        "`{package}` was not found on your system. Please ensure that `{package}` is installed"
    );
    Err(Site::new(source, Cause::PackageMissing).raise(
        "ImportError",
        message,
        &accelerator.backend_origin(),
    ))
}

/// A handler that is not there is dereferenced.
fn no_handler(attribute: &str, source: &'static str, accelerator: &Accelerator) -> Stop {
    let message = format!("'NoneType' object has no attribute '{attribute}'");
    let origins = [
        accelerator.mixed_precision.origin.clone(),
        accelerator.backend_origin(),
    ];
    raise(
        "AttributeError",
        message,
        source,
        Cause::BackendWithoutFp8,
        origins,
    )
}

fn prepare_ao(context: &Context<'_>, accelerator: &Accelerator) -> Step<()> {
    need(context, Backend::Ao, PREPARE_AO, accelerator)?;
    let Some(handler) = accelerator.handlers.ao else {
        return Err(no_handler("config", PREPARE_AO, accelerator));
    };
    if context.behaviours.ao_layers == AoLayers::TypeError {
        let message =
            "filter_linear_layers() got an unexpected keyword argument 'first_layer_name'";
        let site = Site::new("utils/ao.py:convert_model_to_fp8_ao", Cause::Version);
        return Err(site.raise("TypeError", message, &accelerator.backend_origin()));
    }
    if accelerator.is_fsdp2()
        && context.behaviours.ao_prepare_fsdp2 == AoPrepareFsdp2::ReadsConfig
        && !handler.has_config
    {
        let message = "'NoneType' object has no attribute 'enable_fsdp_float8_all_gather'";
        let origins = [
            accelerator.backend_origin(),
            accelerator.environment.origin("FSDP_VERSION"),
        ];
        return Err(raise(
            "AttributeError",
            message,
            PREPARE_AO,
            Cause::AoFsdp2,
            origins,
        ));
    }
    Ok(())
}

fn prepare_msamp(context: &Context<'_>, accelerator: &Accelerator) -> Step<()> {
    need(context, Backend::Msamp, PREPARE_MSAMP, accelerator)?;
    if accelerator.handlers.msamp || accelerator.handlers.fp8.is_some() {
        return Ok(());
    }
    Err(no_handler("opt_level", PREPARE_MSAMP, accelerator))
}

/// Transformer Engine is given the recipe: its own checks decide.
fn apply_fp8_autowrap(context: &Context<'_>, recipe: Option<&TeRecipe>) -> Step<()> {
    let Some(recipe) = recipe else {
        return Ok(());
    };
    let refuse = |kind: &str, message: String, origin: &Origin| {
        Err(Site::new(AUTOWRAP, Cause::TeRecipe).raise(kind, message, origin))
    };
    let algorithm_is_default = recipe.amax_compute_algo.value == "most_recent";
    let history_is_default = super::python::parse_int(&recipe.amax_history_len.value) == Some(1024);
    if let Some(origin) = &recipe.use_mxfp8_block_scaling {
        if context.run.machine.gpus > 0 && context.run.machine.capability < MXFP8_CAPABILITY {
            let message = "MXFP8 block scaling is not available: Device compute capability 10.0 or higher required \
                           for MXFP8 execution.";
            return refuse("ValueError", message.to_owned(), origin);
        }
        if !algorithm_is_default {
            let message = "`amax_compute_algo` is not supported for MXFP8 block scaling.";
            return refuse(
                "ValueError",
                message.to_owned(),
                &recipe.amax_compute_algo.origin,
            );
        }
        if !history_is_default {
            let message = "`amax_history_len` is not supported for MXFP8 block scaling.";
            return refuse(
                "ValueError",
                message.to_owned(),
                &recipe.amax_history_len.origin,
            );
        }
    }
    let class = if recipe.use_mxfp8_block_scaling.is_some() {
        "MXFP8BlockScaling"
    } else {
        "DelayedScaling"
    };
    let assertion =
        |message: &str| format!("1 validation error for {class}\n  Assertion failed, {message}");
    if recipe.fp8_format.value == "E5M2" {
        let message = assertion("Pure E5M2 training is not supported.");
        return refuse("ValidationError", message, &recipe.fp8_format.origin);
    }
    let [fprop, dgrad, _] = recipe.override_linear_precision;
    if knows_override(context) && (fprop || dgrad) {
        let message = assertion("Only wgrad GEMM override is currently supported.");
        return refuse("ValidationError", message, &recipe.override_origin);
    }
    Ok(())
}

/// Transformer Engine 1.x has `override_linear_precision`; 2.x drops it silently. Undeclared, 2.9.0 is assumed.
fn knows_override(context: &Context<'_>) -> bool {
    context
        .run
        .machine
        .version_of("transformer_engine")
        .is_some_and(|version| version.starts_with("1."))
}

/// The checks of `_prepare_deepspeed` on the config.
fn prepare_deepspeed(context: &Context<'_>, accelerator: &mut Accelerator) -> Step<()> {
    let Some(plugin) = &mut accelerator.deepspeed else {
        return Ok(());
    };
    let site = Site::new(PREPARE_DEEPSPEED, Cause::DeepSpeedConfig);
    if plugin.child("train_micro_batch_size_per_gpu").is_none() {
        match context.behaviours.deepspeed_micro_batch {
            DeepspeedMicroBatch::Needed => {
                let message = "'train_micro_batch_size_per_gpu'";
                return Err(site.raise("KeyError", message, &plugin.origin));
            }
            DeepspeedMicroBatch::Multiplied => {
                let message = "unsupported operand type(s) for *: 'NoneType' and 'int'";
                return Err(site.raise("TypeError", message, &plugin.origin));
            }
            DeepspeedMicroBatch::Optional => {}
        }
    }
    // A Trainer makes the `DummyOptim` itself (transformers, integrations/deepspeed.py:deepspeed_optim_sched).
    let by_trainer = context
        .run
        .trainer
        .as_ref()
        .is_some_and(|trainer| !trainer.is_arguments_only);
    if plugin.child("optimizer").is_some() && !by_trainer {
        let message = "You cannot specify an optimizer in the config file and in the code at the same time. Please \
                       remove the optimizer from the config file or create `accelerate.utils.DummyOptim` in the code.";
        return Err(
            Site::new(PREPARE_DEEPSPEED, Cause::DeepSpeedOptimizer).raise(
                "ValueError",
                message,
                &plugin.origin,
            ),
        );
    }
    let steps = accelerator
        .environment
        .or("ACCELERATE_GRADIENT_ACCUMULATION_STEPS", "1")?;
    let steps = int(&steps.value, &steps.origin, site)?;
    plugin.fill_match("gradient_accumulation_steps", Some(&Object::from(steps)))?;
    let has_batch_size = check_batch_size(context, plugin)?;
    let sections = ["zero_optimization", "zero_optimization.offload_optimizer"];
    if sections.into_iter().any(|route| plugin.is_null(route)) {
        let message = "'NoneType' object has no attribute 'get'";
        return Err(site.raise("AttributeError", message, &plugin.origin));
    }
    fill_auto(plugin, has_batch_size).map_err(|stop| match stop {
        Stop::Raised(exception) => site.raise(&exception.kind, exception.message, &plugin.origin),
        Stop::Unknown(why) => Stop::Unknown(why),
    })?;
    match accelerator.splits_sequences {
        true => Err(unknown(
            "what becomes of split sequences under DeepSpeed depends on the model",
        )),
        false => Ok(()),
    }
}

/// The product of batch size, accumulation steps and processes: whether there is one, and that Python can form it.
fn check_batch_size(context: &Context<'_>, plugin: &DeepSpeedPlugin) -> Step<bool> {
    let site = Site::new(PREPARE_DEEPSPEED, Cause::DeepSpeedConfig);
    let factor = |name: &str| -> Step<Object> {
        Ok(match plugin.get(name)? {
            Some(Object::Str(text)) if text == "auto" => Object::from(1),
            value => value.unwrap_or(Object::None),
        })
    };
    let batch_size = factor("train_micro_batch_size_per_gpu")?;
    let steps = factor("gradient_accumulation_steps")?;
    if batch_size == Object::None {
        return Ok(false);
    }
    let is_number =
        |value: &Object| matches!(value, Object::Int(_) | Object::Float(_) | Object::Bool(_));
    let is_sequence = |value: &Object| matches!(value, Object::Str(_) | Object::List(_));
    let refuse = |operator: &str, left: &Object, right: &str| {
        let message = format!(
            "unsupported operand type(s) for {operator}: '{}' and '{right}'",
            left.type_name()
        );
        Err(site.raise("TypeError", message, &plugin.origin))
    };
    match (is_number(&batch_size), is_number(&steps)) {
        (true, true) => Ok(true),
        // A repeated text or list, which only the division by the sequence parallelism refuses.
        (true, false) | (false, true) if is_sequence(&batch_size) || is_sequence(&steps) => {
            let divides = !matches!(
                context.behaviours.parallelism_check,
                ParallelismCheck::Absent | ParallelismCheck::WithoutSequenceParallelism
            );
            let sequence = if is_sequence(&batch_size) {
                &batch_size
            } else {
                &steps
            };
            match divides {
                true => refuse("//", sequence, "int"),
                false => Ok(true),
            }
        }
        _ => refuse("*", &batch_size, steps.type_name()),
    }
}

/// `auto` values that nothing fills.
fn fill_auto(plugin: &mut DeepSpeedPlugin, has_batch_size: bool) -> Step<()> {
    let filled = [
        "gradient_clipping",
        "zero_optimization.stage3_gather_16bit_weights_on_model_save",
        "zero_optimization.reduce_bucket_size",
        "zero_optimization.stage3_prefetch_bucket_size",
        "zero_optimization.stage3_param_persistence_threshold",
    ];
    let of_batch_size = ["train_micro_batch_size_per_gpu", "train_batch_size"];
    for route in plugin.auto_routes() {
        let known = filled.contains(&route.as_str())
            || (has_batch_size && of_batch_size.contains(&route.as_str()));
        plugin.fill_match(&route, known.then(|| Object::from(1)).as_ref())?;
    }
    Ok(())
}
