//! The frameworks against what the real packages did (facts/trainer-semantics.md, rows marked "ran").

use super::super::run::{Code, Config, Launcher, Origin, Run, Trainer, Value, Voice};
use super::super::{Outcome, Target, resolve};
use super::arguments::{NO_ARGUMENTS, REMOVED};
use crate::formats::recipe::Framework;
use crate::knowledge::trainers::{HalfPrecisionBackend, Transformers};
use crate::knowledge::{self, Reader, Version};

use crate::resolve::NoFiles;
use crate::source::{Object, Syntax};

/// A framework with its version, transformers, accelerate.
type Versions<'a> = (Framework, &'a str, &'a str, &'a str);

fn version(text: &str) -> Version {
    text.parse().unwrap()
}

/// The arguments of a recipe in YAML's flow style.
fn arguments(recipe: &str, voice: Voice) -> Vec<(String, Value<Object>)> {
    let document = Syntax::Yaml.read(recipe).unwrap();
    let entries = document.root().entries().map(|entry| {
        let name = entry.key.text().unwrap().to_owned();
        let value = Value::Known {
            value: entry.value.object().unwrap(),
            origin: Origin::of(voice, name.clone()),
        };
        (name, value)
    });
    entries.collect()
}

/// A run with this recipe, under this accelerate config and this shell environment.
fn run(
    versions: Versions<'_>,
    launcher: Launcher,
    config: &str,
    environment: &str,
    recipe: &str,
) -> Outcome {
    let (framework, own, transformers, accelerate) = versions;
    let config = match config {
        "" => Config::None,
        text => Config::of_bytes("accelerate.yaml", text.as_bytes().to_vec()),
    };
    let target = Target::newest(knowledge::releases());
    let mut run = Run::assumed(config, &target);
    run.launcher = launcher;
    run.machine = target.machine(&["transformer_engine"]);
    run.machine.gpus = 1;
    run.trainer = Some(Trainer {
        framework,
        version: version(own),
        transformers: version(transformers),
        arguments: arguments(recipe, Voice::RecipeKey).into_iter().collect(),
        is_arguments_only: false,
    });
    for (name, value) in arguments(environment, Voice::Environment) {
        if let Value::Known { value, origin } = value {
            let value = value.python_str();
            run.environment.insert(name, Value::Known { value, origin });
        }
    }
    resolve(
        &run,
        knowledge::accelerate(&version(accelerate)).unwrap().facts,
        &NoFiles,
    )
}

/// `accelerate launch` with this config and recipe ends in this verdict.
fn launched_comes_to(framework: Framework, own: &str, config: &str, recipe: &str, verdict: &str) {
    let versions = (framework, own, "4.57.6", "1.12.0");
    let outcome = run(versions, Launcher::Accelerate, config, "{}", recipe);
    let shown = outcome.verdict.to_string();
    assert_eq!(shown, verdict, "{own} {config:?} {recipe}");
}

#[test]
fn llamafactory_as_it_ran() {
    use Framework::LlamaFactory as Lf;
    for (own, transformers, accelerate, recipe, verdict) in [
        (
            "0.9.5",
            "4.57.6",
            "1.11.0",
            "{stage: sft, bf16: true, fp8: true}",
            "fp8:AO",
        ),
        (
            "0.9.5",
            "4.57.6",
            "1.11.0",
            "{stage: sft, bf16: true, fp8: true, fp8_backend: te}",
            "fp8:TE",
        ),
        (
            "0.9.5",
            "4.57.6",
            "1.11.0",
            "{stage: sft, bf16: true, fp8: true, fp8_backend: msamp}",
            "fp8:AO",
        ),
        (
            "0.9.5",
            "4.57.6",
            "1.11.0",
            "{stage: pt, fp8: true}",
            "fp8:AO",
        ),
        (
            "0.9.5",
            "5.2.0",
            "1.11.0",
            "{stage: sft, bf16: true, fp8: true, fp8_backend: te}",
            "fp8:TE",
        ),
        (
            "0.9.5",
            "5.2.0",
            "1.11.0",
            "{stage: sft, bf16: true, fp8: true}",
            "no-fp8:bfloat16",
        ),
        (
            "0.9.5",
            "5.5.4",
            "1.11.0",
            "{stage: sft, bf16: true, fp8: true, fp8_backend: te}",
            "no-fp8:bfloat16",
        ),
        (
            "0.9.5",
            "5.5.4",
            "1.11.0",
            "{stage: sft, bf16: true, fp8: true}",
            "no-fp8:bfloat16",
        ),
        (
            "0.9.5",
            "5.5.4",
            "1.11.0",
            "{stage: sft, fp8: true}",
            "no-fp8:none",
        ),
        // What was read.
        (
            "0.9.5",
            "4.57.6",
            "1.11.0",
            "{stage: dpo, bf16: true, fp8: true}",
            "no-fp8:bfloat16",
        ),
        (
            "0.9.4",
            "4.57.1",
            "1.11.0",
            "{stage: sft, bf16: true, fp8: true}",
            "no-fp8:bfloat16",
        ),
        (
            "0.9.3",
            "4.52.4",
            "1.7.0",
            "{stage: sft, bf16: true, fp8: true}",
            "raises@trainer",
        ),
        (
            "0.9.3",
            "4.52.4",
            "1.7.0",
            "{stage: sft, bf16: true, fp8_backend: te}",
            "raises@trainer",
        ),
        (
            "0.9.5",
            "4.57.6",
            "1.11.0",
            "{stage: sft, fp8: true, quantization_bit: 4}",
            "raises@trainer",
        ),
        (
            "0.9.4",
            "4.57.1",
            "1.11.0",
            "{stage: sft, fp8: true, quantization_bit: 4}",
            "raises@trainer",
        ),
        (
            "0.9.5",
            "4.57.6",
            "1.11.0",
            "{stage: sft, fp8: true, quantization_bit: null}",
            "fp8:AO",
        ),
    ] {
        let outcome = run(
            (Lf, own, transformers, accelerate),
            Launcher::Python,
            "",
            "{}",
            recipe,
        );
        assert_eq!(
            outcome.verdict.to_string(),
            verdict,
            "{own} {transformers} {recipe}"
        );
    }
}

