//! `Accelerator()`: from the environment and the script's arguments to the state that trains
//! (accelerate 1.15.0, `accelerator.py:Accelerator.__init__`).

mod deepspeed;
pub(crate) mod environment;
mod fsdp;
mod handlers;
mod megatron;
mod parallelism;
mod state;

use super::context::Context;
use super::outcome::{Backend, Cause};
use super::python::{Argument, Site, int, list_repr, str_to_bool};
use super::run::{Code, Origin, Voice};
use super::stop::{Step, raise, unknown};
use super::trainer::Given;
use crate::knowledge::{
    AoFsdpCheck, AutomaticRecipe, Bf16DeviceCheck, DeepspeedPluginLookup, DeepspeedPrecision,
    Enumeration, Fp8Autocast, Fp8BackendProperty, Fp8Prepare, Fp8RecipeKwargs, MsampFsdp,
    RecipeCheck,
};
use crate::source::Object;
pub(crate) use deepspeed::DeepSpeedPlugin;
pub(crate) use environment::Environment;
pub(crate) use fsdp::FsdpPlugin;
pub(crate) use handlers::{Handlers, TeRecipe};
pub(crate) use state::{Device, DistributedType, FP8_CAPABILITY, no_gpu};

const INIT: &str = "accelerator.py:Accelerator.__init__";
/// The arguments of `Accelerator()` that are followed, and those on which the precision does not depend.
const FOLLOWED: [&str; 7] = [
    "cpu",
    "device_placement",
    "mixed_precision",
    "project_dir",
    "rng_types",
    "split_batches",
    "step_scheduler_with_optimizer",
];
const FP8_BACKEND: &str = "accelerator.py:fp8_backend";

/// What `Accelerator()` knows after it has been built.
pub(crate) struct Accelerator {
    /// `state._mixed_precision` of the state, and who says it.
    pub(crate) mixed_precision: Argument,
    pub(crate) distributed_type: DistributedType,
    pub(crate) device: Device,
    pub(crate) native_amp: bool,
    pub(crate) handlers: Handlers,
    pub(crate) fsdp: Option<FsdpPlugin>,
    pub(crate) deepspeed: Option<DeepSpeedPlugin>,
    /// Whether sequence parallelism is on.
    pub(crate) splits_sequences: bool,
    pub(crate) environment: Environment,
}

impl Accelerator {
    /// `accelerator.mixed_precision`, as text.
    pub(crate) fn precision(&self) -> String {
        let own = self.mixed_precision.value.python_str();
        match &self.deepspeed {
            Some(plugin) if self.distributed_type == DistributedType::DeepSpeed && own != "fp8" => {
                plugin.precision()
            }
            _ => own,
        }
    }

    /// `accelerator.is_fsdp2`
    pub(crate) fn is_fsdp2(&self) -> bool {
        self.distributed_type == DistributedType::Fsdp
            && self.fsdp.as_ref().is_some_and(|plugin| plugin.version == 2)
    }

    /// `accelerator.fp8_backend`, and before there was such a property, the backend of what is prepared; `None` is
    /// `FP8BackendType.NO`.
    pub(crate) fn fp8_backend(&self, context: &Context<'_>) -> Step<Option<Backend>> {
        backend(
            context,
            &self.environment,
            &self.handlers,
            &self.precision(),
            self.deepspeed.as_ref(),
        )
    }

    /// Who names the fp8 backend.
    pub(crate) fn backend_origin(&self) -> Origin {
        self.environment.origin("ACCELERATE_FP8_BACKEND")
    }
}

