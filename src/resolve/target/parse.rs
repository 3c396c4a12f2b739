//! What is declared of a target.

use std::fmt;

use pep440_rs::Version;

use crate::knowledge::{self, PackageFacts};

use super::versions::{Release, accelerate, version};
use super::{Declaration, Declared, Gpu, Target, TargetOrigin, closest, gpus};

/// Packages whose installation a config can depend on, under accelerate's names, with the other names that people use.
const INSTALLABLE: &[(&str, &[&str])] = &[
    ("torchao", &["ao"]),
    ("transformer_engine", &["te", "transformer-engine"]),
    ("msamp", &["ms-amp", "ms_amp"]),
    ("deepspeed", &[]),
    ("torch_xla", &["torch-xla", "xla"]),
    ("sagemaker", &[]),
    ("megatron", &["megatron-lm", "megatron_lm"]),
];

const KEYS: &[&str] = &["accelerate", "gpu", "capability", "installed"];

/// A `KEY=VALUE` that cannot be understood.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TargetError {
    /// The key that is wrong, or whose value is.
    pub key: String,
    /// What is wrong.
    pub message: String,
    /// What to write instead.
    pub help: String,
}

impl fmt::Display for TargetError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}; {}", self.message, self.help)
    }
}

impl std::error::Error for TargetError {}

pub(super) fn error(
    key: impl Into<String>,
    message: impl Into<String>,
    help: impl Into<String>,
) -> TargetError {
    TargetError {
        key: key.into(),
        message: message.into(),
        help: help.into(),
    }
}

impl Declaration {
    /// A value of `--target`: `KEY=VALUE`.
    ///
    /// # Errors
    /// What is not that.
    pub fn of_flag(setting: &str) -> Result<Self, TargetError> {
        let Some((key, value)) = split(setting) else {
            return Err(error(
                setting,
                format!("`{setting}` is not KEY=VALUE"),
                "write for example accelerate=1.12.0 or gpu=h100",
            ));
        };
        Ok(Self {
            key: key.trim().to_owned(),
            value: value.to_owned(),
            origin: TargetOrigin::Flag,
        })
    }

    fn declared<T>(&self, value: T) -> Declared<T> {
        Declared {
            value,
            origin: self.origin.clone(),
        }
    }
}

/// Later declarations before earlier ones; `installed` adds up.
pub(super) fn declare(
    target: &mut Target,
    declarations: &[Declaration],
    releases: &[Version],
) -> Result<(), TargetError> {
    let mut hardware = Hardware::default();
    let mut installed_here: Option<Declared<Vec<String>>> = None;
    for declaration in declarations {
        let value = declaration.value.trim();
        match declaration.key.as_str() {
            "accelerate" => {
                let found = accelerate(value, releases)?;
                found.put_into(target, declaration.origin.clone());
            }
            "gpu" => hardware.gpu = Some(declaration.declared(gpu(value)?)),
            "capability" => {
                hardware.capability = Some(declaration.declared(parse_capability(value)?));
            }
            "installed" => {
                let list = &mut installed_here
                    .get_or_insert_with(|| declaration.declared(Vec::new()))
                    .value;
                for package in value
                    .split(',')
                    .map(str::trim)
                    .filter(|name| !name.is_empty())
                {
                    let package = installed(package)?;
                    if !list.contains(&package) {
                        list.push(package);
                    }
                }
            }
            key => {
                let found = Release::of(versioned(key)?, value)?;
                found.put_into(target, declaration.origin.clone());
            }
        }
    }
    hardware.put_into(target)?;
    if installed_here.is_some() {
        target.installed = installed_here;
    }
    Ok(())
}

/// What is declared of the hardware in one place.
#[derive(Default)]
struct Hardware {
    gpu: Option<Declared<Gpu>>,
    capability: Option<Declared<(u32, u32)>>,
}

