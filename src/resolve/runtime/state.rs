//! `PartialState` and `AcceleratorState`: device, distributed type and mixed precision
//! (accelerate 1.15.0, `state.py`).

use super::super::context::Context;
use super::super::outcome::Cause;
use super::super::python::{Argument, Site, int, parse_int, str_to_bool};
use super::super::run::{Origin, Voice};
use super::super::stop::{Step, Stop, raise};
use super::parallelism::Parallelism;
use super::{DeepSpeedPlugin, Environment, FsdpPlugin};
use crate::knowledge::{
    CpuDistributed, DeepspeedAlone, DeepspeedPrecision, DeepspeedStatePrecision, Fp8Capability,
    Fp8PackageCheck, Fp8Packages, GpuDistributed, MultiCpuDevice, XlaState,
};
use crate::source::Object;

const INIT: &str = "state.py:AcceleratorState.__init__";
const MPS: &str = "ACCELERATE_USE_MPS_DEVICE";
const PARTIAL: &str = "state.py:PartialState.__init__";

/// The lowest compute capability that `check_cuda_fp8_capability` takes.
pub(crate) const FP8_CAPABILITY: (u32, u32) = (8, 9);

/// `DistributedType`, as far as it is told apart here.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum DistributedType {
    No,
    MultiCpu,
    MultiGpu,
    Fsdp,
    DeepSpeed,
    MegatronLm,
    Tp,
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
            Self::Tp => "TP",
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
    if state.device == Device::Xla && state.distributed_type == DistributedType::Xla {
        return Ok(state);
    }
    if environment.is_true("ACCELERATE_USE_DEEPSPEED", context)? && !cpu {
        if context.behaviours.deepspeed_alone == DeepspeedAlone::Deepspeed {
            state.distributed_type = DistributedType::DeepSpeed;
            if !(keeps_fp8 && is_fp8) {
                state.mixed_precision = Argument::new("no", asked.origin.clone());
            }
        }
        if let Some(mut plugin) = deepspeed {
            if context.behaviours.deepspeed_precision == DeepspeedPrecision::OfState {
                plugin.set_mixed_precision(context, &asked)?;
            }
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
                plugin.set_mixed_precision(context, &state.mixed_precision)?;
            }
        }
        if environment.is_true("ACCELERATE_USE_MEGATRON_LM", context)? {
            state.distributed_type = DistributedType::MegatronLm;
        }
        if uses_tensor_parallelism(context, environment)? {
            state.distributed_type = DistributedType::Tp;
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

/// `ACCELERATE_USE_TP`, where the release has it.
pub(crate) fn uses_tensor_parallelism(
    context: &Context<'_>,
    environment: &Environment,
) -> Step<bool> {
    let is_read = !context.facts.readers("ACCELERATE_USE_TP").is_empty();
    Ok(is_read && environment.is_true("ACCELERATE_USE_TP", context)?)
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
    let is_read = |variable: &str| {
        let readers = context.facts.readers(variable);
        readers.iter().any(|reader| reader == PARTIAL)
    };
    if is_read("ACCELERATE_DEBUG_MODE") {
        flag(environment, "ACCELERATE_DEBUG_MODE")?;
    }
    let sagemaker = environment.is_true("ACCELERATE_USE_SAGEMAKER", context)?
        && environment
            .or("ACCELERATE_SAGEMAKER_DISTRIBUTED_TYPE", "")?
            .value
            != "NO";
    if sagemaker {
        let origin = environment.origin("ACCELERATE_SAGEMAKER_DISTRIBUTED_TYPE");
        let message = "No module named 'smdistributed'";
        return Err(Site::new(PARTIAL, Cause::PackageMissing).raise(
            "ModuleNotFoundError",
            message,
            &origin,
        ));
    }
    let number = |name: &str, default: i64| -> Step<i64> {
        let variable = environment.or(name, &default.to_string())?;
        int(
            &variable.value,
            &variable.origin,
            Site::new(PARTIAL, Cause::LaunchValue),
        )
    };
    let in_group = number("LOCAL_RANK", -1)? != -1;
    if let Some(xla) = xla(context, cpu, in_group) {
        return Ok(xla);
    }
    let has_gpu = context.run.machine.gpus > 0;
    let world = number("WORLD_SIZE", -1)?;
    let with_deepspeed =
        !cpu && in_group && environment.is_true("ACCELERATE_USE_DEEPSPEED", context)?;
    let on_gpu = in_group && !cpu;
    let asks_gpu = match context.behaviours.gpu_distributed {
        GpuDistributed::WithoutDevice => on_gpu,
        GpuDistributed::WithGpuUnlessDeepspeed => with_deepspeed,
        GpuDistributed::WithGpu => false,
    };
    if asks_gpu && !has_gpu {
        return Err(no_gpu(PARTIAL, environment.origin("LOCAL_RANK")));
    }
    let on_cpu = match context.behaviours.cpu_distributed {
        CpuDistributed::SeveralWithoutDevice => world > 1,
        CpuDistributed::WithoutDevice => in_group || world > 1,
        CpuDistributed::OnlyWhenAsked => cpu && (in_group || world > 1),
    };
    let mut distributed_type = if on_gpu && has_gpu {
        DistributedType::MultiGpu
    } else if on_cpu {
        check_main_address(environment, world)?;
        DistributedType::MultiCpu
    } else {
        DistributedType::No
    };
    let device = match distributed_type {
        DistributedType::MultiCpu if context.behaviours.multi_cpu_device == MultiCpuDevice::Cpu => {
            Device::Cpu
        }
        _ if cpu || !has_gpu => Device::Cpu,
        _ => Device::Cuda,
    };
    let processes = if distributed_type == DistributedType::No {
        1
    } else {
        world.max(1)
    };
    if with_deepspeed {
        distributed_type = DistributedType::DeepSpeed;
    }
    if !in_group
        && !cpu
        && context.behaviours.deepspeed_alone == DeepspeedAlone::NeedsRank
        && environment.is_true("ACCELERATE_USE_DEEPSPEED", context)?
    {
        let site = Site::new(PARTIAL, Cause::LaunchValue);
        let origin = environment.origin("ACCELERATE_USE_DEEPSPEED");
        return Err(site.raise("RuntimeError", "Device index must not be negative", &origin));
    }
    if distributed_type == DistributedType::No && !cpu && is_read(MPS) {
        check_mps(environment)?;
    }
    Ok(Partial {
        distributed_type,
        device,
        processes,
    })
}

/// Apple's device, where a variable asks for it.
fn check_mps(environment: &Environment) -> Step<()> {
    if !flag(environment, MPS)? {
        return Ok(());
    }
    let message = "MPS not available because PyTorch version is < 1.12.0 or MacOS version is < 12.3 and/or you do not \
                   have an MPS-enabled device on this machine.";
    let site = Site::new(PARTIAL, Cause::Device);
    Err(site.raise("AssertionError", message, &environment.origin(MPS)))
}

/// The state on available torch_xla.
fn xla(context: &Context<'_>, cpu: bool, in_group: bool) -> Option<Partial> {
    if !context.has_xla() {
        return None;
    }
    let distributed_type = match context.behaviours.xla_state {
        XlaState::UnlessOnCpu | XlaState::DeviceOnly if cpu => return None,
        XlaState::DeviceOnly if !in_group => DistributedType::No,
        XlaState::UnlessOnCpu | XlaState::DeviceOnly | XlaState::Always => DistributedType::Xla,
    };
    Some(Partial {
        distributed_type,
        device: Device::Xla,
        processes: 8,
    })
}

/// Several processes on CPU must be told where the main one is.
fn check_main_address(environment: &Environment, world: i64) -> Step<()> {
    let is_told = environment
        .get("MASTER_ADDR")?
        .is_some_and(|variable| !variable.value.is_empty());
    let local = environment.or("LOCAL_WORLD_SIZE", "1")?;
    if is_told || parse_int(&local.value) == Some(world.max(1)) {
        return Ok(());
    }
    let message = "Tried to launch on distributed with multinode, but `MASTER_ADDR` env was not set, please try \
                   exporting rank 0's hostname as `MASTER_ADDR`";
    let site = Site::new(PARTIAL, Cause::LaunchValue);
    Err(site.raise("ValueError", message, &environment.origin("WORLD_SIZE")))
}

/// What torch raises where it is asked about a GPU that is not there (torch 2.9.1, `cuda/__init__.py:_lazy_init`).
pub(crate) fn no_gpu(source: &'static str, origin: Origin) -> Stop {
    let message = "Found no NVIDIA driver on your system. Please check that you have an NVIDIA GPU and installed a \
                   driver from http://www.nvidia.com/Download/index.aspx";
    Site::new(source, Cause::Device).raise("RuntimeError", message, &origin)
}

/// fp8 needs a library, and a GPU that can do it: else fp16 runs instead, with a warning.
fn check_fp8(context: &mut Context<'_>, asked: Argument) -> Step<Argument> {
    if asked.value != Object::from("fp8") {
        return Ok(asked);
    }
    let checks_package = context.behaviours.fp8_package_check == Fp8PackageCheck::InAccelerator;
    if checks_package && !context.has_fp8_package() {
        let packages = match context.behaviours.fp8_packages {
            Fp8Packages::TransformerEngine => "`transformer_engine`",
            Fp8Packages::MsampToo | Fp8Packages::TorchaoToo => "`transformer_engine` or `MS-AMP`",
        };
        let message = format!("Using `fp8` precision requires {packages} to be installed.");
        return Err(raise(
            "ValueError",
            message,
            INIT,
            Cause::NoFp8Library,
            [asked.origin],
        ));
    }
    let machine = &context.run.machine;
    match context.behaviours.fp8_capability {
        Fp8Capability::PrepareNeedsHopper | Fp8Capability::PrepareNeedsAda => return Ok(asked),
        Fp8Capability::AcceleratorAsksGpu if machine.gpus == 0 => {
            return Err(no_gpu(INIT, asked.origin));
        }
        Fp8Capability::AcceleratorAsksGpu | Fp8Capability::AcceleratorIfGpu => {}
    }
    if machine.gpus > 0 && machine.capability < FP8_CAPABILITY {
        let origin = Origin::of(Voice::Default, "compute capability");
        context.decide("fp8_capability", "fp16", &origin);
        return Ok(Argument::new("fp16", asked.origin));
    }
    Ok(asked)
}
