//! From a launch command to its run: which config it names, which recipe its script reads, what its words and its
//! environment say.

mod forwarded;
mod recipe;
mod script;
mod words;

use std::collections::BTreeMap;
use std::sync::Arc;

use super::run::{
    Command, Config, ConfigFile, Files, Launcher, Lookup, Origin, Place, Run, Stage, Value, Voice,
    Word,
};
use super::target::{Target, packages_asked};
use crate::formats;
use crate::formats::launch::{LaunchCommand, Program, Spot, Term};
use crate::formats::recipe::Framework;
use crate::source::{Document, Route, SourceFile};

use forwarded::Forwarded;
use recipe::Trained;
use words::Words;

/// Variables that other programs set up before training: their values decide nothing about precision.
const BESIDE_THE_POINT: [&str; 12] = [
    "CUDA_VISIBLE_DEVICES",
    "GPUS_PER_NODE",
    "LOCAL_RANK",
    "MASTER_ADDR",
    "MASTER_PORT",
    "NNODES",
    "NODE_RANK",
    "NPROC_PER_NODE",
    "OMP_NUM_THREADS",
    "RANK",
    "TORCH_DISTRIBUTED_DEBUG",
    "WORLD_SIZE",
];

/// How long a word that is not known may be to be shown as it is written.
const LONGEST_WORD: usize = 60;

/// The run of a recipe that nothing launches: as its framework starts it, or else with a launch that says nothing.
pub fn assemble_recipe(
    framework: Framework,
    file: &Arc<SourceFile>,
    document: &Arc<Document>,
    target: &Target,
) -> Run {
    let mut run = Run::assumed(Config::None, target);
    run.launcher = match framework {
        Framework::LlamaFactory | Framework::Swift => Launcher::Torchrun,
        _ => Launcher::Accelerate,
    };
    run.flags = [Word::from("train.py")].into();
    let trainer = recipe::alone(framework, file, document, target);
    run.machine = target.machine(&recipe::packages(&trainer));
    run.trainer = Some(trainer);
    run
}

/// The run that a command starts, on the machine of a target.
pub fn assemble(command: &LaunchCommand, target: &Target, files: &dyn Files) -> Run {
    let launcher = launcher(command);
    let mut trained = Trained::read(command, target, files);
    let forwarded = match &mut trained.trainer {
        Some(trainer) if command.script.is_none() && launcher == Launcher::Accelerate => {
            Forwarded::read(command, &mut trainer.arguments, &trainer.version, files)
        }
        _ => Forwarded::default(),
    };
    let words = match command.script {
        Some(_) => Words::read(command, launcher == Launcher::Accelerate),
        None => forwarded.words,
    };
    let (config, config_place) = match (&words.config_file, launcher) {
        (Some(named), Launcher::Accelerate) => (
            config(named, files),
            Some(place(command, "--config_file", &named.spot)),
        ),
        _ => (forwarded.config, forwarded.config_place),
    };
    let unknown = words
        .unknown
        .or_else(|| trained.unknown.clone())
        .or_else(|| not_followed(command));
    // Of diffusers' example scripts it is known what they give.
    let own_precision = trained.code.precision.is_none() && script::says_precision(command, files);
    let unknown = unknown.or_else(|| {
        own_precision.then(|| "the script gives `Accelerator()` a precision of its own".to_owned())
    });
    let asked = match &config {
        Config::File(file) => file
            .read
            .as_ref()
            .map_or_else(|_| Vec::new(), |document| packages_asked(document)),
        _ => Vec::new(),
    };
    let asked = asked
        .into_iter()
        .chain(trained.trainer.iter().flat_map(recipe::packages))
        .collect::<Vec<_>>();
    Run {
        launcher,
        config,
        default_config: false,
        flags: words.flags,
        environment: environment(command),
        code: trained.code.clone(),
        machine: target.machine(&asked),
        stage: Stage::Prepare,
        follows_machines: true,
        without: Vec::new(),
        set_aside: Vec::new(),
        deepspeed: None,
        command: Some(Command {
            place: place(command, "", &command.spot),
            program: place(command, "", &command.program_spot),
            text: text(command),
            config: config_place,
            recipe: trained.recipe.clone(),
            dropped: forwarded.dropped,
            unknown: unknown_words(command),
            may_say_more: may_say_more(command).or_else(|| {
                let supposed = "the script, which is only supposed to use the Trainer,";
                trained.is_supposed.then(|| supposed.to_owned())
            }),
            own_precision,
            is_prose: command.is_prose,
        }),
        trainer: trained.trainer,
        bypassed: Vec::new(),
        is_unused: false,
        unknown,
    }
}

