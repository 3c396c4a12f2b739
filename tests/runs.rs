//! Runs of whole small repositories: `tests/runs/<name>/` holds the files and `expected.toml`, which says what really
//! happens and how that is known. `FP8LINT_SHARED` names the folder whose `cases/` are held against as well.

#![allow(
    missing_docs,
    unreachable_pub,
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic
)]

mod support;

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use serde::Deserialize;
use serde_json::Value;
use support::Repository;

/// Checks in which the program is wrong for now: repository, check, what is wrong. The test fails when one is right.
const KNOWN: &[(&str, &str, &str)] = &[(
    "fsdp-policy-nobody-reads",
    "as it is",
    "no finding for a key of fsdp_config that nothing reads",
)];

/// What is known of a repository.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Expected {
    about: String,
    /// Ids of public reports, or the class of them.
    source: Vec<String>,
    evidence: String,
    check: Vec<Check>,
}

/// One situation: the files as they are, or edited.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Check {
    name: String,
    #[serde(default)]
    target: Vec<String>,
    /// What is written in a file in place of what, or the whole text of a file.
    #[serde(default)]
    edit: BTreeMap<String, Edit>,
    /// All findings of warning and above; notes may be among them.
    #[serde(default)]
    findings: Vec<Place>,
    /// Whether notes that are not listed are wrong as well.
    #[serde(default)]
    exact: bool,
    /// The verdicts of the runs of a file, in order.
    #[serde(default)]
    verdicts: BTreeMap<String, Vec<String>>,
    /// What some finding must say.
    #[serde(default)]
    says: Vec<String>,
    /// The recorded question whose answer is the verdict of the only run.
    oracle: Option<String>,
}

#[derive(Deserialize)]
#[serde(untagged)]
enum Edit {
    Whole(String),
    Parts(Vec<(String, String)>),
}

/// Where a finding is expected.
#[derive(Deserialize, Debug)]
#[serde(deny_unknown_fields)]
struct Place {
    /// A code, or the beginning of one where several rules may say it.
    code: String,
    /// Nothing where it may be said of any of the files.
    path: Option<String>,
    line: Option<u64>,
    /// Nothing: warning or error.
    severity: Option<String>,
}

impl Place {
    fn is(&self, finding: &Value) -> bool {
        let primary = &finding["primary"];
        text(&finding["code"]).starts_with(&self.code)
            && self
                .path
                .as_ref()
                .is_none_or(|path| primary["path"] == **path)
            && self
                .line
                .is_none_or(|line| primary["start"]["line"] == line)
            && match &self.severity {
                Some(severity) => finding["severity"] == **severity,
                None => finding["severity"] != "note",
            }
    }
}

fn text(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}

fn runs_folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/runs")
}

/// The files of a folder by their paths in it, without `expected.*`.
fn files_of(folder: &Path) -> BTreeMap<String, String> {
    fn collect(root: &Path, folder: &Path, files: &mut BTreeMap<String, String>) {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            let shown = path
                .strip_prefix(root)
                .unwrap()
                .to_str()
                .unwrap()
                .to_owned();
            if path.is_dir() {
                collect(root, &path, files);
            } else if !shown.starts_with("expected.") {
                files.insert(shown, fs::read_to_string(&path).unwrap());
            }
        }
    }
    let mut files = BTreeMap::new();
    collect(folder, folder, &mut files);
    files
}

fn folders(root: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(root)
        .unwrap()
        .map(|entry| entry.unwrap().path());
    let mut folders: Vec<_> = entries.filter(|path| path.is_dir()).collect();
    folders.sort();
    folders
}

fn name_of(folder: &Path) -> String {
    folder.file_name().unwrap().to_str().unwrap().to_owned()
}

fn replaced(text: &str, from: &str, to: &str) -> String {
    assert!(text.contains(from), "{from:?} is not in {text:?}");
    text.replace(from, to)
}

fn repository_of(files: &BTreeMap<String, String>) -> Repository {
    let repository = Repository::with(&[]);
    for (path, text) in files {
        repository.write(path, text);
    }
    repository
}

fn targets(target: &[String]) -> impl Iterator<Item = &str> {
    target.iter().flat_map(|setting| ["--target", setting])
}

