//! The version of accelerate that a repository pins, as the reports show it.

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

/// The closing line of a check.
fn closing(repository: &Repository, arguments: &[&str]) -> String {
    let ran = repository.run(arguments);
    assert_eq!((ran.code, ran.stderr.as_str()), (0, ""), "{arguments:?}");
    ran.stdout.lines().last().unwrap().to_owned()
}

/// The version of each file with its origin: `a.yaml 1.12.0 requirements.txt:1`.
fn versions(repository: &Repository, arguments: &[&str]) -> Vec<String> {
    let mut all = vec!["--report", "json"];
    all.extend(arguments);
    let ran = repository.run(&all);
    assert_eq!(ran.stderr, "");
    let json: serde_json::Value = serde_json::from_str(&ran.stdout).unwrap();
    let files = json["files"].as_array().unwrap().iter();
    files
        .map(|file| {
            let accelerate = &file["accelerate"];
            let text = |value: &serde_json::Value| value.as_str().unwrap_or_default().to_owned();
            let at = match accelerate["place"].as_object() {
                Some(place) => format!("{}:{}", text(&place["path"]), place["line"]),
                None => text(&accelerate["origin"]),
            };
            format!(
                "{} {} {at}",
                text(&file["path"]),
                text(&accelerate["value"])
            )
        })
        .collect()
}

#[test]
fn the_pin_is_taken_and_said() {
    let repository = Repository::with(&[("a.yaml", CONFIG)]);
    for (name, text, expected) in [
        (
            "requirements.txt",
            "torch\naccelerate==1.12.0\n",
            "accelerate 1.12.0 (requirements.txt:2)",
        ),
        ("requirements.txt", "accelerate\n", "accelerate 1.15.0"),
        (
            "requirements.txt",
            "-r base.txt\naccelerate @ git+https://github.com/huggingface/accelerate\n",
            "accelerate 1.15.0",
        ),
        (
            "requirements.txt",
            "accelerate>=1.10,<1.12\n",
            "accelerate 1.11.0 (the newest that >=1.10,<1.12 allows, requirements.txt:1)",
        ),
        (
            "requirements.txt",
            "accelerate==1.99\n",
            "accelerate 1.15.0 (the newest known; requirements.txt:1 asks for 1.99)",
        ),
        (
            "uv.lock",
            "version = 1\n[[package]]\nname = 'accelerate'\nversion = '1.12.0'\n",
            "accelerate 1.12.0 (uv.lock:4)",
        ),
        (
            "pyproject.toml",
            "[project]\ndependencies = [\n  'accelerate[rich]~=1.12.0',\n]\n",
            "accelerate 1.12.0 (the newest that ~=1.12.0 allows, pyproject.toml:3)",
        ),
        (
            "pyproject.toml",
            "[tool.poetry.dependencies]\naccelerate = '^1.10'\n",
            "accelerate 1.15.0 (the newest that >=1.10,<2 allows, pyproject.toml:2)",
        ),
        ("pyproject.toml", "[project\n", "accelerate 1.15.0"),
    ] {
        repository.write(name, text);
        let expected = format!("No findings in 1 accelerate config, {expected}.");
        assert_eq!(closing(&repository, &[]), expected, "{text}");
        std::fs::remove_file(repository.path().join(name)).unwrap();
    }
}

#[test]
fn the_flag_is_stronger_and_the_rest_of_the_target_is_not_touched() {
    let repository = Repository::with(&[
        ("a.yaml", CONFIG),
        ("requirements.txt", "accelerate==1.12.0\n"),
    ]);
    assert_eq!(
        closing(&repository, &["--target", "accelerate=1.10.0"]),
        "No findings in 1 accelerate config, accelerate 1.10.0."
    );
    assert_eq!(
        closing(&repository, &["--target", "gpu=h100"]),
        "No findings in 1 accelerate config, accelerate 1.12.0 (requirements.txt:1)."
    );
}

#[test]
fn locks_come_before_requirements_and_these_before_projects() {
    let repository = Repository::with(&[
        ("a.yaml", CONFIG),
        (
            "pyproject.toml",
            "[project]\ndependencies = ['accelerate==1.9.0']\n",
        ),
    ]);
    let mut seen = versions(&repository, &[]);
    for (name, text) in [
        ("requirements.txt", "accelerate>=1.10,<1.12\n"),
        ("requirements-dev.txt", "accelerate==1.10.1\n"),
        ("requirements-a.txt", "accelerate==1.10.0\n"),
        (
            "uv.lock",
            "[[package]]\nname = 'accelerate'\nversion = '1.12.0'\n",
        ),
    ] {
        repository.write(name, text);
        seen.extend(versions(&repository, &[]));
    }
    assert_eq!(
        seen,
        [
            "a.yaml 1.9.0 pyproject.toml:2",
            "a.yaml 1.11.0 requirements.txt:1",
            "a.yaml 1.10.1 requirements-dev.txt:1",
            "a.yaml 1.10.0 requirements-a.txt:1",
            "a.yaml 1.12.0 uv.lock:3",
        ]
    );
}

