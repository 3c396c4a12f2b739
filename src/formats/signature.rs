//! The keys by which an accelerate config is told from every other file, as data.
//!
//! Every top-level key has a vote. Keys that only accelerate has weigh most; keys that trainers share weigh little;
//! keys of other programs weigh against, and a key that nobody here knows weighs one against. A file is an accelerate
//! config from [`THRESHOLD`] on. So `distributed_type: FSDP` is enough alone, `mixed_precision` is not, and a training
//! recipe that borrows `mixed_precision` and `num_processes` stays a recipe.

/// From this sum of votes on, a file is an accelerate config.
pub(super) const THRESHOLD: i32 = 8;

/// A top-level key that votes for an accelerate config.
pub(super) struct Sign {
    /// The key.
    pub(super) key: &'static str,
    /// Its vote.
    pub(super) weight: i32,
    /// Its vote where its value, or a key below it, is one of `telling`.
    pub(super) telling_weight: i32,
    /// Values, or keys below it, that only accelerate has; without regard to case.
    pub(super) telling: &'static [&'static str],
}

const fn sign(key: &'static str, weight: i32) -> Sign {
    Sign {
        key,
        weight,
        telling_weight: weight,
        telling: &[],
    }
}

/// The keys that vote for. Those of weight 0 are accelerate's, but too common to say anything.
pub(super) const SIGNS: &[Sign] = &[
    Sign {
        key: "compute_environment",
        weight: 6,
        telling_weight: 8,
        telling: &["LOCAL_MACHINE", "AMAZON_SAGEMAKER"],
    },
    Sign {
        key: "distributed_type",
        weight: 6,
        telling_weight: 8,
        telling: &[
            "NO",
            "DEEPSPEED",
            "FSDP",
            "MEGATRON_LM",
            "MPS",
            "MULTI_CPU",
            "MULTI_GPU",
            "MULTI_HPU",
            "MULTI_MLU",
            "MULTI_MUSA",
            "MULTI_NEURON",
            "MULTI_NPU",
            "MULTI_SDAA",
            "MULTI_XPU",
            "DATA_PARALLEL",
            "TP",
            "TPU",
            "XLA",
        ],
    },
    Sign {
        key: "mixed_precision",
        weight: 4,
        telling_weight: 6,
        telling: &["fp8"],
    },
    // NVIDIA's recipes have an `fp8_config` of their own, with `enabled` and `fp8_recipe` below it.
    Sign {
        key: "fp8_config",
        weight: 2,
        telling_weight: 6,
        telling: &[
            "backend",
            "amax_compute_algo",
            "amax_compute_algorithm",
            "amax_history_len",
            "amax_history_length",
            "enable_fsdp_float8_all_gather",
            "opt_level",
            "optimization_level",
            "override_linear_precision",
            "pad_inner_dim",
            "use_autocast_during_eval",
        ],
    },
    sign("downcast_bf16", 6),
    sign("main_training_function", 6),
    sign("megatron_lm_config", 6),
    sign("mpirun_config", 6),
    sign("tpu_use_cluster", 6),
    sign("tpu_use_sudo", 6),
    sign("deepspeed_config", 4),
    sign("dynamo_config", 4),
    sign("ec2_instance_type", 4),
    sign("enable_cpu_affinity", 4),
    sign("fsdp_config", 4),
    sign("iam_role_name", 4),
    sign("ipex_config", 4),
    sign("machine_rank", 4),
    sign("main_process_ip", 4),
    sign("num_machines", 4),
    sign("parallelism_config", 4),
    sign("sagemaker_inputs_file", 4),
    sign("sagemaker_metrics_file", 4),
    sign("same_network", 4),
    sign("tpu_env", 4),
    sign("use_mps_device", 4),
    sign("dynamo_backend", 2),
    sign("fp8", 2),
    sign("gpu_ids", 2),
    sign("kt_config", 2),
    sign("main_process_port", 2),
    sign("num_processes", 2),
    sign("rdzv_backend", 2),
    sign("tpu_name", 2),
    sign("tpu_zone", 2),
    sign("use_cpu", 2),
    sign("additional_args", 0),
    sign("base_job_name", 0),
    sign("bf16", 0),
    sign("command_file", 0),
    sign("commands", 0),
    sign("debug", 0),
    sign("fp16", 0),
    sign("image_uri", 0),
    sign("profile", 0),
    sign("py_version", 0),
    sign("pytorch_version", 0),
    sign("region", 0),
    sign("transformers_version", 0),
];

/// Keys that belong one level deeper (`fsdp_offload_params` at the top): a misplaced setting, no sign of another
/// program.
const NEUTRAL_PREFIXES: &[&str] = &[
    "deepspeed_",
    "dynamo_",
    "fp8_",
    "fsdp_",
    "megatron_lm_",
    "mpirun_",
    "offload_",
    "parallelism_config_",
    "tpu_",
    "zero3_",
    "zero_stage",
];

/// Top-level keys of other programs' files: trainers, DeepSpeed, hydra, compose, workflows, Kubernetes.
const FOREIGN: &[&str] = &[
    "apiVersion",
    "base_model",
    "dataset",
    "datasets",
    "defaults",
    "do_train",
    "finetuning_type",
    "jobs",
    "learning_rate",
    "lr_scheduler_type",
    "max_steps",
    "model_name_or_path",
    "num_train_epochs",
    "optimizer",
    "output_dir",
    "per_device_train_batch_size",
    "pretrained_model_name_or_path",
    "services",
    "train_batch_size",
    "train_micro_batch_size_per_gpu",
    "zero_optimization",
];

const FOREIGN_VOTE: i32 = -6;
const UNKNOWN_VOTE: i32 = -1;

/// The vote of one top-level key; `tells` says whether a value, or a key below it, is one of the given words.
pub(super) fn vote(key: &str, tells: impl Fn(&[&str]) -> bool) -> i32 {
    if let Some(sign) = SIGNS.iter().find(|sign| sign.key == key) {
        return if tells(sign.telling) {
            sign.telling_weight
        } else {
            sign.weight
        };
    }
    if FOREIGN.contains(&key) {
        FOREIGN_VOTE
    } else if NEUTRAL_PREFIXES
        .iter()
        .any(|prefix| key.starts_with(prefix))
    {
        0
    } else {
        UNKNOWN_VOTE
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_sign_stands_once_and_is_no_foreign_key() {
        for (position, sign) in SIGNS.iter().enumerate() {
            assert!(
                SIGNS[position + 1..]
                    .iter()
                    .all(|other| other.key != sign.key)
            );
            assert!(!FOREIGN.contains(&sign.key));
            assert!(sign.telling_weight >= sign.weight);
        }
    }
}