fn findings_in(repository: &Repository, target: &[String]) -> Vec<Value> {
    let mut arguments = vec!["--report", "json"];
    arguments.extend(targets(target));
    let ran = repository.run(&arguments);
    assert_eq!(ran.stderr, "");
    let report: Value = serde_json::from_str(&ran.stdout).unwrap();
    report["findings"].as_array().unwrap().clone()
}

fn verdicts_in(repository: &Repository, file: &str, target: &[String]) -> Vec<String> {
    let mut arguments = vec!["resolve", file, "--format", "json"];
    arguments.extend(targets(target));
    let ran = repository.run(&arguments);
    assert_eq!(ran.stderr, "", "{file}");
    let resolved: Value = serde_json::from_str(&ran.stdout).unwrap();
    let runs = resolved["runs"].as_array().unwrap().iter();
    runs.map(|run| text(&run["verdict"]).to_owned()).collect()
}

/// A verdict as it is expected, or of the expected kind: `no-fp8:*`.
fn is_verdict(verdict: &str, expected: &str) -> bool {
    match expected.strip_suffix('*') {
        Some(kind) => verdict.starts_with(kind),
        None => verdict == expected,
    }
}

/// All that a finding says in words.
fn words_of(finding: &Value) -> String {
    let mut words = vec![text(&finding["message"]), text(&finding["help"])];
    words.extend(finding["notes"].as_array().into_iter().flatten().map(text));
    words.extend(["asked", "runs"].map(|key| text(&finding["outcome"][key])));
    words.join("\n")
}

fn shown(findings: &[Value]) -> String {
    let lines = findings.iter().map(|finding| {
        format!(
            "    {}:{} {} {} {}\n",
            text(&finding["primary"]["path"]),
            finding["primary"]["start"]["line"],
            text(&finding["severity"]),
            text(&finding["code"]),
            text(&finding["message"])
        )
    });
    lines.collect()
}

/// What differs from what is expected.
fn differences(files: &BTreeMap<String, String>, check: &Check) -> Vec<String> {
    let mut files = files.clone();
    for (path, edit) in &check.edit {
        let edited = match edit {
            Edit::Whole(text) => text.clone(),
            Edit::Parts(parts) => parts.iter().fold(files[path].clone(), |text, (from, to)| {
                replaced(&text, from, to)
            }),
        };
        files.insert(path.clone(), edited);
    }
    let repository = repository_of(&files);
    let findings = findings_in(&repository, &check.target);
    let mut differences = Vec::new();
    for place in &check.findings {
        if !findings.iter().any(|finding| place.is(finding)) {
            differences.push(format!("not found: {place:?}, but\n{}", shown(&findings)));
        }
    }
    let is_wrong = |finding: &&Value| {
        let is_quiet = finding["severity"] == "note" && !check.exact;
        // What was not followed is no statement about the files.
        let is_remark = finding["severity"] == "note" && text(&finding["code"]).starts_with("FP9");
        !is_quiet && !is_remark && !check.findings.iter().any(|place| place.is(finding))
    };
    let wrong: Vec<Value> = findings.iter().filter(is_wrong).cloned().collect();
    if !wrong.is_empty() {
        differences.push(format!("not expected:\n{}", shown(&wrong)));
    }
    for said in &check.says {
        if !findings
            .iter()
            .any(|finding| words_of(finding).contains(said))
        {
            differences.push(format!("nothing says {said:?}:\n{}", shown(&findings)));
        }
    }
    for (file, expected) in &check.verdicts {
        let verdicts = verdicts_in(&repository, file, &check.target);
        let is_right = verdicts.len() == expected.len()
            && verdicts
                .iter()
                .zip(expected)
                .all(|(verdict, expected)| is_verdict(verdict, expected));
        if !is_right {
            differences.push(format!(
                "{file}: verdicts {verdicts:?}, really {expected:?}"
            ));
        }
    }
    differences
}

fn repositories() -> Vec<(String, BTreeMap<String, String>, Expected)> {
    let folders = folders(&runs_folder());
    let repositories = folders.iter().map(|folder| {
        let expected = fs::read_to_string(folder.join("expected.toml")).unwrap();
        let expected: Expected = toml::from_str(&expected)
            .unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
        (name_of(folder), files_of(folder), expected)
    });
    repositories.collect()
}

