//! `fp8lint show-settings FILE`: which settings hold for a file, and where each comes from.

use std::fmt::Display;
use std::path::Path;
use std::sync::Arc;

use serde::Serialize;

use crate::discover::{Candidate, SIZE_LIMIT};
use crate::formats::settings::{Placed, Settings, SeveritySetting};
use crate::report::{self, one_line};
use crate::resolve::Target;
use crate::resolve::target::{FileLine, TargetOrigin};
use crate::rules::OPT_IN;
use crate::source::Span;

use super::arguments::{CheckArguments, ShowSettingsArguments, TextOrJson};
use super::assumptions::{Assumed, Declared};
use super::check::file;
use super::check::inputs::Input;
use super::check::plan::{self, Plan};
use super::failure::Failure;
use super::notices;
use super::selection::FAIL_ON;

/// All that is shown.
#[derive(Serialize)]
struct Shown {
    file: String,
    /// What it is; `None` where it does not exist, or is nothing that is checked.
    kind: Option<&'static str>,
    /// The settings file that holds for it.
    settings: Option<String>,
    /// Whether a check would leave it out.
    excluded: bool,
    values: Vec<Row>,
}

/// A setting and its value.
#[derive(Serialize)]
struct Row {
    key: String,
    value: String,
    /// `flag`, `settings`, `pin` or `default`.
    from: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    path: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    line: Option<usize>,
}

impl Row {
    fn new(key: impl Into<String>, value: impl Display, origin: &TargetOrigin) -> Self {
        let line = origin.line();
        Self {
            key: key.into(),
            value: value.to_string(),
            from: origin.as_str(),
            path: line.map(|line| line.path.clone()),
            line: line.map(|line| line.line),
        }
    }

    fn origin(&self) -> String {
        match (&self.path, self.line) {
            (Some(path), Some(line)) => format!("{path}:{line}"),
            _ => self.from.to_owned(),
        }
    }
}

/// The settings of a file, as text or as JSON.
pub(super) fn show(arguments: &ShowSettingsArguments) -> Result<String, Failure> {
    let check = CheckArguments {
        paths: vec![arguments.file.clone()],
        rules: arguments.rules.clone(),
        files: arguments.files.clone(),
        assumptions: arguments.assumptions.clone(),
        ..CheckArguments::default()
    };
    // Each flag is known to be right from here on.
    let plan = Plan::new(&check, &Arc::default())?;
    let file = &arguments.file;
    let current = plan::current_folder()?;
    let shown = crate::discover::shown(file, &current);
    if current.join(file).is_dir() {
        return Err(Failure::usage(
            format!("{shown} is a folder"),
            "name a file in it; it need not exist",
        ));
    }
    let settings = plan.assumptions.settings_of(file)?;
    let assumed = plan.assumptions.of(file)?;
    let absolute = plan.assumptions.absolute(file);
    let mut values = Vec::new();
    let written = settings.as_deref().map(|declared| &declared.written);
    of_rules(arguments, settings.as_deref(), &absolute, &mut values);
    of_files(arguments, written, &mut values);
    of_target(&assumed.target, &mut values);
    of_blocks(&assumed, written, &mut values);
    let shown = Shown {
        kind: kind(file, &shown, &plan)?,
        excluded: plan.excludes(file, &shown),
        file: shown,
        settings: written.map(|settings| settings.file.path.clone()),
        values,
    };
    match arguments.format {
        TextOrJson::Json => report::to_json(&shown)
            .map_err(|error| Failure::run(format!("the settings cannot be written: {error}"))),
        TextOrJson::Text => Ok(text(&shown)),
    }
}

/// What the file is, if it can be read.
fn kind(path: &Path, shown: &str, plan: &Plan) -> Result<Option<&'static str>, Failure> {
    if !path.is_file() {
        return Ok(None);
    }
    let input = Input::File(Candidate {
        shown: shown.to_owned(),
        path: path.to_owned(),
        explicit: true,
    });
    let read = file::read(&input, &plan.assumptions)?;
    Ok(read.recognised.map(|recognised| recognised.kind.as_str()))
}

fn line(settings: &Settings, span: Span) -> TargetOrigin {
    TargetOrigin::Settings(FileLine {
        path: settings.file.path.clone(),
        line: settings.file.line_column(span.start).line,
    })
}

/// One row for each of the names, or nothing.
fn each(key: &str, settings: &Settings, names: &[Placed<String>], rows: &mut Vec<Row>) {
    let names = names.iter();
    rows.extend(names.map(|name| Row::new(key, &name.value, &line(settings, name.span))));
}

fn flags(key: &str, names: &[String], rows: &mut Vec<Row>) {
    let names = names.iter();
    rows.extend(names.map(|name| Row::new(key, name, &TargetOrigin::Flag)));
}

