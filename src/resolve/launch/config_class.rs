//! The config file as accelerate's dataclass: `load_config_from_file`, `process_config` and `__post_init__`
//! (accelerate 1.15.0, `commands/config/config_args.py`).

use std::sync::Arc;

use super::super::context::Context;
use super::super::outcome::Cause;
use super::super::python::{Argument, Site};
use super::super::run::{Config, ConfigFile, Lookup, Origin, Place, Voice};
use super::super::stop::{Step, raise, unknown};
use super::namespace::{Namespace, object};
use crate::knowledge::{
    ConfigKey, Enumeration, Facts, RequiredConfigKeys, UnknownConfigKeys, UnquotedNo,
};
use crate::source::{Data, EntryRef, Object, Route, Syntax};

const LOAD: &str = "commands/config/config_args.py:load_config_from_file";
const FROM_FILE: &str = "commands/config/config_args.py:from_yaml_file";
const PROCESS: &str = "commands/config/config_args.py:process_config";
const POST_INIT: &str = "commands/config/config_args.py:__post_init__";

/// The sections that are mappings: their entries keep their own origins.
const SECTIONS: [&str; 9] = [
    "fp8_config",
    "deepspeed_config",
    "fsdp_config",
    "tp_config",
    "parallelism_config",
    "megatron_lm_config",
    "mpirun_config",
    "ipex_config",
    "dynamo_config",
];

/// Which dataclass a config becomes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Class {
    /// `ClusterConfig`
    Cluster,
    /// `SageMakerConfig`
    SageMaker,
}

impl Class {
    /// Its name in Python.
    fn name(self) -> &'static str {
        match self {
            Self::Cluster => "ClusterConfig",
            Self::SageMaker => "SageMakerConfig",
        }
    }
}

/// One field of the dataclass.
#[derive(Clone, Debug)]
pub(crate) struct Field {
    pub(crate) name: String,
    pub(crate) argument: Argument,
    /// The entries, where the value is a mapping.
    pub(crate) entries: Option<Vec<(Object, Argument)>>,
}

/// A config file as accelerate's dataclass.
#[derive(Clone, Debug)]
pub(crate) struct Defaults {
    pub(crate) class: Class,
    /// In the order of the dataclass.
    pub(crate) fields: Vec<Field>,
}

impl Defaults {
    /// `defaults.name`
    pub(crate) fn get(&self, name: &str) -> Option<&Field> {
        self.fields.iter().find(|field| field.name == name)
    }

    /// `defaults.name`, where the dataclass is known to have it.
    pub(crate) fn argument(&self, name: &str) -> Argument {
        let missing = || Argument::new(Object::None, Origin::of(Voice::Default, name));
        self.get(name)
            .map_or_else(missing, |field| field.argument.clone())
    }
}

/// The config that the command's words name, if they name one.
pub(crate) fn named(context: &Context<'_>, namespace: &Namespace<'_>) -> Step<Option<Config>> {
    let Some(Argument {
        value: Object::Str(path),
        ..
    }) = namespace.of_flag("config_file")
    else {
        return Ok(None);
    };
    match context.files.look_up(&path) {
        Lookup::Found(file) => Ok(Some(Config::of_file(file))),
        Lookup::Absent => Ok(Some(Config::Missing { path, place: None })),
        Lookup::Unknown => Err(unknown(format!(
            "the config file `{path}` that the command names is not known"
        ))),
    }
}

/// `load_config_from_file`
pub(crate) fn load(config: &Config, without: &[Route], facts: &Facts) -> Step<Option<Defaults>> {
    match config {
        Config::None => Ok(None),
        Config::Unknown { why } => Err(unknown(why.clone())),
        Config::Missing { path, place } => {
            let origin = Origin {
                place: place.clone(),
                ..Origin::of(Voice::Flag, "--config_file")
            };
            let message = format!(
                "The passed configuration file `{path}` does not exist. Please pass an existing file to `accelerate \
                 launch`, or use the default one created through `accelerate config` and run `accelerate launch` \
                 without the `--config_file` argument."
            );
            Err(raise(
                "FileNotFoundError",
                message,
                LOAD,
                Cause::ConfigUnreadable,
                [origin],
            ))
        }
        Config::Unreadable { path, error } => {
            let origin = Origin::of(Voice::ConfigKey, path.clone());
            Err(raise(
                error.exception,
                error.message.clone(),
                LOAD,
                Cause::ConfigUnreadable,
                [origin],
            ))
        }
        Config::File(file) => from_file(file, without, facts).map(Some),
    }
}