#[test]
fn each_repository_is_judged_as_it_really_runs() {
    let repositories = repositories();
    let mut wrong = String::new();
    let mut known: BTreeMap<(&str, &str), &str> = KNOWN
        .iter()
        .map(|(name, check, why)| ((*name, *check), *why))
        .collect();
    for (name, files, expected) in &repositories {
        for check in &expected.check {
            let differences = differences(files, check);
            let is_known = known
                .remove(&(name.as_str(), check.name.as_str()))
                .is_some();
            match (is_known, differences.is_empty()) {
                (false, false) => {
                    wrong += &format!(
                        "{name}, {:?}:\n  {}\n",
                        check.name,
                        differences.join("\n  ")
                    );
                }
                (true, true) => {
                    wrong += &format!(
                        "{name}, {:?}: is right now, take it from KNOWN\n",
                        check.name
                    );
                }
                _ => {}
            }
        }
    }
    assert!(wrong.is_empty(), "\n{wrong}");
    assert!(known.is_empty(), "KNOWN names what there is not: {known:?}");
}

#[test]
fn repositories_say_where_they_are_from_and_how_their_truth_is_known() {
    let repositories = repositories();
    assert!(repositories.len() > 80, "{}", repositories.len());
    for (name, files, expected) in &repositories {
        assert!(
            !expected.about.is_empty() && !expected.source.is_empty() && !files.is_empty(),
            "{name}"
        );
        assert!(!expected.check.is_empty(), "{name}");
        let evidence = ["oracle", "facts: ran", "facts: read"];
        assert!(
            evidence.contains(&expected.evidence.as_str()),
            "{name}: {}",
            expected.evidence
        );
        let asks = expected.check.iter().any(|check| check.oracle.is_some());
        assert_eq!(asks, expected.evidence == "oracle", "{name}");
        let names: BTreeSet<_> = expected.check.iter().map(|check| &check.name).collect();
        assert_eq!(names.len(), expected.check.len(), "{name}");
    }
}

/// Questions that were put to the real accelerate, by their ids: the case and the verdict.
fn recorded() -> BTreeMap<String, (Value, String)> {
    let lines =
        fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/runs/oracle.jsonl"))
            .unwrap();
    let records = lines
        .lines()
        .map(|line| serde_json::from_str::<Value>(line).unwrap());
    let answers = records.map(|record| {
        let id = text(&record["case"]["id"]).to_owned();
        (
            id,
            (record["case"].clone(), text(&record["verdict"]).to_owned()),
        )
    });
    answers.collect()
}

#[test]
fn what_the_real_accelerate_answered_is_what_is_expected() {
    let recorded = recorded();
    let mut asked = BTreeSet::new();
    for (name, _, expected) in &repositories() {
        for check in &expected.check {
            let Some(id) = &check.oracle else { continue };
            let (_, verdict) = recorded
                .get(id)
                .unwrap_or_else(|| panic!("{name}: {id} is not recorded"));
            let verdicts: BTreeSet<&String> = check.verdicts.values().flatten().collect();
            assert_eq!(
                verdicts,
                BTreeSet::from([verdict]),
                "{name}, {:?}",
                check.name
            );
            asked.insert(id.clone());
        }
    }
    let unused: Vec<_> = recorded.keys().filter(|id| !asked.contains(*id)).collect();
    assert!(unused.is_empty(), "no check names {unused:?}");
}

#[test]
fn the_recorded_questions_are_answered_alike() {
    let mut wrong = String::new();
    for (id, (case, verdict)) in &recorded() {
        let repository = Repository::with(&[]);
        let ran =
            repository.run_with_input(&["resolve", "--batch", "-"], format!("{case}\n").as_bytes());
        let answer: Value = serde_json::from_str(ran.stdout.trim()).unwrap();
        if answer["verdict"] != **verdict {
            wrong += &format!("{id}: {}, really {verdict}\n", answer["verdict"]);
        }
    }
    assert!(wrong.is_empty(), "\n{wrong}");
}