/// `Accelerator.fp8_backend`
fn backend(
    context: &Context<'_>,
    environment: &Environment,
    handlers: &Handlers,
    precision: &str,
    deepspeed: Option<&DeepSpeedPlugin>,
) -> Step<Option<Backend>> {
    let is_fp8 = precision == "fp8";
    let property = context.behaviours.fp8_backend;
    let asked = context.behaviours.fp8_prepare;
    if asked == Fp8Prepare::Precision {
        return Ok(is_fp8.then_some(Backend::Te));
    }
    let of_handler = handlers.backend().filter(|backend| match property {
        Fp8BackendProperty::Absent => {
            is_fp8 || (*backend == Backend::Te && asked == Fp8Prepare::Handler)
        }
        Fp8BackendProperty::HandlerIfFp8 => is_fp8,
        Fp8BackendProperty::Handler | Fp8BackendProperty::HandlerOrEnvironment => true,
    });
    if let Some(backend) = of_handler {
        return Ok(Some(backend));
    }
    let is_without = !handlers.any || property == Fp8BackendProperty::HandlerIfFp8;
    if is_without && deepspeed.is_some_and(|plugin| plugin.enable_msamp) {
        return Ok(Some(Backend::Msamp));
    }
    if property != Fp8BackendProperty::HandlerOrEnvironment {
        return Ok(None);
    }
    let Some(variable) = environment.get("ACCELERATE_FP8_BACKEND")? else {
        return Ok(None);
    };
    let known = context.facts.values(Enumeration::Fp8BackendType);
    if !known.contains(&variable.value) {
        let shown = Object::from(variable.value.as_str()).python_repr();
        let message = format!("{shown} is not a valid FP8BackendType");
        let site = Site::new(FP8_BACKEND, Cause::Fp8Backend);
        return Err(site.raise("ValueError", message, &variable.origin));
    }
    Ok(match variable.value.as_str() {
        "AO" => Some(Backend::Ao),
        "TE" => Some(Backend::Te),
        "MSAMP" => Some(Backend::Msamp),
        _ => None,
    })
}

/// Builds the `Accelerator`, or raises as it does.
pub(crate) fn accelerator(
    context: &mut Context<'_>,
    environment: Environment,
    given: Given,
) -> Step<Accelerator> {
    let mut environment = environment;
    let code = given.code;
    if let Some(name) = code
        .arguments
        .keys()
        .find(|name| !FOLLOWED.contains(&name.as_str()))
    {
        return Err(unknown(format!(
            "`{name}` of Accelerator() is not followed"
        )));
    }
    let mut handlers = Handlers::from_code(context, &environment, &code)?;
    let mut argument = precision_argument(context, &code, given.precision)?;
    check_dynamo(context, &environment)?;
    let mut deepspeed = match environment.is_true("ACCELERATE_USE_DEEPSPEED", context)? {
        true => {
            let plugin = match given.deepspeed {
                Some(plugin) => plugin,
                None => {
                    check_plugin_lookup(context, &environment)?;
                    DeepSpeedPlugin::new(context, &environment)?
                }
            };
            if !context.run.machine.has("deepspeed") {
                let message = "DeepSpeed is not installed => run `pip install deepspeed` or build it from source.";
                let origin = environment.origin("ACCELERATE_USE_DEEPSPEED");
                return Err(Site::new(INIT, Cause::PackageMissing).raise(
                    "ImportError",
                    message,
                    &origin,
                ));
            }
            Some(plugin)
        }
        false => None,
    };
    if let Some(plugin) = &mut deepspeed {
        if context.behaviours.deepspeed_precision == DeepspeedPrecision::AsAsked {
            let asked = match argument.take() {
                Some(argument) => argument,
                None => {
                    let variable = environment.or("ACCELERATE_MIXED_PRECISION", "no")?;
                    Argument::new(variable.value, variable.origin)
                }
            };
            plugin.set_mixed_precision(context, &asked)?;
            // From here on it counts as the argument.
            argument = Some(asked);
        }
        plugin.tell_transformers(context)?;
    }
    let fsdp = match environment.is_true("ACCELERATE_USE_FSDP", context)? {
        true => Some(FsdpPlugin::new(context, &environment)?),
        false => None,
    };
    if state::uses_tensor_parallelism(context, &environment)? {
        parallelism::check_tensor_parallelism(context, &environment)?;
    }
    if environment.is_true("ACCELERATE_USE_MEGATRON_LM", context)? {
        megatron::check(context, &environment)?;
    }
    let asked_in_code = argument
        .as_ref()
        .is_some_and(|argument| argument.value == Object::from("fp8"));
    let recipe = context.behaviours.automatic_recipe;
    if recipe == AutomaticRecipe::ForArgument && asked_in_code && !handlers.any {
        handlers.make_fp8(context, &environment, None)?;
    }
    let parallelism = parallelism::from_environment(context, &environment)?;
    let cpu = code.arguments.get("cpu").is_some_and(Object::truthy);
    let state = state::state(
        context,
        &mut environment,
        argument.as_ref(),
        cpu,
        deepspeed,
        fsdp,
        parallelism.as_ref(),
    )?;
    if let Some(parallelism) = &parallelism {
        parallelism.check(context, &state)?;
    }
    let mut accelerator = Accelerator {
        mixed_precision: state.mixed_precision,
        distributed_type: state.distributed_type,
        device: state.device,
        native_amp: false,
        handlers: Handlers::default(),
        fsdp: state.fsdp,
        deepspeed: state.deepspeed,
        splits_sequences: parallelism
            .as_ref()
            .is_some_and(parallelism::Parallelism::splits_sequences),
        environment,
    };
    let fp8_enabled = accelerator.precision() == "fp8" || asked_in_code;
    if !handlers.any {
        make_recipe(context, &accelerator, &mut handlers, asked_in_code)?;
    }
    accelerator.handlers = handlers;
    check_recipe(context, &accelerator, asked_in_code)?;
    check_ao(context, &accelerator)?;
    check_gradient_accumulation(&accelerator.environment)?;
    check_precision(context, &mut accelerator, fp8_enabled)?;
    Ok(accelerator)
}

