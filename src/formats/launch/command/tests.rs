//! Commands made by hand, and what comes of them.

use std::collections::BTreeMap;

use crate::source::Span;

use super::super::{Folder, Spot};
use super::*;

/// The words of a text, split at blanks. A word with `$` is not known, and open unless it is quoted.
pub(super) fn terms(text: &str) -> Vec<Term> {
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

/// One known word.
pub(super) fn term(text: &str) -> Term {
    let mut term = open(text);
    term.text = Ok(text.to_owned());
    term.is_open = false;
    term
}

/// One word that may be any number of words.
pub(super) fn open(text: &str) -> Term {
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
    };
    let mut collector = Collector {
        file: &file,
        is_prose: false,
        loaded: &Env,
        found: &mut found,
    };
    collector.take(&command, 0);
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
fn wrappers_are_taken_away() {
    for wrapper in [
        "env A=1 -u B",
        "env -i",
        "exec",
        "nohup",
        "time -p",
        "nice -n 10",
        "nice -10",
        "ionice -c2 -n 0",
        "stdbuf -oL -eL",
        "timeout -k 10 3h",
        "setsid -w",
        "sudo -E -u user A=1",
        "numactl --cpunodebind=0 --membind=0",
        "numactl -N 0 -m 0",
        "taskset -c 0-7",
        "srun",
        "srun --nodes=2 --ntasks 8 -c4 -l --kill-on-bad-exit=1",
        "srun -K1 --mpi=pmi2 --container-image x.sqsh",
        "srun $SRUN_ARGS",
        "srun --not-known value",
        "srun --gres=gpu:$N --job-name $NAME",
        "mpirun -np 8 -x A=1 --mca btl tcp --bind-to none -H a:8,b:8",
        "mpiexec -n $N",
        "horovodrun -np 8 -H localhost:8",
        "uv run",
        "uv run --with x --python 3.11 --env-file .env --project a --no-sync --",
        "uv --directory a run",
        "uvx --from accelerate",
        "uv tool run --from accelerate",
        "poetry run",
        "pdm run -p a",
        "pipenv run",
        "pixi run -e cuda",
        "hatch run",
        "conda run -n env --no-capture-output",
        "mamba run -n env",
        "docker run --rm -it --gpus all -v $PWD:/w -w /w -e A=1 --env-file .env image:tag",
        "docker compose run --rm trainer",
        "docker exec -it name",
        "kubectl exec -it pod -c main --",
        "apptainer exec --nv --env A=1 image.sif",
        "singularity exec --nv -B /data:/data image.sif",
        "dotenv run --",
        "dotenv -f .env run --",
        "screen -dmS name",
        "nsys profile -o out --trace=cuda,nvtx",
        "ncu --set full",
        "py-spy record -o out.svg --",
        "sudo nohup env A=1 time",
        "srun apptainer exec x.sif env A=1",
    ] {
        let text = format!("{wrapper} accelerate launch --cpu a.py b");
        assert_eq!(
            summaries(&text),
            "AccelerateLaunch: --cpu | a.py | b",
            "{text}"
        );
    }
}

#[test]
fn wrappers_change_environment_and_folder() {
    let start = |path: &str| Folder::Start(path.to_owned());
    for (wrapper, environment, folder) in [
        ("nohup", "A=0 B=0", start("")),
        ("env A=1 C=$X", "A=1 B=0 C=?", start("")),
        ("env -u A", "B=0", start("")),
        ("env -i A=1", "A=1", start("")),
        ("env -C sub", "A=0 B=0", start("sub")),
        ("sudo A=1", "A=1", start("")),
        ("sudo -E A=1", "A=1 B=0", start("")),
        ("srun --export=ALL,C=2,D=x", "A=0 B=0 C=2 D=x", start("")),
        ("srun --export=NONE", "", start("")),
        ("srun --export=A,C=2", "A=0 C=2", start("")),
        ("srun -D sub --chdir=sub/x", "A=0 B=0", start("sub/sub/x")),
        ("mpirun -np 2 -x A=1 -x B", "A=1 B=0", start("")),
        ("uv run --env-file .env", "A=0 B=0 FROM_FILE=1", start("")),
        ("uv run --directory sub", "A=0 B=0", start("sub")),
        (
            "docker run -e A -e C=1,2 image",
            "A=0 C=1,2",
            Folder::Unknown,
        ),
        (
            "apptainer exec --env A=1,C=2 image",
            "A=1 B=0 C=2",
            Folder::Unknown,
        ),
        ("kubectl exec pod --", "", Folder::Unknown),
    ] {
        let text = format!("{wrapper} torchrun a.py");
        let found = read_with(&text, &[("A", "0"), ("B", "0")]);
        let command = &found.commands[0];
        let shown: Vec<String> = command
            .environment
            .iter()
            .map(|(name, value)| format!("{name}={}", value.known().unwrap_or("?")))
            .collect();
        assert_eq!(shown.join(" "), environment, "{text}");
        assert_eq!(command.folder, folder, "{text}");
    }
}

#[test]
fn what_a_wrapper_sets_has_its_place() {
    let found = read("srun --export=ALL,C=2,D=xy torchrun a.py");
    let environment: &BTreeMap<String, Term> = &found.commands[0].environment;
    assert_eq!(words::written(&environment["C"]), "2");
    assert_eq!(words::written(&environment["D"]), "xy");
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
