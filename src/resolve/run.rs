//! A run: one way in which training is started, with everything that has a say in its precision.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use super::target::{Target, packages_asked};
use crate::formats::Kind;
use crate::formats::recipe::Framework;
use crate::knowledge::Version;
use crate::source::{Document, Object, ReadError, Route, SourceFile, Span, Syntax};

/// A value, known with its origin, or unknown with the reason.
#[derive(Clone, Debug, PartialEq)]
pub enum Value<T> {
    /// The value that Python will see.
    Known {
        /// The value.
        value: T,
        /// Who says so.
        origin: Origin,
    },
    /// It cannot be known without running something.
    Unknown {
        /// Why, in the user's terms.
        why: String,
        /// Who says so.
        origin: Origin,
    },
}

/// Who says a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Voice {
    /// A key of the accelerate config file.
    ConfigKey,
    /// A flag of the launch command.
    Flag,
    /// A variable of the environment in which the launch command runs.
    Environment,
    /// A key of the DeepSpeed config.
    DeepSpeedKey,
    /// A key of the training recipe.
    RecipeKey,
    /// An argument of the training script on the command line.
    ScriptArgument,
    /// An argument in the training script.
    Code,
    /// The framework that reads the recipe, although nobody wrote it: a default of its own, or what it overwrites.
    Framework,
    /// Nobody: a default of accelerate's.
    Default,
}

/// Where a value comes from: who says it, under which name, and in which place of which file.
#[derive(Clone, Debug)]
pub struct Origin {
    /// Who says it.
    pub voice: Voice,
    /// Under which name: `fp8_config.backend`, `--mixed_precision`, `ACCELERATE_FP8_BACKEND`.
    pub name: String,
    /// The place in a file, if there is one.
    pub place: Option<Place>,
}

impl Origin {
    /// Said by `voice` under `name`, in no file.
    pub fn of(voice: Voice, name: impl Into<String>) -> Self {
        Self {
            voice,
            name: name.into(),
            place: None,
        }
    }
}

impl PartialEq for Origin {
    fn eq(&self, other: &Self) -> bool {
        self.voice == other.voice && self.name == other.name && self.place == other.place
    }
}

impl fmt::Display for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.voice {
            Voice::ConfigKey | Voice::DeepSpeedKey | Voice::RecipeKey => {
                write!(f, "`{}`", self.name)?
            }
            Voice::ScriptArgument => write!(f, "argument `{}`", self.name)?,
            Voice::Framework => f.write_str(&self.name)?,
            Voice::Flag => write!(f, "flag `{}`", self.name)?,
            Voice::Environment => write!(f, "environment variable `{}`", self.name)?,
            Voice::Code => write!(f, "`{}` in the script", self.name)?,
            Voice::Default => write!(f, "default of `{}`", self.name)?,
        }
        if let Some(place) = &self.place {
            let at = place.file.line_column(place.value.start);
            write!(f, " ({}:{})", place.file.path, at.line)?;
        }
        Ok(())
    }
}

/// A place in a file, under a name that survives moving lines.
#[derive(Clone, Debug)]
pub struct Place {
    /// The file.
    pub file: Arc<SourceFile>,
    /// The route of keys.
    pub route: Route,
    /// The bytes of the key, if the value has one.
    pub key: Option<Span>,
    /// The bytes of the value.
    pub value: Span,
}

impl PartialEq for Place {
    fn eq(&self, other: &Self) -> bool {
        self.file.path == other.file.path && self.route == other.route && self.value == other.value
    }
}

/// A place that asks for a precision or sets something about it.
#[derive(Clone, Debug, PartialEq)]
pub struct Ask {
    /// Who asks, and where.
    pub origin: Origin,
    /// What is asked for.
    pub value: Object,
}

