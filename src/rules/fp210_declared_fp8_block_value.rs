//! FP210: a declared fp8 block that its loader refuses.

use crate::resolve::target::{closest, is_slip};
use crate::source::{Data, NodeRef, Object};

use super::declared::{At, Found, backends, in_place};
use super::{Confidence, Example, Finding, Fix, Label, Rule, Safety, Severity, Subject, mend};

pub(crate) static RULE: Rule = Rule {
    code: "FP210",
    name: "declared-fp8-block-value",
    severity: Severity::Error,
    confidence: Confidence::Certain,
    summary: "An fp8 block that the settings declare has a value that its loader refuses.",
    explanation: "\
`[[fp8-block]]` in the settings describes a loader of the team's own, which reads fp8 settings where accelerate's launcher
reads none. It takes a mapping with a supported `backend`; `false` and `null` switch fp8 off. A bare `true` names no
backend, and every other type or backend is none that it knows. The block is judged by what is declared, instead of by
the rules about accelerate.",
    examples: &[
        Example::fails(
            "a switch",
            "distributed_type: FSDP\nmixed_precision: fp16\nnum_processes: 1\nfsdp_config:\n  fp8: true\n",
        )
        .declaring(DECLARED),
        Example::fails(
            "a backend that the loader does not support",
            "distributed_type: FSDP\nmixed_precision: fp16\nnum_processes: 1\nfsdp_config:\n  fp8:\n    backend: fp8rows\n",
        )
        .declaring(DECLARED),
        Example::fails(
            "the backend's name alone",
            "distributed_type: FSDP\nmixed_precision: fp16\nnum_processes: 1\nfsdp_config:\n  fp8: auto\n",
        )
        .declaring(DECLARED),
        Example::passes(
            "a supported backend",
            "distributed_type: FSDP\nmixed_precision: fp16\nnum_processes: 1\nfsdp_config:\n  fp8:\n    backend: auto\n",
        )
        .declaring(DECLARED),
        Example::passes(
            "switched off",
            "distributed_type: FSDP\nmixed_precision: fp16\nnum_processes: 1\nfsdp_config:\n  fp8: false\n",
        )
        .declaring(DECLARED),
    ],
    check,
};

/// What the examples declare.
pub(super) const DECLARED: &str = "[[fp8-block]]\npath = \"fsdp_config.fp8\"\nbackends = [\"fp8\", \"fp8row\", \"auto\"]\ndefault-backend = \"auto\"\n";

fn check(subject: &Subject<'_>, findings: &mut Vec<Finding>) {
    for found in in_place(subject) {
        let value = found.entry.value;
        if value.is_dict() {
            let backend = value.get("backend").map(|entry| entry.value);
            findings.extend(backend.and_then(|backend| unsupported(subject, &found, backend)));
        } else if !found.is_off() {
            findings.push(no_mapping(subject, &found));
        }
    }
}

/// A backend that the loader does not support.
fn unsupported(subject: &Subject<'_>, found: &Found<'_>, backend: NodeRef<'_>) -> Option<Finding> {
    let known = &found.block.backends;
    let named = backend.text();
    if named.is_some_and(|named| known.iter().any(|known| known == named)) {
        return None;
    }
    let supported = backends(found.block);
    let route = found.route.key("backend");
    let (config, _) = subject.config()?;
    let written = config.file.slice(backend.span());
    let message = match named {
        Some(named) => format!(
            "the loader declared for `{}` does not support the backend `{named}`",
            found.route
        ),
        None => format!(
            "`{route}` is no text: the loader declared for `{}` takes {supported}",
            found.route
        ),
    };
    let mut finding = found.finding(subject, &RULE, message, At::Value, "");
    finding.primary = Label::at(&config.file, backend.span(), "not supported");
    finding.key = subject.key_at(&route);
    let meant = closest(named.unwrap_or(written), known.iter().map(String::as_str));
    let slip = meant.filter(|meant| named.is_some_and(|named| is_slip(named, meant)));
    if let Some(meant) = slip {
        let edits = mend::config(subject).and_then(|editor| editor.set(&route, meant).finish());
        finding.fixes.extend(Fix::of(
            format!("write backend: {meant}"),
            Safety::Safe,
            edits,
        ));
    }
    finding.help = Some(match meant {
        Some(meant) => format!("did you mean {meant}? supported are {supported}"),
        None => format!("supported are {supported}"),
    });
    Some(finding)
}

/// A value that is neither a mapping nor off.
fn no_mapping(subject: &Subject<'_>, found: &Found<'_>) -> Finding {
    let value = found.entry.value;
    let route = &found.route;
    let (message, label) = match value.data() {
        Data::Scalar(Object::Bool(true)) => (
            format!(
                "`{route}` names no backend: the loader declared for it takes a mapping with one"
            ),
            "no backend is said",
        ),
        data => (
            format!(
                "`{route}` is {}: the loader declared for it takes a mapping with a backend",
                type_of(data)
            ),
            "no mapping",
        ),
    };
    let mut finding = found.finding(subject, &RULE, message, At::Value, label);
    let named = value
        .text()
        .filter(|text| found.block.backends.iter().any(|known| known == text));
    let backend = named.unwrap_or(found.block.default_backend.as_str());
    finding
        .notes
        .push(format!("supported are {}", backends(found.block)));
    let block = Object::Dict(vec![(Object::from("backend"), Object::from(backend))]);
    let edits = mend::config(subject).and_then(|editor| editor.set(route, block).finish());
    // Which backend is the default, the team has declared; what is no backend may mean something else.
    let safety = match value.data() {
        Data::Scalar(Object::Bool(true)) => Safety::Safe,
        _ if named.is_some() => Safety::Safe,
        _ => Safety::Unsafe,
    };
    let title = format!("write {{backend: {backend}}}");
    finding.fixes.extend(Fix::of(title, safety, edits));
    finding.help = Some(format!("write\n{}", found.written(subject, backend)));
    finding
}

fn type_of(data: &Data) -> &'static str {
    match data {
        Data::Scalar(Object::Str(_)) => "a text",
        Data::Scalar(Object::Int(_) | Object::Float(_)) => "a number",
        Data::Scalar(_) => "no mapping",
        Data::List(_) | Data::Tuple(_) | Data::Set(_) => "a list",
        Data::Dict(_) => "a mapping",
    }
}