fn from_file(config: &ConfigFile, without: &[Route], facts: &Facts) -> Step<Defaults> {
    let whole = |span| Origin {
        voice: Voice::ConfigKey,
        name: config.file.path.clone(),
        place: Some(Place {
            file: Arc::clone(&config.file),
            route: Route::default(),
            key: None,
            value: span,
        }),
    };
    let document = config.read.as_ref().map_err(|error| {
        let origins = [whole(error.span.unwrap_or(crate::source::Span::at(0)))];
        raise(
            error.exception,
            error.message.clone(),
            LOAD,
            Cause::ConfigUnreadable,
            origins,
        )
    })?;
    let root = document.root();
    let Data::Dict(_) = root.data() else {
        let name = match root.data() {
            Data::List(_) => "list",
            Data::Tuple(_) => "tuple",
            Data::Set(_) => "set",
            Data::Scalar(object) => object.type_name(),
            Data::Dict(_) => "dict",
        };
        let message = format!("'{name}' object has no attribute 'get'");
        return Err(raise(
            "AttributeError",
            message,
            LOAD,
            Cause::ConfigNotMapping,
            [whole(root.span())],
        ));
    };
    let mut pairs = Vec::new();
    for entry in root.entries() {
        pairs.extend(pair(config, &entry, without)?);
    }
    let local = |pair: &Pair| pair.argument.value == Object::from("LOCAL_MACHINE");
    let is_local = find(&pairs, "compute_environment").is_none_or(local);
    let class = if is_local {
        Class::Cluster
    } else {
        Class::SageMaker
    };
    let is_yaml = Syntax::of_name(&config.file.path) == Syntax::Yaml;
    let whole = whole(root.span());
    process(&mut pairs, &whole, is_yaml, facts)?;
    check_keys(&pairs, class, facts, config)?;
    build(pairs, class, facts, &whole)
}

/// One key of the file, not yet checked.
struct Pair {
    key: Object,
    argument: Argument,
    entries: Option<Vec<(Object, Argument)>>,
}

fn find<'pairs>(pairs: &'pairs [Pair], name: &str) -> Option<&'pairs Pair> {
    pairs.iter().find(|pair| pair.key == Object::from(name))
}

fn argument(config: &ConfigFile, entry: &EntryRef<'_>, route: Route) -> Step<Argument> {
    let name = route.to_string();
    let value = entry
        .value
        .object()
        .ok_or_else(|| unknown(format!("the value of `{name}` is too large to follow")))?;
    let place = Place {
        file: Arc::clone(&config.file),
        route,
        key: Some(entry.key.span()),
        value: entry.value.span(),
    };
    Ok(Argument {
        value,
        origin: Origin {
            voice: Voice::ConfigKey,
            name,
            place: Some(place),
        },
    })
}

/// A top-level entry; `None` where it is taken as not written.
fn pair(config: &ConfigFile, entry: &EntryRef<'_>, without: &[Route]) -> Step<Option<Pair>> {
    let key = entry
        .key
        .object()
        .ok_or_else(|| unknown("a key is too large to follow"))?;
    let route = Route::default().key(&key.python_str());
    if without.binary_search(&route).is_ok() {
        return Ok(None);
    }
    let entries = match entry.value.is_dict() {
        true => {
            let mut entries = Vec::new();
            for inner in entry.value.entries() {
                let key = inner
                    .key
                    .object()
                    .ok_or_else(|| unknown("a key is too large to follow"))?;
                let route = route.key(&key.python_str());
                if without.binary_search(&route).is_err() {
                    entries.push((key, argument(config, &inner, route)?));
                }
            }
            Some(entries)
        }
        false => None,
    };
    Ok(Some(Pair {
        key,
        argument: argument(config, entry, route)?,
        entries,
    }))
}

