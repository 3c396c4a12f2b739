//! `PartialState` and `AcceleratorState`: device, distributed type and mixed precision
//! (accelerate 1.15.0, `state.py`).

use super::super::context::Context;
use super::super::outcome::Cause;
use super::super::python::{Argument, Site, int, str_to_bool};
use super::super::run::{Origin, Voice};
use super::super::stop::{Step, raise};
use super::parallelism::Parallelism;
use super::{DeepSpeedPlugin, Environment, FsdpPlugin};
use crate::knowledge::{CpuDistributed, DeepspeedStatePrecision};
use crate::source::Object;

const INIT: &str = "state.py:AcceleratorState.__init__";
const PARTIAL: &str = "state.py:PartialState.__init__";

/// The lowest compute capability that `check_cuda_fp8_capability` takes.
const FP8_CAPABILITY: (u32, u32) = (8, 9);

/// `DistributedType`, as far as it is told apart here.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum DistributedType {
    No,
    MultiCpu,
    MultiGpu,
    Fsdp,
    DeepSpeed,
    MegatronLm,
    Xla,
}

impl DistributedType {
    /// The member's value.
    pub(crate) fn as_str(self) -> &'static str {
        match self {
            Self::No => "NO",
            Self::MultiCpu => "MULTI_CPU",
            Self::MultiGpu => "MULTI_GPU",
            Self::Fsdp => "FSDP",
            Self::DeepSpeed => "DEEPSPEED",
            Self::MegatronLm => "MEGATRON_LM",
            Self::Xla => "XLA",
        }
    }
}

/// The kind of device.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Device {
    Cpu,
    Cuda,
    Xla,
}

impl Device {
    /// `torch.device.type`
    pub(crate) fn as_str(self) -> &'static str {
        match self {
            Self::Cpu => "cpu",
            Self::Cuda => "cuda",
            Self::Xla => "xla",
        }
    }
}

/// `AcceleratorState`
pub(crate) struct State {
    pub(crate) mixed_precision: Argument,
    pub(crate) distributed_type: DistributedType,
    pub(crate) device: Device,
    pub(crate) processes: i64,
    pub(crate) fsdp: Option<FsdpPlugin>,
    pub(crate) deepspeed: Option<DeepSpeedPlugin>,
}

/// `PartialState`
struct Partial {
    distributed_type: DistributedType,
    device: Device,
    processes: i64,
}

pub(crate) fn state(
    context: &mut Context<'_>,
    environment: &mut Environment,
    argument: Option<&Argument>,
    cpu: bool,
    deepspeed: Option<DeepSpeedPlugin>,
    fsdp: Option<FsdpPlugin>,
    parallelism: Option<&Parallelism>,
) -> Step<State> {
    let cpu = flag(environment, "ACCELERATE_USE_CPU")? || cpu;
    let partial = partial(context, environment, cpu)?;
    let asked = match argument {
        Some(argument) => Argument::new(
            argument.value.python_str().to_lowercase(),
            argument.origin.clone(),
        ),
        None => {
            let variable = environment.or("ACCELERATE_MIXED_PRECISION", "no")?;
            Argument::new(variable.value, variable.origin)
        }
    };
    let asked = check_fp8(context, asked)?;
    context.decide("mixed_precision", asked.value.python_str(), &asked.origin);
    let mut state = State {
        mixed_precision: asked.clone(),
        distributed_type: partial.distributed_type,
        device: partial.device,
        processes: partial.processes,
        fsdp: None,
        deepspeed: None,
    };
    let keeps_fp8 =
        context.behaviours.deepspeed_state_precision == DeepspeedStatePrecision::KeepsFp8;
    let is_fp8 = asked.value == Object::from("fp8");
    if state.distributed_type == DistributedType::DeepSpeed && !(keeps_fp8 && is_fp8) {
        state.mixed_precision = Argument::new("no", asked.origin.clone());
    }
    if state.distributed_type == DistributedType::Xla {
        return Ok(state);
    }
    if environment.is_true("ACCELERATE_USE_DEEPSPEED", context)? && !cpu {
        state.distributed_type = DistributedType::DeepSpeed;
        if let Some(mut plugin) = deepspeed {
            plugin.set_mixed_precision(&asked)?;
            state.deepspeed = Some(plugin);
        }
    } else if state.distributed_type == DistributedType::MultiGpu {
        parallelism.map_or(Ok(()), |parallelism| {
            parallelism.check_context(environment, fsdp.as_ref())
        })?;
        let use_fsdp = environment.is_true("ACCELERATE_USE_FSDP", context)?;
        if use_fsdp || parallelism.is_some_and(Parallelism::context_enabled) {
            state.distributed_type = DistributedType::Fsdp;
            state.fsdp = fsdp;
            if let Some(plugin) = &mut state.fsdp {
                plugin.set_mixed_precision(&state.mixed_precision)?;
            }
        }
        if environment.is_true("ACCELERATE_USE_MEGATRON_LM", context)? {
            state.distributed_type = DistributedType::MegatronLm;
        }
    }
    let origin = environment.origin(match state.distributed_type {
        DistributedType::DeepSpeed => "ACCELERATE_USE_DEEPSPEED",
        DistributedType::Fsdp => "ACCELERATE_USE_FSDP",
        DistributedType::MegatronLm => "ACCELERATE_USE_MEGATRON_LM",
        _ => "LOCAL_RANK",
    });
    context.decide("distributed_type", state.distributed_type.as_str(), &origin);
    Ok(state)
}

