//! Fixes of a config alone, over thousands of generated configs and all real ones at hand: fixing twice is fixing once,
//! nothing but the named keys changes, comments and line ends stay, and what was mended is found no more.

#![allow(
    missing_docs,
    unreachable_pub,
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic
)]

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use fp8lint::fix::{self, ROUNDS};
use fp8lint::knowledge;
use fp8lint::resolve::{Config, NoFiles, Run, Target};
use fp8lint::rules::{self, Finding};
use fp8lint::source::{Change, Document, NodeRef, Route, SourceFile, Syntax};
use proptest::prelude::*;
use proptest::sample::{select, subsequence};

/// A config after all rounds.
struct Mended {
    text: String,
    changes: Vec<Change>,
    rounds: usize,
    /// The rule and route of each finding that was mended.
    mended: Vec<(&'static str, Route)>,
    findings: Vec<Finding>,
}

fn judged(name: &str, text: &str, release: &str) -> Vec<Finding> {
    let targets = [format!("accelerate={release}")];
    let target = Target::parse(targets.iter().map(String::as_str), knowledge::releases()).unwrap();
    let file = Arc::new(SourceFile::from_text(name, text));
    let run = Run::assumed(Config::of_file(file), &target);
    rules::judge(&run, &target, &[], &NoFiles)
}

fn mend(name: &str, text: &str, release: &str, allows_unsafe: bool) -> Mended {
    let mut mended = Mended {
        text: text.to_owned(),
        changes: Vec::new(),
        rounds: 0,
        mended: Vec::new(),
        findings: judged(name, text, release),
    };
    while mended.rounds < ROUNDS {
        let now = mended.text.clone();
        let round = fix::round(&mended.findings, allows_unsafe, |_| Ok(now.clone()));
        assert!(round.not_fixed.is_empty(), "{:?}\n{text}", round.not_fixed);
        let Some(after) = round.texts.get(name) else {
            break;
        };
        mended.rounds += 1;
        for finding in &mended.findings {
            if let Some(fix) = fix::allowed(finding, allows_unsafe)
                && round.fixed.iter().any(|fixed| fixed.title == fix.title)
            {
                mended
                    .mended
                    .push((finding.code, finding.key.route.clone()));
                mended
                    .changes
                    .extend(fix.edits.iter().map(|edit| edit.change.clone()));
            }
        }
        mended.text.clone_from(after);
        mended.findings = judged(name, after, release);
    }
    mended
}

/// Every scalar and empty collection under its route, as Python shows it.
fn flat(document: &Document) -> BTreeMap<String, String> {
    fn walk(node: NodeRef<'_>, route: &str, depth: usize, flat: &mut BTreeMap<String, String>) {
        let before = flat.len();
        if depth < 8 {
            for entry in node.entries() {
                let key = entry
                    .key
                    .object()
                    .map_or_else(String::new, |key| key.python_repr());
                walk(entry.value, &format!("{route}/{key}"), depth + 1, flat);
            }
        }
        if flat.len() == before {
            let value = node
                .object()
                .map_or_else(String::new, |value| value.python_repr());
            flat.insert(route.to_owned(), value);
        }
    }
    let mut values = BTreeMap::new();
    walk(document.root(), "", 0, &mut values);
    values
}

/// The routes that changes name, spelt as in [`flat`].
fn named(changes: &[Change]) -> Vec<String> {
    let spelt = |route: &Route| {
        let steps = route.0.iter().map(|step| match step {
            fp8lint::source::Step::Key(key) => format!("/'{key}'"),
            fp8lint::source::Step::Index(index) => format!("/{index}"),
        });
        steps.collect::<String>()
    };
    let mut routes = Vec::new();
    for change in changes {
        match change {
            Change::Set { route, .. } | Change::Remove { route } | Change::Add { route, .. } => {
                routes.push(spelt(route));
            }
            Change::Rename { route, key } => {
                let mut parent = route.clone();
                parent.0.pop();
                routes.push(spelt(route));
                routes.push(format!("{}/'{key}'", spelt(&parent)));
            }
            Change::Several(changes) => routes.extend(named(changes)),
            Change::Word { .. } | Change::Comment { .. } => {}
        }
    }
    routes
}

/// Whether a route is one of the named ones, below one, or the mapping of one that is empty before or after.
fn is_named(route: &str, named: &[String]) -> bool {
    named.iter().any(|named| {
        route == named
            || route.starts_with(&format!("{named}/"))
            || named
                .strip_prefix(route)
                .is_some_and(|rest| rest.starts_with('/'))
    })
}

fn check(name: &str, text: &str, release: &str) {
    for allows_unsafe in [false, true] {
        let once = mend(name, text, release, allows_unsafe);
        let shown = format!(
            "{name} under {release}, unsafe: {allows_unsafe}\n{text}\n->\n{}",
            once.text
        );
        assert!(once.rounds < ROUNDS, "not stable: {shown}");
        let twice = mend(name, &once.text, release, allows_unsafe);
        assert_eq!(
            twice.text, once.text,
            "fixing twice is fixing once: {shown}"
        );
        for (code, route) in &once.mended {
            let is_left = |finding: &&Finding| finding.code == *code && finding.key.route == *route;
            assert!(
                !once.findings.iter().any(|finding| is_left(&finding)),
                "{code} {route} is left: {shown}"
            );
        }
        let Ok(before) = Syntax::of_name(name).read(text) else {
            assert_eq!(once.text, text, "what cannot be read is not touched");
            continue;
        };
        let after = Syntax::of_name(name).read(&once.text).unwrap();
        let (before_values, after_values) = (flat(&before), flat(&after));
        let named = named(&once.changes);
        for route in before_values.keys().chain(after_values.keys()) {
            if before_values.get(route) != after_values.get(route) {
                assert!(
                    is_named(route, &named),
                    "{route} was not named ({named:?}): {shown}"
                );
            }
        }
        let ends = |text: &str| {
            (
                text.matches("\r\n").count() == text.matches('\n').count(),
                text.ends_with('\n'),
                text.starts_with('\u{feff}'),
            )
        };
        // Of one line without an end it cannot be told how lines end.
        let (mut after_ends, mut before_ends) = (ends(&once.text), ends(text));
        if !once.text.contains('\n') || text.matches('\n').count() < 2 {
            (after_ends.0, before_ends.0) = (true, true);
        }
        assert_eq!(after_ends, before_ends, "{shown}");
        // A key that goes takes the comment behind it along.
        let has_removed =
            |change: &Change| matches!(change, Change::Remove { .. } | Change::Several(_));
        if !once.changes.iter().any(has_removed) {
            let comments = |document: &Document, text: &str| -> Vec<String> {
                let comments = document.comments.iter();
                comments
                    .map(|comment| text[comment.span.start..comment.span.end].to_owned())
                    .collect()
            };
            assert_eq!(
                comments(&after, &once.text),
                comments(&before, text),
                "{shown}"
            );
        }
    }
}

/// A top-level key with its value, or a section with its lines.
const KEYS: &[(&str, &[&str])] = &[
    ("compute_environment", &["LOCAL_MACHINE"]),
    (
        "distributed_type",
        &[
            "FSDP",
            "'NO'",
            "NO",
            "MULTI_GPU",
            "DEEPSPEED",
            "MULTI_CPU",
            "XLA",
        ],
    ),
    (
        "mixed_precision",
        &[
            "fp8", "bf16", "fp16", "no", "'no'", "FP8", "BF16", "float16", "\"fp8\"", "off", "yes",
        ],
    ),
    ("num_processes", &["8", "1", "'8'"]),
    ("num_machines", &["1"]),
    ("machine_rank", &["0"]),
    ("use_cpu", &["false", "'false'", "\"true\"", "true"]),
    ("downcast_bf16", &["'no'", "no", "'yes'"]),
    ("debug", &["false", "'false'"]),
    (
        "fp8",
        &["true", "{backend: auto}", "{backend: te}", "false", "null"],
    ),
    ("fp8_backend", &["ao", "TE"]),
    ("fp16", &["true", "false"]),
    ("mixed_precison", &["fp8", "bf16"]),
    ("dynamo_backend", &["inductor", "'no'"]),
    ("num_process", &["8"]),
];

const SECTIONS: &[(&str, &[&str])] = &[
    (
        "fp8_config",
        &[
            "backend: ao",
            "backend: AO",
            "backend: TE",
            "backend: te",
            "backend: msamp",
            "backend: 'torchao'",
            "backend: auto",
            "override_linear_precision: false",
            "override_linear_precision: [true, true, true]",
            "amax_history_length: 1024",
            "amax_compute_algorithm: max",
            "amax_compute_algo: max",
            "fp8_format: hybrid",
            "fp8_format: HYBRID",
            "margin: 0",
            "margin: '0'",
            "interval: 1",
            "use_autocast_during_eval: 'false'",
            "optimization_level: O2",
            "opt_level: o2",
            "use_during_eval: true",
            "enable_fsdp_float8_all_gather: 'true'",
            "pad_inner_dim: false",
        ],
    ),
    (
        "fsdp_config",
        &[
            "fsdp_version: 2",
            "fsdp_version: 1",
            "fsdp_cpu_ram_efficient_loading: true",
            "fsdp_cpu_ram_efficient_loading: 'false'",
            "fsdp_auto_wrap_policy: TRANSFORMER_BASED_WRAP",
            "fsdp_sharding_strategy: FULL_SHARD",
            "fsdp_reshard_after_forward: true",
            "fp8: true",
            "fp8: {backend: auto}",
            "mixed_precision: fp8",
            "fsdp_state_dict_type: SHARDED_STATE_DICT",
            "fsdp_offload_params: false",
            "fsdp_offload_param: false",
        ],
    ),
    (
        "deepspeed_config",
        &[
            "zero_stage: 2",
            "zero_stage: 3",
            "gradient_accumulation_steps: 1",
            "fp8: true",
            "zero3_init_flag: 'false'",
            "mixed_precision: bf16",
            "offload_optimizer_device: none",
        ],
    ),
    (
        "dynamo_config",
        &["dynamo_backend: INDUCTOR", "dynamo_mode: default"],
    ),
];

/// How a config is written down.
#[derive(Clone, Debug)]
struct Look {
    line_end: &'static str,
    starts: &'static str,
    ends_with_line: bool,
    indent: &'static str,
    flow: bool,
    comments: bool,
}

fn look() -> impl Strategy<Value = Look> {
    (
        select(vec!["\n", "\r\n"]),
        select(vec!["", "\u{feff}", "# a config\n", "---\n"]),
        any::<bool>(),
        select(vec!["  ", "    ", "   "]),
        any::<bool>(),
        any::<bool>(),
    )
        .prop_map(
            |(line_end, starts, ends_with_line, indent, flow, comments)| Look {
                line_end,
                starts,
                ends_with_line,
                indent,
                flow,
                comments,
            },
        )
}

fn configs() -> impl Strategy<Value = String> {
    let top = subsequence(KEYS.to_vec(), 2..8).prop_flat_map(|keys| {
        let keys: Vec<_> = keys
            .into_iter()
            .map(|(key, values)| (Just(key), select(values.to_vec())))
            .collect();
        keys
    });
    let sections = subsequence(SECTIONS.to_vec(), 0..4).prop_flat_map(|sections| {
        let sections: Vec<_> = sections
            .into_iter()
            .map(|(key, lines)| {
                (
                    Just(key),
                    subsequence(lines.to_vec(), 0..=lines.len().min(5)),
                )
            })
            .collect();
        sections
    });
    (top, sections, look()).prop_map(|(top, sections, look)| written(&top, &sections, &look))
}

fn written(top: &[(&str, &str)], sections: &[(&str, Vec<&str>)], look: &Look) -> String {
    let mut lines = Vec::new();
    for (index, (key, value)) in top.iter().enumerate() {
        let comment = if look.comments && index % 2 == 0 {
            "  # as asked"
        } else {
            ""
        };
        lines.push(format!("{key}: {value}{comment}"));
    }
    for (key, inner) in sections {
        // A key twice would be another fault.
        let mut names = std::collections::BTreeSet::new();
        let inner: Vec<_> = inner
            .iter()
            .filter(|line| names.insert(line.split(':').next()))
            .collect();
        if look.comments {
            lines.push(format!("# about {key}"));
        }
        if look.flow || inner.is_empty() {
            let inner: Vec<_> = inner.iter().map(|line| **line).collect();
            lines.push(format!("{key}: {{{}}}", inner.join(", ")));
        } else {
            lines.push(format!("{key}:"));
            lines.extend(inner.iter().map(|line| format!("{}{line}", look.indent)));
        }
    }
    let mut text = format!("{}{}", look.starts, lines.join("\n"));
    if look.ends_with_line {
        text.push('\n');
    }
    text.replace('\n', look.line_end)
}

fn releases() -> impl Strategy<Value = &'static str> {
    select(vec![
        "1.15.0", "1.15.0", "1.15.0", "1.12.0", "1.10.1", "1.6.0", "1.3.0", "0.34.2", "0.28.0",
    ])
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2500, max_shrink_iters: 300, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn generated_configs(text in configs(), release in releases()) {
        check("accelerate.yaml", &text, release);
        // As JSON, where it is a mapping that JSON can hold.
        let json = Syntax::Yaml.read(&text).ok().and_then(|document| {
            let value: serde_yaml::Value = serde_yaml::from_str(&text).ok()?;
            (!document.root().entries().any(|entry| entry.key.text().is_none()))
                .then(|| serde_json::to_string_pretty(&value).ok())?
        });
        if let Some(json) = json {
            check("accelerate.json", &json, release);
        }
    }
}

/// The examples of all rules, and the files of the corpus where it is at hand.
fn real() -> Vec<(String, String)> {
    let examples = rules::RULES.iter().flat_map(|rule| rule.examples);
    let mut files: Vec<_> = examples
        .map(|example| (example.file.to_owned(), example.text.to_owned()))
        .collect();
    let Ok(shared) = std::env::var("FP8LINT_SHARED") else {
        return files;
    };
    let mut open = vec![Path::new(&shared).join("corpus/files")];
    while let Some(path) = open.pop() {
        if path.is_dir() {
            open.extend(
                std::fs::read_dir(&path)
                    .unwrap()
                    .map(|entry| entry.unwrap().path()),
            );
        } else if let Ok(text) = std::fs::read_to_string(&path) {
            files.push((
                path.file_name().unwrap().to_string_lossy().into_owned(),
                text,
            ));
        }
    }
    files.sort();
    files
}

#[test]
fn real_configs() {
    let files = real();
    for (name, text) in &files {
        check(name, text, "1.15.0");
    }
    println!("{} files", files.len());
}