/// Programs that train without accelerate.
fn not_followed(command: &LaunchCommand) -> Option<String> {
    let is_megatron =
        matches!(&command.program, Program::Swift(words) if words.starts_with("megatron"));
    is_megatron.then(|| {
        "Megatron-SWIFT trains by Megatron-core, whose fp8 settings are not followed".to_owned()
    })
}

/// What starts the processes: TRL and axolotl call `accelerate launch`, LLaMA-Factory and ms-swift torchrun or nothing.
fn launcher(command: &LaunchCommand) -> Launcher {
    match &command.program {
        Program::AccelerateLaunch | Program::Trl(_) => Launcher::Accelerate,
        Program::Axolotl(_) => match recipe::argument_value(command, "launcher").as_deref() {
            Some("torchrun") => Launcher::Torchrun,
            Some("python") => Launcher::Python,
            _ => Launcher::Accelerate,
        },
        Program::Torchrun | Program::LlamaFactory(_) | Program::Swift(_) => Launcher::Torchrun,
        Program::DeepSpeed => Launcher::DeepSpeed,
        Program::Python => Launcher::Python,
    }
}

/// The accelerate config under a name.
fn config(named: &Term, files: &dyn Files) -> Config {
    let path = match &named.text {
        Ok(path) => path,
        Err(why) => return Config::Unknown { why: why.clone() },
    };
    match files.look_up(path) {
        Lookup::Found(file) => of_file(file, path),
        Lookup::Absent => Config::Missing {
            path: path.clone(),
            place: Some(Place {
                file: Arc::clone(&named.spot.file),
                route: Route::keys(["--config_file"]),
                key: None,
                value: named.spot.span,
            }),
        },
        Lookup::Unknown => Config::Unknown {
            why: format!("the config `{path}` is not at hand"),
        },
    }
}

/// A config file, unless another program fills it in first: a here-document with variables in it, a template.
fn of_file(file: Arc<SourceFile>, path: &str) -> Config {
    let config = Config::of_file(file);
    let is_filled_in = match &config {
        Config::File(ConfigFile {
            read: Ok(document), ..
        }) => formats::has_placeholder(document),
        _ => false,
    };
    match is_filled_in {
        true => Config::Unknown {
            why: format!("another program fills in `{path}`"),
        },
        false => config,
    }
}

/// The environment of a command. What decides nothing about precision and is not known is left out.
fn environment(command: &LaunchCommand) -> BTreeMap<String, Value<String>> {
    let variables = command.environment.iter().filter_map(|(name, term)| {
        let origin = Origin {
            voice: Voice::Environment,
            name: name.clone(),
            place: Some(place(command, name, &term.spot)),
        };
        let value = match &term.text {
            Ok(value) => Value::Known {
                value: value.clone(),
                origin,
            },
            Err(_) if BESIDE_THE_POINT.contains(&name.as_str()) => return None,
            Err(why) => Value::Unknown {
                why: why.clone(),
                origin,
            },
        };
        Some((name.clone(), value))
    });
    variables.collect()
}

/// A place in a launch file, named by the command's number among the launch commands and by a flag or variable.
fn place(command: &LaunchCommand, name: &str, spot: &Spot) -> Place {
    let ordinal = format!("command {}", command.ordinal);
    let route = match name {
        "" => Route::keys([ordinal.as_str()]),
        name => Route::keys([ordinal.as_str(), name]),
    };
    Place {
        file: Arc::clone(&spot.file),
        route,
        key: None,
        value: spot.span,
    }
}

