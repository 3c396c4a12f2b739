//! Which program a command starts.

use super::super::words::base_name;
use super::super::wrappers::shells;
use super::super::{Program, Term};
use super::options::{DEEPSPEED, Options, TORCHRUN};

/// A program that starts training.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Start {
    pub(super) program: Program,
    /// How many words name it.
    pub(super) length: usize,
    /// How the words after it are read; `None` where the program is the script itself.
    pub(super) options: Option<Options>,
}

/// Programs whose name alone says it, and Python modules that are the same.
const ALIASES: &[(&str, Launcher)] = &[
    ("accelerate-launch", Launcher::Accelerate),
    ("torchrun", Launcher::Torchrun),
    ("deepspeed", Launcher::DeepSpeed),
];
const MODULES: &[(&str, Launcher)] = &[
    ("accelerate.commands.launch", Launcher::Accelerate),
    ("torch.distributed.run", Launcher::Torchrun),
    ("torch.distributed.launch", Launcher::Torchrun),
    ("deepspeed.launcher.runner", Launcher::DeepSpeed),
];

/// Programs with subcommands that train: names, subcommands. Read from trl 0.17.0, 0.24.0 and 1.16.0 (`trl/cli.py`, later
/// `trl/cli/commands`), llamafactory 0.9.5 (`launcher.py`, `entry_points.txt`), axolotl 0.12.2 (`axolotl/cli/main.py`) and
/// ms-swift 4.6.0.dev0 (`swift/cli/main.py`, `swift/cli/_megatron/main.py`). Of `trl`, these have sft, dpo, grpo, kto,
/// reward and rloo; of `swift`, sft, pt and rlhf. The others are names of trainers.
const FRAMEWORKS: &[(&str, Framework, &str)] = &[
    (
        "trl",
        Framework::Trl,
        "sft dpo grpo kto reward rloo orpo cpo ppo online_dpo online-dpo nash_md xpo prm gkd bco sft_video",
    ),
    ("llamafactory-cli", Framework::LlamaFactory, "train"),
    ("lmf", Framework::LlamaFactory, "train"),
    ("axolotl", Framework::Axolotl, "train"),
    (
        "swift",
        Framework::Swift,
        "sft pt rlhf dpo orpo simpo cpo kto",
    ),
    ("megatron", Framework::Megatron, "sft pt rlhf"),
];

/// Python modules and scripts that train nothing.
const OTHER_MODULES: &str = "pip venv virtualenv ensurepip pytest unittest doctest build twine http.server \
    json.tool compileall py_compile site sysconfig timeit pdb cProfile black ruff isort flake8 mypy pylint pre_commit \
    coverage ipykernel jupyter notebook uv pipx poetry nltk.downloader spacy wheel setuptools zipfile tarfile \
    pip_audit piptools nbconvert sphinx mkdocs vllm.entrypoints.openai.api_server sglang.launch_server \
    tensorboard.main gdown bitsandbytes xformers.info torch.utils.collect_env accelerate.commands.config \
    accelerate.commands.accelerate_cli";
const OTHER_SCRIPTS: &str = "setup.py conftest.py manage.py get-pip.py collect_env.py";

#[derive(Clone, Copy)]
enum Launcher {
    Accelerate,
    Torchrun,
    DeepSpeed,
}

#[derive(Clone, Copy)]
enum Framework {
    Trl,
    LlamaFactory,
    Axolotl,
    Swift,
    Megatron,
}

impl Launcher {
    fn start(self, length: usize) -> Start {
        let (program, options) = match self {
            Self::Accelerate => (Program::AccelerateLaunch, Options::Accelerate),
            Self::Torchrun => (Program::Torchrun, Options::Listed(&TORCHRUN)),
            Self::DeepSpeed => (Program::DeepSpeed, Options::Listed(&DEEPSPEED)),
        };
        Start {
            program,
            length,
            options: Some(options),
        }
    }
}

