//! `_validate_launch_command`: the config file is copied into the launch namespace
//! (accelerate 1.15.0, `commands/launch.py:_validate_launch_command`).

use super::super::context::Context;
use super::super::outcome::Cause;
use super::super::python::{Argument, Site, int};
use super::super::run::{Origin, Voice};
use super::super::stop::{Step, Stop, raise};
use super::config_class::{self, Class, Defaults};
use super::namespace::Namespace;
use super::sections;
use crate::knowledge::{
    AutomaticMultiGpu, Behaviours, Bf16LaunchCheck, CpuThreads, GpuIdsMessage, MinusOneProcess,
    MultiXpuLaunch,
};
use crate::source::Object;

const SOURCE: &str = "commands/launch.py:_validate_launch_command";

/// The distributed types that a multi-GPU launch serves.
const MULTI_DEVICE: [&str; 8] = [
    "MULTI_GPU",
    "MULTI_NPU",
    "MULTI_MLU",
    "MULTI_SDAA",
    "MULTI_MUSA",
    "MULTI_XPU",
    "MULTI_HPU",
    "MULTI_NEURON",
];

/// The namespace after the config has been copied into it.
pub(crate) struct Validated<'facts> {
    pub(crate) namespace: Namespace<'facts>,
    pub(crate) defaults: Option<Defaults>,
    /// Where `mixed_precision` of the config file stands, if the config file decides it.
    pub(crate) mixed_precision_from_config: bool,
}

pub(crate) fn validate<'facts>(
    context: &mut Context<'facts>,
    mut namespace: Namespace<'facts>,
) -> Step<Validated<'facts>> {
    check_selection(&namespace)?;
    let named = config_class::named(context, &namespace)?;
    let is_default = context.run.default_config && named.is_none();
    let defaults = match is_default && namespace.truthy("cpu") {
        true => None,
        false => config_class::load(
            named.as_ref().unwrap_or(&context.run.config),
            &context.run.without,
            context.facts,
        )?,
    };
    let mut mixed_precision_from_config = false;
    match &defaults {
        Some(defaults) => {
            select(&mut namespace, defaults, context.behaviours)?;
            if !namespace.truthy("mps") {
                check_gpu_ids(&mut namespace, defaults, context.behaviours)?;
            }
            if defaults.class == Class::Cluster {
                sections::copy(&mut namespace, defaults, context.behaviours)?;
            }
            if defaults.get("debug").is_some() && !namespace.truthy("debug") {
                namespace.set("debug", defaults.argument("debug"));
            }
            if namespace.truthy("mixed_precision") {
                check_bf16(&namespace, defaults, context)?;
            } else {
                let configured = defaults.argument("mixed_precision");
                mixed_precision_from_config = !matches!(configured.value, Object::None);
                let decided = match mixed_precision_from_config {
                    true => configured,
                    false => Argument::new("no", configured.origin),
                };
                namespace.set("mixed_precision", decided);
            }
            default_dynamo_backend(&mut namespace);
            let processes = namespace.get("num_processes");
            if context.behaviours.minus_one_process == MinusOneProcess::Refused
                && processes.value.python_eq(&Object::from(-1))
            {
                let message =
                    "You need to manually pass in `--num_processes` using this config yaml.";
                return Err(Site::new(SOURCE, Cause::NumProcesses).raise(
                    "ValueError",
                    message,
                    &processes.origin,
                ));
            }
        }
        None => without_config(&mut namespace, context)?,
    }
    threads(&mut namespace, defaults.as_ref(), context)?;
    Ok(Validated {
        namespace,
        defaults,
        mixed_precision_from_config,
    })
}

fn check_selection(namespace: &Namespace<'_>) -> Step<()> {
    let exclusive = [
        "multi_gpu",
        "cpu",
        "tpu",
        "mps",
        "use_deepspeed",
        "use_fsdp",
        "use_tp",
    ];
    let chosen: Vec<Origin> = exclusive
        .into_iter()
        .filter(|name| namespace.truthy(name))
        .map(|name| namespace.get(name).origin)
        .collect();
    if chosen.len() > 1 {
        let listed = [
            "cpu",
            "multi_gpu",
            "mps",
            "tpu",
            "use_deepspeed",
            "use_fsdp",
            "use_tp",
        ];
        let listed = listed
            .into_iter()
            .filter(|name| namespace.find(name).is_some());
        let listed: Vec<String> = listed.map(|name| format!("`--{name}`")).collect();
        let message = format!("You can only use one of {} at a time.", listed.join(", "));
        return Err(raise(
            "ValueError",
            message,
            SOURCE,
            Cause::LaunchSelection,
            chosen,
        ));
    }
    let processes = namespace.get("num_processes");
    let site = Site::new(SOURCE, Cause::LaunchSelection);
    if namespace.truthy("multi_gpu")
        && !namespace.is_none("num_processes")
        && processes.compare("<", 2, site)?
    {
        let message = "You need to use at least 2 processes to use `--multi_gpu`.";
        return Err(site.raise("ValueError", message, &processes.origin));
    }
    let parallelism = namespace.get("use_parallelism_config");
    if !namespace.truthy("use_fsdp") && parallelism.value.truthy() {
        let message = "You cannot use `--use_parallelism_config` without `--use_fsdp` and `--fsdp_version=2`. ";
        return Err(site.raise("ValueError", message, &parallelism.origin));
    }
    Ok(())
}

