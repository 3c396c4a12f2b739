//! The multi-GPU launcher, which also serves FSDP and Megatron-LM
//! (accelerate 1.15.0, `utils/launch.py:prepare_multi_gpu_env`, `commands/launch.py:multi_gpu_launcher`).

use super::super::context::Context;
use super::super::outcome::Cause;
use super::super::python::{Argument, Site};
use super::super::stop::{Step, raise};
use super::cluster_environment as cluster;
use super::namespace::Namespace;
use super::torchrun::{self, Size};
use super::validate::Validated;
use super::{Launched, Pending};
use crate::knowledge::{FsdpIgnoredModules, ParallelismConfig};
use crate::source::Object;

const PREPARE: &str = "utils/launch.py:prepare_multi_gpu_env";
const START: &str = "commands/launch.py:multi_gpu_launcher";

pub(crate) fn launch(context: &mut Context<'_>, validated: &Validated<'_>) -> Step<Launched> {
    let mut namespace = validated.namespace.clone();
    torchrun::fill_port(&mut namespace);
    let size = Size::of(&namespace, PREPARE)?;
    cluster::check_script_kind(&namespace, PREPARE)?;
    let mut pending = Pending::default();
    cluster::set_debug(context, &namespace, &mut pending);
    cluster::set_visible_devices(&namespace, &mut pending);
    cluster::set_mixed_precision(context, &namespace, &mut pending, PREPARE)?;
    cluster::set_dynamo(context, &namespace, &mut pending, PREPARE)?;
    if namespace.truthy("use_fsdp") {
        set_fsdp(context, &namespace, &mut pending)?;
    }
    if let Some(used) = namespace.of_flag("use_tp")
        && used.value.truthy()
    {
        pending.set("ACCELERATE_USE_TP", Argument::new("true", used.origin));
        pending.set_text("TP_SIZE", &namespace.get("tp_size"));
    }
    if namespace.truthy("use_megatron_lm") {
        set_megatron_lm(context, &namespace, &mut pending);
    }
    pending.set_text(
        "OMP_NUM_THREADS",
        &namespace.get("num_cpu_threads_per_process"),
    );
    cluster::set_affinity(&namespace, &mut pending);
    if context.behaviours.parallelism_config != ParallelismConfig::Absent {
        set_parallelism(context, &namespace, &mut pending)?;
    }
    torchrun::start(context, &namespace, &size, pending, START)
}

/// `FSDP_*`
fn set_fsdp(
    context: &mut Context<'_>,
    namespace: &Namespace<'_>,
    pending: &mut Pending,
) -> Step<()> {
    let origin = match namespace.get("use_fsdp") {
        Argument {
            value: Object::Bool(true),
            origin,
        } => origin,
        other => other.origin,
    };
    pending.set("ACCELERATE_USE_FSDP", Argument::new("true", origin));
    let efficient = namespace.get("fsdp_cpu_ram_efficient_loading");
    let sync = namespace.get("fsdp_sync_module_states");
    let is_checked = namespace
        .of_flag("fsdp_cpu_ram_efficient_loading")
        .is_some();
    if is_checked && efficient.value.truthy() && !sync.value.truthy() {
        let message = "When using `--fsdp_cpu_ram_efficient_loading` set `--fsdp_sync_module_states` to `True`";
        return Err(raise(
            "ValueError",
            message,
            PREPARE,
            Cause::FsdpOption,
            [sync.origin, efficient.origin],
        ));
    }
    if let Some(version) = namespace.of_flag("fsdp_version") {
        context.decide("fsdp_version", version.value.python_str(), &version.origin);
        pending.set_text("FSDP_VERSION", &version);
    }
    if is_checked {
        context.decide(
            "cpu_ram_efficient_loading",
            efficient.value.python_str(),
            &efficient.origin,
        );
    }
    pending.set_text(
        "FSDP_SHARDING_STRATEGY",
        &namespace.get("fsdp_sharding_strategy"),
    );
    pending.set_text("FSDP_MIN_NUM_PARAMS", &namespace.get("fsdp_min_num_params"));
    let if_set = [
        ("FSDP_AUTO_WRAP_POLICY", "fsdp_auto_wrap_policy"),
        (
            "FSDP_TRANSFORMER_CLS_TO_WRAP",
            "fsdp_transformer_layer_cls_to_wrap",
        ),
        ("FSDP_BACKWARD_PREFETCH", "fsdp_backward_prefetch"),
        // Its name of old wins where a release knows both.
        ("FSDP_BACKWARD_PREFETCH", "fsdp_backward_prefetch_policy"),
        ("FSDP_STATE_DICT_TYPE", "fsdp_state_dict_type"),
    ];
    for (variable, name) in if_set {
        if namespace.of_flag(name).is_some() {
            set_if_not_none(namespace, pending, variable, name);
        }
    }
    if context.behaviours.fsdp_ignored_modules == FsdpIgnoredModules::Exported {
        set_if_not_none(
            namespace,
            pending,
            "FSDP_IGNORED_MODULES",
            "fsdp_ignored_modules",
        );
    }
    let lowered = [
        "reshard_after_forward",
        "offload_params",
        "forward_prefetch",
        "use_orig_params",
        "cpu_ram_efficient_loading",
        "sync_module_states",
        "activation_checkpointing",
        "activation_checkpointing_offload",
    ];
    for name in lowered {
        let flag = format!("fsdp_{name}");
        if let Some(argument) = namespace.of_flag(&flag) {
            pending.set_lowered(format!("FSDP_{}", name.to_uppercase()), &argument);
        }
    }
    Ok(())
}