fn of_rules(
    arguments: &ShowSettingsArguments,
    declared: Option<&Declared>,
    path: &Path,
    rows: &mut Vec<Row>,
) {
    let rules = &arguments.rules;
    let settings = declared.map(|declared| &declared.written);
    let select = settings.and_then(|settings| Some((settings, settings.select.as_ref()?)));
    match select {
        _ if !rules.select.is_empty() => flags("select", &rules.select, rows),
        Some((settings, select)) if select.value.is_empty() => {
            rows.push(Row::new("select", "none", &line(settings, select.span)));
        }
        Some((settings, select)) => each("select", settings, &select.value, rows),
        None => {
            let value = format!("all but {}", OPT_IN.join(", "));
            rows.push(Row::new("select", value, &TargetOrigin::Default));
        }
    }
    flags("ignore", &rules.ignore, rows);
    let severities = |settings: &Settings, all: &[SeveritySetting], rows: &mut Vec<Row>| {
        rows.extend(all.iter().map(|setting| {
            let SeveritySetting { rule, level } = setting;
            let key = format!("severity.{}", rule.value);
            Row::new(key, level.as_str(), &line(settings, rule.span))
        }));
    };
    if let (Some(settings), Some(declared)) = (settings, declared) {
        each("ignore", settings, &settings.ignore, rows);
        let here = || {
            let per_path = settings.per_path.iter();
            per_path
                .zip(declared.holds_at(path))
                .filter_map(|(setting, holds)| holds.then_some(setting))
        };
        for setting in here() {
            each("ignore", settings, &setting.ignore, rows);
        }
        severities(settings, &settings.severity, rows);
        for setting in here() {
            severities(settings, &setting.severity, rows);
        }
    }
    let fail_on = settings.and_then(|settings| Some((settings, settings.fail_on.as_ref()?)));
    rows.push(match (rules.fail_on, fail_on) {
        (Some(severity), _) => Row::new("fail-on", severity, &TargetOrigin::Flag),
        (None, Some((settings, level))) => {
            Row::new("fail-on", level.value.as_str(), &line(settings, level.span))
        }
        (None, None) => Row::new("fail-on", FAIL_ON, &TargetOrigin::Default),
    });
}

fn of_files(arguments: &ShowSettingsArguments, settings: Option<&Settings>, rows: &mut Vec<Row>) {
    flags("include", &arguments.files.include, rows);
    if let Some(settings) = settings {
        each("include", settings, &settings.include, rows);
    }
    flags("exclude", &arguments.files.exclude, rows);
    if let Some(settings) = settings {
        each("exclude", settings, &settings.exclude, rows);
    }
    let limit = settings.and_then(|settings| Some((settings, settings.max_file_size.as_ref()?)));
    rows.push(match limit {
        Some((settings, limit)) => Row::new(
            "max-file-size",
            notices::size(limit.value),
            &line(settings, limit.span),
        ),
        None => Row::new(
            "max-file-size",
            notices::size(SIZE_LIMIT),
            &TargetOrigin::Default,
        ),
    });
}

fn of_target(target: &Target, rows: &mut Vec<Row>) {
    let accelerate = &target.accelerate;
    let value = match &target.accelerate_asked {
        Some(asked) => format!("{}, the newest that {asked} allows", accelerate.value),
        None => accelerate.value.to_string(),
    };
    rows.push(Row::new("target.accelerate", value, &accelerate.origin));
    if let Some(gpu) = &target.gpu {
        rows.push(Row::new("target.gpu", gpu.value.name, &gpu.origin));
    }
    if let Some(capability) = &target.capability {
        let (major, minor) = capability.value;
        let value = format!("{major}.{minor}");
        rows.push(Row::new("target.capability", value, &capability.origin));
    }
    if let Some(installed) = &target.installed {
        let value = installed.value.join(", ");
        rows.push(Row::new("target.installed", value, &installed.origin));
    }
    for (package, version) in &target.packages {
        let key = format!("target.{package}");
        rows.push(Row::new(key, &version.value, &version.origin));
    }
}

fn of_blocks(assumed: &Assumed, settings: Option<&Settings>, rows: &mut Vec<Row>) {
    let Some(settings) = settings else { return };
    for declared in &settings.recipes {
        let key = format!("recipes.{}", declared.pattern);
        let kind = declared.kind.declared_name();
        rows.push(Row::new(key, kind, &line(settings, declared.span)));
    }
    for block in assumed.blocks() {
        let value = format!(
            "{} ({}; default {})",
            block.path,
            block.backends.join(", "),
            block.default_backend
        );
        let origin = line(settings, block.declared.1);
        rows.push(Row::new("fp8-block", value, &origin));
    }
}

fn text(shown: &Shown) -> String {
    let kind = shown
        .kind
        .map_or_else(String::new, |kind| format!(" ({kind})"));
    let settings = shown.settings.as_deref().unwrap_or("no settings file");
    let mut text = format!("{}{kind}: {}\n", one_line(&shown.file), one_line(settings));
    if shown.excluded {
        text.push_str("It is excluded: a check reads it only with --no-force-exclude.\n");
    }
    text.push('\n');
    let width = |cell: fn(&Row) -> &str| {
        let rows = shown.values.iter();
        let widths = rows.map(|row| one_line(cell(row)).chars().count());
        widths.max().unwrap_or_default().min(WIDTH)
    };
    let (key, value) = (width(|row| &row.key), width(|row| &row.value));
    for row in &shown.values {
        text.push_str(&format!(
            "{:key$}  {:value$}  {}\n",
            one_line(&row.key),
            one_line(&row.value),
            one_line(&row.origin())
        ));
    }
    text
}

/// Longer cells push the next one on.
const WIDTH: usize = 40;
