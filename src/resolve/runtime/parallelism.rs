//! `ParallelismConfig` from the environment
//! (accelerate 1.15.0, `parallelism_config.py:ParallelismConfig`).

use super::super::context::Context;
use super::super::outcome::Cause;
use super::super::python::{Site, int};
use super::super::run::Origin;
use super::super::stop::Step;
use super::state::{DistributedType, State, no_gpu};
use super::{Environment, FsdpPlugin};
use crate::knowledge::{ParallelismCheck, SequenceAttention};

const POST_INIT: Site = Site::new(
    "parallelism_config.py:ParallelismConfig.__post_init__",
    Cause::Parallelism,
);
const VALIDATE: Site = Site::new(
    "parallelism_config.py:ParallelismConfig._validate_accelerator",
    Cause::Parallelism,
);
const MESH: Site = Site::new(
    "parallelism_config.py:ParallelismConfig.build_device_mesh",
    Cause::Parallelism,
);
const STATE: Site = Site::new("state.py:AcceleratorState.__init__", Cause::Parallelism);

/// The sizes of a parallelism config.
#[derive(Clone, Debug)]
pub(crate) struct Parallelism {
    dp_replicate: i64,
    dp_shard: i64,
    pub(crate) tp: i64,
    cp: i64,
    sp: i64,
    origin: Origin,
}

/// `TorchTensorParallelPlugin()` (accelerate 1.6.0, `utils/dataclasses.py`).
pub(crate) fn check_tensor_parallelism(
    context: &Context<'_>,
    environment: &Environment,
) -> Step<()> {
    let site = Site::new(
        "utils/dataclasses.py:TorchTensorParallelPlugin.__post_init__",
        Cause::Parallelism,
    );
    let size = environment.or("TP_SIZE", "1")?;
    if int(&size.value, &size.origin, site)? == 1 {
        return Err(site.raise("ValueError", "Provide TP degree > 1.", &size.origin));
    }
    if context.run.machine.gpus == 0 {
        return Err(no_gpu(site.source, size.origin));
    }
    Ok(())
}

/// `ParallelismConfig()`, where the environment asks for one.
pub(crate) fn from_environment(
    context: &Context<'_>,
    environment: &Environment,
) -> Step<Option<Parallelism>> {
    let check = context.behaviours.parallelism_check;
    if check == ParallelismCheck::Absent
        || !environment.is_true("ACCELERATE_USE_PARALLELISM_CONFIG", context)?
    {
        return Ok(None);
    }
    let size = |name: &str| -> Step<i64> {
        let variable = environment.or(&format!("PARALLELISM_CONFIG_{name}_SIZE"), "1")?;
        let size = int(&variable.value, &variable.origin, POST_INIT)?;
        if size < 1 {
            let message = format!(
                "{}_size must be at least 1, but got {size}",
                name.to_lowercase()
            );
            return Err(POST_INIT.raise("ValueError", message, &variable.origin));
        }
        Ok(size)
    };
    let parallelism = Parallelism {
        dp_replicate: size("DP_REPLICATE")?,
        dp_shard: size("DP_SHARD")?,
        tp: size("TP")?,
        cp: size("CP")?,
        sp: match check {
            ParallelismCheck::Absent | ParallelismCheck::WithoutSequenceParallelism => 1,
            _ => size("SP")?,
        },
        origin: environment.origin("ACCELERATE_USE_PARALLELISM_CONFIG"),
    };
    if parallelism.sp > 1 {
        check_sequence_handler(context, environment)?;
    }
    if check != ParallelismCheck::WithoutSequenceParallelism {
        for (name, known) in [("cp_backend", "torch"), ("sp_backend", "deepspeed")] {
            let variable = format!("PARALLELISM_CONFIG_{}", name.to_uppercase());
            let backend = environment.or(&variable, known)?;
            if backend.value != known {
                let message = format!(
                    "{name} must be one of ['{known}'], but got {}",
                    backend.value
                );
                return Err(POST_INIT.raise("ValueError", message, &backend.origin));
            }
        }
    }
    parallelism.check_sizes(check, environment)?;
    Ok(Some(parallelism))
}

/// `DeepSpeedSequenceParallelConfig()`
fn check_sequence_handler(context: &Context<'_>, environment: &Environment) -> Step<()> {
    let site = Site::new(
        "utils/dataclasses.py:DeepSpeedSequenceParallelConfig.__post_init__",
        Cause::Parallelism,
    );
    let is_variable = environment.or("PARALLELISM_CONFIG_SP_SEQ_LENGTH_IS_VARIABLE", "true")?;
    if is_variable.value.to_lowercase() != "true" {
        match environment.get("PARALLELISM_CONFIG_SP_SEQ_LENGTH")? {
            None => {
                let message = "when `sp_seq_length_is_variable` is `False` `sp_seq_length` must be provided either \
                               through the constructor or the environment variable PARALLELISM_CONFIG_SP_SEQ_LENGTH";
                return Err(site.raise("ValueError", message, &is_variable.origin));
            }
            Some(length) if length.value != "None" => {
                int(&length.value, &length.origin, site)?;
            }
            Some(_) => {}
        }
    }
    let Some(attention) = environment.get("PARALLELISM_CONFIG_SP_ATTN_IMPLEMENTATION")? else {
        return Ok(());
    };
    let name = attention.value.as_str();
    let is_known = ["flash_attention_2", "flash_attention_3", "sdpa"].contains(&name)
        || context.behaviours.sequence_attention == SequenceAttention::HubKernelsToo
            && name.contains('/')
            && name.contains("flash-attn");
    match is_known {
        true => Ok(()),
        false => {
            let message = format!("Invalid sp_attn_implementation: {name}.");
            Err(site.raise("ValueError", message, &attention.origin))
        }
    }
}