/// What starts the training script.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Launcher {
    /// `accelerate launch`: the only one that reads an accelerate config.
    Accelerate,
    /// `python train.py`
    Python,
    /// `torchrun train.py`, one process per GPU
    Torchrun,
    /// `deepspeed train.py`, one process per GPU
    DeepSpeed,
}

impl Launcher {
    /// The program's name.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Accelerate => "accelerate launch",
            Self::Python => "python",
            Self::Torchrun => "torchrun",
            Self::DeepSpeed => "deepspeed",
        }
    }
}

/// A config file as accelerate reads it: its text and the tree, or the reason why there is none.
#[derive(Clone, Debug)]
pub struct ConfigFile {
    /// The text.
    pub file: Arc<SourceFile>,
    /// The tree, or what PyYAML or Python's `json` raises.
    pub read: Result<Arc<Document>, ReadError>,
}

impl ConfigFile {
    /// How the path of a preset that comes with TRL begins; nobody's file is called so.
    const PRESET: &str = "trl's preset ";

    /// What a preset is shown as.
    pub(crate) fn preset_path(name: &str) -> String {
        format!("{}{name}", Self::PRESET)
    }

    /// Whether it comes with TRL, and not from the user.
    pub fn is_preset(&self) -> bool {
        self.file.path.starts_with(Self::PRESET)
    }
}

/// The accelerate config of a run.
#[derive(Clone, Debug, Default)]
pub enum Config {
    /// No file is named, and no default config exists.
    #[default]
    None,
    /// The file that `--config_file` names, or the default config.
    File(ConfigFile),
    /// Bytes that are not UTF-8, or a file that cannot be opened.
    Unreadable {
        /// Its path.
        path: String,
        /// What Python raises.
        error: ReadError,
    },
    /// A path at which nothing is.
    Missing {
        /// The path, as it is written.
        path: String,
        /// Where it is written, if it is in a file.
        place: Option<Place>,
    },
    /// A file that is named and cannot be looked at.
    Unknown {
        /// Why.
        why: String,
    },
}

impl Config {
    /// A config file from its bytes, read as accelerate reads a file of this name.
    pub fn of_bytes(path: &str, bytes: Vec<u8>) -> Self {
        match SourceFile::new(path, bytes) {
            Ok(file) => Self::of_file(Arc::new(file)),
            Err(error) => Self::Unreadable {
                path: path.to_owned(),
                error,
            },
        }
    }

    /// A config file from its text, read as accelerate reads a file of its name.
    pub fn of_file(file: Arc<SourceFile>) -> Self {
        let read = Syntax::of_name(&file.path).read(file.text()).map(Arc::new);
        Self::File(ConfigFile { file, read })
    }
}

/// One word of a launch command.
#[derive(Clone, Debug, PartialEq)]
pub struct Word {
    /// The word, quotes and escapes taken away.
    pub text: String,
    /// Where it stands, if it stands in a file.
    pub place: Option<Place>,
}

impl From<&str> for Word {
    fn from(text: &str) -> Self {
        Self {
            text: text.to_owned(),
            place: None,
        }
    }
}

/// What the training script says to accelerate.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Code {
    /// Keyword arguments of `Accelerator(…)`, `kwargs_handlers` left out.
    pub arguments: BTreeMap<String, Object>,
    /// `kwargs_handlers`: class and keyword arguments of each, in order.
    pub kwargs_handlers: Vec<(String, BTreeMap<String, Object>)>,
    /// Who says the `mixed_precision` among the arguments, where that is an argument of the script.
    pub precision: Option<Origin>,
    /// Whether the script never builds an `Accelerator`.
    pub no_init: bool,
}

/// A trainer that the script hands its precision to: what is said to it, and which versions hear it.
#[derive(Clone, Debug, PartialEq)]
pub struct Trainer {
    /// The framework.
    pub framework: Framework,
    /// The version of the framework.
    pub version: Version,
    /// The version of transformers.
    pub transformers: Version,
    /// What is said to it, under the names of the recipe's top-level keys: by the recipe, and before that by the
    /// arguments of the script.
    pub arguments: BTreeMap<String, Value<Object>>,
    /// Whether only the arguments are built, and no trainer is made of them: the oracle's `training_args`.
    pub is_arguments_only: bool,
}