#[test]
fn llamafactory_beside_an_old_accelerate_converts_nothing() {
    let versions = (Framework::LlamaFactory, "0.9.5", "4.57.6", "1.7.0");
    let outcome = run(
        versions,
        Launcher::Python,
        "",
        "{}",
        "{stage: sft, bf16: true, fp8: true}",
    );
    assert!(
        outcome.verdict.to_string().starts_with("no-fp8:"),
        "{}",
        outcome.verdict
    );
}

#[test]
fn axolotl_as_it_ran() {
    let fp8 = "distributed_type: 'NO'\nmixed_precision: fp8\n";
    let ao = "distributed_type: 'NO'\nmixed_precision: fp8\nfp8_config:\n  backend: AO\n";
    for (own, config, recipe, verdict) in [
        ("0.19.0", "", "{bf16: true, fp8: true}", "fp8:AO"),
        ("0.19.0", "", "{fp8: true}", "fp8:AO"),
        ("0.19.0", "", "{fp8: true, rl: dpo}", "no-fp8:bfloat16"),
        (
            "0.19.0",
            "",
            "{fp8: true, rl: grpo, bf16: auto}",
            "no-fp8:bfloat16",
        ),
        (
            "0.19.0",
            "",
            "{fp8: true, reward_model: true}",
            "no-fp8:bfloat16",
        ),
        ("0.19.0", "", "{fp8: true, rl: dpo, bf16: false}", "fp8:AO"),
        ("0.19.0", "", "{fp8: true, rl: dpo, bf16: 'no'}", "fp8:AO"),
        ("0.19.0", "", "{bf16: full}", "raises@trainer"),
        ("0.8.0", "", "{fp8: true}", "no-fp8:bfloat16"),
        // The launch's precision is always overwritten, the backend is not.
        ("0.19.0", fp8, "{bf16: true}", "no-fp8:bfloat16"),
        ("0.19.0", fp8, "{bf16: false}", "no-fp8:none"),
        ("0.8.0", fp8, "{bf16: false}", "fp8:AO"),
        ("0.19.0", ao, "{bf16: true}", "raises@prepare"),
        ("0.19.0", ao, "{bf16: false}", "raises@prepare"),
        // What is checked.
        (
            "0.12.0",
            "",
            "{fp8: true, fp8_enable_fsdp_float8_all_gather: true}",
            "raises@trainer",
        ),
        (
            "0.11.0",
            "",
            "{fp8_enable_fsdp_float8_all_gather: true, bf16: true}",
            "no-fp8:bfloat16",
        ),
        (
            "0.19.0",
            "",
            "{fp8_config: {recipe: rowwise}}",
            "raises@trainer",
        ),
        (
            "0.18.0",
            "",
            "{fp8_config: {recipe: rowwise}}",
            "no-fp8:bfloat16",
        ),
        (
            "0.19.0",
            "",
            "{fp8: true, fp8_config: {recipe: rowwise}}",
            "fp8:AO",
        ),
        (
            "0.19.0",
            "",
            "{fp8: true, fp8_config: {recipe: delayed}}",
            "raises@trainer",
        ),
        (
            "0.19.0",
            "",
            "{fp8: true, fp8_config: {all_gather: true}}",
            "raises@trainer",
        ),
        (
            "0.19.0",
            "",
            "{fp8: true, fp8_config: {recipe: rowwise}, fsdp_version: 2, fp8_enable_fsdp_float8_all_gather: true}",
            "raises@trainer",
        ),
    ] {
        launched_comes_to(Framework::Axolotl, own, config, recipe, verdict);
    }
}