/// `TrainingArguments` leaves a `PartialState`, which some releases take for that of an earlier `Accelerator()`.
fn check_plugin_lookup(context: &Context<'_>, environment: &Environment) -> Step<()> {
    let leaves_state = context
        .run
        .trainer
        .as_ref()
        .is_some_and(|trainer| trainer.is_arguments_only);
    let is_taken =
        context.behaviours.deepspeed_plugin_lookup == DeepspeedPluginLookup::PartialState;
    if !(leaves_state && is_taken) {
        return Ok(());
    }
    let message = "Please make sure to properly initialize your accelerator via `accelerator = Accelerator()` before \
                   using any functionality from the `accelerate` library.";
    let site = Site::new("state.py:AcceleratorState.__init__", Cause::Version);
    Err(site.raise(
        "ValueError",
        message,
        &environment.origin("ACCELERATE_USE_DEEPSPEED"),
    ))
}

/// The recipe that `Accelerator()` makes where the script gives none.
fn make_recipe(
    context: &Context<'_>,
    accelerator: &Accelerator,
    handlers: &mut Handlers,
    asked_in_code: bool,
) -> Step<()> {
    let environment = &accelerator.environment;
    let precision = accelerator.precision();
    let is_fp8 = precision == "fp8";
    match context.behaviours.automatic_recipe {
        AutomaticRecipe::InstalledMsampFirst if is_fp8 => {
            let backend = match context.run.machine.has(Backend::Msamp.package()) {
                true => Backend::Msamp,
                false => Backend::Te,
            };
            handlers.make_fp8(context, environment, Some(backend))
        }
        AutomaticRecipe::FromEnvironment if is_fp8 => handlers.make_fp8(context, environment, None),
        AutomaticRecipe::Forgotten if asked_in_code => {
            Handlers::default().make(context, environment, None)
        }
        AutomaticRecipe::Installed if is_fp8 || asked_in_code => {
            handlers.make(context, environment, None)
        }
        AutomaticRecipe::NamedOrInstalled if is_fp8 || asked_in_code => {
            let named = backend(
                context,
                environment,
                handlers,
                &precision,
                accelerator.deepspeed.as_ref(),
            )?;
            handlers.make(context, environment, named)
        }
        _ => Ok(()),
    }
}

