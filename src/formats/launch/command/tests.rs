//! Commands made by hand, and what comes of them.

mod wrappers;

use proptest::prelude::*;

use crate::source::Span;

use super::super::{Folder, Spot};
use super::*;

/// The words of a text, split at blanks. A word with `$` is not known, and open unless it is quoted.
pub(in super::super) fn terms(text: &str) -> Vec<Term> {
    let file = Arc::new(SourceFile::from_text("run.sh", text));
    let mut start = 0;
    let mut found = Vec::new();
    for word in text.split(' ') {
        let span = Span::new(start, start + word.len());
        start = span.end + 1;
        if word.is_empty() {
            continue;
        }
        let is_known = !word.contains('$');
        found.push(Term {
            text: if is_known {
                Ok(word.trim_matches('"').to_owned())
            } else {
                Err(format!("`{word}` is not assigned in this file"))
            },
            is_open: !is_known && !word.starts_with('"'),
            spot: Spot {
                file: Arc::clone(&file),
                span,
            },
        });
    }
    found
}

/// The same, with `_` for the blanks within a word.
pub(in super::super) fn terms_with_blanks(text: &str) -> Vec<Term> {
    let mut words = terms(text);
    for word in &mut words {
        word.text = word
            .known()
            .map(|text| text.replace('_', " "))
            .ok_or_else(String::new);
    }
    words
}

/// One known word.
pub(in super::super) fn term(text: &str) -> Term {
    let mut term = open(text);
    term.text = Ok(text.to_owned());
    term.is_open = false;
    term
}

/// One word that may be any number of words.
pub(in super::super) fn open(text: &str) -> Term {
    let file = Arc::new(SourceFile::from_text("run.sh", text));
    Term {
        text: Err(format!("`{text}` is not assigned in this file")),
        is_open: true,
        spot: Spot {
            file,
            span: Span::new(0, text.len()),
        },
    }
}

/// Words as they stand in the file.
pub(super) fn shown(terms: &[Term]) -> String {
    let words: Vec<&str> = terms.iter().map(words::written).collect();
    words.join(" ")
}

/// What the commands of a text come to, one a line, with these variables exported.
fn read_with(text: &str, environment: &[(&str, &str)]) -> LaunchFile {
    let mut found = LaunchFile::default();
    let words = terms(text);
    let file = Arc::clone(&words[0].spot.file);
    let environment = environment.iter();
    let command = Executed {
        spot: Spot {
            file: Arc::clone(&file),
            span: Span::new(0, text.len()),
        },
        words,
        environment: environment
            .map(|(name, value)| ((*name).to_owned(), term(value)))
            .collect(),
        folder: Folder::Start(String::new()),
        redirections: Vec::new(),
        has_run_text: false,
    };
    let mut collector = Collector {
        file: &file,
        is_prose: false,
        loaded: &Env,
        found: &mut found,
        is_handed_on: false,
        inner_bytes: 0,
    };
    collector.take(command, 0);
    found
}

pub(in super::super) fn read(text: &str) -> LaunchFile {
    read_with(text, &[])
}

/// Beside the command there is a `.env`.
struct Env;

impl Loaded for Env {
    fn load(&self, path: &str, _folder: &Folder) -> Option<Arc<SourceFile>> {
        (path == ".env").then(|| Arc::new(SourceFile::from_text(".env", "FROM_FILE=1\n")))
    }
}

/// The program's words, then flags, script and arguments with ` | ` between.
fn summary(command: &LaunchCommand) -> String {
    let script = command.script.as_ref();
    let script = script.map_or(String::new(), |script| {
        format!(
            "{}{}",
            if script.is_module { "-m " } else { "" },
            words::written(&script.name)
        )
    });
    format!(
        "{:?}: {} | {script} | {}",
        command.program,
        shown(&command.flags),
        shown(&command.arguments)
    )
}

fn summaries(text: &str) -> String {
    let found = read(text);
    found
        .commands
        .iter()
        .map(summary)
        .collect::<Vec<_>>()
        .join("; ")
}

