//! FP323: every launch command around a config reads none.

use crate::resolve::Launcher;

use super::{AskedAndRuns, Confidence, Example, Finding, Label, Rule, Severity, Subject};

pub(crate) static RULE: Rule = Rule {
    code: "FP323",
    name: "config-not-read",
    severity: Severity::Error,
    confidence: Confidence::Likely,
    summary: "An accelerate config asks for a precision, and every launch command around it is one that reads no such config.",
    explanation: "\
Only `accelerate launch` turns the config into the variables that `Accelerator()` reads (accelerate, commands/launch.py);
torchrun, `python`, the `deepspeed` launcher, `llamafactory-cli` and `swift` never look at it. Likely, because the script may
ask for the precision in its own code, which is not read. Reported where no command in the config's project (the nearest
folder above it that has launch commands) is `accelerate launch`. An error for fp8; for bf16 and fp16 a warning, where it is
known that another precision runs.",
    examples: &[
        Example::fails("torchrun", "torchrun --nproc_per_node 8 train.py\n")
            .named("train.sh")
            .with(&[("accelerate.yaml", "distributed_type: 'NO'\nmixed_precision: fp8\n")]),
        Example::passes("one command reads it", "torchrun --nproc_per_node 8 eval.py\naccelerate launch --config_file accelerate.yaml train.py\n")
            .named("train.sh")
            .with(&[("accelerate.yaml", "distributed_type: 'NO'\nmixed_precision: fp8\nfp8_config:\n  backend: AO\n")]),
        Example::passes("the recipe asks for it too", "torchrun --nproc_per_node 8 train.py recipe.yaml\n")
            .named("train.sh")
            .with(&[
                ("accelerate.yaml", "distributed_type: 'NO'\nmixed_precision: bf16\n"),
                ("recipe.yaml", "output_dir: out\nper_device_train_batch_size: 4\nnum_train_epochs: 1\nlearning_rate: 0.00002\nbf16: true\n"),
            ]),
    ],
    check,
};

/// How many commands are named beside the first.
const NAMED_BESIDE: usize = 3;

fn check(subject: &Subject<'_>, findings: &mut Vec<Finding>) {
    let (Some(asked), Some(place)) = (subject.precision(), subject.top("mixed_precision")) else {
        return;
    };
    let is_lost = |precision: Option<&String>| match (asked.as_str(), precision) {
        ("fp8", None) => true,
        ("fp8" | "bf16" | "fp16", Some(precision)) => *precision != asked,
        _ => false,
    };
    let mut losing = subject
        .run
        .bypassed
        .iter()
        .filter(|bypass| is_lost(bypass.precision.as_ref()));
    let Some(first) = losing.next() else { return };
    let runs = first.precision.clone().unwrap_or_else(|| {
        "what its code says, and without that no mixed precision (fp32)".to_owned()
    });
    let message = format!(
        "`{}` reads no accelerate config: {asked}, which {} asks for, does not reach the run, which trains in {runs}",
        program(&first.command.text),
        place.file.path
    );
    let mut finding = RULE.finding(
        message,
        Label::value(&first.command.program, "reads no accelerate config"),
    );
    finding.key.route.clone_from(&first.command.place.route);
    finding.related.push(Label::value(&place, "asked for here"));
    let others: Vec<_> = losing.collect();
    for other in others.iter().take(NAMED_BESIDE) {
        finding
            .related
            .push(Label::value(&other.command.program, "nor does this"));
    }
    if let Some(more) = others
        .len()
        .checked_sub(NAMED_BESIDE)
        .filter(|more| *more > 0)
    {
        finding.notes.push(format!("and {more} more commands"));
    }
    if asked != "fp8" {
        finding.severity = Severity::Warning;
    }
    finding.help = Some(format!(
        "start it with {} --config_file {}",
        Launcher::Accelerate.as_str(),
        place.file.path
    ));
    finding.outcome = Some(AskedAndRuns { asked, runs });
    findings.push(finding);
}

/// The words that name the program.
fn program(text: &str) -> String {
    let mut words = text.split(' ');
    let first = words.next().unwrap_or_default();
    let is_alone = matches!(first, "torchrun" | "deepspeed" | "python");
    let second = words.next().filter(|_| !is_alone);
    [Some(first), second]
        .into_iter()
        .flatten()
        .collect::<Vec<_>>()
        .join(" ")
}
