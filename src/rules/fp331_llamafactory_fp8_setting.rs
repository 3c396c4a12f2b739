//! FP331: settings of LLaMA-Factory's fp8 that nothing reads.

use crate::formats::recipe::Framework;
use crate::knowledge::AoAllGatherDefault;
use crate::knowledge::trainers::{LlamaFactory, LlamaFactoryFp8};
use crate::resolve::{Argued, Backend, Trainer, Verdict};

use super::{Confidence, Example, Finding, Rule, Severity, Subject, mend, recipe_fp8, voices};

pub(crate) static RULE: Rule = Rule {
    code: "FP331",
    name: "llamafactory-fp8-setting",
    severity: Severity::Warning,
    confidence: Confidence::Certain,
    summary: "`fp8_backend` or the all-gather of LLaMA-Factory is set, and something else happens.",
    explanation: "\
LLaMA-Factory hands `fp8_backend` and `fp8_enable_fsdp_float8_all_gather` on as `FP8_BACKEND` and
`FP8_ENABLE_FSDP_FLOAT8_ALL_GATHER`, which nothing reads: accelerate's variables begin with `ACCELERATE_`
(llamafactory/train/fp8_utils.py:configure_fp8_environment). Only `te` has a code path of its own; with every other value
accelerate takes the backend that it finds, torchao first. The all-gather without `fp8: true` turns nothing on, although a
warning says that it sets fp8 (llamafactory/hparams/parser.py:get_train_args).",
    examples: &[
        Example::fails(
            "MS-AMP is named, torchao trains",
            "stage: sft\ndo_train: true\nfinetuning_type: full\nmodel_name_or_path: org/model\ndataset: demo\ntemplate: default\nbf16: true\nfp8: true\nfp8_backend: msamp\n",
        )
        .named("sft.yaml")
        .with(&[("requirements.txt", "llamafactory==0.9.5\ntransformers==4.57.6\naccelerate==1.11.0\ntorchao==0.14.1\n")]),
        Example::fails(
            "the all-gather turns no fp8 on",
            "stage: sft\ndo_train: true\nfinetuning_type: full\nmodel_name_or_path: org/model\ndataset: demo\ntemplate: default\nbf16: true\nfp8_enable_fsdp_float8_all_gather: true\n",
        )
        .named("sft.yaml"),
        Example::passes(
            "torchao is named, and trains",
            "stage: sft\ndo_train: true\nfinetuning_type: full\nmodel_name_or_path: org/model\ndataset: demo\ntemplate: default\nbf16: true\nfp8: true\nfp8_backend: torchao\n",
        )
        .named("sft.yaml")
        .with(&[("requirements.txt", "llamafactory==0.9.5\ntransformers==4.57.6\naccelerate==1.11.0\ntorchao==0.14.1\n")]),
    ],
    check,
};

/// What the values of `fp8_backend` mean.
const BACKENDS: [(&str, Backend); 3] = [
    ("torchao", Backend::Ao),
    ("te", Backend::Te),
    ("msamp", Backend::Msamp),
];

fn check(subject: &Subject<'_>, findings: &mut Vec<Finding>) {
    let trainer = subject.run.trainer.as_ref();
    let Some(trainer) = trainer.filter(|trainer| trainer.framework == Framework::LlamaFactory)
    else {
        return;
    };
    let is_fp8 = recipe_fp8::asked(trainer).is_some();
    let runs = match &subject.last().verdict {
        Verdict::Fp8(backend) if is_fp8 => Some(*backend),
        _ => None,
    };
    if let (Some(named), Some(runs)) = (trainer.known("fp8_backend"), runs) {
        findings.extend(of_backend(subject, trainer, named, runs));
    }
    let Some(said) = trainer.known("fp8_enable_fsdp_float8_all_gather") else {
        return;
    };
    match runs {
        Some(Backend::Ao) => findings.extend(of_all_gather(subject, trainer, said)),
        Some(_) => {}
        None if !is_fp8 && said.value.truthy() => {
            findings.extend(of_all_gather_alone(subject, trainer, said))
        }
        None => {}
    }
}

fn of_backend(
    subject: &Subject<'_>,
    trainer: &Trainer,
    named: Argued<'_>,
    runs: Backend,
) -> Option<Finding> {
    let text = named.text();
    let (_, meant) = BACKENDS.iter().find(|(name, _)| *name == text)?;
    let message = format!(
        "fp8_backend: {text} has no effect: {} sets a variable that {} never reads, and the run trains by {runs}",
        voices::trainer_version(trainer),
        subject.version()
    );
    let help = "remove the key, or write fp8_backend: te for Transformer Engine";
    (*meant != runs).then(|| finding(subject, named, message, help))
}

/// The all-gather of fp8 training under FSDP2, where it is other than what accelerate does by itself.
fn of_all_gather(subject: &Subject<'_>, trainer: &Trainer, said: Argued<'_>) -> Option<Finding> {
    let is_on = subject.facts.behaviours.ao_all_gather_default == AoAllGatherDefault::On;
    let version = subject.last().decision("fsdp_version")?;
    let message = format!(
        "fp8_enable_fsdp_float8_all_gather: {} has no effect: {} sets a variable that {} never reads, and the all-gather is {}",
        said.value.truthy(),
        voices::trainer_version(trainer),
        subject.version(),
        if is_on { "on" } else { "off" }
    );
    let help = "remove the key, or set ACCELERATE_FP8_ENABLE_FSDP_FLOAT8_ALL_GATHER where the run is launched";
    (version.value == "2" && said.value.truthy() != is_on)
        .then(|| finding(subject, said, message, help))
}

/// The all-gather without fp8.
fn of_all_gather_alone(
    subject: &Subject<'_>,
    trainer: &Trainer,
    said: Argued<'_>,
) -> Option<Finding> {
    let is_known = LlamaFactory::of(&trainer.version)?.fp8 != LlamaFactoryFp8::Unknown;
    if !is_known || subject.run.unknown.is_some() {
        return None;
    }
    let message = format!(
        "fp8_enable_fsdp_float8_all_gather: true without fp8: true turns nothing on: {} warns that it sets fp8, and no trainer \
         sees it",
        voices::trainer_version(trainer)
    );
    let mut finding = finding(subject, said, message, "write fp8: true, or remove the key");
    finding.confidence = Confidence::Likely;
    Some(finding)
}

fn finding(subject: &Subject<'_>, said: Argued<'_>, message: String, help: &str) -> Finding {
    let mut finding = RULE.finding(message, subject.label(said.origin, "without effect"));
    finding.key = subject.key(said.origin);
    finding.related.extend(voices::command(subject));
    finding.help = Some(help.to_owned());
    finding.fixes.extend(mend::drop_key(said.origin, false));
    finding
}
