//! The script's side of a command: which framework trains, by which recipe, and what the command line adds to it.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::super::python::parse_bool;
use super::super::run::{Code, Files, Lookup, Origin, Place, Trainer, Value, Voice};
use super::super::target::Target;
use super::{framework_of_script, place};
use crate::formats::launch::{LaunchCommand, Program, Spot, Term};
use crate::formats::recipe::Framework;
use crate::formats::{self, Kind};
use crate::knowledge;
use crate::source::{Document, EntryRef, Integer, Object, Route, SourceFile, Syntax};

/// Arguments by which a command line is told to be for a trainer, where at least one of them occurs: fields of
/// `TrainingArguments` (transformers 4.30.2 to 5.24.0, training_args.py), and the model of its example scripts.
const SIGNS: [&str; 8] = [
    "gradient_accumulation_steps",
    "learning_rate",
    "lr_scheduler_type",
    "max_steps",
    "model_name_or_path",
    "num_train_epochs",
    "output_dir",
    "per_device_train_batch_size",
];

/// Those that only `TrainingArguments` has, not the example scripts of diffusers and accelerate that share the others;
/// at least [`TRAINER_ONLY_NEEDED`] of them must occur: with one of [`SIGNS`] these are three, as many as a recipe needs.
const TRAINER_ONLY: [&str; 16] = [
    "bf16",
    "ddp_timeout",
    "deepspeed",
    "do_train",
    "eval_strategy",
    "evaluation_strategy",
    "fp16",
    "fsdp",
    "logging_steps",
    "logging_strategy",
    "save_steps",
    "save_strategy",
    "save_total_limit",
    "tf32",
    "torch_compile",
    "warmup_ratio",
];
const TRAINER_ONLY_NEEDED: usize = 2;

/// Those of [`TRAINER_ONLY`] that hardly any script of its own has.
const CERTAIN: [&str; 8] = [
    "bf16",
    "deepspeed",
    "do_train",
    "eval_strategy",
    "evaluation_strategy",
    "fp16",
    "logging_strategy",
    "save_strategy",
];

/// Arguments of scripts that train with an `Accelerator` of their own.
const NO_TRAINER: [&str; 6] = [
    "checkpointing_steps",
    "lr_warmup_steps",
    "num_warmup_steps",
    "pretrained_model_name_or_path",
    "use_slow_tokenizer",
    "with_tracking",
];

/// Arguments of scripts of which nothing else is known that may decide the precision.
const OWN_PRECISIONS: [&str; 6] = [
    "bf16",
    "dtype",
    "fp16",
    "fp8",
    "mixed_precision",
    "precision",
];

/// Arguments by which scripts take a recipe.
const RECIPES: [&str; 8] = [
    "cfg",
    "config",
    "config_file",
    "config_path",
    "config_yaml",
    "recipe",
    "train_config",
    "yaml",
];

/// Arguments that are switches.
const SWITCHES: [&str; 10] = [
    "bf16",
    "bf16_full_eval",
    "fp16",
    "fp16_full_eval",
    "fp8",
    "fp8_enable_fsdp_float8_all_gather",
    "no_cuda",
    "pure_bf16",
    "tf32",
    "use_cpu",
];

/// The subcommands of trl that train, and the framework's other programs, name themselves.
fn framework_of_program(command: &LaunchCommand) -> Option<Framework> {
    match &command.program {
        Program::Trl(_) => Some(Framework::Trl),
        Program::LlamaFactory(_) => Some(Framework::LlamaFactory),
        Program::Axolotl(_) => Some(Framework::Axolotl),
        Program::Swift(_) => Some(Framework::Swift),
        _ => framework_of_script(command),
    }
}

/// What is known of the script.
#[derive(Default)]
pub(super) struct Trained {
    pub(super) trainer: Option<Trainer>,
    /// The recipe that it reads.
    pub(super) recipe: Option<Arc<SourceFile>>,
    /// What it says to `Accelerator()` itself.
    pub(super) code: Code,
    /// Whether the trainer is only told by the names of the arguments.
    pub(super) is_supposed: bool,
    /// Why it cannot be told what it does.
    pub(super) unknown: Option<String>,
}