fn set_if_not_none(namespace: &Namespace<'_>, pending: &mut Pending, variable: &str, name: &str) {
    if let Some(argument) = namespace.find(name)
        && !matches!(argument.value, Object::None)
    {
        pending.set_text(variable, &argument);
    }
}

/// `MEGATRON_LM_*`
fn set_megatron_lm(context: &Context<'_>, namespace: &Namespace<'_>, pending: &mut Pending) {
    pending.set(
        "ACCELERATE_USE_MEGATRON_LM",
        Argument::new("true", namespace.get("use_megatron_lm").origin),
    );
    // These four are exported as they are; the others only where they are set.
    let always = [
        "tp_degree",
        "pp_degree",
        "gradient_clipping",
        "use_custom_fsdp",
    ];
    for (name, argument) in namespace.with_prefix("megatron_lm_") {
        let short = name.trim_start_matches("megatron_lm_").to_owned();
        if context.facts.flag(&name).is_some()
            && (always.contains(&short.as_str()) || !matches!(argument.value, Object::None))
        {
            pending.set_text(format!("MEGATRON_LM_{}", short.to_uppercase()), &argument);
        }
    }
}

/// `PARALLELISM_CONFIG_*`
pub(crate) fn set_parallelism(
    context: &Context<'_>,
    namespace: &Namespace<'_>,
    pending: &mut Pending,
) -> Step<()> {
    let used = namespace.get("use_parallelism_config");
    if !used.value.truthy() {
        return Ok(());
    }
    let source = "utils/launch.py:prepare_extend_env_parallelism_config";
    let site = Site::new(source, Cause::Parallelism);
    let get = |name: &str| namespace.get(&format!("parallelism_config_{name}"));
    let mut set = |name: &str| {
        pending.set_text(
            format!("PARALLELISM_CONFIG_{}", name.to_uppercase()),
            &get(name),
        )
    };
    for name in ["dp_replicate_size", "dp_shard_size", "tp_size", "cp_size"] {
        set(name);
    }
    let with_sequences =
        context.behaviours.parallelism_config == ParallelismConfig::MultiGpuAndDeepspeedLaunchers;
    if with_sequences {
        for name in ["cp_backend", "sp_size", "sp_backend"] {
            set(name);
        }
    }
    if get("cp_size").compare(">", 1, site)? {
        set("cp_comm_strategy");
    }
    if with_sequences && get("sp_size").compare(">", 1, site)? {
        for name in [
            "sp_seq_length",
            "sp_seq_length_is_variable",
            "sp_attn_implementation",
        ] {
            set(name);
        }
    }
    pending.set(
        "ACCELERATE_USE_PARALLELISM_CONFIG",
        Argument::new("true", used.origin),
    );
    Ok(())
}
