//! `DeepSpeedPlugin` from the environment, and the DeepSpeed config that it holds
//! (accelerate 1.15.0, `utils/dataclasses.py:DeepSpeedPlugin`, `utils/deepspeed.py:HfDeepSpeedConfig`).

use super::super::context::Context;
use super::super::outcome::{Cause, Variable};
use super::super::python::{Argument, Site, float, int, str_to_bool};
use super::super::run::{Lookup, Origin, Voice};
use super::super::stop::{Step, Stop, raise, unknown};
use super::Environment;
use crate::knowledge::{
    Behaviours, DeepspeedAccumulation, DeepspeedClipping, DeepspeedFp8, DeepspeedMissingFile,
    DeepspeedMsamp, DeepspeedNvmePaths, Zero3Init,
};
use crate::source::{Object, Syntax};

const POST_INIT: &str = "utils/dataclasses.py:DeepSpeedPlugin.__post_init__";
const CHECKS: &str = "utils/dataclasses.py:DeepSpeedPlugin._deepspeed_config_checks";
const HF_CONFIG: &str = "utils/deepspeed.py:HfDeepSpeedConfig.__init__";
const FIND: &str = "utils/deepspeed.py:HfDeepSpeedConfig.find_config_node";
const SET_PRECISION: &str = "utils/dataclasses.py:DeepSpeedPlugin.set_mixed_precision";
const WEAKREF: &str = "utils/dataclasses.py:DeepSpeedPlugin.set_deepspeed_weakref";
const FILL_MATCH: &str = "utils/dataclasses.py:DeepSpeedPlugin.fill_match";

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

/// The plugin.
#[derive(Clone, Debug)]
pub(crate) struct DeepSpeedPlugin {
    /// The DeepSpeed config: a `dict`.
    pub(crate) config: Object,
    pub(crate) enable_msamp: bool,
    /// Whether models are built under ZeRO-3's `Init`.
    zero3_init: bool,
    /// Who gives the config.
    pub(crate) origin: Origin,
    msamp_opt_level: String,
}

impl DeepSpeedPlugin {
    pub(crate) fn new(context: &mut Context<'_>, environment: &Environment) -> Step<Self> {
        let behaviours = context.behaviours;
        let settings = Settings::read(behaviours, environment)?;
        let file = environment.or("ACCELERATE_DEEPSPEED_CONFIG_FILE", "none")?;
        let mut plugin = Self {
            config: Object::None,
            zero3_init: false,
            enable_msamp: behaviours.deepspeed_msamp == DeepspeedMsamp::FromEnvironment
                && environment.or("ACCELERATE_FP8_BACKEND", "")?.value == "MSAMP",
            origin: file.origin.clone(),
            msamp_opt_level: environment.or("ACCELERATE_FP8_OPT_LEVEL", "O1")?.value,
        };
        let stage = match file.value == "none" {
            true => {
                plugin.config = settings.config();
                Object::from(settings.zero_stage)
            }
            false => {
                plugin.config = load(context, environment, &file)?;
                plugin.fill(context, environment, &settings)?
            }
        };
        plugin.zero3_init = check_zero3_init(environment, &stage)?;
        plugin.enable_msamp(environment, &stage)?;
        Ok(plugin)
    }

    /// Merges the plugin's settings into a config file; gives the ZeRO stage.
    fn fill(
        &mut self,
        context: &Context<'_>,
        environment: &Environment,
        settings: &Settings,
    ) -> Step<Object> {
        let site = Site::new(POST_INIT, Cause::DeepSpeedConfig);
        self.get("zero_optimization.stage")?;
        if self.child("gradient_accumulation_steps").is_none() {
            self.set("gradient_accumulation_steps", Object::from(1));
        }
        if self.child("zero_optimization").is_none() {
            let message = "Please specify the ZeRO optimization config in the DeepSpeed config.";
            return Err(site.raise("ValueError", message, &self.origin));
        }
        check_fields(context, environment)?;
        for (name, value) in settings.by_route() {
            if !matches!(value, Object::None) {
                self.fill_match(name, Some(&value))?;
            }
        }
        let stage = self
            .get("zero_optimization.stage")?
            .filter(|stage| !is_auto(stage));
        Ok(stage.unwrap_or_else(|| Object::from(settings.zero_stage)))
    }

