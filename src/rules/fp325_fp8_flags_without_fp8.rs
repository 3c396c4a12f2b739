//! FP325: flags about fp8 in a launch that does not ask for fp8.

use crate::resolve::Launcher;

use super::{Confidence, Example, Finding, Rule, Severity, Subject, voices};

pub(crate) static RULE: Rule = Rule {
    code: "FP325",
    name: "fp8-flags-without-fp8",
    severity: Severity::Warning,
    confidence: Confidence::Certain,
    summary: "`--fp8_…` flags in a launch without fp8: nothing of them reaches the run.",
    explanation: "\
The launcher exports the recipe only where `mixed_precision` is fp8 (accelerate, utils/launch.py:
prepare_simple_launcher_cmd_env, prepare_multi_gpu_env). Beside another precision, or none, the flags are dropped without a
message.",
    examples: &[
        Example::fails("beside bf16", "accelerate launch --num_processes 1 --mixed_precision bf16 --fp8_format E4M3 train.py\n")
            .named("train.sh")
            .with(&[]),
        Example::fails("the config says bf16", "accelerate launch --config_file accelerate.yaml --fp8_format E4M3 train.py\n")
            .named("train.sh")
            .with(&[("accelerate.yaml", "distributed_type: 'NO'\nmixed_precision: bf16\n")]),
        Example::passes("beside fp8", "accelerate launch --config_file accelerate.yaml --fp8_format E4M3 train.py\n")
            .named("train.sh")
            .with(&[("accelerate.yaml", "distributed_type: 'NO'\nmixed_precision: fp8\nfp8_config:\n  backend: TE\n")]),
    ],
    check,
};

fn check(subject: &Subject<'_>, findings: &mut Vec<Finding>) {
    let last = subject.last();
    let launch = last
        .launch
        .as_ref()
        .filter(|launch| launch.launcher.is_some());
    let (Some(launch), Launcher::Accelerate) = (launch, subject.run.launcher) else {
        return;
    };
    let decided = launch.environment.get("ACCELERATE_MIXED_PRECISION");
    let Some(decided) = decided.filter(|decided| decided.value != "fp8") else {
        return;
    };
    let is_fp8 = |text: &str| text.replace('-', "_").starts_with("__fp8_");
    let mut words = subject.run.flags.iter().filter(|word| is_fp8(&word.text));
    let Some((word, place)) = words.find_map(|word| Some((word, word.place.as_ref()?))) else {
        return;
    };
    let message = format!(
        "`{}` has no effect in {}: the launch asks for {}, not for fp8",
        word.text,
        subject.version(),
        decided.value
    );
    let mut finding = RULE.finding(message, super::Label::value(place, "read only beside fp8"));
    finding.key.route.clone_from(&place.route);
    if decided.origin.place.is_some() {
        finding
            .related
            .push(subject.label(&decided.origin, "this decides"));
    } else {
        finding
            .notes
            .push("no `mixed_precision` is said, which counts as 'no'".to_owned());
    }
    finding.related.extend(voices::command(subject));
    finding.help =
        Some("add --mixed_precision fp8 if fp8 is meant, else remove the flag".to_owned());
    findings.push(finding);
}
