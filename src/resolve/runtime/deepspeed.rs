//! `DeepSpeedPlugin` from the environment, and the DeepSpeed config that it holds
//! (accelerate 1.15.0, `utils/dataclasses.py:DeepSpeedPlugin`, `utils/deepspeed.py:HfDeepSpeedConfig`).

mod file;
mod settings;
mod tree;

use std::sync::Arc;

use super::super::context::Context;
use super::super::outcome::{Cause, Variable};
use super::super::python::{Argument, Site};
use super::super::run::Origin;
use super::super::stop::{Step, raise};
use super::Environment;
use crate::knowledge::{DeepspeedFp8, DeepspeedMsamp, Zero3Init};
use crate::source::{Document, Object, SourceFile};
use file::{check_fields, load};
use settings::{Settings, check_zero3_init};
use tree::{child, collect_auto, dict, is_auto, set};

const POST_INIT: &str = "utils/dataclasses.py:DeepSpeedPlugin.__post_init__";
const FIND: &str = "utils/deepspeed.py:HfDeepSpeedConfig.find_config_node";
const SET_PRECISION: &str = "utils/dataclasses.py:DeepSpeedPlugin.set_mixed_precision";
const WEAKREF: &str = "utils/dataclasses.py:DeepSpeedPlugin.set_deepspeed_weakref";
const FILL_MATCH: &str = "utils/dataclasses.py:DeepSpeedPlugin.fill_match";

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
    /// The file from which the config comes, if it comes from one.
    pub(crate) file: Option<(Arc<SourceFile>, Arc<Document>)>,
    msamp_opt_level: String,
}

impl DeepSpeedPlugin {
    pub(crate) fn new(context: &mut Context<'_>, environment: &Environment) -> Step<Self> {
        let file = environment.or("ACCELERATE_DEEPSPEED_CONFIG_FILE", "none")?;
        if file.value != "none" {
            return Self::of_file(context, environment, &file, |_| Ok(()));
        }
        let settings = Settings::read(context.behaviours, environment)?;
        let mut plugin = Self::bare(context, environment, &file.origin)?;
        plugin.config = settings.config();
        plugin.finish(environment, &Object::from(settings.zero_stage))?;
        Ok(plugin)
    }

    /// The plugin over a config file, which `adjust` may change first.
    pub(crate) fn of_file(
        context: &mut Context<'_>,
        environment: &Environment,
        file: &Variable,
        adjust: impl FnOnce(&mut Self) -> Step<()>,
    ) -> Step<Self> {
        let settings = Settings::read(context.behaviours, environment)?;
        let mut plugin = Self::bare(context, environment, &file.origin)?;
        let (config, source, document) = load(context, environment, file)?;
        plugin.config = config;
        plugin.file = Some((source, Arc::new(document)));
        adjust(&mut plugin)?;
        let stage = plugin.fill(context, environment, &settings)?;
        plugin.finish(environment, &stage)?;
        Ok(plugin)
    }

    fn bare(context: &Context<'_>, environment: &Environment, origin: &Origin) -> Step<Self> {
        Ok(Self {
            config: Object::None,
            zero3_init: false,
            enable_msamp: context.behaviours.deepspeed_msamp == DeepspeedMsamp::FromEnvironment
                && environment.or("ACCELERATE_FP8_BACKEND", "")?.value == "MSAMP",
            origin: origin.clone(),
            file: None,
            msamp_opt_level: environment.or("ACCELERATE_FP8_OPT_LEVEL", "O1")?.value,
        })
    }

    fn finish(&mut self, environment: &Environment, stage: &Object) -> Step<()> {
        self.zero3_init = check_zero3_init(environment, stage)?;
        self.enable_msamp(environment, stage)
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
            return Err(Site::new(POST_INIT, Cause::RecipeValue).raise(
                "ValueError",
                message,
                &origin,
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
            if self.is_null(other) {
                let message = "'NoneType' object has no attribute 'get'";
                let site = Site::new(SET_PRECISION, Cause::DeepSpeedConfig);
                return Err(site.raise("AttributeError", message, &self.origin));
            }
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
        if !context.run.machine.is_newest {
            return Ok(());
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

    /// Whether the config says `null` at a route.
    pub(crate) fn is_null(&self, route: &str) -> bool {
        let mut names = route.split('.');
        names.try_fold(&self.config, |parent, name| child(parent, name)) == Some(&Object::None)
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
