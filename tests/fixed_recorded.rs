//! Safe fixes, held to what the real accelerate said of each config before and after them. Recorded by
//! `tools/record_fixes.py`; neither accelerate nor Python is needed here.

#![allow(
    missing_docs,
    unreachable_pub,
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic
)]

use std::collections::BTreeSet;
use std::sync::Arc;

use fp8lint::fix::{self, ROUNDS};
use fp8lint::knowledge;
use fp8lint::resolve::{Config, NoFiles, Run, Target, resolve};
use fp8lint::rules::{self, Finding, Severity};
use fp8lint::source::SourceFile;
use serde_json::Value;

const NAME: &str = "accelerate.yaml";

/// What fp8lint says of a config: the verdict, and the findings.
fn judged(text: &str, release: &str) -> (String, Vec<Finding>) {
    let targets = [
        format!("accelerate={release}"),
        "installed=torchao,transformer_engine,msamp,deepspeed".to_owned(),
    ];
    let target = Target::parse(targets.iter().map(String::as_str), knowledge::releases()).unwrap();
    let known = knowledge::accelerate(&target.accelerate.value).unwrap();
    let file = Arc::new(SourceFile::from_text(NAME, text));
    let run = Run::assumed(Config::of_file(file), &target);
    let verdict = resolve(&run, known.facts, &NoFiles).verdict.to_string();
    (verdict, rules::judge(&run, &target, &[], &NoFiles))
}

/// The text after the safe fixes, with the findings that were mended.
fn mended(text: &str, release: &str) -> (String, Vec<Finding>) {
    let mut text = text.to_owned();
    let mut mended = Vec::new();
    for _ in 0..ROUNDS {
        let findings = judged(&text, release).1;
        let now = text.clone();
        let round = fix::round(&findings, false, |_| Ok(now.clone()));
        let Some(after) = round.texts.get(NAME) else {
            break;
        };
        text.clone_from(after);
        mended.extend(findings.into_iter().filter(|finding| {
            let title = fix::allowed(finding, false).map(|fix| &fix.title);
            title.is_some_and(|title| round.fixed.iter().any(|fixed| fixed.title == *title))
        }));
    }
    (text, mended)
}

/// `fp8` of `fp8:TE`, `bf16` of `no-fp8:bfloat16`.
fn precision(verdict: &str) -> &str {
    match verdict {
        "no-fp8:bfloat16" => "bf16",
        "no-fp8:float16" => "fp16",
        _ if verdict.starts_with("fp8:") => "fp8",
        other => other,
    }
}

#[test]
fn the_real_package_agrees() {
    let recorded = include_str!("recorded/fixed.jsonl");
    let (mut wrong, mut count, mut promises) = (Vec::new(), 0, 0);
    let (mut mended_rules, mut releases) = (BTreeSet::new(), BTreeSet::new());
    for line in recorded.lines() {
        let case: Value = serde_json::from_str(line).unwrap();
        let text = |pointer: &str| case.pointer(pointer).unwrap().as_str().unwrap().to_owned();
        let (release, before) = (text("/accelerate"), text("/before"));
        let (after, mended) = mended(&before, &release);
        let mut differs = |what: &str, here: &str, real: &str| {
            if here != real {
                wrong.push(format!(
                    "{what}: fp8lint {here:?}, recorded {real:?}, under {release}\n{before}"
                ));
            }
        };
        differs("fixed text", &after, &text("/after"));
        let verdict_before = judged(&before, &release).0;
        differs("before", &verdict_before, &text("/verdicts/before"));
        let (verdict, left) = judged(&after, &release);
        differs("after", &verdict, &text("/verdicts/after"));
        // What was asked for runs, unless another fault still stands in its way.
        if left
            .iter()
            .all(|finding| finding.severity < Severity::Error)
        {
            for outcome in mended.iter().filter_map(|finding| finding.outcome.as_ref()) {
                if matches!(outcome.asked.as_str(), "fp8" | "bf16" | "fp16") {
                    promises += 1;
                    let real = text("/verdicts/after");
                    differs("promise", &outcome.asked, precision(&real));
                }
            }
        }
        mended_rules.extend(mended.iter().map(|finding| finding.code));
        releases.insert(release.clone());
        count += 1;
    }
    assert!(
        wrong.is_empty(),
        "{} differ:\n{}",
        wrong.len(),
        wrong.join("\n")
    );
    assert!(
        count >= 200 && promises >= 100,
        "{count} cases, {promises} promises"
    );
    assert!(mended_rules.len() >= 8, "{mended_rules:?}");
    assert!(releases.len() >= 8, "{releases:?}");
}