/// What the findings of a case must say: the names of what really happens.
const SAID: &[(&str, &[&str])] = &[
    ("accelerate-1.4-to-1.7-ignores-fp8", &["bf16"]),
    (
        "axolotl-fsdp2-fp8-cpu-ram-efficient-loading",
        &["ValueError", "cpu_ram_efficient_loading"],
    ),
    (
        "deepspeed-fp8-dead-end",
        &["ValueError", "bf16.enabled=True"],
    ),
    (
        "fp8-backend-flag-cannot-work",
        &["ValueError", "'te' is not a valid FP8BackendType"],
    ),
    (
        "fsdp1-te-trainer-prepares-model-alone",
        &["ValueError", "a model and an optimizer together"],
    ),
    (
        "fsdp2-torchao-cpu-ram-efficient-loading",
        &["ValueError", "cpu_ram_efficient_loading"],
    ),
    ("launch-flag-beats-accelerate-yaml", &["bf16"]),
    ("llamafactory-fp8-on-transformers-5", &["bf16"]),
    ("torchrun-never-reads-accelerate-yaml", &["fp32"]),
    ("trainer-bf16-beats-launch-fp8", &["bf16"]),
    (
        "trainer-bf16-with-ao-backend-crashes",
        &[
            "AttributeError",
            "'NoneType' object has no attribute 'config'",
        ],
    ),
    (
        "trainer-bf16-with-te-backend-drops-recipe",
        &["default", "bf16"],
    ),
    ("trl-config-defaults-to-bf16", &["bf16"]),
];

