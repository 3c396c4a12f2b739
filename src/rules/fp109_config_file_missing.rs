//! FP109: the config that a command names is not there.

use crate::resolve::{Cause, Config};
use crate::source::Edit;

use super::{Confidence, Example, Finding, Fix, Label, Rule, Safety, Severity, Subject, voices};

pub(crate) static RULE: Rule = Rule {
    code: "FP109",
    name: "config-file-missing",
    severity: Severity::Error,
    confidence: Confidence::Likely,
    summary: "`--config_file` names a file that does not exist.",
    explanation: "\
`accelerate launch` ends with FileNotFoundError (accelerate, commands/config/config_args.py:load_config_from_file). The file
was looked for beside the script that holds the command and in every folder above it. A file that something else writes or
downloads first is not missed when its name stands elsewhere in the same script; what commands in prose name is not looked
for.",
    examples: &[
        Example::fails(
            "another spelling of the name",
            "accelerate launch --config_file configs/fsdp2_fp8.yaml train.py\n",
        )
        .named("train.sh")
        .with(&[("configs/fsdp2-fp8.yaml", "distributed_type: 'NO'\nmixed_precision: bf16\n")]),
        Example::passes(
            "the file is there",
            "accelerate launch --config_file configs/fsdp2-fp8.yaml train.py\n",
        )
        .named("train.sh")
        .with(&[("configs/fsdp2-fp8.yaml", "distributed_type: 'NO'\nmixed_precision: bf16\n")]),
        Example::passes(
            "the script writes it first",
            "sed s/N/8/ template.yaml > made.yaml\naccelerate launch --config_file made.yaml train.py\n",
        )
        .named("train.sh")
        .with(&[]),
    ],
    check,
};

/// Parts of paths that stand for something else.
const STAND_INS: [&str; 6] = ["path/to", "<", "your", "YOUR", "{", "..."];

fn check(subject: &Subject<'_>, findings: &mut Vec<Finding>) {
    let (
        Config::Missing {
            path,
            place: Some(place),
        },
        Some(command),
    ) = (&subject.run.config, &subject.run.command)
    else {
        return;
    };
    let is_caused = subject
        .caused_by(&[Cause::ConfigUnreadable])
        .next()
        .is_some();
    let name = path.rsplit('/').next().unwrap_or(path);
    let is_made = place.file.text().matches(name).count()
        > place.file.slice(command.place.value).matches(name).count();
    if !is_caused || command.is_prose || is_made || STAND_INS.iter().any(|part| path.contains(part))
    {
        return;
    }
    let message = format!(
        "{} ends with FileNotFoundError: there is no config `{path}`",
        subject.version()
    );
    let mut finding = RULE.finding(message, Label::value(place, "no such file"));
    finding.key.route.clone_from(&command.place.route);
    finding.key.value.clone_from(path);
    let meant = subject.files.meant(path);
    if let Some(meant) = &meant
        && place.file.slice(place.value) == path
    {
        let edits = Edit::word(&place.file, place.value, meant).map(|edit| vec![edit]);
        let fix = Fix::of(format!("write {meant}"), Safety::DisplayOnly, edits);
        finding.fixes.extend(fix);
    }
    finding.help = Some(match meant {
        Some(meant) => format!("write {meant}, if that is meant"),
        None => {
            "correct the path, or let `accelerate config --config_file` write the file".to_owned()
        }
    });
    finding.related = voices::command(subject).into_iter().collect();
    findings.push(finding);
}
