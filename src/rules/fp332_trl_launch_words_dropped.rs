//! FP332: words for accelerate's launcher that `trl` drops.

use crate::resolve::Ask;

use super::{
    AskedAndRuns, Confidence, Example, Finding, Rule, Severity, Subject, precision_that_runs,
    recipe_fp8, voices,
};
use crate::knowledge::trainers::LaunchWords;

pub(crate) static RULE: Rule = Rule {
    code: "FP332",
    name: "trl-launch-words-dropped",
    severity: Severity::Warning,
    confidence: Confidence::Certain,
    summary: "Words for accelerate's launcher that this version of `trl` does not hand over.",
    explanation: "\
`trl` starts its scripts by accelerate's launcher. From 0.18 to 0.28 what TRL's own configs do not know (`--accelerate_config`,
`--mixed_precision`, `--num_processes`, also as keys of the recipe) reaches that launcher under `trl sft` only; `dpo`, `grpo`,
`kto`, `reward` and `rloo` are launched with the parser's defaults, and the script ignores what it does not know
(trl/cli.py:main). Before 0.18 no command hands them over: 0.13 to 0.17 stop at words that they do not know, the older ones
give them to the script. From 0.29 on every command hands them over (trl/cli/commands/training.py). An error where fp8 is lost so.",
    examples: &[
        Example::fails(
            "the config is not handed over",
            "trl dpo --config recipe.yaml --accelerate_config accelerate.yaml\n",
        )
        .named("train.sh")
        .with(&[
            ("accelerate.yaml", "distributed_type: MULTI_GPU\nmixed_precision: bf16\nnum_processes: 8\n"),
            ("recipe.yaml", "model_name_or_path: org/model\ndataset_name: org/data\nmax_length: 2048\noutput_dir: out\nper_device_train_batch_size: 4\nnum_train_epochs: 1\n"),
            ("requirements.txt", "trl==0.24.0\n"),
        ]),
        Example::passes(
            "a version that hands it over",
            "trl dpo --config recipe.yaml --accelerate_config accelerate.yaml\n",
        )
        .named("train.sh")
        .with(&[
            ("accelerate.yaml", "distributed_type: MULTI_GPU\nmixed_precision: bf16\nnum_processes: 8\n"),
            ("recipe.yaml", "model_name_or_path: org/model\ndataset_name: org/data\nmax_length: 2048\noutput_dir: out\nper_device_train_batch_size: 4\nnum_train_epochs: 1\n"),
            ("requirements.txt", "trl==0.29.0\n"),
        ]),
        Example::passes(
            "the command that hands it over in all of them",
            "trl sft --config recipe.yaml --accelerate_config fsdp2\n",
        )
        .named("train.sh")
        .with(&[
            ("recipe.yaml", "model_name_or_path: org/model\ndataset_name: org/data\nmax_length: 2048\noutput_dir: out\nper_device_train_batch_size: 4\nnum_train_epochs: 1\n"),
            ("requirements.txt", "trl==0.24.0\n"),
        ]),
    ],
    check,
};

fn check(subject: &Subject<'_>, findings: &mut Vec<Finding>) {
    let (Some(command), Some(trainer)) = (&subject.run.command, &subject.run.trainer) else {
        return;
    };
    // The precision before the config, and that before the rest.
    let rank = |ask: &&Ask| match ask.origin.name.trim_start_matches('-') {
        "mixed_precision" => 0,
        "accelerate_config" | "config_file" => 1,
        _ => 2,
    };
    let Some(first) = command.dropped.iter().min_by_key(rank) else {
        return;
    };
    let names: Vec<String> = command
        .dropped
        .iter()
        .map(|ask| format!("`{}`", ask.origin.name))
        .collect();
    let program = command
        .text
        .split_whitespace()
        .take(2)
        .collect::<Vec<_>>()
        .join(" ");
    let message = format!(
        "`{program}` of {} does not hand {} to accelerate's launcher: the run, if it starts, is launched with \
         accelerate's default config",
        voices::trainer_version(trainer),
        names.join(", ")
    );
    let mut finding = RULE.finding(message, subject.label(&first.origin, "dropped"));
    finding.key = subject.key(&first.origin);
    for ask in command.dropped.iter().filter(|ask| *ask != first) {
        finding.related.push(subject.label(&ask.origin, "dropped"));
    }
    finding.notes.extend(recipe_fp8::pinned(subject, &["trl"]));
    finding.help = Some(format!(
        "use trl {}, or start the script by `accelerate launch` with these flags",
        LaunchWords::EveryCommand.versions()
    ));
    let is_precision = first.origin.name.trim_start_matches('-') == "mixed_precision";
    let asked = first.value.python_str();
    let runs = precision_that_runs(subject.last())
        .unwrap_or_else(|| "the precision of accelerate's default config".to_owned());
    if is_precision && asked == "fp8" && runs != "fp8" {
        finding.severity = Severity::Error;
        finding.outcome = Some(AskedAndRuns { asked, runs });
    }
    findings.push(finding);
}
