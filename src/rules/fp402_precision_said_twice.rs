//! FP402: bf16 and fp16 in two places of one launch.

use crate::resolve::{Ask, Voice};
use crate::source::Object;

use super::{
    AskedAndRuns, Confidence, Example, Finding, Rule, Severity, Subject, precision_that_runs,
    voices,
};

pub(crate) static RULE: Rule = Rule {
    code: "FP402",
    name: "precision-said-twice",
    severity: Severity::Note,
    confidence: Confidence::Certain,
    summary: "One place of the launch says bf16 and another fp16; the stronger one trains.",
    explanation: "\
A flag `--mixed_precision` wins over the config file, and both win over `ACCELERATE_MIXED_PRECISION` of the shell, which the
launcher overwrites (accelerate, commands/launch.py:_validate_launch_command, utils/launch.py). A flag over a shared config
may well be meant, so this is a note. `no` in a config is no precision, and nothing is said of it; where fp8 is lost, FP321
tells, and where a recipe decides, FP319.",
    examples: &[
        Example::fails(
            "the flag says fp16, the config bf16",
            "accelerate launch --config_file accelerate.yaml --mixed_precision fp16 train.py\n",
        )
        .named("train.sh")
        .with(&[("accelerate.yaml", "distributed_type: 'NO'\nmixed_precision: bf16\n")]),
        Example::fails(
            "the variable is overwritten",
            "export ACCELERATE_MIXED_PRECISION=fp16\naccelerate launch --config_file accelerate.yaml train.py\n",
        )
        .named("train.sh")
        .with(&[("accelerate.yaml", "distributed_type: 'NO'\nmixed_precision: bf16\n")]),
        Example::passes(
            "the config says none",
            "accelerate launch --config_file accelerate.yaml --mixed_precision bf16 train.py\n",
        )
        .named("train.sh")
        .with(&[("accelerate.yaml", "distributed_type: 'NO'\nmixed_precision: 'no'\n")]),
        Example::passes(
            "no in the config beside bf16 in the recipe",
            "accelerate launch --config_file accelerate.yaml train.py recipe.yaml\n",
        )
        .named("train.sh")
        .with(&[
            ("accelerate.yaml", "distributed_type: 'NO'\nmixed_precision: 'no'\n"),
            ("recipe.yaml", "output_dir: out\nper_device_train_batch_size: 4\nnum_train_epochs: 1\nlearning_rate: 0.00002\nbf16: true\n"),
        ]),
    ],
    check,
};

fn check(subject: &Subject<'_>, findings: &mut Vec<Finding>) {
    let last = subject.last();
    let (Some((decided, decider)), Some(runs)) = (voices::decided(last), precision_that_runs(last))
    else {
        return;
    };
    let is_of_launch = matches!(decider.voice, Voice::Flag | Voice::ConfigKey);
    if subject.run.command.is_none() || !is_of_launch {
        return;
    }
    let Some(other) = subject
        .asks
        .iter()
        .find(|ask| is_weaker(ask, decider.voice, decided))
    else {
        return;
    };
    let message = format!(
        "{} is said by {} and {decided} by {}: {} trains in {runs}",
        other.value.python_str(),
        voices::named(subject, &other.origin),
        voices::named(subject, decider),
        subject.version()
    );
    let mut finding = RULE.finding(message, subject.label(&other.origin, "has no effect"));
    finding.key = subject.key(&other.origin);
    if decider.place.is_some() {
        finding.related.push(subject.label(decider, "this decides"));
    }
    finding.related.extend(voices::command(subject));
    finding.help = Some("say the same in both places, or only in one".to_owned());
    finding.outcome = Some(AskedAndRuns {
        asked: decided.to_owned(),
        runs,
    });
    findings.push(finding);
}

/// Whether this asks for the other one of bf16 and fp16, and gives way to what decides.
fn is_weaker(ask: &Ask, decider: Voice, decided: &str) -> bool {
    let gives_way = match ask.origin.voice {
        Voice::ConfigKey => decider == Voice::Flag && ask.origin.name == "mixed_precision",
        Voice::Environment => ask.origin.name == "ACCELERATE_MIXED_PRECISION",
        _ => false,
    };
    let other = match decided {
        "bf16" => "fp16",
        "fp16" => "bf16",
        _ => return false,
    };
    gives_way && matches!(&ask.value, Object::Str(text) if text.eq_ignore_ascii_case(other))
}
