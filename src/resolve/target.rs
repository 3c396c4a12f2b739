//! The target: the versions and the hardware that a check assumes, each with where it comes from.

mod companions;
mod gpus;
mod parse;
mod project;
mod suggest;
mod versions;

use std::collections::BTreeMap;
use std::fmt;

use pep440_rs::Version;

use super::{Backend, Machine};
use crate::formats::pins::Pin;
use crate::knowledge::{self, Fp8Packages};
use crate::source::Document;

pub use parse::TargetError;
pub use suggest::{closest, is_slip};

/// How many GPUs are simulated: a config may ask for several, and with fewer accelerate would fall back to the CPU.
const GPUS: u32 = 8;

/// The compute capability that is simulated where none is declared: it runs everything that accelerate offers.
const CAPABILITY: (u32, u32) = (9, 0);

/// The packages that bring fp8.
const FP8_BACKENDS: [&str; 3] = ["torchao", "transformer_engine", "msamp"];

/// Packages that are installed where the project names them.
const INSTALLABLE: [&str; 4] = ["torchao", "transformer_engine", "msamp", "deepspeed"];

/// What accelerate finds on most training machines, and what the oracle's answers were recorded with.
const USUALLY_INSTALLED: &[&str] = &["torchao", "deepspeed"];

/// Where a part of the target comes from.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum TargetOrigin {
    /// `--target` on the command line.
    Flag,
    /// `target` in a settings file.
    Settings(FileLine),
    /// A pin or a range in a file of the project.
    Pin(FileLine),
    /// Nobody said it: the newest known release.
    Default,
}

/// A line of a file.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct FileLine {
    /// The path, as it is shown.
    pub path: String,
    /// The line, from 1.
    pub line: usize,
}

impl FileLine {
    /// The line of a pin.
    pub fn of(pin: &Pin) -> Self {
        Self {
            path: pin.file.path.clone(),
            line: pin.line,
        }
    }
}

impl fmt::Display for FileLine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.path, self.line)
    }
}

impl TargetOrigin {
    /// `flag`, `settings`, `pin` or `default`.
    pub fn as_str(&self) -> &'static str {
        match self {
            Self::Flag => "flag",
            Self::Settings(_) => "settings",
            Self::Pin(_) => "pin",
            Self::Default => "default",
        }
    }

    /// The line that says it, where a file says it.
    pub fn line(&self) -> Option<&FileLine> {
        match self {
            Self::Settings(line) | Self::Pin(line) => Some(line),
            Self::Flag | Self::Default => None,
        }
    }
}

/// `KEY = VALUE`: a part of the target as somebody declares it, in the spelling of `--target`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Declaration {
    /// `accelerate`, `gpu`, `capability`, `installed`, or the name of another package (`transformers`, `ms-swift`).
    pub key: String,
    /// The value.
    pub value: String,
    /// Who says it.
    pub origin: TargetOrigin,
}

/// A part of the target, and where it comes from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Declared<T> {
    /// The value.
    pub value: T,
    /// Who says it.
    pub origin: TargetOrigin,
}

/// A GPU model.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Gpu {
    /// Its name in `--target gpu=…`.
    pub name: &'static str,
    /// Its compute capability.
    pub capability: (u32, u32),
}

/// What was asked for, where the newest known release stands for it.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Asked {
    /// A version newer than every known release.
    Newer(Version),
    /// A range, of which the release is the newest that is known and allowed.
    Range(String),
}

impl fmt::Display for Asked {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Newer(version) => write!(f, "{version}"),
            Self::Range(range) => f.write_str(range),
        }
    }
}

/// The versions and the hardware that a check assumes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Target {
    /// The accelerate release that decides.
    pub accelerate: Declared<Version>,
    /// What was asked for, where it is not that release itself.
    pub accelerate_asked: Option<Asked>,
    /// The other known releases that the range allows, ascending. A finding says in which of them it holds.
    pub accelerate_others: Vec<Version>,
    /// The GPU model.
    pub gpu: Option<Declared<Gpu>>,
    /// The compute capability, said itself or through the GPU model.
    pub capability: Option<Declared<(u32, u32)>>,
    /// The packages installed, under accelerate's names for them, with `==VERSION` where that is said.
    pub installed: Option<Declared<Vec<String>>>,
    /// Versions of other packages.
    pub packages: BTreeMap<&'static str, Declared<Version>>,
    /// The ranges of which those are the newest known releases.
    pub packages_asked: BTreeMap<&'static str, String>,
    /// The packages that the files of the project name, with or without a version, and the first line that does.
    pub project_packages: BTreeMap<&'static str, FileLine>,
}