    fn enable_msamp(&mut self, environment: &Environment, stage: &Object) -> Step<()> {
        if !self.enable_msamp || self.child("msamp").is_some() {
            return Ok(());
        }
        let origin = environment.origin("ACCELERATE_FP8_BACKEND");
        if stage.python_eq(&Object::from(3)) {
            let message = "MS-AMP is not supported for ZeRO Stage 3. Please use ZeRO Stage 0, 1, or 2 instead.";
            let origins = [
                environment.origin("ACCELERATE_DEEPSPEED_ZERO_STAGE"),
                origin,
            ];
            return Err(raise(
                "NotImplementedError",
                message,
                POST_INIT,
                Cause::MsampZero3,
                origins,
            ));
        }
        if !["O1", "O2"].contains(&self.msamp_opt_level.as_str()) {
            let message = "Invalid optimization level for MS-AMP. Please use one of ['O1' or'O2'].";
            let origin = environment.origin("ACCELERATE_FP8_OPT_LEVEL");
            return Err(raise(
                "ValueError",
                message,
                POST_INIT,
                Cause::RecipeValue,
                [origin],
            ));
        }
        self.set("msamp", dict([("enabled", Object::Bool(true))]));
        Ok(())
    }

    /// `set_mixed_precision`
    pub(crate) fn set_mixed_precision(
        &mut self,
        context: &Context<'_>,
        asked: &Argument,
    ) -> Step<()> {
        let precision = asked.value.python_str();
        let own = match precision.as_str() {
            "fp16" => Some("fp16"),
            "bf16" => Some("bf16"),
            // fp8 still relies on bf16 autocast.
            "fp8" if context.behaviours.deepspeed_fp8 == DeepspeedFp8::Bf16 => Some("bf16"),
            _ => None,
        };
        if let Some(own) = own
            && self.child(own).is_none()
        {
            self.set(own, dict([("enabled", Object::Bool(true))]));
        }
        if precision != "no" {
            let other = if precision == "fp16" { "bf16" } else { "fp16" };
            if let Some(enabled) = self.get(&format!("{other}.enabled"))?
                && enabled.python_str().to_lowercase() == "true"
            {
                let message = format!(
                    "`--mixed_precision` arg cannot be set to `{precision}` when `{other}` is set in the DeepSpeed \
                     config file."
                );
                let origins = [asked.origin.clone(), self.origin.clone()];
                return Err(raise(
                    "ValueError",
                    message,
                    SET_PRECISION,
                    Cause::DeepSpeedPrecision,
                    origins,
                ));
            }
        }
        for dtype in ["fp16", "bf16"] {
            if self.child(dtype).is_none() {
                self.set(dtype, dict([("enabled", Object::Bool(false))]));
            }
            self.fill_match(
                &format!("{dtype}.enabled"),
                Some(&Object::Bool(own == Some(dtype))),
            )?;
        }
        Ok(())
    }

    /// `set_deepspeed_weakref`: transformers is told of ZeRO-3.
    pub(crate) fn tell_transformers(&self, context: &Context<'_>) -> Step<()> {
        if !self.zero3_init {
            return Ok(());
        }
        let site = Site::new(WEAKREF, Cause::DeepSpeedConfig);
        let zero3_init = context.behaviours.zero3_init;
        let needs_batch_size = matches!(
            zero3_init,
            Zero3Init::TransformersDeepspeed | Zero3Init::NeedsTrainBatchSize
        );
        if needs_batch_size && self.child("train_batch_size").is_none() {
            return Err(site.raise("KeyError", "'train_batch_size'", &self.origin));
        }
        match zero3_init {
            Zero3Init::TransformersDeepspeed => {
                let message = "No module named 'transformers.deepspeed'";
                Err(site.raise("ModuleNotFoundError", message, &self.origin))
            }
            Zero3Init::NeedsTrainBatchSize | Zero3Init::TooOldForTransformers => {
                let message = format!(
                    "accelerate>=0.26.0 is required for a normal functioning of this module, but found \
                     accelerate=={}.",
                    context.facts.version
                );
                Err(site.raise("ImportError", message, &self.origin))
            }
            Zero3Init::TransformersIntegrations => Ok(()),
        }
    }

    /// `AcceleratorState.mixed_precision` under DeepSpeed.
    pub(crate) fn precision(&self) -> String {
        let enabled = |dtype: &str| {
            let value = self.get(&format!("{dtype}.enabled")).ok().flatten();
            value.is_some_and(|value| value.truthy())
        };
        let precision = if enabled("fp16") {
            "fp16"
        } else if enabled("bf16") {
            "bf16"
        } else {
            "no"
        };
        precision.to_owned()
    }

