//! FP321: a flag or a variable takes the place of the config's fp8.

use crate::resolve::{Ask, Origin, Voice};
use crate::source::Object;

use super::{
    AskedAndRuns, Confidence, Example, Finding, Rule, Severity, Subject, precision_that_runs,
    voices,
};

pub(crate) static RULE: Rule = Rule {
    code: "FP321",
    name: "flag-beats-config",
    severity: Severity::Error,
    confidence: Confidence::Certain,
    summary: "fp8 is asked for in one place of the launch, and another place of it wins.",
    explanation: "\
A flag `--mixed_precision` wins over the config file, and both win over `ACCELERATE_MIXED_PRECISION` of the shell, which the
launcher overwrites even where nobody says anything (accelerate, commands/launch.py:_validate_launch_command,
utils/launch.py). With another precision than fp8 the whole of `fp8_config` is dropped too. Only fp8 that is lost is
reported; of bf16 and fp16, FP402 takes note.",
    examples: &[
        Example::fails(
            "the flag wins",
            "accelerate launch --config_file accelerate.yaml --mixed_precision bf16 train.py\n",
        )
        .named("train.sh")
        .with(&[("accelerate.yaml", "distributed_type: 'NO'\nmixed_precision: fp8\nfp8_config:\n  backend: AO\n")]),
        Example::fails(
            "the launcher overwrites the variable",
            "export ACCELERATE_MIXED_PRECISION=fp8\naccelerate launch --config_file accelerate.yaml train.py\n",
        )
        .named("train.sh")
        .with(&[("accelerate.yaml", "distributed_type: 'NO'\nmixed_precision: bf16\n")]),
        Example::passes(
            "the flag says the same",
            "accelerate launch --config_file accelerate.yaml --mixed_precision fp8 train.py\n",
        )
        .named("train.sh")
        .with(&[("accelerate.yaml", "distributed_type: 'NO'\nmixed_precision: fp8\nfp8_config:\n  backend: AO\n")]),
    ],
    check,
};

fn check(subject: &Subject<'_>, findings: &mut Vec<Finding>) {
    let last = subject.last();
    let launch = last
        .launch
        .as_ref()
        .filter(|launch| launch.launcher.is_some());
    let environment = launch.map(|launch| &launch.environment);
    let Some(launched) = environment.and_then(|set| set.get("ACCELERATE_MIXED_PRECISION")) else {
        return;
    };
    let decider = &launched.origin;
    let Some(lost) = lost(subject, decider).filter(|_| launched.value != "fp8") else {
        return;
    };
    // A recipe that asks for fp8 itself has the last word all the same.
    let Some(runs) = precision_that_runs(last).filter(|runs| runs != "fp8") else {
        return;
    };
    if subject.run.command.is_none() {
        return;
    }
    let message = format!(
        "fp8 is asked for by {}, and {} trains in {runs}, without a message: {} wins",
        voices::named(subject, &lost.origin),
        subject.version(),
        winner(subject, decider)
    );
    // An overwritten variable is itself what has no effect.
    let (at, label) = match (decider.place.is_some(), lost.origin.voice) {
        (true, Voice::ConfigKey) => (decider, "this decides"),
        _ => (&lost.origin, "has no effect"),
    };
    let mut finding = RULE.finding(message, subject.label(at, label));
    finding.key = subject.key(at);
    if lost.origin.voice != Voice::ConfigKey && decider.place.is_some() {
        finding.related.push(subject.label(decider, "this decides"));
    }
    let others = voices::others(subject, Some(&lost.origin), &finding.primary);
    finding.related.extend(others);
    if let Some((_, last_word)) = voices::decided(last)
        && voices::is_of_trainer(last_word)
    {
        finding
            .related
            .push(subject.label(last_word, "the recipe does not say fp8 either"));
    }
    finding.help = Some(match lost.origin.voice {
        Voice::ConfigKey => format!("drop `{}`, or write fp8 there", decider.name),
        _ => "write mixed_precision: fp8 in the config, or give --mixed_precision fp8".to_owned(),
    });
    finding.outcome = Some(AskedAndRuns {
        asked: "fp8".to_owned(),
        runs,
    });
    findings.push(finding);
}

/// The place of the launch that asks for fp8 and is overruled by another place of it.
fn lost<'s>(subject: &'s Subject<'_>, launched: &Origin) -> Option<&'s Ask> {
    let asks_fp8 = |ask: &&Ask| {
        let is_text = matches!(&ask.value, Object::Str(text) if text.eq_ignore_ascii_case("fp8"));
        let is_meant = match ask.origin.voice {
            // In one file, other rules tell who wins.
            Voice::ConfigKey => {
                ask.origin.name == "mixed_precision" && launched.voice == Voice::Flag
            }
            Voice::Environment => ask.origin.name == "ACCELERATE_MIXED_PRECISION",
            _ => false,
        };
        is_text && is_meant && ask.origin != *launched
    };
    subject.asks.iter().find(asks_fp8)
}

fn winner(subject: &Subject<'_>, decider: &Origin) -> String {
    match decider.voice {
        Voice::Default => "the launcher's own default".to_owned(),
        _ => voices::named(subject, decider),
    }
}
