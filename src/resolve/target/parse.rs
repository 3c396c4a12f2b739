//! `--target KEY=VALUE`.

use std::fmt;
use std::str::FromStr;

use pep440_rs::{Version, VersionSpecifiers};

use super::{Asked, Declared, Gpu, Target, TargetOrigin, closest, gpus};

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

/// Packages whose version can be declared besides accelerate's.
const VERSIONED: &[&str] = &[
    "deepspeed",
    "msamp",
    "torch",
    "torchao",
    "transformer_engine",
    "transformers",
    "trl",
];

const KEYS: &[&str] = &["accelerate", "gpu", "capability", "installed"];

/// A `KEY=VALUE` that cannot be understood.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TargetError {
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

fn error(message: impl Into<String>, help: impl Into<String>) -> TargetError {
    TargetError {
        message: message.into(),
        help: help.into(),
    }
}

pub(super) fn parse<'a>(
    settings: impl IntoIterator<Item = &'a str>,
    releases: &[Version],
) -> Result<Target, TargetError> {
    let mut target = Target::newest(releases);
    let mut capability = None;
    for setting in settings {
        let Some((key, value)) = split(setting) else {
            return Err(error(
                format!("`{setting}` is not KEY=VALUE"),
                "write for example accelerate=1.12.0 or gpu=h100",
            ));
        };
        let (key, value) = (key.trim(), value.trim());
        match key {
            "accelerate" => set_accelerate(&mut target, value, releases)?,
            "gpu" => target.gpu = Some(flag(gpu(value)?)),
            "capability" => capability = Some(parse_capability(value)?),
            "installed" => {
                let list = &mut target
                    .installed
                    .get_or_insert_with(|| flag(Vec::new()))
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
            _ => {
                let package = versioned(key)?;
                let version = version(key, value)?;
                target.packages.insert(package, flag(version));
            }
        }
    }
    target.capability = match (capability, &target.gpu) {
        (Some(said), Some(gpu)) if said != gpu.value.capability => {
            return Err(error(
                format!(
                    "gpu={} has capability {}, not {}",
                    gpu.value.name,
                    dotted(gpu.value.capability),
                    dotted(said)
                ),
                "give one of the two",
            ));
        }
        (Some(said), _) => Some(flag(said)),
        (None, Some(gpu)) => Some(flag(gpu.value.capability)),
        (None, None) => None,
    };
    Ok(target)
}

/// `KEY=VALUE`, or a range as it stands in a requirements file: `accelerate>=1.3,<2`.
fn split(setting: &str) -> Option<(&str, &str)> {
    let end = setting.find(['=', '<', '>', '!', '~'])?;
    let (key, value) = setting.split_at(end);
    Some((key, value.strip_prefix('=').unwrap_or(value)))
}

fn flag<T>(value: T) -> Declared<T> {
    Declared {
        value,
        origin: TargetOrigin::Flag,
    }
}

fn dotted((major, minor): (u32, u32)) -> String {
    format!("{major}.{minor}")
}

/// An exact version, or a range of which the newest known release decides.
fn set_accelerate(
    target: &mut Target,
    value: &str,
    releases: &[Version],
) -> Result<(), TargetError> {
    let (Some(oldest), Some(newest)) = (releases.first(), releases.last()) else {
        return Ok(());
    };
    let known = || format!("known are {oldest} to {newest}");
    // `accelerate==1.12.0`, as it stands in a requirements file.
    let value = match value.strip_prefix('=') {
        Some(version) if !version.starts_with('=') => version,
        _ => value,
    };
    let is_range = value.starts_with(['<', '>', '=', '!', '~']) || value.contains(',');
    let mut others = Vec::new();
    let (version, asked) = if is_range {
        let range = VersionSpecifiers::from_str(value).map_err(|_| {
            error(
                format!("`{value}` is not a version range"),
                "write for example accelerate='>=1.3,<2'",
            )
        })?;
        let Some(allowed) = releases
            .iter()
            .rev()
            .find(|release| range.contains(release))
        else {
            return Err(error(
                format!("no known release of accelerate is allowed by `{value}`"),
                format!("{}{}", nearest(value, releases), known()),
            ));
        };
        let allowed_too = |release: &&Version| range.contains(release) && *release != allowed;
        others.extend(releases.iter().filter(allowed_too).cloned());
        (allowed.clone(), Some(Asked::Range(value.to_owned())))
    } else {
        let asked = version("accelerate", value)?;
        if &asked < oldest {
            return Err(error(
                format!("accelerate {asked} is older than every known release"),
                known(),
            ));
        }
        if &asked > newest {
            (newest.clone(), Some(Asked::Newer(asked)))
        } else {
            (full(asked), None)
        }
    };
    target.accelerate = flag(version);
    target.accelerate_asked = asked;
    target.accelerate_others = others;
    Ok(())
}

/// `1.12` is 1.12.0, and is shown so.
fn full(version: Version) -> Version {
    let mut release = version.release().to_vec();
    while release.len() < 3 {
        release.push(0);
    }
    version.with_release(release)
}

/// The known releases around the first version that a range names, for a range that allows none of them.
fn nearest(range: &str, releases: &[Version]) -> String {
    let named = range
        .trim_start_matches(['<', '>', '=', '!', '~', ' '])
        .split([',', '*'])
        .next()
        .and_then(|version| Version::from_str(version.trim().trim_end_matches('.')).ok());
    let Some(named) = named else {
        return String::new();
    };
    let below = releases.iter().rev().find(|release| **release <= named);
    let above = releases.iter().find(|release| **release > named);
    match (below, above) {
        (Some(below), Some(above)) => format!("the nearest are {below} and {above}; "),
        (Some(only), None) | (None, Some(only)) => format!("the nearest is {only}; "),
        (None, None) => String::new(),
    }
}

fn version(key: &str, value: &str) -> Result<Version, TargetError> {
    Version::from_str(value).map_err(|_| {
        error(
            format!("`{value}` is not a version of {key}"),
            format!("write for example {key}=1.12.0"),
        )
    })
}

fn gpu(value: &str) -> Result<Gpu, TargetError> {
    gpus::find(value).ok_or_else(|| {
        let names = gpus::GPUS.iter().map(|gpu| gpu.name);
        let meant = closest(value, names)
            .map(|name| format!("did you mean {name}? "))
            .unwrap_or_default();
        error(
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
            format!("`{name}` is not a package that an accelerate config depends on"),
            format!("{meant}known are {}", names.join(", ")),
        ));
    };
    Ok(match said {
        Some(said) => format!("{package}=={}", version(package, said)?),
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

fn versioned(key: &str) -> Result<&'static str, TargetError> {
    let canonical = package(key).unwrap_or(key);
    VERSIONED
        .iter()
        .find(|known| **known == canonical)
        .copied()
        .ok_or_else(|| {
            let keys = KEYS.iter().chain(VERSIONED).copied();
            let meant = closest(key, keys.clone())
                .map(|key| format!("did you mean {key}? "))
                .unwrap_or_default();
            let keys: Vec<_> = keys.collect();
            error(
                format!("`{key}` is not a part of the target"),
                format!("{meant}known are {}", keys.join(", ")),
            )
        })
}