    /// The precision in the oracle's spelling: what the config says in the end.
    pub(crate) fn verdict_precision(&self) -> &'static str {
        let enabled = |dtype: &str| {
            let value = self.get(&format!("{dtype}.enabled")).ok().flatten();
            value.is_some_and(|value| value.python_str().to_lowercase() == "true")
        };
        if enabled("bf16") {
            "ds-bf16"
        } else if enabled("fp16") {
            "ds-fp16"
        } else {
            "ds-none"
        }
    }

    /// `deepspeed_config[name]`
    pub(crate) fn child(&self, name: &str) -> Option<&Object> {
        child(&self.config, name)
    }

    fn set(&mut self, name: &str, value: Object) {
        set(&mut self.config, name, value);
    }

    /// `get_value(route)`
    pub(crate) fn get(&self, route: &str) -> Step<Option<Object>> {
        let mut found = Some(&self.config);
        for name in route.split('.') {
            let Some(parent) = found else {
                return Ok(None);
            };
            if !matches!(parent, Object::Dict(_)) {
                let message = format!("'{}' object has no attribute 'get'", parent.type_name());
                return Err(Site::new(FIND, Cause::DeepSpeedConfig).raise(
                    "AttributeError",
                    message,
                    &self.origin,
                ));
            }
            found = child(parent, name).filter(|value| !matches!(value, Object::None));
        }
        Ok(found.cloned())
    }

    /// `is_auto(route)`
    pub(crate) fn is_auto(&self, route: &str) -> Step<bool> {
        Ok(self.get(route)?.is_some_and(|value| is_auto(&value)))
    }

    /// `fill_match(route, must_match=False)`: `auto` becomes the given value.
    pub(crate) fn fill_match(&mut self, route: &str, value: Option<&Object>) -> Step<()> {
        if !self.is_auto(route)? {
            return Ok(());
        }
        let Some(value) = value else {
            let message = format!(
                "`{route}` not found in kwargs. Please specify `{route}` without `auto` (set to correct value) in the \
                 DeepSpeed config file or pass it in kwargs."
            );
            return Err(Site::new(FILL_MATCH, Cause::DeepSpeedConfig).raise(
                "ValueError",
                message,
                &self.origin,
            ));
        };
        let mut parent = &mut self.config;
        let mut names = route.split('.').peekable();
        while let Some(name) = names.next() {
            if names.peek().is_none() {
                set(parent, name, value.clone());
                break;
            }
            let Object::Dict(pairs) = parent else { break };
            let key = Object::from(name);
            let Some((_, next)) = pairs.iter_mut().find(|(known, _)| *known == key) else {
                break;
            };
            parent = next;
        }
        Ok(())
    }

    /// The routes of all `auto` values below the root.
    pub(crate) fn auto_routes(&self) -> Vec<String> {
        let mut routes = Vec::new();
        collect_auto(&self.config, "", &mut routes);
        routes
    }
}

/// The plugin's own settings.
struct Settings {
    gradient_accumulation_steps: Object,
    gradient_clipping: Object,
    zero_stage: i64,
    offload_optimizer_device: String,
    offload_param_device: String,
    zero3_save_16bit_model: bool,
    /// What stands for the paths of NVMe offloading; `None` where there are no such settings.
    nvme_path: Object,
}

impl Settings {
    fn read(behaviours: &Behaviours, environment: &Environment) -> Step<Self> {
        let site = Site::new(POST_INIT, Cause::LaunchValue);
        let (is_number_only, default) = match behaviours.deepspeed_accumulation {
            DeepspeedAccumulation::Number => (true, "1"),
            DeepspeedAccumulation::NumberOrAuto => (false, "auto"),
        };
        let steps = environment.or("ACCELERATE_GRADIENT_ACCUMULATION_STEPS", default)?;
        let is_number = !steps.value.is_empty() && steps.value.chars().all(char::is_numeric);
        let gradient_accumulation_steps = match is_number || is_number_only {
            true => Object::from(int(&steps.value, &steps.origin, site)?),
            false => Object::from(steps.value),
        };
        let (default, unset) = match behaviours.deepspeed_clipping {
            DeepspeedClipping::NumberOrNone => ("none", Object::None),
            DeepspeedClipping::NumberOrAuto => ("auto", Object::from("auto")),
        };
        let clipping = environment.or("ACCELERATE_GRADIENT_CLIPPING", default)?;
        let gradient_clipping = match clipping.value == default {
            true => unset,
            false => Object::Float(float(&clipping.value, &clipping.origin, site)?),
        };
        let with_paths = behaviours.deepspeed_nvme_paths == DeepspeedNvmePaths::Known;
        let stage = environment.or("ACCELERATE_DEEPSPEED_ZERO_STAGE", "2")?;
        let save = environment.or("ACCELERATE_DEEPSPEED_ZERO3_SAVE_16BIT_MODEL", "false")?;
        Ok(Self {
            gradient_accumulation_steps,
            gradient_clipping,
            zero_stage: int(&stage.value, &stage.origin, site)?,
            offload_optimizer_device: environment
                .or("ACCELERATE_DEEPSPEED_OFFLOAD_OPTIMIZER_DEVICE", "none")?
                .value,
            offload_param_device: environment
                .or("ACCELERATE_DEEPSPEED_OFFLOAD_PARAM_DEVICE", "none")?
                .value,
            zero3_save_16bit_model: save.value.to_lowercase() == "true",
            nvme_path: if with_paths {
                Object::from("none")
            } else {
                Object::None
            },
        })
    }

