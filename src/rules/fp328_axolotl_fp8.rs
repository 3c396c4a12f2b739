//! FP328: axolotl's `fp8: true`, and the run does not train in fp8.

use crate::formats::recipe::Framework;
use crate::knowledge::trainers::{Axolotl, AxolotlFp8};
use crate::resolve::axolotl_other_trainer;

use super::keeping::keeps_fp8;
use super::{
    AskedAndRuns, Confidence, Example, Finding, Rule, Severity, Subject, advice, recipe_fp8, voices,
};

pub(crate) static RULE: Rule = Rule {
    code: "FP328",
    name: "axolotl-fp8",
    severity: Severity::Error,
    confidence: Confidence::Certain,
    summary: "`fp8: true` of axolotl is without effect in this version or with this trainer.",
    explanation: "\
axolotl makes the Trainer pass fp8 with a torchao recipe where the trainer has `additional_accelerator_args`
(axolotl/core/trainers/base.py, monkeypatch/trainer_accelerator_args.py): those for fine-tuning and pretraining. The trainers for
`rl` (dpo, grpo, kto, orpo, …) and for reward models have none; for them fp8 is only in the environment, and `bf16`, which is
`auto` where nobody writes it, has the last word in `TrainingArguments`. Before 0.8.1 there is no such key, and unknown keys are
ignored.",
    examples: &[
        Example::fails(
            "a trainer for rl, and bf16 on by default",
            "base_model: org/model\ndatasets:\n  - path: org/data\n    type: chatml.intel\nmicro_batch_size: 16\nrl: dpo\nfp8: true\n",
        )
        .named("dpo.yml")
        .with(&[("requirements.txt", "axolotl==0.19.0\n")]),
        Example::passes(
            "the same with bf16 off",
            "base_model: org/model\ndatasets:\n  - path: org/data\n    type: chatml.intel\nmicro_batch_size: 16\nrl: dpo\nbf16: false\nfp8: true\n",
        )
        .named("dpo.yml")
        .with(&[("requirements.txt", "axolotl==0.18.0\ntransformers==5.2.0\naccelerate==1.12.0\n")]),
        Example::passes(
            "fine-tuning",
            "axolotl train sft.yml\n",
        )
        .named("train.sh")
        .with(&[
            ("sft.yml", "base_model: org/model\ndatasets:\n  - path: org/data\n    type: alpaca\nmicro_batch_size: 16\nbf16: true\nfp8: true\n"),
            ("requirements.txt", "axolotl==0.18.0\ntransformers==5.2.0\naccelerate==1.12.0\n"),
        ]),
    ],
    check,
};

fn check(subject: &Subject<'_>, findings: &mut Vec<Finding>) {
    let Some(trainer) = subject
        .run
        .trainer
        .as_ref()
        .filter(|trainer| trainer.framework == Framework::Axolotl)
    else {
        return;
    };
    let (Some(fp8), Some(runs)) = (recipe_fp8::asked(trainer), recipe_fp8::lost(subject)) else {
        return;
    };
    let is_known =
        Axolotl::of(&trainer.version).is_some_and(|axolotl| axolotl.fp8 != AxolotlFp8::Unknown);
    let other = axolotl_other_trainer(trainer);
    let why = match (is_known, &other) {
        (false, _) => "it has no key `fp8` yet, and ignores it".to_owned(),
        (true, Some((name, origin))) => {
            let decider =
                voices::decided(subject.last()).map(|(_, decider)| voices::named(subject, decider));
            let decider = decider.unwrap_or_else(|| origin.name.clone());
            format!("the trainer for `{name}` is not told of fp8, and {decider} has the last word")
        }
        (true, None) => format!("{} makes no fp8 layers of it", subject.version()),
    };
    let message = format!(
        "fp8 is asked for, and {} trains in {runs}, without an error: {why}",
        voices::versions(subject)
    );
    let mut finding = RULE.finding(message, subject.label(&fp8, "without effect"));
    finding.key = subject.key(&fp8);
    if let Some((_, origin)) = other.as_ref().filter(|_| is_known) {
        finding
            .related
            .push(subject.label(origin, "this chooses a trainer that is not told of it"));
    }
    if let Some(bf16) = trainer.origin("bf16").filter(|bf16| bf16.place.is_some()) {
        finding
            .related
            .push(subject.label(bf16, "what is trained in instead"));
    }
    finding
        .related
        .extend(voices::others(subject, None, &finding.primary));
    finding.help = Some(
        match (
            is_known,
            other.is_some(),
            advice::trains_in_fp8_from(subject),
        ) {
            (false, ..) => format!("use axolotl {}", AxolotlFp8::Torchao.versions()),
            (true, true, _) => keeps_fp8(subject)
                .map(|keeping| keeping.help)
                .unwrap_or_else(|| "remove fp8: this trainer cannot be told of it".to_owned()),
            (true, false, Some(version)) => format!("use accelerate {version} or newer"),
            (true, false, None) => "remove fp8".to_owned(),
        },
    );
    if !is_known {
        finding.confidence = Confidence::Likely;
        finding
            .notes
            .extend(recipe_fp8::pinned(subject, &["axolotl"]));
    } else if other.is_none() {
        finding
            .notes
            .extend(recipe_fp8::pinned(subject, &["accelerate"]));
    }
    finding.outcome = Some(AskedAndRuns {
        asked: "fp8".to_owned(),
        runs,
    });
    findings.push(finding);
}
