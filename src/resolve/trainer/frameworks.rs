//! The frameworks that build `TrainingArguments` and do something before or after.

use super::super::context::Context;
use super::super::outcome::Cause;
use super::super::python::{Argument, Site};
use super::super::runtime::Environment;
use super::super::stop::{Step, unknown};
use super::arguments::{MIXED_PRECISION, build, refused_key, variable};
use super::{Given, Said, by_framework, keywords};
use crate::formats::recipe::Framework;
use crate::knowledge::trainers::{
    Axolotl, AxolotlFp8, AxolotlNoPrecision, Bf16Default, LlamaFactory, LlamaFactoryFp8,
    PrecisionHandover, TrainerHandlers, Trl,
};
use crate::source::Object;

/// The stages of LLaMA-Factory whose trainers hear of fp8 (0.9.5, `train/pt/workflow.py`, `train/sft/workflow.py`).
const LLAMAFACTORY_STAGES: [&str; 2] = ["pt", "sft"];

/// What stands for `bf16` in a recipe that does not say it.
pub(super) fn bf16_default(said: &Said<'_>) -> Step<Option<Argument>> {
    let version = &said.trainer.version;
    let is_on = match said.trainer.framework {
        Framework::Trl => {
            let trl = Trl::of(version).map(|trl| trl.bf16_default);
            trl.ok_or_else(|| nothing_known("trl", said))? == Bf16Default::UnlessFp16
        }
        // `bf16: auto` is the default, and on with every GPU that has it.
        Framework::Axolotl => true,
        _ => false,
    };
    let name = format!("the default `bf16` of {} {version}", said.trainer.framework.as_str());
    Ok(is_on.then(|| Argument::new(true, by_framework(name))))
}

fn nothing_known(framework: &str, said: &Said<'_>) -> super::super::stop::Stop {
    unknown(format!("nothing is known of {framework} {}", said.trainer.version))
}

/// TRL: `bf16` is on unless the recipe says otherwise; `env` goes to the environment first
/// (`trl/scripts/utils.py:TrlParser`).
pub(super) fn trl(
    context: &mut Context<'_>,
    environment: &mut Environment,
    said: &Said<'_>,
    given: Given,
) -> Step<Given> {
    if let Some(block) = said.get("env")?
        && let Object::Dict(pairs) = &block.value
    {
        for (name, value) in pairs {
            environment.set(&name.python_str(), variable(value.python_str(), &block.origin));
        }
    }
    build(context, environment, said, given)
}

/// LLaMA-Factory: `fp8` writes the environment after `TrainingArguments` was built, and `fp8_backend: te` patches
/// `Accelerator.__init__` (0.9.5, `train/fp8_utils.py`).
pub(super) fn llamafactory(
    context: &mut Context<'_>,
    environment: &mut Environment,
    said: &Said<'_>,
    given: Given,
) -> Step<Given> {
    let behaviours = LlamaFactory::of(&said.trainer.version);
    let behaviour = behaviours.ok_or_else(|| nothing_known("llamafactory", said))?.fp8;
    if behaviour == LlamaFactoryFp8::Unknown
        && let Some(fp8) = said.get("fp8")?
    {
        return Err(refused_key(&fp8, "fp8"));
    }
    let mut given = build(context, environment, said, given)?;
    let Some(fp8) = said.switched_on("fp8")? else {
        return Ok(given);
    };
    if behaviour == LlamaFactoryFp8::PretrainingAndSft && said.switched_on("quantization_bit")?.is_some() {
        let site = Site::new("llamafactory/hparams/parser.py:get_train_args", Cause::TrainerArgument);
        let message = "FP8 training is not compatible with quantization. Please disable one of them.";
        return Err(site.raise("ValueError", message, &fp8.origin));
    }
    let stage = said.get("stage")?.map_or_else(|| "sft".to_owned(), |stage| stage.value.python_str());
    if behaviour != LlamaFactoryFp8::PretrainingAndSft || !LLAMAFACTORY_STAGES.contains(&stage.as_str()) {
        return Ok(given);
    }
    environment.set(MIXED_PRECISION, variable("fp8", &fp8.origin));
    let is_te = said.get("fp8_backend")?.is_some_and(|backend| backend.value == Object::from("te"));
    let is_patched = is_te && said.transformers.trainer_handlers == TrainerHandlers::Absent;
    if is_patched {
        let recipe = keywords([
            ("fp8_format", Object::from("HYBRID")),
            ("amax_history_len", Object::from(16)),
            ("amax_compute_algo", Object::from("max")),
        ]);
        given.code.kwargs_handlers.push(("TERecipeKwargs".to_owned(), recipe));
        if said.transformers.precision_handover == PrecisionHandover::Argument {
            given.code.arguments.insert("mixed_precision".to_owned(), Object::from("fp8"));
            given.precision = Some(fp8.origin);
        }
    }
    Ok(given)
}

