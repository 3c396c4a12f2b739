//! The keys that signatures consist of.

use super::{Key, key, telling};

/// What stands below `zero_optimization`.
pub(super) const ZERO_KEYS: &[&str] = &[
    "allgather_bucket_size",
    "allgather_partitions",
    "contiguous_gradients",
    "cpu_offload",
    "offload_optimizer",
    "offload_param",
    "overlap_comm",
    "reduce_bucket_size",
    "reduce_scatter",
    "stage",
    "stage3_gather_16bit_weights_on_model_save",
    "stage3_param_persistence_threshold",
];

pub(super) const BATCH_SIZES: &[Key] = &[
    key("train_batch_size"),
    key("train_micro_batch_size_per_gpu"),
];

pub(super) const DEEPSPEED_SECTIONS: &[Key] = &[
    telling("fp16", &["enabled"]),
    telling("bf16", &["enabled"]),
    telling("optimizer", &["params"]),
];

pub(super) const AXOLOTL: &[Key] = &[
    key("adapter"),
    key("dataset_prepared_path"),
    key("datasets"),
    key("micro_batch_size"),
    key("num_epochs"),
    key("plugins"),
    key("pretraining_dataset"),
    key("rl"),
    key("sample_packing"),
    key("sequence_len"),
    key("val_set_size"),
    key("wandb_project"),
];

/// Those of [`AXOLOTL`] that older scripts with a `base_model` do not share.
pub(super) const AXOLOTL_ALONE: &[Key] = &[
    key("dataset_prepared_path"),
    key("datasets"),
    key("plugins"),
    key("pretraining_dataset"),
    key("rl"),
    key("sample_packing"),
    key("sequence_len"),
];

pub(super) const LLAMAFACTORY_STAGES: &[&str] = &["pt", "sft", "rm", "ppo", "dpo", "kto"];

pub(super) const LLAMAFACTORY_DATA: &[Key] = &[
    key("dataset"),
    key("model_name_or_path"),
    key("stage"),
    key("template"),
];

pub(super) const LLAMAFACTORY_TRAINING: &[Key] =
    &[key("cutoff_len"), key("do_train"), key("template")];

/// The model, or the checkpoint in Megatron's form.
pub(super) const SWIFT_MODEL: &[Key] = &[
    key("load"),
    key("mcore_adapter"),
    key("mcore_model"),
    key("model"),
];

/// How ms-swift 3 and 4 name the way of tuning.
pub(super) const TUNER: &[Key] = &[key("train_type"), key("tuner_type")];

pub(super) const SWIFT_DATA: &[Key] = &[
    key("cached_dataset"),
    key("dataset"),
    key("per_device_train_batch_size"),
    key("torch_dtype"),
];

pub(super) const SWIFT_ALONE: &[Key] = &[
    key("ENV"),
    key("add_non_thinking_prefix"),
    key("attn_impl"),
    key("model_author"),
    key("rlhf_type"),
    key("split_dataset_ratio"),
    key("train_type"),
    key("tuner_type"),
];

pub(super) const SWIFT_TRAINING: &[Key] = &[
    key("global_batch_size"),
    key("learning_rate"),
    key("lr"),
    key("max_epochs"),
    key("micro_batch_size"),
    key("num_train_epochs"),
    key("per_device_train_batch_size"),
    key("train_iters"),
];

/// Fields of `TrainingArguments`.
pub(super) const CORE: &[Key] = &[
    key("bf16"),
    key("fp16"),
    key("gradient_accumulation_steps"),
    key("learning_rate"),
    key("logging_steps"),
    key("lr_scheduler_type"),
    key("max_steps"),
    key("num_train_epochs"),
    key("output_dir"),
    key("per_device_train_batch_size"),
    key("save_strategy"),
    key("warmup_ratio"),
];

/// Those that few other programs have.
pub(super) const CORE_ALONE: &[Key] = &[
    key("eval_strategy"),
    key("evaluation_strategy"),
    key("logging_strategy"),
    key("lr_scheduler_type"),
    key("num_train_epochs"),
    key("per_device_eval_batch_size"),
    key("per_device_train_batch_size"),
    key("save_strategy"),
];

