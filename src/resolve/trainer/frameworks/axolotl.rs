//! axolotl (0.19.0, `utils/trainer.py:prepare_optim_env`, `setup_fsdp_envs`; `monkeypatch/trainer_accelerator_args.py`;
//! `utils/schemas/validation.py:check_fp8_config`).

use super::super::super::context::Context;
use super::super::super::outcome::Cause;
use super::super::super::python::{Argument, Site, parse_bool};
use super::super::super::run::{Origin, Trainer};
use super::super::super::runtime::Environment;
use super::super::super::stop::Step;
use super::super::arguments::{MIXED_PRECISION, build, variable};
use super::super::{Given, Said, below, by_framework};
use super::nothing_known;
use crate::knowledge::trainers::{Axolotl, AxolotlFp8, AxolotlFp8Checks, AxolotlNoPrecision};
use crate::source::Object;

const VALIDATION: Site = Site::new(
    "axolotl/utils/schemas/validation.py:check_fp8_config",
    Cause::TrainerArgument,
);
const SCHEMA: Site = Site::new(
    "axolotl/utils/schemas/config.py:AxolotlInputConfig",
    Cause::TrainerArgument,
);

/// Keys that choose a trainer of another kind than those for `sft` and pretraining: fp8 is handed to none of these.
const OTHER_TRAINERS: [&str; 3] = ["rl", "reward_model", "process_reward_model"];

/// The recipes of `fp8_config`; the first is the default, and the only one with an all-gather in float8.
const RECIPES: [&str; 3] = ["tensorwise", "rowwise", "rowwise_with_gw_hp"];

/// The environment is overwritten from the recipe, and the trainers for `sft` and pretraining pass fp8 with a torchao
/// recipe.
pub(in super::super) fn axolotl(
    context: &mut Context<'_>,
    environment: &mut Environment,
    said: &Said<'_>,
    given: Given,
) -> Step<Given> {
    let behaviours =
        Axolotl::of(&said.trainer.version).ok_or_else(|| nothing_known("axolotl", said))?;
    check_bf16(said)?;
    check_fp8(said, behaviours.fp8_checks)?;
    let fp8 = said
        .switched_on("fp8")?
        .filter(|_| behaviours.fp8 == AxolotlFp8::Torchao);
    let (fp16, bf16) = (said.switched_on("fp16")?, said.bf16()?);
    let precision = match (&fp8, &bf16, &fp16) {
        (Some(fp8), ..) => Some(variable("fp8", &fp8.origin)),
        (None, Some(bf16), _) => Some(variable("bf16", &bf16.origin)),
        (None, None, Some(fp16)) => Some(variable("fp16", &fp16.origin)),
        (None, None, None) => {
            (behaviours.no_precision == AxolotlNoPrecision::Overwritten).then(|| {
                let name = format!(
                    "axolotl {} (no precision in its recipe)",
                    said.trainer.version
                );
                variable("no", &by_framework(name))
            })
        }
    };
    if let Some(precision) = precision {
        environment.set(MIXED_PRECISION, precision);
    }
    write_fsdp(environment, said)?;
    let mut given = build(context, environment, said, given)?;
    let by_others = other_trainer(said)?.is_some();
    if let Some(fp8) = fp8.filter(|_| !by_others) {
        // `additional_accelerator_args` always hands a `Float8LinearConfig` on.
        let recipe = [("config", Object::Dict(Vec::new()))];
        given.hand_over_fp8("AORecipeKwargs", recipe, fp8.origin);
    }
    Ok(given)
}

/// `bf16: Literal["auto"] | bool | None`; pydantic takes the same texts for booleans as accelerate.
fn check_bf16(said: &Said<'_>) -> Step<()> {
    let Some(bf16) = said.get("bf16")? else {
        return Ok(());
    };
    match &bf16.value {
        Object::Str(text) if text != "auto" && parse_bool(text).is_none() => {
            let message =
                "bf16: Input should be 'auto', or a valid boolean, unable to interpret input";
            Err(SCHEMA.raise("ValidationError", message, &bf16.origin))
        }
        _ => Ok(()),
    }
}

/// The key that chooses a trainer other than those that are told of fp8.
fn other_trainer(said: &Said<'_>) -> Step<Option<(&'static str, Argument)>> {
    let mut other = None;
    for name in OTHER_TRAINERS {
        let chosen = said.switched_on(name)?.map(|argument| (name, argument));
        other = other.or(chosen);
    }
    Ok(other)
}

/// The key, with its value, that chooses a trainer that is not told of fp8, and who says it.
pub(crate) fn axolotl_other_trainer(trainer: &Trainer) -> Option<(String, Origin)> {
    let said = Said::new(trainer).ok()?;
    let (name, argument) = other_trainer(&said).ok()??;
    let shown = match name {
        "rl" => format!("rl: {}", argument.value.python_str()),
        name => name.to_owned(),
    };
    Some((shown, argument.origin))
}

