use super::*;
use crate::formats::{Kind, may_be_config, recognise};
use crate::knowledge::Reader;
use crate::source::{Syntax, yaml};

fn kind_of(name: &str, text: &str) -> Option<Kind> {
    let read = Syntax::of_name(name).read(text);
    let recognised = recognise(text, read.as_ref());
    let kind = recognised.map(|recognised| recognised.kind);
    assert!(
        kind.is_none() || may_be_config(text),
        "the cheap test loses {text:?}"
    );
    kind
}

fn named(text: &str) -> &'static str {
    let name = match text.trim_start().starts_with('{') {
        true => "a.json",
        false => "a.yaml",
    };
    kind_of(name, text).map_or("", Kind::as_str)
}

#[test]
fn recipes_are_told_by_their_keys() {
    for (expected, text) in [
        (
            "recipe:transformers",
            "output_dir: out\nper_device_train_batch_size: 16\nmax_steps: 1\nsave_strategy: 'no'\nreport_to: none\n",
        ),
        (
            "recipe:transformers",
            "{\"model_name_or_path\": \"m\", \"dataset_name\": \"d\", \"output_dir\": \"o\", \
             \"max_seq_length\": 128, \"num_train_epochs\": 3, \"bf16\": true}",
        ),
        (
            "recipe:trl",
            "model_name_or_path: m\ndataset_name: d\noutput_dir: o\nper_device_train_batch_size: 1\nmax_steps: 1\n\
             max_length: 512\n",
        ),
        (
            "recipe:trl",
            "model_name_or_path: m\ntorch_dtype: bfloat16\ndataset_mixer: {d: 1.0}\nbf16: true\nlearning_rate: 2e-5\n\
             num_train_epochs: 1\nmax_seq_length: 2048\n",
        ),
        (
            "recipe:trl",
            "env: {WANDB_PROJECT: x}\nmodel_name_or_path: m\nreward_funcs: [format]\nnum_generations: 8\nuse_vllm: true\n\
             lr_scheduler_type: cosine\noutput_dir: o\nbf16: true\n",
        ),
        (
            "recipe:llamafactory",
            "stage: sft\ndo_train: true\nfinetuning_type: lora\nmodel_name_or_path: m\ndataset: d\ntemplate: t\n\
             cutoff_len: 512\noutput_dir: o\nper_device_train_batch_size: 1\nlearning_rate: 1\nbf16: true\nfp8: true\n",
        ),
        (
            "recipe:llamafactory",
            "{\"stage\": \"dpo\", \"do_train\": true, \"model_name_or_path\": \"m\", \"template\": \"t\"}",
        ),
        (
            "recipe:axolotl",
            "base_model: m\ndatasets:\n- path: d\n  type: alpaca\nmicro_batch_size: 1\noutput_dir: o\nlearning_rate: 1\n\
             max_steps: 1\nbf16: auto\nfp8: true\n",
        ),
        (
            "recipe:axolotl",
            "base_model: m\npretraining_dataset: d\nsequence_len: 512\nnum_epochs: 1\n",
        ),
        (
            "recipe:ms-swift",
            "model: m\ntrain_type: lora\ndataset: d\nper_device_train_batch_size: 1\nlearning_rate: 1e-4\n\
             num_train_epochs: 1\noutput_dir: o\n",
        ),
        (
            "recipe:ms-swift",
            "model: m\ntuner_type: full\ntorch_dtype: bfloat16\nmax_length: 2048\npacking: true\n",
        ),
        (
            "recipe:ms-swift",
            "ENV:\n  CUDA_VISIBLE_DEVICES: '0'\nmcore_model: m\ndataset: [d]\nlr: 1e-5\nmicro_batch_size: 1\n\
             fp8_recipe: blockwise\n",
        ),
        (
            "recipe:ms-swift",
            "rlhf_type: grpo\nmodel: m\ndataset: d\nmicro_batch_size: 1\nnum_generations: 4\nuse_vllm: true\n",
        ),
        (
            "recipe:simpletuner",
            "{\"--model_family\": \"flux\", \"--model_type\": \"lora\", \"--data_backend_config\": \"d.json\", \
             \"--mixed_precision\": \"fp8\"}",
        ),
        (
            "recipe:simpletuner",
            "{\"model_family\": \"flux\", \"model_type\": \"full\", \"data_backend_config\": \"d.json\"}",
        ),
        (
            "deepspeed",
            "{\"bf16\": {\"enabled\": \"auto\"}, \"zero_optimization\": {\"stage\": 3}}",
        ),
        (
            "deepspeed",
            "{\"train_batch_size\": 8, \"fp16\": {\"enabled\": true}}",
        ),
        (
            "deepspeed",
            "{\"train_micro_batch_size_per_gpu\": 1, \"optimizer\": {\"type\": \"Adam\", \"params\": {}}}",
        ),
    ] {
        assert_eq!(named(text), expected, "{text}");
    }
}