/// The words that cannot be known.
fn unknown_words(command: &LaunchCommand) -> Vec<(String, Place)> {
    let terms = command.flags.iter().chain(&command.arguments);
    let unknown = terms.filter_map(|term| {
        let why = term.text.as_ref().err()?;
        Some((why.clone(), place(command, "", &term.spot)))
    });
    let mut words: Vec<(String, Place)> = Vec::new();
    for (why, place) in unknown {
        if words.iter().all(|(known, _)| *known != why) {
            words.push((why, place));
        }
    }
    words
}

/// What may say more than is known: the first word after the script that may stand for any number of words.
fn may_say_more(command: &LaunchCommand) -> Option<String> {
    let open = command.arguments.iter().find(|term| term.is_open)?;
    Some(format!("`{}`", shown(open)))
}

/// The command on one line; what is not known as it is written.
fn text(command: &LaunchCommand) -> String {
    let program = match &command.program {
        Program::AccelerateLaunch => "accelerate launch".to_owned(),
        Program::Torchrun => "torchrun".to_owned(),
        Program::DeepSpeed => "deepspeed".to_owned(),
        Program::Python => "python".to_owned(),
        Program::Trl(subcommand) => format!("trl {subcommand}"),
        Program::LlamaFactory(subcommand) => format!("llamafactory-cli {subcommand}"),
        Program::Axolotl(subcommand) => format!("axolotl {subcommand}"),
        Program::Swift(subcommand) => match subcommand.strip_prefix("megatron ") {
            Some(subcommand) => format!("megatron {subcommand}"),
            None => format!("swift {subcommand}"),
        },
    };
    let script = command.script.iter().flat_map(|script| {
        let says_module = |flag: &Term| matches!(flag.known(), Some("-m" | "--module"));
        let is_module = script.is_module && !command.flags.iter().any(says_module);
        let module = is_module.then(|| "-m".to_owned());
        module.into_iter().chain([shown(&script.name)])
    });
    let flags = command.flags.iter().map(shown);
    let words = flags
        .chain(script)
        .chain(command.arguments.iter().map(shown));
    std::iter::once(program)
        .chain(words)
        .collect::<Vec<_>>()
        .join(" ")
}

/// A word as it is known, or as it is written; `…` for one that comes out of a longer text.
fn shown(term: &Term) -> String {
    match &term.text {
        Ok(text) => text.clone(),
        Err(_) => {
            let written = term.spot.file.slice(term.spot.span);
            let is_word = written.len() <= LONGEST_WORD && !written.contains(['\n', '\r']);
            let is_one = is_word && !written.trim_matches('"').contains(' ');
            if is_one { written } else { "…" }.to_owned()
        }
    }
}

/// A word of the launcher.
fn word(command: &LaunchCommand, text: &str, flag: &str, spot: &Spot) -> Word {
    Word {
        text: text.to_owned(),
        place: Some(place(command, flag, spot)),
    }
}

/// Parts of the paths of the frameworks' own scripts.
const SCRIPTS: [(&str, Framework); 6] = [
    ("trl/scripts/", Framework::Trl),
    ("swift/cli/", Framework::Swift),
    ("llamafactory/", Framework::LlamaFactory),
    ("LLaMA-Factory/src/train", Framework::LlamaFactory),
    ("axolotl/cli/", Framework::Axolotl),
    ("simpletuner/train.py", Framework::SimpleTuner),
];

/// Whether a script is one of a framework's own, by its name.
fn framework_of_script(command: &LaunchCommand) -> Option<Framework> {
    let script = command.script.as_ref()?;
    let name = script.name.known()?;
    if script.is_module {
        return match name.split('.').next()? {
            "axolotl" => Some(Framework::Axolotl),
            "llamafactory" => Some(Framework::LlamaFactory),
            "swift" => Some(Framework::Swift),
            "trl" => Some(Framework::Trl),
            _ => None,
        };
    }
    let program = name.rsplit('/').next().unwrap_or(name);
    let of_program = match program {
        "llamafactory-cli" => Some(Framework::LlamaFactory),
        "axolotl" => Some(Framework::Axolotl),
        _ => None,
    };
    let of_path = || {
        let mut paths = SCRIPTS.iter();
        paths.find_map(|(part, framework)| name.contains(part).then_some(*framework))
    };
    of_program.or_else(of_path)
}