/// `parse_flag_from_env(name)`
fn flag(environment: &Environment, name: &str) -> Step<bool> {
    match environment.get(name)? {
        Some(variable) => str_to_bool(&variable.value, &variable.origin, Cause::LaunchValue),
        None => Ok(false),
    }
}

/// `PartialState.__init__`
fn partial(context: &Context<'_>, environment: &Environment, cpu: bool) -> Step<Partial> {
    flag(environment, "ACCELERATE_DEBUG_MODE")?;
    let sagemaker = environment.is_true("ACCELERATE_USE_SAGEMAKER", context)?
        && environment
            .or("ACCELERATE_SAGEMAKER_DISTRIBUTED_TYPE", "")?
            .value
            != "NO";
    if sagemaker {
        let origin = environment.origin("ACCELERATE_SAGEMAKER_DISTRIBUTED_TYPE");
        let message = "No module named 'smdistributed'";
        return Err(raise(
            "ModuleNotFoundError",
            message,
            PARTIAL,
            Cause::PackageMissing,
            [origin],
        ));
    }
    if context.run.machine.has("torch_xla") {
        return Ok(Partial {
            distributed_type: DistributedType::Xla,
            device: Device::Xla,
            processes: 8,
        });
    }
    let number = |name: &str, default: i64| -> Step<i64> {
        let variable = environment.or(name, &default.to_string())?;
        int(
            &variable.value,
            &variable.origin,
            Site::new(PARTIAL, Cause::LaunchValue),
        )
    };
    let has_gpu = context.run.machine.gpus > 0;
    let in_group = number("LOCAL_RANK", -1)? != -1;
    let world = number("WORLD_SIZE", -1)?;
    let on_cpu = match context.behaviours.cpu_distributed {
        CpuDistributed::WithoutDevice => true,
        CpuDistributed::OnlyWhenAsked => cpu,
    };
    let mut distributed_type = if in_group && !cpu && has_gpu {
        DistributedType::MultiGpu
    } else if on_cpu && (in_group || world > 1) {
        DistributedType::MultiCpu
    } else {
        DistributedType::No
    };
    let device = match distributed_type {
        DistributedType::MultiCpu => Device::Cpu,
        _ if cpu || !has_gpu => Device::Cpu,
        _ => Device::Cuda,
    };
    let processes = if distributed_type == DistributedType::No {
        1
    } else {
        world.max(1)
    };
    if !cpu && in_group && environment.is_true("ACCELERATE_USE_DEEPSPEED", context)? {
        distributed_type = DistributedType::DeepSpeed;
    }
    Ok(Partial {
        distributed_type,
        device,
        processes,
    })
}

/// fp8 needs a library, and a GPU that can do it: else fp16 runs instead, with a warning.
fn check_fp8(context: &mut Context<'_>, asked: Argument) -> Step<Argument> {
    if asked.value != Object::from("fp8") {
        return Ok(asked);
    }
    let machine = &context.run.machine;
    if !["msamp", "transformer_engine", "torchao"]
        .iter()
        .any(|package| machine.has(package))
    {
        let message =
            "Using `fp8` precision requires `transformer_engine` or `MS-AMP` to be installed.";
        return Err(raise(
            "ValueError",
            message,
            INIT,
            Cause::NoFp8Library,
            [asked.origin],
        ));
    }
    if machine.gpus > 0 && machine.capability < FP8_CAPABILITY {
        let origin = Origin::of(Voice::Default, "compute capability");
        context.decide("fp8_capability", "fp16", &origin);
        return Ok(Argument::new("fp16", asked.origin));
    }
    Ok(asked)
}