impl Hardware {
    fn put_into(self, target: &mut Target) -> Result<(), TargetError> {
        let of_gpu = self.gpu.as_ref().map(|gpu| Declared {
            value: gpu.value.capability,
            origin: gpu.origin.clone(),
        });
        if let (Some(gpu), Some(said)) = (&self.gpu, &self.capability)
            && said.value != gpu.value.capability
        {
            return Err(error(
                "capability",
                format!(
                    "gpu={} has capability {}, not {}",
                    gpu.value.name,
                    dotted(gpu.value.capability),
                    dotted(said.value)
                ),
                "give one of the two",
            ));
        }
        if let Some(capability) = self.capability.or(of_gpu) {
            target.gpu = self.gpu;
            target.capability = Some(capability);
        }
        Ok(())
    }
}

/// `KEY=VALUE`, or a range as it stands in a requirements file: `accelerate>=1.3,<2`.
fn split(setting: &str) -> Option<(&str, &str)> {
    let end = setting.find(['=', '<', '>', '!', '~'])?;
    let (key, value) = setting.split_at(end);
    Some((key, value.strip_prefix('=').unwrap_or(value)))
}

fn dotted((major, minor): (u32, u32)) -> String {
    format!("{major}.{minor}")
}

fn gpu(value: &str) -> Result<Gpu, TargetError> {
    gpus::find(value).ok_or_else(|| {
        let names = gpus::GPUS.iter().map(|gpu| gpu.name);
        let meant = closest(value, names)
            .map(|name| format!("did you mean {name}? "))
            .unwrap_or_default();
        error(
            "gpu",
            format!("`{value}` is not a known GPU"),
            format!("{meant}any other GPU can be given by its compute capability: capability=9.0"),
        )
    })
}

fn parse_capability(value: &str) -> Result<(u32, u32), TargetError> {
    let parts = value
        .split_once('.')
        .and_then(|(major, minor)| Some((major.parse().ok()?, minor.parse().ok()?)));
    parts.ok_or_else(|| {
        error(
            "capability",
            format!("`{value}` is not a compute capability"),
            "write for example capability=9.0",
        )
    })
}

fn installed(given: &str) -> Result<String, TargetError> {
    let (name, said) = given
        .split_once("==")
        .map_or((given, None), |(name, version)| {
            (name.trim(), Some(version.trim()))
        });
    let Some(package) = package(name) else {
        let names = INSTALLABLE.iter().map(|(name, _)| *name);
        let meant = closest(name, names.clone())
            .map(|name| format!("did you mean {name}? "))
            .unwrap_or_default();
        let names: Vec<_> = names.collect();
        return Err(error(
            "installed",
            format!("`{name}` is not a package that an accelerate config depends on"),
            format!("{meant}known are {}", names.join(", ")),
        ));
    };
    Ok(match said {
        Some(said) => {
            let version = version(package, said).map_err(|error| TargetError {
                key: "installed".to_owned(),
                ..error
            })?;
            format!("{package}=={version}")
        }
        None => package.to_owned(),
    })
}

fn package(name: &str) -> Option<&'static str> {
    INSTALLABLE
        .iter()
        .find(|(package, aliases)| {
            package.eq_ignore_ascii_case(name)
                || aliases.iter().any(|alias| alias.eq_ignore_ascii_case(name))
        })
        .map(|(package, _)| *package)
}

/// A package whose version can be declared besides accelerate's.
fn versioned(key: &str) -> Result<&'static PackageFacts, TargetError> {
    let found = package(key).and_then(knowledge::package);
    found
        .or_else(|| knowledge::package_of_distribution(key))
        .filter(|package| package.name != "accelerate")
        .ok_or_else(|| {
            let names = knowledge::packages().iter().map(|package| package.name);
            let mut names: Vec<_> = names.filter(|name| *name != "accelerate").collect();
            names.sort_unstable();
            let keys = KEYS.iter().copied().chain(names);
            let meant = closest(key, keys.clone())
                .map(|key| format!("did you mean {key}? "))
                .unwrap_or_default();
            let keys: Vec<_> = keys.collect();
            error(
                key,
                format!("`{key}` is not a part of the target"),
                format!("{meant}known are {}", keys.join(", ")),
            )
        })
}