impl Target {
    /// Nothing declared: the newest release of `releases`, which are sorted and not empty.
    pub fn newest(releases: &[Version]) -> Self {
        Self {
            accelerate: Declared {
                value: releases
                    .last()
                    .cloned()
                    .unwrap_or_else(|| Version::new([0])),
                origin: TargetOrigin::Default,
            },
            accelerate_asked: None,
            accelerate_others: Vec::new(),
            gpu: None,
            capability: None,
            installed: None,
            packages: BTreeMap::new(),
            packages_asked: BTreeMap::new(),
            project_packages: BTreeMap::new(),
        }
    }

    /// Reads `KEY=VALUE` settings, later ones before earlier ones; `installed` adds up.
    ///
    /// # Errors
    /// A setting that cannot be understood, with what to write instead.
    pub fn parse<'a>(
        settings: impl IntoIterator<Item = &'a str>,
        releases: &[Version],
    ) -> Result<Self, TargetError> {
        let declarations: Vec<_> = settings
            .into_iter()
            .map(Declaration::of_flag)
            .collect::<Result<_, _>>()?;
        let mut target = Self::newest(releases);
        target.declare(&declarations, releases)?;
        Ok(target)
    }

    /// Takes over what is declared in one place, in place of what was declared before.
    ///
    /// # Errors
    /// The first declaration that cannot be understood, with what to write instead.
    pub fn declare(
        &mut self,
        declarations: &[Declaration],
        releases: &[Version],
    ) -> Result<(), TargetError> {
        parse::declare(self, declarations, releases)
    }

    /// Whether a GPU or its capability was declared; without one, no finding is about hardware.
    pub fn declares_gpu(&self) -> bool {
        self.capability.is_some()
    }

    /// Whether the installed packages were declared; without them, nothing counts as missing.
    pub fn declares_installed(&self) -> bool {
        self.installed.is_some()
    }

    /// The machine on which a run is assumed to happen: what is declared, and otherwise one on which nothing is
    /// missing that the config asks for ([`packages_asked`]).
    pub fn machine(&self, asked: &[&str]) -> Machine {
        let mut installed: Vec<String> = match &self.installed {
            Some(declared) => declared.value.clone(),
            None => {
                let mut packages = USUALLY_INSTALLED.to_vec();
                // Older releases cannot use torchao: who trains in fp8 under them has another backend.
                let known = knowledge::accelerate(&self.accelerate.value);
                let knows_torchao = known.is_some_and(|known| {
                    known.facts.behaviours.fp8_packages == Fp8Packages::TorchaoToo
                });
                let te = Backend::Te.package();
                let mut named = self.project_packages.keys();
                let names_backend = named.any(|name| FP8_BACKENDS.contains(name));
                let backend = (!knows_torchao && !names_backend).then_some(&te);
                let of_project = self
                    .project_packages
                    .keys()
                    .filter(|name| INSTALLABLE.contains(name));
                for package in asked.iter().chain(backend).chain(of_project) {
                    if !packages.contains(package) {
                        packages.push(package);
                    }
                }
                packages.into_iter().map(str::to_owned).collect()
            }
        };
        for package in &mut installed {
            if let Some(version) = self.packages.get(package.as_str()) {
                *package = format!("{package}=={}", version.value);
            }
        }
        Machine {
            installed,
            nothing_else: false,
            is_newest: false,
            gpus: GPUS,
            capability: self
                .capability
                .as_ref()
                .map_or(CAPABILITY, |declared| declared.value),
        }
    }
}

/// The packages that a config asks for beyond those that a training machine usually has.
pub fn packages_asked(config: &Document) -> Vec<&'static str> {
    let root = config.root();
    let is = |section: Option<&str>, key: &str, values: &[&str]| {
        let mapping = match section {
            Some(section) => root.get(section).map(|entry| entry.value),
            None => Some(root),
        };
        mapping
            .and_then(|mapping| mapping.get(key))
            .and_then(|entry| entry.value.text())
            .is_some_and(|text| values.iter().any(|value| value.eq_ignore_ascii_case(text)))
    };
    // `backend` in the recipe, or `fp8_backend` in any section: the variable's name is in upper case either way.
    let names_backend = |backend: Backend| {
        root.entries().any(|section| {
            let is_recipe = section.key.text() == Some("fp8_config");
            section.value.entries().any(|entry| {
                let key = entry.key.text().unwrap_or_default().to_lowercase();
                let value = entry.value.text().unwrap_or_default();
                (key == "fp8_backend" || (is_recipe && key == "backend"))
                    && value.eq_ignore_ascii_case(backend.as_str())
            })
        })
    };
    let mut packages = Vec::new();
    for backend in [Backend::Te, Backend::Msamp] {
        if names_backend(backend) {
            packages.push(backend.package());
        }
    }
    if is(None, "distributed_type", &["MEGATRON_LM"]) {
        packages.push("megatron");
    }
    if is(None, "distributed_type", &["XLA", "TPU"]) {
        packages.push("torch_xla");
    }
    if is(None, "compute_environment", &["AMAZON_SAGEMAKER"]) {
        packages.push("sagemaker");
    }
    packages
}

#[cfg(test)]
mod tests;