#[test]
fn trl_as_it_ran() {
    let fp8 = "distributed_type: 'NO'\nmixed_precision: fp8\n";
    for (own, config, recipe, verdict) in [
        ("0.18.2", fp8, "{}", "fp8:AO"),
        ("0.19.0", fp8, "{}", "no-fp8:bfloat16"),
        ("1.16.0", fp8, "{}", "no-fp8:bfloat16"),
        ("1.16.0", fp8, "{bf16: false}", "fp8:AO"),
        ("1.16.0", fp8, "{bf16: 'false'}", "fp8:AO"),
        ("1.16.0", fp8, "{fp16: true}", "no-fp8:float16"),
        (
            "1.16.0",
            "",
            "{bf16: false, env.ACCELERATE_MIXED_PRECISION: fp8}",
            "fp8:AO",
        ),
        (
            "1.16.0",
            "",
            "{env.ACCELERATE_MIXED_PRECISION: fp8}",
            "no-fp8:bfloat16",
        ),
    ] {
        launched_comes_to(Framework::Trl, own, config, recipe, verdict);
    }
}

#[test]
fn swift_never_trains_in_fp8_and_simpletuner_by_its_own_word_only() {
    let fp8 = "{ACCELERATE_MIXED_PRECISION: fp8}";
    for (framework, recipe, verdict) in [
        (
            Framework::Swift,
            "{torch_dtype: bfloat16}",
            "no-fp8:bfloat16",
        ),
        (Framework::Swift, "{torch_dtype: float32}", "no-fp8:float16"),
        (Framework::Swift, "{}", "unknown"),
        (Framework::Swift, "{bf16: false, fp16: false}", "fp8:AO"),
        (Framework::SimpleTuner, "{}", "no-fp8:bfloat16"),
        (
            Framework::SimpleTuner,
            "{mixed_precision: 'no'}",
            "no-fp8:none",
        ),
        (Framework::SimpleTuner, "{mixed_precision: fp8}", "fp8:AO"),
    ] {
        let versions = (framework, "4.0.0", "4.57.6", "1.12.0");
        let outcome = run(versions, Launcher::Python, "", fp8, recipe);
        assert_eq!(outcome.verdict.to_string(), verdict, "{framework} {recipe}");
    }
}

#[test]
fn diffusers_examples_have_the_last_word_and_know_no_fp8() {
    for (value, verdict) in [
        ("bf16", "no-fp8:bfloat16"),
        ("no", "no-fp8:none"),
        ("fp8", "raises@trainer"),
    ] {
        let config = Config::of_bytes(
            "a.yaml",
            b"distributed_type: 'NO'\nmixed_precision: fp8\n".to_vec(),
        );
        let mut run = Run::assumed(config, &Target::newest(knowledge::releases()));
        run.code = Code {
            arguments: [("mixed_precision".to_owned(), Object::from(value))].into(),
            precision: Some(Origin::of(Voice::ScriptArgument, "--mixed_precision")),
            ..Code::default()
        };
        let outcome = resolve(
            &run,
            knowledge::accelerate(knowledge::newest()).unwrap().facts,
            &NoFiles,
        );
        assert_eq!(outcome.verdict.to_string(), verdict, "{value}");
        let decided = outcome.decision("mixed_precision").unwrap();
        let expected = if value == "fp8" {
            Voice::ConfigKey
        } else {
            Voice::ScriptArgument
        };
        assert_eq!(decided.origin.voice, expected, "{value}");
    }
}

#[test]
fn the_keys_that_are_refused_are_those_of_the_table() {
    let known = |name| knowledge::recipe_key("transformers", name).unwrap();
    for name in NO_ARGUMENTS {
        assert_eq!(known(name).reader, Reader::Nothing, "{name}");
    }
    let last = HalfPrecisionBackend::Removed;
    for name in REMOVED {
        let gone = known(name).last.as_ref().unwrap();
        let is_removed = |version: &Version| {
            Transformers::of(version).is_some_and(|known| known.half_precision_backend == last)
        };
        assert!(!is_removed(gone), "{name}");
        assert!(is_removed(&version("5.2.0")), "{name}");
    }
}
