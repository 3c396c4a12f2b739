//! A run: one way in which training is started, with everything that has a say in its precision.

mod command;
mod config;
mod files;
mod machine;
mod trainer;
mod voice;

use std::collections::BTreeMap;
use std::sync::Arc;

use super::outcome::Cause;
use super::target::{Target, packages_asked};
use crate::source::{Document, Object, Route, SourceFile};

pub use command::{Bypass, Command};
pub use config::{Config, ConfigFile};
pub use files::{Files, Lookup, NoFiles};
pub use machine::Machine;
pub use trainer::{Argued, Trainer};
pub use voice::{Ask, Origin, Place, Value, Voice};

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
    pub bypassed: Vec<Arc<Bypass>>,
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
    /// Faults that are taken as mended: what would go wrong behind them is found so.
    pub set_aside: Vec<Cause>,
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
            set_aside: Vec::new(),
        }
    }
}
