//! `accelerate launch`: from a command, a config file and an environment to the environment of the script.

mod cluster_environment;
pub(crate) mod config_class;
mod deepspeed;
mod distributed;
pub(crate) mod namespace;
mod other_launchers;
mod sections;
mod simple;
mod torchrun;
mod validate;

use std::collections::BTreeMap;

use super::context::Context;
use super::outcome::{LauncherKind, Variable};
use super::python::Argument;
use super::run::Config;
use super::stop::Step;
use namespace::Namespace;
use validate::Validated;

/// What the launcher hands over to the script.
#[derive(Clone, Debug)]
pub(crate) struct Launched {
    pub(crate) launcher: LauncherKind,
    /// The variables that it sets.
    pub(crate) environment: BTreeMap<String, Variable>,
    /// Processes on this machine, and machines.
    pub(crate) processes: i64,
    pub(crate) machines: i64,
}

/// Follows `accelerate launch` (accelerate 1.15.0, `commands/launch.py:launch_command`).
pub(crate) fn launch(context: &mut Context<'_>) -> Step<Launched> {
    let words = context.run.flags.clone();
    let mut namespace = Namespace::parse(context.facts, &words)?;
    if !context.run.default_config && !matches!(context.run.config, Config::None) {
        namespace.mark_given("config_file");
    }
    let validated = validate::validate(context, namespace)?;
    let Validated {
        namespace,
        defaults,
        ..
    } = &validated;
    let on_gpu = |name: &str| {
        let chosen = namespace.of_flag(name);
        chosen.is_some_and(|chosen| chosen.value.truthy()) && !namespace.truthy("cpu")
    };
    if on_gpu("use_deepspeed") {
        deepspeed::launch(context, validated)
    } else if ["use_fsdp", "use_tp", "use_megatron_lm", "multi_gpu"]
        .into_iter()
        .any(on_gpu)
    {
        distributed::launch(context, &validated)
    } else if on_gpu("tpu") {
        match namespace.truthy("tpu_use_cluster") {
            true => other_launchers::tpu_pod(context, namespace),
            false => other_launchers::tpu(context, namespace),
        }
    } else if let Some(defaults) = defaults
        && defaults.argument("compute_environment").value == "AMAZON_SAGEMAKER".into()
    {
        other_launchers::sagemaker(context, namespace, defaults)
    } else {
        simple::launch(context, namespace)
    }
}

/// The environment that a launcher builds: values stay Python objects until the process is started.
#[derive(Clone, Debug, Default)]
pub(crate) struct Pending(BTreeMap<String, Argument>);

impl Pending {
    /// `current_env[name] = …`
    pub(crate) fn set(&mut self, name: impl Into<String>, argument: Argument) {
        self.0.insert(name.into(), argument);
    }

    /// `current_env[name] = str(…)`
    pub(crate) fn set_text(&mut self, name: impl Into<String>, argument: &Argument) {
        self.set(
            name,
            Argument::new(argument.value.python_str(), argument.origin.clone()),
        );
    }

    /// `current_env[name] = str(…).lower()`
    pub(crate) fn set_lowered(&mut self, name: impl Into<String>, argument: &Argument) {
        self.set(
            name,
            Argument::new(
                argument.value.python_str().to_lowercase(),
                argument.origin.clone(),
            ),
        );
    }

    /// The variables as `str()` makes them: how `patch_environment` hands them over.
    pub(crate) fn into_texts(self) -> BTreeMap<String, Variable> {
        let variables = self.0.into_iter().map(|(name, argument)| {
            let value = argument.value.python_str();
            (
                name.to_uppercase(),
                Variable {
                    value,
                    origin: argument.origin,
                },
            )
        });
        variables.collect()
    }
}
