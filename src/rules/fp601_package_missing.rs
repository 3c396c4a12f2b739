//! FP601: a package that the config needs is not among those declared.

use crate::resolve::Cause;

use super::{Confidence, Example, Finding, Rule, Severity, Subject, advice};

pub(crate) static RULE: Rule = Rule {
    code: "FP601",
    name: "package-missing",
    severity: Severity::Error,
    confidence: Confidence::Certain,
    summary: "A package that this config needs is not among the installed ones.",
    explanation: "\
Only where the installed packages are declared (`--target installed=…`): the config names a backend, a launcher or a
strategy whose package is not among them, and accelerate raises the exception shown. With none of torchao, Transformer
Engine and MS-AMP, the launcher itself refuses fp8 (accelerate 1.15.0, utils/launch.py).",
    examples: &[
        Example::fails(
            "fp8 by a library that is not there",
            "distributed_type: 'NO'\nmixed_precision: fp8\nfp8_config:\n  backend: TE\n",
        )
        .under(&["installed=torchao"]),
        Example::passes(
            "the library is there",
            "distributed_type: 'NO'\nmixed_precision: fp8\nfp8_config:\n  backend: AO\n",
        )
        .under(&["installed=torchao"]),
    ],
    check,
};

fn check(subject: &Subject<'_>, findings: &mut Vec<Finding>) {
    if !subject.target.declares_installed() {
        return;
    }
    for exception in subject.caused_by(&[Cause::NoFp8Library, Cause::PackageMissing]) {
        let Some(origin) = exception.origins.first() else {
            continue;
        };
        let message = format!(
            "{} raises with the declared packages: {}",
            subject.version(),
            advice::shown(exception)
        );
        let mut finding = RULE.finding(
            message,
            subject.label(origin, "needs a package that is not installed"),
        );
        finding.key = subject.key(origin);
        let installed = match subject.run.machine.installed.as_slice() {
            [] => "none".to_owned(),
            installed => installed.join(", "),
        };
        finding
            .notes
            .push(format!("declared as installed: {installed}"));
        finding.help = Some("install the package, or choose what is installed".to_owned());
        findings.push(finding);
    }
}
