//! Recipe handlers: those of the script, and the one that `Accelerator()` makes from the environment
//! (accelerate 1.15.0, `utils/dataclasses.py`: `AORecipeKwargs`, `TERecipeKwargs`, `MSAMPRecipeKwargs`,
//! `FP8RecipeKwargs`).

use std::collections::BTreeMap;

use super::super::context::Context;
use super::super::outcome::{Backend, Cause, Variable};
use super::super::python::{Site, parse_int, str_to_bool};
use super::super::run::{Code, Origin, Voice};
use super::super::stop::{Step, unknown};
use super::{Environment, INIT};
use crate::knowledge::{AoRecipe, Enumeration, Fp8RecipeKwargs, TeMxfp8};
use crate::source::Object;

const TE: &str = "utils/dataclasses.py:TERecipeKwargs.__post_init__";
const MSAMP: &str = "utils/dataclasses.py:MSAMPRecipeKwargs.__post_init__";
const FP8: &str = "utils/dataclasses.py:FP8RecipeKwargs.__post_init__";
const AO: &str = "utils/dataclasses.py:AORecipeKwargs.__post_init__";

/// The recipe of Transformer Engine, as far as Transformer Engine is told of it.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct TeRecipe {
    pub(crate) fp8_format: Variable,
    pub(crate) amax_history_len: Variable,
    pub(crate) amax_compute_algo: Variable,
    pub(crate) override_linear_precision: [bool; 3],
    pub(crate) override_origin: Origin,
    pub(crate) use_mxfp8_block_scaling: Option<Origin>,
}

/// The recipe of torchao.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct AoRecipeConfig {
    /// Whether the handler has a `Float8LinearConfig`.
    pub(crate) has_config: bool,
}

/// The handlers that an `Accelerator` holds.
#[derive(Clone, Debug, Default)]
pub(crate) struct Handlers {
    /// `has_fp8_handler`
    pub(crate) any: bool,
    pub(crate) ao: Option<AoRecipeConfig>,
    pub(crate) te: Option<TeRecipe>,
    pub(crate) msamp: bool,
    /// `FP8RecipeKwargs`: its backend, and its Transformer Engine recipe.
    pub(crate) fp8: Option<(Backend, TeRecipe)>,
}

impl Handlers {
    /// The backend that the handlers choose.
    pub(crate) fn backend(&self) -> Option<Backend> {
        if !self.any {
            return None;
        }
        match (&self.fp8, &self.ao, &self.te, self.msamp) {
            (Some((backend, _)), ..) => Some(*backend),
            (None, Some(_), ..) => Some(Backend::Ao),
            (None, None, Some(_), _) => Some(Backend::Te),
            (None, None, None, true) => Some(Backend::Msamp),
            (None, None, None, false) => None,
        }
    }

    /// `kwargs_handlers` that the script or its trainer passes.
    pub(crate) fn from_code(
        context: &Context<'_>,
        environment: &Environment,
        code: &Code,
    ) -> Step<Self> {
        let mut handlers = Self::default();
        let mut seen = Vec::new();
        let has_classes = context.behaviours.fp8_recipe_kwargs == Fp8RecipeKwargs::Deprecated;
        for (class, keywords) in &code.kwargs_handlers {
            check_followed(class, keywords)?;
            match class.as_str() {
                "AORecipeKwargs" | "TERecipeKwargs" | "MSAMPRecipeKwargs" if !has_classes => {
                    let message = format!("module 'accelerate.utils' has no attribute '{class}'");
                    let origin = Origin::of(Voice::Code, class.as_str());
                    let site = Site::new("utils/__init__.py", Cause::Version);
                    return Err(site.raise("AttributeError", message, &origin));
                }
                "AORecipeKwargs" => handlers.ao = Some(ao(context, environment, keywords)?),
                "TERecipeKwargs" => handlers.te = Some(te(context, environment, keywords)?),
                "MSAMPRecipeKwargs" => {
                    msamp(context, environment, keywords)?;
                    handlers.msamp = true;
                }
                "FP8RecipeKwargs" => {
                    handlers.fp8 = Some(fp8(context, environment, keywords)?);
                }
                _ => {}
            }
            handlers.any = true;
            if seen.contains(class) {
                let message =
                    format!("You can only pass one <class '{class}'> in `kwargs_handlers`.");
                let origin = Origin::of(Voice::Code, class.as_str());
                return Err(Site::new(INIT, Cause::HandlerWithoutFp8).raise(
                    "ValueError",
                    message,
                    &origin,
                ));
            }
            seen.push(class.clone());
        }
        Ok(handlers)
    }

