//! The environment of the script.

use std::collections::BTreeMap;

use super::super::context::Context;
use super::super::launch::Launched;
use super::super::outcome::{LauncherKind, Variable};
use super::super::run::{Origin, Voice};
use super::super::stop::{Step, unknown};
use crate::knowledge::EnvironmentFlags;

/// The environment of the script: known variables, and those whose value cannot be known.
#[derive(Clone, Debug, Default)]
pub(crate) struct Environment {
    known: BTreeMap<String, Variable>,
    unknown: BTreeMap<String, String>,
}

impl Environment {
    /// What a launcher hands over.
    pub(crate) fn of_launch(context: &Context<'_>, launched: &Launched) -> Self {
        let (known, unknown) = context.script_environment(&launched.environment);
        let mut environment = Self { known, unknown };
        let in_group = matches!(
            launched.launcher,
            LauncherKind::Torchrun | LauncherKind::DeepSpeedMultinode
        );
        if in_group {
            environment.set_torchrun(launched.processes, launched.machines);
        }
        environment
    }

    /// The shell's own, with torchrun's variables where torchrun starts the script.
    pub(crate) fn of_shell(context: &Context<'_>, torchrun_processes: Option<i64>) -> Self {
        let (known, unknown) = context.script_environment(&BTreeMap::new());
        let mut environment = Self { known, unknown };
        if let Some(processes) = torchrun_processes {
            environment.set_torchrun(processes, 1);
        }
        environment
    }

    fn set_torchrun(&mut self, processes: i64, machines: i64) {
        let variables = [
            ("LOCAL_RANK", "0".to_owned()),
            ("RANK", "0".to_owned()),
            ("WORLD_SIZE", processes.saturating_mul(machines).to_string()),
            ("MASTER_ADDR", "127.0.0.1".to_owned()),
        ];
        for (name, value) in variables {
            let variable = Variable {
                value,
                origin: Origin::of(Voice::Default, "torchrun"),
            };
            self.set(name, variable);
        }
    }

    /// `os.environ[name] = …`
    pub(crate) fn set(&mut self, name: &str, variable: Variable) {
        self.unknown.remove(name);
        self.known.insert(name.to_owned(), variable);
    }

    /// `os.environ.get(name)`
    pub(crate) fn get(&self, name: &str) -> Step<Option<&Variable>> {
        match self.unknown.get(name) {
            Some(why) => Err(unknown(format!("`{name}` is not known: {why}"))),
            None => Ok(self.known.get(name)),
        }
    }

    /// Who sets the variable; accelerate's default, where nobody does.
    pub(crate) fn origin(&self, name: &str) -> Origin {
        self.known.get(name).map_or_else(
            || Origin::of(Voice::Default, name),
            |variable| variable.origin.clone(),
        )
    }

    /// `os.environ.get(name, "false") == "true"`, lower-cased or not by version.
    pub(crate) fn is_true(&self, name: &str, context: &Context<'_>) -> Step<bool> {
        let Some(variable) = self.get(name)? else {
            return Ok(false);
        };
        Ok(match context.behaviours.environment_flags {
            EnvironmentFlags::Exact => variable.value == "true",
            EnvironmentFlags::LowerCased => variable.value.to_lowercase() == "true",
        })
    }

    /// The variable, or a default of accelerate's.
    pub(crate) fn or(&self, name: &str, default: &str) -> Step<Variable> {
        Ok(self.get(name)?.cloned().unwrap_or_else(|| Variable {
            value: default.to_owned(),
            origin: Origin::of(Voice::Default, name),
        }))
    }
}
