//! FP207: the recipe turns fp8 off, and the fp8 backend stays.

use crate::resolve::Cause;

use super::keeping::keeps_fp8;
use super::{Confidence, Example, Finding, Rule, Severity, Subject, advice, voices};

pub(crate) static RULE: Rule = Rule {
    code: "FP207",
    name: "fp8-backend-left-behind",
    severity: Severity::Error,
    confidence: Confidence::Certain,
    summary: "The recipe's bf16 or fp16 turns fp8 off, and the backend of `fp8_config` is prepared all the same.",
    explanation: "\
The recipe has the last word over the precision, but `ACCELERATE_FP8_BACKEND` stays in the environment, and from accelerate
1.9.0 on `Accelerator.fp8_backend` falls back to it: `prepare()` converts the model for a recipe handler that was never
created, and raises (accelerator.py:Accelerator.fp8_backend, _prepare_ao, _prepare_msamp). Before 1.9.0 the run trains in
bf16 without a message.",
    examples: &[
        Example::fails(
            "torchao stays behind",
            "accelerate launch --config_file accelerate.yaml train.py recipe.yaml\n",
        )
        .named("train.sh")
        .with(&[
            ("accelerate.yaml", "distributed_type: 'NO'\nmixed_precision: fp8\nfp8_config:\n  backend: AO\n"),
            ("recipe.yaml", "output_dir: out\nper_device_train_batch_size: 4\nnum_train_epochs: 1\nlearning_rate: 0.00002\nsave_strategy: 'no'\nbf16: true\n"),
        ]),
        Example::passes(
            "the recipe leaves the precision to the launch",
            "accelerate launch --config_file accelerate.yaml train.py recipe.yaml\n",
        )
        .named("train.sh")
        .with(&[
            ("accelerate.yaml", "distributed_type: 'NO'\nmixed_precision: fp8\nfp8_config:\n  backend: AO\n"),
            ("recipe.yaml", "output_dir: out\nper_device_train_batch_size: 4\nnum_train_epochs: 1\nlearning_rate: 0.00002\nsave_strategy: 'no'\n"),
        ]),
    ],
    check,
};

fn check(subject: &Subject<'_>, findings: &mut Vec<Finding>) {
    for exception in subject.caused_by(&[Cause::BackendWithoutFp8]) {
        let Some(decider) = exception
            .origins
            .first()
            .filter(|origin| voices::is_of_trainer(origin))
        else {
            continue;
        };
        let message = format!(
            "fp8 is turned off by {}, but its backend is still prepared: {} raises in `accelerator.prepare()`: {}",
            voices::named(subject, decider),
            voices::versions(subject),
            advice::shown(exception)
        );
        let mut finding = RULE.finding(message, subject.label(decider, "turns fp8 off"));
        finding.key = subject.key(decider);
        let others = exception.origins.iter().skip(1);
        finding
            .related
            .extend(subject.labels(others, "is prepared all the same"));
        let asked = voices::launched(subject, &subject.outcome);
        let others = voices::others(
            subject,
            asked.as_ref().map(|asked| &asked.origin),
            &finding.primary,
        );
        finding.related.extend(others);
        if let Some(keeping) = keeps_fp8(subject) {
            keeping.advise(subject, &mut finding);
        }
        finding.outcome = Some(subject.asked_and_runs("fp8", &subject.outcome));
        voices::doubt_what_is_not_written(subject, &mut finding, Some(decider));
        findings.push(finding);
    }
}