/// `process_config`, or what stood for it in `from_yaml_file` and `from_json_file`: fills what is missing, converts
/// legacy keys.
fn process(pairs: &mut Vec<Pair>, whole: &Origin, is_yaml: bool, facts: &Facts) -> Step<()> {
    let add = |pairs: &mut Vec<Pair>, name: &str, value: Object| {
        if find(pairs, name).is_none() {
            let argument = Argument::new(value, Origin::of(Voice::Default, name));
            pairs.push(Pair {
                key: Object::from(name),
                argument,
                entries: None,
            });
        }
    };
    let take = |pairs: &mut Vec<Pair>, name: &str| {
        let position = pairs
            .iter()
            .position(|pair| pair.key == Object::from(name))?;
        Some(pairs.remove(position))
    };
    add(pairs, "compute_environment", Object::from("LOCAL_MACHINE"));
    if facts.behaviours.required_config_keys == RequiredConfigKeys::DistributedTypeOnly {
        let Some(distributed_type) = find(pairs, "distributed_type") else {
            let message = "A `distributed_type` must be specified in the config file.";
            return Err(raise(
                "ValueError",
                message,
                PROCESS,
                Cause::ConfigKeyMissing,
                [whole.clone()],
            ));
        };
        if distributed_type.argument.value == Object::from("NO") {
            add(pairs, "num_processes", Object::from(1));
        }
    }
    let legacy_fp16 = take(pairs, "fp16");
    if find(pairs, "mixed_precision").is_none() {
        let legacy = legacy_fp16.filter(|pair| pair.argument.value.truthy());
        let argument = match legacy {
            Some(pair) => Argument::new("fp16", pair.argument.origin),
            None => Argument::new(Object::None, Origin::of(Voice::Default, "mixed_precision")),
        };
        pairs.push(Pair {
            key: Object::from("mixed_precision"),
            argument,
            entries: None,
        });
    }
    if is_yaml && facts.behaviours.unquoted_no == UnquotedNo::MeansNo {
        for pair in pairs.iter_mut() {
            if pair.key == Object::from("mixed_precision")
                && pair.argument.value == Object::Bool(false)
            {
                pair.argument.value = Object::from("no");
            }
        }
    }
    if let Some(legacy) = take(pairs, "dynamo_backend") {
        take(pairs, "dynamo_config");
        let entries = match legacy.argument.value == Object::from("NO") {
            true => Vec::new(),
            false => vec![(Object::from("dynamo_backend"), legacy.argument.clone())],
        };
        let argument = Argument::new(Object::Dict(Vec::new()), legacy.argument.origin);
        pairs.push(Pair {
            key: Object::from("dynamo_config"),
            argument,
            entries: Some(entries),
        });
    }
    // Each since there is such a key.
    for name in ["use_cpu", "debug", "enable_cpu_affinity"] {
        if facts.cluster_key(name).is_some() {
            add(pairs, name, Object::Bool(false));
        }
    }
    Ok(())
}

fn keys(class: Class, facts: &Facts) -> &[ConfigKey] {
    match class {
        Class::Cluster => &facts.cluster_keys,
        Class::SageMaker => &facts.sagemaker_keys,
    }
}

fn check_keys(pairs: &[Pair], class: Class, facts: &Facts, config: &ConfigFile) -> Step<()> {
    let known = keys(class, facts);
    let is_known = |pair: &Pair| matches!(&pair.key, Object::Str(key) if known.iter().any(|known| known.name == *key));
    let mut extra: Vec<&Pair> = pairs.iter().filter(|pair| !is_known(pair)).collect();
    if extra.is_empty() {
        return Ok(());
    }
    let mut origins: Vec<Origin> = extra
        .iter()
        .map(|pair| pair.argument.origin.clone())
        .collect();
    let cause = match (class, find(pairs, "compute_environment")) {
        (Class::SageMaker, Some(environment)) => {
            let is_sagemaker = environment.argument.value == Object::from("AMAZON_SAGEMAKER");
            if !is_sagemaker {
                origins.insert(0, environment.argument.origin.clone());
                Cause::ComputeEnvironment
            } else if extra.iter().any(
                |pair| matches!(&pair.key, Object::Str(key) if facts.cluster_key(key).is_some()),
            ) {
                // A cluster's keys beside SageMaker's environment, or what `process_config` itself added.
                origins.insert(0, environment.argument.origin.clone());
                Cause::SageMaker
            } else {
                Cause::UnknownKeys
            }
        }
        _ => Cause::UnknownKeys,
    };
    if facts.behaviours.unknown_config_keys == UnknownConfigKeys::TypeError {
        let message = match extra
            .iter()
            .find(|pair| !matches!(pair.key, Object::Str(_)))
        {
            Some(_) => "keywords must be strings".to_owned(),
            None => format!(
                "{}.__init__() got an unexpected keyword argument {}",
                class.name(),
                extra[0].key.python_repr()
            ),
        };
        return Err(raise("TypeError", message, FROM_FILE, cause, origins));
    }
    let texts = extra
        .iter()
        .filter(|pair| matches!(pair.key, Object::Str(_)))
        .count();
    if texts != 0 && texts != extra.len() {
        let other = extra
            .iter()
            .find(|pair| !matches!(pair.key, Object::Str(_)));
        let name = other.map_or("int", |pair| pair.key.type_name());
        let message = format!("'<' not supported between instances of 'str' and '{name}'");
        return Err(raise("TypeError", message, FROM_FILE, cause, origins));
    }
    extra.sort_by_key(|pair| pair.key.python_str());
    let list = Object::List(extra.iter().map(|pair| pair.key.clone()).collect()).python_repr();
    let message = format!(
        "The config file at {} had unknown keys ({list}), please try upgrading your `accelerate` version or fix (and \
         potentially remove) these keys from your config file.",
        config.file.path
    );
    Err(raise("ValueError", message, FROM_FILE, cause, origins))
}

