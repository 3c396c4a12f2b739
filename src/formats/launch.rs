//! Launch commands: how training is started, in shell scripts and in every file that holds shell commands.
//!
//! Three steps. `fragments` finds the shell texts of a file (a script is one; a Dockerfile, a workflow, a Makefile hold
//! several) with the variables and the folder that the file gives them. `shell` runs each of them on paper, over the
//! tree that [`crate::source::shell`] reads: assignments, `export`, `cd`, `source`, branches, loops. `command`
//! recognises the launch commands among the commands that come out. Both look through the programs of `wrappers`
//! (`srun`, `docker run`), which run another one. What cannot be known is said to be unknown with the
//! reason, and never guessed.

mod command;
mod flags;
mod fragments;
mod shell;
mod words;
mod wrappers;

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::source::{SourceFile, Span};

pub use flags::FlagValue;

/// A place in a file: of a word, of an assignment, of a command.
#[derive(Clone, Debug)]
pub struct Spot {
    /// The file. Not always the file of the command: a variable may come from a `.env` that it loads.
    pub file: Arc<SourceFile>,
    /// The bytes.
    pub span: Span,
}

/// A text as far as it can be known without running anything.
#[derive(Clone, Debug)]
pub struct Term {
    /// The text, quotes taken away and variables filled in; or why it is not known, in the user's terms: "`$MODEL` is
    /// not assigned in this file".
    pub text: Result<String, String>,
    /// Whether it is not known and may stand for any number of words, none included: `$ARGS` without quotes, `"$@"`.
    pub is_open: bool,
    /// Where the word stands that gives it.
    pub spot: Spot,
}

impl Term {
    /// The text, if it is known.
    pub fn known(&self) -> Option<&str> {
        self.text.as_deref().ok()
    }
}

/// The program that starts the training.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Program {
    /// `accelerate launch`, `accelerate-launch`, `python -m accelerate.commands.launch`.
    AccelerateLaunch,
    /// `torchrun`, `python -m torch.distributed.run`, `python -m torch.distributed.launch`.
    Torchrun,
    /// `deepspeed`.
    DeepSpeed,
    /// `python train.py`, `python -m package.train`, also under `uv run` and the like.
    Python,
    /// `trl sft`: the subcommand.
    Trl(String),
    /// `llamafactory-cli train`: the subcommand.
    LlamaFactory(String),
    /// `axolotl train`: the subcommand.
    Axolotl(String),
    /// `swift sft`, `megatron sft` (with `megatron` first): the words of the subcommand.
    Swift(String),
}

/// The training script of a launch command.
#[derive(Clone, Debug)]
pub struct Script {
    /// Its path, or the name of the module.
    pub name: Term,
    /// Whether it is a module (`-m`).
    pub is_module: bool,
}

/// Where a command runs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Folder {
    /// In the folder from which the file is started, which is the root of the repository as a rule, or in this one
    /// below it; empty for that folder itself.
    Start(String),
    /// In the folder of the file itself (`cd "$(dirname "$0")"`), or in this one as seen from there.
    Own(String),
    /// It cannot be known.
    Unknown,
}

/// A command that starts training.
#[derive(Clone, Debug)]
pub struct LaunchCommand {
    /// The program.
    pub program: Program,
    /// The whole command, its inline variables and wrappers (`CUDA_VISIBLE_DEVICES=0 srun …`) included.
    pub spot: Spot,
    /// The words that name the program: `accelerate launch`.
    pub program_spot: Spot,
    /// Its number among the launch commands of the file, from 1: its name, which survives moving lines.
    pub ordinal: usize,
    /// The words between the program and the script, flags and their values, as they stand. Empty for a program that
    /// is the script itself (`trl sft`, `llamafactory-cli train`).
    pub flags: Vec<Term>,
    /// The script; `None` where the program is the script itself, or where none was found.
    pub script: Option<Script>,
    /// The words after the script, or after the program that is the script itself.
    pub arguments: Vec<Term>,
    /// The environment in which it runs: what is exported before it, inline, given by the file around it, or loaded.
    /// Variables that the file does not set are not in it.
    pub environment: BTreeMap<String, Term>,
    /// Where it runs.
    pub folder: Folder,
    /// Whether it stands in prose (a Markdown fence), so that nothing runs it.
    pub is_prose: bool,
    /// Whether it stands behind the `--` of another program, which may add words of its own.
    pub is_handed_on: bool,
}