    /// The `FP8RecipeKwargs` that `Accelerator()` makes by itself.
    pub(crate) fn make_fp8(
        &mut self,
        context: &Context<'_>,
        environment: &Environment,
        backend: Option<Backend>,
    ) -> Step<()> {
        let backend = backend.map(|backend| ("backend".to_owned(), backend.as_str().into()));
        let keywords = backend.into_iter().collect();
        self.fp8 = Some(fp8(context, environment, &keywords)?);
        self.any = true;
        Ok(())
    }

    /// The handler that `Accelerator()` makes by itself for a backend.
    pub(crate) fn make(
        &mut self,
        context: &Context<'_>,
        environment: &Environment,
        named: Option<Backend>,
    ) -> Step<()> {
        let installed = |backend: Backend| context.run.machine.has(backend.package());
        let found = [Backend::Ao, Backend::Te, Backend::Msamp]
            .into_iter()
            .find(|backend| installed(*backend));
        let none = BTreeMap::new();
        match named.or(found) {
            Some(Backend::Ao) => self.ao = Some(ao(context, environment, &none)?),
            Some(Backend::Te) => self.te = Some(te(context, environment, &none)?),
            Some(Backend::Msamp) => {
                msamp(context, environment, &none)?;
                self.msamp = true;
            }
            None => {
                let message = "Tried to train with `fp8` and auto-detect backend, but no FP8-compatible backend was \
                               installed. Valid backends are: `torchao`, `transformer-engine`, and `msamp`.";
                let origin = environment.origin("ACCELERATE_FP8_BACKEND");
                return Err(Site::new(INIT, Cause::NoFp8Library).raise(
                    "ImportError",
                    message,
                    &origin,
                ));
            }
        }
        self.any = true;
        Ok(())
    }
}

type Keywords = BTreeMap<String, Object>;

/// A field of a recipe: the keyword in code, else the variable, else the default.
fn field(
    environment: &Environment,
    keywords: &Keywords,
    name: &str,
    default: &str,
) -> Step<Variable> {
    match keywords.get(name) {
        Some(value) if !matches!(value, Object::None) => Ok(Variable {
            value: value.python_str(),
            origin: Origin::of(Voice::Code, name),
        }),
        _ => environment.or(&variable_name(name), default),
    }
}

fn variable_name(field: &str) -> String {
    let short = field.strip_prefix("fp8_").unwrap_or(field);
    format!("ACCELERATE_FP8_{}", short.to_uppercase())
}

fn is_in_code(variable: &Variable) -> bool {
    variable.origin.voice == Voice::Code
}

fn need(
    context: &Context<'_>,
    backend: Backend,
    name: &str,
    source: &'static str,
    origin: Origin,
) -> Step<()> {
    if context.run.machine.has(backend.package()) {
        return Ok(());
    }
    let message = format!("{name} is not available. Please install it or use a different backend.");
    Err(Site::new(source, Cause::PackageMissing).raise("ImportError", message, &origin))
}