/// What holds in a situation of `not_when` or in another version.
enum Then {
    /// No finding of warning or above of the families that the case names.
    Quiet,
    /// Quiet, and the run ends so.
    Runs(&'static str),
    /// Another verdict.
    Verdict(&'static str),
    /// A finding of this code.
    Found(&'static str),
    /// No finding of this code.
    Without(&'static str),
}

use Then::{Found, Quiet, Runs, Verdict, Without};

/// A case, the target, what is written in place of what in a file (or a file that is added), and what then holds.
type Situation = (
    &'static str,
    &'static [&'static str],
    &'static [(&'static str, &'static str, &'static str)],
    Then,
);

const SITUATIONS: &[Situation] = &[
    (
        "accelerate-1.4-to-1.7-ignores-fp8",
        &[],
        &[("launch.sh", "accelerate==1.7.0", "accelerate==1.9.0")],
        Runs("fp8:TE"),
    ),
    (
        "accelerate-1.4-to-1.7-ignores-fp8",
        &[],
        &[("launch.sh", "accelerate==1.7.0", "accelerate==1.3.0")],
        Runs("fp8:TE"),
    ),
    (
        "accelerate-1.4-to-1.7-ignores-fp8",
        &[],
        &[("launch.sh", "accelerate==1.7.0", "accelerate==1.5.2")],
        Verdict("no-fp8:*"),
    ),
    (
        "accelerate-1.4-to-1.7-ignores-fp8",
        &[],
        &[("launch.sh", "accelerate==1.7.0", "accelerate==1.8.1")],
        Verdict("raises@init"),
    ),
    (
        "accelerate-1.4-to-1.7-ignores-fp8",
        &[],
        &[("launch.sh", "accelerate==1.7.0", "accelerate==1.4.0")],
        Verdict("raises@launch"),
    ),
    (
        "axolotl-fsdp2-fp8-cpu-ram-efficient-loading",
        &[],
        &[("axolotl.yml", "fp8: true", "fp8: false")],
        Runs("no-fp8:*"),
    ),
    (
        "axolotl-fsdp2-fp8-cpu-ram-efficient-loading",
        &[],
        &[("axolotl.yml", "loading: true", "loading: false")],
        Runs("fp8:AO"),
    ),
    (
        "deepspeed-fp8-dead-end",
        &[],
        &[(
            "train.yaml",
            "max_steps: 1",
            "max_steps: 1\nbf16_full_eval: true",
        )],
        Runs("fp8:*"),
    ),
    (
        "deepspeed-fp8-dead-end",
        &[],
        &[("train.yaml", "max_steps: 1", "max_steps: 1\nbf16: true")],
        Verdict("no-fp8:ds-bf16"),
    ),
    (
        "deepspeed-fp8-dead-end",
        &[],
        &[
            (
                "train.yaml",
                "max_steps: 1",
                "max_steps: 1\ndeepspeed: ds.json",
            ),
            (
                "ds.json",
                "",
                "{\"zero_optimization\": {\"stage\": 2}, \"bf16\": {\"enabled\": \"auto\"}, \"train_micro_batch_size_per_gpu\": \"auto\", \"gradient_accumulation_steps\": \"auto\"}\n",
            ),
        ],
        Without("FP208"),
    ),
    (
        "deepspeed-fp8-dead-end",
        &["transformers=4.46.3"],
        &[],
        Verdict("raises@trainer"),
    ),
    (
        "deepspeed-fp8-dead-end",
        &["transformers=5.2.0"],
        &[],
        Verdict("raises@trainer"),
    ),
    (
        "fp8-backend-flag-cannot-work",
        &["accelerate=1.3.0", "installed=transformer_engine"],
        &[],
        Runs("fp8:TE"),
    ),
    (
        "fp8-backend-flag-cannot-work",
        &["accelerate=1.9.0"],
        &[],
        Found("FP201"),
    ),
    (
        "fp8-backend-flag-cannot-work",
        &[],
        &[("launch.sh", " --fp8_backend te", "")],
        Runs("fp8:*"),
    ),
    (
        "fsdp1-te-trainer-prepares-model-alone",
        &[],
        &[("accelerate.yaml", "fsdp_version: 1", "fsdp_version: 2")],
        Quiet,
    ),
    (
        "fsdp1-te-trainer-prepares-model-alone",
        &[],
        &[("accelerate.yaml", "backend: TE", "backend: AO")],
        Without("FP209"),
    ),
    (
        "fsdp1-te-trainer-prepares-model-alone",
        &[],
        &[("launch.sh", "==5.24.0", "==5.2.0")],
        Runs("fp8:TE"),
    ),
    (
        "fsdp1-te-trainer-prepares-model-alone",
        &[],
        &[("launch.sh", "==5.24.0", "==4.57.6")],
        Runs("fp8:TE"),
    ),
    (
        "fsdp1-te-trainer-prepares-model-alone",
        &[],
        &[("launch.sh", "==5.24.0", "==4.47.0")],
        Runs("fp8:TE"),
    ),
    (
        "fsdp1-te-trainer-prepares-model-alone",
        &[],
        &[("launch.sh", "==5.24.0", "==5.3.0")],
        Found("FP209"),
    ),
    (
        "fsdp1-te-trainer-prepares-model-alone",
        &[],
        &[("launch.sh", "==5.24.0", "==4.46.3")],
        Found("FP209"),
    ),
    (
        "fsdp2-torchao-cpu-ram-efficient-loading",
        &[],
        &[("accelerate.yaml", "loading: true", "loading: false")],
        Runs("fp8:AO"),
    ),
    (
        "fsdp2-torchao-cpu-ram-efficient-loading",
        &[],
        &[(
            "accelerate.yaml",
            "use_cpu: false",
            "use_cpu: false\nfp8_config:\n  backend: TE",
        )],
        Quiet,
    ),
    (
        "fsdp2-torchao-cpu-ram-efficient-loading",
        &["accelerate=1.7.0"],
        &[],
        Quiet,
    ),
    (
        "fsdp2-torchao-cpu-ram-efficient-loading",
        &["accelerate=1.9.0"],
        &[],
        Found("FP203"),
    ),
    (
        "launch-flag-beats-accelerate-yaml",
        &[],
        &[(
            "launch.sh",
            "--mixed_precision bf16",
            "--mixed_precision fp8",
        )],
        Without("FP321"),
    ),
    (
        "llamafactory-fp8-on-transformers-5",
        &[],
        &[("sft.yaml", "\nfp8: true", "\nfp8: false")],
        Verdict("no-fp8:bfloat16"),
    ),
    (
        "llamafactory-fp8-on-transformers-5",
        &[],
        &[("launch.sh", "==5.5.4", "==5.2.0")],
        Verdict("fp8:TE"),
    ),
    (
        "llamafactory-fp8-on-transformers-5",
        &[],
        &[("launch.sh", "==5.5.4", "==4.57.6")],
        Verdict("fp8:TE"),
    ),
    (
        "llamafactory-fp8-on-transformers-5",
        &[],
        &[
            ("launch.sh", "==5.5.4", "==5.2.0"),
            ("sft.yaml", "fp8_backend: te", "fp8_backend: auto"),
        ],
        Verdict("no-fp8:bfloat16"),
    ),
    (
        "llamafactory-fp8-on-transformers-5",
        &[],
        &[("sft.yaml", "bf16: true\n", "")],
        Verdict("no-fp8:none"),
    ),
    (
        "torchrun-never-reads-accelerate-yaml",
        &[],
        &[(
            "launch.sh",
            "torchrun --nproc_per_node 1",
            "accelerate launch --config_file accelerate.yaml",
        )],
        Runs("fp8:AO"),
    ),
    (
        "trainer-bf16-beats-launch-fp8",
        &[],
        &[("train.yaml", "bf16: true", "bf16: false")],
        Runs("fp8:*"),
    ),
    (
        "trainer-bf16-beats-launch-fp8",
        &[],
        &[("train.yaml", "bf16: true", "")],
        Runs("fp8:*"),
    ),
    (
        "trainer-bf16-beats-launch-fp8",
        &[],
        &[("launch.sh", "train.py", "--mixed_precision bf16 train.py")],
        Without("FP319"),
    ),
    (
        "trainer-bf16-beats-launch-fp8",
        &[],
        &[("launch.sh", " --config_file accelerate.yaml", "")],
        Without("FP319"),
    ),
    (
        "trainer-bf16-with-ao-backend-crashes",
        &["accelerate=1.8.1", "transformers=4.57.6"],
        &[
            ("accelerate.yaml", "'NO'", "MULTI_GPU"),
            ("accelerate.yaml", "processes: 1", "processes: 2"),
        ],
        Runs("no-fp8:bfloat16"),
    ),
    (
        "trainer-bf16-with-ao-backend-crashes",
        &["accelerate=1.9.0", "transformers=4.57.6"],
        &[],
        Found("FP207"),
    ),
    (
        "trainer-bf16-with-ao-backend-crashes",
        &[],
        &[("train.yaml", "bf16: true", "")],
        Runs("fp8:AO"),
    ),
    (
        "trainer-bf16-with-te-backend-drops-recipe",
        &["accelerate=1.3.0", "transformers=4.46.3"],
        &[],
        Verdict("no-fp8:bfloat16"),
    ),
    (
        "trainer-bf16-with-te-backend-drops-recipe",
        &["accelerate=1.3.0", "transformers=4.46.3"],
        &[],
        Without("FP320"),
    ),
    (
        "trainer-bf16-with-te-backend-drops-recipe",
        &[],
        &[("train.yaml", "bf16: true", "")],
        Runs("fp8:TE"),
    ),
    (
        "trl-config-defaults-to-bf16",
        &[],
        &[("recipe.yaml", "max_steps: 1", "max_steps: 1\nbf16: false")],
        // In fp8, until the checkpoint at the end of the training.
        Runs("raises@trainer"),
    ),
    (
        "trl-config-defaults-to-bf16",
        &["trl=0.18.2", "transformers=4.57.6"],
        &[],
        Runs("raises@trainer"),
    ),
    (
        "trl-config-defaults-to-bf16",
        &["trl=0.19.0", "transformers=4.57.6"],
        &[],
        Found("FP319"),
    ),
];

/// A case of the shared folder: its files and what is said of it.
fn cases() -> Vec<(String, BTreeMap<String, String>, Value)> {
    let Some(shared) = std::env::var_os("FP8LINT_SHARED") else {
        return Vec::new();
    };
    let cases = folders(&Path::new(&shared).join("cases"));
    let cases = cases.iter().map(|folder| {
        let expected = fs::read_to_string(folder.join("expected.json")).unwrap();
        (
            name_of(folder),
            files_of(folder),
            serde_json::from_str(&expected).unwrap(),
        )
    });
    cases.collect()
}

fn texts(list: &Value) -> impl Iterator<Item = &str> {
    list.as_array().into_iter().flatten().map(text)
}

/// The findings of warning and above of one of these families, with a span in one of these files.
fn of_families<'a>(findings: &'a [Value], wanted: &Value) -> Vec<&'a Value> {
    let is_wanted = |finding: &&Value| {
        let related = finding["related"].as_array().into_iter().flatten();
        let mut spans = related.chain([&finding["primary"]]);
        finding["severity"] != "note"
            && texts(&wanted["any_of"]).any(|family| text(&finding["code"]).starts_with(family))
            && spans.any(|span| texts(&wanted["paths"]).any(|path| span["path"] == *path))
    };
    findings.iter().filter(is_wanted).collect()
}

