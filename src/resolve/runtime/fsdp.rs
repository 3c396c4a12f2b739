//! `FullyShardedDataParallelPlugin` from the environment
//! (accelerate 1.15.0, `utils/dataclasses.py:FullyShardedDataParallelPlugin.__post_init__`).

use super::super::context::Context;
use super::super::outcome::{Cause, Variable};
use super::super::python::{Argument, Site, int, list_repr, parse_int, str_to_bool};
use super::super::run::{Origin, Voice};
use super::super::stop::{Step, Stop, raise};
use super::Environment;
use crate::knowledge::{
    Enumeration, Fsdp2StateDictType, FsdpActivationCheckpointingOffload, FsdpAutoWrapPolicy,
    FsdpNames, FsdpOffloadParams, FsdpPrecisions, FsdpShardingStrategy, FsdpSyncDevice,
    FsdpSyncModuleStates,
};
use crate::source::Object;

const POST_INIT: &str = "utils/dataclasses.py:FullyShardedDataParallelPlugin.__post_init__";
const STATE_DICT: &str = "utils/dataclasses.py:FullyShardedDataParallelPlugin.set_state_dict_type";
const SITE: Site = Site::new(POST_INIT, Cause::FsdpOption);

/// Members of torch's `ShardingStrategy`, `BackwardPrefetch` and `StateDictType` (torch 2.9.1).
const SHARDING_STRATEGIES: [&str; 5] = [
    "FULL_SHARD",
    "SHARD_GRAD_OP",
    "NO_SHARD",
    "HYBRID_SHARD",
    "_HYBRID_SHARD_ZERO2",
];
const BACKWARD_PREFETCHES: [&str; 2] = ["BACKWARD_PRE", "BACKWARD_POST"];
const STATE_DICT_TYPES: [&str; 3] = ["FULL_STATE_DICT", "LOCAL_STATE_DICT", "SHARDED_STATE_DICT"];

/// A switch, and who sets it.
#[derive(Clone, Debug)]
pub(crate) struct Switch {
    pub(crate) value: bool,
    pub(crate) origin: Origin,
}

/// The plugin, as far as it decides about precision.
#[derive(Clone, Debug)]
pub(crate) struct FsdpPlugin {
    pub(crate) version: i64,
    pub(crate) cpu_ram_efficient_loading: Switch,
    /// Who turns activation checkpointing on without a wrapping policy.
    pub(crate) checkpointing_unwrapped: Option<Origin>,
    /// `param_dtype` of the mixed precision policy: `bfloat16`, `float16`.
    pub(crate) parameters: Option<&'static str>,
}

