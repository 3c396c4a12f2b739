//! `fsdp` and `fsdp_config` of the training arguments
//! (transformers 4.57.6, `training_args.py:TrainingArguments.__post_init__`; 5.24.0, `_process_fsdp_args`).

use super::super::python::Argument;
use super::super::runtime::Environment;
use super::super::stop::Step;
use super::Said;
use super::arguments::variable;
use crate::knowledge::trainers::FsdpArguments;
use crate::source::Object;

/// Keys of `fsdp_config` that arrive at accelerate's plugin, with what stands for them where they are not written, under
/// the name of the variable that the plugin would read. `None`: nothing is passed.
const KEYS: [(&str, &str, Option<&str>); 7] = [
    (
        "cpu_ram_efficient_loading",
        "FSDP_CPU_RAM_EFFICIENT_LOADING",
        Some("false"),
    ),
    (
        "sync_module_states",
        "FSDP_SYNC_MODULE_STATES",
        Some("true"),
    ),
    ("use_orig_params", "FSDP_USE_ORIG_PARAMS", Some("true")),
    ("forward_prefetch", "FSDP_FORWARD_PREFETCH", Some("false")),
    (
        "activation_checkpointing",
        "FSDP_ACTIVATION_CHECKPOINTING",
        None,
    ),
    ("reshard_after_forward", "FSDP_RESHARD_AFTER_FORWARD", None),
    ("state_dict_type", "FSDP_STATE_DICT_TYPE", None),
];

/// What `fsdp` makes of the environment. Where transformers builds the plugin itself, it is as if the environment said
/// so: the plugin reads nothing else.
pub(super) fn write(environment: &mut Environment, said: &Said<'_>) -> Step<()> {
    let Some(fsdp) = said.switched_on("fsdp")? else {
        return Ok(());
    };
    let config = said.get("fsdp_config")?;
    let at = |key: &str| config.as_ref().and_then(|config| value(config, key));
    let say = |value: &Object| match value {
        Object::Bool(value) => value.to_string(),
        value => value.python_str().to_lowercase(),
    };
    environment.set("ACCELERATE_USE_FSDP", variable("true", &fsdp.origin));
    let origin = config
        .as_ref()
        .map_or(&fsdp.origin, |config| &config.origin);
    let builds_plugin = said.transformers.fsdp_arguments != FsdpArguments::Environment;
    let default_version = match said.transformers.fsdp_arguments {
        FsdpArguments::Environment => None,
        FsdpArguments::PluginOfVersion1 => Some("1"),
        FsdpArguments::PluginOfVersion2 => Some("2"),
    };
    if let Some(default) = default_version {
        let version = at("version").map_or_else(|| default.to_owned(), |value| value.python_str());
        environment.set("FSDP_VERSION", variable(version, origin));
    }
    for (key, name, default) in KEYS {
        let passed = match (at(key), default) {
            // In 4.x these three come from accelerate's own config.
            (_, None) if !builds_plugin => continue,
            (Some(value), None) if key == "state_dict_type" => value.python_str(),
            (Some(value), _) => say(value),
            (None, Some(default)) => default.to_owned(),
            (None, None) => continue,
        };
        environment.set(name, variable(passed, origin));
    }
    Ok(())
}

/// `fsdp_config[key]`, with and without its prefix.
fn value<'a>(config: &'a Argument, key: &str) -> Option<&'a Object> {
    let Object::Dict(pairs) = &config.value else {
        return None;
    };
    pairs.iter().find_map(|(name, value)| match name {
        Object::Str(name) if name.strip_prefix("fsdp_").unwrap_or(name) == key => Some(value),
        _ => None,
    })
}