/// The dataclass's `__init__` and `__post_init__`.
fn build(mut pairs: Vec<Pair>, class: Class, facts: &Facts, whole: &Origin) -> Step<Defaults> {
    let mut fields = Vec::new();
    let mut missing = Vec::new();
    for key in keys(class, facts) {
        let position = pairs
            .iter()
            .position(|pair| pair.key == Object::from(key.name.as_str()));
        let (argument, entries) = match position {
            Some(position) => {
                let pair = pairs.swap_remove(position);
                (pair.argument, pair.entries)
            }
            None if key.required => {
                missing.push(format!("'{}'", key.name));
                continue;
            }
            None => (
                Argument::new(
                    object(&key.default),
                    Origin::of(Voice::Default, key.name.as_str()),
                ),
                None,
            ),
        };
        let empty_section = SECTIONS.contains(&key.name.as_str())
            && matches!(argument.value, Object::None)
            && (class == Class::Cluster || key.name == "dynamo_config");
        let (argument, entries) = match empty_section {
            true => (
                Argument {
                    value: Object::Dict(Vec::new()),
                    origin: argument.origin,
                },
                Some(Vec::new()),
            ),
            false => (argument, entries),
        };
        fields.push(Field {
            name: key.name.clone(),
            argument,
            entries,
        });
    }
    if !missing.is_empty() {
        let (count, noun) = (
            missing.len(),
            if missing.len() == 1 {
                "argument"
            } else {
                "arguments"
            },
        );
        let list = match missing.as_slice() {
            [only] => only.clone(),
            [one, two] => format!("{one} and {two}"),
            [most @ .., last] => format!("{}, and {last}", most.join(", ")),
            [] => String::new(),
        };
        let message = format!(
            "{}.__init__() missing {count} required positional {noun}: {list}",
            class.name()
        );
        let environment = fields
            .iter()
            .find(|field| field.name == "compute_environment");
        let (cause, origin) = match class {
            Class::Cluster => (Cause::ConfigKeyMissing, Some(whole.clone())),
            Class::SageMaker => (
                Cause::SageMaker,
                environment.map(|field| field.argument.origin.clone()),
            ),
        };
        return Err(raise("TypeError", message, FROM_FILE, cause, origin));
    }
    let defaults = Defaults { class, fields };
    check_enum(
        &defaults,
        "compute_environment",
        (Enumeration::ComputeEnvironment, "ComputeEnvironment"),
        facts,
    )?;
    let is_sagemaker =
        defaults.argument("compute_environment").value == Object::from("AMAZON_SAGEMAKER");
    let distributed_types = match is_sagemaker {
        true => (
            Enumeration::SageMakerDistributedType,
            "SageMakerDistributedType",
        ),
        false => (Enumeration::DistributedType, "DistributedType"),
    };
    check_enum(&defaults, "distributed_type", distributed_types, facts)?;
    Ok(defaults)
}

/// A `str` becomes an enum member or raises; anything else stays as it is.
fn check_enum(
    defaults: &Defaults,
    field: &str,
    (enumeration, name): (Enumeration, &str),
    facts: &Facts,
) -> Step<()> {
    let argument = defaults.argument(field);
    match &argument.value {
        Object::Str(text) if !facts.values(enumeration).contains(text) => {
            let shown = argument.value.python_repr();
            let message = format!("{shown} is not a valid {name}");
            Err(Site::new(POST_INIT, Cause::EnumValue).raise(
                "ValueError",
                message,
                &argument.origin,
            ))
        }
        _ => Ok(()),
    }
}
