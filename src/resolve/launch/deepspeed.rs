//! The DeepSpeed launcher
//! (accelerate 1.15.0, `utils/launch.py:prepare_deepspeed_cmd_env`, `commands/launch.py:deepspeed_launcher`).

use super::super::context::Context;
use super::super::outcome::{Cause, LauncherKind};
use super::super::python::{Argument, Site};
use super::super::run::{Origin, Voice};
use super::super::stop::{Step, raise};
use super::cluster_environment as cluster;
use super::config_class::Class;
use super::distributed::set_parallelism;
use super::namespace::Namespace;
use super::simple::check_environment;
use super::torchrun::{self, Size};
use super::validate::Validated;
use super::{Launched, Pending};
use crate::knowledge::ParallelismConfig;
use crate::source::Object;

const COMMAND: &str = "commands/launch.py:launch_command";
const PREPARE: &str = "utils/launch.py:prepare_deepspeed_cmd_env";
const START: &str = "commands/launch.py:deepspeed_launcher";

pub(crate) fn launch(context: &mut Context<'_>, validated: Validated<'_>) -> Step<Launched> {
    let fields = config_fields(&validated)?;
    let mut namespace = validated.namespace;
    if !context.run.machine.has("deepspeed") {
        let message =
            "DeepSpeed is not installed => run `pip3 install deepspeed` or build it from source.";
        let origin = namespace.get("use_deepspeed").origin;
        return Err(Site::new(START, Cause::PackageMissing).raise("ImportError", message, &origin));
    }
    torchrun::fill_port(&mut namespace);
    let launcher = namespace.get("deepspeed_multinode_launcher");
    let by_torchrun = launcher.value == Object::from("standard");
    let several =
        namespace
            .get("num_machines")
            .compare(">", 1, Site::new(PREPARE, Cause::LaunchValue))?;
    let multinode = several && !by_torchrun;
    let size = match multinode {
        true => {
            check_multinode(&namespace)?;
            None
        }
        false => Some(Size::of(&namespace, PREPARE)?),
    };
    cluster::check_script_kind(&namespace, PREPARE)?;
    let mut pending = Pending::default();
    cluster::set_debug(context, &namespace, &mut pending);
    cluster::set_visible_devices(&namespace, &mut pending);
    cluster::set_mixed_precision(context, &namespace, &mut pending, PREPARE)?;
    set_deepspeed(&namespace, fields, &mut pending);
    cluster::set_affinity(&namespace, &mut pending);
    if namespace.of_flag("deepspeed_moe_layer_cls_names").is_some() {
        set_if_not_none(
            &namespace,
            &mut pending,
            "ACCELERATE_DEEPSPEED_MOE_LAYER_CLS_NAMES",
            "deepspeed_moe_layer_cls_names",
            false,
        );
    }
    if context.behaviours.parallelism_config == ParallelismConfig::MultiGpuAndDeepspeedLaunchers {
        set_parallelism(context, &namespace, &mut pending)?;
    }
    match size {
        Some(size) => torchrun::start(context, &namespace, &size, pending, START),
        None => {
            check_environment(&pending, START)?;
            Ok(Launched {
                launcher: LauncherKind::DeepSpeedMultinode,
                environment: pending.into_texts(),
                processes: 1,
                machines: 1,
            })
        }
    }
}

/// `deepspeed_fields_from_accelerate_config`: the keys that a DeepSpeed config file forbids.
fn config_fields(validated: &Validated<'_>) -> Step<Argument> {
    let origin = |name: &str| Origin::of(Voice::Default, name);
    let Some(defaults) = &validated.defaults else {
        return Ok(Argument::new("", origin("deepspeed_config")));
    };
    let section = match (defaults.class, defaults.get("deepspeed_config")) {
        (Class::Cluster, Some(section)) => section,
        _ => {
            let message = "'SageMakerConfig' object has no attribute 'deepspeed_config'";
            let origin = defaults.argument("compute_environment").origin;
            return Err(Site::new(COMMAND, Cause::SageMaker).raise(
                "AttributeError",
                message,
                &origin,
            ));
        }
    };
    let Some(entries) = &section.entries else {
        let message = format!(
            "'{}' object has no attribute 'keys'",
            section.argument.value.type_name()
        );
        return Err(raise(
            "AttributeError",
            message,
            COMMAND,
            Cause::LaunchValue,
            [section.argument.origin.clone()],
        ));
    };
    let mut fields: Vec<String> = entries.iter().map(|(key, _)| key.python_str()).collect();
    if validated.mixed_precision_from_config {
        fields.push("mixed_precision".to_owned());
    }
    Ok(Argument::new(
        fields.join(","),
        section.argument.origin.clone(),
    ))
}

fn check_multinode(namespace: &Namespace<'_>) -> Step<()> {
    let chosen_by_filter = !namespace.is_none("deepspeed_exclusion_filter")
        || !namespace.is_none("deepspeed_inclusion_filter");
    if !chosen_by_filter {
        let site = Site::new(PREPARE, Cause::NumProcesses);
        namespace
            .get("num_processes")
            .floor_divided(&namespace.get("num_machines"), site)?;
    }
    namespace
        .get("machine_rank")
        .int(Site::new(PREPARE, Cause::LaunchValue))?;
    Ok(())
}

fn set_deepspeed(namespace: &Namespace<'_>, fields: Argument, pending: &mut Pending) {
    pending.set_lowered("ACCELERATE_CONFIG_DS_FIELDS", &fields);
    pending.set(
        "ACCELERATE_USE_DEEPSPEED",
        Argument::new("true", namespace.get("use_deepspeed").origin),
    );
    let variables = [
        ("ACCELERATE_DEEPSPEED_ZERO_STAGE", "zero_stage", false),
        (
            "ACCELERATE_GRADIENT_ACCUMULATION_STEPS",
            "gradient_accumulation_steps",
            false,
        ),
        ("ACCELERATE_GRADIENT_CLIPPING", "gradient_clipping", true),
        (
            "ACCELERATE_DEEPSPEED_OFFLOAD_OPTIMIZER_DEVICE",
            "offload_optimizer_device",
            true,
        ),
        (
            "ACCELERATE_DEEPSPEED_OFFLOAD_PARAM_DEVICE",
            "offload_param_device",
            true,
        ),
        ("ACCELERATE_DEEPSPEED_ZERO3_INIT", "zero3_init_flag", true),
        (
            "ACCELERATE_DEEPSPEED_ZERO3_SAVE_16BIT_MODEL",
            "zero3_save_16bit_model",
            true,
        ),
        (
            "ACCELERATE_DEEPSPEED_CONFIG_FILE",
            "deepspeed_config_file",
            false,
        ),
    ];
    for (variable, name, lowered) in variables {
        set_if_not_none(namespace, pending, variable, name, lowered);
    }
}

fn set_if_not_none(
    namespace: &Namespace<'_>,
    pending: &mut Pending,
    variable: &str,
    name: &str,
    lowered: bool,
) {
    let argument = namespace.get(name);
    match (&argument.value, lowered) {
        (Object::None, _) => {}
        (_, true) => pending.set_lowered(variable, &argument),
        (_, false) => pending.set_text(variable, &argument),
    }
}
