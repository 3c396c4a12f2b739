//! Every example of every rule, held against what the real accelerate does with it.
//!
//! To record again after an example has changed:
//!
//! ```text
//! FP8LINT_WRITE_CASES=cases.jsonl cargo test --test examples_recorded
//! $ORACLE_HOME/venv/bin/python ../shared/oracle/oracle.py --batch cases.jsonl --out answers.jsonl
//! python3 tools/select_recorded.py --all cases.jsonl answers.jsonl > tests/recorded/examples.jsonl
//! ```
//!
//! An example that is not recorded yet is named and passed over, so that a rule can be written without the oracle.
//! `FP8LINT_ALL_RECORDED=1`, which `.ci/full` sets, makes it fail.

#![allow(
    missing_docs,
    unreachable_pub,
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic
)]

use std::collections::BTreeMap;

use fp8lint::cli::batch;
use fp8lint::formats::{self, Kind, launch};
use fp8lint::knowledge;
use fp8lint::resolve::{Config, Run, Target};
use fp8lint::rules::{Example, RULES};
use fp8lint::source::Syntax;
use serde_json::{Value, json};

const RECORDED: &str = include_str!("recorded/examples.jsonl");

/// The release under which the examples are recorded.
const RELEASE: &str = "1.15.0";

/// The example as a case of the batch contract, on the machine that `check` assumes for it.
fn case(code: &str, example: &Example) -> Value {
    let target = Target::parse(example.target.iter().copied(), knowledge::releases()).unwrap();
    let config = Config::of_bytes(example.file, example.text.as_bytes().to_vec());
    let machine = Run::assumed(config, &target).machine;
    let ending = example.file.rsplit_once('.').unwrap().1;
    json!({
        "id": format!("{code}: {}", example.title),
        "accelerate": RELEASE,
        "config_text": example.text,
        "config_ext": format!(".{ending}"),
        "installed": machine.installed,
        "capability": format!("{}.{}", machine.capability.0, machine.capability.1),
        "files": {"ds.json": "{\"zero_optimization\": {\"stage\": 2}, \"train_micro_batch_size_per_gpu\": 1}"},
    })
}

/// Whether the file is one that goes to the launcher as its config: no launch file, no recipe, no DeepSpeed config.
fn is_given_to_accelerate(example: &Example) -> bool {
    if launch::is_launch_name(example.file) {
        return false;
    }
    let read = Syntax::of_name(example.file).read(example.text);
    let kind = formats::recognise(example.text, read.as_ref()).map(|found| found.kind);
    !matches!(kind, Some(Kind::Recipe(_) | Kind::DeepSpeed))
}

fn cases() -> Vec<(Value, &'static Example)> {
    let examples = RULES
        .iter()
        .flat_map(|rule| rule.examples.iter().map(|example| (rule.code, example)));
    // What settings declare is judged by the loader that they describe, not by accelerate; a run of several files is no
    // case of the oracle's.
    examples
        .filter(|(_, example)| example.settings.is_none() && example.beside.is_empty())
        .filter(|(_, example)| is_given_to_accelerate(example))
        .map(|(code, example)| (case(code, example), example))
        .collect()
}

#[test]
fn the_real_accelerate_does_what_every_example_shows() {
    if let Some(path) = std::env::var_os("FP8LINT_WRITE_CASES") {
        let lines: String = cases()
            .iter()
            .map(|(case, _)| format!("{case}\n"))
            .collect();
        std::fs::write(path, lines).unwrap();
        return;
    }
    let records = RECORDED
        .lines()
        .map(|line| serde_json::from_str::<Value>(line).unwrap());
    let recorded: BTreeMap<String, Value> = records
        .map(|record| (record["case"].to_string(), record["answer"].clone()))
        .collect();
    let cases = cases();
    let input: String = cases.iter().map(|(case, _)| format!("{case}\n")).collect();
    let mut output = Vec::new();
    batch::answer(input.as_bytes(), &mut output).unwrap();
    let output = String::from_utf8(output).unwrap();
    let mut wrong = String::new();
    for ((case, example), ours) in cases.iter().zip(output.lines()) {
        let ours: Value = serde_json::from_str(ours).unwrap();
        let Some(real) = recorded.get(&case.to_string()) else {
            let missing = format!("{} is not recorded: see the top of this file\n", case["id"]);
            match std::env::var_os("FP8LINT_ALL_RECORDED") {
                Some(_) => wrong += &missing,
                None => eprint!("{missing}"),
            }
            continue;
        };
        if real["verdict"] != ours["verdict"] {
            wrong += &format!(
                "{}: really {}, ours {}\n",
                case["id"], real["verdict"], ours["verdict"]
            );
        }
        // What passes runs in the precision that it asks for.
        let runs = real["verdict"].as_str().unwrap_or_default();
        if !example.fails && runs.starts_with("raises") {
            wrong += &format!("{} is said to pass, and {runs}\n", case["id"]);
        }
    }
    assert!(wrong.is_empty(), "\n{wrong}");
}
