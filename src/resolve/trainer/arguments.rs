//! `TrainingArguments` (transformers 4.57.6 and 5.24.0, `training_args.py:TrainingArguments.__post_init__`).

use super::super::context::Context;
use super::super::outcome::{Cause, Variable};
use super::super::python::{Argument, Site};
use super::super::run::{Origin, Voice};
use super::super::runtime::Environment;
use super::super::stop::{Step, Stop, raise};
use super::{Given, Said, deepspeed, fsdp};
use crate::formats::recipe::Framework;
use crate::knowledge::trainers::{HalfPrecisionBackend, PrecisionHandover};
use crate::source::Object;

const POST_INIT: &str = "transformers/training_args.py:TrainingArguments.__post_init__";
const PARSER: &str = "transformers/hf_argparser.py:HfArgumentParser.parse_dict";
const SITE: Site = Site::new(POST_INIT, Cause::TrainerArgument);

/// The variable through which a precision reaches `Accelerator()`.
pub(super) const MIXED_PRECISION: &str = "ACCELERATE_MIXED_PRECISION";

/// Keys that no `TrainingArguments` has and that people write into its recipes.
const NO_ARGUMENTS: [&str; 4] = ["fp8", "fp8_config", "fp8_backend", "mixed_precision"];

/// Keys that were removed with `half_precision_backend`.
const REMOVED: [&str; 3] = ["half_precision_backend", "fp16_backend", "fp16_opt_level"];

/// Builds the arguments.
pub(super) fn build(
    context: &mut Context<'_>,
    environment: &mut Environment,
    said: &Said<'_>,
    mut given: Given,
) -> Step<Given> {
    check_keys(said)?;
    let (fp16, bf16) = (said.switched_on("fp16")?, said.bf16()?);
    exclude(fp16.as_ref(), bf16.as_ref(), "")?;
    let full_eval = |name| said.switched_on(name);
    exclude(
        full_eval("fp16_full_eval")?.as_ref(),
        full_eval("bf16_full_eval")?.as_ref(),
        " for full eval",
    )?;
    check_accelerator_config(said)?;
    let own = match (fp16, bf16) {
        (Some(fp16), _) => Some(variable("fp16", &fp16.origin)),
        (None, Some(bf16)) => Some(variable("bf16", &bf16.origin)),
        (None, None) => None,
    };
    hand_over(environment, said, own, &mut given)?;
    for name in ["use_cpu", "no_cuda"] {
        if said.switched_on(name)?.is_some() {
            given
                .code
                .arguments
                .insert("cpu".to_owned(), Object::Bool(true));
        }
    }
    fsdp::write(environment, said)?;
    if let Some(file) = said.switched_on("deepspeed")? {
        deepspeed::build(context, environment, said, &file, &mut given)?;
    }
    Ok(given)
}

/// `HfArgumentParser` refuses keys that none of the script's dataclasses has.
fn check_keys(said: &Said<'_>) -> Step<()> {
    if said.trainer.framework != Framework::Transformers || said.trainer.is_arguments_only {
        return Ok(());
    }
    let is_removed = said.transformers.half_precision_backend == HalfPrecisionBackend::Removed;
    let removed = REMOVED.iter().filter(|_| is_removed);
    let mut refused = Vec::new();
    for name in NO_ARGUMENTS.iter().chain(removed) {
        refused.extend(said.get(name)?.map(|argument| (*name, argument.origin)));
    }
    if refused.is_empty() {
        return Ok(());
    }
    let names: Vec<String> = refused.iter().map(|(name, _)| (*name).to_owned()).collect();
    let on_command_line = refused
        .iter()
        .all(|(_, origin)| origin.voice == Voice::ScriptArgument);
    let list = super::super::python::list_repr(&names);
    let message = match on_command_line {
        true => format!("Some specified arguments are not used by the HfArgumentParser: {list}"),
        false => format!("Some keys are not used by the HfArgumentParser: {list}"),
    };
    let origins = refused.into_iter().map(|(_, origin)| origin);
    Err(raise(
        "ValueError",
        message,
        PARSER,
        Cause::TrainerKey,
        origins,
    ))
}

fn exclude(fp16: Option<&Argument>, bf16: Option<&Argument>, when: &str) -> Step<()> {
    let (Some(fp16), Some(bf16)) = (fp16, bf16) else {
        return Ok(());
    };
    let message = format!("At most one of fp16 and bf16 can be True{when}, but not both");
    let origins = [bf16.origin.clone(), fp16.origin.clone()];
    Err(raise(
        "ValueError",
        message,
        POST_INIT,
        Cause::TrainerArgument,
        origins,
    ))
}

/// `accelerator_config` knows nothing about precision.
fn check_accelerator_config(said: &Said<'_>) -> Step<()> {
    let Some(config) = said.get("accelerator_config")? else {
        return Ok(());
    };
    let Object::Dict(pairs) = &config.value else {
        return Ok(());
    };
    let named = pairs.iter().find_map(|(key, _)| match key {
        Object::Str(key) if key == "mixed_precision" || key == "kwargs_handlers" => Some(key),
        _ => None,
    });
    match named {
        Some(name) => Err(SITE.raise(
            "TypeError",
            format!("AcceleratorConfig.__init__() got an unexpected keyword argument '{name}'"),
            &config.origin,
        )),
        None => Ok(()),
    }
}

/// The precision on its way to `Accelerator()`.
fn hand_over(
    environment: &mut Environment,
    said: &Said<'_>,
    own: Option<Variable>,
    given: &mut Given,
) -> Step<()> {
    let precision = match own {
        Some(own) => own,
        None => environment.or(MIXED_PRECISION, "no")?,
    };
    match said.transformers.precision_handover {
        PrecisionHandover::Argument => {
            let arguments = &mut given.code.arguments;
            if !arguments.contains_key("mixed_precision") {
                let value = Object::from(precision.value.as_str());
                arguments.insert("mixed_precision".to_owned(), value);
                given.precision = Some(precision.origin);
            }
        }
        PrecisionHandover::Environment => {
            let backend = match said.get("half_precision_backend")? {
                Some(backend) => Some(backend),
                None => said.get("fp16_backend")?,
            };
            let is_apex = backend.is_some_and(|backend| backend.value == Object::from("apex"));
            let stops =
                said.transformers.half_precision_backend == HalfPrecisionBackend::StopsTheWrite;
            if !(is_apex && stops) {
                environment.set(MIXED_PRECISION, precision);
            }
        }
    }
    Ok(())
}

/// `os.environ[name] = value`, said by an argument.
pub(super) fn variable(value: impl Into<String>, origin: &Origin) -> Variable {
    Variable {
        value: value.into(),
        origin: origin.clone(),
    }
}

/// A key that the framework's parser refuses.
pub(super) fn refused_key(argument: &Argument, name: &str) -> Stop {
    let message = format!("Some keys are not used by the HfArgumentParser: ['{name}']");
    Site::new(PARSER, Cause::TrainerKey).raise("ValueError", message, &argument.origin)
}