impl Parallelism {
    /// Whether sequence parallelism is on.
    pub(crate) fn splits_sequences(&self) -> bool {
        self.sp > 1
    }

    /// Whether context parallelism is on.
    pub(crate) fn context_enabled(&self) -> bool {
        self.cp > 1
    }

    fn check_sizes(&self, check: ParallelismCheck, environment: &Environment) -> Step<()> {
        let refuse = |message: String| Err(POST_INIT.raise("ValueError", message, &self.origin));
        if self.cp > 1 {
            let strategy = environment.or("PARALLELISM_CONFIG_CP_COMM_STRATEGY", "allgather")?;
            if !["allgather", "alltoall"].contains(&strategy.value.as_str()) {
                return refuse(format!("Invalid cp_comm_strategy: {}.", strategy.value));
            }
        }
        let exclusive = matches!(
            check,
            ParallelismCheck::SequenceOrContext | ParallelismCheck::Fsdp2MustShard
        );
        if exclusive && self.cp > 1 && self.sp > 1 {
            return refuse(format!(
                "Context Parallelism (CP) and Sequence Parallelism (SP) are mutually exclusive. Got cp_size={} and \
                 sp_size={}. Please set either cp_size=1 or sp_size=1.",
                self.cp, self.sp
            ));
        }
        if (self.tp > 1 || self.cp > 1) && self.dp_replicate > 1 && self.dp_shard == 1 {
            return refuse(
                "Tensor/Context parallelism (tp/cp_size > 1) cannot be used with pure data parallelism \
                 (dp_replicate_size > 1 and dp_shard_size == 1)."
                    .to_owned(),
            );
        }
        Ok(())
    }

    /// What the state demands of context parallelism.
    pub(crate) fn check_context(
        &self,
        environment: &Environment,
        fsdp: Option<&FsdpPlugin>,
    ) -> Step<()> {
        let standalone = environment
            .or("ACCELERATE_ALLOW_CP_STANDALONE", "false")?
            .value
            .to_lowercase()
            == "true";
        if standalone || self.cp == 1 {
            return Ok(());
        }
        match fsdp {
            None => {
                let message = "`cp_size > 1` specified in the `parallelism_config`, but no `fsdp_plugin` was provided.";
                Err(STATE.raise("ValueError", message, &self.origin))
            }
            Some(plugin) if plugin.version == 1 => {
                let message = "Using `cp_size>1` requires FSDP2, but the provided `fsdp_plugin` is using FSDP1. ";
                Err(STATE.raise("ValueError", message, &self.origin))
            }
            Some(_) => Ok(()),
        }
    }

    /// `_validate_accelerator`
    pub(crate) fn check(&self, context: &Context<'_>, state: &State) -> Step<()> {
        let check = context.behaviours.parallelism_check;
        let sequence = matches!(
            check,
            ParallelismCheck::SequenceOrContext | ParallelismCheck::Fsdp2MustShard
        ) && self.sp > 1;
        let mut sizes = vec![self.dp_replicate, self.dp_shard, self.tp, self.cp];
        if check != ParallelismCheck::WithoutSequenceParallelism {
            sizes.push(self.sp);
        }
        let mut total = sizes.into_iter().fold(1, i64::saturating_mul);
        if !sequence && total > state.processes {
            let message = format!(
                "Mesh should not be bigger than default world size {}, but found {total} ranks!",
                state.processes
            );
            return Err(MESH.raise("RuntimeError", message, &self.origin));
        }
        let multi_device = state.distributed_type == DistributedType::MultiGpu;
        if total == 1 && !multi_device {
            return Ok(());
        }
        // Plain data parallelism fills up.
        if total == 1 {
            total = state.processes;
        }
        if !sequence && total != state.processes {
            let message = format!(
                "ParallelismConfig total_size ({total}) does not match num_processes ({}). Please adjust \
                 dp_replicate_size/ dp_shard_size/tp_size/cp_size.",
                state.processes
            );
            return Err(VALIDATE.raise("ValueError", message, &self.origin));
        }
        let is_fsdp2 = state.distributed_type == DistributedType::Fsdp
            && state
                .fsdp
                .as_ref()
                .is_some_and(|plugin| plugin.version == 2);
        if check == ParallelismCheck::Fsdp2MustShard
            && is_fsdp2
            && self.dp_shard == 1
            && self.cp == 1
        {
            let message = "FSDP is enabled but the parallelism config has no dimension for FSDP to shard across (both \
                           `dp_shard_size` and `cp_size` are 1).";
            return Err(VALIDATE.raise("ValueError", message, &self.origin));
        }
        let by_deepspeed = check != ParallelismCheck::WithoutSequenceParallelism
            && state.distributed_type == DistributedType::DeepSpeed;
        if total > 1 && !(is_fsdp2 || multi_device || by_deepspeed) {
            let message = format!(
                "ParallelismConfig is only compatible DistributedType.FSDP (version 2) or \
                 DistributedType.Multi{{Device}}, but got {}.",
                state.distributed_type.as_str()
            );
            return Err(VALIDATE.raise("ValueError", message, &self.origin));
        }
        Ok(())
    }
}
