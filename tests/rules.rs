//! Every rule with its examples: what is shown to fail is found, what is shown to pass is passed by all rules.

#![allow(
    missing_docs,
    unreachable_pub,
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic
)]

mod support;

use std::collections::BTreeSet;

use fp8lint::cli::catalogue::{self, Described};
use fp8lint::rules::{Example, OPT_IN, RULES};
use support::Repository;

/// The codes that a check of the example's file reports.
fn codes_found(described: &Described, example: &Example) -> BTreeSet<String> {
    let repository = Repository::with(&[(example.file, example.text)]);
    for (file, text) in example.beside {
        repository.write(file, text);
    }
    if let Some(settings) = example.settings {
        repository.write("fp8lint.toml", settings);
    }
    let checked = if example.beside.is_empty() {
        example.file
    } else {
        "."
    };
    let mut arguments = vec![checked, "--report", "json"];
    if OPT_IN.contains(&described.code) && example.fails {
        arguments.extend(["--select", described.code]);
    }
    for setting in example.target {
        arguments.extend(["--target", setting]);
    }
    let ran = repository.run(&arguments);
    let shown = format!("{}, {}", described.code, example.title);
    assert_eq!(ran.stderr, "", "{shown}");
    let report: serde_json::Value = serde_json::from_str(&ran.stdout).unwrap();
    let findings = report["findings"].as_array().unwrap();
    let code = |finding: &serde_json::Value| finding["code"].as_str().unwrap().to_owned();
    findings.iter().map(code).collect()
}

#[test]
fn failing_examples_are_found_and_passing_ones_pass_every_rule() {
    let mut wrong = String::new();
    for described in catalogue::all() {
        for example in described.examples {
            let found = codes_found(&described, example);
            let is_right = match example.fails {
                true => found.contains(described.code),
                false => found.is_empty(),
            };
            if !is_right {
                let title = example.title;
                wrong += &format!("{} {title:?}: found {found:?}\n", described.code);
            }
        }
    }
    assert!(
        wrong.is_empty(),
        "an example that fails shows its rule, one that passes shows none:\n{wrong}"
    );
}

#[test]
fn every_rule_has_examples_of_both_kinds_under_titles_of_their_own() {
    for rule in RULES {
        for fails in [true, false] {
            let has_one = rule.examples.iter().any(|example| example.fails == fails);
            assert!(has_one, "{} has no example with fails: {fails}", rule.code);
        }
        let titles: BTreeSet<_> = rule.examples.iter().map(|example| example.title).collect();
        assert_eq!(titles.len(), rule.examples.len(), "{}", rule.code);
        for example in rule.examples {
            assert!(example.text.ends_with('\n'), "{}", rule.code);
        }
    }
}

#[test]
fn codes_and_names_are_well_formed_and_unique() {
    let all = catalogue::all();
    let names: BTreeSet<_> = all.iter().map(|described| described.name).collect();
    assert_eq!(names.len(), all.len(), "a name is used twice");
    for pair in all.windows(2) {
        assert!(pair[0].code < pair[1].code, "{} twice", pair[1].code);
    }
    assert!(
        RULES.is_sorted_by_key(|rule| rule.code),
        "the list in src/rules/mod.rs is not in the order of the codes"
    );
    for described in &all {
        let (code, name) = (described.code, described.name);
        let number = code.strip_prefix("FP").unwrap();
        assert!(
            number.len() == 3 && number.bytes().all(|byte| byte.is_ascii_digit()),
            "{code}"
        );
        let is_word = |word: &str| {
            !word.is_empty()
                && word
                    .bytes()
                    .all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit())
        };
        assert!(name.split('-').all(is_word), "{name}");
    }
}

#[test]
fn summaries_are_one_sentence_and_explanations_name_their_source() {
    for described in catalogue::all() {
        let code = described.code;
        assert!(
            !described.summary.contains('\n') && described.summary.ends_with('.'),
            "{code}: the summary is one line that ends in a full stop"
        );
        assert!(
            described.explanation.len() > described.summary.len(),
            "{code}"
        );
    }
    for rule in RULES {
        let cites = [".py", "PyYAML", "accelerator.prepare", "launcher"];
        assert!(
            cites.iter().any(|source| rule.explanation.contains(source)),
            "{}: the explanation names no source",
            rule.code
        );
    }
}
