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
use super::python::{Argument, Site, int, str_to_bool};
use super::run::{Origin, Voice};
use super::stop::{Step, raise};
use crate::knowledge::{Bf16DeviceCheck, Enumeration};
use crate::source::Object;
pub(crate) use deepspeed::DeepSpeedPlugin;
pub(crate) use environment::Environment;
pub(crate) use fsdp::FsdpPlugin;
pub(crate) use handlers::{Handlers, TeRecipe};
pub(crate) use state::{Device, DistributedType};

const INIT: &str = "accelerator.py:Accelerator.__init__";
const FP8_BACKEND: &str = "accelerator.py:fp8_backend";

/// What `Accelerator()` knows after it has been built.
pub(crate) struct Accelerator {
    /// `state._mixed_precision` of the state, and who says it.
    pub(crate) mixed_precision: Argument,
    pub(crate) distributed_type: DistributedType,
    pub(crate) device: Device,
    pub(crate) native_amp: bool,
    pub(crate) delayed_fp8_autocast: bool,
    pub(crate) handlers: Handlers,
    pub(crate) fsdp: Option<FsdpPlugin>,
    pub(crate) deepspeed: Option<DeepSpeedPlugin>,
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

    /// `accelerator.fp8_backend`; `None` is `FP8BackendType.NO`.
    pub(crate) fn fp8_backend(&self, context: &Context<'_>) -> Step<Option<Backend>> {
        backend(
            context,
            &self.environment,
            &self.handlers,
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
    deepspeed: Option<&DeepSpeedPlugin>,
) -> Step<Option<Backend>> {
    if let Some(backend) = handlers.backend() {
        return Ok(Some(backend));
    }
    if !handlers.any && deepspeed.is_some_and(|plugin| plugin.enable_msamp) {
        return Ok(Some(Backend::Msamp));
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
) -> Step<Accelerator> {
    let mut environment = environment;
    let code = context.run.code.clone();
    let mut handlers = Handlers::from_code(context, &environment)?;
    let argument = precision_argument(context)?;
    check_dynamo(context, &environment)?;
    let deepspeed = match environment.is_true("ACCELERATE_USE_DEEPSPEED", context)? {
        true => {
            let plugin = DeepSpeedPlugin::new(context, &environment)?;
            if !context.run.machine.has("deepspeed") {
                let message = "DeepSpeed is not installed => run `pip install deepspeed` or build it from source.";
                let origin = environment.origin("ACCELERATE_USE_DEEPSPEED");
                return Err(raise(
                    "ImportError",
                    message,
                    INIT,
                    Cause::PackageMissing,
                    [origin],
                ));
            }
            Some(plugin)
        }
        false => None,
    };
    let fsdp = match environment.is_true("ACCELERATE_USE_FSDP", context)? {
        true => Some(FsdpPlugin::new(context, &environment)?),
        false => None,
    };
    if environment.is_true("ACCELERATE_USE_MEGATRON_LM", context)? {
        megatron::check(context, &environment)?;
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
        delayed_fp8_autocast: false,
        handlers: Handlers::default(),
        fsdp: state.fsdp,
        deepspeed: state.deepspeed,
        environment,
    };
    let asked_in_code = argument.is_some_and(|argument| argument.value == Object::from("fp8"));
    let fp8_enabled = accelerator.precision() == "fp8" || asked_in_code;
    if fp8_enabled && !handlers.any {
        let named = backend(
            context,
            &accelerator.environment,
            &handlers,
            accelerator.deepspeed.as_ref(),
        )?;
        handlers.make(context, &accelerator.environment, named)?;
    }
    accelerator.handlers = handlers;
    check_handlers(context, &mut accelerator, fp8_enabled)?;
    check_gradient_accumulation(&accelerator.environment)?;
    check_precision(context, &mut accelerator, fp8_enabled)?;
    Ok(accelerator)
}

/// `Accelerator(mixed_precision=…)`
fn precision_argument(context: &Context<'_>) -> Step<Option<Argument>> {
    let Some(value) = context.run.code.arguments.get("mixed_precision") else {
        return Ok(None);
    };
    if matches!(value, Object::None) {
        return Ok(None);
    }
    let origin = Origin::of(Voice::Code, "Accelerator(mixed_precision=…)");
    let text = value.python_str();
    let known = context.facts.values(Enumeration::PrecisionType);
    if !known.contains(&text) {
        let list = Object::List(
            known
                .iter()
                .map(|value| Object::from(value.as_str()))
                .collect(),
        )
        .python_repr();
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

/// What recipe handlers demand of the rest.
fn check_handlers(
    context: &mut Context<'_>,
    accelerator: &mut Accelerator,
    fp8_enabled: bool,
) -> Step<()> {
    let distributed_type = accelerator.distributed_type;
    if accelerator.handlers.any {
        let exempt = matches!(
            distributed_type,
            DistributedType::Fsdp | DistributedType::DeepSpeed
        );
        if !fp8_enabled && !exempt {
            let message =
                "Passing in an FP8 configuration requires setting `mixed_precision='fp8'`.";
            let origins = [accelerator.mixed_precision.origin.clone()];
            return Err(raise(
                "ValueError",
                message,
                INIT,
                Cause::HandlerWithoutFp8,
                origins,
            ));
        }
        accelerator.delayed_fp8_autocast = accelerator.fp8_backend(context)? == Some(Backend::Te)
            && matches!(
                distributed_type,
                DistributedType::MultiGpu | DistributedType::Fsdp
            );
    }
    let backend = accelerator.fp8_backend(context)?;
    let shown = backend.map_or("NO", Backend::as_str);
    context.decide("fp8_backend", shown, &accelerator.backend_origin());
    if let Some(fsdp) = &accelerator.fsdp
        && backend == Some(Backend::Ao)
        && distributed_type == DistributedType::Fsdp
        && fsdp.cpu_ram_efficient_loading.value
    {
        let message = "torchao with FSDP2 and cpu_ram_efficient_loading is not supported, setting \
                       `cpu_ram_efficient_loading` to False will fix the issue and work as intended.";
        let origins = [
            fsdp.cpu_ram_efficient_loading.origin.clone(),
            accelerator.backend_origin(),
        ];
        return Err(raise(
            "ValueError",
            message,
            INIT,
            Cause::AoFsdpCpuRamEfficientLoading,
            origins,
        ));
    }
    Ok(())
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
    let on_xla = context.run.machine.has("torch_xla");
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
    } else if fp8_enabled {
        accelerator.native_amp = true;
        let is_msamp = accelerator.fp8_backend(context)? == Some(Backend::Msamp);
        if is_msamp && accelerator.distributed_type == DistributedType::Fsdp {
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
