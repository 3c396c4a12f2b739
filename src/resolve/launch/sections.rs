//! How the config file's keys and sections become arguments of the launcher
//! (`commands/launch.py:_validate_launch_command`).

use super::super::outcome::Cause;
use super::super::python::{Argument, Site};
use super::super::stop::{Step, unknown};
use super::config_class::{Defaults, Field};
use super::namespace::Namespace;
use crate::knowledge::{Behaviours, ConfigSections, DynamoSection, Fp8Section};
use crate::source::Object;

const SOURCE: &str = "commands/launch.py:_validate_launch_command";

/// Copies the config into the namespace.
pub(crate) fn copy(
    namespace: &mut Namespace<'_>,
    defaults: &Defaults,
    behaviours: &Behaviours,
) -> Step<()> {
    match behaviours.config_sections {
        ConfigSections::OverFlags => copy_over_flags(namespace, defaults, behaviours),
        ConfigSections::UnderFlags => {
            copy_under_flags(namespace, defaults, behaviours.dynamo_section)
        }
    }
}

/// A scalar is copied only where the namespace still has `None`.
fn copy_scalar(namespace: &mut Namespace<'_>, field: &Field) {
    let apart = ["compute_environment", "mixed_precision", "distributed_type"];
    if !apart.contains(&field.name.as_str()) && namespace.is_none(&field.name) {
        namespace.set(field.name.as_str(), field.argument.clone());
    }
}

/// Sections in a fixed order, whenever the turn is at one of them.
fn copy_over_flags(
    namespace: &mut Namespace<'_>,
    defaults: &Defaults,
    behaviours: &Behaviours,
) -> Step<()> {
    let mut sections = vec![
        ("deepspeed_config", None),
        ("fsdp_config", Some("fsdp")),
        ("tp_config", None),
        ("megatron_lm_config", None),
        ("dynamo_config", None),
        ("ipex_config", None),
        ("mpirun_config", None),
    ];
    if behaviours.fp8_section == Fp8Section::Merged {
        sections.push(("fp8_config", Some("fp8")));
    }
    for field in &defaults.fields {
        if field.entries.is_none() {
            copy_scalar(namespace, field);
            continue;
        }
        for (name, part) in &sections {
            let Some(section) = defaults.get(name) else {
                continue;
            };
            for (key, argument) in section_entries(section)? {
                let name = match part {
                    Some(part) => attribute_name_with(key, argument, part)?,
                    None => attribute_name(key, argument, None)?,
                };
                namespace.set(name, argument.clone());
            }
        }
    }
    Ok(())
}

/// `for k in section: … section[k]`
fn section_entries(section: &Field) -> Step<&[(Object, Argument)]> {
    if let Some(entries) = &section.entries {
        return Ok(entries);
    }
    let message = match &section.argument.value {
        Object::Str(text) if text.is_empty() => return Ok(&[]),
        Object::List(items) | Object::Tuple(items) if items.is_empty() => return Ok(&[]),
        Object::Str(_) => "string indices must be integers, not 'str'".to_owned(),
        Object::List(items) | Object::Tuple(items) => {
            let kind = section.argument.value.type_name();
            match items.first() {
                Some(Object::Int(_) | Object::Bool(_)) => {
                    return Err(unknown(format!(
                        "`{}` is a {kind} of numbers",
                        section.name
                    )));
                }
                first => format!(
                    "{kind} indices must be integers or slices, not {}",
                    first.map_or("NoneType", Object::type_name)
                ),
            }
        }
        other => format!("'{}' object is not iterable", other.type_name()),
    };
    let origin = &section.argument.origin;
    Err(Site::new(SOURCE, Cause::LaunchValue).raise("TypeError", message, origin))
}

/// The attribute that a section's key becomes where `part` may stand anywhere in it.
fn attribute_name_with(key: &Object, argument: &Argument, part: &str) -> Step<String> {
    let Object::Str(text) = key else {
        let message = format!("argument of type '{}' is not iterable", key.type_name());
        let site = Site::new(SOURCE, Cause::KeyNotString);
        return Err(site.raise("TypeError", message, &argument.origin));
    };
    Ok(match text.contains(part) {
        true => text.clone(),
        false => format!("{part}_{text}"),
    })
}

/// Sections are copied key by key, unless a flag was given.
fn copy_under_flags(
    namespace: &mut Namespace<'_>,
    defaults: &Defaults,
    dynamo_section: DynamoSection,
) -> Step<()> {
    for field in &defaults.fields {
        let Some(entries) = &field.entries else {
            copy_scalar(namespace, field);
            continue;
        };
        let prefixes = match field.name.as_str() {
            "fsdp_config" => Some(("fsdp", "fsdp_")),
            "fp8_config" => Some(("fp8", "fp8_")),
            "dynamo_config" if dynamo_section == DynamoSection::Prefixed => {
                Some(("dynamo_", "dynamo_"))
            }
            _ => None,
        };
        for (key, argument) in entries {
            let name = attribute_name(key, argument, prefixes)?;
            if !namespace.is_given(&name) {
                namespace.set(name, argument.clone());
            }
        }
    }
    Ok(())
}

/// The attribute that a section's key becomes.
fn attribute_name(
    key: &Object,
    argument: &Argument,
    prefixes: Option<(&str, &str)>,
) -> Step<String> {
    let Object::Str(text) = key else {
        let name = key.type_name();
        let (kind, message) = match prefixes {
            Some(_) => (
                "AttributeError",
                format!("'{name}' object has no attribute 'startswith'"),
            ),
            None => (
                "TypeError",
                format!("attribute name must be string, not '{name}'"),
            ),
        };
        return Err(Site::new(SOURCE, Cause::KeyNotString).raise(kind, message, &argument.origin));
    };
    Ok(match prefixes {
        Some((starts, prefix)) if !text.starts_with(starts) => format!("{prefix}{text}"),
        _ => text.clone(),
    })
}