/// `check_fp8_config`, as far as it raises.
fn check_fp8(said: &Said<'_>, checks: AxolotlFp8Checks) -> Step<()> {
    if checks == AxolotlFp8Checks::Absent {
        return Ok(());
    }
    let all_gather = said.switched_on("fp8_enable_fsdp_float8_all_gather")?;
    if checks == AxolotlFp8Checks::AllGatherAndRecipe
        && let Some(config) = said
            .get("fp8_config")?
            .filter(|config| config.value != Object::None)
    {
        check_recipe(said, &config, all_gather.as_ref())?;
    }
    match all_gather {
        Some(all_gather) if !is_fsdp2(said)? => {
            let message =
                "fp8_enable_fsdp_float8_all_gather requires FSDP2 (fsdp_version: 2) to be used.";
            Err(VALIDATION.raise("ValidationError", message, &all_gather.origin))
        }
        _ => Ok(()),
    }
}

fn check_recipe(said: &Said<'_>, config: &Argument, all_gather: Option<&Argument>) -> Step<()> {
    if said.switched_on("fp8")?.is_none() {
        let message = "`fp8_config` requires `fp8: true`; set `fp8: true` or remove `fp8_config`.";
        return Err(VALIDATION.raise("ValidationError", message, &config.origin));
    }
    let Object::Dict(pairs) = &config.value else {
        return Ok(());
    };
    let recipe = pairs.iter().find(|(key, _)| *key == Object::from("recipe"));
    let recipe = recipe.map_or_else(|| "tensorwise".to_owned(), |(_, value)| value.python_str());
    if !RECIPES.contains(&recipe.as_str()) {
        let message =
            "fp8_config.recipe: Input should be 'tensorwise', 'rowwise' or 'rowwise_with_gw_hp'";
        return Err(SCHEMA.raise("ValidationError", message, &config.origin));
    }
    if let Some((key, _)) = pairs.iter().find(|(key, _)| *key != Object::from("recipe")) {
        let message = format!(
            "fp8_config.{}: Extra inputs are not permitted",
            key.python_str()
        );
        return Err(SCHEMA.raise("ValidationError", message, &config.origin));
    }
    match all_gather {
        Some(all_gather) if recipe != "tensorwise" => {
            let message = "`fp8_enable_fsdp_float8_all_gather` only supports the tensorwise `fp8_config.recipe`; disable \
                           it when using rowwise scaling.";
            Err(VALIDATION.raise("ValidationError", message, &all_gather.origin))
        }
        _ => Ok(()),
    }
}

/// Whether the recipe chooses FSDP2, at its top level or within `fsdp_config`.
fn is_fsdp2(said: &Said<'_>) -> Step<bool> {
    let is_two = |value: &Object| value.python_str() == "2";
    let own = said
        .get("fsdp_version")?
        .is_some_and(|version| is_two(&version.value));
    let config = said.get("fsdp_config")?;
    let within = config.is_some_and(|config| match &config.value {
        Object::Dict(pairs) => pairs
            .iter()
            .any(|(key, value)| *key == Object::from("fsdp_version") && is_two(value)),
        _ => false,
    });
    Ok(own || within)
}

/// Keys of `fsdp_config` that are handed on as `true`, and those whose text is handed on.
const SWITCHES: [&str; 5] = [
    "activation_checkpointing",
    "offload_params",
    "sync_module_states",
    "cpu_ram_efficient_loading",
    "use_orig_params",
];
const TEXTS: [&str; 3] = [
    "auto_wrap_policy",
    "state_dict_type",
    "transformer_layer_cls_to_wrap",
];

/// `setup_fsdp_envs`: keys of `fsdp_config` that are truthy, with or without their prefix.
fn write_fsdp(environment: &mut Environment, said: &Said<'_>) -> Step<()> {
    let config = said.get("fsdp_config")?;
    let Some(on) = said
        .switched_on("fsdp")?
        .or_else(|| config.clone())
        .filter(|on| on.value.truthy())
    else {
        return Ok(());
    };
    environment.set("ACCELERATE_USE_FSDP", variable("true", &on.origin));
    let origin = config.as_ref().map_or(&on.origin, |config| &config.origin);
    if is_fsdp2(said)? {
        environment.set("FSDP_VERSION", variable("2", origin));
    }
    let pairs = match config.as_ref().map(|config| &config.value) {
        Some(Object::Dict(pairs)) => pairs.as_slice(),
        _ => &[],
    };
    for (key, value) in pairs {
        let key = key.python_str();
        let name = key.strip_prefix("fsdp_").unwrap_or(&key);
        let passed = match value {
            _ if !value.truthy() => continue,
            _ if SWITCHES.contains(&name) => "true".to_owned(),
            _ if TEXTS.contains(&name) => value.python_str(),
            _ => continue,
        };
        let name = match name {
            "transformer_layer_cls_to_wrap" => "TRANSFORMER_CLS_TO_WRAP".to_owned(),
            name => name.to_uppercase(),
        };
        environment.set(
            &format!("FSDP_{name}"),
            variable(passed, &below(origin, &key)),
        );
    }
    Ok(())
}