/// `distributed_type` chooses the launcher, unless a flag already did.
fn select(namespace: &mut Namespace<'_>, defaults: &Defaults, behaviours: &Behaviours) -> Step<()> {
    let by_flag = [
        "multi_gpu",
        "tpu",
        "tpu_use_cluster",
        "mps",
        "use_deepspeed",
        "use_fsdp",
        "use_tp",
        "use_megatron_lm",
    ];
    if by_flag.into_iter().any(|name| namespace.truthy(name)) {
        return Ok(());
    }
    let distributed_type = defaults.argument("distributed_type");
    let chosen = |names: &[&str]| {
        let is_chosen =
            matches!(&distributed_type.value, Object::Str(text) if names.contains(&text.as_str()));
        // A SageMaker member never equals one of `DistributedType`.
        Argument::new(
            is_chosen && !is_sagemaker(defaults),
            distributed_type.origin.clone(),
        )
    };
    namespace.set("use_deepspeed", chosen(&["DEEPSPEED"]));
    let mut multi_device = MULTI_DEVICE.to_vec();
    if behaviours.multi_xpu_launch == MultiXpuLaunch::Simple {
        multi_device.retain(|name| *name != "MULTI_XPU");
    }
    namespace.set("multi_gpu", chosen(&multi_device));
    // A release knows one of the two.
    namespace.set("tpu", chosen(&["XLA", "TPU"]));
    namespace.set("use_fsdp", chosen(&["FSDP"]));
    for (name, distributed_type) in [("mps", "MPS"), ("use_tp", "TP")] {
        if namespace.find(name).is_some() {
            namespace.set(name, chosen(&[distributed_type]));
        }
    }
    namespace.set("use_megatron_lm", chosen(&["MEGATRON_LM"]));
    let use_cluster = match namespace.truthy("tpu") {
        true => attribute(defaults, "tpu_use_cluster")?,
        false => Argument::new(false, Origin::of(Voice::Default, "tpu_use_cluster")),
    };
    namespace.set("tpu_use_cluster", use_cluster);
    if namespace.find("use_parallelism_config").is_some() {
        let parallelism = attribute(defaults, "parallelism_config")?;
        let is_empty = defaults
            .get("parallelism_config")
            .is_some_and(|field| field.entries.as_ref().is_some_and(Vec::is_empty));
        namespace.set(
            "use_parallelism_config",
            Argument::new(!is_empty, parallelism.origin),
        );
    }
    Ok(())
}

fn is_sagemaker(defaults: &Defaults) -> bool {
    defaults.argument("compute_environment").value == Object::from("AMAZON_SAGEMAKER")
}

/// `defaults.name`, which a `SageMakerConfig` may lack.
fn attribute(defaults: &Defaults, name: &str) -> Step<Argument> {
    match defaults.get(name) {
        Some(field) => Ok(field.argument.clone()),
        None => {
            let message = format!("'SageMakerConfig' object has no attribute '{name}'");
            let origin = defaults.argument("compute_environment").origin;
            Err(Site::new(SOURCE, Cause::SageMaker).raise("AttributeError", message, &origin))
        }
    }
}

fn check_gpu_ids(
    namespace: &mut Namespace<'_>,
    defaults: &Defaults,
    behaviours: &Behaviours,
) -> Step<()> {
    if namespace.is_none("gpu_ids") {
        let configured = defaults.argument("gpu_ids");
        let decided = match configured.value {
            Object::None => Argument::new("all", configured.origin),
            _ => configured,
        };
        namespace.set("gpu_ids", decided);
    }
    if namespace.truthy("multi_gpu") && namespace.is_none("num_machines") {
        namespace.set("num_machines", defaults.argument("num_machines"));
    }
    let site = Site::new(SOURCE, Cause::GpuIds);
    let gpu_ids = namespace.get("gpu_ids");
    let text = gpu_ids.text_for("split", site)?;
    let too_few = text.split(',').count() < 2
        && text != "all"
        && namespace.truthy("multi_gpu")
        && namespace.get("num_machines").compare("<=", 1, site)?;
    if too_few {
        let on = match behaviours.gpu_ids_message {
            GpuIdsMessage::RepeatsOn => "on on",
            GpuIdsMessage::Corrected => "on",
        };
        let message = format!(
            "Less than two GPU ids were configured and tried to run {on} multiple GPUs. Please ensure at least two are \
             specified for `--gpu_ids`, or use `--gpu_ids='all'`."
        );
        return Err(site.raise("ValueError", message, &gpu_ids.origin));
    }
    Ok(())
}

