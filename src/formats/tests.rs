use proptest::prelude::*;

use super::*;
use crate::source::{Syntax, yaml};

fn kind_of(text: &str) -> Option<Recognised> {
    recognise(text, yaml::read(text).as_ref())
}

fn is_accelerate(text: &str) -> bool {
    let recognised = kind_of(text).is_some_and(|recognised| recognised.kind == Kind::Accelerate);
    if recognised {
        assert!(may_be_config(text), "the cheap test loses {text:?}");
    }
    recognised
}

#[test]
fn configs_that_someone_just_began_are_recognised() {
    for text in [
        "compute_environment: LOCAL_MACHINE\nmixed_precision: fp8\nfp8: true\n",
        "compute_environment: LOCAL_MACHINE\n",
        "distributed_type: FSDP\nfsdp_config:\n  fsdp_version: 2\n",
        "distributed_type: NO\n",
        "distributed_type: fsdp2\nmixed_precision: fp8\n",
        "mixed_precision: fp8\nfp8_config:\n  backend: TE\n",
        "mixed_precision: fp8\nfp8: true\n",
        "mixed_precision: fp8\nfp8:\n  backend: auto\n",
        "mixed_precision: fp8\nnum_processes: 8\n",
        "distributed_type: FSDP\nfsdp_sharding_strategy: FULL_SHARD\nfsdp_offload_params: false\n",
        "- compute_environment: LOCAL_MACHINE\n- mixed_precision: fp8\n",
        "{\"distributed_type\": \"NO\", \"mixed_precision\": \"fp8\"}",
    ] {
        assert!(is_accelerate(text), "{text}");
    }
}

#[test]
fn files_of_other_programs_are_not() {
    for text in [
        "mixed_precision: bf16\n",
        "mixed_precision: bf16\nnum_processes: 8\nlearning_rate: 1e-4\noutput_dir: out\n",
        "model_name_or_path: m\noutput_dir: o\nlearning_rate: 1\nfp8: true\nfp8_backend: te\nmixed_precision: fp8\n",
        "base_model: m\ndatasets: []\nfsdp_config:\n  fsdp_version: 2\nfp8: true\nmixed_precision: fp8\n",
        "{\"fp16\": {\"enabled\": true}, \"zero_optimization\": {\"stage\": 3}}",
        "fp8_config:\n  enabled: true\n  fp8_recipe: x\nnum_train_steps: 3\n",
        "defaults:\n- accelerate/precision: bf16\ntraining_script: ''\n",
        "apiVersion: v1\ndata:\n  accelerate.yaml: |\n    distributed_type: FSDP\n    mixed_precision: fp8\n",
        "- num_processes: 8\n  distributed_type: FSDP\n- num_processes: 4\n  distributed_type: FSDP\n",
        "[]",
        "",
        "text",
    ] {
        assert!(!is_accelerate(text), "{text}");
    }
}

#[test]
fn configs_that_pyyaml_refuses_are_recognised_by_their_lines() {
    for text in [
        "default_config.yaml\n[x]$ cat default_config.yaml\ncompute_environment: LOCAL_MACHINE\nmixed_precision: 'no'\n",
        "compute_environment: LOCAL_MACHINE\n\tdistributed_type: FSDP\n",
        "\tdistributed_type: FSDP\n\tmixed_precision: fp8\n",
        "{\n  \"distributed_type\": \"FSDP\",\n  \"mixed_precision\": \"fp8\",,\n}\n",
        "---\ndistributed_type: FSDP\n---\nmixed_precision: fp8\n",
    ] {
        let error = ReadError {
            exception: "ScannerError",
            message: String::new(),
            span: None,
        };
        assert!(recognise(text, Err(&error)).is_some(), "{text}");
        assert!(may_be_config(text), "{text}");
    }
}

#[test]
fn templates_are_told_from_configs() {
    let placeholder = |text: &str| {
        let span = kind_of(text).unwrap().placeholder?;
        Some(text[span.start..span.end].to_owned())
    };
    let head = "distributed_type: FSDP\n";
    for (line, expected) in [
        ("mixed_precision: {{ precision }}\n", "{{ precision }}"),
        ("num_processes: ${NUM_GPUS}\n", "${NUM_GPUS}"),
        ("num_processes: $NUM_GPUS\n", "$NUM_GPUS"),
        ("fsdp_config:\n  fsdp_version: '{{ v }}'\n", "'{{ v }}'"),
        (
            "{% if fp8 %}\nmixed_precision: fp8\n{% endif %}\n",
            "{% if fp8 %}",
        ),
    ] {
        assert_eq!(
            placeholder(&format!("{head}{line}")).as_deref(),
            Some(expected)
        );
    }
    for line in [
        "# ${NOT} {{ this }}\n",
        "commands:\n- echo ${HOME}\n",
        "main_process_ip: $5\n",
    ] {
        assert_eq!(placeholder(&format!("{head}{line}")), None, "{line}");
    }
}

proptest! {
    /// What the tree passes, the cheap test passes; and no mixture of keys, readable or not, is too strange.
    #[test]
    fn nothing_is_lost_by_the_cheap_test(
        chosen in proptest::sample::subsequence(known_keys(), 0..12),
        value in "[a-z0-9{}$:\"'\t é\0]{0,6}",
    ) {
        let lines = chosen.iter().map(|key| format!("{key}: {value}\n"));
        let yaml: String = lines.collect();
        let pairs: Vec<_> = chosen.iter().map(|key| format!("{key:?}: {{{value:?}: 1}}")).collect();
        let json = format!("{{{}}}", pairs.join(",\n"));
        for text in [&yaml, &json] {
            let found = recognise(text, yaml::read(text).as_ref());
            prop_assert!(found.is_none() || may_be_config(text));
        }
    }
}

