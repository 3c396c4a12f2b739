//! The parts of the environment that the launchers for a cluster share
//! (accelerate 1.15.0, `utils/launch.py`).

use super::super::context::Context;
use super::super::outcome::Cause;
use super::super::python::{Argument, Site, list_repr};
use super::super::stop::{Step, raise};
use super::Pending;
use super::namespace::Namespace;
use crate::knowledge::{Enumeration, Fp8Export, Fp8UnavailableMessage};
use crate::source::Object;

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
        let list = list_repr(known);
        let message = format!("Unknown mixed_precision mode: {lowered}. Choose between {list}.");
        return Err(site.raise("ValueError", message, &asked.origin));
    }
    context.decide("mixed_precision", lowered.as_str(), &asked.origin);
    let is_fp8 = lowered == "fp8";
    pending.set(
        "ACCELERATE_MIXED_PRECISION",
        Argument::new(lowered, asked.origin.clone()),
    );
    if is_fp8 && context.behaviours.fp8_export != Fp8Export::Nothing {
        if !context.has_fp8_package() {
            let packages = match context.behaviours.fp8_unavailable_message {
                Fp8UnavailableMessage::WithoutTorchao => "Transformer Engine or MSAMP",
                Fp8UnavailableMessage::WithTorchao => "Transformer Engine, MSAMP or torchao",
            };
            let message = format!(
                "FP8 is not available on this machine. Please ensure that either {packages} is installed."
            );
            return Err(raise(
                "RuntimeError",
                message,
                source,
                Cause::NoFp8Library,
                [asked.origin],
            ));
        }
        set_recipe(context.behaviours.fp8_export, namespace, pending)?;
    }
    Ok(())
}

/// `setup_fp8_env`: every attribute that starts with `fp8_` is exported, known or not.
fn set_recipe(export: Fp8Export, namespace: &Namespace<'_>, pending: &mut Pending) -> Step<()> {
    for (name, argument) in namespace.with_prefix("fp8_") {
        if matches!(argument.value, Object::None) {
            continue;
        }
        let in_three = name == "fp8_override_linear_precision"
            && !matches!(export, Fp8Export::Nothing | Fp8Export::OneText);
        if !in_three {
            pending.set_text(format!("ACCELERATE_{}", name.to_uppercase()), &argument);
            continue;
        }
        let elements = match export {
            Fp8Export::SplitText => split(&argument)?,
            _ => [
                subscript(&argument, 0)?,
                subscript(&argument, 1)?,
                subscript(&argument, 2)?,
            ],
        };
        for (gemm, element) in ["FPROP", "DGRAD", "WGRAD"].into_iter().zip(elements) {
            let variable = format!("ACCELERATE_FP8_OVERRIDE_{gemm}");
            match export {
                Fp8Export::RawElements => pending.set(variable, element),
                _ => pending.set_text(variable, &element),
            }
        }
    }
    Ok(())
}

/// The first three of `value.strip("()").split(",")`, each stripped
fn split(argument: &Argument) -> Step<[Argument; 3]> {
    let site = Site::new(
        "utils/launch.py:setup_fp8_env",
        Cause::OverrideLinearPrecision,
    );
    let text = argument.text_for("strip", site)?;
    let parts = text.trim_matches(['(', ')']).split(',');
    let parts: Vec<&str> = parts.map(str::trim).collect();
    let [fprop, dgrad, wgrad, ..] = parts.as_slice() else {
        return Err(site.raise("IndexError", "list index out of range", &argument.origin));
    };
    Ok([*fprop, *dgrad, *wgrad].map(|part| Argument::new(part, argument.origin.clone())))
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
        let list = list_repr(known);
        let message = format!("Unknown dynamo backend: {upper}. Choose between {list}.");
        return Err(site.raise("ValueError", message, &backend.origin));
    }
    pending.set(
        "ACCELERATE_DYNAMO_BACKEND",
        Argument::new(upper, backend.origin),
    );
    pending.set("ACCELERATE_DYNAMO_MODE", namespace.get("dynamo_mode"));
    for name in ["fullgraph", "dynamic", "regional_compilation"] {
        let flag = format!("dynamo_use_{name}");
        if let Some(argument) = namespace.of_flag(&flag) {
            pending.set_text(
                format!("ACCELERATE_DYNAMO_USE_{}", name.to_uppercase()),
                &argument,
            );
        }
    }
    Ok(())
}

/// `ACCELERATE_DEBUG_MODE`
pub(crate) fn set_debug(context: &Context<'_>, namespace: &Namespace<'_>, pending: &mut Pending) {
    let debug = namespace.get("debug");
    let is_exported = !context.facts.writers("ACCELERATE_DEBUG_MODE").is_empty();
    if is_exported && debug.value.truthy() {
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
    if let Some(affinity) = namespace.of_flag("enable_cpu_affinity")
        && affinity.value.truthy()
    {
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
        return Err(Site::new(source, Cause::LaunchSelection).raise(
            "ValueError",
            message,
            &origin,
        ));
    }
    Ok(())
}