/// A requirement that an install command of the file names: `pip install 'accelerate==1.7.0'`.
#[derive(Clone, Debug)]
pub struct Install {
    /// The requirement as pip reads it, or `-r FILE` with the file. `conda install accelerate=1.2` is given as
    /// `accelerate==1.2.*`.
    pub requirement: String,
    /// Where it stands.
    pub spot: Spot,
    /// Whether it stands in prose.
    pub is_prose: bool,
}

/// A file that a command of this file writes: `cat > accelerate.yaml <<'EOF'`.
#[derive(Clone, Debug)]
pub struct Written {
    /// The path that is written to, as seen from `folder`.
    pub path: Term,
    /// Where the command runs.
    pub folder: Folder,
    /// What is written. Its path is that of the script, and its text has spaces in place of everything around the
    /// body (line breaks stay), so that offsets, lines and columns are those of the script.
    pub file: Arc<SourceFile>,
    /// The bytes of the body.
    pub body: Span,
}

/// A file that a command writes or changes with a content that is not known.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Touched {
    /// Its path, as it is written.
    pub path: String,
    /// Where in the launch file that stands.
    pub at: usize,
}

/// What a file says about launching.
#[derive(Clone, Debug, Default)]
pub struct LaunchFile {
    /// Its launch commands, in the order of the text.
    pub commands: Vec<LaunchCommand>,
    /// What it installs.
    pub installs: Vec<Install>,
    /// What it writes.
    pub written: Vec<Written>,
    /// The files that it writes or changes with a content that is not known (`sed -i`, `cp`, `wget -O`).
    pub touched: Vec<Touched>,
}

/// The files beside a launch file that it loads (`source env.sh`, `.env`).
pub trait Loaded {
    /// The file at `path`, as seen from `folder`; `None` where there is none, or where it may not be read.
    fn load(&self, path: &str, folder: &Folder) -> Option<Arc<SourceFile>>;
}

/// Nothing can be loaded.
#[derive(Clone, Copy, Debug, Default)]
pub struct NothingLoaded;

impl Loaded for NothingLoaded {
    fn load(&self, _path: &str, _folder: &Folder) -> Option<Arc<SourceFile>> {
        None
    }
}

/// Whether a file of this name is one that can hold launch commands: a shell script (also without an ending, which its
/// first line tells), a Makefile, a Dockerfile, a workflow, …
pub fn may_be_launch_file(path: &str, text: &str) -> bool {
    fragments::Container::of(path, text).is_some()
}

/// Whether a file of this name is no config whatever it says: a script, a page, a Makefile.
pub fn is_launch_name(path: &str) -> bool {
    let is_data = [".yaml", ".yml", ".json"]
        .iter()
        .any(|ending| path.ends_with(ending));
    !is_data && fragments::Container::of(path, "").is_some()
}

/// How comments are written in a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Comments {
    /// `#`, also behind something else.
    Hash,
    /// `#`, alone on its line: behind something else it is part of that.
    HashAlone,
    /// `<!-- … -->`.
    Html,
    /// There are none.
    None,
}

/// How comments are written in a file of this name that holds launch commands.
pub fn comments(path: &str, text: &str) -> Comments {
    match fragments::Container::of(path, text) {
        Some(fragments::Container::Dockerfile) => Comments::HashAlone,
        Some(fragments::Container::Markdown) => Comments::Html,
        Some(fragments::Container::VsCode) => Comments::None,
        _ if path.ends_with(".json") => Comments::None,
        _ => Comments::Hash,
    }
}

/// What a file says about launching; nothing where it holds no launch command.
pub fn read(file: &Arc<SourceFile>, loaded: &dyn Loaded) -> LaunchFile {
    let mut found = LaunchFile::default();
    for fragment in fragments::of(file) {
        command::collect(&fragment, loaded, &mut found);
    }
    for (position, command) in found.commands.iter_mut().enumerate() {
        command.ordinal = position + 1;
    }
    found
}
