//! FP331: settings of LLaMA-Factory's fp8 that nothing reads.

use crate::formats::recipe::Framework;
use crate::knowledge::trainers::{LlamaFactory, LlamaFactoryFp8};
use crate::resolve::{Backend, Verdict};

use super::{Confidence, Example, Finding, Rule, Severity, Subject, recipe_fp8, voices};

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
    let Some(trainer) = subject
        .run
        .trainer
        .as_ref()
        .filter(|trainer| trainer.framework == Framework::LlamaFactory)
    else {
        return;
    };
    let version = voices::trainer_version(trainer);
    if let (Some(named), Verdict::Fp8(runs), true) = (
        trainer.known("fp8_backend"),
        &subject.last().verdict,
        recipe_fp8::asked(trainer).is_some(),
    ) {
        let text = named.text();
        let meant = BACKENDS
            .iter()
            .find(|(name, _)| *name == text)
            .map(|(_, backend)| backend);
        if meant.is_some_and(|meant| meant != runs) {
            let message = format!(
                "fp8_backend: {text} has no effect: {version} sets a variable that {} never reads, and the run trains by {runs}",
                subject.version()
            );
            let mut finding = RULE.finding(message, subject.label(named.origin, "not read"));
            finding.key = subject.key(named.origin);
            finding.related.extend(voices::command(subject));
            finding.help =
                Some("remove the key, or write fp8_backend: te for Transformer Engine".to_owned());
            findings.push(finding);
        }
    }
    let knows = LlamaFactory::of(&trainer.version)
        .is_some_and(|known| known.fp8 != LlamaFactoryFp8::Unknown);
    let all_gather = trainer
        .known("fp8_enable_fsdp_float8_all_gather")
        .filter(|said| said.value.truthy());
    let is_fp8 = trainer
        .origin("fp8")
        .is_some_and(|_| recipe_fp8::asked(trainer).is_some());
    if let Some(said) = all_gather.filter(|_| knows && !is_fp8 && subject.run.unknown.is_none()) {
        let message = format!(
            "fp8_enable_fsdp_float8_all_gather: true without fp8: true turns nothing on: {version} warns that it sets fp8, and \
             no trainer sees it"
        );
        let mut finding = RULE.finding(message, subject.label(said.origin, "without effect"));
        finding.key = subject.key(said.origin);
        finding.confidence = Confidence::Likely;
        finding.related.extend(voices::command(subject));
        finding.help = Some("write fp8: true, or remove the key".to_owned());
        findings.push(finding);
    }
}