/// What is said to a trainer, where it is known.
#[derive(Clone, Copy, Debug)]
pub struct Argued<'run> {
    /// The value.
    pub value: &'run Object,
    /// Who says it.
    pub origin: &'run Origin,
}

impl Argued<'_> {
    /// The value as Python's `str()`.
    pub fn text(self) -> String {
        self.value.python_str()
    }
}

impl Trainer {
    /// The argument of this name, where its value is known.
    pub fn known(&self, name: &str) -> Option<Argued<'_>> {
        match self.arguments.get(name)? {
            Value::Known { value, origin } => Some(Argued { value, origin }),
            Value::Unknown { .. } => None,
        }
    }

    /// Who says the argument of this name, whether its value is known or not.
    pub fn origin(&self, name: &str) -> Option<&Origin> {
        match self.arguments.get(name)? {
            Value::Known { origin, .. } | Value::Unknown { origin, .. } => Some(origin),
        }
    }
}

/// The command that starts a run, where one was found in a file.
#[derive(Clone, Debug)]
pub struct Command {
    /// The whole command.
    pub place: Place,
    /// The words that name the program.
    pub program: Place,
    /// How it reads on one line, without what comes before the program.
    pub text: String,
    /// The word that names the accelerate config, if one does.
    pub config: Option<Place>,
    /// The recipe that the script reads.
    pub recipe: Option<Arc<SourceFile>>,
    /// What is meant for accelerate's launcher, and the program drops it.
    pub dropped: Vec<Ask>,
    /// The words that cannot be known, each with the reason.
    pub unknown: Vec<(String, Place)>,
    /// The first word after the script that may stand for any number of words, as it is written.
    pub may_say_more: Option<String>,
    /// Whether it stands in prose, which nothing runs.
    pub is_prose: bool,
}

/// A command that starts training without reading an accelerate config.
#[derive(Clone, Debug)]
pub struct Bypass {
    /// The command.
    pub command: Command,
    /// The precision in which it trains as far as anybody outside the script's code says; `None` where nobody does.
    pub precision: Option<String>,
}

/// How far a run is followed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Stage {
    /// Up to the environment that the launcher gives to the script.
    Launch,
    /// Up to and with the arguments of the trainer.
    Trainer,
    /// Up to and with `Accelerator()`.
    Runtime,
    /// Up to and with `accelerator.prepare(model, optimizer)`.
    #[default]
    Prepare,
}

/// The machine on which a run is assumed to happen.
#[derive(Clone, Debug, PartialEq)]
pub struct Machine {
    /// The packages that decide: `torchao`, `transformer_engine`, `msamp`, `deepspeed`, `torch_xla`, `sagemaker`,
    /// `megatron`; with `==VERSION` where the version is declared.
    pub installed: Vec<String>,
    /// Whether no other package is installed, not even one that nobody thinks of declaring, such as pytest.
    pub nothing_else: bool,
    /// Whether torch and transformers are those of the oracle even beside an old accelerate, which they may not fit;
    /// else they are of its own time.
    pub is_newest: bool,
    /// How many GPUs.
    pub gpus: u32,
    /// Their compute capability.
    pub capability: (u32, u32),
}

impl Machine {
    /// Whether a package is installed, in any version.
    pub fn has(&self, package: &str) -> bool {
        self.version_of(package).is_some()
    }

    /// Whether a package is certainly not installed.
    pub fn lacks(&self, package: &str) -> bool {
        self.nothing_else && !self.has(package)
    }

    /// The declared version of an installed package; empty where none is declared.
    pub fn version_of(&self, package: &str) -> Option<&str> {
        self.installed.iter().find_map(|installed| {
            let (name, version) = installed.split_once("==").unwrap_or((installed, ""));
            (name == package).then_some(version)
        })
    }
}

