//! FP320: Transformer Engine trains in fp8, with none of the settings of `fp8_config`.

use crate::resolve::{Backend, Verdict};

use super::keeping::keeps_fp8;
use super::{AskedAndRuns, Confidence, Example, Finding, Label, Rule, Severity, Subject, voices};

pub(crate) static RULE: Rule = Rule {
    code: "FP320",
    name: "fp8-recipe-dropped",
    severity: Severity::Error,
    confidence: Confidence::Certain,
    summary: "The recipe's bf16 or fp16 turns fp8 off; Transformer Engine's layers stay in fp8, without the settings of `fp8_config`.",
    explanation: "\
The recipe has the last word over the precision, so that no recipe handler is created. `ACCELERATE_FP8_BACKEND=TE` stays in the
environment, and from accelerate 1.9.0 on `prepare_model` still converts the layers and enters fp8, with the defaults of
`DelayedScaling()` in place of what `fp8_config` says (accelerator.py:prepare_model,
utils/transformer_engine.py:apply_fp8_autowrap). The accelerator reports bf16.",
    examples: &[
        Example::fails(
            "format and history are lost",
            "accelerate launch --config_file accelerate.yaml train.py recipe.yaml\n",
        )
        .named("train.sh")
        .with(&[
            ("accelerate.yaml", "distributed_type: 'NO'\nmixed_precision: fp8\nfp8_config:\n  backend: TE\n  fp8_format: E4M3\n  amax_history_len: 32\n"),
            ("recipe.yaml", "output_dir: out\nper_device_train_batch_size: 4\nnum_train_epochs: 1\nlearning_rate: 0.00002\nbf16: true\n"),
        ]),
        Example::passes(
            "the recipe leaves the precision to the launch",
            "accelerate launch --config_file accelerate.yaml train.py recipe.yaml\n",
        )
        .named("train.sh")
        .with(&[
            ("accelerate.yaml", "distributed_type: 'NO'\nmixed_precision: fp8\nfp8_config:\n  backend: TE\n  fp8_format: E4M3\n  amax_history_len: 32\n"),
            ("recipe.yaml", "output_dir: out\nper_device_train_batch_size: 4\nnum_train_epochs: 1\nlearning_rate: 0.00002\n"),
        ]),
    ],
    check,
};

fn check(subject: &Subject<'_>, findings: &mut Vec<Finding>) {
    let last = subject.last();
    let Some((decided, decider)) = voices::decided(last) else {
        return;
    };
    if last.verdict != Verdict::Fp8(Backend::Te)
        || decided == "fp8"
        || !voices::is_of_trainer(decider)
    {
        return;
    }
    let message = format!(
        "fp8 is turned off by {}; {} still trains in fp8 by TE, with default settings in place of `fp8_config`'s, and \
         reports {decided}",
        voices::named(subject, decider),
        voices::versions(subject)
    );
    let mut finding = RULE.finding(message, subject.label(decider, "turns fp8 off"));
    finding.key = subject.key(decider);
    if let Some(place) = subject.top("fp8_config") {
        finding.related.push(Label::key(
            &place,
            "nothing of this but the backend has an effect",
        ));
    }
    let asked = voices::launched(subject, last);
    let others = voices::others(
        subject,
        asked.as_ref().map(|asked| &asked.origin),
        &finding.primary,
    );
    finding.related.extend(others);
    if let Some(keeping) = keeps_fp8(subject) {
        keeping.advise(subject, &mut finding);
    }
    finding.outcome = Some(AskedAndRuns {
        asked: "fp8 by the recipe of `fp8_config`".to_owned(),
        runs: "fp8 by TE's default recipe".to_owned(),
    });
    voices::doubt_what_is_not_written(subject, &mut finding, Some(decider));
    findings.push(finding);
}
