//! Dockerfiles: each `RUN`, and the `ENTRYPOINT` with the `CMD` of each stage.

mod instructions;
mod values;

use std::collections::BTreeMap;

use crate::source::{Span, Syntax};

use super::super::Folder;
use super::collector::{Collector, Environment, Given};
use super::paths;
use super::text::{Builder, MappedText};
use super::words::Word;
use super::yaml::Tree;

use instructions::Instruction;
use values::Scope;

/// How many stages are kept for later ones to begin from.
const STAGE_LIMIT: usize = 64;

/// How many places the repository may be copied to.
const COPY_LIMIT: usize = 16;

/// `RUN`, `CMD` or `ENTRYPOINT`.
#[derive(Clone)]
enum Command {
    Shell(MappedText),
    Words(Vec<Word>),
}

/// What a stage has come to.
#[derive(Clone, Default)]
struct Stage {
    /// `ARG`, which only `RUN` sees.
    arguments: Environment,
    /// `ENV`.
    environment: Environment,
    /// `WORKDIR`, absolute; `None` where it is not known.
    folder: Option<String>,
    /// The folders into which the whole repository was copied.
    copied: Vec<String>,
    entrypoint: Option<Command>,
    command: Option<Command>,
    /// Whether this stage says itself what runs.
    is_said: bool,
}

impl Stage {
    fn new() -> Self {
        Self {
            folder: Some("/".to_owned()),
            ..Self::default()
        }
    }

    fn folder(&self) -> Folder {
        let Some(folder) = &self.folder else {
            return Folder::Unknown;
        };
        let below = self
            .copied
            .iter()
            .rev()
            .find_map(|copied| paths::inside(folder, copied));
        below.map_or(Folder::Unknown, paths::start)
    }

    /// Adds what the stage runs when it is started.
    fn finish(&self, found: &mut Collector<'_>) {
        if !self.is_said {
            return;
        }
        let folder = self.folder();
        let given = Given {
            layers: &[&self.environment],
            folder: &folder,
            loaded: &[],
        };
        let mut words = match &self.entrypoint {
            Some(Command::Shell(text)) => {
                found.shell(text.clone(), &given);
                return;
            }
            Some(Command::Words(words)) => words.clone(),
            None => Vec::new(),
        };
        match &self.command {
            Some(Command::Shell(text)) => found.shell(text.clone(), &given),
            Some(Command::Words(more)) => words.extend(more.iter().cloned()),
            None => {}
        }
        found.words(words, &given, &mut |text, _| text);
    }
}

pub(super) fn collect(found: &mut Collector<'_>) {
    let mut stages: BTreeMap<String, Stage> = BTreeMap::new();
    // `ARG` before the first `FROM`.
    let mut global = Environment::default();
    let mut stage: Option<(Stage, Option<String>)> = None;
    let mut count = 0;
    for instruction in instructions::of(found.file.text()) {
        if instruction.is("FROM") {
            if let Some((done, name)) = stage.take() {
                done.finish(found);
                if stages.len() < STAGE_LIMIT {
                    stages.extend(name.map(|name| (name, done.clone())));
                    stages.insert(count.to_string(), done);
                }
                count += 1;
            }
            let words = instruction.arguments.text.split_whitespace();
            let words: Vec<&str> = words.filter(|word| !word.starts_with("--")).collect();
            let base = words
                .first()
                .and_then(|base| stages.get(&base.to_lowercase()));
            let mut next = base.cloned().unwrap_or_else(Stage::new);
            next.is_said = false;
            next.arguments = Environment::default();
            let name = words.get(2).map(|name| name.to_lowercase());
            stage = Some((next, name));
            continue;
        }
        match &mut stage {
            Some((stage, _)) => apply(stage, &global, &instruction, found),
            None if instruction.is("ARG") => {
                let nothing = Environment::default();
                values::arguments(
                    &instruction.arguments,
                    &nothing,
                    None,
                    &mut global,
                    found.file,
                );
            }
            None => {}
        }
    }
    if let Some((stage, _)) = stage {
        stage.finish(found);
    }
}

fn apply(
    stage: &mut Stage,
    global: &Environment,
    instruction: &Instruction,
    found: &mut Collector<'_>,
) {
    let arguments = &instruction.arguments;
    match instruction.keyword.as_str() {
        "ARG" => {
            values::arguments(
                arguments,
                &stage.environment,
                Some(global),
                &mut stage.arguments,
                found.file,
            );
        }
        "ENV" => values::variables(
            arguments,
            &stage.arguments,
            &mut stage.environment,
            found.file,
        ),
        "WORKDIR" => {
            let scope = Scope(&[&stage.arguments, &stage.environment]);
            let path = values::value(arguments, 0, false, &scope, found.file).1;
            let path = path.known().map(str::to_owned);
            stage.folder = stage
                .folder
                .as_ref()
                .zip(path)
                .map(|(folder, path)| paths::join(folder, &path));
        }
        "COPY" | "ADD" => {
            if let Some(text) = instruction.written_file() {
                run(stage, &Command::Shell(text), found);
                return;
            }
            let words = arguments.text.split_whitespace();
            let words: Vec<&str> = words.filter(|word| !word.starts_with("--")).collect();
            let is_here = !arguments.text.contains("--from=");
            if let ([".", to] | ["./", to], true, Some(folder)) =
                (words.as_slice(), is_here, &stage.folder)
            {
                let to = paths::join(folder, to);
                if stage.copied.len() < COPY_LIMIT && !stage.copied.contains(&to) {
                    stage.copied.push(to);
                }
            }
        }
        "RUN" => {
            let command = match words(arguments, found) {
                Some(words) => Command::Words(words),
                None => Command::Shell(instruction.script()),
            };
            run(stage, &command, found);
        }
        "ENTRYPOINT" | "CMD" => {
            let command = match words(arguments, found) {
                Some(words) => Command::Words(words),
                None => Command::Shell(arguments.clone()),
            };
            stage.is_said = true;
            if instruction.is("CMD") {
                stage.command = Some(command);
            } else {
                stage.entrypoint = Some(command);
                // An entry point takes away the command that came with the base.
                stage.command = None;
            }
        }
        _ => {}
    }
}

fn run(stage: &Stage, command: &Command, found: &mut Collector<'_>) {
    let folder = stage.folder();
    let given = Given {
        layers: &[&stage.arguments, &stage.environment],
        folder: &folder,
        loaded: &[],
    };
    match command {
        Command::Shell(text) => found.shell(text.clone(), &given),
        Command::Words(words) => found.words(words.clone(), &given, &mut |text, _| text),
    }
}

/// The words of the JSON form; `None` for the form that a shell reads.
fn words(arguments: &MappedText, found: &Collector<'_>) -> Option<Vec<Word>> {
    if !arguments.text.trim_start().starts_with('[') {
        return None;
    }
    let tree = Tree::read(found.file, &arguments.text, 0, Syntax::Json)?;
    let words = tree.root().elements().map(|node| {
        let text = arguments.through(&tree.scalar(node)?);
        let span = tree.span(node);
        // Without the quotes, except where nothing is between them.
        let span = if text.text.is_empty() {
            arguments.in_file(span)
        } else {
            text.source()
        };
        let term = found.term(Ok(text.text.clone()), span);
        Some(Word { text, term })
    });
    words.collect()
}

/// A text that stands for the keyword of an instruction, and then a text of the file.
fn after_keyword(prefix: &str, keyword: Span, text: &MappedText) -> Builder {
    let mut builder = Builder::new(keyword.start);
    builder.replaced(prefix, keyword);
    builder.whole(text);
    builder
}
