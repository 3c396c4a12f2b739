//! The parts of the environment that the launchers for a cluster share
//! (accelerate 1.15.0, `utils/launch.py`).

use super::super::context::Context;
use super::super::outcome::Cause;
use super::super::python::{Argument, Site};
use super::super::stop::{Step, raise};
use super::Pending;
use super::namespace::Namespace;
use crate::knowledge::Enumeration;
use crate::source::Object;

/// The fp8 packages that `is_fp8_available` looks for.
const FP8_PACKAGES: [&str; 3] = ["msamp", "transformer_engine", "torchao"];

/// `ACCELERATE_MIXED_PRECISION`, and the recipe if it is fp8.
pub(crate) fn set_mixed_precision(
    context: &mut Context<'_>,
    namespace: &Namespace<'_>,
    pending: &mut Pending,
    source: &'static str,
) -> Step<()> {
    let site = Site::new(source, Cause::MixedPrecision);
    let asked = namespace.get("mixed_precision");
    let lowered = asked.text_for("lower", site)?.to_lowercase();
    let known = context.facts.values(Enumeration::PrecisionType);
    if !known.contains(&lowered) {
        let list = Object::List(
            known
                .iter()
                .map(|value| Object::from(value.as_str()))
                .collect(),
        )
        .python_repr();
        let message = format!("Unknown mixed_precision mode: {lowered}. Choose between {list}.");
        return Err(site.raise("ValueError", message, &asked.origin));
    }
    context.decide("mixed_precision", lowered.as_str(), &asked.origin);
    let is_fp8 = lowered == "fp8";
    pending.set(
        "ACCELERATE_MIXED_PRECISION",
        Argument::new(lowered, asked.origin.clone()),
    );
    if is_fp8 {
        if !FP8_PACKAGES
            .iter()
            .any(|package| context.run.machine.has(package))
        {
            let message = "FP8 is not available on this machine. Please ensure that either Transformer Engine, MSAMP \
                           or torchao is installed.";
            return Err(raise(
                "RuntimeError",
                message,
                source,
                Cause::NoFp8Library,
                [asked.origin],
            ));
        }
        set_recipe(namespace, pending)?;
    }
    Ok(())
}

/// `setup_fp8_env`: every attribute that starts with `fp8_` is exported, known or not.
fn set_recipe(namespace: &Namespace<'_>, pending: &mut Pending) -> Step<()> {
    for (name, argument) in namespace.with_prefix("fp8_") {
        if matches!(argument.value, Object::None) {
            continue;
        }
        if name == "fp8_override_linear_precision" {
            for (position, gemm) in ["FPROP", "DGRAD", "WGRAD"].into_iter().enumerate() {
                let element = subscript(&argument, position)?;
                pending.set_text(format!("ACCELERATE_FP8_OVERRIDE_{gemm}"), &element);
            }
        } else {
            pending.set_text(format!("ACCELERATE_{}", name.to_uppercase()), &argument);
        }
    }
    Ok(())
}

/// `value[position]`
fn subscript(argument: &Argument, position: usize) -> Step<Argument> {
    let site = Site::new(
        "utils/launch.py:setup_fp8_env",
        Cause::OverrideLinearPrecision,
    );
    let out_of_range = |name: &str| {
        site.raise(
            "IndexError",
            format!("{name} index out of range"),
            &argument.origin,
        )
    };
    let element = match &argument.value {
        Object::List(items) => items
            .get(position)
            .cloned()
            .ok_or_else(|| out_of_range("list"))?,
        Object::Tuple(items) => items
            .get(position)
            .cloned()
            .ok_or_else(|| out_of_range("tuple"))?,
        Object::Str(text) => {
            let character = text
                .chars()
                .nth(position)
                .ok_or_else(|| out_of_range("string"))?;
            Object::Str(character.to_string())
        }
        Object::Bytes(bytes) => {
            let byte = bytes
                .get(position)
                .ok_or_else(|| site.raise("IndexError", "index out of range", &argument.origin))?;
            Object::from(i64::from(*byte))
        }
        Object::Dict(pairs) => {
            let key = Object::from(i64::try_from(position).unwrap_or(i64::MAX));
            let found = pairs.iter().find(|(known, _)| known.python_eq(&key));
            let value = found.map(|(_, value)| value.clone());
            value.ok_or_else(|| site.raise("KeyError", position.to_string(), &argument.origin))?
        }
        other => {
            let message = format!("'{}' object is not subscriptable", other.type_name());
            return Err(site.raise("TypeError", message, &argument.origin));
        }
    };
    Ok(Argument {
        value: element,
        origin: argument.origin.clone(),
    })
}

/// `ACCELERATE_DYNAMO_*`
pub(crate) fn set_dynamo(
    context: &Context<'_>,
    namespace: &Namespace<'_>,
    pending: &mut Pending,
    source: &'static str,
) -> Step<()> {
    let site = Site::new(source, Cause::DynamoBackend);
    let backend = namespace.get("dynamo_backend");
    let upper = backend.text_for("upper", site)?.to_uppercase();
    let known = context.facts.values(Enumeration::DynamoBackend);
    if !known.contains(&upper) {
        let list = Object::List(
            known
                .iter()
                .map(|value| Object::from(value.as_str()))
                .collect(),
        )
        .python_repr();
        let message = format!("Unknown dynamo backend: {upper}. Choose between {list}.");
        return Err(site.raise("ValueError", message, &backend.origin));
    }
    pending.set(
        "ACCELERATE_DYNAMO_BACKEND",
        Argument::new(upper, backend.origin),
    );
    pending.set("ACCELERATE_DYNAMO_MODE", namespace.get("dynamo_mode"));
    for name in ["fullgraph", "dynamic", "regional_compilation"] {
        if let Some(argument) = namespace.find(&format!("dynamo_use_{name}")) {
            pending.set_text(
                format!("ACCELERATE_DYNAMO_USE_{}", name.to_uppercase()),
                &argument,
            );
        }
    }
    Ok(())
}

/// `ACCELERATE_DEBUG_MODE`
pub(crate) fn set_debug(namespace: &Namespace<'_>, pending: &mut Pending) {
    let debug = namespace.get("debug");
    if debug.value.truthy() {
        pending.set("ACCELERATE_DEBUG_MODE", Argument::new("true", debug.origin));
    }
}

/// `CUDA_VISIBLE_DEVICES`
pub(crate) fn set_visible_devices(namespace: &Namespace<'_>, pending: &mut Pending) {
    let gpu_ids = namespace.get("gpu_ids");
    if gpu_ids.value != Object::from("all") && !matches!(gpu_ids.value, Object::None) {
        pending.set("CUDA_VISIBLE_DEVICES", gpu_ids);
    }
}

/// `ACCELERATE_CPU_AFFINITY`
pub(crate) fn set_affinity(namespace: &Namespace<'_>, pending: &mut Pending) {
    let affinity = namespace.get("enable_cpu_affinity");
    if affinity.value.truthy() {
        pending.set(
            "ACCELERATE_CPU_AFFINITY",
            Argument::new("1", affinity.origin),
        );
    }
}

/// `--module` and `--no_python` exclude each other.
pub(crate) fn check_script_kind(namespace: &Namespace<'_>, source: &'static str) -> Step<()> {
    if namespace.truthy("module") && namespace.truthy("no_python") {
        let message = "--module and --no_python cannot be used together";
        let origin = namespace.get("no_python").origin;
        return Err(raise(
            "ValueError",
            message,
            source,
            Cause::LaunchSelection,
            [origin],
        ));
    }
    Ok(())
}