/// axolotl: the environment is overwritten from the recipe, and the trainers for `sft` and pretraining pass fp8 with a
/// torchao recipe (0.19.0, `utils/trainer.py:prepare_optim_env`, `setup_fsdp_envs`;
/// `monkeypatch/trainer_accelerator_args.py`).
pub(super) fn axolotl(
    context: &mut Context<'_>,
    environment: &mut Environment,
    said: &Said<'_>,
    given: Given,
) -> Step<Given> {
    let behaviours = Axolotl::of(&said.trainer.version).ok_or_else(|| nothing_known("axolotl", said))?;
    let fp8 = said.switched_on("fp8")?.filter(|_| behaviours.fp8 == AxolotlFp8::Torchao);
    let (fp16, bf16) = (said.switched_on("fp16")?, said.bf16()?);
    let precision = match (&fp8, &bf16, &fp16) {
        (Some(fp8), ..) => Some(variable("fp8", &fp8.origin)),
        (None, Some(bf16), _) => Some(variable("bf16", &bf16.origin)),
        (None, None, Some(fp16)) => Some(variable("fp16", &fp16.origin)),
        (None, None, None) => (behaviours.no_precision == AxolotlNoPrecision::Overwritten)
            .then(|| variable("no", &by_framework("axolotl, where the recipe asks for no precision"))),
    };
    if let Some(precision) = precision {
        environment.set(MIXED_PRECISION, precision);
    }
    axolotl_fsdp(environment, said)?;
    let mut given = build(context, environment, said, given)?;
    let trains_alone = ["rl", "reward_model", "process_reward_model"];
    let mut by_others = false;
    for name in trains_alone {
        by_others |= said.switched_on(name)?.is_some();
    }
    if let Some(fp8) = fp8.filter(|_| !by_others) {
        given.code.kwargs_handlers.push(("AORecipeKwargs".to_owned(), keywords([])));
        given.code.arguments.insert("mixed_precision".to_owned(), Object::from("fp8"));
        given.precision = Some(fp8.origin);
    }
    Ok(given)
}

/// `setup_fsdp_envs`: keys of `fsdp_config` that are truthy, with or without their prefix.
fn axolotl_fsdp(environment: &mut Environment, said: &Said<'_>) -> Step<()> {
    let config = said.get("fsdp_config")?;
    let Some(on) = said.switched_on("fsdp")?.or_else(|| config.clone()).filter(|on| on.value.truthy()) else {
        return Ok(());
    };
    environment.set("ACCELERATE_USE_FSDP", variable("true", &on.origin));
    let version = said.get("fsdp_version")?;
    let pairs = match config.as_ref().map(|config| &config.value) {
        Some(Object::Dict(pairs)) => pairs.as_slice(),
        _ => &[],
    };
    let origin = config.as_ref().map_or(&on.origin, |config| &config.origin);
    let nested_version = pairs.iter().find(|(key, _)| *key == Object::from("fsdp_version"));
    let version = version
        .map(|version| version.value)
        .or_else(|| nested_version.map(|(_, value)| value.clone()));
    if version.is_some_and(|version| version.python_str() == "2") {
        environment.set("FSDP_VERSION", variable("2", origin));
    }
    let switches = [
        "activation_checkpointing",
        "offload_params",
        "sync_module_states",
        "cpu_ram_efficient_loading",
        "use_orig_params",
    ];
    for (key, value) in pairs {
        let key = key.python_str();
        let name = key.strip_prefix("fsdp_").unwrap_or(&key);
        if switches.contains(&name) && value.truthy() {
            environment.set(&format!("FSDP_{}", name.to_uppercase()), variable("true", origin));
        }
    }
    Ok(())
}

/// ms-swift: the precision follows `torch_dtype`, which is the model's own where nobody says it.
pub(super) fn swift(
    context: &mut Context<'_>,
    environment: &mut Environment,
    said: &Said<'_>,
    given: Given,
) -> Step<Given> {
    let says = |name| said.trainer.arguments.contains_key(name);
    if says("bf16") || says("fp16") {
        return build(context, environment, said, given);
    }
    let Some(dtype) = said.get("torch_dtype")? else {
        return Err(unknown("ms-swift trains in the dtype of the model, bf16 or fp16, never in fp8"));
    };
    let name = match dtype.value.python_str().as_str() {
        "bfloat16" => "bf16",
        "float16" | "float32" => "fp16",
        other => return Err(unknown(format!("`torch_dtype: {other}` is none that ms-swift knows"))),
    };
    let mut trainer = said.trainer.clone();
    let value = super::Value::Known {
        value: Object::Bool(true),
        origin: super::Origin {
            name: format!("{name} of {}", dtype.origin.name),
            ..dtype.origin
        },
    };
    trainer.arguments.insert(name.to_owned(), value);
    let said = Said {
        trainer: &trainer,
        transformers: said.transformers,
    };
    build(context, environment, &said, given)
}

/// SimpleTuner: `mixed_precision` is passed to `Accelerator()` (3.1.6, `simpletuner/helpers/training/trainer.py`).
pub(super) fn simpletuner(said: &Said<'_>, mut given: Given) -> Step<Given> {
    let asked = said.get("mixed_precision")?;
    let asked = asked.unwrap_or_else(|| {
        Argument::new("bf16", by_framework("the default `mixed_precision` of SimpleTuner"))
    });
    if asked.value == Object::from("fp8") {
        given.code.kwargs_handlers.push(("AORecipeKwargs".to_owned(), keywords([])));
    }
    given.code.arguments.insert("mixed_precision".to_owned(), asked.value);
    given.precision = Some(asked.origin);
    Ok(given)
}
