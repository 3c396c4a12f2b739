//! What `fp8lint resolve` prints: a run, stage by stage, with who says each value that decides.

use annotate_snippets::{AnnotationKind, Group, Level};

use crate::knowledge::{self, Version};
use crate::resolve::{
    Backend, Config, Exception, Files, Launcher, Origin, Outcome, Run, Stage, Target, Verdict,
    resolve,
};
use crate::rules::{Label, Subject, precision_that_runs};

use super::escape;
use super::text::{renderer, with_snippets};
use super::{names, says, versions};

/// The stages of a run and what it comes to, as text for people.
pub fn resolution(subject: &Subject<'_>, colour: bool) -> String {
    let (run, outcome) = (subject.run, &subject.outcome);
    let mut text = String::new();
    if let Some(command) = &run.command {
        let at = command.place.file.line_column(command.place.value.start);
        let head = format!(
            "{}:{}: `{}`",
            command.place.file.path, at.line, command.text
        );
        text.push_str(&format!(
            "{}\n\n{}\n",
            escape::one_line(&head),
            says::table(subject)
        ));
    }
    let mut groups = Vec::new();
    if let Some(launch) = &outcome.launch {
        let title = match (&launch.exception, launch.launcher, launch.processes) {
            (None, Some(launcher), Some(processes)) => {
                let several = if processes == 1 {
                    "process"
                } else {
                    "processes"
                };
                format!("starts {processes} {several} ({})", launcher.as_str())
            }
            _ => "refuses".to_owned(),
        };
        let command = format!("`{}` {title}", command(run));
        groups.push(stage(
            outcome,
            Stage::Launch,
            command,
            launch.exception.as_ref(),
        ));
    }
    let mut trainer = run.trainer.as_ref().map(|trainer| match &outcome.trainer {
        Some(exception) => {
            let title = format!("{} raises", names::trainer(trainer));
            stage(outcome, Stage::Trainer, title, Some(exception))
        }
        None => {
            let title = format!(
                "{} hands its precision to `Accelerator()`",
                names::trainer(trainer)
            );
            stage(outcome, Stage::Trainer, title, None)
        }
    });
    // What the trainer finds out itself comes before `Accelerator()` or after it.
    if outcome.runtime.is_none() || outcome.trainer.is_none() {
        groups.extend(
            trainer
                .take()
                .filter(|_| outcome.runtime.is_some() || outcome.trainer.is_some()),
        );
    }
    if let Some(runtime) = &outcome.runtime {
        let title = match (
            &runtime.exception,
            &runtime.mixed_precision,
            &runtime.distributed_type,
        ) {
            (None, Some(precision), Some(distributed_type)) => format!(
                "`Accelerator()` is built: distributed_type {distributed_type}, mixed_precision {precision}, fp8 backend {}",
                runtime.fp8_backend.map_or("none", Backend::as_str)
            ),
            _ => "`Accelerator()` raises".to_owned(),
        };
        groups.push(stage(
            outcome,
            Stage::Runtime,
            title,
            runtime.exception.as_ref(),
        ));
    }
    groups.extend(trainer);
    if let Some(prepare) = outcome.prepare.as_ref().filter(|prepare| !prepare.skipped) {
        let title = match prepare.exception {
            None => "`accelerator.prepare(model, optimizer)` succeeds",
            Some(_) => "`accelerator.prepare(model, optimizer)` raises",
        };
        groups.push(stage(
            outcome,
            Stage::Prepare,
            title.to_owned(),
            prepare.exception.as_ref(),
        ));
    }
    let drawn = renderer(colour);
    text.extend(
        groups
            .into_iter()
            .map(|group| format!("{}\n\n", drawn.render(&[group]))),
    );
    text.push_str(&escape::lines(&closing_line(subject)));
    text.push('\n');
    text
}

/// One stage: its title, the values that it decides, and the exception that ends it.
fn stage(
    outcome: &Outcome,
    stage: Stage,
    title: String,
    exception: Option<&Exception>,
) -> Group<'static> {
    let level = if exception.is_some() {
        Level::ERROR
    } else {
        Level::INFO
    };
    let group = Group::with_title(level.primary_title(escape::one_line(&title).into_owned()));
    let mut notes = Vec::new();
    let mut labels = Vec::new();
    let mut add = |text: String, origin: &Origin| match &origin.place {
        Some(place) if !place.route.0.is_empty() => labels.push(Label::value(place, text)),
        _ => notes.push(format!("{text}: {origin}")),
    };
    for decision in outcome
        .decisions
        .iter()
        .filter(|decision| decision.stage == stage)
    {
        add(
            format!("{} = {}", decision.name, decision.value),
            &decision.origin,
        );
    }
    for origin in exception.iter().flat_map(|exception| &exception.origins) {
        add("leads to the exception".to_owned(), origin);
    }
    let labels = labels.iter().map(|label| (label, AnnotationKind::Primary));
    let mut group = with_snippets(group, labels.collect(), None);
    for note in notes {
        group = group.element(Level::NOTE.message(escape::lines(&note)));
    }
    if let Some(exception) = exception {
        let raised = format!(
            "{}: {} ({})",
            exception.kind, exception.message, exception.source
        );
        group = group.element(Level::NOTE.message(escape::lines(&raised)));
    }
    group
}

/// The script of a run that is only assumed.
const SCRIPT: &str = "train.py";

