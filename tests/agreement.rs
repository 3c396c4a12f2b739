//! The model against the real accelerate: recorded answers of the oracle (../shared/oracle) to cases of our own
//! (tools/random_cases.py, chosen by tools/select_recorded.py so that every branch seen is there;
//! tools/boundary_cases.py: the same cases under every release before 1.9.0, on both sides of each change).

#![allow(clippy::unwrap_used, reason = "a test may fail")]

use std::collections::BTreeMap;

use fp8lint::cli::batch;
use serde_json::Value;

const RECORDED: &str = include_str!("recorded/accelerate.jsonl");
const BOUNDARIES: &str = include_str!("recorded/boundaries.jsonl");
/// The same where the script builds `TrainingArguments` first (tools/random_cases.py --training-args).
const TRAINING_ARGS: &str = include_str!("recorded/training_args.jsonl");

struct Recorded {
    case: Value,
    answer: Value,
}

fn recorded() -> Vec<Recorded> {
    let records = RECORDED
        .lines()
        .chain(BOUNDARIES.lines())
        .chain(TRAINING_ARGS.lines())
        .map(|line| serde_json::from_str::<Value>(line).unwrap());
    records
        .map(|record| Recorded {
            case: record["case"].clone(),
            answer: record["answer"].clone(),
        })
        .collect()
}

fn answers(cases: &[Value]) -> Vec<Value> {
    let input: String = cases.iter().map(|case| format!("{case}\n")).collect();
    let mut output = Vec::new();
    batch::answer(input.as_bytes(), &mut output).unwrap();
    String::from_utf8(output)
        .unwrap()
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

/// The variables that say the precision and the recipe.
fn recipe(environment: &Value) -> BTreeMap<String, Value> {
    let variables = environment.as_object().into_iter().flatten();
    let of_interest = variables.filter(|(name, _)| {
        *name == "ACCELERATE_MIXED_PRECISION" || name.starts_with("ACCELERATE_FP8_")
    });
    of_interest
        .map(|(name, value)| (name.clone(), value.clone()))
        .collect()
}

/// Every way in which our answer differs from the real one.
fn differences(real: &Value, ours: &Value) -> Vec<String> {
    let mut found = Vec::new();
    let mut compare = |what: &str, real: &Value, ours: &Value| {
        if real != ours {
            found.push(format!("{what}: really {real}, ours {ours}"));
        }
    };
    compare("verdict", &real["verdict"], &ours["verdict"]);
    if real.get("launcher").is_some() {
        compare("launcher", &real["launcher"], &ours["launch"]["launcher"]);
    }
    for stage in ["launch", "runtime", "prepare"] {
        let kind = &ours[stage]["exception"]["type"];
        compare(stage, &real[format!("{stage}_exception")], kind);
    }
    if real["launch_exception"].is_null()
        && recipe(&real["environment"]) != recipe(&ours["launch"]["env"])
    {
        found.push(format!(
            "environment: really {}, ours {}",
            real["environment"], ours["launch"]["env"]
        ));
    }
    found
}

#[test]
fn every_recorded_answer_is_ours() {
    let recorded = recorded();
    assert!(recorded.len() > 300, "{} cases", recorded.len());
    let cases: Vec<Value> = recorded.iter().map(|record| record.case.clone()).collect();
    let mut wrong = Vec::new();
    for (record, ours) in recorded.iter().zip(answers(&cases)) {
        let differences = differences(&record.answer, &ours);
        if !differences.is_empty() {
            wrong.push(format!("{}\n  {}", record.case, differences.join("\n  ")));
        }
    }
    assert!(
        wrong.is_empty(),
        "{} differ:\n{}",
        wrong.len(),
        wrong.join("\n")
    );
}

#[test]
fn the_recording_covers_every_verdict() {
    let verdicts: std::collections::BTreeSet<String> = recorded()
        .iter()
        .map(|record| {
            record.answer["verdict"]
                .as_str()
                .unwrap_or_default()
                .to_owned()
        })
        .collect();
    for verdict in [
        "raises@launch",
        "raises@init",
        "raises@prepare",
        "fp8:AO",
        "fp8:TE",
        "fp8:MSAMP",
        "no-fp8:bfloat16",
        "no-fp8:float16",
        "no-fp8:none",
        "no-fp8:ds-bf16",
        "no-fp8:fsdp-bfloat16",
        "no-fp8:fsdp-bfloat16+te-layers-without-fp8_autocast",
        "init-only:no:NO",
    ] {
        assert!(
            verdicts.contains(verdict),
            "{verdict} is not among {verdicts:?}"
        );
    }
}

#[test]
fn answers_name_who_decides() {
    let case = serde_json::json!({
        "accelerate": "1.15.0",
        "config_text": "distributed_type: 'NO'\nmixed_precision: fp8\nfp8_config:\n  backend: TE\n",
        "installed": ["transformer_engine"],
    });
    let answer = &answers(&[case])[0];
    assert_eq!(answer["verdict"], "fp8:TE");
    assert_eq!(answer["origins"]["mixed_precision"]["line"], 2);
}

#[test]
fn a_line_that_is_no_case_is_unknown_and_the_rest_goes_on() {
    let mut output = Vec::new();
    let input = "no json\n\n{\"accelerate\": \"0.1\"}\n{\"accelerate\": \"one\"}\n{\"accelerate\": \"1.15.0\", \"launch\": \"'\"}\n";
    batch::answer(input.as_bytes(), &mut output).unwrap();
    let output = String::from_utf8(output).unwrap();
    assert_eq!(output.lines().count(), 4);
    for line in output.lines() {
        let answer: Value = serde_json::from_str(line).unwrap();
        assert_eq!(answer["verdict"], "unknown", "{line}");
        assert!(answer["why"].as_str().is_some_and(|why| !why.is_empty()));
    }
}
