//! FP906: it cannot be told what a config comes to.

use crate::resolve::Verdict;

use super::{Confidence, Example, Finding, Label, Rule, Severity, Subject};

pub(crate) static RULE: Rule = Rule {
    code: "FP906",
    name: "not-followed",
    severity: Severity::Note,
    confidence: Confidence::Certain,
    summary: "It cannot be told what this config comes to.",
    explanation: "\
The run was followed up to a step that depends on something which is not at hand: a DeepSpeed config that is not in the
repository (looked for from the current folder down to the config's own), the MPI that is installed, a value too large to
follow. The rules have judged what was seen until there. accelerate reads the DeepSpeed file in
utils/deepspeed.py:HfDeepSpeedConfig.",
    examples: &[
        Example::fails(
            "the DeepSpeed config is not there",
            "distributed_type: DEEPSPEED\nnum_processes: 8\ndeepspeed_config:\n  deepspeed_config_file: ds.json\n",
        ),
        Example::passes(
            "all is said in the file",
            "distributed_type: DEEPSPEED\nmixed_precision: bf16\nnum_processes: 8\ndeepspeed_config:\n  zero_stage: 2\n",
        ),
    ],
    check,
};

fn check(subject: &Subject<'_>, findings: &mut Vec<Finding>) {
    // How many commands are not followed says the closing line; which words are not known says `resolve`.
    if subject.run.command.is_some() || subject.run.deepspeed.is_some() {
        return;
    }
    let Verdict::Unknown { why } = &subject.outcome.verdict else {
        return;
    };
    let named = ["deepspeed_config_file", "mpirun_hostfile"];
    let sections = ["deepspeed_config", "mpirun_config"];
    let place = named
        .iter()
        .zip(sections)
        .find_map(|(key, section)| subject.within(section, key));
    let Some(place) = place.or_else(|| subject.top("distributed_type")) else {
        return;
    };
    let message = format!("it cannot be told what runs: {why}");
    let mut finding = RULE.finding(message, Label::value(&place, ""));
    finding.key = subject.key_at(&place.route);
    finding.help = Some("run fp8lint in the folder where the launch command runs".to_owned());
    findings.push(finding);
}