#[test]
fn the_tables_name_cases_that_there_are() {
    let cases = cases();
    let names: BTreeSet<&str> = cases.iter().map(|(name, ..)| name.as_str()).collect();
    let said: BTreeSet<&str> = SAID.iter().map(|(name, _)| *name).collect();
    let varied: BTreeSet<&str> = SITUATIONS.iter().map(|(name, ..)| *name).collect();
    assert_eq!(said, varied);
    assert!(names.is_empty() || names == said, "{names:?}");
}

#[test]
fn the_shared_cases_are_found_out() {
    let mut wrong = String::new();
    for (name, files, expected) in &cases() {
        let repository = repository_of(files);
        let findings = findings_in(&repository, &[]);
        for wanted in expected["findings"].as_array().unwrap() {
            if of_families(&findings, wanted).is_empty() {
                wrong += &format!(
                    "{name}: nothing of {}:\n{}",
                    wanted["any_of"],
                    shown(&findings)
                );
            }
        }
        let said: Vec<String> = findings.iter().map(words_of).collect();
        let words = SAID
            .iter()
            .filter(|(slug, _)| slug == name)
            .flat_map(|(_, words)| words.iter());
        for word in words {
            if !said.iter().any(|said| said.contains(word)) {
                wrong += &format!("{name}: nothing says {word:?}:\n{}", shown(&findings));
            }
        }
        let verdicts = verdicts_in(&repository, "launch.sh", &[]);
        let really = match text(&expected["verdict"]) {
            "crash" => "raises@*",
            "partial_loss" => "fp8:TE",
            _ => "no-fp8:*",
        };
        if !verdicts
            .last()
            .is_some_and(|verdict| is_verdict(verdict, really))
        {
            wrong += &format!("{name}: {verdicts:?}, really {really}\n");
        }
        let drops_recipe = expected["verdict"] == "partial_loss";
        if drops_recipe && !findings.iter().any(|finding| finding["code"] == "FP320") {
            wrong += &format!("{name}: no FP320\n");
        }
    }
    assert!(wrong.is_empty(), "\n{wrong}");
}