impl FsdpPlugin {
    pub(crate) fn new(context: &Context<'_>, environment: &Environment) -> Step<Self> {
        let behaviours = context.behaviours;
        // What a release does not read is as good as not set.
        let get = |name: &str, default: &str| -> Step<Variable> {
            let name = format!("FSDP_{name}");
            match context.facts.readers(&name).is_empty() {
                true => Ok(Variable {
                    value: default.to_owned(),
                    origin: Origin::of(Voice::Default, name),
                }),
                false => environment.or(&name, default),
            }
        };
        let switch_or = |name: &str, default: &str| -> Step<Switch> {
            let variable = get(name, default)?;
            let value = str_to_bool(&variable.value, &variable.origin, Cause::FsdpOption)?;
            Ok(Switch {
                value,
                origin: variable.origin,
            })
        };
        let switch = |name: &str| switch_or(name, "False");
        let version = get("VERSION", "1")?;
        let version = int(&version.value, &version.origin, SITE)?;
        let strategies: Vec<&str> = context
            .facts
            .values(Enumeration::FsdpShardingStrategy)
            .iter()
            .map(String::as_str)
            .chain(SHARDING_STRATEGIES)
            .collect();
        match version {
            1 => match behaviours.fsdp_sharding_strategy {
                FsdpShardingStrategy::Number => {
                    let strategy = get("SHARDING_STRATEGY", "1")?;
                    let number = int(&strategy.value, &strategy.origin, SITE)?;
                    check_number(
                        number,
                        "ShardingStrategy",
                        SHARDING_STRATEGIES.len(),
                        &strategy,
                    )?;
                }
                FsdpShardingStrategy::ExactNameOrNumber => {
                    let strategy = get("SHARDING_STRATEGY", "FULL_SHARD")?;
                    let known = context.facts.values(Enumeration::FsdpShardingStrategy);
                    match digits(&strategy.value) {
                        Some(number) => check_number(
                            number,
                            "ShardingStrategy",
                            SHARDING_STRATEGIES.len(),
                            &strategy,
                        )?,
                        None => check_exact(&strategy, known)?,
                    }
                }
                FsdpShardingStrategy::NameOrNumber => check_member(
                    &get("SHARDING_STRATEGY", "FULL_SHARD")?,
                    "ShardingStrategy",
                    &strategies,
                )?,
            },
            2 => {
                let reshard = get("RESHARD_AFTER_FORWARD", "true")?;
                str_to_bool(
                    &reshard.value.to_lowercase(),
                    &reshard.origin,
                    Cause::FsdpOption,
                )?;
            }
            // Neither FSDP1 nor FSDP2: the strategy comes from `reshard_after_forward`, as for FSDP1.
            _ => check_member(
                &get("RESHARD_AFTER_FORWARD", "FULL_SHARD")?,
                "ShardingStrategy",
                &strategies,
            )?,
        }
        if behaviours.fsdp_offload_params == FsdpOffloadParams::Boolean {
            switch("OFFLOAD_PARAMS")?;
        }
        match behaviours.fsdp_names {
            FsdpNames::Exact => {
                for (name, enumeration) in [
                    ("FSDP_BACKWARD_PREFETCH", Enumeration::FsdpBackwardPrefetch),
                    ("FSDP_STATE_DICT_TYPE", Enumeration::FsdpStateDictType),
                ] {
                    if let Some(variable) = environment.get(name)? {
                        check_exact(variable, context.facts.values(enumeration))?;
                    }
                }
            }
            FsdpNames::AnyCaseOrNumber => {
                check_backward_prefetch(environment)?;
                check_state_dict_type(context, environment, version)?;
            }
        }
        check_auto_wrap_policy(context, environment)?;
        let mut sync_module_states = Switch {
            value: false,
            origin: Origin::of(Voice::Default, "FSDP_SYNC_MODULE_STATES"),
        };
        if version == 1 {
            switch("USE_ORIG_PARAMS")?;
            let default = match behaviours.fsdp_sync_module_states {
                FsdpSyncModuleStates::FalseByDefault => "False",
                FsdpSyncModuleStates::TrueByDefault => "True",
            };
            sync_module_states = switch_or("SYNC_MODULE_STATES", default)?;
            switch("FORWARD_PREFETCH")?;
        }
        let checkpointing = switch("ACTIVATION_CHECKPOINTING")?;
        let offload = behaviours.fsdp_activation_checkpointing_offload;
        if offload == FsdpActivationCheckpointingOffload::ExportedAndChecked {
            check_offload(
                &switch("ACTIVATION_CHECKPOINTING_OFFLOAD")?,
                &checkpointing,
                version,
            )?;
        }
        let cpu_ram_efficient_loading = switch("CPU_RAM_EFFICIENT_LOADING")?;
        let syncs = sync_module_states.value || (version == 1 && cpu_ram_efficient_loading.value);
        let asks_device = behaviours.fsdp_sync_device == FsdpSyncDevice::InAccelerator;
        if syncs && asks_device && context.run.machine.gpus == 0 {
            let message = "There are currently no available devices found, must be one of 'XPU', 'CUDA', 'MLU', \
                           'NPU', 'MUSA', or 'HPU'.";
            return Err(raise(
                "RuntimeError",
                message,
                POST_INIT,
                Cause::Device,
                [sync_module_states.origin],
            ));
        }
        let is_wrapped = get("AUTO_WRAP_POLICY", "NO_WRAP")?.value.to_uppercase() != "NO_WRAP";
        Ok(Self {
            version,
            checkpointing_unwrapped: (checkpointing.value && !is_wrapped)
                .then_some(checkpointing.origin),
            cpu_ram_efficient_loading,
            parameters: None,
        })
    }

    /// `set_mixed_precision`
    pub(crate) fn set_mixed_precision(
        &mut self,
        context: &Context<'_>,
        asked: &Argument,
    ) -> Step<()> {
        let precisions = context.behaviours.fsdp_precisions;
        self.parameters = match asked.value.python_str().as_str() {
            "no" => None,
            "bf16" => Some("bfloat16"),
            "fp8" if precisions == FsdpPrecisions::Fp32Fp8Too => Some("bfloat16"),
            "fp16" => Some("float16"),
            "fp32" if precisions != FsdpPrecisions::Fp16Bf16 => Some("float32"),
            other => {
                let message = match precisions {
                    FsdpPrecisions::Fp16Bf16 | FsdpPrecisions::Fp32Too => {
                        format!("Unknown mixed precision value: {other}")
                    }
                    FsdpPrecisions::Fp32Fp8Too => format!(
                        "Invalid mixed precision: {other}. Must be one of ['fp8', 'fp16', 'bf16', 'fp32']"
                    ),
                };
                let source =
                    "utils/dataclasses.py:FullyShardedDataParallelPlugin.set_mixed_precision";
                return Err(Site::new(source, Cause::MixedPrecision).raise(
                    "ValueError",
                    message,
                    &asked.origin,
                ));
            }
        };
        Ok(())
    }
}

/// A member of one of torch's enums by name (accelerate's or torch's) or by number, from 1.
fn check_member(variable: &Variable, enumeration: &str, members: &[&str]) -> Step<()> {
    let upper = variable.value.to_uppercase();
    if members.contains(&upper.as_str()) {
        return Ok(());
    }
    let number =
        digits(&variable.value).ok_or_else(|| key_error(&upper, SITE, &variable.origin))?;
    let members = members.len().min(SHARDING_STRATEGIES.len());
    check_number(number, enumeration, members, variable)
}

