//! What a run comes to.

use std::collections::BTreeMap;
use std::fmt;

use super::run::{Origin, Stage};

/// An exception that accelerate (or what it calls) raises.
#[derive(Clone, Debug, PartialEq)]
pub struct Exception {
    /// The class name in Python: `ValueError`.
    pub kind: String,
    /// The message, as Python shows it.
    pub message: String,
    /// Package file and function that raises it: `commands/launch.py:_validate_launch_command`.
    pub source: &'static str,
    /// Why, by name.
    pub cause: Cause,
    /// The values that lead to it, the first one being the one to change.
    pub origins: Vec<Origin>,
}

/// Why a run is refused or raises, by name: what rules tell apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Cause {
    /// The config cannot be read: YAML or JSON error, encoding, a missing file.
    ConfigUnreadable,
    /// The config is not a mapping.
    ConfigNotMapping,
    /// The config lacks a key that accelerate needs.
    ConfigKeyMissing,
    /// `compute_environment` is no known one, so that the file is taken for a SageMaker config.
    ComputeEnvironment,
    /// The config has keys that this version does not know.
    UnknownKeys,
    /// A section has a key that is not a string.
    KeyNotString,
    /// `compute_environment` or `distributed_type` has a value that no enum holds.
    EnumValue,
    /// A launch flag that this version does not know, or a value that it does not take.
    LaunchFlag,
    /// Launch flags that exclude each other, or a selection that accelerate refuses.
    LaunchSelection,
    /// `mixed_precision` is not a string, or not one of the known precisions.
    MixedPrecision,
    /// `dynamo_backend` is not a string, or not a known backend.
    DynamoBackend,
    /// `num_processes` is missing, `-1`, or cannot be used.
    NumProcesses,
    /// `gpu_ids` has the wrong type, or too few GPUs for a multi-GPU launch.
    GpuIds,
    /// Another value of the config has a type or form that the launcher cannot use.
    LaunchValue,
    /// fp8 is asked for and no fp8 library is installed on the launching machine.
    NoFp8Library,
    /// `override_linear_precision` is not a sequence of three.
    OverrideLinearPrecision,
    /// A package that the launch needs is not installed.
    PackageMissing,
    /// Credentials are missing, which the command line or the machine may give.
    Credentials,
    /// A SageMaker config that this version cannot launch.
    SageMaker,
    /// The fp8 backend is none that `FP8BackendType` holds.
    Fp8Backend,
    /// A value of the fp8 recipe that the recipe class does not take.
    RecipeValue,
    /// A recipe handler is passed in code, and the precision is not fp8.
    HandlerWithoutFp8,
    /// torchao with FSDP and `cpu_ram_efficient_loading`.
    AoFsdpCpuRamEfficientLoading,
    /// MS-AMP with FSDP.
    MsampFsdp,
    /// MS-AMP with ZeRO stage 3.
    MsampZero3,
    /// `deepspeed_config_file` together with keys that accelerate then refuses.
    DeepSpeedConfigConflict,
    /// The DeepSpeed config cannot be found, read or used.
    DeepSpeedConfig,
    /// The DeepSpeed config names an optimizer: whether that raises depends on the script (`DummyOptim`, `Trainer`).
    DeepSpeedOptimizer,
    /// The precision contradicts the DeepSpeed config.
    DeepSpeedPrecision,
    /// An FSDP option with a value that the plugin does not take.
    FsdpOption,
    /// `parallelism_config` sizes that do not fit.
    Parallelism,
    /// The precision is not supported on this device.
    Device,
    /// fp8 was switched off, but the backend named in the environment is still prepared.
    BackendWithoutFp8,
    /// torchao with FSDP2 in a version that dereferences a config that is not there.
    AoFsdp2,
    /// A call that fails in this version whatever the config says: torchao's conversion, a handler class that is not
    /// there.
    Version,
    /// Transformer Engine refuses the recipe.
    TeRecipe,
    /// The trainer's arguments contradict each other, or one has a value that it does not take.
    TrainerArgument,
    /// The trainer has no such argument.
    TrainerKey,
    /// The DeepSpeed config and the trainer's arguments differ.
    TrainerDeepSpeed,
    /// The trainer prepares the model without its optimizer, which Transformer Engine refuses.
    TrainerModelAlone,
    /// The Trainer cannot write a checkpoint of torchao's weights.
    CheckpointSave,
    /// A precision block of the DeepSpeed config has keys that DeepSpeed refuses, or both are on.
    DeepSpeedBlock,
}

/// Which launcher accelerate chooses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LauncherKind {
    /// One `Popen`, one process.
    Simple,
    /// torchrun in the same process.
    Torchrun,
    /// The `deepspeed` program, several machines.
    DeepSpeedMultinode,
    /// `xmp.spawn`
    XmpSpawn,
    /// A TPU pod.
    TpuPod,
    /// A SageMaker estimator.
    SageMaker,
}

impl LauncherKind {
    /// The oracle's word for it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Simple => "simple",
            Self::Torchrun => "torchrun",
            Self::DeepSpeedMultinode => "deepspeed-multinode",
            Self::XmpSpawn => "xmp.spawn",
            Self::TpuPod => "tpu-pod",
            Self::SageMaker => "sagemaker",
        }
    }
}

/// A variable that the launcher gives to the script.
#[derive(Clone, Debug, PartialEq)]
pub struct Variable {
    /// Its value.
    pub value: String,
    /// Who says it.
    pub origin: Origin,
}

