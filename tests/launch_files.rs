//! Launch commands of whole files. `FP8LINT_LAUNCH_FILES=FOLDER cargo test --test launch_files -- --nocapture` prints
//! those of a folder, one JSON object a line, for tools/launch_commands.py.

#![allow(clippy::unwrap_used, reason = "a test may fail")]

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use fp8lint::formats::launch::{self, LaunchCommand, LaunchFile, NothingLoaded, Term};
use fp8lint::source::SourceFile;
use serde_json::{Value, json};

const SCRIPT: &str = include_str!("launch/train.sh");

fn read(path: &str, text: &str) -> LaunchFile {
    let file = Arc::new(SourceFile::from_text(path, text));
    launch::read(&file, &NothingLoaded)
}

fn words(terms: &[Term]) -> Vec<Option<&str>> {
    terms.iter().map(Term::known).collect()
}

fn shown(path: &str, command: &LaunchCommand) -> Value {
    let config = command.flag(&["--config_file"]).and_then(|flag| flag.value);
    let file = &command.spot.file;
    json!({
        "path": path,
        "line": file.line_column(command.spot.span.start).line,
        "written": file.slice(command.spot.span),
        "program": format!("{:?}", command.program),
        "config": config.as_ref().map(Term::known),
        "flags": words(&command.flags),
        "script": command.script.as_ref().map(|script| script.name.known()),
        "is_module": command.script.as_ref().is_some_and(|script| script.is_module),
        "arguments": words(&command.arguments),
        "environment": command.environment.keys().collect::<Vec<_>>(),
        "folder": format!("{:?}", command.folder),
        "is_prose": command.is_prose,
    })
}

fn files(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            files(&path, found);
        } else {
            found.push(path);
        }
    }
}

#[test]
#[allow(clippy::print_stdout, reason = "the tool reads what is printed")]
fn the_commands_of_a_folder() {
    let Some(folder) = std::env::var_os("FP8LINT_LAUNCH_FILES") else {
        return;
    };
    let folder = Path::new(&folder);
    let mut paths = Vec::new();
    files(folder, &mut paths);
    paths.sort();
    for path in paths {
        let name = path.strip_prefix(folder).unwrap().to_str().unwrap();
        let Ok(text) = fs::read_to_string(&path) else {
            continue;
        };
        for command in &read(name, &text).commands {
            println!("{}", shown(name, command));
        }
    }
}

#[test]
fn a_script_with_most_of_what_is_met() {
    let found = read("train.sh", SCRIPT);
    let commands: Vec<String> = found
        .commands
        .iter()
        .map(|command| {
            let value = shown("train.sh", command);
            format!(
                "{} {} | {} | {} | {}",
                command.ordinal,
                value["program"],
                value["config"],
                value["script"],
                command.environment.len()
            )
        })
        .collect();
    let expected = [
        r#"1 "AccelerateLaunch" | "fsdp.yaml" | "train.py" | 1"#,
        r#"2 "AccelerateLaunch" | "configs/zero3.yaml" | "trl.scripts.sft" | 2"#,
        r#"3 "Torchrun" | null | "train.py" | 1"#,
        r#"4 "Trl(\"sft\")" | null | null | 1"#,
    ];
    assert_eq!(commands, expected);
    let installs: Vec<&str> = found
        .installs
        .iter()
        .map(|install| install.requirement.as_str())
        .collect();
    assert_eq!(installs, ["accelerate==1.12.0", "trl>=0.19"]);
    assert_eq!(found.written.len(), 1);
    let written = &found.written[0];
    assert_eq!(written.path.known(), Some("fsdp.yaml"));
    assert_eq!(written.file.slice(written.body), "mixed_precision: fp8\n");
}

/// Read in quadratic time these would take minutes each.
#[test]
fn large_scripts_are_read() {
    let many = 5_000;
    for line in [
        "srun --export=ALL,A=$B --gres gpu:8 accelerate launch --config_file a.yaml $ARGS train.py\n",
        "env A=1 bash -c 'accelerate launch train.py'\n",
        "export A=1; python -m $X $Y $Z --a --b --c d\n",
        "srun $A uv -q python -c x env env docker run x bash -c x\n",
        "pip install a b c -r d\ncat > a.yaml <<EOF\na: 1\nEOF\n",
    ] {
        read("run.sh", &line.repeat(many));
        let one_line = line.replace('\n', " ");
        read("run.sh", &format!("srun {}", one_line.repeat(many / 10)));
    }
}
