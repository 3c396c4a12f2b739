//! `json`: one object, described by `json-schema.json`.

use std::collections::BTreeMap;
use std::io::{self, Write};

use serde::Serialize;

use crate::resolve::target::{Declared, FileLine, Target, TargetOrigin};
use crate::rules::Severity;

use super::fixable::FixableCounts;
use super::json_finding::{FindingOutput, SuppressedOutput};
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
    suppressed: Vec<SuppressedOutput<'a>>,
    fixed: Vec<FixedOutput<'a>>,
    fixes_are_written: bool,
    scope: Option<&'a str>,
    summary: Summary,
}

#[derive(Serialize)]
struct FixedOutput<'a> {
    code: &'static str,
    name: &'static str,
    path: &'a str,
    line: usize,
    title: &'a str,
    safety: &'static str,
    edited: &'a [String],
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
struct Summary {
    files_read: usize,
    configs: usize,
    errors: usize,
    warnings: usize,
    notes: usize,
    fixable: FixableCountsOutput,
    rules: Vec<RuleCountOutput>,
}

#[derive(Serialize)]
struct FixableCountsOutput {
    safe: usize,
    #[serde(rename = "unsafe")]
    unsafe_: usize,
}

#[derive(Serialize)]
struct RuleCountOutput {
    code: &'static str,
    name: &'static str,
    findings: usize,
    fixable: usize,
}

impl<'a> Output<'a> {
    fn of(checked: &'a Checked) -> Self {
        let fixable = FixableCounts::of(&checked.findings);
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
            suppressed: checked
                .suppressed
                .iter()
                .map(|suppressed| SuppressedOutput::of(suppressed, &checked.paths))
                .collect(),
            fixed: checked
                .fixed
                .iter()
                .map(|fixed| FixedOutput {
                    code: fixed.code,
                    name: fixed.name,
                    path: &fixed.path,
                    line: fixed.line,
                    title: &fixed.title,
                    safety: fixed.safety.as_str(),
                    edited: &fixed.edited,
                })
                .collect(),
            fixes_are_written: checked.fixes_are_written,
            scope: checked.scope.as_deref(),
            summary: Summary {
                files_read: checked.files_read,
                configs: checked.files.len(),
                errors: checked.count(Severity::Error),
                warnings: checked.count(Severity::Warning),
                notes: checked.count(Severity::Note),
                fixable: FixableCountsOutput {
                    safe: fixable.safe,
                    unsafe_: fixable.unsafe_,
                },
                rules: checked
                    .count_by_rule()
                    .into_iter()
                    .map(|count| RuleCountOutput {
                        code: count.code,
                        name: count.name,
                        findings: count.findings,
                        fixable: count.fixable,
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
