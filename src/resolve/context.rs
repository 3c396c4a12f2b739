//! What every step of following a run can see.

use std::collections::BTreeMap;

use super::outcome::{Decision, Variable};
use super::run::{Files, Origin, Run, Stage, Value};
use super::stop::{Step, unknown};
use crate::knowledge::{Behaviours, Facts, Fp8Packages, XlaAvailable};

/// What every step can see, and the decisions taken so far.
pub(crate) struct Context<'run> {
    pub(crate) run: &'run Run,
    pub(crate) facts: &'run Facts,
    pub(crate) behaviours: &'run Behaviours,
    pub(crate) files: &'run dyn Files,
    /// The stage that is followed now.
    pub(crate) stage: Stage,
    pub(crate) decisions: Vec<Decision>,
}

impl Context<'_> {
    /// Whether torch_xla counts as available.
    pub(crate) fn has_xla(&self) -> bool {
        let machine = &self.run.machine;
        machine.has("torch_xla")
            && match self.behaviours.xla_available {
                XlaAvailable::IfInstalled => true,
                XlaAvailable::Never => false,
                XlaAvailable::WithoutGpu => machine.gpus == 0,
            }
    }

    /// Whether a package is installed that counts as able to do fp8 (`utils/imports.py:is_fp8_available`).
    pub(crate) fn has_fp8_package(&self) -> bool {
        let packages: &[&str] = match self.behaviours.fp8_packages {
            Fp8Packages::TransformerEngine => &["transformer_engine"],
            Fp8Packages::MsampToo => &["transformer_engine", "msamp"],
            Fp8Packages::TorchaoToo => &["transformer_engine", "msamp", "torchao"],
        };
        packages.iter().any(|package| self.run.machine.has(package))
    }

    /// Notes a value that decides.
    pub(crate) fn decide(&mut self, name: &'static str, value: impl Into<String>, origin: &Origin) {
        self.decisions.push(Decision {
            stage: self.stage,
            name,
            value: value.into(),
            origin: origin.clone(),
        });
    }

    /// The launching shell's variable of this name.
    pub(crate) fn shell(&self, name: &str) -> Step<Option<Variable>> {
        match self.run.environment.get(name) {
            None => Ok(None),
            Some(Value::Known { value, origin }) => Ok(Some(Variable {
                value: value.clone(),
                origin: origin.clone(),
            })),
            Some(Value::Unknown { why, .. }) => {
                Err(unknown(format!("`{name}` is not known: {why}")))
            }
        }
    }

    /// The environment of the script: the launching shell's, with the launcher's on top. Unknown variables are left
    /// out of the map and named in the second part.
    pub(crate) fn script_environment(
        &self,
        launched: &BTreeMap<String, Variable>,
    ) -> (BTreeMap<String, Variable>, BTreeMap<String, String>) {
        let mut known = BTreeMap::new();
        let mut unknown = BTreeMap::new();
        for (name, value) in &self.run.environment {
            match value {
                Value::Known { value, origin } => {
                    known.insert(
                        name.clone(),
                        Variable {
                            value: value.clone(),
                            origin: origin.clone(),
                        },
                    );
                }
                Value::Unknown { why, .. } => {
                    unknown.insert(name.clone(), why.clone());
                }
            }
        }
        for (name, variable) in launched {
            unknown.remove(name);
            known.insert(name.clone(), variable.clone());
        }
        (known, unknown)
    }
}
