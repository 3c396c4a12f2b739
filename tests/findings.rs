//! Findings against the real accelerate: what it refuses or raises on is never passed over, what it runs is never said
//! to be refused or to raise.

#![allow(
    missing_docs,
    unreachable_pub,
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic
)]

use fp8lint::knowledge;
use fp8lint::resolve::{Config, Machine, NoFiles, Run, Target};
use fp8lint::rules::{self, Finding, Severity};
use serde_json::Value;

const RECORDED: [&str; 2] = [
    include_str!("recorded/accelerate.jsonl"),
    include_str!("recorded/boundaries.jsonl"),
];

/// Only what a config file and the target decide: no flags, environment, script or other files.
fn is_about_the_file(case: &Value) -> bool {
    let others = [
        "launch",
        "env",
        "code",
        "mode",
        "files",
        "default_config",
        "gpus",
        "stages",
        "config_b64",
    ];
    others.iter().all(|name| case.get(name).is_none()) && case.get("config_text").is_some()
}

fn findings(case: &Value) -> Vec<Finding> {
    let text = |name: &str, default: &str| case[name].as_str().unwrap_or(default).to_owned();
    let installed = match case.get("installed") {
        Some(installed) => installed
            .as_array()
            .unwrap()
            .iter()
            .map(|name| name.as_str().unwrap().to_owned())
            .collect(),
        None => Machine::default().installed,
    };
    let capability = text("capability", "9.0");
    let (major, minor) = capability.split_once('.').unwrap();
    let settings = [
        format!("accelerate={}", text("accelerate", "")),
        "installed=".to_owned(),
        format!("capability={capability}"),
    ];
    let target = Target::parse(settings.iter().map(String::as_str), knowledge::releases()).unwrap();
    let name = format!("config{}", text("config_ext", ".yaml"));
    let mut run = Run::assumed(
        Config::of_bytes(&name, text("config_text", "").into_bytes()),
        &target,
    );
    run.machine = Machine {
        installed,
        gpus: 8,
        capability: (major.parse().unwrap(), minor.parse().unwrap()),
        ..Machine::default()
    };
    rules::judge(&run, &target, &[], &NoFiles)
}

#[test]
fn what_really_fails_is_found_and_what_really_runs_is_not_said_to_fail() {
    let (mut failing, mut running, mut wrong) = (0, 0, String::new());
    for line in RECORDED.iter().flat_map(|recorded| recorded.lines()) {
        let record: Value = serde_json::from_str(line).unwrap();
        let (case, verdict) = (
            &record["case"],
            record["answer"]["verdict"].as_str().unwrap(),
        );
        if !is_about_the_file(case) {
            continue;
        }
        let findings = findings(case);
        let fails = verdict.starts_with("raises@");
        // FP906 says that it cannot be told, here for a DeepSpeed file that nobody can see.
        let is_worth_a_failure =
            |finding: &Finding| finding.severity > Severity::Note || finding.code == "FP906";
        let says_it_fails = |finding: &Finding| {
            finding.severity == Severity::Error
                && (finding.code.starts_with("FP1") || finding.code.starts_with("FP2"))
        };
        match fails {
            true => failing += 1,
            false => running += 1,
        }
        let codes: Vec<_> = findings.iter().map(|finding| finding.code).collect();
        // SageMaker's credentials are the machine's.
        let is_sagemaker = case["config_text"]
            .as_str()
            .is_some_and(|text| text.contains("AMAZON_SAGEMAKER"));
        if fails && !is_sagemaker && !findings.iter().any(is_worth_a_failure) {
            wrong += &format!("passed over: {verdict}, found {codes:?}: {case}\n");
        }
        if !fails && findings.iter().any(says_it_fails) {
            wrong += &format!("said to fail: {verdict}, found {codes:?}: {case}\n");
        }
    }
    assert!(
        failing > 100 && running > 30,
        "{failing} fail, {running} run"
    );
    assert!(wrong.is_empty(), "\n{wrong}");
}

/// Each of these was once reported too loudly, or not at all.
#[test]
fn each_fault_has_the_weight_of_its_consequence() {
    let fp8 = "num_processes: 8\nmixed_precision: fp8\n";
    let cases = [
        (
            "distributed_type: MULTI_GPU\nfp8_config: AO\n",
            "FP312",
            Severity::Warning,
        ),
        (
            "distributed_type: MULTI_GPU\nfp8_config: TE\n",
            "FP312",
            Severity::Error,
        ),
        (
            "distributed_type: 'NO'\nuse_cpu:\n",
            "FP108",
            Severity::Error,
        ),
        (
            "distributed_type: FSDP\nfsdp_config: {fp8: 0, fsdp_cpu_ram_efficient_loading: false}\n",
            "FP301",
            Severity::Warning,
        ),
        (
            "distributed_type: MULTI_GPU\nparallelism_config: {parallelism_config_cp_backend: deepspeed}\n",
            "FP206",
            Severity::Error,
        ),
    ];
    for (text, code, severity) in cases {
        let case =
            serde_json::json!({"accelerate": "1.15.0", "config_text": format!("{text}{fp8}")});
        let found: Vec<_> = findings(&case)
            .iter()
            .map(|finding| (finding.code, finding.severity))
            .collect();
        assert!(found.contains(&(code, severity)), "{text}: {found:?}");
    }
}

/// A fault that only the mending of another one makes is none: without its `distributed_type` no old accelerate loads
/// a file, and that is nobody's fault.
#[test]
fn mending_a_fault_makes_no_other() {
    let text = "distributed_type: FSDP\nnum_processes: 8\nmixed_precision: 'no'\n";
    for version in ["0.18.0", "0.22.0", "1.15.0"] {
        let case = serde_json::json!({"accelerate": version, "config_text": text});
        let codes: Vec<_> = findings(&case).iter().map(|finding| finding.code).collect();
        assert!(!codes.contains(&"FP106"), "{version}: {codes:?}");
    }
}
