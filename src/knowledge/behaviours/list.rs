//! The named behaviours: one sentence on what each name does.

use serde::Deserialize;

use super::super::interval::Interval;
use super::{Row, TABLE};

behaviours! {
    // --------------------------------------------------------------------------------------------- the config file

    /// What a top-level key that the release does not know raises.
    unknown_config_keys: UnknownConfigKeys {
        /// The dataclass's `TypeError`, which names the first one.
        TypeError,
        /// A `ValueError` that lists them all.
        ValueError,
    }

    /// Which keys a config file must have.
    required_config_keys: RequiredConfigKeys {
        /// `distributed_type` and `num_processes`: else the dataclass's `TypeError`.
        NumProcessesToo,
        /// `distributed_type`: else a `ValueError`. `num_processes` is 1 for `NO`.
        DistributedTypeOnly,
    }

    /// What becomes of `mixed_precision: no`, which YAML reads as `False`.
    unquoted_no: UnquotedNo {
        /// It stays `False`, and the launcher fails on it.
        StaysFalse,
        /// In YAML it becomes `no`, as it is meant.
        MeansNo,
    }

    /// Who wins where a section of the config file and a flag name the same argument.
    config_sections: ConfigSections {
        /// The section. Every section must be a mapping.
        OverFlags,
        /// The flag. A section that is no mapping is one argument more.
        UnderFlags,
    }

    /// What becomes of `fp8_config`.
    fp8_section: Fp8Section {
        /// Nothing: either the key is unknown, or nobody reads it.
        Dropped,
        /// Its keys become arguments of the launcher, as those of the other sections.
        Merged,
    }

    /// What becomes of the keys of `dynamo_config` on their way to the launcher's arguments.
    dynamo_section: DynamoSection {
        /// They keep their names: only those that already start with `dynamo_` reach an argument.
        Flat,
        /// `dynamo_` is put before those that do not start with it.
        Prefixed,
    }

    /// How a launch with `distributed_type: MULTI_XPU` starts.
    multi_xpu_launch: MultiXpuLaunch {
        /// With the launcher of a single process.
        Simple,
        /// With torchrun, as for other devices.
        Torchrun,
    }

    /// Whether `num_processes: -1` passes.
    minus_one_process: MinusOneProcess {
        /// It is taken as any other number.
        Unchecked,
        /// `ValueError`: the number must come from the command line.
        Refused,
    }

    /// When the launcher checks that the device can do the bf16 which `--mixed_precision` asks for.
    bf16_launch_check: Bf16LaunchCheck {
        /// Never.
        Absent,
        /// Unless the config says `use_cpu`, which a config for SageMaker does not have: `AttributeError`.
        UnlessOnCpu,
        /// Always.
        Always,
    }

    /// When a launch without a config file takes all GPUs of a machine that has several.
    automatic_multi_gpu: AutomaticMultiGpu {
        /// Unless `--num_processes` is given.
        WithoutNumProcesses,
        /// Always.
        Always,
        /// Unless `--num_processes` is 1 or less.
        SeveralProcesses,
    }

    /// Where the launcher has `OMP_NUM_THREADS` from.
    cpu_threads: CpuThreads {
        /// 1, or as many cores as there are for each process on CPU.
        Own,
        /// The shell's own is kept.
        KeptFromShell,
        /// Besides, the processes are divided by the machines.
        KeptFromShellDivided,
    }

    // ------------------------------------------------------------------------------------------------- launching

    /// Whether the launcher of a single process checks the main process's address.
    main_process_address: MainProcessAddress {
        /// It exports what it has, and fails to start a process where that is nothing.
        PassedOn,
        /// It asserts that several machines have one.
        Checked,
    }

    /// What the launcher of a single process makes of the text of `ACCELERATE_USE_CPU` (`--cpu` or `use_cpu`), besides
    /// exporting it: true sets the `KMP_…` variables.
    use_cpu_flag: UseCpuFlag {
        /// Nothing.
        ExportedOnly,
        /// Any text is true, `"False"` and `"None"` too.
        AnyText,
        /// The text is looked up as the name of a variable: false, except for people who have a variable `True`.
        Ignored,
        /// It goes through `str_to_bool`: anything but a word for true or false, such as `use_cpu: null` in the file,
        /// is a `ValueError`.
        MustBeBoolean,
    }

    /// What a launch for fp8 exports of the arguments that start with `fp8_`.
    fp8_export: Fp8Export {
        /// Nothing, and it checks nothing.
        Nothing,
        /// Each as text, `override_linear_precision` as one.
        OneText,
        /// `override_linear_precision` is split as text, and the default itself is a tuple: `AttributeError`.
        SplitText,
        /// Its three elements are exported as they are: the launcher of a single process cannot start with a `bool`,
        /// which the default holds.
        RawElements,
        /// Its three elements as text.
        TextElements,
    }

    /// Which packages count as able to do fp8 (`is_fp8_available`).
    fp8_packages: Fp8Packages {
        /// Transformer Engine.
        TransformerEngine,
        /// Transformer Engine and MS-AMP.
        MsampToo,
        /// Transformer Engine, MS-AMP and torchao.
        TorchaoToo,
    }

    /// The wording of the launcher's `RuntimeError` where no fp8 package is installed.
    fp8_unavailable_message: Fp8UnavailableMessage {
        /// "… either Transformer Engine or MSAMP is installed."
        WithoutTorchao,
        /// "… either Transformer Engine, MSAMP or torchao is installed."
        WithTorchao,
    }

    /// The wording of the `ValueError` for a single GPU id with several processes.
    gpu_ids_message: GpuIdsMessage {
        /// "… tried to run on on multiple GPUs. …"
        RepeatsOn,
        /// "… tried to run on multiple GPUs. …"
        Corrected,
    }

    /// Which variables a TPU launch sets for the precision.
    xla_precision: XlaPrecision {
        /// `XLA_USE_BF16` and `XLA_DOWNCAST_BF16`, one of them 1 for bf16.
        BothVariables,
        /// The one that bf16 asks for.
        OneVariable,
    }

    /// Whether a TPU launch checks `num_processes`.
    tpu_processes: TpuProcesses {
        /// It takes any.
        Unchecked,
        /// It must be the number of TPU devices.
        MustMatchDevices,
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

    // ------------------------------------------------------------------------------- import, devices, distributed type

    /// What the program `accelerate` imports that its package does not require.
    program_imports: ProgramImports {
        /// Nothing.
        Nothing,
        /// pytest: without it there is no `accelerate launch`.
        Pytest,
    }

    /// When accelerate imports Transformer Engine.
    transformer_engine_import: TransformerEngineImport {
        /// With itself, if it is installed.
        IfInstalled,
        /// With itself, if it or MS-AMP is installed: with MS-AMP alone `import accelerate` fails.
        IfAnyFp8Package,
        /// When it converts a model.
        WhenUsed,
    }

    /// When torch_xla counts as available.
    xla_available: XlaAvailable {
        /// If it is installed.
        IfInstalled,
        /// Never: torch must be built without distributed training.
        Never,
        /// If it is installed and there is no GPU.
        WithoutGpu,
    }

    /// What the state makes of available torch_xla.
    xla_state: XlaState {
        /// XLA, unless CPU is asked for.
        UnlessOnCpu,
        /// The device is XLA's, and the distributed type that of a single process.
        DeviceOnly,
        /// XLA.
        Always,
    }

    /// How the variables that switch FSDP, DeepSpeed, Megatron-LM and SageMaker on are compared with `true`.
    environment_flags: EnvironmentFlags {
        /// As they are: `True` switches nothing on.
        Exact,
        /// Lower-cased.
        LowerCased,
    }

    /// Which process of a distributed launch asks for a GPU, and so fails where none is.
    gpu_distributed: GpuDistributed {
        /// Any that is not to run on CPU.
        WithoutDevice,
        /// One for DeepSpeed; the others count as `MULTI_GPU` only with a GPU.
        WithGpuUnlessDeepspeed,
        /// None: they count as `MULTI_GPU` only with a GPU.
        WithGpu,
    }

    /// When processes of a distributed launch count as `MULTI_CPU`.
    cpu_distributed: CpuDistributed {
        /// When they are several, and no accelerator is found, asked for or not.
        SeveralWithoutDevice,
        /// When no accelerator is found, asked for or not.
        WithoutDevice,
        /// When CPU was asked for; else, without an accelerator, each process is on its own (`NO`).
        OnlyWhenAsked,
    }

    /// On which device `MULTI_CPU` runs.
    multi_cpu_device: MultiCpuDevice {
        /// On the CPU.
        Cpu,
        /// On the CPU if it was asked for, else on a GPU where one is.
        GpuUnlessAsked,
    }

    /// Whether DeepSpeed counts as the distributed type of a process that no distributed launcher started.
    deepspeed_alone: DeepspeedAlone {
        /// Yes, and it asks for torch's process group and the GPU of its rank, which it has not: `RuntimeError`.
        NeedsRank,
        /// No: it is a single process, and the DeepSpeed plugin goes unused.
        SingleProcess,
        /// Yes.
        Deepspeed,
    }

    // ------------------------------------------------------------------------------------------------- precisions

    /// When it is checked that an fp8 package is installed.
    fp8_package_check: Fp8PackageCheck {
        /// Never.
        Absent,
        /// In `Accelerator()`.
        InAccelerator,
    }

    /// Where the compute capability of the GPU is looked at for fp8.
    fp8_capability: Fp8Capability {
        /// In `prepare()`, which asks for 9.0: below, Transformer Engine's layers run without fp8.
        PrepareNeedsHopper,
        /// In `prepare()`, which asks for 8.9: below, Transformer Engine's layers run without fp8.
        PrepareNeedsAda,
        /// In `Accelerator()`, which takes fp16 below 8.9, and fails without a GPU.
        AcceleratorAsksGpu,
        /// In `Accelerator()`, which takes fp16 below 8.9.
        AcceleratorIfGpu,
    }

    /// Whether fp8 also turns torch's autocast to bf16 on.
    fp8_autocast: Fp8Autocast {
        /// No.
        Alone,
        /// Yes.
        OverBf16,
    }

    /// Where bf16 must have been asked for so that a device without it is a `ValueError`.
    bf16_device_check: Bf16DeviceCheck {
        /// In the argument of `Accelerator()`; from the environment it is silently left out.
        ArgumentOnly,
        /// Anywhere. On Apple's devices torch 2.6 is needed.
        ArgumentOrEnvironment,
    }

    /// Intel's extension for PyTorch.
    ipex: Ipex {
        /// Not supported.
        Absent,
        /// On CPU, if `ipex_config` or `--ipex_enabled` says so: it must then be installed.
        Enabled,
        /// From `--ipex` or `ipex_config`, if it is installed; `prepare()` uses it on CPU and XPU, at last only with
        /// torch before 2.7.
        FromFlag,
        /// The flag is gone, and still read: `AttributeError`, unless `ipex_config` sets `ipex`. `prepare()` as before.
        ReadsMissingFlag,
        /// Nothing of it is left.
        Removed,
    }

    // ----------------------------------------------------------------------------------------------------- recipes

    /// What `FP8RecipeKwargs` is.
    fp8_recipe_kwargs: Fp8RecipeKwargs {
        /// The recipe of Transformer Engine, all of it from code.
        TransformerEngineOnly,
        /// The recipe of Transformer Engine or MS-AMP, all of it from code; MS-AMP unless the script says otherwise.
        BackendFromCode,
        /// What code does not say is read from the environment.
        FromEnvironment,
        /// Deprecated: there is a class for each backend. It is one for Transformer Engine with the choice of MS-AMP.
        Deprecated,
    }

    /// Which recipe `Accelerator()` makes by itself for fp8.
    automatic_recipe: AutomaticRecipe {
        /// None.
        Nothing,
        /// An `FP8RecipeKwargs` if fp8 is asked for in code.
        ForArgument,
        /// An `FP8RecipeKwargs` for MS-AMP, if it is installed, else for Transformer Engine.
        InstalledMsampFirst,
        /// An `FP8RecipeKwargs` from the environment.
        FromEnvironment,
        /// One if fp8 is asked for in code (or with DeepSpeed anywhere), and forgets that it has it: no fp8.
        Forgotten,
        /// For the first package installed of torchao, Transformer Engine, MS-AMP; a backend in the environment does not
        /// count.
        Installed,
        /// For the backend of `ACCELERATE_FP8_BACKEND`, else as before.
        NamedOrInstalled,
    }

    /// When a recipe without fp8 is a `ValueError`.
    recipe_check: RecipeCheck {
        /// Never.
        Absent,
        /// When the precision is not fp8.
        Precision,
        /// When the precision is not fp8, but not with FSDP and DeepSpeed.
        PrecisionUnlessSharded,
        /// When the argument of `Accelerator()` is not fp8, even if the environment asks for it, but not with FSDP and
        /// DeepSpeed.
        ArgumentUnlessSharded,
        /// When neither the argument nor the precision is fp8, but not with FSDP and DeepSpeed.
        EitherUnlessSharded,
    }

    /// What `Accelerator().fp8_backend` is.
    fp8_backend: Fp8BackendProperty {
        /// There is no such property: where it matters, the handler is asked.
        Absent,
        /// The handler's backend if the precision is fp8, else MS-AMP if the DeepSpeed plugin has it on, else `None`.
        HandlerIfFp8,
        /// The handler's backend, whatever the precision, else MS-AMP if the DeepSpeed plugin has it on, else `None`.
        Handler,
        /// As before, else `ACCELERATE_FP8_BACKEND`, which is then prepared even without a handler.
        HandlerOrEnvironment,
    }

    /// Whether torchao is checked against FSDP's `cpu_ram_efficient_loading`.
    ao_fsdp_check: AoFsdpCheck {
        /// No.
        Absent,
        /// Yes, and without FSDP the check itself fails: `AttributeError`.
        ReadsMissingPlugin,
        /// Yes.
        Refused,
    }

    /// MS-AMP with FSDP.
    msamp_fsdp: MsampFsdp {
        /// Goes through.
        Unchecked,
        /// `NotImplementedError` in `Accelerator()`.
        Refused,
    }

    /// Where the torchao recipe has its config from.
    ao_recipe: AoRecipe {
        /// From code alone; without it there is none, and torchao takes its own defaults.
        Plain,
        /// Without one in code, from `ACCELERATE_FP8_PAD_INNER_DIM` and `ACCELERATE_FP8_ENABLE_FSDP_FLOAT8_ALL_GATHER`,
        /// both true by default.
        FromEnvironment,
    }

    /// Whether torchao's float8 all-gather is on where nobody says it. With it, weights are of a class of torchao's own,
    /// which only FSDP2 can store in a checkpoint.
    ao_all_gather_default: AoAllGatherDefault {
        /// No.
        Off,
        /// Yes.
        On,
    }

    /// Whether `use_mxfp8_block_scaling` can be set for Transformer Engine from outside.
    te_mxfp8: TeMxfp8 {
        /// The recipe has no such setting.
        NotRead,
        /// From `ACCELERATE_FP8_USE_MXFP8_BLOCK_SCALING`.
        FromEnvironment,
    }

    // ------------------------------------------------------------------------------------------------------- FSDP

    /// Which precisions FSDP's policy can be made of.
    fsdp_precisions: FsdpPrecisions {
        /// fp16 and bf16; any other is a `ValueError`.
        Fp16Bf16,
        /// fp32 too.
        Fp32Too,
        /// fp32, and fp8, for which the policy is bf16.
        Fp32Fp8Too,
    }

    /// How `FSDP_SHARDING_STRATEGY` is read.
    fsdp_sharding_strategy: FsdpShardingStrategy {
        /// As a number: a name is a `ValueError`.
        Number,
        /// As a name, spelled exactly, or a number.
        ExactNameOrNumber,
        /// As a name or a number.
        NameOrNumber,
    }

    /// How the names of the other FSDP options are read.
    fsdp_names: FsdpNames {
        /// Spelled exactly: else a `ValueError`.
        Exact,
        /// In any case, or as a number: else a `KeyError`.
        AnyCaseOrNumber,
    }

    /// What an unknown `FSDP_AUTO_WRAP_POLICY` comes to in `Accelerator()`.
    fsdp_auto_wrap_policy: FsdpAutoWrapPolicy {
        /// It passes: `prepare()` takes it for none.
        Unchecked,
        /// The message that should list the known ones cannot: `AttributeError`.
        AttributeError,
        /// `ValueError`.
        ValueError,
    }

    /// How `FSDP_OFFLOAD_PARAMS` is read.
    fsdp_offload_params: FsdpOffloadParams {
        /// `true` is true, everything else false.
        ExactlyTrue,
        /// Words for true and false; others are a `ValueError`.
        Boolean,
    }

    /// When FSDP's `sync_module_states` asks for a GPU, and so fails where none is.
    fsdp_sync_device: FsdpSyncDevice {
        /// When a model is wrapped.
        WhenWrapped,
        /// In `Accelerator()`.
        InAccelerator,
    }

    /// `sync_module_states` where nobody says it.
    fsdp_sync_module_states: FsdpSyncModuleStates {
        /// False.
        FalseByDefault,
        /// True.
        TrueByDefault,
    }

    /// Which types of state dict FSDP2 takes.
    fsdp2_state_dict_type: Fsdp2StateDictType {
        /// `SHARDED_STATE_DICT`.
        ShardedOnly,
        /// Any but `LOCAL_STATE_DICT`.
        NotLocal,
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

    /// Which attention sequence parallelism takes.
    sequence_attention: SequenceAttention {
        /// There is no sequence parallelism.
        Absent,
        /// Flash attention and SDPA, as built in.
        BuiltIn,
        /// Kernels of the hub for flash attention too.
        HubKernelsToo,
    }

    // -------------------------------------------------------------------------------------------------- DeepSpeed

    /// Where the precision of the DeepSpeed config comes from.
    deepspeed_precision: DeepspeedPrecision {
        /// From the argument of `Accelerator()`, else the environment, as they stand.
        AsAsked,
        /// From the state: an fp8 that the GPU cannot do has become fp16.
        OfState,
    }

    /// What fp8 means for the DeepSpeed config.
    deepspeed_fp8: DeepspeedFp8 {
        /// Nothing: neither bf16 nor fp16 is turned on.
        Nothing,
        /// bf16.
        Bf16,
    }

    /// What the state keeps as mixed precision under DeepSpeed, where the DeepSpeed config otherwise decides.
    deepspeed_state_precision: DeepspeedStatePrecision {
        /// `no`: fp8 is not seen as on, and no recipe is made.
        AlwaysNo,
        /// `fp8` stays `fp8`, all else becomes `no`.
        KeepsFp8,
    }

    /// Where `Accelerator()` looks for the DeepSpeed plugin of an earlier one.
    deepspeed_plugin_lookup: DeepspeedPluginLookup {
        /// Nowhere.
        Absent,
        /// In `AcceleratorState()` as soon as there is a `PartialState` for DeepSpeed: without an earlier `Accelerator()`
        /// that raises.
        PartialState,
        /// In `AcceleratorState()` where there is one.
        AcceleratorState,
    }

    /// Whether DeepSpeed can run with MS-AMP.
    deepspeed_msamp: DeepspeedMsamp {
        /// No.
        Absent,
        /// If `ACCELERATE_FP8_BACKEND` is `MSAMP`.
        FromEnvironment,
    }

    /// How `gradient_accumulation_steps` is read for DeepSpeed.
    deepspeed_accumulation: DeepspeedAccumulation {
        /// As a number, 1 by default, which is also the DeepSpeed config's in the end.
        Number,
        /// As a number or `auto`, the default.
        NumberOrAuto,
    }

    /// How `gradient_clipping` is read for DeepSpeed.
    deepspeed_clipping: DeepspeedClipping {
        /// As a number or `none`, the default.
        NumberOrNone,
        /// As a number or `auto`, the default.
        NumberOrAuto,
    }

    /// Whether DeepSpeed's paths for offloading to NVMe can be set.
    deepspeed_nvme_paths: DeepspeedNvmePaths {
        /// No.
        Absent,
        /// Yes.
        Known,
    }

    /// What else a DeepSpeed config that is no existing file raises than a `ValueError`.
    deepspeed_missing_file: DeepspeedMissingFile {
        /// What base64 and JSON raise for its name.
        DecodingError,
        /// Nothing.
        ValueError,
    }

    /// What ZeRO-3's `zero3_init_flag` needs of transformers.
    zero3_init: Zero3Init {
        /// `transformers.deepspeed`, which newer ones do not have.
        TransformersDeepspeed,
        /// `transformers.integrations`, which asks for a newer accelerate, and the DeepSpeed config must have a
        /// `train_batch_size`.
        NeedsTrainBatchSize,
        /// `transformers.integrations`, which asks for a newer accelerate.
        TooOldForTransformers,
        /// `transformers.integrations`.
        TransformersIntegrations,
    }

    /// What `prepare()` does without `train_micro_batch_size_per_gpu` in a DeepSpeed config file.
    deepspeed_micro_batch: DeepspeedMicroBatch {
        /// `KeyError`.
        Needed,
        /// It multiplies with nothing: `TypeError`.
        Multiplied,
        /// It goes on.
        Optional,
    }

    // -------------------------------------------------------------------------------------------------- prepare()

    /// Who decides in `prepare()` that a model is converted for fp8.
    fp8_prepare: Fp8Prepare {
        /// The precision: Transformer Engine, with or without a handler. With torch.compile the new parameters are not
        /// found under their old names: `KeyError`.
        Precision,
        /// If the precision is fp8, the handler, which must then be there. torch.compile as before.
        HandlerNeeded,
        /// The handler, if there is one.
        Handler,
    }

    /// How `prepare()` chooses the layers that torchao converts, where the script does not.
    ao_layers: AoLayers {
        /// It calls its own choice with the wrong arguments: `TypeError`.
        TypeError,
        /// All but the first and the last.
        AllButFirstAndLast,
    }

    /// What `prepare()` does with torchao under FSDP2 when it is also given an optimizer.
    ao_prepare_fsdp2: AoPrepareFsdp2 {
        /// Nothing.
        Nothing,
        /// It reads a field of the recipe's config: `AttributeError` if the recipe has none.
        ReadsConfig,
    }

    /// torch's autocast to bf16 under FSDP.
    fsdp_autocast: FsdpAutocast {
        /// Entered.
        Entered,
        /// Not entered: the policy alone counts.
        Absent,
        /// Entered without a data type: torch takes its own, which for GPUs is fp16.
        WithoutType,
    }

    /// How `prepare()` treats a model for FSDP2.
    fsdp2_prepare: Fsdp2Prepare {
        /// As the next, and with torch.compile it looks for parameters under their old names: `KeyError`.
        AsOthersUncompiled,
        /// As any other model: torch's autocast and MS-AMP's part included. With Transformer Engine it looks for
        /// parameters that it has replaced: `KeyError`.
        AsOthers,
        /// On its own: without torch's autocast, Transformer Engine's recipe and MS-AMP. Activation checkpointing needs
        /// a wrapping policy: else `TypeError`.
        OnItsOwn,
    }

    /// What becomes of an optimizer that is prepared for FSDP.
    fsdp_optimizer: FsdpOptimizer {
        /// It is made again from its defaults, which torch's newer optimizers do not take: `TypeError`.
        MadeAgain,
        /// It stays.
        Kept,
    }
}
