//! Named behaviours: what `data/behaviours.toml` says which release does.
//!
//! Data chooses among the names below by interval of releases; the code elsewhere does each named thing once and never
//! compares versions. docs/knowledge.md says how to add one.

use std::sync::LazyLock;

use serde::Deserialize;

use super::interval::{Interval, Span};
use super::newest;

const TEXT: &str = include_str!("data/behaviours.toml");

/// A file that does not parse is found by this module's tests; at run time no release would be modelled.
static TABLE: LazyLock<Table<'static>> = LazyLock::new(|| toml::from_str(TEXT).unwrap_or_default());

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Row<'a, Behaviour> {
    is: Behaviour,
    first: &'a str,
    last: Option<&'a str>,
    /// Read by people, and by the test that no row lacks it.
    #[cfg_attr(not(test), expect(dead_code))]
    source: &'a str,
}

impl<'a, Behaviour> Row<'a, Behaviour> {
    fn span(&self) -> Span<'a> {
        Span {
            first: self.first,
            last: self.last,
        }
    }
}

/// The releases that the named behaviours cover.
pub fn modelled() -> Interval {
    let nothing = Interval {
        first: newest(),
        last: Some(newest()),
    };
    Interval::joined(TABLE.modelled.iter().copied())
        .pop()
        .unwrap_or(nothing)
}

