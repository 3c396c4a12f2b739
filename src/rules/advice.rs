//! What to write instead: shared by the rules that end in the same advice.

use crate::knowledge::{self, AoRecipe, Interval, Version};
use crate::resolve::{self, Exception, Run, Verdict};
use crate::source::Route;

use super::subject::{SET_ASIDE, shown as shown_value};
use super::{Subject, precision_that_runs};

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

/// Whether this release has `fp8_config`; those before refuse a file with it.
pub(super) fn knows_fp8_config(subject: &Subject<'_>) -> bool {
    let mut keys = subject.facts.cluster_keys.iter();
    keys.any(|known| known.name == "fp8_config")
}

/// The lines that make accelerate train in fp8.
pub(super) fn write_fp8(subject: &Subject<'_>, backend: Option<&str>) -> String {
    let choice = match backend {
        Some(backend) => backend.to_owned(),
        None => "AO  # torchao; or TE (Transformer Engine), MSAMP".to_owned(),
    };
    if !knows_fp8_config(subject) {
        return "mixed_precision: fp8".to_owned();
    }
    let mut lines = format!("mixed_precision: fp8\nfp8_config:\n  backend: {choice}");
    if uses_fsdp(subject) && backend.is_none_or(|backend| backend == "AO") {
        lines.push_str("\nfsdp_config:\n  fsdp_cpu_ram_efficient_loading: false  # AO needs this");
        if ao_fails_under_fsdp2(subject) {
            lines.push_str(&format!(
                "\n  fsdp_version: 1  # AO under FSDP2: accelerate {}",
                ao_under_fsdp2()
            ));
        }
    }
    lines
}

/// From which releases on torchao works under FSDP2, as messages put it.
pub(super) fn ao_under_fsdp2() -> String {
    intervals(AoRecipe::FromEnvironment.intervals())
}

/// `1.4.0–1.8.1, from 1.9.0`
pub(super) fn intervals(intervals: Vec<Interval>) -> String {
    intervals
        .iter()
        .map(Interval::to_string)
        .collect::<Vec<_>>()
        .join(", ")
}

/// Whether the config is one of FSDP2, under which torchao raises in this release.
pub(super) fn ao_fails_under_fsdp2(subject: &Subject<'_>) -> bool {
    let version = subject
        .root()
        .and_then(|root| root.get("fsdp_config")?.value.get("fsdp_version"));
    let is_fsdp2 = version.is_some_and(|version| shown_value(&version) == "2");
    is_fsdp2 && subject.facts.behaviours.ao_recipe != AoRecipe::FromEnvironment
}

/// The next release after this one in which the same run trains in fp8.
pub(super) fn trains_in_fp8_from(subject: &Subject<'_>) -> Option<&'static Version> {
    trains_so_from(subject, subject.run)
}

/// The next release after this one in which another run trains in fp8, faults that have findings of their own aside.
pub(super) fn trains_so_from(subject: &Subject<'_>, run: &Run) -> Option<&'static Version> {
    knowledge::releases().iter().find(|version| {
        **version > subject.facts.version
            && knowledge::accelerate(version).is_some_and(|known| {
                let (target, blocks) = (subject.target, subject.blocks);
                let newer = Subject::new(run, known.facts, target, blocks, subject.files);
                matches!(newer.last().verdict, Verdict::Fp8(_))
            })
    })
}

/// The precision in which the run trains without the key at this route, where it comes so far.
pub(super) fn runs_without(subject: &Subject<'_>, route: &Route) -> Option<String> {
    let mut run = Run {
        set_aside: SET_ASIDE.to_vec(),
        ..subject.run.clone()
    };
    run.without.push(route.clone());
    run.without.sort();
    precision_that_runs(&resolve::resolve(&run, subject.facts, subject.files))
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