/// The command that is followed.
fn command(run: &Run) -> String {
    if let Some(command) = &run.command {
        return command.text.clone();
    }
    let flags = run.flags.iter().filter(|word| word.text != SCRIPT);
    let flags = flags.map(|word| format!(" {}", word.text));
    match (run.launcher, &run.config) {
        (Launcher::Accelerate, Config::File(config)) => {
            format!(
                "accelerate launch --config_file {}{} train.py",
                config.file.path,
                flags.collect::<String>()
            )
        }
        (Launcher::Accelerate, Config::Unreadable { path, .. } | Config::Missing { path, .. }) => {
            format!(
                "accelerate launch --config_file {path}{} train.py",
                flags.collect::<String>()
            )
        }
        (Launcher::Accelerate, Config::None | Config::Unknown { .. }) => {
            format!("accelerate launch{} train.py", flags.collect::<String>())
        }
        (launcher, _) => format!("{} train.py", launcher.as_str()),
    }
}

fn closing_line(subject: &Subject<'_>) -> String {
    let trainer = subject.run.trainer.as_ref();
    let trainer = trainer.map_or_else(String::new, |trainer| {
        format!(", {}", names::versions(trainer))
    });
    let version = format!(
        "{}{}{trainer}",
        subject.version(),
        versions::because(subject.target)
    );
    let runs = precision_that_runs(&subject.outcome);
    match (&subject.outcome.verdict, runs) {
        (Verdict::Unknown { why }, _) => {
            format!("It cannot be told what runs under {version}: {why}.")
        }
        // The oracle's Transformer Engine is a stand-in that does not ask for the capability; the real one does.
        (Verdict::Fp8(Backend::Te), _) if subject.outcome.decision("fp8_capability").is_some() => {
            format!("Does not run under {version}: Transformer Engine refuses this GPU.")
        }
        (Verdict::Fp8(backend), _) => format!("Trains in fp8 by {backend} under {version}."),
        (
            Verdict::NoFp8 {
                te_layers: true, ..
            },
            Some(runs),
        ) => {
            format!(
                "Trains in {runs} under {version}: Transformer Engine's layers are put in, but fp8 is never entered."
            )
        }
        (Verdict::NoFp8 { .. }, Some(runs)) => format!("Trains in {runs} under {version}."),
        (
            Verdict::InitOnly {
                mixed_precision, ..
            },
            _,
        ) => format!(
            "`Accelerator()` says mixed_precision {mixed_precision} under {version}; what happens then is up to XLA or Megatron-LM."
        ),
        (Verdict::LaunchOnly, _) => {
            format!("Is launched under {version}; the rest happens on other machines.")
        }
        _ => format!("Does not run under {version}."),
    }
}

/// What the run comes to under every release that the target allows: neighbours with the same outcome in one line.
pub fn outcomes(run: &Run, target: &Target, files: &dyn Files) -> String {
    let mut rows: Vec<(Vec<Version>, String)> = Vec::new();
    for version in target
        .accelerate_others
        .iter()
        .chain([&target.accelerate.value])
    {
        let Some(known) = knowledge::accelerate(version) else {
            continue;
        };
        let outcome = in_short(&resolve(run, known.facts, files));
        match rows.last_mut() {
            Some((versions, same)) if *same == outcome => {
                versions.push(known.facts.version.clone())
            }
            _ => rows.push((vec![known.facts.version.clone()], outcome)),
        }
    }
    let rows: Vec<(String, String)> = rows
        .into_iter()
        .map(|(versions, outcome)| (between(&versions), outcome))
        .collect();
    let width = rows
        .iter()
        .map(|(versions, _)| versions.chars().count())
        .max()
        .unwrap_or(0);
    let mut text = "\nUnder every release that the target allows:\n".to_owned();
    for (versions, outcome) in rows {
        text.push_str(&format!(
            "  {versions:width$}  {}\n",
            escape::one_line(&outcome)
        ));
    }
    text
}

/// `1.4.0–1.8.1`
fn between(versions: &[Version]) -> String {
    match versions {
        [] => String::new(),
        [only] => only.to_string(),
        [first, .., last] => format!("{first}–{last}"),
    }
}

/// One line: in which precision it trains, or which exception ends it where.
fn in_short(outcome: &Outcome) -> String {
    let exception = outcome.exception().map_or_else(String::new, |exception| {
        let message = exception
            .message
            .split_whitespace()
            .collect::<Vec<_>>()
            .join(" ");
        let short: String = message.chars().take(100).collect();
        let ellipsis = if short.len() < message.len() {
            "…"
        } else {
            ""
        };
        format!("{}: {short}{ellipsis}", exception.kind)
    });
    match &outcome.verdict {
        Verdict::RaisesAtImport => format!("raises in `import accelerate`: {exception}"),
        Verdict::RaisesAtLaunch => format!("refused by `accelerate launch`: {exception}"),
        Verdict::RaisesAtTrainer => format!("raises in the trainer: {exception}"),
        Verdict::RaisesAtInit => format!("raises in `Accelerator()`: {exception}"),
        Verdict::RaisesAtPrepare => format!("raises in `accelerator.prepare()`: {exception}"),
        Verdict::Fp8(backend) => format!("trains in fp8 by {backend}"),
        Verdict::Unknown { why } => format!("unknown: {why}"),
        Verdict::LaunchOnly => "is launched".to_owned(),
        Verdict::InitOnly { .. } | Verdict::NoFp8 { .. } => {
            format!(
                "trains in {}",
                precision_that_runs(outcome).unwrap_or_default()
            )
        }
    }
}
