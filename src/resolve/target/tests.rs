use std::str::FromStr;

use super::*;
use crate::source::yaml;

pub(super) fn releases() -> Vec<Version> {
    ["1.2.1", "1.3.0", "1.11.0", "1.12.0", "1.15.0"]
        .iter()
        .map(|version| Version::from_str(version).unwrap())
        .collect()
}

pub(super) fn target(settings: &[&str]) -> Target {
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
             installed, axolotl, deepspeed, llamafactory, ms-swift, msamp, torch, torchao, transformer_engine, \
             transformers, trl",
        ),
        (
            "transformers>=4.58,<5",
            "no known release of transformers is allowed by `>=4.58,<5`; the nearest are 4.57.6 and 5.0.0; known are \
             4.30.0 to 5.24.0",
        ),
        (
            "msamp>=0.4",
            "no known release of msamp is allowed by `>=0.4`; none is known",
        ),
        (
            "trl=new",
            "`new` is not a version of trl; write for example trl=1.12.0",
        ),
        (
            "trl>=new",
            "`>=new` is not a version range; write for example trl='>=1.3,<2'",
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

fn declared(key: &str, value: &str, path: &str) -> Declaration {
    Declaration {
        key: key.to_owned(),
        value: value.to_owned(),
        origin: TargetOrigin::Settings(FileLine {
            path: path.to_owned(),
            line: 2,
        }),
    }
}

#[test]
fn later_places_take_the_place_of_earlier_ones() {
    let mut target = Target::newest(&releases());
    let settings = [
        declared("accelerate", ">=1.3,<1.12", "a"),
        declared("capability", "8.0", "a"),
        declared("installed", "torchao", "a"),
        declared("torch", "2.9", "a"),
    ];
    target.declare(&settings, &releases()).unwrap();
    assert_eq!(target.accelerate_others.len(), 1);
    let flags = [
        declared("accelerate", "1.3", "b"),
        declared("gpu", "h100", "b"),
        declared("installed", "msamp", "b"),
    ];
    target.declare(&flags, &releases()).unwrap();
    assert_eq!(target.accelerate.value.to_string(), "1.3.0");
    assert_eq!(target.accelerate.origin.line().unwrap().to_string(), "b:2");
    assert_eq!(
        (&target.accelerate_asked, target.accelerate_others.len()),
        (&None, 0)
    );
    assert_eq!(target.capability.as_ref().unwrap().value, (9, 0));
    assert_eq!(target.installed.as_ref().unwrap().value, ["msamp"]);
    assert_eq!(target.packages["torch"].origin.line().unwrap().path, "a");
    let error = target
        .declare(&[declared("capability", "sm_90", "c")], &releases())
        .unwrap_err();
    assert_eq!(error.key, "capability");
}

#[test]
fn versions_and_ranges_of_other_packages() {
    for (setting, package, version, asked) in [
        ("transformers=4.57.6", "transformers", "4.57.6", None),
        ("transformers==4.57.6", "transformers", "4.57.6", None),
        (
            "transformers>=4.50,<5",
            "transformers",
            "4.57.6",
            Some(">=4.50,<5"),
        ),
        ("transformers=99", "transformers", "99", None),
        ("te=2.9", "transformer_engine", "2.9", None),
        (
            "transformer-engine<2.10",
            "transformer_engine",
            "2.9.0",
            Some("<2.10"),
        ),
        ("axolotl~=0.16.0", "axolotl", "0.16.1", Some("~=0.16.0")),
        ("llama-factory=0.9.4", "llamafactory", "0.9.4", None),
        ("ms-swift=3.12.6", "ms-swift", "3.12.6", None),
    ] {
        let target = target(&[setting]);
        let declared = &target.packages[package];
        assert_eq!(declared.value.to_string(), version, "{setting}");
        assert_eq!(declared.origin, TargetOrigin::Flag, "{setting}");
        let shown = target.packages_asked.get(package).map(String::as_str);
        assert_eq!(shown, asked, "{setting}");
    }
}