impl Trained {
    pub(super) fn read(command: &LaunchCommand, target: &Target, files: &dyn Files) -> Self {
        let mut trained = Self::default();
        let said = arguments(command);
        let of_program = framework_of_program(command);
        let found = recipe(command, &said, files, &mut trained.unknown);
        if found.is_none() && trained.unknown.is_none() {
            trained.unknown = unknown_recipe(&said);
        }
        let by_arguments = || is_trainer(&said).then_some(Framework::Transformers);
        let framework = match (of_program, &found) {
            (Some(framework), _) => Some(framework),
            (None, Some(found)) => Some(found.framework),
            (None, None) => by_arguments(),
        };
        let Some(framework) = framework else {
            if is_hydra(command, &said) {
                let why = "the script is configured by Hydra, whose files are not read";
                trained.unknown.get_or_insert(why.to_owned());
            }
            trained.own_precision(&said);
            return trained;
        };
        // By its arguments alone a script is only supposed to hand them to a Trainer.
        trained.is_supposed = of_program.is_none()
            && found.is_none()
            && !CERTAIN.iter().any(|name| said.contains_key(*name));
        if found.is_none() && of_program.is_some() && trained.unknown.is_none() {
            trained.unknown = unknown_word(command);
        }
        let mut all = BTreeMap::new();
        if let Some(found) = found {
            entries(&found, &mut all);
            trained.recipe = Some(Arc::clone(&found.file));
        }
        all.extend(said);
        trained.trainer = Some(trainer(framework, all, target));
        trained
    }

    /// A script with a precision of its own. Whether that reaches `Accelerator()` is only known of diffusers' example
    /// scripts (`examples/*/train_*.py`: `Accelerator(mixed_precision=args.mixed_precision)`).
    fn own_precision(&mut self, said: &BTreeMap<String, Value<Object>>) {
        let is_diffusers = said.contains_key("pretrained_model_name_or_path");
        if is_diffusers && let Some(Value::Known { value, origin }) = said.get("mixed_precision") {
            let arguments = &mut self.code.arguments;
            arguments.insert("mixed_precision".to_owned(), value.clone());
            self.code.precision = Some(origin.clone());
            return;
        }
        let own = OWN_PRECISIONS.iter().find(|name| said.contains_key(**name));
        if let Some(name) = own {
            let why = format!(
                "the script has a `--{name}` of its own, and what it does with it is in its code"
            );
            self.unknown.get_or_insert(why);
        }
    }
}

/// The packages that the recipe asks for beyond those that a training machine usually has.
pub(super) fn packages(trainer: &Trainer) -> Vec<&'static str> {
    match trainer.known("fp8_backend") {
        Some(backend) if *backend.value == Object::from("te") => vec!["transformer_engine"],
        _ => Vec::new(),
    }
}

/// The trainer with its versions: those that are declared or pinned, else the newest known ones that go together.
pub(super) fn trainer(
    framework: Framework,
    arguments: BTreeMap<String, Value<Object>>,
    target: &Target,
) -> Trainer {
    // Of SimpleTuner no versions are told apart.
    let nothing = || knowledge::Version::new([0]);
    let version = match framework {
        Framework::Transformers => nothing(),
        other => {
            let declared = target
                .packages
                .get(other.as_str())
                .map(|declared| declared.value.clone());
            let newest = || knowledge::package(other.as_str())?.releases.last().cloned();
            declared.or_else(newest).unwrap_or_else(nothing)
        }
    };
    let transformers = target
        .beside(framework.as_str(), &version, "transformers")
        .unwrap_or_else(nothing);
    Trainer {
        framework,
        version: match framework {
            Framework::Transformers => transformers.clone(),
            _ => version,
        },
        transformers,
        arguments,
        is_arguments_only: false,
    }
}

/// A recipe that a command names.
struct Found {
    framework: Framework,
    file: Arc<SourceFile>,
    document: Arc<Document>,
}

/// The trainer of a recipe that nothing launches.
pub(super) fn alone(
    framework: Framework,
    file: &Arc<SourceFile>,
    document: &Arc<Document>,
    target: &Target,
) -> Trainer {
    let found = Found {
        framework,
        file: Arc::clone(file),
        document: Arc::clone(document),
    };
    let mut arguments = BTreeMap::new();
    entries(&found, &mut arguments);
    trainer(framework, arguments, target)
}

/// Why the recipe is not known, where an argument names one that is not.
fn unknown_recipe(said: &BTreeMap<String, Value<Object>>) -> Option<String> {
    RECIPES.iter().find_map(|name| match said.get(*name)? {
        Value::Unknown { why, .. } => Some(format!("the value of `--{name}` is not known: {why}")),
        Value::Known { .. } => None,
    })
}

