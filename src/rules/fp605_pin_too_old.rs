//! FP605: a recipe has a key that the pinned version of its framework does not know.

use crate::formats::recipe::Framework;
use crate::knowledge::{self, Reader, RecipeKey, Version};
use crate::resolve::target::{Declared, TargetOrigin};
use crate::resolve::{Cause, Origin, Trainer, Value, Voice};

use super::{Confidence, Example, Finding, Rule, Severity, Subject, voices};

pub(crate) static RULE: Rule = Rule {
    code: "FP605",
    name: "pin-too-old",
    severity: Severity::Warning,
    confidence: Confidence::Likely,
    summary: "The pinned version of the framework does not have a key about precision that the recipe uses.",
    explanation: "\
Keys come and go: `accelerator_config` is in transformers from 4.38.2 on, `use_ipex` up to 4.56.2, `torch_dtype` in TRL's
`ModelConfig` up to 0.26.2, `fp8_config` in axolotl from 0.19.0 on (the fields of the config classes in the released wheels,
such as transformers/training_args.py:TrainingArguments). `HfArgumentParser` refuses a key that it does not know, axolotl
ignores it, TRL does one or the other. Only where a file pins the version, or `--target` or the settings say it; first and
last release are those of the releases that were read, so that a boundary may lie one release off.",
    examples: &[
        Example::fails(
            "accelerator_config before it was there",
            "output_dir: out\nper_device_train_batch_size: 4\nnum_train_epochs: 1\nlearning_rate: 0.00002\naccelerator_config:\n  split_batches: true\n",
        )
        .named("recipe.yaml")
        .with(&[("requirements.txt", "transformers==4.36.2\n")]),
        Example::fails(
            "use_ipex after it was gone",
            "output_dir: out\nper_device_train_batch_size: 4\nnum_train_epochs: 1\nlearning_rate: 0.00002\nuse_ipex: false\n",
        )
        .named("recipe.yaml")
        .under(&["transformers=5.2.0"]),
        Example::passes(
            "the version has it",
            "output_dir: out\nper_device_train_batch_size: 4\nnum_train_epochs: 1\nlearning_rate: 0.00002\naccelerator_config:\n  split_batches: true\n",
        )
        .named("recipe.yaml")
        .with(&[("requirements.txt", "transformers==4.57.6\n")]),
        Example::passes(
            "nobody says which version it is",
            "output_dir: out\nper_device_train_batch_size: 4\nnum_train_epochs: 1\nlearning_rate: 0.00002\nuse_ipex: false\n",
        )
        .named("recipe.yaml"),
    ],
    check,
};

fn check(subject: &Subject<'_>, findings: &mut Vec<Finding>) {
    let Some(trainer) = &subject.run.trainer else {
        return;
    };
    for (name, value) in &trainer.arguments {
        let (Value::Known { origin, .. } | Value::Unknown { origin, .. }) = value;
        // Of `fp8` itself, rules about each framework tell.
        if origin.voice != Voice::RecipeKey || name.starts_with("fp8") || is_told(subject, origin) {
            continue;
        }
        let Some((known, declared)) = lacking(subject, trainer, name) else {
            continue;
        };
        findings.push(finding(subject, trainer, origin, known, declared));
    }
}

/// What is known of a key, where the version that is declared or pinned does not have it.
fn lacking<'s>(
    subject: &'s Subject<'_>,
    trainer: &Trainer,
    name: &str,
) -> Option<(&'static RecipeKey, &'s Declared<Version>)> {
    let known = knowledge::recipe_key(trainer.framework.as_str(), name)?;
    let declared = subject.target.packages.get(known.package.as_str())?;
    let is_lacking = known.reader != Reader::Nothing && !known.is_in(&declared.value);
    // Of a range the newest release stands: where that one is too old, all are, but an older one may be in use.
    let is_range = subject
        .target
        .packages_asked
        .contains_key(known.package.as_str());
    let is_too_old = known
        .first
        .as_ref()
        .is_some_and(|first| declared.value < *first);
    (is_lacking && (is_too_old || !is_range)).then_some((known, declared))
}

/// Whether an exception about this key is reported.
fn is_told(subject: &Subject<'_>, origin: &Origin) -> bool {
    let mut raised = subject.caused_by(&[Cause::TrainerKey]);
    raised.any(|exception| exception.origins.contains(origin))
}

fn finding(
    subject: &Subject<'_>,
    trainer: &Trainer,
    origin: &Origin,
    known: &RecipeKey,
    declared: &Declared<Version>,
) -> Finding {
    let (package, version) = (&known.package, &declared.value);
    let held = match (&known.first, &known.last) {
        (Some(first), Some(last)) => format!("from {first} to {last}"),
        (Some(first), None) => format!("from {first} on"),
        (None, Some(last)) => format!("up to {last}"),
        (None, None) => "in other releases".to_owned(),
    };
    let what = match trainer.framework {
        Framework::Transformers | Framework::LlamaFactory | Framework::Swift => {
            "its parser refuses the key"
        }
        Framework::Axolotl | Framework::SimpleTuner => "the key is ignored",
        Framework::Trl => "its parser refuses the key, or the script drops it",
    };
    let message = format!(
        "{package} {version} has no `{}`: {what}; it is there {held}",
        origin.name
    );
    let mut finding = RULE.finding(message, subject.label(origin, "not in this version"));
    finding.key = subject.key(origin);
    if let Some(line) = declared.origin.line() {
        let says = match declared.origin {
            TargetOrigin::Settings(_) => "declares",
            _ => "pins",
        };
        let text = format!("{says} {package} {version}");
        voices::add_line(subject, &mut finding, line, &text);
    }
    finding.related.extend(voices::command(subject));
    finding.help = Some(match (&known.first, &known.last) {
        (Some(first), _) if version < first => {
            format!("use {package} {first} or newer, or drop the key")
        }
        _ => "drop the key".to_owned(),
    });
    finding
}