/// The keys of all signatures.
fn known_keys() -> Vec<&'static str> {
    let needs = SIGNATURES.iter().flat_map(|signature| signature.needs);
    let keys = needs.flat_map(|need| need.of.iter().copied().flatten());
    let accelerate = signature::SIGNS.iter().map(|sign| sign.key);
    keys.map(|key| key.name).chain(accelerate).collect()
}

#[test]
fn a_config_below_a_key_is_named() {
    let text = "accelerate:\n  distributed_type: FSDP\n  mixed_precision: fp8\nlr: 1\n";
    let document = yaml::read(text).unwrap();
    assert!(recognise(text, Ok(&document)).is_none());
    assert_eq!(nested_config(text, &document), Some(Span::new(0, 10)));
}

/// A folder of the shared files, where they are at hand.
fn shared(name: &str) -> Option<std::path::PathBuf> {
    let folders = std::env::var_os("FP8LINT_SHARED").map(std::path::PathBuf::from);
    let found = folders
        .into_iter()
        .chain(["../shared".into(), "/work/shared".into()])
        .map(|folder| folder.join(name))
        .find(|folder| folder.is_dir());
    if found.is_none() {
        eprintln!("shared {name} not present: not measured");
    }
    found
}

/// The figures of recognition, measured on real files where they are at hand.
#[test]
fn recognition_figures_on_the_shared_corpus() {
    let Some(corpus) = shared("corpus") else {
        return;
    };
    let manifest = std::fs::read_to_string(corpus.join("manifest.tsv")).unwrap();
    let mut table = std::collections::BTreeMap::<(String, &str), usize>::new();
    let mut wrong = Vec::new();
    for line in manifest.lines().skip(1) {
        let columns: Vec<_> = line.split('\t').collect();
        let (path, kind) = (columns[0], columns[4]);
        let bytes = std::fs::read(corpus.join(path)).unwrap();
        let text = String::from_utf8_lossy(&bytes);
        let read = Syntax::of_name(path).read(&text);
        let found = recognise(&text, read.as_ref()).map(|recognised| recognised.kind);
        assert!(found.is_none() || may_be_config(&text), "{path}");
        let expected = expected_kind(kind, path);
        let cell = (
            match kind {
                "trainer" => expected.map_or("trainer of another kind", Kind::as_str),
                kind => kind,
            }
            .to_owned(),
            found.map_or("none", Kind::as_str),
        );
        *table.entry(cell).or_default() += 1;
        if found != expected {
            wrong.push((expected, found, path.to_owned()));
        }
    }
    for ((kind, found), files) in &table {
        eprintln!("{kind} -> {found}: {files}");
    }
    eprintln!("wrong: {wrong:#?}");
    let misses = |kind: fn(Kind) -> bool| {
        let missed = wrong
            .iter()
            .filter(|(expected, ..)| expected.is_some_and(kind));
        missed.count()
    };
    let files = |name: &str| {
        let cells = table.iter().filter(|((kind, _), _)| kind.starts_with(name));
        cells.map(|(_, files)| files).sum::<usize>()
    };
    assert_eq!(misses(|kind| kind == Kind::Accelerate), 0, "{wrong:#?}");
    assert!(misses(|kind| kind == Kind::DeepSpeed) * 20 <= files("deepspeed"));
    assert!(misses(|kind| matches!(kind, Kind::Recipe(_))) * 20 <= files("recipe:"));
    // Nothing is taken for what it is not.
    assert!(
        wrong.iter().all(|(_, found, _)| found.is_none()),
        "{wrong:#?}"
    );
}

/// The kind of a file of the corpus. The list calls all recipes `trainer`; whose they are, the repository says.
fn expected_kind(kind: &str, path: &str) -> Option<Kind> {
    match kind {
        // Listed among the negatives, and a recipe all the same.
        _ if path.ends_with("axolotl/devtools/dev_chat_template.yml") => {
            Some(Kind::Recipe(Framework::Axolotl))
        }
        "accelerate" => Some(Kind::Accelerate),
        "deepspeed" => Some(Kind::DeepSpeed),
        // LLaMA-Factory's v1 form, which has no fp8.
        "trainer" if path.contains("LLaMA-Factory/examples/v1/") => None,
        "trainer" if path.contains("LLaMA-Factory") => Some(Kind::Recipe(Framework::LlamaFactory)),
        "trainer" if path.contains("axolotl") => Some(Kind::Recipe(Framework::Axolotl)),
        "trainer" => Some(Kind::Recipe(Framework::Transformers)),
        _ => None,
    }
}

/// What the figures rest on: the files of each case, told by their content.
#[test]
fn the_files_of_the_shared_cases() {
    let Some(cases) = shared("cases") else {
        return;
    };
    for case in std::fs::read_dir(cases).unwrap() {
        let folder = case.unwrap().path();
        for file in std::fs::read_dir(&folder).into_iter().flatten() {
            let path = file.unwrap().path();
            let expected = match path.file_name().and_then(std::ffi::OsStr::to_str).unwrap() {
                "accelerate.yaml" => "accelerate",
                "axolotl.yml" => "recipe:axolotl",
                "recipe.yaml" => "recipe:trl",
                "sft.yaml" => "recipe:llamafactory",
                "train.yaml" => "recipe:transformers",
                _ => continue,
            };
            let text = std::fs::read_to_string(&path).unwrap();
            let found = recognise(&text, yaml::read(&text).as_ref()).unwrap();
            assert_eq!(found.kind.as_str(), expected, "{}", path.display());
        }
    }
}