/// Why the words of a program that takes a recipe are not known.
fn unknown_word(command: &LaunchCommand) -> Option<String> {
    let mut words = command.arguments.iter();
    let why = words.find_map(|term| term.text.as_ref().err())?;
    Some(format!("the recipe is not known: {why}"))
}

/// Whether the words are those of a script that Hydra configures: `--config-name x`, `trainer.bf16=true`, `+a=b`.
fn is_hydra(command: &LaunchCommand, said: &BTreeMap<String, Value<Object>>) -> bool {
    let is_override = |term: &Term| {
        let key = term
            .known()
            .and_then(|text| text.split_once('='))
            .map(|(key, _)| key);
        key.is_some_and(|key| !key.is_empty() && !key.starts_with('-'))
    };
    said.contains_key("config_name") || command.arguments.iter().any(is_override)
}

/// Whether a file that is not there is one that a script would take for its recipe: not the value of another argument.
fn may_be_recipe(path: &str, said: &BTreeMap<String, Value<Object>>) -> bool {
    let mut names = said.iter().filter(
        |(_, value)| matches!(value, Value::Known { value: Object::Str(text), .. } if text == path),
    );
    names.all(|(name, _)| RECIPES.contains(&name.as_str()))
}

/// The first file among the arguments that is a recipe.
fn recipe(
    command: &LaunchCommand,
    said: &BTreeMap<String, Value<Object>>,
    files: &dyn Files,
    unknown: &mut Option<String>,
) -> Option<Found> {
    let named = command.named_files();
    for term in &named {
        let Some(path) = term.known() else { continue };
        let Lookup::Found(file) = files.look_up(path) else {
            if may_be_recipe(path, said) {
                unknown.get_or_insert_with(|| format!("`{path}` is not at hand"));
            }
            continue;
        };
        let Ok(document) = Syntax::of_name(&file.path).read(file.text()) else {
            continue;
        };
        let recognised = match may_be_recipe(path, said) {
            true => formats::recognise_named(file.text(), &document),
            false => formats::recognise(file.text(), Ok(&document)),
        };
        let of_settings = files.declared_kind(&file.path);
        let kind = of_settings.or(recognised.as_ref().map(|found| found.kind));
        let framework = match (kind, framework_of_program(command)) {
            (Some(Kind::Recipe(_)) | None, Some(framework)) if document.root().is_dict() => {
                framework
            }
            (Some(Kind::Recipe(framework)), None) => framework,
            _ => continue,
        };
        *unknown = None;
        return Some(Found {
            framework,
            file,
            document: Arc::new(document),
        });
    }
    None
}

/// The top-level entries of a recipe.
fn entries(found: &Found, into: &mut BTreeMap<String, Value<Object>>) {
    for entry in found.document.root().entries() {
        let Some(key) = entry.key.text() else {
            continue;
        };
        if key == "env" && found.framework == Framework::Trl {
            environment(found, &entry, into);
            continue;
        }
        let name = key.trim_start_matches('-');
        let origin = Origin {
            voice: Voice::RecipeKey,
            name: name.to_owned(),
            place: Some(Place {
                file: Arc::clone(&found.file),
                route: Route::keys([key]),
                key: Some(entry.key.span()),
                value: entry.value.span(),
            }),
        };
        let value = match (entry.value.object(), formats::is_filled_in(entry.value)) {
            (Some(value), false) => Value::Known { value, origin },
            (_, true) => Value::Unknown {
                why: "another program fills it in".to_owned(),
                origin,
            },
            (None, _) => Value::Unknown {
                why: "it is too large to follow".to_owned(),
                origin,
            },
        };
        into.insert(name.to_owned(), value);
    }
}

/// The variables of TRL's `env` block, each as `env.NAME`.
fn environment(found: &Found, block: &EntryRef<'_>, into: &mut BTreeMap<String, Value<Object>>) {
    for entry in block.value.entries() {
        let Some(name) = entry.key.text() else {
            continue;
        };
        let origin = Origin {
            voice: Voice::RecipeKey,
            name: format!("env.{name}"),
            place: Some(Place {
                file: Arc::clone(&found.file),
                route: Route::keys(["env", name]),
                key: Some(entry.key.span()),
                value: entry.value.span(),
            }),
        };
        let value = match entry
            .value
            .object()
            .filter(|_| !formats::is_filled_in(entry.value))
        {
            Some(value) => Value::Known { value, origin },
            None => Value::Unknown {
                why: "it is a template, or too large".to_owned(),
                origin,
            },
        };
        into.insert(format!("env.{name}"), value);
    }
}

