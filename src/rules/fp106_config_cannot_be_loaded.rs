//! FP106: a config file that accelerate cannot load.

use crate::knowledge::Enumeration;
use crate::resolve::{Cause, Config, Exception, Origin};

use super::{Confidence, Example, Finding, Label, Rule, Severity, Subject, advice, names};

pub(crate) static RULE: Rule = Rule {
    code: "FP106",
    name: "config-cannot-be-loaded",
    severity: Severity::Error,
    confidence: Confidence::Certain,
    summary: "accelerate cannot load this config file.",
    explanation: "\
The file is read with `yaml.safe_load` (PyYAML, YAML 1.1; a name that ends in .json: with `json.load`) as UTF-8, must be
a mapping, must have `distributed_type`, and `compute_environment` and `distributed_type` must be members of their enums
in exactly their spelling (accelerate 1.15.0, commands/config/config_args.py:load_config_from_file, process_config,
__post_init__). Otherwise `accelerate launch` ends with the exception shown.",
    examples: &[
        Example::fails("a tab", "distributed_type: MULTI_GPU\nmixed_precision: bf16\nfsdp_config:\n\tfsdp_version: 2\n"),
        Example::fails("no distributed_type", "compute_environment: LOCAL_MACHINE\nmixed_precision: bf16\n"),
        Example::fails(
            "anything but LOCAL_MACHINE is read as SageMaker",
            "compute_environment: SLURM\ndistributed_type: MULTI_GPU\nmixed_precision: bf16\nnum_processes: 8\n",
        ),
        Example::fails("another spelling", "distributed_type: multi_gpu\nmixed_precision: bf16\nnum_processes: 8\n"),
        Example::fails("YAML under a .json name", "distributed_type: MULTI_GPU\nmixed_precision: bf16\n")
            .named("accelerate.json"),
        Example::passes("the enum's spelling", "distributed_type: MULTI_GPU\nmixed_precision: bf16\nnum_processes: 8\n"),
    ],
    check,
};

const CAUSES: [Cause; 6] = [
    Cause::ComputeEnvironment,
    Cause::ConfigUnreadable,
    Cause::ConfigNotMapping,
    Cause::ConfigKeyMissing,
    Cause::EnumValue,
    Cause::KeyNotString,
];

fn check(subject: &Subject<'_>, findings: &mut Vec<Finding>) {
    // A file that is not there has a rule of its own.
    if matches!(subject.run.config, Config::Missing { .. }) {
        return;
    }
    for exception in subject.caused_by(&CAUSES) {
        let Some(origin) = exception.origins.first() else {
            continue;
        };
        let message = format!(
            "{} cannot load this file: {}",
            subject.version(),
            advice::shown(exception)
        );
        let mut finding = RULE.finding(message, label(subject, exception, origin));
        finding.key = subject.key(origin);
        finding.help = help(subject, exception, &origin.name);
        findings.push(finding);
    }
}

/// The place that the reader names; the value, for what is read and then refused.
fn label(subject: &Subject<'_>, exception: &Exception, origin: &Origin) -> Label {
    match &origin.place {
        Some(place) if exception.cause == Cause::ConfigUnreadable => Label::value(place, ""),
        _ => subject.label(origin, ""),
    }
}

fn help(subject: &Subject<'_>, exception: &Exception, name: &str) -> Option<String> {
    Some(match exception.cause {
        Cause::ComputeEnvironment => {
            "write compute_environment: LOCAL_MACHINE; anything else is read as a SageMaker config"
                .to_owned()
        }
        Cause::ConfigKeyMissing => {
            "add distributed_type: 'NO' for one process, or MULTI_GPU, FSDP, DEEPSPEED".to_owned()
        }
        Cause::ConfigNotMapping => {
            "write `key: value` lines, or let `accelerate config` write the file".to_owned()
        }
        Cause::KeyNotString => format!("quote the key of `{name}`"),
        Cause::EnumValue => {
            let enumeration = match name {
                "compute_environment" => Enumeration::ComputeEnvironment,
                _ => Enumeration::DistributedType,
            };
            let known: Vec<&str> = subject
                .facts
                .values(enumeration)
                .iter()
                .map(String::as_str)
                .collect();
            let entry = subject.root().and_then(|root| root.get(name));
            let meant = entry
                .and_then(|entry| entry.value.text())
                .and_then(|text| names::meant(text, &known));
            match meant {
                Some(meant) => format!("write {name}: {meant}"),
                None => format!("write one of {}", known.join(", ")),
            }
        }
        Cause::ConfigUnreadable => match exception.kind.as_str() {
            "UnicodeDecodeError" => "save the file as UTF-8".to_owned(),
            "JSONDecodeError" => "write JSON, without comments and trailing commas".to_owned(),
            _ if exception.message.contains("\\t") || exception.message.contains("tab") => {
                "indent with spaces, not tabs".to_owned()
            }
            _ => "correct the syntax at the place shown".to_owned(),
        },
        _ => return None,
    })
}
