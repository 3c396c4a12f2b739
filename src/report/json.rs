//! `json`: one object, described by `json-schema.json`.

use std::collections::BTreeMap;
use std::io::{self, Write};

use serde::Serialize;

use crate::discover::RepositoryPaths;
use crate::resolve::target::{Declared, FileLine, Target, TargetOrigin};
use crate::rules::{Finding, Label, Severity};

use crate::suppress::fingerprint;

use super::{Checked, Report, escape};

/// The version of this format: a new key keeps it, a changed or removed one raises it.
const FORMAT_VERSION: u32 = 1;

/// The findings as one JSON object.
pub(super) struct Json;

impl Report for Json {
    fn write(&self, checked: &Checked, out: &mut dyn Write) -> io::Result<()> {
        let text = serde_json::to_string_pretty(&Output::of(checked))?;
        writeln!(out, "{}", escape::json(&text))
    }
}

#[derive(Serialize)]
struct Output<'a> {
    version: u32,
    tool: Tool,
    target: TargetOutput<'a>,
    files: Vec<FileOutput<'a>>,
    findings: Vec<FindingOutput<'a>>,
    summary: Summary,
}

#[derive(Serialize)]
struct Tool {
    name: &'static str,
    version: &'static str,
}

#[derive(Serialize)]
struct TargetOutput<'a> {
    accelerate: AccelerateOutput<'a>,
    gpu: Option<DeclaredOutput<'a, &'static str>>,
    capability: Option<DeclaredOutput<'a, String>>,
    installed: Option<DeclaredOutput<'a, Vec<String>>>,
    packages: BTreeMap<&'static str, PackageOutput<'a>>,
}

#[derive(Serialize)]
struct AccelerateOutput<'a> {
    value: String,
    asked: Option<String>,
    #[serde(flatten)]
    origin: OriginOutput<'a>,
}

#[derive(Serialize)]
struct PackageOutput<'a> {
    /// Nothing: any version.
    value: Option<String>,
    asked: Option<&'a str>,
    #[serde(flatten)]
    origin: OriginOutput<'a>,
}

#[derive(Serialize)]
struct DeclaredOutput<'a, T> {
    value: T,
    #[serde(flatten)]
    origin: OriginOutput<'a>,
}

#[derive(Serialize)]
struct OriginOutput<'a> {
    origin: &'static str,
    place: Option<PlaceOutput<'a>>,
}

#[derive(Serialize)]
struct PlaceOutput<'a> {
    path: &'a str,
    line: usize,
}

#[derive(Serialize)]
struct FileOutput<'a> {
    path: &'a str,
    kind: &'static str,
    accelerate: AccelerateOutput<'a>,
    packages: BTreeMap<&'static str, PackageOutput<'a>>,
}

#[derive(Serialize)]
struct FindingOutput<'a> {
    code: &'static str,
    name: &'static str,
    severity: &'static str,
    confidence: &'static str,
    message: &'a str,
    primary: LabelOutput<'a>,
    related: Vec<LabelOutput<'a>>,
    notes: &'a [String],
    help: Option<&'a str>,
    outcome: Option<OutcomeOutput<'a>>,
    fingerprint: String,
    fixes: [(); 0],
    url: Option<&'a str>,
}

#[derive(Serialize)]
struct LabelOutput<'a> {
    path: &'a str,
    start: Option<Position>,
    end: Option<Position>,
    label: &'a str,
}

#[derive(Serialize)]
struct Position {
    line: usize,
    column: usize,
    offset: usize,
}

#[derive(Serialize)]
struct OutcomeOutput<'a> {
    asked: &'a str,
    runs: &'a str,
}

#[derive(Serialize)]
struct Summary {
    files_read: usize,
    configs: usize,
    errors: usize,
    warnings: usize,
    notes: usize,
    rules: Vec<RuleCount>,
}

#[derive(Serialize)]
struct RuleCount {
    code: &'static str,
    name: &'static str,
    findings: usize,
}