/// Whether the arguments are those of a trainer.
fn is_trainer(said: &BTreeMap<String, Value<Object>>) -> bool {
    let count = |names: &[&str]| {
        let given = names.iter().filter(|name| said.contains_key(**name));
        given.count()
    };
    count(&SIGNS) > 0 && count(&TRAINER_ONLY) >= TRAINER_ONLY_NEEDED && count(&NO_TRAINER) == 0
}

/// The value of one of the command's own arguments, where it is known.
pub(super) fn argument_value(command: &LaunchCommand, name: &str) -> Option<String> {
    match arguments(command).get(name)? {
        Value::Known { value, .. } => Some(value.python_str()),
        Value::Unknown { .. } => None,
    }
}

/// The arguments of the script: `--name value`, `--name=value`, `--name`, and `name=value` as OmegaConf takes it. Names
/// with underscores.
fn arguments(command: &LaunchCommand) -> BTreeMap<String, Value<Object>> {
    let mut said = BTreeMap::new();
    let mut terms = command.arguments.iter().peekable();
    while let Some(term) = terms.next() {
        let Some(text) = term.known() else { continue };
        let (flag, joined) = match text.split_once('=') {
            Some((flag, value)) => (flag, Some(value)),
            None => (text, None),
        };
        let Some(name) = name_of(flag, joined.is_some()) else {
            continue;
        };
        // `--flag $VALUE`: what it is cannot be known, and it belongs to the flag.
        let is_open_value =
            |next: &&Term| next.is_open && next.spot.file.slice(next.spot.span).starts_with('$');
        let is_value = |next: &&&Term| {
            is_open_value(next)
                || next.known().is_none_or(|text| !text.starts_with("--")) && !next.is_open
        };
        let (value, spot) = match joined {
            Some(value) => (Ok(value.to_owned()), &term.spot),
            None => match terms.next_if(|next| is_value(&next)) {
                Some(value) => (value.text.clone(), &value.spot),
                None => (Ok("true".to_owned()), &term.spot),
            },
        };
        let (name, value) = match name
            .strip_prefix("no_")
            .filter(|name| SWITCHES.contains(name))
        {
            Some(name) => (name.to_owned(), Ok("false".to_owned())),
            None => (name, value),
        };
        let origin = Origin {
            voice: Voice::ScriptArgument,
            name: flag.to_owned(),
            place: Some(argument_place(command, flag, term, spot)),
        };
        let value = match value {
            Ok(text) => Value::Known {
                value: scalar(&name, &text),
                origin,
            },
            Err(why) => Value::Unknown { why, origin },
        };
        said.insert(name, value);
    }
    said
}

fn name_of(flag: &str, is_joined: bool) -> Option<String> {
    let name = match flag.strip_prefix("--") {
        Some(name) => name,
        None if is_joined && !flag.starts_with('-') => flag,
        None => return None,
    };
    let is_name = !name.is_empty()
        && name
            .chars()
            .all(|character| character.is_ascii_alphanumeric() || matches!(character, '_' | '-'));
    is_name.then(|| name.replace('-', "_"))
}

/// From the flag to its value.
fn argument_place(command: &LaunchCommand, flag: &str, term: &Term, value: &Spot) -> Place {
    let mut place = place(command, flag, &term.spot);
    if Arc::ptr_eq(&term.spot.file, &value.file) && value.span.start >= term.spot.span.start {
        place.value = term.spot.span.to(value.span);
    }
    place
}

/// What a parser makes of a text: a switch is one however it is spelt.
fn scalar(name: &str, text: &str) -> Object {
    if SWITCHES.contains(&name)
        && let Some(value) = parse_bool(text)
    {
        return Object::Bool(value);
    }
    match text {
        "true" | "True" => Object::Bool(true),
        "false" | "False" => Object::Bool(false),
        _ => match (text.parse::<i128>(), text.parse::<f64>()) {
            (Ok(whole), _) => Object::Int(Integer::Small(whole)),
            (Err(_), Ok(number))
                if text.starts_with(|first: char| first.is_ascii_digit() || first == '.') =>
            {
                Object::Float(number)
            }
            _ => Object::from(text),
        },
    }
}