#[test]
fn each_file_has_the_pin_nearest_to_it() {
    let repository = Repository::with(&[
        (".git/HEAD", "ref: refs/heads/main\n"),
        ("requirements.txt", "accelerate==1.12.0\n"),
        ("top.yaml", CONFIG),
        ("one/requirements.txt", "torch\n"),
        ("one/deep/a.yaml", CONFIG),
        (
            "two/pyproject.toml",
            "[project]\ndependencies = ['accelerate==1.10.0']\n",
        ),
        ("two/deep/b.yaml", CONFIG),
        ("two/deep/c.yaml", CONFIG),
    ]);
    let all = [
        "one/deep/a.yaml 1.12.0 requirements.txt:1",
        "top.yaml 1.12.0 requirements.txt:1",
        "two/deep/b.yaml 1.10.0 two/pyproject.toml:2",
        "two/deep/c.yaml 1.10.0 two/pyproject.toml:2",
    ];
    for threads in ["1", "7"] {
        assert_eq!(versions(&repository, &["--threads", threads]), all);
    }
    assert_eq!(
        closing(&repository, &[]),
        "Found 1 note in 4 accelerate configs, accelerate 1.12.0 (requirements.txt:1) in 2 files, \
         1.10.0 (two/pyproject.toml:2) in 2."
    );
    // Named themselves, and seen from elsewhere: up to the root of the repository in any case.
    assert_eq!(versions(&repository, &["one/deep/a.yaml"]), all[..1]);
    assert_eq!(
        versions(&repository, &["two", "one"]),
        [all[0], all[2], all[3]]
    );
    let mut command = repository.command(&["--report", "concise", "."]);
    command.current_dir(repository.path().join("one/deep"));
    assert_eq!(
        support::ran(&mut command).stdout,
        "No findings in 1 accelerate config, accelerate 1.12.0 (../../requirements.txt:1).\n"
    );
}

#[test]
fn outside_git_the_search_ends_at_the_folder_that_was_given() {
    let repository = Repository::with(&[
        ("requirements.txt", "accelerate==1.12.0\n"),
        ("sub/a.yaml", CONFIG),
    ]);
    for (arguments, version) in [
        (&["."][..], "1.12.0 requirements.txt:1"),
        (&["sub", "."], "1.12.0 requirements.txt:1"),
        (&["sub/a.yaml"], "1.12.0 requirements.txt:1"),
        (&["sub"], "1.15.0 default"),
    ] {
        assert_eq!(
            versions(&repository, arguments),
            [format!("sub/a.yaml {version}")]
        );
    }
    // A repository inside is not left.
    repository.write("sub/.git", "gitdir: elsewhere\n");
    assert_eq!(versions(&repository, &[]), ["sub/a.yaml 1.15.0 default"]);
}

#[test]
fn standard_input_lies_where_its_name_says() {
    let repository = Repository::with(&[
        ("requirements.txt", "accelerate==1.12.0\n"),
        ("sub/requirements.txt", "accelerate==1.10.0\n"),
    ]);
    for (arguments, expected) in [
        (&["-"][..], "1.12.0 (requirements.txt:1)"),
        (
            &["-", "--stdin-filename", "new/a.yaml"],
            "1.12.0 (requirements.txt:1)",
        ),
        (
            &["-", "--stdin-filename", "sub/new/a.yaml"],
            "1.10.0 (sub/requirements.txt:1)",
        ),
    ] {
        let ran = repository.run_with_input(arguments, CONFIG.as_bytes());
        assert!(
            ran.stdout.contains(expected),
            "{arguments:?}: {}",
            ran.stdout
        );
    }
}