#[test]
fn files_that_borrow_their_keys_are_none() {
    for text in [
        // LLaMA-Factory: the v1 form, inference, merging.
        "model: m\nmodel_class: llm\ntrain_dataset: d\nmicro_batch_size: 1\nlearning_rate: 1\nmax_steps: 1\nbf16: true\n\
         output_dir: o\ndist_config: {name: fsdp2}\nkernel_config: {name: auto}\n",
        "model_name_or_path: m\ntemplate: t\ninfer_backend: huggingface\nfinetuning_type: lora\n",
        "model_name_or_path: m\nfinetuning_type: lora\ntemplate: t\nexport_dir: o\n",
        // accelerate's own examples without Trainer, and other programs.
        "train_batch_size: 4\nlearning_rate: 1\nlr_scheduler: cosine\nnum_train_epochs: 2\noutput_dir: o\nmixed_precision: bf16\n",
        "per_device_train_batch_size: 4\nlearning_rate: 1\nnum_train_epochs: 2\nmax_train_steps: 9\nwith_tracking: true\n",
        "gradient_accumulation_steps: 4\nlearning_rate: 1\nmax_steps: 100\nbf16: true\noutput_dir: o\n",
        "trainer:\n  args:\n    per_device_train_batch_size: 4\n    learning_rate: 1\n    num_train_epochs: 2\n",
        "defaults: [base]\nper_device_train_batch_size: 4\nlearning_rate: 1\nnum_train_epochs: 2\n",
        "base_model: m\nmerge_method: slerp\nslices: []\ndatasets: []\nplugins: []\n",
        "- per_device_train_batch_size: 4\n- learning_rate: 1\n- num_train_epochs: 2\n",
        // What runs leave behind.
        "{\"log_history\": [], \"global_step\": 1, \"max_steps\": 1, \"num_train_epochs\": 1, \"logging_steps\": 1}",
        "_wandb: {value: {}}\nper_device_train_batch_size: {value: 4}\nlearning_rate: {value: 1}\noutput_dir: {value: o}\n",
        // DeepSpeed takes JSON.
        "zero_optimization:\n  stage: 3\ntrain_batch_size: 8\nfp16:\n  enabled: true\n",
        "{\"zero_optimization\": true}",
        "{\"train_batch_size\": 8, \"optimizer\": \"adam\"}",
    ] {
        assert_eq!(named(text), "", "{text}");
    }
}

/// A script with classes of its own may build plain `TrainingArguments`, to which TRL's defaults do not apply.
#[test]
fn a_key_of_trl_beside_own_arguments_is_no_sign_of_trl() {
    let text = "train_file: d.jsonl\nmodel_name_or_path: m\nbeta: 0.1\nmax_prompt_length: 512\nlora_rank: 8\n\
                output_dir: o\nlearning_rate: 1\nnum_train_epochs: 1\nfp16: true\n";
    assert_eq!(named(text), "recipe:transformers");
}

#[test]
fn recipes_that_pyyaml_refuses_are_recognised_where_many_keys_show() {
    let recipe = "output_dir: o\nlearning_rate: 1\nnum_train_epochs: 1\nper_device_train_batch_size: 1\nbf16: true\n\tx\n";
    assert!(yaml::read(recipe).is_err());
    assert_eq!(named(recipe), "recipe:transformers");
    assert_eq!(
        named("output_dir: o\nlearning_rate: 1\nnum_train_epochs: 1\n\tx\n"),
        ""
    );
    let simpletuner = "{\n  \"model_family\": \"flux\",\n  \"model_type\": \"lora\",\n  \"data_backend_config\": \"d\",\n}\n";
    assert_eq!(named(simpletuner), "recipe:simpletuner");
    let deepspeed = "{\n  // ours\n  \"zero_optimization\": {\n    \"stage\": 2\n  }\n}\n";
    assert_eq!(named(deepspeed), "deepspeed");
}

#[test]
fn templates_are_told_from_recipes() {
    let text = "output_dir: ${OUT}\nlearning_rate: 1\nnum_train_epochs: 1\n";
    let recognised = recognise(text, yaml::read(text).as_ref()).unwrap();
    assert_eq!(recognised.placeholder, Some(Span::new(12, 18)));
}

#[test]
fn keys_that_have_to_do_with_precision() {
    let text = "bf16: false\nlearning_rate: 1\nenv: {A: b}\nmixed_precision: fp8\nbf16: 'no'\n";
    let document = yaml::read(text).unwrap();
    let recipe = Recipe {
        framework: Framework::Trl,
        document: &document,
    };
    let found: Vec<_> = recipe
        .keys()
        .map(|setting| {
            let text = |span: Span| &text[span.start..span.end];
            (
                text(setting.key),
                text(setting.value.span()),
                setting.known.reader,
            )
        })
        .collect();
    assert_eq!(
        found,
        [
            ("bf16", "'no'", Reader::Trainer),
            ("env", "{A: b}", Reader::Environment),
            ("mixed_precision", "fp8", Reader::Launcher),
        ]
    );
    let first = recipe.keys().next().unwrap();
    assert_eq!(first.object, Some(Object::from("no")));
    assert_eq!(first.route, Route::keys(["bf16"]));

    let text = "{\"--mixed_precision\": \"fp8\", \"mixed_precision_x\": 1}";
    let document = Syntax::Json.read(text).unwrap();
    let recipe = Recipe {
        framework: Framework::SimpleTuner,
        document: &document,
    };
    let routes: Vec<_> = recipe
        .keys()
        .map(|setting| setting.route.to_string())
        .collect();
    assert_eq!(routes, ["--mixed_precision"]);
}

#[test]
fn every_framework_is_known_and_every_name_is_its_own() {
    for framework in Framework::ALL {
        assert!(Kind::declarable().any(|kind| kind == Kind::Recipe(framework)));
        assert!(
            Kind::Recipe(framework)
                .as_str()
                .ends_with(framework.as_str())
        );
        assert!(
            knowledge::recipe_key(framework.as_str(), "mixed_precision").is_some()
                || framework == Framework::Swift
        );
    }
}
