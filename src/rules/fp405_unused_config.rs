//! FP405: a config that no launch command names.

use super::{Confidence, Example, Finding, Label, Rule, Severity, Subject};

pub(crate) static RULE: Rule = Rule {
    code: "FP405",
    name: "unused-config",
    severity: Severity::Warning,
    confidence: Confidence::Likely,
    summary: "No launch command names this config (only with `--select FP405`).",
    explanation: "\
Every launch command in the config's project (the nearest folder above it that has launch commands) was read, and none of
them names it. Only reported where it is selected, because configs are also used by hand. Not reported where a command of
accelerate's launcher names a config that cannot be known, or none, so that accelerate reads its default (accelerate,
commands/config/config_args.py:default_config_file).",
    examples: &[
        Example::fails("two configs, one command", "distributed_type: 'NO'\nmixed_precision: bf16\n")
            .named("old.yaml")
            .with(&[
                ("new.yaml", "distributed_type: 'NO'\nmixed_precision: bf16\n"),
                ("train.sh", "accelerate launch --config_file new.yaml train.py\n"),
            ]),
        Example::passes("named", "distributed_type: 'NO'\nmixed_precision: bf16\n")
            .named("new.yaml")
            .with(&[("train.sh", "accelerate launch --config_file new.yaml train.py\n")]),
    ],
    check,
};

fn check(subject: &Subject<'_>, findings: &mut Vec<Finding>) {
    let Some((config, _)) = subject.config().filter(|_| subject.run.is_unused) else {
        return;
    };
    let label = Label::at(&config.file, config.file.line_span(1), "");
    let mut finding = RULE.finding("no launch command around this config names it", label);
    finding.help = Some("name it with --config_file, or remove it".to_owned());
    findings.push(finding);
}