#[test]
fn a_pin_of_which_nothing_is_known_is_a_note() {
    let repository = Repository::with(&[
        ("a.yaml", CONFIG),
        ("b/b.yaml", CONFIG),
        ("requirements.txt", "torch\naccelerate>=0.5,<0.10 # old\n"),
    ]);
    let ran = repository.run(&[]);
    assert_eq!(ran.code, 0);
    assert_snapshot!(ran.stdout, @r"
    note[FP905]: `accelerate>=0.5, <0.10` is pinned here, of which nothing is known; 1.15.0 is assumed, the newest known release
     --> requirements.txt:2:1
      |
    2 | accelerate>=0.5,<0.10 # old
      | ^^^^^^^^^^^^^^^^^^^^^
      |
      = help: known are 0.18.0 to 1.15.0; assume another one of them with --target accelerate=VERSION

    Found 1 note in 2 accelerate configs, accelerate 1.15.0.
    ");
    let resolved = repository.run(&["resolve", "a.yaml"]).stdout;
    assert!(
        resolved.ends_with(
            "Nothing is known of `accelerate>=0.5, <0.10`, which requirements.txt:2 pins: the newest known release is assumed.\n"
        ),
        "{resolved}"
    );
}

#[test]
fn resolve_takes_the_pin_as_well() {
    let repository = Repository::with(&[
        ("configs/a.yaml", CONFIG),
        ("requirements.txt", "accelerate==1.12.0\n"),
    ]);
    let last = |arguments: &[&str]| {
        let ran = repository.run(arguments);
        assert_eq!((ran.code, ran.stderr.as_str()), (0, ""));
        ran.stdout.lines().last().unwrap().to_owned()
    };
    assert_eq!(
        last(&["resolve", "configs/a.yaml"]),
        "Trains in bf16 under accelerate 1.12.0 (requirements.txt:1)."
    );
    assert_eq!(
        last(&["resolve", "configs/a.yaml", "--target", "accelerate=1.10.0"]),
        "Trains in bf16 under accelerate 1.10.0."
    );
    repository.write("requirements.txt", "accelerate>=1.11,<1.13\n");
    let ran = repository.run(&["resolve", "configs/a.yaml"]).stdout;
    assert!(
        ran.contains(
            "accelerate 1.12.0 (the newest that >=1.11,<1.13 allows, requirements.txt:1).\n"
        ),
        "{ran}"
    );
    assert!(
        ran.contains("Under every release that the target allows:"),
        "{ran}"
    );
}

#[test]
fn a_pin_decides_what_is_found() {
    let repository = Repository::with(&[
        ("old/requirements.txt", "accelerate==1.12.0\n"),
        ("old/a.yaml", &format!("{CONFIG}ipex_config: {{}}\n")),
        ("new/requirements.txt", "accelerate>=1.12\n"),
        ("new/a.yaml", &format!("{CONFIG}ipex_config: {{}}\n")),
    ]);
    let ran = repository.run(&["--report", "concise"]);
    assert_snapshot!(ran.stdout, @"
    new/a.yaml:4:1: error FP101 [*] accelerate 1.15.0 refuses this file: ValueError, unknown keys ['ipex_config']
    Found 1 error in 2 accelerate configs, accelerate 1.15.0 (the newest that >=1.12 allows, new/requirements.txt:1) in 1 file, 1.12.0 (old/requirements.txt:1) in 1. 1 fixable with --fix --unsafe-fixes. [*] marks what is fixable.
    ");
}

#[test]
fn requirements_in_utf_16_are_read_and_hostile_ones_harm_nobody() {
    let repository = Repository::with(&[("a.yaml", CONFIG)]);
    let utf16: Vec<_> = "\u{feff}accelerate==1.12.0\r\n"
        .encode_utf16()
        .flat_map(u16::to_le_bytes)
        .collect();
    repository.write("requirements.txt", utf16);
    assert_eq!(
        versions(&repository, &[]),
        ["a.yaml 1.12.0 requirements.txt:1"]
    );
    repository.write("requirements.txt", b"\xff\x00\xe9accelerate==\n");
    repository.write("requirements-\u{1b}[31m\n.txt", "accelerate==1.10.0\n");
    let line = closing(&repository, &[]);
    assert_eq!(
        line,
        r"No findings in 1 accelerate config, accelerate 1.10.0 (requirements-\u{1b}[31m\n.txt:1)."
    );
}

#[test]
fn json_says_which_version_each_file_has() {
    let repository = Repository::with(&[
        ("a.yaml", CONFIG),
        ("requirements.txt", "accelerate>=1.10,<1.13\n"),
    ]);
    let ran = repository.run(&["--report", "json"]);
    let json: serde_json::Value = serde_json::from_str(&ran.stdout).unwrap();
    assert_eq!(json["target"]["accelerate"]["origin"], "default");
    assert_snapshot!(serde_json::to_string_pretty(&json["files"]).unwrap(), @r#"
    [
      {
        "accelerate": {
          "asked": ">=1.10,<1.13",
          "origin": "pin",
          "place": {
            "line": 1,
            "path": "requirements.txt"
          },
          "value": "1.12.0"
        },
        "kind": "accelerate",
        "packages": {},
        "path": "a.yaml"
      }
    ]
    "#);
}

/// The packages of the first file: `torch 2.9.1 requirements.txt:1`.
fn packages(repository: &Repository, arguments: &[&str]) -> Vec<String> {
    let mut all = vec!["--report", "json"];
    all.extend(arguments);
    let ran = repository.run(&all);
    assert_eq!(ran.stderr, "");
    let json: serde_json::Value = serde_json::from_str(&ran.stdout).unwrap();
    let packages = json["files"][0]["packages"].as_object().unwrap().iter();
    packages
        .map(|(name, package)| {
            let value = package["value"].as_str().unwrap_or("any");
            let asked = package["asked"].as_str();
            let asked = asked.map_or(String::new(), |asked| format!(" ({asked})"));
            let at = match package["place"].as_object() {
                Some(place) => format!("{}:{}", place["path"].as_str().unwrap(), place["line"]),
                None => package["origin"].as_str().unwrap().to_owned(),
            };
            format!("{name} {value}{asked} {at}")
        })
        .collect()
}

#[test]
fn every_kind_of_file_is_read_for_every_package() {
    let poetry = "[[package]]\nname = \"torch\"\nversion = \"2.9.1\"\n";
    for (name, text, expected) in [
        ("poetry.lock", poetry, "torch 2.9.1 poetry.lock:3"),
        ("pdm.lock", poetry, "torch 2.9.1 pdm.lock:3"),
        (
            "Pipfile.lock",
            "{\"default\": {\n\"torch\": {\"version\": \"==2.9.1\"}}}",
            "torch 2.9.1 Pipfile.lock:2",
        ),
        (
            "conda-lock.yml",
            "package:\n- {name: pytorch, version: 2.9.1, platform: linux-64}\n",
            "torch 2.9.1 conda-lock.yml:2",
        ),
        (
            "conda-linux-64.lock",
            "@EXPLICIT\nhttps://conda.anaconda.org/pytorch/linux-64/pytorch-2.9.1-py3.11_0.conda\n",
            "torch 2.9.1 conda-linux-64.lock:2",
        ),
        (
            "requirements/train.txt",
            "torch==2.9.1\n",
            "torch 2.9.1 requirements/train.txt:1",
        ),
        (
            "constraints.txt",
            "torch==2.9.1\n",
            "torch 2.9.1 constraints.txt:1",
        ),
        (
            "environment.yml",
            "dependencies:\n- pytorch=2.9.1=cuda126\n",
            "torch 2.9.1 environment.yml:2",
        ),
        (
            "environment.yaml",
            "dependencies:\n- pip:\n  - torch>=2.8,<2.10\n",
            "torch 2.9.1 (>=2.8,<2.10) environment.yaml:3",
        ),
        (
            "setup.cfg",
            "[options]\ninstall_requires =\n    torch==2.9.1\n",
            "torch 2.9.1 setup.cfg:3",
        ),
        (
            "setup.py",
            "setup(install_requires=['torch==2.9.1'])\n",
            "torch 2.9.1 setup.py:1",
        ),
        (
            "Pipfile",
            "[packages]\ntorch = '==2.9.1'\n",
            "torch 2.9.1 Pipfile:2",
        ),
        (
            "requirements.txt",
            "torch\n",
            "torch any requirements.txt:1",
        ),
        (
            "requirements.txt",
            "torch>=99\n",
            "torch any requirements.txt:1",
        ),
    ] {
        let repository = Repository::with(&[("a.yaml", CONFIG), (name, text)]);
        assert_eq!(packages(&repository, &[]), [expected], "{name}");
    }
}

#[test]
fn each_package_has_the_pin_nearest_to_the_config() {
    let repository = Repository::with(&[
        (".git/HEAD", "ref: refs/heads/main\n"),
        (
            "requirements.txt",
            "-r more/base.txt\ntransformers>=4.50,<5\ntorch==2.8.0\n",
        ),
        ("more/base.txt", "trl==0.9.6\n-r ../../../outside.txt\n"),
        (
            "sub/environment.yml",
            "dependencies:\n- pytorch=2.9\n- pip:\n  - transformers\n",
        ),
        ("sub/deep/a.yaml", CONFIG),
    ]);
    assert_eq!(
        packages(&repository, &[]),
        [
            "torch 2.9.1 (==2.9.*) sub/environment.yml:2",
            "transformers 4.57.6 (>=4.50,<5) requirements.txt:2",
            "trl 0.9.6 more/base.txt:1",
        ]
    );
    assert_eq!(
        packages(
            &repository,
            &["--target", "torch>=2.4,<2.6", "--target", "trl=1.0"]
        ),
        [
            "torch 2.5.1 (>=2.4,<2.6) flag",
            "transformers 4.57.6 (>=4.50,<5) requirements.txt:2",
            "trl 1.0 flag",
        ]
    );
    repository.write("fp8lint.toml", "[target]\ntorch = '2.7.0'\n");
    assert_eq!(packages(&repository, &[])[0], "torch 2.7.0 fp8lint.toml:2");
}

#[test]
fn several_different_pins_are_one_note() {
    let repository = Repository::with(&[
        (".git/HEAD", "ref: refs/heads/main\n"),
        (
            "requirements.txt",
            "# all\naccelerate==1.9.0\ntorch==2.9.1\n",
        ),
        (
            "requirements-dev.txt",
            "-r requirements.txt\naccelerate==1.7.0; python_version < '3.9'\n",
        ),
        (
            "sub/uv.lock",
            "[[package]]\nname = \"accelerate\"\nversion = \"1.12.0\"\n",
        ),
        (
            "sub/setup.py",
            "setup(install_requires=['torch==2.9.1+cu128'])\n",
        ),
        ("sub/a.yaml", CONFIG),
        ("sub/b.yaml", CONFIG),
    ]);
    let ran = repository.run(&[]);
    assert_eq!(ran.code, 0);
    assert_snapshot!(ran.stdout, @r#"
    note[FP907]: `accelerate==1.12.0` is taken, but requirements.txt:2 pins 1.9.0
     --> sub/uv.lock:3:11
      |
    3 | version = "1.12.0"
      |           ^^^^^^^^ this is taken
      |
     ::: requirements.txt:2:1
      |
    2 | accelerate==1.9.0
      | ----------------- accelerate==1.9.0
      |
      = help: pin one version, or say which one runs with --target accelerate=VERSION

    Found 1 note in 2 accelerate configs, accelerate 1.12.0 (sub/uv.lock:3).
    "#);
    // What is declared leaves nothing open.
    assert_eq!(
        closing(&repository, &["--target", "accelerate=1.12.0"]),
        "No findings in 2 accelerate configs, accelerate 1.12.0."
    );
    repository.write(
        "sub/pyproject.toml",
        "[project.optional-dependencies]\nold = ['torch==2.4.0']\n",
    );
    let ran = repository.run(&["--report", "concise", "--target", "accelerate=1.12.0"]);
    assert!(ran.stdout.starts_with("No findings"), "{}", ran.stdout);
}

#[test]
fn what_is_raised_anyway_is_not_laid_on_a_missing_backend() {
    let config = "distributed_type: FSDP\nmixed_precision: fp8\nfp8_config:\n  backend: TE\n";
    let repository = Repository::with(&[
        ("a.yaml", config),
        ("requirements.txt", "accelerate==1.12.0\ntorch\n"),
    ]);
    let ran = repository.run(&["--select", "FP604", "--report", "concise"]);
    assert!(ran.stdout.contains("FP604"), "{}", ran.stdout);
    assert!(
        ran.stdout
            .contains("ImportError: TransformerEngine is not available"),
        "{}",
        ran.stdout
    );
}

#[test]
fn a_backend_that_an_old_release_passes_over_is_said() {
    let config = "distributed_type: 'NO'\nmixed_precision: fp8\nnum_processes: 1\nfp8_config:\n  backend: AO\n";
    let repository = Repository::with(&[("a.yaml", config)]);
    let found = |release: &str| {
        let target = format!("accelerate={release}");
        repository
            .run(&["--target", &target, "--report", "concise", "--quiet"])
            .stdout
    };
    let old = found("1.3.0");
    assert!(old.starts_with("a.yaml:5:12: warning FP306"), "{old}");
    assert!(old.contains("trains by TE"), "{old}");
    assert_eq!(found("1.15.0"), "");
    repository.write("a.yaml", config.replace("AO", "TE"));
    assert_eq!(found("1.3.0"), "");
}
