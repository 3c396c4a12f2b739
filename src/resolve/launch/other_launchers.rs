//! The launchers for TPUs and for SageMaker
//! (accelerate 1.15.0, `commands/launch.py:tpu_launcher`, `tpu_pod_launcher`, `sagemaker_launcher`,
//! `utils/launch.py:prepare_tpu`, `prepare_sagemager_args_inputs`).

use super::super::context::Context;
use super::super::outcome::{Cause, LauncherKind};
use super::super::python::{Argument, Site};
use super::super::run::{Origin, Voice};
use super::super::stop::{Step, raise};
use super::cluster_environment as cluster;
use super::config_class::Defaults;
use super::namespace::Namespace;
use super::{Launched, Pending};
use crate::knowledge::{TpuProcesses, XlaPrecision};
use crate::source::Object;

/// How many TPU devices a machine is taken to have.
const TPU_DEVICES: i64 = 8;

const TPU: &str = "commands/launch.py:tpu_launcher";
const POD: &str = "commands/launch.py:tpu_pod_launcher";
const SAGEMAKER: &str = "commands/launch.py:sagemaker_launcher";
const SAGEMAKER_INPUTS: &str = "utils/launch.py:prepare_sagemager_args_inputs";

fn need_torch_xla(
    context: &Context<'_>,
    namespace: &Namespace<'_>,
    source: &'static str,
) -> Step<()> {
    if context.run.machine.has("torch_xla") {
        return Ok(());
    }
    let origin = namespace.get("tpu").origin;
    Err(Site::new(source, Cause::PackageMissing).raise(
        "ModuleNotFoundError",
        "No module named 'torch_xla'",
        &origin,
    ))
}

/// `XLA_USE_BF16` or `XLA_DOWNCAST_BF16`: all that a TPU launch says about the precision.
fn set_tpu(context: &Context<'_>, namespace: &Namespace<'_>, pending: &mut Pending) {
    if context.behaviours.xla_precision == XlaPrecision::BothVariables {
        for variable in ["XLA_USE_BF16", "XLA_DOWNCAST_BF16"] {
            pending.set(
                variable,
                Argument::new("0", Origin::of(Voice::Default, variable)),
            );
        }
    }
    let asked = namespace.get("mixed_precision");
    if asked.value == Object::from("bf16") {
        let downcast = namespace.truthy("downcast_bf16");
        let variable = if downcast {
            "XLA_DOWNCAST_BF16"
        } else {
            "XLA_USE_BF16"
        };
        pending.set(variable, Argument::new("1", asked.origin));
    }
    cluster::set_debug(context, namespace, pending);
}

/// `xmp.spawn`
pub(crate) fn tpu(context: &Context<'_>, namespace: &Namespace<'_>) -> Step<Launched> {
    need_torch_xla(context, namespace, TPU)?;
    if namespace.truthy("no_python") {
        let message = "--no_python cannot be used with TPU launcher";
        let origin = namespace.get("no_python").origin;
        return Err(Site::new(TPU, Cause::LaunchSelection).raise("ValueError", message, &origin));
    }
    let mut pending = Pending::default();
    set_tpu(context, namespace, &mut pending);
    let function = namespace.get("main_training_function");
    if !matches!(function.value, Object::Str(_)) {
        let message = format!(
            "hasattr(): attribute name must be string, not '{}'",
            function.value.type_name()
        );
        return Err(Site::new(TPU, Cause::LaunchValue).raise(
            "TypeError",
            message,
            &function.origin,
        ));
    }
    let processes = namespace.get("num_processes");
    if context.behaviours.tpu_processes == TpuProcesses::MustMatchDevices
        && processes.value.truthy()
        && !processes.value.python_eq(&Object::from(TPU_DEVICES))
    {
        let message = format!(
            "Number of processes ({}) must match the number of TPU devices ({TPU_DEVICES})",
            processes.value.python_str()
        );
        let site = Site::new(TPU, Cause::NumProcesses);
        return Err(site.raise("ValueError", message, &processes.origin));
    }
    Ok(Launched {
        launcher: LauncherKind::XmpSpawn,
        environment: pending.into_texts(),
        processes: TPU_DEVICES,
        machines: 1,
    })
}

/// A TPU pod: the inner launch is told `--mixed_precision no`.
pub(crate) fn tpu_pod(context: &Context<'_>, namespace: &Namespace<'_>) -> Step<Launched> {
    need_torch_xla(context, namespace, POD)?;
    let mut pending = Pending::default();
    set_tpu(context, namespace, &mut pending);
    Ok(Launched {
        launcher: LauncherKind::TpuPod,
        environment: pending.into_texts(),
        processes: TPU_DEVICES,
        machines: 1,
    })
}

/// A SageMaker estimator.
pub(crate) fn sagemaker(
    context: &mut Context<'_>,
    namespace: &Namespace<'_>,
    defaults: &Defaults,
) -> Step<Launched> {
    let environment = defaults.argument("compute_environment").origin;
    if !context.run.machine.has("sagemaker") {
        let message = "Please install sagemaker to be able to launch training on Amazon SageMaker with `pip install \
                       accelerate[sagemaker]`";
        return Err(raise(
            "ImportError",
            message,
            SAGEMAKER,
            Cause::PackageMissing,
            [environment],
        ));
    }
    if namespace.truthy("module") || namespace.truthy("no_python") {
        let message = "SageMaker requires a python training script file and cannot be used with --module or \
                       --no_python";
        return Err(raise(
            "ValueError",
            message,
            SAGEMAKER,
            Cause::LaunchSelection,
            [environment],
        ));
    }
    let has_profile = !matches!(defaults.argument("profile").value, Object::None);
    if !has_profile
        && (namespace.is_none("aws_access_key_id") || namespace.is_none("aws_secret_access_key"))
    {
        let message = "You need to provide an aws_access_key_id and aws_secret_access_key when not using aws_profile";
        return Err(raise(
            "OSError",
            message,
            SAGEMAKER_INPUTS,
            Cause::Credentials,
            [environment],
        ));
    }
    let mut pending = Pending::default();
    pending.set(
        "ACCELERATE_USE_SAGEMAKER",
        Argument::new("true", environment),
    );
    cluster::set_mixed_precision(context, namespace, &mut pending, SAGEMAKER_INPUTS)?;
    cluster::set_dynamo(context, namespace, &mut pending, SAGEMAKER_INPUTS)?;
    let distributed_type = defaults.argument("distributed_type");
    let Object::Str(_) = distributed_type.value else {
        let message = format!(
            "'{}' object has no attribute 'value'",
            distributed_type.value.type_name()
        );
        let site = Site::new(SAGEMAKER_INPUTS, Cause::SageMaker);
        return Err(site.raise("AttributeError", message, &distributed_type.origin));
    };
    pending.set("ACCELERATE_SAGEMAKER_DISTRIBUTED_TYPE", distributed_type);
    Ok(Launched {
        launcher: LauncherKind::SageMaker,
        environment: pending.into_texts(),
        processes: 1,
        machines: 1,
    })
}