impl Framework {
    fn program(self, subcommand: &str) -> Program {
        let subcommand = subcommand.to_owned();
        match self {
            Self::Trl => Program::Trl(subcommand),
            Self::LlamaFactory => Program::LlamaFactory(subcommand),
            Self::Axolotl => Program::Axolotl(subcommand),
            Self::Swift => Program::Swift(subcommand),
            Self::Megatron => Program::Swift(format!("megatron {subcommand}")),
        }
    }
}

/// The program with which these words begin.
pub(super) fn start_of(words: &[Term]) -> Option<Start> {
    let name = base_name(words.first()?)?;
    let second = words.get(1).and_then(Term::known);
    if name == "accelerate" {
        return (second == Some("launch")).then(|| Launcher::Accelerate.start(2));
    }
    if let Some((_, launcher)) = ALIASES.iter().find(|(alias, _)| *alias == name) {
        return Some(launcher.start(1));
    }
    if let Some((_, framework, subcommands)) = FRAMEWORKS.iter().find(|(known, ..)| *known == name)
    {
        let subcommand = second?;
        let trains = subcommands
            .split_ascii_whitespace()
            .any(|known| known == subcommand);
        return trains.then(|| Start {
            program: framework.program(subcommand),
            length: 2,
            options: None,
        });
    }
    is_python(name).then(|| python(words))
}

/// Whether a command that starts training begins here, and nothing else can.
pub(in super::super) fn begins(words: &[Term]) -> bool {
    start_of(words).is_some() || shells::text_of(words).is_some()
}

fn is_python(name: &str) -> bool {
    name.strip_prefix("python").is_some_and(|version| {
        version
            .bytes()
            .all(|byte| byte.is_ascii_digit() || byte == b'.')
    })
}

/// Python, or the launcher that its module or script is.
fn python(words: &[Term]) -> Start {
    let plain = Start {
        program: Program::Python,
        length: 1,
        options: Some(Options::Python),
    };
    let Some((at, is_module)) = python_target(words) else {
        return plain;
    };
    let Some(target) = words.get(at) else {
        return plain;
    };
    if is_module {
        let module = words.get(at..).and_then(of_module);
        return module.map_or(plain, |start| Start {
            length: at + start.length,
            ..start
        });
    }
    // `python $(which torchrun) …`
    let is_program = !matches!(base_name(target), Some(name) if is_python(name));
    let inner = words.get(at..).filter(|_| is_program).and_then(start_of);
    match inner {
        Some(start) => Start {
            length: at + start.length,
            ..start
        },
        None => plain,
    }
}

/// The launcher that the module is with whose name the words begin.
pub(super) fn of_module(words: &[Term]) -> Option<Start> {
    let module = words.first()?.known()?;
    let second = words.get(1).and_then(Term::known);
    if module == "accelerate.commands.accelerate_cli" {
        return (second == Some("launch")).then(|| Launcher::Accelerate.start(2));
    }
    let known = MODULES.iter().find(|(known, _)| *known == module);
    known.map(|(_, launcher)| launcher.start(1))
}

/// Where Python's module or script stands.
fn python_target(words: &[Term]) -> Option<(usize, bool)> {
    let split = super::split::split(words.get(1..)?, Options::Python);
    let script = split.script?;
    Some((split.flags.len() + 1, script.is_module))
}

/// Whether Python's script or module may be one that trains: not an installer, a test runner or the like.
pub(super) fn may_train(script: &super::super::Script) -> bool {
    let listed = |list: &str, name: &str| list.split_ascii_whitespace().any(|known| known == name);
    if script.is_module {
        let module = script.name.known().unwrap_or_default();
        return !listed(OTHER_MODULES, module);
    }
    let name = base_name(&script.name);
    super::words::is_python_file(&script.name)
        && !name.is_some_and(|name| listed(OTHER_SCRIPTS, name))
}