/// Keys of TRL's config and script classes, and of the alignment-handbook's, that plain scripts with classes of their
/// own have as well.
pub(super) const TRL_SHARED: &[Key] = &[
    key("attn_implementation"),
    key("dataset_config"),
    key("dataset_name"),
    key("datasets"),
    key("dtype"),
    key("load_in_4bit"),
    key("load_in_8bit"),
    key("lora_alpha"),
    key("lora_dropout"),
    key("lora_r"),
    key("lora_target_modules"),
    key("max_seq_length"),
    key("model_name_or_path"),
    key("model_revision"),
    key("torch_dtype"),
    key("trust_remote_code"),
    key("use_peft"),
];

/// Those that only TRL has.
pub(super) const TRL_ALONE: &[Key] = &[
    key("accelerate_config"),
    key("assistant_only_loss"),
    key("beta"),
    key("center_rewards_coefficient"),
    key("chat_template"),
    key("chat_template_path"),
    key("completion_only_loss"),
    key("dataset_kwargs"),
    key("dataset_mixer"),
    key("dataset_mixture"),
    key("dataset_num_proc"),
    key("dataset_test_split"),
    key("dataset_text_field"),
    key("dataset_train_split"),
    key("desirable_weight"),
    key("eval_packing"),
    key("generate_during_eval"),
    key("log_completions"),
    key("loss_type"),
    key("max_completion_length"),
    key("max_length"),
    key("max_prompt_length"),
    key("missing_eos_penalty"),
    key("model_init_kwargs"),
    key("num_generations"),
    key("num_ppo_epochs"),
    key("packing"),
    key("packing_strategy"),
    key("padding_free"),
    key("precompute_ref_log_probs"),
    key("reward_funcs"),
    key("reward_model_path"),
    key("reward_weights"),
    key("rpo_alpha"),
    key("scale_rewards"),
    key("sft_model_path"),
    key("sync_ref_model"),
    key("teacher_model_name_or_path"),
    key("truncation_mode"),
    key("undesirable_weight"),
    key("use_dora"),
    key("use_liger_loss"),
    key("use_rslora"),
    key("use_vllm"),
    key("vllm_gpu_memory_utilization"),
    key("vllm_mode"),
];

/// Files of other programs that borrow such keys: Kubernetes, hydra, workflows, compose, merges of models, what a run
/// of wandb leaves behind.
pub(super) const OTHER_FILES: &[&str] = &[
    "_wandb",
    "apiVersion",
    "defaults",
    "jobs",
    "merge_method",
    "services",
    "wandb_version",
];

/// Recipes of other trainers, LLaMA-Factory's v1 form among them, and what the Trainer leaves behind.
pub(super) const OTHER_TRAINERS: &[&str] = &[
    "base_model",
    "checkpointing_steps",
    "compute_environment",
    "dist_config",
    "finetuning_type",
    "global_step",
    "kernel_config",
    "log_history",
    "max_train_steps",
    "num_warmup_steps",
    "stage",
    "train_batch_size",
    "train_dataset",
    "with_tracking",
    "zero_optimization",
];

/// Keys of people's own argument classes, beside which a key of TRL's is their own as well: their script may build
/// plain `TrainingArguments`.
pub(super) const OWN_ARGUMENTS: &[&str] = &[
    "block_size",
    "conversation_template",
    "data_path",
    "dataset_path",
    "dataset_path_list",
    "eval_file",
    "lora_rank",
    "max_source_length",
    "max_target_length",
    "task_type",
    "template_name",
    "train_data",
    "train_file",
    "train_files",
    "train_mode",
    "validation_file",
];

/// LLaMA-Factory's files for inference and for merging adapters.
pub(super) const NO_TRAINING: &[&str] = &["export_dir", "infer_backend"];

/// The precisions of `TrainingArguments`.
pub(super) const SWITCHES: &[Key] = &[key("bf16"), key("fp16")];