/// What `accelerate launch` does.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Launch {
    /// The chosen launcher; `None` where it is refused before the choice.
    pub launcher: Option<LauncherKind>,
    /// How many processes are started on this machine.
    pub processes: Option<i64>,
    /// The variables that the launcher sets.
    pub environment: BTreeMap<String, Variable>,
    /// Why it is refused.
    pub exception: Option<Exception>,
}

/// An fp8 backend.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Backend {
    /// torchao.
    Ao,
    /// Transformer Engine.
    Te,
    /// MS-AMP.
    Msamp,
}

impl Backend {
    /// The value of `FP8BackendType`.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Ao => "AO",
            Self::Te => "TE",
            Self::Msamp => "MSAMP",
        }
    }

    /// The package that brings it.
    pub fn package(self) -> &'static str {
        match self {
            Self::Ao => "torchao",
            Self::Te => "transformer_engine",
            Self::Msamp => "msamp",
        }
    }
}

impl fmt::Display for Backend {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// What `Accelerator()` does.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Runtime {
    /// `Accelerator().mixed_precision`
    pub mixed_precision: Option<String>,
    /// `Accelerator().fp8_backend`; `None` is `NO`.
    pub fp8_backend: Option<Backend>,
    /// `Accelerator().distributed_type`
    pub distributed_type: Option<String>,
    /// Why it raises.
    pub exception: Option<Exception>,
}

/// What `accelerator.prepare(model, optimizer)` does.
#[derive(Clone, Debug, PartialEq)]
pub struct Prepare {
    /// Whether it cannot be followed (Megatron-LM, XLA).
    pub skipped: bool,
    /// Why it raises.
    pub exception: Option<Exception>,
}

/// What a run comes to. [`fmt::Display`] gives the oracle's spelling (`oracle.py`, function `verdict`).
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// `import accelerate` fails with these packages.
    RaisesAtImport,
    /// The launcher refuses.
    RaisesAtLaunch,
    /// The trainer raises, or the framework that reads the recipe does.
    RaisesAtTrainer,
    /// `Accelerator()` raises.
    RaisesAtInit,
    /// `prepare()` raises.
    RaisesAtPrepare,
    /// Trains in fp8.
    Fp8(Backend),
    /// Trains, not in fp8, in this precision: `bfloat16`, `float16`, `none`, `ds-bf16`, `fsdp-bfloat16`, …
    NoFp8 {
        /// The precision, in the oracle's spelling.
        precision: String,
        /// Whether Transformer Engine layers are put in although `fp8_autocast` is never entered.
        te_layers: bool,
    },
    /// `Accelerator()` is as far as this can be followed.
    InitOnly {
        /// `Accelerator().mixed_precision`
        mixed_precision: String,
        /// `Accelerator().fp8_backend`
        fp8_backend: String,
    },
    /// The launch is as far as this can be followed.
    LaunchOnly,
    /// fp8lint cannot tell.
    Unknown {
        /// Why.
        why: String,
    },
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::RaisesAtImport => f.write_str("raises@import"),
            Self::RaisesAtLaunch => f.write_str("raises@launch"),
            Self::RaisesAtTrainer => f.write_str("raises@trainer"),
            Self::RaisesAtInit => f.write_str("raises@init"),
            Self::RaisesAtPrepare => f.write_str("raises@prepare"),
            Self::Fp8(backend) => write!(f, "fp8:{backend}"),
            Self::NoFp8 {
                precision,
                te_layers,
            } => {
                let layers = if *te_layers {
                    "+te-layers-without-fp8_autocast"
                } else {
                    ""
                };
                write!(f, "no-fp8:{precision}{layers}")
            }
            Self::InitOnly {
                mixed_precision,
                fp8_backend,
            } => write!(f, "init-only:{mixed_precision}:{fp8_backend}"),
            Self::LaunchOnly => f.write_str("launch-only"),
            Self::Unknown { .. } => f.write_str("unknown"),
        }
    }
}

/// A value that decides, and who says it.
#[derive(Clone, Debug, PartialEq)]
pub struct Decision {
    /// The stage that decides it.
    pub stage: Stage,
    /// What is decided: `mixed_precision`, `fp8_backend`, `distributed_type`, …
    pub name: &'static str,
    /// The value, as Python shows it.
    pub value: String,
    /// Who says it.
    pub origin: Origin,
}

/// What a run comes to, stage by stage.
#[derive(Clone, Debug, PartialEq)]
pub struct Outcome {
    /// The launch; `None` where no accelerate launcher takes part.
    pub launch: Option<Launch>,
    /// The exception of the trainer: before `Accelerator()`, or at the start of the training.
    pub trainer: Option<Exception>,
    /// `Accelerator()`; `None` where the run does not come so far.
    pub runtime: Option<Runtime>,
    /// `prepare()`; `None` where the run does not come so far.
    pub prepare: Option<Prepare>,
    /// In one word.
    pub verdict: Verdict,
    /// The values that decide, in the order in which they are decided.
    pub decisions: Vec<Decision>,
}

impl Outcome {
    /// The exception that ends the run, in whichever stage.
    pub fn exception(&self) -> Option<&Exception> {
        let launch = self
            .launch
            .as_ref()
            .and_then(|launch| launch.exception.as_ref());
        let runtime = self
            .runtime
            .as_ref()
            .and_then(|runtime| runtime.exception.as_ref());
        let prepare = self
            .prepare
            .as_ref()
            .and_then(|prepare| prepare.exception.as_ref());
        launch.or(runtime).or(self.trainer.as_ref()).or(prepare)
    }

    /// The value decided under this name: in the last stage that decides it.
    pub fn decision(&self, name: &str) -> Option<&Decision> {
        self.decisions
            .iter()
            .rev()
            .find(|decision| decision.name == name)
    }
}