/// Stops at a handler or a keyword argument whose consequences are not followed.
fn check_followed(class: &str, keywords: &Keywords) -> Step<()> {
    let of_te = [
        "use_autocast_during_eval",
        "margin",
        "interval",
        "fp8_format",
        "amax_history_len",
        "amax_compute_algo",
        "override_linear_precision",
    ];
    let own: &[&str] = match class {
        "AORecipeKwargs" => &["config", "module_filter_func"],
        "TERecipeKwargs" => &[],
        "MSAMPRecipeKwargs" => &["opt_level"],
        "FP8RecipeKwargs" => &["backend", "opt_level"],
        _ => return Err(unknown(format!("the handler {class} is not followed"))),
    };
    let has_te = matches!(class, "TERecipeKwargs" | "FP8RecipeKwargs");
    let is_followed = |name: &str, value: &Object| match name {
        "margin" | "interval" | "amax_history_len" => has_te && matches!(value, Object::Int(_)),
        _ => own.contains(&name) || (has_te && of_te.contains(&name)),
    };
    match keywords
        .iter()
        .find(|(name, value)| !is_followed(name, value))
    {
        Some((name, _)) => Err(unknown(format!("`{name}` of {class} is not followed"))),
        None => Ok(()),
    }
}

fn ao(
    context: &Context<'_>,
    environment: &Environment,
    keywords: &Keywords,
) -> Step<AoRecipeConfig> {
    if context.behaviours.ao_recipe == AoRecipe::Plain {
        return Ok(AoRecipeConfig {
            has_config: keywords.contains_key("config"),
        });
    }
    need(
        context,
        Backend::Ao,
        "TorchAO",
        AO,
        environment.origin("ACCELERATE_FP8_BACKEND"),
    )?;
    if !keywords.contains_key("config") {
        for name in ["pad_inner_dim", "enable_fsdp_float8_all_gather"] {
            let variable = field(environment, keywords, name, "True")?;
            if !is_in_code(&variable) {
                str_to_bool(&variable.value, &variable.origin, Cause::RecipeValue)?;
            }
        }
    }
    Ok(AoRecipeConfig { has_config: true })
}

fn te(context: &Context<'_>, environment: &Environment, keywords: &Keywords) -> Step<TeRecipe> {
    let site = Site::new(TE, Cause::RecipeValue);
    need(
        context,
        Backend::Te,
        "TransformerEngine",
        TE,
        environment.origin("ACCELERATE_FP8_BACKEND"),
    )?;
    let truth = |name: &str| -> Step<(bool, Origin)> {
        let variable = field(environment, keywords, name, "False")?;
        let value = match is_in_code(&variable) {
            true => variable.value == "True",
            false => str_to_bool(&variable.value, &variable.origin, Cause::RecipeValue)?,
        };
        Ok((value, variable.origin))
    };
    let number = |name: &str, default: &str| -> Step<Variable> {
        let variable = field(environment, keywords, name, default)?;
        if !is_in_code(&variable) && parse_int(&variable.value).is_none() {
            let shown = Object::from(variable.value.as_str()).python_repr();
            let message = format!("invalid literal for int() with base 10: {shown}");
            return Err(site.raise("ValueError", message, &variable.origin));
        }
        Ok(variable)
    };
    truth("use_autocast_during_eval")?;
    number("margin", "0")?;
    number("interval", "1")?;
    let mut fp8_format = field(environment, keywords, "fp8_format", "HYBRID")?;
    fp8_format.value = fp8_format.value.to_uppercase();
    let formats = context.facts.values(Enumeration::Fp8Format);
    if !formats.contains(&fp8_format.value) {
        let message = format!("`fp8_format` must be one of {}.", formats.join(" or "));
        return Err(site.raise("ValueError", message, &fp8_format.origin));
    }
    let mut amax_compute_algo = field(environment, keywords, "amax_compute_algo", "most_recent")?;
    amax_compute_algo.value = amax_compute_algo.value.to_lowercase();
    let algorithms = context.facts.values(Enumeration::AmaxComputeAlgorithm);
    if !algorithms.contains(&amax_compute_algo.value) {
        let message = format!(
            "`amax_compute_algo` must be one of {}",
            algorithms.join(" or ")
        );
        return Err(site.raise("ValueError", message, &amax_compute_algo.origin));
    }
    let amax_history_len = number("amax_history_len", "1024")?;
    let mut override_linear_precision = [false; 3];
    let mut override_origin = environment.origin("ACCELERATE_FP8_OVERRIDE_FPROP");
    match keywords.get("override_linear_precision") {
        Some(Object::List(items) | Object::Tuple(items)) => {
            for (gemm, item) in override_linear_precision.iter_mut().zip(items) {
                *gemm = item.truthy();
            }
            override_origin = Origin::of(Voice::Code, "override_linear_precision");
        }
        Some(Object::None) | None => {
            for (gemm, name) in override_linear_precision
                .iter_mut()
                .zip(["fprop", "dgrad", "wgrad"])
            {
                *gemm = truth(&format!("override_{name}"))?.0;
            }
        }
        Some(_) => {
            return Err(unknown(
                "`override_linear_precision` in the script is no tuple",
            ));
        }
    }
    let use_mxfp8_block_scaling = match context.behaviours.te_mxfp8 {
        TeMxfp8::NotRead => None,
        TeMxfp8::FromEnvironment => {
            let (used, origin) = truth("use_mxfp8_block_scaling")?;
            used.then_some(origin)
        }
    };
    Ok(TeRecipe {
        fp8_format,
        amax_history_len,
        amax_compute_algo,
        override_linear_precision,
        override_origin,
        use_mxfp8_block_scaling,
    })
}