#[test]
fn the_shared_cases_are_quiet_where_they_do_not_hold() {
    let mut wrong = String::new();
    for (name, files, expected) in &cases() {
        for (_, target, edits, then) in SITUATIONS.iter().filter(|(slug, ..)| slug == name) {
            let mut files = files.clone();
            for (path, from, to) in *edits {
                let edited = match files.get(*path) {
                    Some(text) => replaced(text, from, to),
                    None => (*to).to_owned(),
                };
                files.insert((*path).to_owned(), edited);
            }
            let repository = repository_of(&files);
            let target: Vec<String> = target.iter().map(|&setting| setting.to_owned()).collect();
            let findings = findings_in(&repository, &target);
            let has = |code: &str| findings.iter().any(|finding| finding["code"] == code);
            let is_quiet = of_families(&findings, &expected["findings"][0]).is_empty();
            let verdicts = verdicts_in(&repository, "launch.sh", &target);
            let runs =
                |expected: &str| verdicts.iter().all(|verdict| is_verdict(verdict, expected));
            let (holds, wanted) = match then {
                Quiet => (is_quiet, "no finding of the case's families"),
                Runs(verdict) => (is_quiet && runs(verdict), *verdict),
                Verdict(verdict) => (runs(verdict), *verdict),
                Found(code) => (has(code), *code),
                Without(code) => (!has(code), *code),
            };
            if !holds {
                wrong += &format!(
                    "{name} {target:?} {edits:?}: {wanted}, but {verdicts:?}\n{}",
                    shown(&findings)
                );
            }
        }
    }
    assert!(wrong.is_empty(), "\n{wrong}");
}
