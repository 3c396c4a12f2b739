//! `fp8lint explain RULE` and `fp8lint rules`.

use serde::Serialize;

use crate::report;
use crate::rules::{Example, OPT_IN};

use super::arguments::TextOrJson;
use super::catalogue::{self, Described};
use super::failure::Failure;

/// A rule for programs.
#[derive(Serialize)]
struct RuleJson {
    code: &'static str,
    name: &'static str,
    severity: &'static str,
    confidence: &'static str,
    /// Whether it is only asked where it is selected by name.
    opt_in: bool,
    summary: &'static str,
    explanation: &'static str,
    examples: Vec<ExampleJson>,
}

#[derive(Serialize)]
struct ExampleJson {
    title: &'static str,
    /// Whether the rule finds fault with it.
    fails: bool,
    file: &'static str,
    text: &'static str,
    beside: Vec<FileJson>,
    settings: Option<&'static str>,
    target: &'static [&'static str],
}

#[derive(Serialize)]
struct FileJson {
    file: &'static str,
    text: &'static str,
}

impl RuleJson {
    fn of(described: &Described) -> Self {
        let examples = described.examples.iter();
        let beside = |example: &Example| {
            let files = example.beside.iter();
            files.map(|(file, text)| FileJson { file, text }).collect()
        };
        Self {
            code: described.code,
            name: described.name,
            severity: described.severity.as_str(),
            confidence: described.confidence.as_str(),
            opt_in: OPT_IN.contains(&described.code),
            summary: described.summary,
            explanation: described.explanation.trim(),
            examples: examples
                .map(|example| ExampleJson {
                    title: example.title,
                    fails: example.fails,
                    file: example.file,
                    text: example.text,
                    beside: beside(example),
                    settings: example.settings,
                    target: example.target,
                })
                .collect(),
        }
    }
}

/// What a rule is about, why, what to do, and its examples.
pub(super) fn explain(rule: &str, format: TextOrJson) -> Result<String, Failure> {
    let described = catalogue::find(rule)?;
    if format == TextOrJson::Json {
        return report::to_json(&RuleJson::of(&described)).map_err(unwritten);
    }
    let mut text = format!(
        "{} {}\n{}, {}\n\n{}\n\n{}\n",
        described.code,
        described.name,
        described.severity,
        described.confidence.as_str(),
        described.summary,
        described.explanation.trim(),
    );
    if OPT_IN.contains(&described.code) {
        text.push_str("\nIt is opt-in: reported only where --select or the settings select it.\n");
    }
    for (heading, fails) in [("Found", true), ("Passed", false)] {
        let examples = described.examples.iter();
        for example in examples.filter(|example| example.fails == fails) {
            text.push_str(&shown(heading, example));
        }
    }
    Ok(text)
}

/// An example under its heading.
fn shown(heading: &str, example: &Example) -> String {
    let mut text = format!("\n{heading}: {}", example.title);
    if !example.target.is_empty() {
        text.push_str(&format!(
            " (--target {})",
            example.target.join(" --target ")
        ));
    }
    text.push('\n');
    text.push_str(&indented(example.text));
    if let Some(settings) = example.settings {
        text.push_str("  beside fp8lint.toml:\n");
        text.push_str(&indented(settings));
    }
    text
}

fn indented(text: &str) -> String {
    text.lines().map(|line| format!("    {line}\n")).collect()
}

fn unwritten(error: serde_json::Error) -> Failure {
    Failure::run(format!("the rules cannot be written: {error}"))
}

/// One line for each rule, or all that there is to say of each.
pub(super) fn list(format: TextOrJson) -> Result<String, Failure> {
    let all = catalogue::all();
    if format == TextOrJson::Json {
        let rules: Vec<_> = all.iter().map(RuleJson::of).collect();
        return report::to_json(&rules).map_err(unwritten);
    }
    let width = |column: fn(&Described) -> usize| all.iter().map(column).max().unwrap_or(0);
    let name = width(|described| described.name.len());
    let severity = width(|described| described.severity.as_str().len());
    let lines = all
        .iter()
        .map(|described| {
            format!(
                "{}  {:name$}  {:severity$}  {}\n",
                described.code,
                described.name,
                described.severity.as_str(),
                described.summary,
            )
        })
        .collect();
    Ok(lines)
}
