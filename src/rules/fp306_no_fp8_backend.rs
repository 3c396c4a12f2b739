//! FP306: fp8 without a backend.

use crate::resolve::{Place, Verdict, Voice};
use crate::source::{Object, Route};

use super::{
    Confidence, Example, Finding, Fix, Label, Rule, Safety, Severity, Subject, advice, mend,
};

pub(crate) static RULE: Rule = Rule {
    code: "FP306",
    name: "no-fp8-backend",
    severity: Severity::Note,
    confidence: Confidence::Certain,
    summary: "fp8 without a backend: whichever library is installed decides how the run trains.",
    explanation: "\
Without `fp8_config.backend`, `Accelerator()` takes the first of AO (torchao), TE (Transformer Engine), MSAMP that is
installed (accelerate 1.9.0 to 1.15.0, accelerator.py:Accelerator.__init__). The same file then trains differently on
two machines, and recipe settings meant for one library are not read by another. Name the backend. Releases before
1.4.0 do not know torchao: there `backend: AO` is passed over, and another library trains.",
    examples: &[
        Example::fails("left to the machine", "distributed_type: 'NO'\nmixed_precision: fp8\n"),
        Example::passes("named", "distributed_type: 'NO'\nmixed_precision: fp8\nfp8_config:\n  backend: AO\n"),
    ],
    check,
};

fn check(subject: &Subject<'_>, findings: &mut Vec<Finding>) {
    let last = subject.last();
    let Verdict::Fp8(chosen) = &last.verdict else {
        return;
    };
    let written = subject.within("fp8_config", "backend");
    let is_named = last
        .decision("fp8_backend")
        .is_none_or(|decision| decision.origin.voice != Voice::Default);
    let wrong_before = subject
        .caused_by(&[crate::resolve::Cause::Fp8Backend])
        .next()
        .is_some();
    if !advice::knows_fp8_config(subject)
        || is_named
        || wrong_before
        || !subject.asks_for_fp8()
        || subject.target.declares_installed()
    {
        return;
    }
    if let Some(place) = written {
        findings.extend(not_taken(subject, &place, chosen.as_str()));
        return;
    }
    // Who names a backend in another place hears of that.
    let names_elsewhere = subject.asks.iter().any(|ask| {
        ask.origin.name.contains("fp8") && !ask.origin.name.starts_with("fp8_config")
            || matches!(&ask.value, Object::Str(_) if ask.origin.name == "fp8_config")
    });
    if names_elsewhere {
        return;
    }
    let Some(place) = subject.top("mixed_precision") else {
        return;
    };
    let message = format!(
        "no fp8 backend is named: {} takes the first of AO, TE, MSAMP that is installed, {chosen} where all are",
        subject.version()
    );
    let mut finding = RULE.finding(message, Label::value(&place, "by which library?"));
    finding.key = subject.key_at(&place.route);
    finding.help = Some("write\nfp8_config:\n  backend: AO  # or TE, MSAMP".to_owned());
    let edits = mend::config(subject).and_then(|editor| {
        let backend = Route::keys(["fp8_config", "backend"]);
        editor.put(&backend, chosen.to_string()).finish()
    });
    let title = format!("write fp8_config.backend: {chosen}");
    finding.fixes.extend(Fix::of(title, Safety::Unsafe, edits));
    findings.push(finding);
}

/// The backend that is written, where the release does not take it: torchao came with 1.4.0.
fn not_taken(subject: &Subject<'_>, place: &Place, chosen: &str) -> Option<Finding> {
    let meant = advice::backend_meant(place.file.slice(place.value))?;
    if meant == chosen {
        return None;
    }
    let message = format!(
        "`fp8_config.backend: {meant}` does not decide in {}: the run trains by {chosen}, the first that is installed of \
         those that it knows",
        subject.version()
    );
    let mut finding = RULE.finding(message, Label::value(place, "not taken"));
    finding.severity = Severity::Warning;
    finding.key = subject.key_at(&place.route);
    finding.help = Some(format!(
        "write backend: {chosen}, or use an accelerate that takes {meant}"
    ));
    Some(finding)
}
