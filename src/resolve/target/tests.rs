use std::str::FromStr;

use super::*;
use crate::source::yaml;

fn releases() -> Vec<Version> {
    ["1.2.1", "1.3.0", "1.11.0", "1.12.0", "1.15.0"]
        .iter()
        .map(|version| Version::from_str(version).unwrap())
        .collect()
}

fn target(settings: &[&str]) -> Target {
    Target::parse(settings.iter().copied(), &releases()).unwrap()
}

fn refused(setting: &str) -> String {
    Target::parse([setting], &releases())
        .unwrap_err()
        .to_string()
}

#[test]
fn the_newest_release_decides_where_nothing_is_said() {
    let target = target(&[]);
    assert_eq!(target.accelerate.value.to_string(), "1.15.0");
    assert_eq!(target.accelerate.origin, TargetOrigin::Default);
    assert!(!target.declares_gpu() && !target.declares_installed());
}

#[test]
fn versions_and_ranges_of_accelerate() {
    for (value, decides, asked) in [
        ("1.12.0", "1.12.0", None),
        ("1.12", "1.12.0", None),
        ("=1.12.0", "1.12.0", None),
        ("1.11.5", "1.11.5", None),
        (">=1.3,<2", "1.15.0", Some(">=1.3,<2")),
        ("<1.12", "1.11.0", Some("<1.12")),
        ("~=1.3.0", "1.3.0", Some("~=1.3.0")),
        ("1.16.0", "1.15.0", Some("1.16.0")),
        ("1.16.0.dev0", "1.15.0", Some("1.16.0.dev0")),
    ] {
        let target = target(&[&format!("accelerate={value}")]);
        assert_eq!(target.accelerate.value.to_string(), decides, "{value}");
        assert_eq!(
            target
                .accelerate_asked
                .as_ref()
                .map(ToString::to_string)
                .as_deref(),
            asked,
            "{value}"
        );
        assert_eq!(target.accelerate.origin, TargetOrigin::Flag);
    }
}

#[test]
fn what_cannot_be_understood_says_what_to_write() {
    for (setting, expected) in [
        (
            "accelerate",
            "`accelerate` is not KEY=VALUE; write for example accelerate=1.12.0 or gpu=h100",
        ),
        (
            "accelerate=new",
            "`new` is not a version of accelerate; write for example accelerate=1.12.0",
        ),
        (
            "accelerate=0.5",
            "accelerate 0.5 is older than every known release; known are 1.2.1 to 1.15.0",
        ),
        (
            "accelerate=>1.5,<1.9",
            "no known release of accelerate is allowed by `>1.5,<1.9`; the nearest are 1.3.0 and 1.11.0; known are \
             1.2.1 to 1.15.0",
        ),
        (
            "acelerate=1.0",
            "`acelerate` is not a part of the target; did you mean accelerate? known are accelerate, gpu, capability, \
             installed, deepspeed, msamp, torch, torchao, transformer_engine, transformers, trl",
        ),
        (
            "gpu=h10",
            "`h10` is not a known GPU; did you mean h100? any other GPU can be given by its compute capability: \
             capability=9.0",
        ),
        (
            "capability=sm_90",
            "`sm_90` is not a compute capability; write for example capability=9.0",
        ),
        (
            "installed=torcha",
            "`torcha` is not a package that an accelerate config depends on; did you mean torchao? known are torchao, \
             transformer_engine, msamp, deepspeed, torch_xla, sagemaker, megatron",
        ),
    ] {
        assert_eq!(refused(setting), expected, "{setting}");
    }
    let both = Target::parse(["gpu=a100", "capability=9.0"], &releases()).unwrap_err();
    assert_eq!(both.message, "gpu=a100 has capability 8.0, not 9.0");
}

#[test]
fn gpus_have_their_capability() {
    for (name, capability) in [
        ("H100", (9, 0)),
        ("nvidia-a100", (8, 0)),
        ("RTX 4090", (8, 9)),
        ("rtx-a6000", (8, 6)),
        ("b200", (10, 0)),
        ("rtx5090", (12, 0)),
        ("t4", (7, 5)),
    ] {
        let target = target(&[&format!("gpu={name}")]);
        assert_eq!(target.machine(&[]).capability, capability, "{name}");
        assert!(target.declares_gpu());
    }
}

#[test]
fn nothing_asked_for_is_missing_unless_the_packages_are_declared() {
    let document = |text| yaml::read(text).unwrap();
    let te = document("fp8_config:\n  backend: te\ndistributed_type: MEGATRON_LM\n");
    let asked = packages_asked(&te);
    assert_eq!(asked, ["transformer_engine", "megatron"]);
    assert_eq!(
        target(&["torchao=0.14.1"]).machine(&asked).installed,
        [
            "torchao==0.14.1",
            "deepspeed",
            "transformer_engine",
            "megatron"
        ]
    );
    let declared = target(&["installed=ms-amp,ao==0.14.1", "installed=te,te"]);
    assert!(declared.declares_installed());
    assert_eq!(
        declared.machine(&asked).installed,
        ["msamp", "torchao==0.14.1", "transformer_engine"]
    );
    assert_eq!(target(&["installed="]).machine(&asked).installed, [""; 0]);
}
