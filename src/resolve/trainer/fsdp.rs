//! `fsdp` and `fsdp_config` of the training arguments
//! (transformers 4.57.6, `training_args.py:TrainingArguments.__post_init__`; 5.24.0, `_process_fsdp_args`).

use super::super::python::Argument;
use super::super::runtime::Environment;
use super::super::stop::Step;
use super::arguments::variable;
use super::{Said, below};
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

/// What each word of `fsdp` writes: options of `FSDPOption`, strategies by their number.
const OPTIONS: [(&str, &str, &str); 6] = [
    ("full_shard", "FSDP_SHARDING_STRATEGY", "1"),
    ("shard_grad_op", "FSDP_SHARDING_STRATEGY", "2"),
    ("no_shard", "FSDP_SHARDING_STRATEGY", "3"),
    ("hybrid_shard", "FSDP_SHARDING_STRATEGY", "4"),
    ("offload", "FSDP_OFFLOAD_PARAMS", "true"),
    ("auto_wrap", "FSDP_AUTO_WRAP_POLICY", TRANSFORMER_BASED_WRAP),
];

const TRANSFORMER_BASED_WRAP: &str = "TRANSFORMER_BASED_WRAP";

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
    match builds_plugin {
        true => {
            let policy = at("auto_wrap_policy")
                .map_or_else(|| TRANSFORMER_BASED_WRAP.to_owned(), Object::python_str);
            environment.set("FSDP_AUTO_WRAP_POLICY", variable(policy, origin));
        }
        false => {
            let options = options(&fsdp.value);
            for (_, name, value) in OPTIONS
                .iter()
                .filter(|(option, ..)| options.iter().any(|said| said == option))
            {
                environment.set(name, variable(*value, &fsdp.origin));
            }
            let prefetch = at("backward_prefetch")
                .map_or_else(|| "NO_PREFETCH".to_owned(), Object::python_str);
            environment.set(
                "FSDP_BACKWARD_PREFETCH",
                variable(prefetch.to_uppercase(), origin),
            );
        }
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
        let written = config.as_ref().and_then(|config| written(config, key));
        let origin = written.map_or_else(|| origin.clone(), |key| below(origin, key));
        environment.set(name, variable(passed, &origin));
    }
    Ok(())
}

/// The words of `fsdp`: a text with blanks, a list, or `true`.
fn options(fsdp: &Object) -> Vec<String> {
    let text = match fsdp {
        Object::Bool(_) => "full_shard".to_owned(),
        Object::List(words) => words
            .iter()
            .map(Object::python_str)
            .collect::<Vec<_>>()
            .join(" "),
        value => value.python_str(),
    };
    text.split_whitespace().map(str::to_lowercase).collect()
}

/// `fsdp_config[key]`, with and without its prefix.
fn value<'a>(config: &'a Argument, key: &str) -> Option<&'a Object> {
    entry(config, key).map(|(_, value)| value)
}

/// How `key` is written in `fsdp_config`.
fn written<'a>(config: &'a Argument, key: &str) -> Option<&'a str> {
    entry(config, key).map(|(name, _)| name)
}

fn entry<'a>(config: &'a Argument, key: &str) -> Option<(&'a str, &'a Object)> {
    let Object::Dict(pairs) = &config.value else {
        return None;
    };
    pairs.iter().find_map(|(name, value)| match name {
        Object::Str(name) if name.strip_prefix("fsdp_").unwrap_or(name) == key => {
            Some((name.as_str(), value))
        }
        _ => None,
    })
}