/// `Accelerator(mixed_precision=…)`
fn precision_argument(
    context: &Context<'_>,
    code: &Code,
    origin: Option<Origin>,
) -> Step<Option<Argument>> {
    let Some(value) = code.arguments.get("mixed_precision") else {
        return Ok(None);
    };
    if matches!(value, Object::None) {
        return Ok(None);
    }
    let origin =
        origin.unwrap_or_else(|| Origin::of(Voice::Code, "Accelerator(mixed_precision=…)"));
    let text = value.python_str();
    let known = context.facts.values(Enumeration::PrecisionType);
    if !known.contains(&text) {
        let list = list_repr(known);
        let message = format!("Unknown mixed_precision mode: {text}. Choose between {list}");
        return Err(Site::new(INIT, Cause::MixedPrecision).raise("ValueError", message, &origin));
    }
    Ok(Some(Argument::new(text, origin)))
}

/// `TorchDynamoPlugin()`
fn check_dynamo(context: &Context<'_>, environment: &Environment) -> Step<()> {
    let source = "utils/dataclasses.py:TorchDynamoPlugin.__post_init__";
    if let Some(variable) = environment.get("ACCELERATE_DYNAMO_BACKEND")? {
        let upper = variable.value.to_uppercase();
        if !context
            .facts
            .values(Enumeration::DynamoBackend)
            .contains(&upper)
        {
            let shown = Object::from(upper).python_repr();
            let message = format!("{shown} is not a valid DynamoBackend");
            return Err(Site::new(source, Cause::DynamoBackend).raise(
                "ValueError",
                message,
                &variable.origin,
            ));
        }
    }
    for name in ["FULLGRAPH", "REGIONAL_COMPILATION", "DYNAMIC"] {
        if let Some(variable) = environment.get(&format!("ACCELERATE_DYNAMO_USE_{name}"))? {
            str_to_bool(&variable.value, &variable.origin, Cause::DynamoBackend)?;
        }
    }
    Ok(())
}

/// A recipe demands fp8.
fn check_recipe(context: &Context<'_>, accelerator: &Accelerator, asked_in_code: bool) -> Step<()> {
    let is_fp8 = accelerator.precision() == "fp8";
    let is_sharded = matches!(
        accelerator.distributed_type,
        DistributedType::Fsdp | DistributedType::DeepSpeed
    );
    let passes = match context.behaviours.recipe_check {
        RecipeCheck::Absent => true,
        RecipeCheck::Precision => is_fp8,
        RecipeCheck::PrecisionUnlessSharded => is_fp8 || is_sharded,
        RecipeCheck::ArgumentUnlessSharded => asked_in_code || is_sharded,
        RecipeCheck::EitherUnlessSharded => is_fp8 || asked_in_code || is_sharded,
    };
    if passes || !accelerator.handlers.any {
        return Ok(());
    }
    let passed = match context.behaviours.fp8_recipe_kwargs {
        Fp8RecipeKwargs::Deprecated => "an FP8 configuration",
        _ => "a `FP8RecipeKwargs` object",
    };
    let message = format!("Passing in {passed} requires setting `mixed_precision='fp8'`.");
    let origins = [accelerator.mixed_precision.origin.clone()];
    Err(raise(
        "ValueError",
        message,
        INIT,
        Cause::HandlerWithoutFp8,
        origins,
    ))
}

