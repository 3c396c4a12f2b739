//! Names that people meant: suggestions for misspelt keys.

use crate::resolve::target::closest;

/// Keys that people write at the top level, and names of old, and what takes their place.
const ELSEWHERE: [(&str, &str); 17] = [
    ("use_fp8", "mixed_precision: fp8"),
    ("DDP", "MULTI_GPU"),
    ("GPU", "MULTI_GPU"),
    ("CPU", "MULTI_CPU"),
    ("TPU", "XLA"),
    ("fp8_backend", "fp8_config.backend"),
    ("fp8_format", "fp8_config.fp8_format"),
    ("fp8_recipe", "fp8_config"),
    ("precision", "mixed_precision"),
    ("bf16", "mixed_precision: bf16"),
    ("dtype", "mixed_precision"),
    ("fsdp", "fsdp_config"),
    ("deepspeed", "deepspeed_config"),
    (
        "deepspeed_config_file",
        "deepspeed_config.deepspeed_config_file",
    ),
    ("zero_stage", "deepspeed_config.zero_stage"),
    ("num_gpus", "num_processes"),
    ("fsdp_version", "fsdp_config.fsdp_version"),
];

/// The sections whose keys begin with their own name.
const SECTIONS: [(&str, &str); 5] = [
    ("megatron_lm_", "megatron_lm_config"),
    ("fsdp_", "fsdp_config"),
    ("parallelism_config_", "parallelism_config"),
    ("dynamo_", "dynamo_config"),
    ("mpirun_", "mpirun_config"),
];

/// What was probably meant by a key that accelerate does not know.
pub(super) fn meant(key: &str, known: &[&str]) -> Option<String> {
    let in_section = SECTIONS
        .iter()
        .find(|(prefix, _)| key.starts_with(prefix))
        .map(|(_, section)| format!("{section}.{key}"));
    let elsewhere = ELSEWHERE
        .iter()
        .find(|(wrong, _)| *wrong == key)
        .map(|(_, right)| *right);
    elsewhere
        .or_else(|| closest(key, known.iter().copied()))
        .map(str::to_owned)
        .or(in_section)
}