#[test]
fn programs_are_recognised() {
    for (text, expected) in [
        (
            "accelerate launch train.py",
            "AccelerateLaunch:  | train.py | ",
        ),
        (
            "/opt/conda/bin/accelerate launch train.py",
            "AccelerateLaunch:  | train.py | ",
        ),
        (
            "$VENV/bin/accelerate launch train.py",
            "AccelerateLaunch:  | train.py | ",
        ),
        (
            "accelerate-launch --cpu a.py b",
            "AccelerateLaunch: --cpu | a.py | b",
        ),
        (
            "python -m accelerate.commands.launch --cpu a.py",
            "AccelerateLaunch: --cpu | a.py | ",
        ),
        (
            "python3.11 -u -m accelerate.commands.accelerate_cli launch a.py",
            "AccelerateLaunch:  | a.py | ",
        ),
        (
            "accelerate launch llamafactory-cli train x.yaml",
            "AccelerateLaunch:  | llamafactory-cli | train x.yaml",
        ),
        (
            "accelerate launch -m axolotl.cli.train x.yml",
            "AccelerateLaunch: -m | -m axolotl.cli.train | x.yml",
        ),
        (
            "torchrun --nproc_per_node 8 a.py",
            "Torchrun: --nproc_per_node 8 | a.py | ",
        ),
        (
            "python -m torch.distributed.run --nnodes=1 a.py",
            "Torchrun: --nnodes=1 | a.py | ",
        ),
        ("python -u /usr/bin/torchrun a.py", "Torchrun:  | a.py | "),
        (
            "deepspeed --num_gpus 8 a.py --deepspeed z.json",
            "DeepSpeed: --num_gpus 8 | a.py | --deepspeed z.json",
        ),
        ("python a.py x", "Python:  | a.py | x"),
        ("python -u $DIR/a.py x", "Python: -u | $DIR/a.py | x"),
        (
            "python -m axolotl.cli.train x.yml",
            "Python: -m | -m axolotl.cli.train | x.yml",
        ),
        (
            "trl sft --config x.yaml",
            "Trl(\"sft\"):  |  | --config x.yaml",
        ),
        (
            "llamafactory-cli train x.yaml bf16=true",
            "LlamaFactory(\"train\"):  |  | x.yaml bf16=true",
        ),
        (
            "axolotl train x.yml --launcher torchrun -- --config_file A.yaml",
            "Axolotl(\"train\"):  |  | x.yml --launcher torchrun -- --config_file A.yaml",
        ),
        ("swift sft x.yaml", "Swift(\"sft\"):  |  | x.yaml"),
        (
            "megatron sft --load x",
            "Swift(\"megatron sft\"):  |  | --load x",
        ),
        ("uv run train.py --lr 1", "Python:  | train.py | --lr 1"),
        (
            "python mason.py --gpus 8 -- accelerate launch a.py",
            "AccelerateLaunch:  | a.py | ",
        ),
        (
            "python mason.py -- pip install x && accelerate launch a.py",
            "AccelerateLaunch:  | a.py | ",
        ),
        (
            "sky exec cluster -- env A=1 torchrun a.py",
            "Torchrun:  | a.py | ",
        ),
        (
            "python a.py -- python b.py",
            "Python:  | a.py | -- python b.py",
        ),
        (
            "uv run -m torch.distributed.run --nnodes 1 a.py",
            "Torchrun: --nnodes 1 | a.py | ",
        ),
        (
            "uv run -m pkg.train --lr 1",
            "Python:  | -m pkg.train | --lr 1",
        ),
    ] {
        assert_eq!(summaries(text), expected, "{text}");
    }
}

#[test]
fn other_commands_are_none() {
    for text in [
        "accelerate",
        "accelerate config",
        "accelerate test --config_file a.yaml",
        "$PYTHON train.py",
        "python",
        "python -c import torch",
        "python setup.py install",
        "python -m pip install accelerate",
        "python -m pytest tests/a.py",
        "python $SCRIPT",
        "python script",
        "trl chat --model x",
        "trl",
        "llamafactory-cli export x.yaml",
        "axolotl preprocess x.yml",
        "axolotl $COMMAND x.yml",
        "swift infer",
        "echo accelerate launch train.py",
        "srun",
        "docker run image",
        "kubectl exec pod accelerate launch a.py",
        "uv run python",
        "uv --version",
        "uv sync",
    ] {
        assert_eq!(summaries(text), "", "{text}");
    }
}

#[test]
fn a_command_has_the_places_of_its_parts() {
    let text = "nohup accelerate launch --cpu a.py";
    let found = read(text);
    let command = &found.commands[0];
    let slice = |spot: &Spot| spot.file.slice(spot.span).to_owned();
    assert_eq!(slice(&command.spot), text);
    assert_eq!(slice(&command.program_spot), "accelerate launch");
}

proptest! {
    #[test]
    fn no_words_are_too_much(
        words in proptest::collection::vec(
            prop_oneof![
                "[-=,.$\"'`é0aX:/@\\[\\]~]{0,6}",
                proptest::sample::select(vec![
                    "srun", "env", "uv", "run", "-m", "--", "docker", "exec", "--export=ALL,A=é,B", "-e", "A=é,=",
                    "accelerate", "launch", "python", "torchrun", "bash", "-c", "pip", "conda", "install", "$A",
                    "--config_file", "tee", "tmux", "new", "é=$B", "-ré", "a.py", "--directory",
                ]).prop_map(str::to_owned),
            ],
            1..12,
        )
    ) {
        let text = words.join(" ");
        if !text.trim().is_empty() {
            for command in read(&text).commands {
                let _ = command.named_files();
                let _ = command.flag(&["--config_file"]);
                for term in command.environment.values().chain(&command.arguments) {
                    let span = term.spot.span;
                    prop_assert!(term.spot.file.text().get(span.start..span.end).is_some());
                }
            }
        }
    }
}

#[test]
fn words_without_a_shell_are_one_command() {
    let words = terms("accelerate launch a.py");
    let fragment = Fragment {
        file: Arc::clone(&words[0].spot.file),
        body: Body::Words(words),
        environment: vec![("A".to_owned(), term("1"))],
        folder: Folder::Unknown,
        is_prose: true,
    };
    let mut found = LaunchFile::default();
    collect(&fragment, &Env, &mut found);
    let command = &found.commands[0];
    assert_eq!(summary(command), "AccelerateLaunch:  | a.py | ");
    assert!(command.is_prose);
    assert_eq!(command.environment["A"].known(), Some("1"));
}