    /// Each setting under its route in a DeepSpeed config.
    fn by_route(&self) -> [(&'static str, Object); 8] {
        let text = |value: &str| Object::from(value);
        [
            (
                "gradient_accumulation_steps",
                self.gradient_accumulation_steps.clone(),
            ),
            ("gradient_clipping", self.gradient_clipping.clone()),
            ("zero_optimization.stage", Object::from(self.zero_stage)),
            (
                "zero_optimization.offload_optimizer.device",
                text(&self.offload_optimizer_device),
            ),
            (
                "zero_optimization.offload_param.device",
                text(&self.offload_param_device),
            ),
            (
                "zero_optimization.offload_param.nvme_path",
                self.nvme_path.clone(),
            ),
            (
                "zero_optimization.offload_optimizer.nvme_path",
                self.nvme_path.clone(),
            ),
            (
                "zero_optimization.stage3_gather_16bit_weights_on_model_save",
                Object::Bool(self.zero3_save_16bit_model),
            ),
        ]
    }

    /// The config that the plugin writes where no file is given.
    fn config(&self) -> Object {
        let device = |device: &str| dict([("device", Object::from(device))]);
        let mut config = dict([
            ("train_batch_size", Object::from("auto")),
            ("train_micro_batch_size_per_gpu", Object::from("auto")),
            (
                "gradient_accumulation_steps",
                self.gradient_accumulation_steps.clone(),
            ),
            (
                "zero_optimization",
                dict([
                    ("stage", Object::from(self.zero_stage)),
                    ("offload_optimizer", device(&self.offload_optimizer_device)),
                    ("offload_param", device(&self.offload_param_device)),
                    (
                        "stage3_gather_16bit_weights_on_model_save",
                        Object::Bool(self.zero3_save_16bit_model),
                    ),
                ]),
            ),
        ]);
        if self.gradient_clipping.truthy() {
            set(
                &mut config,
                "gradient_clipping",
                self.gradient_clipping.clone(),
            );
        }
        config
    }
}

fn dict<const N: usize>(pairs: [(&str, Object); N]) -> Object {
    Object::Dict(
        pairs
            .into_iter()
            .map(|(key, value)| (Object::from(key), value))
            .collect(),
    )
}

fn child<'object>(object: &'object Object, name: &str) -> Option<&'object Object> {
    let Object::Dict(pairs) = object else {
        return None;
    };
    pairs
        .iter()
        .find(|(key, _)| matches!(key, Object::Str(text) if text == name))
        .map(|(_, value)| value)
}

fn set(object: &mut Object, name: &str, value: Object) {
    let Object::Dict(pairs) = object else { return };
    let key = Object::from(name);
    match pairs.iter_mut().find(|(known, _)| *known == key) {
        Some((_, old)) => *old = value,
        None => pairs.push((key, value)),
    }
}

fn is_auto(value: &Object) -> bool {
    matches!(value, Object::Str(text) if text == "auto")
}

fn collect_auto(object: &Object, prefix: &str, routes: &mut Vec<String>) {
    let Object::Dict(pairs) = object else { return };
    for (key, value) in pairs {
        let route = format!("{prefix}{}", key.python_str());
        if is_auto(value) {
            routes.push(route);
        } else {
            collect_auto(value, &format!("{route}."), routes);
        }
    }
}

/// The DeepSpeed config file.
fn load(context: &mut Context<'_>, environment: &Environment, file: &Variable) -> Step<Object> {
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
        Object::Dict(_) => Ok(config),
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

/// `zero3_init_flag`, and whether it counts.
fn check_zero3_init(environment: &Environment, stage: &Object) -> Step<bool> {
    let is_zero3 = stage.python_eq(&Object::from(3));
    let default = if is_zero3 { "True" } else { "False" };
    let flag = environment.or("ACCELERATE_DEEPSPEED_ZERO3_INIT", default)?;
    let is_on = str_to_bool(&flag.value, &flag.origin, Cause::LaunchValue)?;
    Ok(is_on && is_zero3)
}

/// A DeepSpeed config file forbids some keys of the accelerate config.
fn check_fields(context: &Context<'_>, environment: &Environment) -> Step<()> {
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
