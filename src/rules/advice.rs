//! What to write instead: shared by the rules that end in the same advice.

use crate::resolve::Exception;

use super::Subject;

/// The fp8 backend that a spelling means: case and punctuation aside.
pub(super) fn backend_meant(text: &str) -> Option<&'static str> {
    let plain: String = text.chars().filter(char::is_ascii_alphanumeric).collect();
    match plain.to_ascii_lowercase().as_str() {
        "ao" | "torchao" => Some("AO"),
        "te" | "transformerengine" => Some("TE"),
        "msamp" => Some("MSAMP"),
        _ => None,
    }
}

/// The lines that make accelerate train in fp8.
pub(super) fn write_fp8(subject: &Subject<'_>, backend: Option<&str>) -> String {
    let choice = match backend {
        Some(backend) => backend.to_owned(),
        None => "AO  # torchao; or TE (Transformer Engine), MSAMP".to_owned(),
    };
    let mut lines = format!("mixed_precision: fp8\nfp8_config:\n  backend: {choice}");
    if uses_fsdp(subject) && backend.is_none_or(|backend| backend == "AO") {
        lines.push_str("\nfsdp_config:\n  fsdp_cpu_ram_efficient_loading: false  # AO needs this");
    }
    lines
}

/// Whether the config chooses FSDP.
pub(super) fn uses_fsdp(subject: &Subject<'_>) -> bool {
    let distributed_type = subject.root().and_then(|root| root.get("distributed_type"));
    distributed_type.is_some_and(|entry| entry.value.text() == Some("FSDP"))
}

/// `ValueError: the message`, on one line and not too long.
pub(super) fn shown(exception: &Exception) -> String {
    let message = exception
        .message
        .split_whitespace()
        .collect::<Vec<_>>()
        .join(" ");
    let short: String = message.chars().take(220).collect();
    let ellipsis = if short.len() < message.len() {
        "…"
    } else {
        ""
    };
    match short.is_empty() {
        true => exception.kind.clone(),
        false => format!("{}: {short}{ellipsis}", exception.kind),
    }
}
