//! fp8 settings where nothing reads them: what FP102 and FP103 share at the top level, FP301 and FP302 in sections.

use crate::knowledge::DynamoSection;
use crate::resolve::{Cause, Place};
use crate::source::{EntryRef, Route};

use super::precision_that_runs;
use super::{Finding, Label, Rule, Severity, Subject};

/// The sections that are copied into the launch namespace.
const SECTIONS: [&str; 6] = [
    "fsdp_config",
    "deepspeed_config",
    "megatron_lm_config",
    "parallelism_config",
    "mpirun_config",
    "dynamo_config",
];

/// An fp8 setting in a section where nothing reads it.
pub(super) struct StraySetting<'a> {
    pub(super) key: String,
    pub(super) route: Route,
    pub(super) entry: EntryRef<'a>,
}

/// `fp8` at the top level, where accelerate refuses the file for it; not where a loader of the team's own reads it.
pub(super) fn fp8_at_top_level<'a>(subject: &Subject<'a>) -> Option<(EntryRef<'a>, Place)> {
    let entry = subject.root()?.get("fp8")?;
    let is_declared = subject.is_declared_block(&Route::keys(["fp8"]));
    let is_refused = subject.caused_by(&[Cause::UnknownKeys]).next().is_some();
    let place = subject.top("fp8")?;
    (is_refused && !is_declared).then_some((entry, place))
}

/// All of them.
pub(super) fn stray_settings<'a>(subject: &Subject<'a>) -> impl Iterator<Item = StraySetting<'a>> {
    let prefixed_dynamo = subject.facts.behaviours.dynamo_section == DynamoSection::Prefixed;
    let mut found = Vec::new();
    for section in SECTIONS {
        let is_prefixed =
            section == "fsdp_config" || (section == "dynamo_config" && prefixed_dynamo);
        for entry in subject.section(section) {
            let Some(key) = entry.key.text() else {
                continue;
            };
            // Without a prefix, `fp8_backend` and the like do reach the launcher.
            let is_stray = match is_prefixed {
                true => key == "fp8" || key.starts_with("fp8_") || asks_for_precision(key, &entry),
                false => key == "fp8" || key == "fp8_config",
            };
            if is_stray {
                found.push(StraySetting {
                    key: key.to_owned(),
                    route: Route::keys([section, key]),
                    entry,
                });
            }
        }
    }
    found.into_iter()
}

/// `fsdp_config.mixed_precision: fp8`
fn asks_for_precision(key: &str, entry: &EntryRef<'_>) -> bool {
    let short = key.strip_prefix("fsdp_").unwrap_or(key);
    let is_precision = ["mixed_precision", "mixed_precision_policy", "precision"].contains(&short);
    is_precision
        && entry
            .value
            .text()
            .is_some_and(|text| text.eq_ignore_ascii_case("fp8"))
}

impl StraySetting<'_> {
    /// The finding that both rules begin with. `asks`: whether the setting asks for fp8 rather than switching it off.
    pub(super) fn finding(&self, subject: &Subject<'_>, rule: &Rule, asks: bool) -> Finding {
        let last = subject.last();
        let is_fp8 = precision_that_runs(last).as_deref() == Some("fp8");
        let consequence = match precision_that_runs(last) {
            Some(_) if is_fp8 => ", and it has no effect".to_owned(),
            Some(runs) if asks => {
                format!(", and the run trains in {runs}: what `mixed_precision` says")
            }
            _ => ", so it has no effect".to_owned(),
        };
        let message = format!(
            "nothing reads `{}` in {}{consequence}",
            self.route,
            subject.version()
        );
        let place = subject.place(&self.entry, self.route.clone());
        let primary = match &place {
            Some(place) => Label::key(place, "never read"),
            None => Label::file("", ""),
        };
        let mut finding = rule.finding(message, primary);
        finding.key = subject.key_at(&self.route);
        if is_fp8 || !asks {
            finding.severity = Severity::Warning;
            return finding;
        }
        if let Some(place) = subject.top("mixed_precision") {
            finding.related.push(Label::value(&place, "this decides"));
        }
        finding.outcome = Some(subject.asked_and_runs("fp8", last));
        finding
    }
}