fn check_bf16(namespace: &Namespace<'_>, defaults: &Defaults, context: &Context<'_>) -> Step<()> {
    let on_cpu = match context.behaviours.bf16_launch_check {
        Bf16LaunchCheck::Absent => return Ok(()),
        Bf16LaunchCheck::UnlessOnCpu => {
            let Some(use_cpu) = namespace.find("use_cpu") else {
                let message = "'Namespace' object has no attribute 'use_cpu'";
                let origin = defaults.argument("compute_environment").origin;
                let site = Site::new(SOURCE, Cause::SageMaker);
                return Err(site.raise("AttributeError", message, &origin));
            };
            use_cpu.value.truthy()
        }
        Bf16LaunchCheck::Always => false,
    };
    let asked = namespace.get("mixed_precision");
    let without = !on_cpu && context.has_xla() && !namespace.truthy("tpu");
    if asked.value == Object::from("bf16") && without {
        let message = "bf16 mixed precision requires PyTorch >= 1.10 and a supported device.";
        return Err(Site::new(SOURCE, Cause::Device).raise("ValueError", message, &asked.origin));
    }
    Ok(())
}

fn default_dynamo_backend(namespace: &mut Namespace<'_>) {
    if namespace.is_none("dynamo_backend") {
        namespace.set(
            "dynamo_backend",
            Argument::new("no", Origin::of(Voice::Default, "--dynamo_backend")),
        );
    }
}

/// No config file: everything else comes from the machine.
fn without_config(namespace: &mut Namespace<'_>, context: &Context<'_>) -> Step<()> {
    let by_machine = |name: &str| Origin::of(Voice::Default, name);
    let gpus = i64::from(context.run.machine.gpus);
    let without_number = namespace.is_none("num_processes");
    if without_number {
        namespace.set(
            "num_processes",
            Argument::new(gpus, by_machine("--num_processes")),
        );
    }
    let site = Site::new(SOURCE, Cause::NumProcesses);
    let wanted = match context.behaviours.automatic_multi_gpu {
        AutomaticMultiGpu::WithoutNumProcesses => without_number,
        AutomaticMultiGpu::Always => true,
        AutomaticMultiGpu::SeveralProcesses => {
            namespace.get("num_processes").compare(">", 1, site)?
        }
    };
    if !namespace.truthy("multi_gpu") && wanted && gpus > 1 {
        namespace.set("multi_gpu", Argument::new(true, by_machine("--multi_gpu")));
    }
    if namespace.is_none("num_machines") {
        namespace.set(
            "num_machines",
            Argument::new(1, by_machine("--num_machines")),
        );
    }
    if namespace.is_none("mixed_precision") {
        namespace.set(
            "mixed_precision",
            Argument::new("no", by_machine("--mixed_precision")),
        );
    }
    if namespace.find("use_cpu").is_none() {
        namespace.set("use_cpu", namespace.get("cpu"));
    }
    default_dynamo_backend(namespace);
    Ok(())
}

/// `num_cpu_threads_per_process`: only its failures matter here.
fn threads(
    namespace: &mut Namespace<'_>,
    defaults: Option<&Defaults>,
    context: &Context<'_>,
) -> Step<()> {
    if defaults.is_some_and(is_sagemaker) || !namespace.is_none("num_cpu_threads_per_process") {
        return Ok(());
    }
    let site = Site::new("utils/environment.py:get_int_from_env", Cause::LaunchValue);
    let shell = match context.behaviours.cpu_threads {
        CpuThreads::Own => None,
        CpuThreads::KeptFromShell | CpuThreads::KeptFromShellDivided => {
            context.shell("OMP_NUM_THREADS")?
        }
    };
    let threads = match &shell {
        Some(variable) => int(&variable.value, &variable.origin, site)?,
        None => -1,
    };
    let origin = shell.map_or_else(
        || Origin::of(Voice::Default, "OMP_NUM_THREADS"),
        |variable| variable.origin,
    );
    namespace.set(
        "num_cpu_threads_per_process",
        Argument::new(if threads >= 0 { threads } else { 1 }, origin),
    );
    if namespace.truthy("use_cpu") {
        let site = Site::new(SOURCE, Cause::NumProcesses);
        let (processes, machines) = (
            namespace.get("num_processes"),
            namespace.get("num_machines"),
        );
        if processes.compare(">=", 1, site)?
            && threads <= 0
            && context.behaviours.cpu_threads == CpuThreads::KeptFromShellDivided
        {
            divide(&processes, &machines)?;
        }
    }
    Ok(())
}

/// `processes / machines`, as far as it fails.
fn divide(processes: &Argument, machines: &Argument) -> Result<(), Stop> {
    let site = Site::new(SOURCE, Cause::LaunchValue);
    let (left, right) = (processes.value.type_name(), machines.value.type_name());
    match &machines.value {
        Object::Int(_) | Object::Float(_) | Object::Bool(_) if machines.value.truthy() => Ok(()),
        Object::Int(_) | Object::Float(_) | Object::Bool(_) => {
            Err(site.raise("ZeroDivisionError", "division by zero", &machines.origin))
        }
        _ => {
            let message = format!("unsupported operand type(s) for /: '{left}' and '{right}'");
            Err(site.raise("TypeError", message, &machines.origin))
        }
    }
}