impl Default for Machine {
    /// The oracle's machine: torchao and DeepSpeed, eight GPUs of capability 9.0.
    fn default() -> Self {
        Self {
            installed: vec!["torchao".to_owned(), "deepspeed".to_owned()],
            nothing_else: true,
            is_newest: true,
            gpus: 8,
            capability: (9, 0),
        }
    }
}

/// What a path named by a config (a DeepSpeed JSON, a script) holds.
#[derive(Clone, Debug)]
pub enum Lookup {
    /// The file.
    Found(Arc<SourceFile>),
    /// Nothing is there.
    Absent,
    /// It cannot be told: the directory in which the command will run is not known.
    Unknown,
}

/// Finds the files that a config names. Nothing outside the given roots is ever opened.
pub trait Files {
    /// The file at `path`, as the run would find it from its working directory.
    fn look_up(&self, path: &str) -> Lookup;

    /// The kind that the settings declare for the file that was found under this path.
    fn declared_kind(&self, _path: &str) -> Option<Kind> {
        None
    }

    /// An accelerate config that may be meant by a path at which there is none.
    fn meant(&self, _path: &str) -> Option<String> {
        None
    }
}

/// No file can be looked up: every path is unknown.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoFiles;

impl Files for NoFiles {
    fn look_up(&self, _path: &str) -> Lookup {
        Lookup::Unknown
    }
}

/// One way in which training is started.
#[derive(Clone, Debug)]
pub struct Run {
    /// What starts the script.
    pub launcher: Launcher,
    /// The accelerate config.
    pub config: Config,
    /// Whether the config is the user's default config rather than named by `--config_file`.
    pub default_config: bool,
    /// The launch command's words between `accelerate launch` and the script, `--config_file` left out.
    pub flags: Vec<Word>,
    /// The environment in which the command runs.
    pub environment: BTreeMap<String, Value<String>>,
    /// What the script says.
    pub code: Code,
    /// The trainer that the script uses, where it is known to use one.
    pub trainer: Option<Trainer>,
    /// A DeepSpeed config that is judged by itself.
    pub deepspeed: Option<(Arc<SourceFile>, Arc<Document>)>,
    /// The command that starts it; `None` for a run that is only assumed.
    pub command: Option<Command>,
    /// The commands around an assumed run's config that read no config, where no command around it reads one.
    pub bypassed: Vec<Bypass>,
    /// Whether no command names the config of an assumed run, although there are commands around it.
    pub is_unused: bool,
    /// Why it cannot be told what the run comes to, where something that decides is not known. Refusals of the config
    /// file itself stand all the same.
    pub unknown: Option<String>,
    /// The machine.
    pub machine: Machine,
    /// How far to follow it.
    pub stage: Stage,
    /// Whether a launch over several machines is followed on to the script there, which the oracle does not do.
    pub follows_machines: bool,
    /// Places of the config that are taken as not written: how faults behind the first one are found. Sorted.
    pub without: Vec<Route>,
}

impl Run {
    /// `accelerate launch --config_file CONFIG train.py` on the machine of a target: the run that is assumed for a
    /// config file that nothing launches.
    pub fn assumed(config: Config, target: &Target) -> Self {
        let asked = match &config {
            Config::File(ConfigFile {
                read: Ok(document), ..
            }) => packages_asked(document),
            _ => Vec::new(),
        };
        Self {
            launcher: Launcher::Accelerate,
            config,
            default_config: false,
            flags: Vec::new(),
            environment: BTreeMap::new(),
            code: Code::default(),
            trainer: None,
            deepspeed: None,
            command: None,
            bypassed: Vec::new(),
            is_unused: false,
            unknown: None,
            machine: target.machine(&asked),
            stage: Stage::Prepare,
            follows_machines: true,
            without: Vec::new(),
        }
    }
}
