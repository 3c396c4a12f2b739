//! FP604: fp8 needs a package that the project's dependencies do not name.

use crate::formats::recipe::Framework;
use crate::knowledge;
use crate::resolve::target::FileLine;
use crate::resolve::{Backend, Origin, Value, Verdict, Voice};
use crate::source::Object;

use super::{Confidence, Example, Finding, Rule, Severity, Subject, advice, voices};

pub(crate) static RULE: Rule = Rule {
    code: "FP604",
    name: "backend-not-among-dependencies",
    severity: Severity::Warning,
    confidence: Confidence::Likely,
    summary: "fp8 runs by a backend whose package the project does not list among its dependencies.",
    explanation: "\
fp8 needs torchao, Transformer Engine or MS-AMP, and none of them comes with accelerate: without any of them the launcher
refuses fp8, and without the one that is named `Accelerator()` raises (accelerate, utils/launch.py, accelerator.py:
Accelerator.__init__). Only where the project lists accelerate, transformers or torch in a file that pins or in an install
command of the launch, and neither the backend nor a package that brings it; where no backend is named, none of the three. A
container image may bring it all the same (NVIDIA's have Transformer Engine), so this is likely and not certain. What is
declared with `installed` of the target is taken instead (FP601).",
    examples: &[
        Example::fails(
            "torchao is in no requirement",
            "distributed_type: 'NO'\nmixed_precision: fp8\nfp8_config:\n  backend: AO\n",
        )
        .with(&[("requirements.txt", "accelerate==1.12.0\ntransformers==4.57.6\n")]),
        Example::fails(
            "none of the three",
            "distributed_type: 'NO'\nmixed_precision: fp8\n",
        )
        .with(&[("requirements.txt", "accelerate==1.12.0\ntransformers==4.57.6\n")]),
        Example::passes(
            "it is listed",
            "distributed_type: 'NO'\nmixed_precision: fp8\nfp8_config:\n  backend: TE\n",
        )
        .with(&[("requirements.txt", "accelerate==1.12.0\ntransformer-engine[pytorch]\n")]),
        Example::passes(
            "the script installs it",
            "pip install torchao\naccelerate launch --config_file accelerate.yaml train.py\n",
        )
        .named("train.sh")
        .with(&[
            ("accelerate.yaml", "distributed_type: 'NO'\nmixed_precision: fp8\nfp8_config:\n  backend: AO\n"),
            ("requirements.txt", "accelerate==1.12.0\ntransformers==4.57.6\n"),
        ]),
        Example::passes(
            "nothing is listed at all",
            "distributed_type: 'NO'\nmixed_precision: fp8\nfp8_config:\n  backend: AO\n",
        )
        .with(&[("requirements.txt", "numpy\n")]),
    ],
    check,
};

const BACKENDS: [Backend; 3] = [Backend::Ao, Backend::Te, Backend::Msamp];

fn check(subject: &Subject<'_>, findings: &mut Vec<Finding>) {
    let last = subject.last();
    let Verdict::Fp8(backend) = last.verdict else {
        return;
    };
    let decision = last
        .decision("fp8_backend")
        .map(|decision| &decision.origin);
    let named = decision
        .filter(|origin| is_said(origin))
        .or_else(|| of_llamafactory(subject, backend));
    let needed: &[Backend] = match named {
        Some(_) => &[backend],
        None => &BACKENDS,
    };
    let Some(line) = missing(subject, needed) else {
        return;
    };
    let decided = voices::decided(last).map(|(_, origin)| origin);
    let Some(at) = named.or(decided).filter(|origin| origin.place.is_some()) else {
        return;
    };
    let names: Vec<&str> = needed
        .iter()
        .map(|backend| distribution(*backend))
        .collect();
    let without =
        without(subject, needed).unwrap_or_else(|| "the run does not train in fp8".to_owned());
    let what = match names.as_slice() {
        [name] => format!("fp8 runs by {name}, which the project's dependencies do not name"),
        names => format!(
            "fp8 needs a backend, and the project's dependencies name none of {}",
            names.join(", ")
        ),
    };
    let message = format!("{what}: where it is not installed, {without}");
    let mut finding = RULE.finding(message, subject.label(at, "needs a package"));
    finding.key = subject.key(at);
    voices::add_line(subject, &mut finding, line, "dependencies are listed here");
    finding.related.extend(voices::command(subject));
    finding.help = Some(match names.as_slice() {
        [name] => {
            format!("add {name} to the dependencies, or declare it with --target installed={name}")
        }
        _ => "add torchao to the dependencies, or the backend that is meant".to_owned(),
    });
    findings.push(finding);
}

/// Whether somebody names the backend.
fn is_said(origin: &Origin) -> bool {
    !matches!(origin.voice, Voice::Default | Voice::Framework)
}

/// LLaMA-Factory's own `fp8_backend`, where it names this one.
fn of_llamafactory<'s>(subject: &'s Subject<'_>, backend: Backend) -> Option<&'s Origin> {
    let trainer = subject.run.trainer.as_ref()?;
    let spelling = match backend {
        Backend::Ao => "torchao",
        Backend::Te => "te",
        Backend::Msamp => "msamp",
    };
    match trainer.arguments.get("fp8_backend")? {
        Value::Known { value, origin } if trainer.framework == Framework::LlamaFactory => {
            (*value == Object::from(spelling)).then_some(origin)
        }
        _ => None,
    }
}

/// The line that lists dependencies, where none of these packages is among them.
fn missing<'s>(subject: &'s Subject<'_>, backends: &[Backend]) -> Option<&'s FileLine> {
    let mut lines = backends
        .iter()
        .map(|backend| subject.target.missing_in_project(backend.package()));
    let first = lines.next()??;
    lines.all(|line| line.is_some()).then_some(first)
}

/// What the same run comes to without these packages.
fn without(subject: &Subject<'_>, backends: &[Backend]) -> Option<String> {
    let mut run = subject.run.clone();
    run.machine.installed.retain(|installed| {
        let name = installed.split("==").next().unwrap_or_default();
        !backends.iter().any(|backend| backend.package() == name)
    });
    let lacking = Subject::new(
        &run,
        subject.facts,
        subject.target,
        subject.blocks,
        subject.files,
    );
    // What is raised with the package too is none of its absence.
    let exception = lacking
        .exceptions()
        .find(|exception| !subject.exceptions().any(|known| known == *exception))?;
    Some(format!(
        "{} raises {}",
        subject.version(),
        advice::shown(exception)
    ))
}

/// The name under which a backend is installed.
fn distribution(backend: Backend) -> &'static str {
    let package = knowledge::package(backend.package());
    let usual = package.and_then(|package| package.distributions.first().copied());
    usual.unwrap_or_else(|| backend.package())
}
