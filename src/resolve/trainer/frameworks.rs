//! The frameworks that build `TrainingArguments` and do something before or after.

mod axolotl;
mod llamafactory;

use super::super::context::Context;
use super::super::python::Argument;
use super::super::runtime::Environment;
use super::super::stop::{Step, unknown};
use super::arguments::{build, variable};
use super::{Given, Said, by_framework, keywords};
use crate::formats::recipe::Framework;
use crate::knowledge::trainers::{Bf16Default, Trl};
use crate::source::Object;

pub(super) use axolotl::axolotl;
pub(crate) use axolotl::axolotl_other_trainer;
pub(super) use llamafactory::llamafactory;
pub(crate) use llamafactory::{LlamaFactoryHandover, llamafactory_handover};

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
    let name = format!(
        "the default `bf16` of {} {version}",
        said.trainer.framework.as_str()
    );
    Ok(is_on.then(|| Argument::new(true, by_framework(name))))
}

fn nothing_known(framework: &str, said: &Said<'_>) -> super::super::stop::Stop {
    unknown(format!(
        "nothing is known of {framework} {}",
        said.trainer.version
    ))
}

/// TRL: `bf16` is on unless the recipe says otherwise; `env` goes to the environment first
/// (`trl/scripts/utils.py:TrlParser`).
pub(super) fn trl(
    context: &mut Context<'_>,
    environment: &mut Environment,
    said: &Said<'_>,
    given: Given,
) -> Step<Given> {
    for argument in said.trainer.arguments.keys() {
        let Some(name) = argument.strip_prefix("env.") else {
            continue;
        };
        if let Some(value) = said.get(argument)? {
            environment.set(name, variable(value.value.python_str(), &value.origin));
        }
    }
    build(context, environment, said, given)
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
        return Err(unknown(
            "ms-swift trains in the dtype of the model, bf16 or fp16, never in fp8",
        ));
    };
    let name = match dtype.value.python_str().as_str() {
        "bfloat16" => "bf16",
        "float16" | "float32" => "fp16",
        other => {
            return Err(unknown(format!(
                "`torch_dtype: {other}` is none that ms-swift knows"
            )));
        }
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
    let given = build(context, environment, &said, given)?;
    Ok(Given {
        derived: Some(trainer),
        ..given
    })
}

/// SimpleTuner: `mixed_precision` is passed to `Accelerator()` (3.1.6, `simpletuner/helpers/training/trainer.py`).
pub(super) fn simpletuner(said: &Said<'_>, mut given: Given) -> Step<Given> {
    let asked = said.get("mixed_precision")?;
    let asked = asked.unwrap_or_else(|| {
        Argument::new(
            "bf16",
            by_framework("the default `mixed_precision` of SimpleTuner"),
        )
    });
    if asked.value == Object::from("fp8") {
        given
            .code
            .kwargs_handlers
            .push(("AORecipeKwargs".to_owned(), keywords([])));
    }
    given
        .code
        .arguments
        .insert("mixed_precision".to_owned(), asked.value);
    given.precision = Some(asked.origin);
    Ok(given)
}