fn msamp(context: &Context<'_>, environment: &Environment, keywords: &Keywords) -> Step<()> {
    check_opt_level(context, &field(environment, keywords, "opt_level", "O2")?)
}

fn check_opt_level(context: &Context<'_>, level: &Variable) -> Step<()> {
    let levels = context.facts.values(Enumeration::OptLevel);
    if !levels.contains(&level.value) {
        let message = format!("`opt_level` must be one of {}", levels.join(" or "));
        return Err(Site::new(MSAMP, Cause::RecipeValue).raise(
            "ValueError",
            message,
            &level.origin,
        ));
    }
    Ok(())
}

/// The keywords that `FP8RecipeKwargs` has, as long as it was a class of its own.
fn check_keywords(kwargs: Fp8RecipeKwargs, keywords: &Keywords) -> Step<()> {
    let mut known = vec![
        "margin",
        "interval",
        "fp8_format",
        "amax_history_len",
        "amax_compute_algo",
        "override_linear_precision",
    ];
    match kwargs {
        Fp8RecipeKwargs::TransformerEngineOnly => {}
        Fp8RecipeKwargs::BackendFromCode => known.extend(["backend", "opt_level"]),
        Fp8RecipeKwargs::FromEnvironment => {
            known.extend(["backend", "opt_level", "use_autocast_during_eval"]);
        }
        Fp8RecipeKwargs::Deprecated => return Ok(()),
    }
    match keywords.keys().find(|name| !known.contains(&name.as_str())) {
        None => Ok(()),
        Some(name) => {
            let message =
                format!("FP8RecipeKwargs.__init__() got an unexpected keyword argument '{name}'");
            let origin = Origin::of(Voice::Code, name.as_str());
            Err(Site::new(FP8, Cause::Version).raise("TypeError", message, &origin))
        }
    }
}

