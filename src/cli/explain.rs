//! `fp8lint explain RULE` and `fp8lint rules`.

use crate::rules::Example;

use super::catalogue::{self, Described};
use super::failure::Failure;

/// What a rule is about, why, what to do, and its examples.
pub(super) fn explain(rule: &str) -> Result<String, Failure> {
    let described = catalogue::find(rule)?;
    let mut text = format!(
        "{} {}\n{}, {}\n\n{}\n\n{}\n",
        described.code,
        described.name,
        described.severity,
        described.confidence.as_str(),
        described.summary,
        described.explanation.trim(),
    );
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

/// One line for each rule.
pub(super) fn list() -> String {
    let all = catalogue::all();
    let width = |column: fn(&Described) -> usize| all.iter().map(column).max().unwrap_or(0);
    let name = width(|described| described.name.len());
    let severity = width(|described| described.severity.as_str().len());
    all.iter()
        .map(|described| {
            format!(
                "{}  {:name$}  {:severity$}  {}\n",
                described.code,
                described.name,
                described.severity.as_str(),
                described.summary,
            )
        })
        .collect()
}