/// A member of one of torch's enums by number, from 1.
fn check_number(number: i64, enumeration: &str, members: usize, variable: &Variable) -> Step<()> {
    match usize::try_from(number) {
        Ok(number) if (1..=members).contains(&number) => Ok(()),
        _ => {
            let message = format!("{number} is not a valid {enumeration}");
            Err(SITE.raise("ValueError", message, &variable.origin))
        }
    }
}

/// `LIST.index(value)`
fn check_exact(variable: &Variable, known: &[String]) -> Step<()> {
    if known.contains(&variable.value) {
        return Ok(());
    }
    let shown = Object::from(variable.value.as_str()).python_repr();
    Err(SITE.raise(
        "ValueError",
        format!("{shown} is not in list"),
        &variable.origin,
    ))
}

/// The number that a text of nothing but digits is.
fn digits(text: &str) -> Option<i64> {
    let is_number = !text.is_empty() && text.chars().all(|character| character.is_ascii_digit());
    is_number.then(|| parse_int(text).unwrap_or(i64::MAX))
}

fn key_error(name: &str, site: Site, origin: &Origin) -> Stop {
    site.raise("KeyError", Object::from(name).python_repr(), origin)
}

fn check_backward_prefetch(environment: &Environment) -> Step<()> {
    match environment.get("FSDP_BACKWARD_PREFETCH")? {
        Some(variable) if variable.value.to_uppercase() != "NO_PREFETCH" => {
            check_member(variable, "BackwardPrefetch", &BACKWARD_PREFETCHES)
        }
        _ => Ok(()),
    }
}

fn check_state_dict_type(
    context: &Context<'_>,
    environment: &Environment,
    version: i64,
) -> Step<()> {
    let site = Site::new(STATE_DICT, Cause::FsdpOption);
    let default = if version == 1 {
        "FULL_STATE_DICT"
    } else {
        "SHARDED_STATE_DICT"
    };
    let variable = environment.or("FSDP_STATE_DICT_TYPE", default)?;
    let upper = variable.value.to_uppercase();
    let chosen = match digits(&variable.value) {
        Some(number) => {
            let number = usize::try_from(number).unwrap_or(0);
            let member = number
                .checked_sub(1)
                .and_then(|index| STATE_DICT_TYPES.get(index));
            let invalid = || {
                site.raise(
                    "ValueError",
                    format!("{number} is not a valid StateDictType"),
                    &variable.origin,
                )
            };
            *member.ok_or_else(invalid)?
        }
        None => STATE_DICT_TYPES
            .into_iter()
            .find(|member| *member == upper)
            .ok_or_else(|| key_error(&upper, site, &variable.origin))?,
    };
    if version != 2 {
        return Ok(());
    }
    let message = match context.behaviours.fsdp2_state_dict_type {
        Fsdp2StateDictType::ShardedOnly if chosen != "SHARDED_STATE_DICT" => {
            "FSDP2 only supports SHARDED_STATE_DICT for now. Please set `fsdp_state_dict_type` to `SHARDED_STATE_DICT`."
        }
        Fsdp2StateDictType::NotLocal if chosen == "LOCAL_STATE_DICT" => {
            "FSDP2 does not support LOCAL_STATE_DICT. Please set `fsdp_state_dict_type` to `SHARDED_STATE_DICT` or \
             `FULL_STATE_DICT`."
        }
        Fsdp2StateDictType::ShardedOnly | Fsdp2StateDictType::NotLocal => return Ok(()),
    };
    Err(site.raise("ValueError", message, &variable.origin))
}

fn check_auto_wrap_policy(context: &Context<'_>, environment: &Environment) -> Step<()> {
    let variable = environment.or("FSDP_AUTO_WRAP_POLICY", "NO_WRAP")?;
    let check = context.behaviours.fsdp_auto_wrap_policy;
    if check == FsdpAutoWrapPolicy::Unchecked {
        return Ok(());
    }
    let policies = context.facts.values(Enumeration::FsdpAutoWrapPolicy);
    let upper = variable.value.to_uppercase();
    if !policies.contains(&upper) {
        if check == FsdpAutoWrapPolicy::AttributeError {
            let message = "'list' object has no attribute 'keys'";
            return Err(SITE.raise("AttributeError", message, &variable.origin));
        }
        let list = list_repr(policies);
        let message = format!(
            "Invalid auto wrap policy: {}. Must be one of {list}",
            variable.value
        );
        return Err(SITE.raise("ValueError", message, &variable.origin));
    }
    if upper == "SIZE_BASED_WRAP" {
        let size = environment.or("FSDP_MIN_NUM_PARAMS", "0")?;
        int(&size.value, &size.origin, SITE)?;
    }
    Ok(())
}

fn check_offload(offload: &Switch, checkpointing: &Switch, version: i64) -> Step<()> {
    if offload.value && !checkpointing.value {
        let message =
            "`activation_checkpointing_offload=True` requires `activation_checkpointing=True`.";
        return Err(SITE.raise("ValueError", message, &offload.origin));
    }
    if offload.value && version != 2 {
        let message = "`activation_checkpointing_offload=True` requires `fsdp_version=2`.";
        return Err(SITE.raise("ValueError", message, &offload.origin));
    }
    Ok(())
}
