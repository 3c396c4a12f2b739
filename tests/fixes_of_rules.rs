//! Every fix that a failing example of a rule is offered does what it says: the finding is gone, and nothing worse comes.

#![allow(
    missing_docs,
    unreachable_pub,
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic
)]

mod support;

use std::collections::{BTreeMap, BTreeSet};

use fp8lint::cli::catalogue::{self, Described};
use fp8lint::rules::{Example, OPT_IN};
use serde_json::Value;
use support::Repository;

fn repository(example: &Example) -> Repository {
    let repository = Repository::with(&[(example.file, example.text)]);
    for (file, text) in example.beside {
        repository.write(file, text);
    }
    if let Some(settings) = example.settings {
        repository.write("fp8lint.toml", settings);
    }
    repository
}

fn report(
    repository: &Repository,
    described: &Described,
    example: &Example,
    more: &[&str],
) -> Value {
    let checked = if example.beside.is_empty() {
        example.file
    } else {
        "."
    };
    let mut arguments = vec![checked, "--report", "json"];
    if OPT_IN.contains(&described.code) {
        arguments.extend(["--select", described.code]);
    }
    for setting in example.target {
        arguments.extend(["--target", setting]);
    }
    arguments.extend(more);
    serde_json::from_str(&repository.run(&arguments).stdout).unwrap()
}

/// Rule, path and route of each finding of at least this severity; of all, where none is named.
fn places(report: &Value, severity: Option<&str>) -> BTreeSet<String> {
    let findings = report["findings"].as_array().unwrap().iter();
    findings
        .filter(|finding| severity.is_none_or(|severity| finding["severity"] == severity))
        .map(|finding| format!("{} {}", finding["code"], finding["fingerprint"]))
        .collect()
}

fn codes(report: &Value, severity: &str) -> BTreeSet<String> {
    let findings = report["findings"].as_array().unwrap().iter();
    findings
        .filter(|finding| finding["severity"] == severity)
        .map(|finding| finding["code"].as_str().unwrap().to_owned())
        .collect()
}

fn offers(finding: &Value, safety: &str) -> bool {
    let fixes = finding["fixes"].as_array().unwrap();
    fixes.iter().any(|fix| fix["safety"] == safety)
}

#[test]
fn each_fix_of_an_example_mends_it() {
    let mut offered: BTreeMap<String, (usize, usize)> = BTreeMap::new();
    let mut wrong = String::new();
    for described in catalogue::all() {
        for example in described.examples.iter().filter(|example| example.fails) {
            let before = report(&repository(example), &described, example, &[]);
            let findings = before["findings"].as_array().unwrap();
            for (safety, arguments) in [
                ("safe", &["--fix"][..]),
                ("unsafe", &["--fix", "--unsafe-fixes"]),
            ] {
                let mended: Vec<_> = findings
                    .iter()
                    .filter(|finding| finding["code"] == described.code && offers(finding, safety))
                    .collect();
                if mended.is_empty() {
                    continue;
                }
                let counts = offered.entry(described.code.to_owned()).or_default();
                if safety == "safe" {
                    counts.0 += 1
                } else {
                    counts.1 += 1
                }
                let repository = repository(example);
                let after = report(&repository, &described, example, arguments);
                let left = places(&after, None);
                for finding in mended {
                    let place = format!("{} {}", finding["code"], finding["fingerprint"]);
                    if left.contains(&place) {
                        wrong += &format!(
                            "{}, {:?}: {safety} fix leaves {place}\n",
                            described.code, example.title
                        );
                    }
                }
                let new: Vec<_> = codes(&after, "error")
                    .difference(&codes(&before, "error"))
                    .cloned()
                    .collect();
                if !new.is_empty() {
                    wrong += &format!(
                        "{}, {:?}: {safety} fix brings {new:?}:\n{}\n",
                        described.code,
                        example.title,
                        repository.read(example.file)
                    );
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
    let safe = offered.values().filter(|(safe, _)| *safe > 0).count();
    assert!(safe >= 10, "rules with safe fixes: {offered:?}");
    assert!(offered.len() >= 30, "rules with fixes: {offered:?}");
}
