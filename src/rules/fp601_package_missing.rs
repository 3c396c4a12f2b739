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
Where the installed packages are declared (`--target installed=…`): the config names a backend, a launcher or a
strategy whose package is not among them, and accelerate raises the exception shown. With none of torchao, Transformer
Engine and MS-AMP, the launcher itself refuses fp8 (accelerate 1.15.0, utils/launch.py). That alone is said without a
declaration too, as a warning, where the project names fp8 libraries and none of them counts: accelerate takes torchao from
0.6.1 on (utils/imports.py:is_torchao_available), and none at all before accelerate 1.4.",
    examples: &[
        Example::fails(
            "fp8 by a library that is not there",
            "distributed_type: 'NO'\nmixed_precision: fp8\nfp8_config:\n  backend: TE\n",
        )
        .under(&["installed=torchao"]),
        Example::fails(
            "a torchao that is too old",
            "distributed_type: 'NO'\nmixed_precision: fp8\nfp8_config:\n  backend: AO\n",
        )
        .named("accelerate.yaml")
        .with(&[("requirements.txt", "accelerate==1.15.0\ntorchao==0.5.0\n")]),
        Example::passes(
            "the library is there",
            "distributed_type: 'NO'\nmixed_precision: fp8\nfp8_config:\n  backend: AO\n",
        )
        .under(&["installed=torchao"]),
    ],
    check,
};

fn check(subject: &Subject<'_>, findings: &mut Vec<Finding>) {
    let is_declared = subject.target.declares_installed();
    // Of what nobody declares, only a missing fp8 library is known: what the project names is no fp8 library that counts.
    let causes: &[Cause] = match is_declared {
        true => &[Cause::NoFp8Library, Cause::PackageMissing],
        false => &[Cause::NoFp8Library],
    };
    for exception in subject.caused_by(causes) {
        let Some(origin) = exception.origins.first() else {
            continue;
        };
        let packages = match is_declared {
            true => "the declared packages",
            false => "the packages that the project names",
        };
        let message = format!(
            "{} raises with {packages}: {}",
            subject.version(),
            advice::shown(exception)
        );
        let mut finding = RULE.finding(
            message,
            subject.label(origin, "needs a package that is not installed"),
        );
        finding.key = subject.key(origin);
        if is_declared {
            let installed = match subject.run.machine.installed.as_slice() {
                [] => "none".to_owned(),
                installed => installed.join(", "),
            };
            finding
                .notes
                .push(format!("declared as installed: {installed}"));
        } else {
            finding.severity = Severity::Warning;
            finding.confidence = Confidence::Likely;
            let target = subject.target;
            let torchao = target.packages.get("torchao");
            let accelerate = target.accelerate.origin.line();
            finding.notes.extend(
                accelerate.map(|line| format!("accelerate {} by {line}", target.accelerate.value)),
            );
            finding.notes.extend(torchao.and_then(|declared| {
                let line = declared.origin.line()?;
                Some(format!("torchao {} by {line}", declared.value))
            }));
        }
        finding.help = Some("install the package, or choose what is installed".to_owned());
        findings.push(finding);
    }
}
