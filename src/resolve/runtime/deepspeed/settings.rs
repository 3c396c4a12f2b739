//! The settings of `DeepSpeedPlugin` itself.

use super::super::super::outcome::Cause;
use super::super::super::python::{Site, float, int, str_to_bool};
use super::super::super::stop::Step;
use super::super::Environment;
use super::POST_INIT;
use super::tree::{dict, set};
use crate::knowledge::{Behaviours, DeepspeedAccumulation, DeepspeedClipping, DeepspeedNvmePaths};
use crate::source::Object;

/// The plugin's own settings.
pub(super) struct Settings {
    gradient_accumulation_steps: Object,
    gradient_clipping: Object,
    pub(super) zero_stage: i64,
    offload_optimizer_device: String,
    offload_param_device: String,
    zero3_save_16bit_model: bool,
    /// What stands for the paths of NVMe offloading; `None` where there are no such settings.
    nvme_path: Object,
}

impl Settings {
    pub(super) fn read(behaviours: &Behaviours, environment: &Environment) -> Step<Self> {
        let site = Site::new(POST_INIT, Cause::LaunchValue);
        let (is_number_only, default) = match behaviours.deepspeed_accumulation {
            DeepspeedAccumulation::Number => (true, "1"),
            DeepspeedAccumulation::NumberOrAuto => (false, "auto"),
        };
        let steps = environment.or("ACCELERATE_GRADIENT_ACCUMULATION_STEPS", default)?;
        let is_number = !steps.value.is_empty() && steps.value.chars().all(char::is_numeric);
        let gradient_accumulation_steps = match is_number || is_number_only {
            true => Object::from(int(&steps.value, &steps.origin, site)?),
            false => Object::from(steps.value),
        };
        let (default, unset) = match behaviours.deepspeed_clipping {
            DeepspeedClipping::NumberOrNone => ("none", Object::None),
            DeepspeedClipping::NumberOrAuto => ("auto", Object::from("auto")),
        };
        let clipping = environment.or("ACCELERATE_GRADIENT_CLIPPING", default)?;
        let gradient_clipping = match clipping.value == default {
            true => unset,
            false => Object::Float(float(&clipping.value, &clipping.origin, site)?),
        };
        let with_paths = behaviours.deepspeed_nvme_paths == DeepspeedNvmePaths::Known;
        let stage = environment.or("ACCELERATE_DEEPSPEED_ZERO_STAGE", "2")?;
        let save = environment.or("ACCELERATE_DEEPSPEED_ZERO3_SAVE_16BIT_MODEL", "false")?;
        Ok(Self {
            gradient_accumulation_steps,
            gradient_clipping,
            zero_stage: int(&stage.value, &stage.origin, site)?,
            offload_optimizer_device: environment
                .or("ACCELERATE_DEEPSPEED_OFFLOAD_OPTIMIZER_DEVICE", "none")?
                .value,
            offload_param_device: environment
                .or("ACCELERATE_DEEPSPEED_OFFLOAD_PARAM_DEVICE", "none")?
                .value,
            zero3_save_16bit_model: save.value.to_lowercase() == "true",
            nvme_path: if with_paths {
                Object::from("none")
            } else {
                Object::None
            },
        })
    }

    /// Each setting under its route in a DeepSpeed config.
    pub(super) fn by_route(&self) -> [(&'static str, Object); 8] {
        let text = |value: &str| Object::from(value);
        [
            (
                "gradient_accumulation_steps",
                self.gradient_accumulation_steps.clone(),
            ),
            ("gradient_clipping", self.gradient_clipping.clone()),
            ("zero_optimization.stage", Object::from(self.zero_stage)),
            (
                "zero_optimization.offload_optimizer.device",
                text(&self.offload_optimizer_device),
            ),
            (
                "zero_optimization.offload_param.device",
                text(&self.offload_param_device),
            ),
            (
                "zero_optimization.offload_param.nvme_path",
                self.nvme_path.clone(),
            ),
            (
                "zero_optimization.offload_optimizer.nvme_path",
                self.nvme_path.clone(),
            ),
            (
                "zero_optimization.stage3_gather_16bit_weights_on_model_save",
                Object::Bool(self.zero3_save_16bit_model),
            ),
        ]
    }

    /// The config that the plugin writes where no file is given.
    pub(super) fn config(&self) -> Object {
        let device = |device: &str| dict([("device", Object::from(device))]);
        let mut config = dict([
            ("train_batch_size", Object::from("auto")),
            ("train_micro_batch_size_per_gpu", Object::from("auto")),
            (
                "gradient_accumulation_steps",
                self.gradient_accumulation_steps.clone(),
            ),
            (
                "zero_optimization",
                dict([
                    ("stage", Object::from(self.zero_stage)),
                    ("offload_optimizer", device(&self.offload_optimizer_device)),
                    ("offload_param", device(&self.offload_param_device)),
                    (
                        "stage3_gather_16bit_weights_on_model_save",
                        Object::Bool(self.zero3_save_16bit_model),
                    ),
                ]),
            ),
        ]);
        if self.gradient_clipping.truthy() {
            set(
                &mut config,
                "gradient_clipping",
                self.gradient_clipping.clone(),
            );
        }
        config
    }
}

/// `zero3_init_flag`, and whether it counts.
pub(super) fn check_zero3_init(environment: &Environment, stage: &Object) -> Step<bool> {
    let is_zero3 = stage.python_eq(&Object::from(3));
    let default = if is_zero3 { "True" } else { "False" };
    let flag = environment.or("ACCELERATE_DEEPSPEED_ZERO3_INIT", default)?;
    let is_on = str_to_bool(&flag.value, &flag.origin, Cause::LaunchValue)?;
    Ok(is_on && is_zero3)
}