/// Declares one enum for each behaviour, the table that the file is read into, and [`Behaviours`].
macro_rules! behaviours {
    ($(
        $(#[doc = $about:literal])+
        $field:ident: $Behaviour:ident {
            $( $(#[doc = $means:literal])+ $Name:ident, )+
        }
    )+) => {
        $(
            $(#[doc = $about])+
            #[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
            #[serde(rename_all = "snake_case")]
            pub enum $Behaviour {
                $( $(#[doc = $means])+ $Name, )+
            }

            impl $Behaviour {
                /// The releases that behave so.
                pub fn intervals(self) -> Vec<Interval> {
                    Interval::joined(TABLE.$field.iter().filter(|row| row.is == self).map(Row::span))
                }
            }
        )+

        #[derive(Default, Deserialize)]
        #[serde(deny_unknown_fields)]
        struct Table<'a> {
            #[serde(borrow)]
            modelled: Option<Span<'a>>,
            $( #[serde(borrow)] $field: Vec<Row<'a, $Behaviour>>, )+
        }

        /// How one release behaves, where releases differ.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub struct Behaviours {
            $( $(#[doc = $about])+ pub $field: $Behaviour, )+
        }

        impl Behaviours {
            /// The behaviours of the known release at this position; `None` before the modelled ones.
            pub(super) fn at(release: usize) -> Option<Self> {
                TABLE.modelled.filter(|span| span.holds(release))?;
                Some(Self {
                    $( $field: TABLE.$field.iter().find(|row| row.span().holds(release))?.is, )+
                })
            }
        }

        #[cfg(test)]
        impl Table<'_> {
            fn rows(&self) -> Vec<(&'static str, Vec<(Span<'_>, &str)>)> {
                vec![$((
                    stringify!($field),
                    self.$field.iter().map(|row| (row.span(), row.source)).collect(),
                ),)+]
            }
        }
    };
}

behaviours! {
    /// What becomes of the keys of `dynamo_config` on their way to the launcher's arguments.
    dynamo_section: DynamoSection {
        /// They keep their names: only those that already start with `dynamo_` reach an argument.
        Flat,
        /// `dynamo_` is put before those that do not start with it.
        Prefixed,
    }

    /// Whether a config file for SageMaker gets as far as the SageMaker launcher.
    sagemaker_launch: SagemakerLaunch {
        /// It does.
        Launched,
        /// Unless a flag chose the kind of training, the launcher asks the config for `parallelism_config`, which
        /// `SageMakerConfig` has not: `AttributeError`.
        AttributeError,
    }

    /// The wording of the `ValueError` for a single GPU id with several processes.
    gpu_ids_message: GpuIdsMessage {
        /// "… tried to run on on multiple GPUs. …"
        RepeatsOn,
        /// "… tried to run on multiple GPUs. …"
        Corrected,
    }

    /// What the launcher of a single process makes of the text of `ACCELERATE_USE_CPU` (`--cpu` or `use_cpu`), besides
    /// exporting it: true sets the `KMP_…` variables.
    use_cpu_flag: UseCpuFlag {
        /// Any text is true, `"False"` and `"None"` too.
        AnyText,
        /// The text is looked up as the name of a variable: false, except for people who have a variable `True`.
        Ignored,
        /// It goes through `str_to_bool`: anything but a word for true or false, such as `use_cpu: null` in the file,
        /// is a `ValueError`.
        MustBeBoolean,
    }

    /// Where the single-process launcher has `ACCELERATE_USE_IPEX` from, if `intel_extension_for_pytorch` is installed,
    /// and whether `prepare()` uses it.
    ipex: Ipex {
        /// From `--ipex` or `ipex_config`; `prepare()` uses IPEX on CPU and XPU with torch before 2.7.
        FromFlag,
        /// The flag is gone, and still read: `AttributeError`, unless `ipex_config` sets `ipex`. `prepare()` as before.
        ReadsMissingFlag,
        /// Nothing of IPEX is left.
        Removed,
    }

    /// Whether `fsdp_ignored_modules` reaches the training process.
    fsdp_ignored_modules: FsdpIgnoredModules {
        /// Nothing reads it.
        NotExported,
        /// As `FSDP_IGNORED_MODULES`, if it is set.
        Exported,
    }

    /// `fsdp_activation_checkpointing_offload`.
    fsdp_activation_checkpointing_offload: FsdpActivationCheckpointingOffload {
        /// Nothing reads it.
        Absent,
        /// Always exported as `FSDP_ACTIVATION_CHECKPOINTING_OFFLOAD`; true without activation checkpointing or without
        /// FSDP2 is a `ValueError` in `Accelerator()`.
        ExportedAndChecked,
    }

    /// Which settings of Megatron-LM the launcher exports as `MEGATRON_LM_…`.
    megatron_settings: MegatronSettings {
        /// The seven of old: degrees, clipping, micro batches, sequence parallelism, recomputation, optimizer.
        Basic,
        /// Twenty more. [`Facts::writers`](super::Facts::writers) lists them.
        Extended,
    }

    /// Which launchers export `parallelism_config`.
    parallelism_config: ParallelismConfig {
        /// There is no such key.
        Absent,
        /// The one for several GPUs, FSDP and Megatron-LM: the sizes, and the communication strategy if context
        /// parallelism is on.
        MultiGpuLauncher,
        /// The DeepSpeed one too, and also the backends, and sequence parallelism.
        MultiGpuAndDeepspeedLaunchers,
    }

    /// How the variables that switch FSDP, DeepSpeed, Megatron-LM and SageMaker on are compared with `true`.
    environment_flags: EnvironmentFlags {
        /// As they are: `True` switches nothing on.
        Exact,
        /// Lower-cased.
        LowerCased,
    }

    /// When processes of a distributed launch count as `MULTI_CPU`.
    cpu_distributed: CpuDistributed {
        /// When no accelerator is found, asked for or not.
        WithoutDevice,
        /// When CPU was asked for; else, without an accelerator, each process is on its own (`NO`).
        OnlyWhenAsked,
    }

    /// What the state keeps as mixed precision under DeepSpeed, where the DeepSpeed config otherwise decides.
    deepspeed_state_precision: DeepspeedStatePrecision {
        /// `no`: fp8 is not seen as on, and no recipe is made.
        AlwaysNo,
        /// `fp8` stays `fp8`, all else becomes `no`.
        KeepsFp8,
    }

    /// Where bf16 must have been asked for so that a device without it is a `ValueError`.
    bf16_device_check: Bf16DeviceCheck {
        /// In the argument of `Accelerator()`; from the environment it is silently left out.
        ArgumentOnly,
        /// Anywhere. On Apple's devices torch 2.6 is needed.
        ArgumentOrEnvironment,
    }

    /// Whether fp16 runs on Apple's devices.
    fp16_device_check: Fp16DeviceCheck {
        /// `ValueError`.
        RefusesMps,
        /// With torch 2.5.
        AcceptsMps,
    }

    /// The check of `ACCELERATE_DOWNCAST_BF16` on TPUs when `Accelerator()` is not given bf16.
    downcast_bf16_check: DowncastBf16Check {
        /// It reads an attribute that does not exist: `AttributeError`.
        AttributeError,
        /// It passes on a TPU.
        TpuOnly,
    }

    /// Where the torchao recipe has its config from.
    ao_recipe: AoRecipe {
        /// From code alone; without it there is none, and torchao takes its own defaults.
        Plain,
        /// Without one in code, from `ACCELERATE_FP8_PAD_INNER_DIM` and `ACCELERATE_FP8_ENABLE_FSDP_FLOAT8_ALL_GATHER`,
        /// both true by default.
        FromEnvironment,
    }

    /// Whether `use_mxfp8_block_scaling` can be set for Transformer Engine from outside.
    te_mxfp8: TeMxfp8 {
        /// The recipe has no such setting.
        NotRead,
        /// From `ACCELERATE_FP8_USE_MXFP8_BLOCK_SCALING`.
        FromEnvironment,
    }

    /// When the FSDP plugin sets `FSDP_CPU_RAM_EFFICIENT_LOADING` for transformers to see.
    cpu_ram_efficient_loading_environment: CpuRamEfficientLoadingEnvironment {
        /// When it differs from what the plugin comes to, with a warning.
        WrittenIfDifferent,
        /// When the plugin is given a value in code.
        WrittenIfGiven,
    }

    /// What the FSDP plugin takes as `mixed_precision_policy` in code.
    fsdp_mixed_precision_policy: FsdpMixedPrecisionPolicy {
        /// A mapping or torch's own class; a string is a `ValueError`.
        MappingOrPolicy,
        /// Also the name of a precision.
        NameToo,
    }

    /// What `Accelerator()` demands of a parallelism config.
    parallelism_check: ParallelismCheck {
        /// There is none.
        Absent,
        /// The product of the sizes is the number of processes; FSDP2 or plain multi-device only.
        WithoutSequenceParallelism,
        /// Sequence parallelism counts in the product, and DeepSpeed is allowed.
        SequenceAndContext,
        /// Not both of sequence and context parallelism; with DeepSpeed's sequence parallelism the product is free.
        SequenceOrContext,
        /// Besides, FSDP2 must have something to shard over: `dp_shard_size` or `cp_size` above 1. Before, that was a
        /// `KeyError` in `prepare()`.
        Fsdp2MustShard,
    }

    /// Which values `parallelism_config_sp_attn_implementation` may have.
    sequence_attention: SequenceAttention {
        /// There is no such setting.
        Absent,
        /// `flash_attention_2`, `flash_attention_3`, `sdpa`.
        BuiltIn,
        /// Those, and a kernel on the hub: a name with `/` and `flash-attn` in it.
        BuiltInOrHubKernel,
    }

    /// What `prepare()` does with torchao under FSDP2 when it is also given an optimizer.
    ao_prepare_fsdp2: AoPrepareFsdp2 {
        /// It reads a field of the recipe's config: `AttributeError` if code gave none.
        ReadsHandlerConfig,
        /// The recipe always has a config.
        Safe,
    }

    /// How `prepare()` asks Transformer Engine whether it can do MXFP8, which it does for every recipe.
    te_mxfp8_support: TeMxfp8Support {
        /// It does not ask.
        NotAsked,
        /// Through the attribute `fp8` of `transformer_engine.pytorch`.
        PackageAttribute,
        /// By importing `check_mxfp8_support` from `transformer_engine.pytorch.fp8`.
        Submodule,
    }

    /// Whether `prepare()` converts a model for fp8 under Megatron-LM.
    megatron_fp8: MegatronFp8 {
        /// With Transformer Engine and torchao, as elsewhere.
        Converted,
        /// Never.
        LeftAlone,
    }

    /// The standing of MS-AMP.
    msamp: Msamp {
        /// Supported.
        Supported,
        /// `prepare()` warns that it will be removed (`FutureWarning`).
        Deprecated,
    }
}

#[cfg(test)]
mod tests {
    use super::super::{accelerate, releases};
    use super::*;

    #[test]
    fn the_file_parses_and_knows_no_other_names() {
        toml::from_str::<Table<'_>>(TEXT).unwrap();
    }

    #[test]
    fn every_behaviour_covers_every_modelled_release_once() {
        let (modelled, _) = TABLE.modelled.unwrap().positions().unwrap();
        for (name, rows) in TABLE.rows() {
            for (release, version) in releases().iter().enumerate() {
                let count = rows.iter().filter(|(span, _)| span.holds(release)).count();
                assert_eq!(
                    count,
                    usize::from(release >= modelled),
                    "{name} in {version}"
                );
            }
        }
    }

    #[test]
    fn every_row_has_a_source_and_known_releases() {
        for (name, rows) in TABLE.rows() {
            for (span, source) in rows {
                assert!(source.contains(".py"), "{name}");
                let (first, last) = span.positions().unwrap();
                assert!(last.is_none_or(|last| first <= last), "{name}");
            }
        }
    }

    #[test]
    fn releases_before_the_modelled_ones_have_no_behaviours() {
        assert_eq!(modelled().to_string(), "from 1.9.0");
        for (version, expected) in [("1.8.1", false), ("1.9.0", true), ("1.15.0", true)] {
            let known = accelerate(&version.parse().unwrap()).unwrap();
            assert_eq!(known.facts.behaviours.is_some(), expected, "{version}");
        }
    }

    #[test]
    fn a_behaviour_names_its_releases() {
        let texts = |intervals: Vec<Interval>| {
            intervals
                .iter()
                .map(Interval::to_string)
                .collect::<Vec<_>>()
        };
        assert_eq!(texts(DynamoSection::Prefixed.intervals()), ["from 1.14.0"]);
        assert_eq!(texts(AoRecipe::Plain.intervals()), ["1.9.0–1.12.0"]);
        assert_eq!(texts(SagemakerLaunch::Launched.intervals()), ["1.9.0"]);
    }
}