impl<'a> Output<'a> {
    fn of(checked: &'a Checked) -> Self {
        Self {
            version: FORMAT_VERSION,
            tool: Tool {
                name: env!("CARGO_PKG_NAME"),
                version: env!("CARGO_PKG_VERSION"),
            },
            target: TargetOutput::of(&checked.target),
            files: checked
                .files
                .iter()
                .map(|file| FileOutput {
                    path: &file.path,
                    kind: file.kind.as_str(),
                    accelerate: AccelerateOutput::of(&file.target),
                    packages: packages(&file.target),
                })
                .collect(),
            findings: checked
                .findings
                .iter()
                .map(|finding| FindingOutput::of(finding, &checked.paths))
                .collect(),
            summary: Summary {
                files_read: checked.files_read,
                configs: checked.files.len(),
                errors: checked.count(Severity::Error),
                warnings: checked.count(Severity::Warning),
                notes: checked.count(Severity::Note),
                rules: checked
                    .count_by_rule()
                    .into_iter()
                    .map(|(code, name, findings)| RuleCount {
                        code,
                        name,
                        findings,
                    })
                    .collect(),
            },
        }
    }
}

impl<'a> AccelerateOutput<'a> {
    fn of(target: &'a Target) -> Self {
        Self {
            value: target.accelerate.value.to_string(),
            asked: target.accelerate_asked.as_ref().map(ToString::to_string),
            origin: OriginOutput::of(&target.accelerate.origin),
        }
    }
}

/// The packages beside accelerate: those whose version is assumed, and those that the project names without one.
fn packages(target: &Target) -> BTreeMap<&'static str, PackageOutput<'_>> {
    let named = target.project_packages.iter();
    let named = named.filter(|(package, _)| **package != "accelerate");
    let mut packages: BTreeMap<_, _> = named
        .map(|(package, line)| {
            let named = PackageOutput {
                value: None,
                asked: None,
                origin: OriginOutput {
                    origin: "pin",
                    place: Some(PlaceOutput::of(line)),
                },
            };
            (*package, named)
        })
        .collect();
    packages.extend(target.packages.iter().map(|(package, version)| {
        let assumed = PackageOutput {
            value: Some(version.value.to_string()),
            asked: target.packages_asked.get(package).map(String::as_str),
            origin: OriginOutput::of(&version.origin),
        };
        (*package, assumed)
    }));
    packages
}

impl<'a> PlaceOutput<'a> {
    fn of(line: &'a FileLine) -> Self {
        Self {
            path: &line.path,
            line: line.line,
        }
    }
}

impl<'a> OriginOutput<'a> {
    fn of(origin: &'a TargetOrigin) -> Self {
        Self {
            origin: origin.as_str(),
            place: origin.line().map(PlaceOutput::of),
        }
    }
}

impl<'a> TargetOutput<'a> {
    fn of(target: &'a Target) -> Self {
        fn output<T, U>(declared: &Declared<T>, value: impl Fn(&T) -> U) -> DeclaredOutput<'_, U> {
            DeclaredOutput {
                value: value(&declared.value),
                origin: OriginOutput::of(&declared.origin),
            }
        }
        Self {
            accelerate: AccelerateOutput::of(target),
            gpu: target.gpu.as_ref().map(|gpu| output(gpu, |gpu| gpu.name)),
            capability: target
                .capability
                .as_ref()
                .map(|capability| output(capability, |(major, minor)| format!("{major}.{minor}"))),
            installed: target
                .installed
                .as_ref()
                .map(|installed| output(installed, Clone::clone)),
            packages: packages(target),
        }
    }
}

impl<'a> FindingOutput<'a> {
    fn of(finding: &'a Finding, paths: &RepositoryPaths) -> Self {
        Self {
            code: finding.code,
            name: finding.name,
            severity: finding.severity.as_str(),
            confidence: finding.confidence.as_str(),
            message: &finding.message,
            primary: LabelOutput::of(&finding.primary),
            related: finding.related.iter().map(LabelOutput::of).collect(),
            notes: &finding.notes,
            help: finding.help.as_deref(),
            outcome: finding.outcome.as_ref().map(|outcome| OutcomeOutput {
                asked: &outcome.asked,
                runs: &outcome.runs,
            }),
            fingerprint: fingerprint(finding, paths),
            fixes: [],
            url: None,
        }
    }
}

impl<'a> LabelOutput<'a> {
    fn of(label: &'a Label) -> Self {
        let position = |offset: usize| {
            let (file, _) = label.source.as_ref()?;
            let at = file.line_column(offset);
            Some(Position {
                line: at.line,
                column: at.column,
                offset: offset.min(file.text().len()),
            })
        };
        let span = label.source.as_ref().map(|(_, span)| *span);
        Self {
            path: &label.path,
            start: span.and_then(|span| position(span.start)),
            end: span.and_then(|span| position(span.end)),
            label: &label.text,
        }
    }
}
