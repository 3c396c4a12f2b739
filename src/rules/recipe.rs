//! Which recipe class reads what of `fp8_config`: what FP304 and FP313 share.

use crate::knowledge::Facts;
use crate::resolve::Backend;

/// The recipe classes (accelerate, utils/dataclasses.py).
const CLASSES: [&str; 3] = ["AORecipeKwargs", "TERecipeKwargs", "MSAMPRecipeKwargs"];

/// The variable as which a key of `fp8_config` is exported; for `override_linear_precision`, the first of three.
pub(super) fn variable_of(key: &str) -> String {
    let attribute = if key.starts_with("fp8") {
        key.to_owned()
    } else {
        format!("fp8_{key}")
    };
    match attribute.as_str() {
        "fp8_override_linear_precision" => "ACCELERATE_FP8_OVERRIDE_FPROP".to_owned(),
        other => format!("ACCELERATE_{}", other.to_uppercase()),
    }
}

/// The recipe classes that read a variable.
pub(super) fn classes_that_read(facts: &Facts, variable: &str) -> Vec<&'static str> {
    let readers = facts.readers(variable);
    let reads = |class: &&str| readers.iter().any(|reader| reader.contains(*class));
    CLASSES.into_iter().filter(|class| reads(class)).collect()
}

/// The recipe class of a backend.
pub(super) fn class_of(backend: Backend) -> &'static str {
    match backend {
        Backend::Ao => "AORecipeKwargs",
        Backend::Te => "TERecipeKwargs",
        Backend::Msamp => "MSAMPRecipeKwargs",
    }
}