/// `FP8RecipeKwargs`
fn fp8(
    context: &Context<'_>,
    environment: &Environment,
    keywords: &Keywords,
) -> Step<(Backend, TeRecipe)> {
    let site = Site::new(FP8, Cause::Fp8Backend);
    let kwargs = context.behaviours.fp8_recipe_kwargs;
    check_keywords(kwargs, keywords)?;
    let in_code = |name: &str, default: &str| Variable {
        value: match keywords.get(name) {
            Some(Object::None) | None => default.to_owned(),
            Some(value) => value.python_str(),
        },
        origin: Origin::of(Voice::Code, name),
    };
    let backend = match kwargs {
        Fp8RecipeKwargs::TransformerEngineOnly => in_code("", "TE"),
        Fp8RecipeKwargs::BackendFromCode => in_code("backend", "MSAMP"),
        Fp8RecipeKwargs::FromEnvironment | Fp8RecipeKwargs::Deprecated => {
            let default = if context.run.machine.has("msamp") {
                "msamp"
            } else {
                "te"
            };
            field(environment, keywords, "backend", default)?
        }
    };
    let upper = backend.value.to_uppercase();
    let is_known = kwargs == Fp8RecipeKwargs::TransformerEngineOnly
        || context.facts.values(Enumeration::Backend).contains(&upper);
    let chosen = match upper.as_str() {
        "TE" if is_known => Backend::Te,
        "MSAMP" if is_known => Backend::Msamp,
        _ => {
            let message = match kwargs {
                Fp8RecipeKwargs::Deprecated => {
                    "`backend` must be 'MSAMP' or 'TE' (TransformerEngine) to use `FP8RecipeKwargs`."
                }
                _ => "`backend` must be 'MSAMP' or 'TE' (TransformerEngine).",
            };
            return Err(site.raise("ValueError", message, &backend.origin));
        }
    };
    match kwargs {
        Fp8RecipeKwargs::Deprecated => return Ok((chosen, te(context, environment, keywords)?)),
        Fp8RecipeKwargs::FromEnvironment => {
            if !context.run.machine.has(chosen.package()) {
                let (name, other) = match chosen {
                    Backend::Msamp => ("MS-AMP", "TE"),
                    Backend::Te | Backend::Ao => ("TransformerEngine", "MSAMP"),
                };
                let message = format!(
                    "{name} is not available. Please either install it, or use the '{other}' backend (if installed)."
                );
                let site = Site::new(FP8, Cause::PackageMissing);
                return Err(site.raise("ValueError", message, &backend.origin));
            }
            if chosen == Backend::Te {
                return Ok((chosen, te(context, environment, keywords)?));
            }
            msamp(context, environment, keywords)?;
        }
        Fp8RecipeKwargs::TransformerEngineOnly | Fp8RecipeKwargs::BackendFromCode => {}
    }
    let mut recipe = TeRecipe {
        fp8_format: in_code("fp8_format", "E4M3"),
        amax_history_len: in_code("amax_history_len", "1"),
        amax_compute_algo: in_code("amax_compute_algo", "most_recent"),
        override_linear_precision: [false; 3],
        override_origin: Origin::of(Voice::Code, "override_linear_precision"),
        use_mxfp8_block_scaling: None,
    };
    if let Some(Object::List(items) | Object::Tuple(items)) =
        keywords.get("override_linear_precision")
    {
        for (gemm, item) in recipe.override_linear_precision.iter_mut().zip(items) {
            *gemm = item.truthy();
        }
    }
    if chosen == Backend::Te {
        recipe.fp8_format.value = recipe.fp8_format.value.to_uppercase();
        let site = Site::new(FP8, Cause::RecipeValue);
        if !["E4M3", "HYBRID"].contains(&recipe.fp8_format.value.as_str()) {
            let message = "`fp8_format` must be 'E4M3' or 'HYBRID'.";
            return Err(site.raise("ValueError", message, &recipe.fp8_format.origin));
        }
        if !["max", "most_recent"].contains(&recipe.amax_compute_algo.value.as_str()) {
            let message = "`amax_compute_algo` must be 'max' or 'most_recent'";
            return Err(site.raise("ValueError", message, &recipe.amax_compute_algo.origin));
        }
    } else if kwargs == Fp8RecipeKwargs::BackendFromCode {
        let level = in_code("opt_level", "O2");
        check_opt_level(context, &level)?;
    }
    Ok((chosen, recipe))
}
