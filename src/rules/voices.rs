//! Who says what in a run of several files: what the rules about them share.

use crate::formats::recipe::Framework;
use crate::resolve::target::FileLine;
use crate::resolve::{
    Launcher, Lookup, Origin, Outcome, Run, Stage, Trainer, Value, Variable, Voice,
};
use crate::source::Object;

use super::{Confidence, Finding, Label, Severity, Subject};

/// The variable through which the launch asks for a precision.
const MIXED_PRECISION: &str = "ACCELERATE_MIXED_PRECISION";

/// The precision with which the script is launched, if anybody asks for one, and who does.
pub(super) fn launched(subject: &Subject<'_>, outcome: &Outcome) -> Option<Variable> {
    let of_launch = outcome
        .launch
        .as_ref()
        .and_then(|launch| launch.environment.get(MIXED_PRECISION));
    let of_shell = || match subject.run.environment.get(MIXED_PRECISION)? {
        Value::Known { value, origin } => Some(Variable {
            value: value.clone(),
            origin: origin.clone(),
        }),
        Value::Unknown { .. } => None,
    };
    // TRL's `env` block is set after the launch.
    let of_recipe = || {
        let said = subject
            .run
            .trainer
            .as_ref()?
            .known("env.ACCELERATE_MIXED_PRECISION")?;
        Some(Variable {
            value: said.text(),
            origin: said.origin.clone(),
        })
    };
    let asked = of_recipe().or_else(|| match subject.run.launcher {
        // The launcher overwrites the shell's variable, also where it says nothing itself but its default.
        Launcher::Accelerate => of_launch
            .filter(|variable| variable.origin.voice != Voice::Default)
            .cloned()
            .or_else(of_shell),
        _ => of_shell(),
    })?;
    let is_precision = ["fp8", "bf16", "fp16"].contains(&asked.value.to_lowercase().as_str());
    (is_precision && asked.origin.voice != Voice::Default).then(|| Variable {
        value: asked.value.to_lowercase(),
        origin: asked.origin,
    })
}

/// What is decided in the end, and by whom.
pub(super) fn decided(outcome: &Outcome) -> Option<(&str, &Origin)> {
    let decision = outcome.decision("mixed_precision")?;
    Some((decision.value.as_str(), &decision.origin))
}

/// Whether the recipe, an argument of the script or the framework says it.
pub(super) fn is_of_trainer(origin: &Origin) -> bool {
    matches!(
        origin.voice,
        Voice::RecipeKey | Voice::ScriptArgument | Voice::Framework
    )
}

/// Whether another place than the config decides: the rules about runs of several files tell of it.
pub(super) fn is_decided_elsewhere(outcome: &Outcome) -> bool {
    decided(outcome).is_some_and(|(_, origin)| {
        is_of_trainer(origin)
            || matches!(origin.voice, Voice::Flag | Voice::Environment | Voice::Code)
    })
}

/// How a voice is called in a sentence: "the recipe's `bf16: true`".
pub(super) fn named(subject: &Subject<'_>, origin: &Origin) -> String {
    let written = origin.place.as_ref().map(|place| {
        let span = place.key.map_or(place.value, |key| key.to(place.value));
        let text = place.file.slice(span);
        text.split_whitespace().collect::<Vec<_>>().join(" ")
    });
    let written = written.filter(|text| text.chars().count() <= 60);
    let written = written.unwrap_or_else(|| origin.name.clone());
    match origin.voice {
        Voice::RecipeKey => format!("the recipe's `{written}`"),
        Voice::ScriptArgument => format!("the script's argument `{written}`"),
        Voice::Flag => format!("the flag `{written}`"),
        Voice::Environment => format!("the variable `{}`", origin.name),
        Voice::Framework => origin.name.clone(),
        Voice::DeepSpeedKey => format!("the DeepSpeed config's `{written}`"),
        Voice::ConfigKey => format!("`{written}`"),
        Voice::Code | Voice::Default => subject.version(),
    }
}

/// `transformers 5.24.0 with accelerate 1.15.0`: the versions that take part in a run, for the subject of a sentence.
pub(super) fn versions(subject: &Subject<'_>) -> String {
    match &subject.run.trainer {
        None => subject.version(),
        Some(trainer) => format!("{} with {}", trainer_version(trainer), subject.version()),
    }
}

/// `transformers 5.24.0`, `trl 1.16.0`.
pub(super) fn trainer_version(trainer: &Trainer) -> String {
    match trainer.framework {
        Framework::Transformers => format!("transformers {}", trainer.transformers),
        Framework::SimpleTuner => "SimpleTuner".to_owned(),
        framework => format!("{framework} {}", trainer.version),
    }
}

/// Whether a script reads the recipe of which nothing is known but that it has the names of `TrainingArguments`.
pub(super) fn is_guessed(subject: &Subject<'_>) -> bool {
    let framework = subject
        .run
        .trainer
        .as_ref()
        .map(|trainer| trainer.framework);
    framework == Some(Framework::Transformers)
}

/// The labels of the other places that take part: where the precision is asked for, and the command.
pub(super) fn others(subject: &Subject<'_>, asked: Option<&Origin>, primary: &Label) -> Vec<Label> {
    let mut labels = Vec::new();
    if let Some(asked) = asked.filter(|asked| asked.place.is_some()) {
        labels.push(subject.label(asked, "asked for here"));
    }
    labels.extend(command(subject));
    labels.retain(|label| !is_same(label, primary));
    labels
}

/// The command that makes one run of the files.
pub(super) fn command(subject: &Subject<'_>) -> Option<Label> {
    let command = subject.run.command.as_ref()?;
    Some(Label::value(
        &command.program,
        "this command makes one run of them",
    ))
}

/// Adds the line of a file that lists or pins a package: as a place where the file can be shown, else as a note.
pub(super) fn add_line(subject: &Subject<'_>, finding: &mut Finding, line: &FileLine, text: &str) {
    match subject.files.look_up(&line.path) {
        Lookup::Found(file) if file.path == line.path => {
            let span = file.line_span(line.line);
            finding.related.push(Label::at(&file, span, text));
        }
        _ => finding.notes.push(format!("{line}: {text}")),
    }
}

fn is_same(one: &Label, other: &Label) -> bool {
    let place = |label: &Label| {
        (
            label.path.clone(),
            label.source.as_ref().map(|(_, span)| *span),
        )
    };
    place(one) == place(other)
}

/// The run with these arguments of the trainer in place of what is said.
pub(super) fn with_arguments(subject: &Subject<'_>, arguments: &[(&str, bool)]) -> Run {
    let mut run = Run {
        stage: Stage::Prepare,
        ..subject.run.clone()
    };
    if let Some(trainer) = &mut run.trainer {
        for (name, value) in arguments {
            let value = Value::Known {
                value: Object::Bool(*value),
                origin: Origin::of(Voice::RecipeKey, *name),
            };
            trainer.arguments.insert((*name).to_owned(), value);
        }
    }
    run
}

/// Where nobody has written what decides, and the command has words that may say it after all, a finding is a note.
pub(super) fn doubt_what_is_not_written(
    subject: &Subject<'_>,
    finding: &mut Finding,
    decider: Option<&Origin>,
) {
    let is_written = decider.is_some_and(|decider| decider.place.is_some());
    let more = subject
        .run
        .command
        .as_ref()
        .and_then(|command| command.may_say_more.as_ref());
    if let (false, Some(more)) = (is_written, more) {
        finding.severity = Severity::Note;
        finding.confidence = Confidence::Likely;
        finding.notes.push(format!("unless {more} says more"));
    }
}
