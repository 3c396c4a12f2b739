//! `fp8lint resolve` and targets that are ranges: what people read.

#![allow(
    missing_docs,
    unreachable_pub,
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic
)]

mod support;

use support::Repository;

const DEEPSPEED_AO: &str = "\
compute_environment: LOCAL_MACHINE
distributed_type: DEEPSPEED
mixed_precision: fp8
num_processes: 8
deepspeed_config:
  zero_stage: 2
fp8_config:
  backend: AO
";

fn resolved(text: &str, arguments: &[&str]) -> String {
    let repository = Repository::with(&[("accelerate.yaml", text)]);
    let mut all = vec!["resolve", "accelerate.yaml"];
    all.extend(arguments);
    let ran = repository.run(&all);
    assert_eq!((ran.code, ran.stderr.as_str()), (0, ""));
    ran.stdout
}

#[test]
fn a_run_is_shown_stage_by_stage_with_who_decides() {
    insta::assert_snapshot!(resolved(DEEPSPEED_AO, &["--target", "accelerate=1.15.0"]));
}

#[test]
fn a_refusal_is_shown_with_the_value_that_leads_to_it() {
    let text = "distributed_type: 'NO'\nmixed_precision: no\n";
    insta::assert_snapshot!(resolved(text, &["--target", "accelerate=1.15.0"]));
}

#[test]
fn a_range_gives_a_table_of_releases_folded_into_intervals() {
    let shown = resolved(DEEPSPEED_AO, &["--target", "accelerate>=1.9,<1.15"]);
    let table = shown.split_once("Under every").unwrap().1;
    insta::assert_snapshot!(table);
}

#[test]
fn a_finding_says_in_which_of_the_allowed_releases_it_holds() {
    let repository = Repository::with(&[("accelerate.yaml", DEEPSPEED_AO)]);
    let range = ["accelerate.yaml", "--target", "accelerate>=1.9,<1.12"];
    let ran = repository.run(&range);
    assert_eq!(ran.code, 0, "{}", ran.stdout);
    assert!(ran.stdout.contains("note[FP206]"), "{}", ran.stdout);
    assert!(
        ran.stdout
            .contains("holds in these only: 1.9.0–1.10.1; 1.11.0 is fine"),
        "{}",
        ran.stdout
    );
    let ran = repository.run(&["accelerate.yaml", "--target", "accelerate>=1.9,<1.11"]);
    assert_eq!(ran.code, 1);
    assert!(!ran.stdout.contains("holds in"), "{}", ran.stdout);
    let ran = repository.run(&["accelerate.yaml", "--target", "accelerate~=1.15"]);
    assert_eq!(ran.code, 0, "{}", ran.stdout);
}

/// The case that started the project, as it is advised on the web, and its siblings.
#[test]
fn the_examples_are_found_out() {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut command = support::program(folder);
    command.args(["examples", "--target", "accelerate=1.15.0"]);
    let ran = support::ran(&mut command);
    assert_eq!((ran.code, ran.stderr.as_str()), (1, ""));
    insta::assert_snapshot!(ran.stdout);
}

#[test]
fn a_deepspeed_config_beside_the_config_is_read() {
    let config = "distributed_type: DEEPSPEED\nnum_processes: 8\ndeepspeed_config:\n  deepspeed_config_file: conf/ds.json\n";
    let repository = Repository::with(&[
        ("train/accelerate.yaml", config),
        (
            "train/conf/ds.json",
            "{\"zero_optimization\": {\"stage\": 2}, \"bf16\": {\"enabled\": true}, \"train_micro_batch_size_per_gpu\": 1}",
        ),
    ]);
    let ran = repository.run(&["resolve", "train/accelerate.yaml"]);
    assert!(ran.stdout.contains("Trains in bf16"), "{}", ran.stdout);
    let without = Repository::with(&[("accelerate.yaml", config)]);
    let ran = without.run(&["resolve", "accelerate.yaml"]);
    assert!(ran.stdout.contains("cannot be told"), "{}", ran.stdout);
    assert_eq!(without.run(&["accelerate.yaml"]).code, 0);
}

#[test]
fn faults_behind_the_first_are_found_too() {
    let text = "distributed_type: FSDP\nmixed_precision: fp8\nnum_processes: 8\nfoo: 1\nfp8_config:\n  backend: te\n  fp8_format: x\nfsdp_config:\n  fsdp_cpu_ram_efficient_loading: false\n";
    let repository = Repository::with(&[("accelerate.yaml", text)]);
    let ran = repository.run(&["accelerate.yaml", "--report", "concise"]);
    for code in ["FP101", "FP201"] {
        assert!(ran.stdout.contains(code), "{code} is not in {}", ran.stdout);
    }
}
