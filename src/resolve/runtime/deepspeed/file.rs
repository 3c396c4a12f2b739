//! The DeepSpeed config file, and what it forbids in the accelerate config.

use std::sync::Arc;

use super::super::super::context::Context;
use super::super::super::outcome::{Cause, Variable};
use super::super::super::python::Site;
use super::super::super::run::{Lookup, Voice};
use super::super::super::stop::{Step, Stop, raise, unknown};
use super::super::Environment;
use super::FIND;
use crate::knowledge::{DeepspeedMissingFile, DeepspeedNvmePaths};
use crate::source::{Document, Object, SourceFile, Syntax};

const CHECKS: &str = "utils/dataclasses.py:DeepSpeedPlugin._deepspeed_config_checks";
const HF_CONFIG: &str = "utils/deepspeed.py:HfDeepSpeedConfig.__init__";

/// What a DeepSpeed config file forbids in the accelerate config.
const FORBIDDEN: [&str; 9] = [
    "gradient_accumulation_steps",
    "gradient_clipping",
    "zero_stage",
    "offload_optimizer_device",
    "offload_param_device",
    "offload_param_nvme_path",
    "offload_optimizer_nvme_path",
    "zero3_save_16bit_model",
    "mixed_precision",
];

/// The DeepSpeed config file.
pub(super) fn load(
    context: &mut Context<'_>,
    environment: &Environment,
    file: &Variable,
) -> Step<(Object, Arc<SourceFile>, Document)> {
    let path = file.value.as_str();
    let found = match context.files.look_up(path) {
        Lookup::Found(found) => found,
        Lookup::Unknown => {
            // Whatever the file holds, these would be refused.
            check_fields(context, environment)?;
            return Err(unknown(format!(
                "the DeepSpeed config `{path}` is not at hand"
            )));
        }
        Lookup::Absent
            if context.behaviours.deepspeed_missing_file == DeepspeedMissingFile::DecodingError =>
        {
            return Err(undecodable(file));
        }
        Lookup::Absent => {
            let message = format!(
                "Expected a string path to an existing deepspeed config, or a dictionary, or a base64 encoded string. \
                 Received: {path}"
            );
            return Err(raise(
                "ValueError",
                message,
                HF_CONFIG,
                Cause::DeepSpeedConfig,
                [file.origin.clone()],
            ));
        }
    };
    context.decide("deepspeed_config_file", path, &file.origin);
    let document = Syntax::Json.read(found.text()).map_err(|error| {
        raise(
            error.exception,
            error.message,
            HF_CONFIG,
            Cause::DeepSpeedConfig,
            [file.origin.clone()],
        )
    })?;
    let config = document
        .root()
        .object()
        .ok_or_else(|| unknown(format!("`{path}` is too large to follow")))?;
    match config {
        Object::Dict(_) => Ok((config, found, document)),
        other => {
            let message = format!("'{}' object has no attribute 'get'", other.type_name());
            Err(Site::new(FIND, Cause::DeepSpeedConfig).raise(
                "AttributeError",
                message,
                &file.origin,
            ))
        }
    }
}

/// The name of a file that is not there is taken for a config in base64.
fn undecodable(file: &Variable) -> Stop {
    let site = Site::new(HF_CONFIG, Cause::DeepSpeedConfig);
    let is_base64 = |character: &char| {
        character.is_ascii_alphanumeric() || matches!(character, '-' | '_' | '+' | '/')
    };
    match file.value.chars().filter(is_base64).count() % 4 {
        0 => unknown(format!(
            "`{}` is not there, and what is raised depends on its bytes as base64",
            file.value
        )),
        _ => site.raise("Error", "Incorrect padding", &file.origin),
    }
}

/// A DeepSpeed config file forbids some keys of the accelerate config.
pub(super) fn check_fields(context: &Context<'_>, environment: &Environment) -> Step<()> {
    let mut forbidden = FORBIDDEN.to_vec();
    if context.behaviours.deepspeed_nvme_paths == DeepspeedNvmePaths::Absent {
        forbidden.retain(|name| !name.ends_with("_nvme_path"));
    }
    let fields = environment.or("ACCELERATE_CONFIG_DS_FIELDS", "")?;
    let refused: Vec<&str> = fields
        .value
        .split(',')
        .filter(|name| forbidden.contains(name))
        .collect();
    if refused.is_empty() {
        return Ok(());
    }
    let list =
        Object::List(forbidden.iter().map(|name| Object::from(*name)).collect()).python_repr();
    let message = format!(
        "When using `deepspeed_config_file`, the following accelerate config variables will be ignored: {list}.\n\
         Please specify them appropriately in the DeepSpeed config file.\n\
         If you are using an accelerate config file, remove others config variables mentioned in the above specified \
         list.\n\
         The easiest method is to create a new config following the questionnaire via `accelerate config`.\n\
         It will only ask for the necessary config variables when using `deepspeed_config_file`."
    );
    let origins = refused.into_iter().map(|name| {
        let variable = match name {
            "mixed_precision" => "ACCELERATE_MIXED_PRECISION".to_owned(),
            "gradient_accumulation_steps" | "gradient_clipping" => {
                format!("ACCELERATE_{}", name.to_uppercase())
            }
            _ => format!("ACCELERATE_DEEPSPEED_{}", name.to_uppercase()),
        };
        let origin = environment.origin(&variable);
        match origin.voice {
            Voice::Default => fields.origin.clone(),
            // The recipe has overwritten it, but it is the launch that says so.
            Voice::RecipeKey | Voice::ScriptArgument | Voice::Framework => {
                let mut decisions = context.decisions.iter();
                let launched = decisions.find(|decision| decision.name == name);
                launched.map_or(origin, |decision| decision.origin.clone())
            }
            _ => origin,
        }
    });
    Err(raise(
        "ValueError",
        message,
        CHECKS,
        Cause::DeepSpeedConfigConflict,
        origins,
    ))
}