/// torchao demands that FSDP does not load RAM-efficiently.
fn check_ao(context: &mut Context<'_>, accelerator: &Accelerator) -> Step<()> {
    let backend = accelerator.fp8_backend(context)?;
    let shown = backend.map_or("NO", Backend::as_str);
    context.decide("fp8_backend", shown, &accelerator.backend_origin());
    let check = context.behaviours.ao_fsdp_check;
    if backend != Some(Backend::Ao) || check == AoFsdpCheck::Absent {
        return Ok(());
    }
    let fsdp = match &accelerator.fsdp {
        Some(fsdp) if accelerator.distributed_type == DistributedType::Fsdp => fsdp,
        _ if check == AoFsdpCheck::ReadsMissingPlugin => {
            let message = "`AcceleratorState` object has no attribute `fsdp_plugin`. This happens if \
                           `AcceleratorState._reset_state()` was called and an `Accelerator` or `PartialState` was not \
                           reinitialized.";
            let site = Site::new("state.py:AcceleratorState.__getattr__", Cause::Version);
            return Err(site.raise("AttributeError", message, &accelerator.backend_origin()));
        }
        _ => return Ok(()),
    };
    if !fsdp.cpu_ram_efficient_loading.value {
        return Ok(());
    }
    let message = "torchao with FSDP2 and cpu_ram_efficient_loading is not supported, setting \
                   `cpu_ram_efficient_loading` to False will fix the issue and work as intended.";
    let origins = [
        fsdp.cpu_ram_efficient_loading.origin.clone(),
        accelerator.backend_origin(),
    ];
    Err(raise(
        "ValueError",
        message,
        INIT,
        Cause::AoFsdpCpuRamEfficientLoading,
        origins,
    ))
}

/// `int(ACCELERATE_GRADIENT_ACCUMULATION_STEPS)`
fn check_gradient_accumulation(environment: &Environment) -> Step<()> {
    if let Some(variable) = environment.get("ACCELERATE_GRADIENT_ACCUMULATION_STEPS")? {
        int(
            &variable.value,
            &variable.origin,
            Site::new(INIT, Cause::LaunchValue),
        )?;
    }
    Ok(())
}

/// `native_amp`, and what the device does not support.
fn check_precision(
    context: &Context<'_>,
    accelerator: &mut Accelerator,
    fp8_enabled: bool,
) -> Step<()> {
    let precision = accelerator.precision();
    let elsewhere = matches!(
        accelerator.distributed_type,
        DistributedType::DeepSpeed | DistributedType::MegatronLm
    );
    let on_xla = context.has_xla();
    let refuse = |message: String, origin: &Origin| {
        Err(Site::new(INIT, Cause::Device).raise("ValueError", message, origin))
    };
    let origin = accelerator.mixed_precision.origin.clone();
    if precision == "fp16" && accelerator.device != Device::Cpu && !elsewhere {
        accelerator.native_amp = true;
        if on_xla {
            let device = accelerator.device.as_str();
            return refuse(
                format!("fp16 mixed precision requires a device in (…) (not '{device}')."),
                &origin,
            );
        }
    } else if precision == "bf16" && !elsewhere {
        accelerator.native_amp = !on_xla || accelerator.device == Device::Cpu;
        let asked = match context.behaviours.bf16_device_check {
            Bf16DeviceCheck::ArgumentOnly => origin.voice == Voice::Code,
            Bf16DeviceCheck::ArgumentOrEnvironment => true,
        };
        if asked && !accelerator.native_amp && !on_xla {
            let message = "bf16 mixed precision requires PyTorch >= 1.10 and a supported device.";
            return refuse(message.to_owned(), &origin);
        }
    } else if fp8_enabled && context.behaviours.fp8_autocast == Fp8Autocast::OverBf16 {
        accelerator.native_amp = true;
        let is_refused = context.behaviours.msamp_fsdp == MsampFsdp::Refused
            && accelerator.fp8_backend(context)? == Some(Backend::Msamp);
        if is_refused && accelerator.distributed_type == DistributedType::Fsdp {
            let message = "`accelerate` + `MS-AMP` + `FSDP` is not supported at this time. Please consider using \
                           deepspeed, which is supported.";
            let origins = [accelerator.backend_origin(), origin];
            return Err(raise(
                "NotImplementedError",
                message,
                INIT,
                Cause::MsampFsdp,
                origins,
            ));
        }
    }
    Ok(())
}
