//! Settings files: where they are found, what is wrong with them, and the fp8 blocks that they declare.

#![allow(
    missing_docs,
    unreachable_pub,
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic
)]

mod support;

use insta::assert_snapshot;
use support::Repository;

const CONFIG: &str = "distributed_type: 'NO'\nmixed_precision: bf16\nnum_processes: 1\n";
const DECLARED: &str = "\
[[fp8-block]]
path = \"fsdp_config.fp8\"
backends = [\"fp8\", \"fp8row\", \"auto\"]
default-backend = \"auto\"
";

/// The one-line report.
fn concise(repository: &Repository, arguments: &[&str]) -> String {
    let mut all = vec!["--report", "concise"];
    all.extend(arguments);
    let ran = repository.run(&all);
    assert_eq!(ran.stderr, "", "{arguments:?}");
    ran.stdout
}

/// The findings about one config beside settings, without the place.
fn found_in(name: &str, config: &str, settings: &str) -> Vec<String> {
    let repository = Repository::with(&[(name, config), ("fp8lint.toml", settings)]);
    let shown = concise(&repository, &["--quiet"]);
    let lines = shown.lines();
    lines
        .map(|line| line.splitn(3, ' ').skip(1).collect::<Vec<_>>().join(" "))
        .collect()
}

/// The findings about a block in `fsdp_config`.
fn found(block: &str) -> Vec<String> {
    let config = format!(
        "distributed_type: FSDP\nmixed_precision: fp16\nnum_processes: 1\nfsdp_config:\n  fp8:{block}\n"
    );
    found_in("a.yaml", &config, DECLARED)
}

#[test]
fn the_nearest_settings_count() {
    let target = |version: &str| format!("[target]\naccelerate = '{version}'\n");
    let repository = Repository::with(&[
        (".git/HEAD", "ref: refs/heads/main\n"),
        (
            "pyproject.toml",
            "[tool.fp8lint]\ntarget = { accelerate = '1.9.0' }\n",
        ),
        ("a.yaml", CONFIG),
        ("one/.fp8lint.toml", &target("1.10.0")),
        ("one/pyproject.toml", "[tool.ruff]\n"),
        ("one/deep/b.yaml", CONFIG),
        ("two/pyproject.toml", "[tool.ruff]\n"),
        ("two/c.yaml", CONFIG),
    ]);
    let closing = |arguments: &[&str]| {
        let shown = concise(&repository, arguments);
        shown
            .trim()
            .rsplit_once(", accelerate ")
            .unwrap()
            .1
            .to_owned()
    };
    assert_eq!(
        closing(&[]),
        "1.9.0 (pyproject.toml:2) in 2 files, 1.10.0 (one/.fp8lint.toml:2) in 1."
    );
    assert_eq!(closing(&["one"]), "1.10.0 (one/.fp8lint.toml:2).");
    repository.write("one/fp8lint.toml", target("1.11.0"));
    assert_eq!(closing(&["one"]), "1.11.0 (one/fp8lint.toml:2).");
    assert_eq!(
        closing(&["one", "--target", "accelerate=1.12.0"]),
        "1.12.0."
    );
    assert_eq!(closing(&["one", "--isolated"]), "1.15.0.");
    assert_eq!(
        closing(&["one", "--config", "pyproject.toml"]),
        "1.9.0 (pyproject.toml:2)."
    );
    let ran = repository.run_with_input(
        &["-", "--stdin-filename", "one/new.yaml"],
        CONFIG.as_bytes(),
    );
    assert!(ran.stdout.ends_with("1.11.0 (one/fp8lint.toml:2).\n"));
    // Settings come before pins, and `--isolated` leaves these alone.
    repository.write("one/deep/requirements.txt", "accelerate==1.13.0\n");
    assert_eq!(closing(&["one"]), "1.11.0 (one/fp8lint.toml:2).");
    assert_eq!(
        closing(&["one", "--isolated"]),
        "1.13.0 (one/deep/requirements.txt:1)."
    );
    let resolved = repository.run(&["resolve", "one/deep/b.yaml"]).stdout;
    assert!(
        resolved.ends_with("accelerate 1.11.0 (one/fp8lint.toml:2).\n"),
        "{resolved}"
    );
    let resolved = repository
        .run(&["resolve", "one/deep/b.yaml", "--isolated"])
        .stdout;
    assert!(resolved.ends_with("accelerate 1.13.0 (one/deep/requirements.txt:1).\n"));
}

#[test]
fn wrong_settings_say_where_and_what_to_write() {
    let repository = Repository::with(&[("sub/a.yaml", CONFIG)]);
    let mut shown = String::new();
    for text in [
        "taget = {}\n",
        "[[fp8-block]]\npath = 'fp8'\nbackend = ['auto']\n",
        "[[fp8-block]]\npath = 'fp8.'\nbackends = ['auto']\ndefault-backend = 'auto'\n",
        "[[fp8-block]]\npath = 'fp8'\nbackends = ['auto']\ndefault-backend = 'aut'\n",
        "[[fp8-block]]\npath = 'fp8'\nbackends = 'auto'\ndefault-backend = 'auto'\n",
        "[target]\ngpu = 'h100'\naccelerat = '1.12'\n",
        "[target]\naccelerate = 'new'\n",
        "[target]\ngpu = 'h100'\ncapability = '8.0'\n",
        "[target]\ncapability = 9.0\n",
        "recipes = { 'a.yaml' = 'tlr' }\n",
        "recipes = { 'a[.yaml' = 'trl' }\n",
        "[target\n",
        "a = '\u{1b}[31m'\n",
    ] {
        repository.write("fp8lint.toml", text);
        for arguments in [&[][..], &["sub"], &["resolve", "sub/a.yaml"]] {
            let ran = repository.run(arguments);
            // Outside git the folder that is given is the end of the search.
            if arguments == ["sub"] {
                assert_eq!(ran.code, 0, "{text}");
                continue;
            }
            assert_eq!((ran.code, ran.stdout.as_str()), (2, ""), "{text}");
            if arguments.is_empty() {
                shown.push_str(&ran.stderr);
            }
        }
        assert_eq!(repository.run(&["--isolated"]).code, 0);
    }
    repository.write("fp8lint.toml", b"\xff");
    for arguments in [
        &[][..],
        &["--config", "missing.toml"],
        &["--config", "sub"],
        &["--config", "pyproject.toml"],
        &["--config", "x", "--isolated"],
    ] {
        repository.write("pyproject.toml", "[project]\n");
        let ran = repository.run(arguments);
        assert_eq!((ran.code, ran.stdout.as_str()), (2, ""), "{arguments:?}");
        shown.push_str(ran.stderr.split("\n\n").next().unwrap());
        shown.push('\n');
    }
    assert_snapshot!(shown);
}

#[test]
fn settings_without_configs_are_read_too() {
    let repository = Repository::with(&[("fp8lint.toml", "nothing = 1\n")]);
    assert_eq!(repository.run(&[]).code, 2);
}

#[test]
fn the_case_that_started_the_project_undeclared() {
    let repository = examples();
    assert_snapshot!(concise(&repository, &["--target", "accelerate=1.15.0"]), @"
    fsdp-fp8-auto.yaml:5:3: error FP302 [*] nothing reads `fsdp_config.fp8` in accelerate 1.15.0, and the run trains in fp16: what `mixed_precision` says
    fsdp-fp8-bare.yaml:5:3: error FP301 [*] nothing reads `fsdp_config.fp8` in accelerate 1.15.0, and the run trains in fp16: what `mixed_precision` says
    top-level-fp8-auto.yaml:4:1: error FP103 [*] accelerate 1.15.0 refuses this file: ValueError, unknown keys ['fp8']
    top-level-fp8-bare.yaml:4:1: error FP102 [*] accelerate 1.15.0 refuses this file: ValueError, unknown keys ['fp8']; and `fp8` alone names no backend
    Found 4 errors in 4 accelerate configs, accelerate 1.15.0. 4 fixable with --fix --unsafe-fixes. [*] marks what is fixable.
    ");
}

#[test]
fn the_case_that_started_the_project_declared() {
    let repository = examples();
    repository.write("fp8lint.toml", DECLARED);
    assert_snapshot!(concise(&repository, &["--target", "accelerate=1.15.0"]), @"
    fsdp-fp8-bare.yaml:5:8: error FP210 [*] `fsdp_config.fp8` names no backend: the loader declared for it takes a mapping with one
    top-level-fp8-auto.yaml:4:1: error FP311 [*] nothing reads `fp8`: the declared loader reads `fsdp_config.fp8`, and accelerate 1.15.0 refuses the file for it
    top-level-fp8-bare.yaml:4:1: error FP311 [*] nothing reads `fp8`: the declared loader reads `fsdp_config.fp8`, and accelerate 1.15.0 refuses the file for it
    Found 3 errors in 4 accelerate configs, accelerate 1.15.0. 1 fixable with --fix, 2 more with --unsafe-fixes. [*] marks what is fixable.
    ");
    let resolved = repository.run(&["resolve", "fsdp-fp8-auto.yaml"]).stdout;
    assert!(
        resolved.ends_with(
            "`fsdp_config.fp8` is read by the loader that fp8lint.toml:2 declares; what that does with it is not followed.\n"
        ),
        "{resolved}"
    );
    // The team's loader takes its block out, so that accelerate does not see it.
    repository.write("fp8lint.toml", DECLARED.replace("fsdp_config.", ""));
    assert_snapshot!(concise(&repository, &["--target", "accelerate=1.15.0"]), @"
    fsdp-fp8-auto.yaml:5:3: error FP311 [*] nothing reads `fsdp_config.fp8`: the declared loader reads `fp8`
    fsdp-fp8-bare.yaml:5:3: error FP311 [*] nothing reads `fsdp_config.fp8`: the declared loader reads `fp8`
    top-level-fp8-bare.yaml:4:6: error FP210 [*] `fp8` names no backend: the loader declared for it takes a mapping with one
    Found 3 errors in 4 accelerate configs, accelerate 1.15.0. 1 fixable with --fix, 2 more with --unsafe-fixes. [*] marks what is fixable.
    ");
}

fn examples() -> Repository {
    let repository = Repository::with(&[]);
    for name in [
        "fsdp-fp8-auto.yaml",
        "fsdp-fp8-bare.yaml",
        "top-level-fp8-auto.yaml",
        "top-level-fp8-bare.yaml",
    ] {
        let example = std::path::Path::new(env!("CARGO_MANIFEST_DIR"))
            .join("examples")
            .join(name);
        repository.write(name, std::fs::read(example).unwrap());
    }
    repository
}

#[test]
fn values_of_a_declared_block() {
    let none = [""; 0];
    for right in [
        " {backend: auto}",
        " {backend: fp8row, amax: 16}",
        "\n    backend: 'fp8'",
        " false",
        " off",
        " null",
        " ~",
        "",
    ] {
        assert_eq!(found(right), none, "{right}");
    }
    let mut shown = String::new();
    for wrong in [
        " true",
        " yes",
        " {}",
        " {amax: 16}",
        " {backend: Auto}",
        " {backend: torchao}",
        " {backend: true}",
        " {backend: null}",
        " {backend: [auto]}",
        " auto",
        " 'true'",
        " 1",
        " 1.5",
        " 2026-01-01",
        " [auto]",
        " []",
    ] {
        let [finding] = &found(wrong)[..] else {
            panic!("{wrong}: {:?}", found(wrong));
        };
        shown.push_str(&format!("{wrong}: {finding}\n"));
    }
    assert_snapshot!(shown);
}

#[test]
fn a_declared_block_in_other_places() {
    let fsdp = "distributed_type: FSDP\nmixed_precision: fp16\nnum_processes: 1\n";
    for (text, expected) in [
        ("fsdp_config: {fp8: {backend: auto}}\n", &[][..]),
        ("fsdp_config: {fsdp_version: 2}\n", &[]),
        ("fsdp_config: []\n", &[]),
        ("fp8: false\n", &["error FP311"]),
        ("deepspeed_config: {fp8: false}\n", &["warning FP311"]),
        ("deepspeed_config: {fp8: true}\n", &["error FP311"]),
        ("fsdp_config: {more: {fp8: {}}}\n", &["error FP311"]),
        (
            "fsdp_config: {fp8: {backend: auto}}\nmpirun_config: {fp8: {backend: auto}}\n",
            &["error FP311"],
        ),
        // The same text under two names is one.
        (
            "fsdp_config: &a {fp8: {backend: auto}}\ndynamo_config: *a\n",
            &[],
        ),
        // Other fp8 settings are accelerate's business.
        ("fsdp_config: {fp8_backend: AO}\n", &["error FP301"]),
    ] {
        let found = found_in("a.yaml", &format!("{fsdp}{text}"), DECLARED);
        let codes: Vec<_> = found
            .iter()
            .map(|finding| finding.splitn(3, ' ').take(2).collect::<Vec<_>>().join(" "))
            .collect();
        assert_eq!(codes, expected, "{text}: {found:?}");
    }
}

#[test]
fn help_is_in_the_style_of_the_file() {
    let repository = Repository::with(&[
        (
            "a.json",
            "{\"distributed_type\": \"FSDP\", \"mixed_precision\": \"bf16\", \"num_processes\": 1, \"fsdp_config\": {\"fp8\": true}}",
        ),
        (
            "fp8lint.toml",
            "[[fp8-block]]\npath = 'fsdp_config.fp8'\nbackends = ['no', 'fp8']\ndefault-backend = 'no'\n",
        ),
        (
            "b.yaml",
            "distributed_type: FSDP\nmixed_precision: bf16\nnum_processes: 1\nfsdp_config:\n  fp8: on\n",
        ),
    ]);
    let ran = repository.run(&["--report", "json"]);
    let json: serde_json::Value = serde_json::from_str(&ran.stdout).unwrap();
    let helps: Vec<_> = json["findings"]
        .as_array()
        .unwrap()
        .iter()
        .map(|finding| finding["help"].as_str().unwrap())
        .collect();
    assert_eq!(
        helps,
        [
            "write\n{\"fsdp_config\": {\"fp8\": {\"backend\": \"no\"}}}",
            "write\nfsdp_config:\n  fp8:\n    backend: \"no\"",
        ]
    );
}

#[test]
fn a_block_that_accelerate_reads_itself_is_at_home_there() {
    let settings = "[[fp8-block]]\npath = 'custom.fp8_config'\nbackends = ['auto']\ndefault-backend = 'auto'\n";
    let config = "distributed_type: 'NO'\nmixed_precision: fp8\nnum_processes: 1\nfp8_config:\n  backend: AO\n";
    assert_eq!(found_in("a.yaml", config, settings), [""; 0]);
}

#[test]
fn alias_bombs_end() {
    let mut bomb =
        "distributed_type: FSDP\nmixed_precision: fp16\nfsdp_config:\n  x0: &x0 {fp8: {}}\n"
            .to_owned();
    for level in 1..12 {
        let above = format!("*x{}", level - 1);
        bomb.push_str(&format!(
            "  x{level}: &x{level} {{a: {above}, b: {above}, c: {above}, d: {above}, e: {above}}}\n"
        ));
    }
    assert_eq!(
        found_in("a.yaml", &bomb, DECLARED),
        [
            "note FP906 it cannot be told what runs: the value of `fsdp_config.x7` is too large to follow",
            "error FP311 nothing reads `fsdp_config.x3.e.e.e.fp8`: the declared loader reads `fsdp_config.fp8`"
        ]
    );
}
