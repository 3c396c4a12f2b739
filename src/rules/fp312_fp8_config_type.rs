//! FP312: `fp8_config` is no mapping.

use crate::resolve::Verdict;
use crate::source::{Object, Route};

use super::{
    Confidence, Example, Finding, Fix, Label, Rule, Safety, Severity, Subject, advice, mend,
};

pub(crate) static RULE: Rule = Rule {
    code: "FP312",
    name: "fp8-config-type",
    severity: Severity::Warning,
    confidence: Confidence::Certain,
    summary: "`fp8_config` is no mapping: it is ignored without a message.",
    explanation: "\
`ClusterConfig` does not check types. A `fp8_config` that is no mapping becomes an attribute of the launch namespace and
the variable ACCELERATE_FP8_CONFIG, which nothing reads (accelerate 1.5.0 to 1.15.0,
commands/launch.py:_validate_launch_command, utils/launch.py:setup_fp8_env). The backend is then whichever is installed.
Where it names a backend, that is lost, and the finding is an error.",
    examples: &[
        Example::fails("a switch", "distributed_type: 'NO'\nmixed_precision: fp8\nfp8_config: true\n"),
        Example::fails("a name", "distributed_type: 'NO'\nmixed_precision: fp8\nfp8_config: TE\n"),
        Example::passes("a mapping", "distributed_type: 'NO'\nmixed_precision: fp8\nfp8_config:\n  backend: TE\n"),
    ],
    check,
};

fn check(subject: &Subject<'_>, findings: &mut Vec<Finding>) {
    let Some(entry) = subject.root().and_then(|root| root.get("fp8_config")) else {
        return;
    };
    if entry.value.is_dict() || entry.value.is_none() {
        return;
    }
    let Some(place) = subject.top("fp8_config") else {
        return;
    };
    let object = entry.value.object();
    let kind = object.as_ref().map_or("value", Object::type_name);
    let message = format!(
        "`fp8_config` is a {kind}, no mapping, so {} ignores it without a message",
        subject.version()
    );
    let mut finding = RULE.finding(message, Label::value(&place, "ignored"));
    finding.key = subject.key_at(&place.route);
    let meant = entry.value.text().and_then(advice::backend_meant);
    let is_found_anyhow = matches!(
        &subject.last().verdict,
        Verdict::Fp8(backend) if Some(backend.as_str()) == meant
    );
    if meant.is_some() && subject.asks_for_fp8() && !is_found_anyhow {
        finding.severity = Severity::Error;
    }
    let edits = mend::config(subject).and_then(|editor| {
        let block = Object::Dict(vec![("backend".into(), meant.unwrap_or("AO").into())]);
        editor.set(&Route::keys(["fp8_config"]), block).finish()
    });
    let safety = if meant.is_some() {
        Safety::Safe
    } else {
        Safety::Unsafe
    };
    let title = format!("write {{backend: {}}}", meant.unwrap_or("AO"));
    finding.fixes.extend(Fix::of(title, safety, edits));
    let backend = meant.unwrap_or("AO  # or TE, MSAMP");
    finding.help = Some(format!("write\nfp8_config:\n  backend: {backend}"));
    findings.push(finding);
}
