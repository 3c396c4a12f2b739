use proptest::prelude::*;

use super::*;
use crate::knowledge;

fn pins(kind: PinFile, text: &str) -> Vec<Pin> {
    let file = Arc::new(SourceFile::from_text("pins", text));
    kind.pins_of("pins", &file, &NothingBeside)
}

/// What is said about accelerate's versions.
fn said(kind: PinFile, text: &str) -> Vec<String> {
    pins(kind, text)
        .iter()
        .filter(|pin| pin.package.name == "accelerate" && pin.names_versions())
        .map(|pin| {
            let text = pin.file.slice(pin.span);
            format!("{}: {} ({text})", pin.line, pin.specifiers)
        })
        .collect()
}

/// Everything: `LINE: REQUIREMENT`, with `?` where it is conditional and `<` where it is a constraint.
fn all(kind: PinFile, text: &str) -> Vec<String> {
    let mark = |is_marked: bool, mark| if is_marked { mark } else { "" };
    pins(kind, text)
        .iter()
        .map(|pin| {
            format!(
                "{}: {}{}{}",
                pin.line,
                pin.requirement(),
                mark(pin.is_conditional, "?"),
                mark(pin.is_constraint, "<"),
            )
        })
        .collect()
}

/// Tables of TOML have no order.
fn sorted(mut texts: Vec<String>) -> Vec<String> {
    texts.sort();
    texts
}

fn line(text: &str) -> Option<String> {
    let pins = pins(PinFile::Requirements, text);
    let mut versions = pins
        .iter()
        .filter(|pin| pin.names_versions() && pin.package.name == "accelerate");
    let first = versions.next().map(|pin| pin.specifiers.to_string());
    assert!(versions.next().is_none());
    first
}

#[test]
fn files_are_told_by_their_names() {
    for (name, kind) in [
        ("uv.lock", Some(PinFile::UvLock)),
        ("pyproject.toml", Some(PinFile::Project)),
        ("requirements.txt", Some(PinFile::Requirements)),
        ("requirements-dev.txt", Some(PinFile::Requirements)),
        ("requirements_train.txt", Some(PinFile::Requirements)),
        ("requirements.in", Some(PinFile::Requirements)),
        ("dev-requirements.txt", Some(PinFile::Requirements)),
        ("constraints.txt", Some(PinFile::Constraints)),
        ("poetry.lock", Some(PinFile::PoetryLock)),
        ("pdm.lock", Some(PinFile::PdmLock)),
        ("Pipfile.lock", Some(PinFile::PipfileLock)),
        ("Pipfile", Some(PinFile::Pipfile)),
        ("conda-lock.yml", Some(PinFile::CondaLock)),
        ("conda-linux-64.lock", Some(PinFile::CondaExplicit)),
        ("conda-osx-64.lock", None),
        ("environment.yml", Some(PinFile::CondaEnvironment)),
        ("environment-gpu.yaml", Some(PinFile::CondaEnvironment)),
        ("setup.cfg", Some(PinFile::SetupCfg)),
        ("setup.py", Some(PinFile::SetupPy)),
        ("requirements", None),
        ("Requirements.md", None),
        ("package-lock.json", None),
    ] {
        assert_eq!(PinFile::of_name(name), kind, "{name}");
    }
}

#[test]
fn requirement_lines_that_are_understood() {
    for (text, specifiers) in [
        ("accelerate==1.4.0", "==1.4.0"),
        ("Accelerate == 1.4.0", "==1.4.0"),
        ("  accelerate>=1.3,<2  ", ">=1.3, <2"),
        ("accelerate >=1.3 , <2", ">=1.3, <2"),
        ("accelerate~=1.3.0", "~=1.3.0"),
        ("accelerate==1.*", "==1.*"),
        ("accelerate!=1.4.0", "!=1.4.0"),
        ("accelerate===1.4.0", "===1.4.0"),
        ("accelerate (>=1.3)", ">=1.3"),
        ("accelerate>=1.3,", ">=1.3"),
        ("accelerate[rich,test]==1.4.0", "==1.4.0"),
        ("accelerate [rich] == 1.4.0", "==1.4.0"),
        ("accelerate==1.4.0 # pinned", "==1.4.0"),
        ("accelerate==1.4.0\t#pinned", "==1.4.0"),
        ("accelerate==1.4.0; python_version >= '3.9'", "==1.4.0"),
        ("accelerate==1.4.0 ; sys_platform == 'linux'", "==1.4.0"),
        ("accelerate==1.4.0; nonsense", "==1.4.0"),
        (
            "accelerate==1.4.0 --hash=sha256:ab --hash=sha256:cd",
            "==1.4.0",
        ),
        (
            "accelerate==1.4.0 \\\n    --hash=sha256:ab \\\n    --hash=sha256:cd\n",
            "==1.4.0",
        ),
        ("accelerate \\\n  ==1.4.0", "==1.4.0"),
        ("accelerate==1.4.0 \\", "==1.4.0"),
        ("\u{feff}accelerate==1.4.0\r\n", "==1.4.0"),
        ("torch\raccelerate==1.4.0\r", "==1.4.0"),
        ("accelerate==1.5.0.dev0", "==1.5.0.dev0"),
    ] {
        assert_eq!(line(text).as_deref(), Some(specifiers), "{text:?}");
    }
}

#[test]
fn requirement_lines_that_say_nothing() {
    for text in [
        "",
        "accelerate",
        "accelerate # newest",
        "accelerate[rich]",
        "# accelerate==1.4.0",
        "  # accelerate==1.4.0",
        "# torch \\\n# accelerate==1.4.0",
        "accelerate-launcher==1.4.0",
        "my_accelerate==1.4.0",
        "accelerate.x==1",
        "_accelerate==1.4.0",
        "accelerate @ git+https://github.com/huggingface/accelerate@v1.4.0",
        "accelerate@https://example.org/accelerate-1.4.0.tar.gz",
        "git+https://github.com/huggingface/accelerate@v1.4.0#egg=accelerate==1.4.0",
        "-e git+https://github.com/huggingface/accelerate#egg=accelerate",
        "-e ./accelerate",
        "-r accelerate==1.4.0",
        "--find-links accelerate==1.4.0",
        "./accelerate-1.4.0-py3-none-any.whl",
        "accelerate=1.4.0",
        "accelerate 1.4.0",
        "accelerate==${ACCELERATE}",
        "accelerate==1.4.0; sys_platform == 'win32'",
        "accelerate==1.4.0#fragment",
        "accelerate[rich==1.4.0",
        "accelerate(>=1.3",
        "accelerate==é",
        "accélerate==1.4.0",
    ] {
        assert_eq!(line(text), None, "{text:?}");
    }
}

#[test]
fn pins_have_their_line_and_their_bytes() {
    let text = "# tools\ntorch>=2\n  accelerate [rich] == 1.4.0 ; python_version > '3' # é\n\naccelerate>=1 \\\n  ,<2\n";
    assert_eq!(
        said(PinFile::Requirements, text),
        [
            "3: ==1.4.0 (accelerate [rich] == 1.4.0)",
            "5: >=1, <2 (accelerate>=1)",
        ]
    );
}

#[test]
fn projects() {
    let text = "\
[project]
dependencies = [
    'torch>=2',
    'Accelerate[rich]>=1.3,<2',
]
[project.optional-dependencies]
train = ['accelerate==1.4.0; python_version > \"3.8\"', 'accelerate']
[dependency-groups]
dev = [{include-group = 'train'}, 'accelerate~=1.5']
[tool.poetry.dependencies]
python = '>=3.9'
accelerate = '^1.6'
[tool.poetry.group.gpu.dependencies]
accelerate = {version = '~1.7', extras = ['rich']}
[tool.poetry.group.cpu.dependencies]
accelerate = [{version = '1.8.0', python = '<3.9'}, {version = '1.9.0'}, {git = 'https://example.org'}]
";
    assert_eq!(
        said(PinFile::Project, text),
        [
            "4: >=1.3, <2 ('Accelerate[rich]>=1.3,<2')",
            "7: ==1.4.0 ('accelerate==1.4.0; python_version > \"3.8\"')",
            "9: ~=1.5 ('accelerate~=1.5')",
            "12: >=1.6, <2 ('^1.6')",
            "16: ==1.8.0 ('1.8.0')",
            "16: ==1.9.0 ('1.9.0')",
            "14: >=1.7, <1.8 ('~1.7')",
        ]
    );
    for text in [
        "",
        "[project]\ndependencies = 'accelerate==1.4.0'\n",
        "[project]\ndependencies = ['accelerate']\n",
        "[project\ndependencies = ['accelerate==1.4.0']\n",
        "project = ['accelerate==1.4.0']\ndependency-groups = 1\n",
        "[tool.poetry.dependencies]\naccelerate = '*'\n",
        "[tool.poetry.dependencies]\naccelerate = 1\n",
        "[tool.poetry]\ngroup = {a = 1, b = {dependencies = 2}}\n",
    ] {
        assert_eq!(said(PinFile::Project, text), [""; 0], "{text}");
    }
}

#[test]
fn poetry_has_constraints_of_its_own() {
    for (constraint, specifiers) in [
        ("^1.3", Some(">=1.3, <2")),
        ("^1.3.2", Some(">=1.3.2, <2")),
        ("^0.30.1", Some(">=0.30.1, <0.31")),
        ("^0.0.3", Some(">=0.0.3, <0.0.4")),
        ("^0.0", Some(">=0.0, <0.1")),
        ("^0", Some(">=0, <1")),
        ("~1.3", Some(">=1.3, <1.4")),
        ("~1.3.2", Some(">=1.3.2, <1.4")),
        ("~1", Some(">=1, <2")),
        ("~=1.3", Some("~=1.3")),
        ("1.3.0", Some("==1.3.0")),
        ("=1.3.0", Some("==1.3.0")),
        ("==1.3.0", Some("==1.3.0")),
        ("1.3.*", Some("==1.3.*")),
        (">=1.3,<2", Some(">=1.3, <2")),
        (">=1.3 <2", Some(">=1.3, <2")),
        (">= 1.3, < 2", Some(">=1.3, <2")),
        ("^ 1.3", Some(">=1.3, <2")),
        ("*", None),
        ("", None),
        ("^", None),
        ("^x", None),
        ("^18446744073709551615", None),
        ("^0.30 || ^1.0", None),
        ("latest", None),
    ] {
        let read = poetry::specifiers(constraint).map(|read| read.to_string());
        assert_eq!(read.as_deref(), specifiers, "{constraint}");
    }
}

#[test]
fn locks() {
    let text = "\
version = 1

[[package]]
name = 'torch'
version = '2.9.1'

[[package]]
name = 'accelerate'
version = '1.4.0'
source = { registry = 'https://pypi.org/simple' }

[[package]]
name = 'accelerate'
version = '1.10.0'

[[package]]
name = 'accelerate'
source = { virtual = '.' }
";
    assert_eq!(
        said(PinFile::UvLock, text),
        ["9: ==1.4.0 ('1.4.0')", "14: ==1.10.0 ('1.10.0')"]
    );
    for text in [
        "",
        "package = 1",
        "package = [1]",
        "[[package]]\nname = 1\n",
        "x",
    ] {
        assert_eq!(said(PinFile::UvLock, text), [""; 0], "{text}");
    }
}

#[test]
fn exact_pins_come_before_ranges_and_the_newest_of_them_first() {
    let deciding = |text: &str| {
        let pins = pins(PinFile::Requirements, text);
        let pin = deciding_pin(&pins, knowledge::package("accelerate").unwrap());
        pin.map(|pin| pin.specifiers.to_string())
    };
    let text = "accelerate>=1\naccelerate==1.9.0; python_version<'3.9'\naccelerate==1.10.0\n";
    assert_eq!(deciding(text).as_deref(), Some("==1.10.0"));
    let text = "accelerate>=1.3\naccelerate<2\n";
    assert_eq!(deciding(text).as_deref(), Some(">=1.3"));
    assert_eq!(deciding("torch\n"), None);
}

#[test]
fn every_package_is_found_in_one_reading() {
    let text = "\u{feff}# GPU\r\n\
torch==2.9.1\r\n\
transformers[torch,deepspeed]>=4.50,<5 ; sys_platform == 'linux'\r\n\
trl\r\n\
torchao==0.14.1; python_version < '3.12'\r\n\
Transformer_Engine[pytorch]==2.9.0 # build\r\n\
git+https://github.com/Azure/MS-AMP.git@v0.4\r\n\
-e ./LLaMA-Factory\r\n\
numpy==2.0\r\n\
ms-swift==${SWIFT}\r\n\
axolotl==0.16.0; sys_platform == 'win32'\r\n";
    assert_eq!(
        all(PinFile::Requirements, text),
        [
            "2: torch==2.9.1",
            "3: transformers>=4.50, <5",
            "3: torch",
            "3: deepspeed",
            "4: trl",
            "5: torchao==0.14.1?",
            "6: transformer-engine==2.9.0",
            "7: ms-amp",
            "8: llamafactory",
            "10: ms-swift",
        ]
    );
    assert_eq!(
        all(PinFile::Constraints, "torch==2.9.1\n"),
        ["1: torch==2.9.1<"]
    );
}

/// Files by their paths.
struct Files(&'static [(&'static str, &'static str)]);

impl Beside for Files {
    fn read(&self, path: &str) -> Option<Arc<SourceFile>> {
        let (path, text) = self.0.iter().find(|(name, _)| *name == path)?;
        Some(Arc::new(SourceFile::from_text(*path, *text)))
    }
}

#[test]
fn included_files_are_read_from_where_they_are_named() {
    let files = Files(&[
        (
            "requirements/base.txt",
            "torch>=2\n-r ../requirements.txt\n--requirement=./deep/x.txt\n",
        ),
        (
            "requirements/deep/x.txt",
            "trl==1.0\n-c ../../constraints.txt\n",
        ),
        ("constraints.txt", "trl==1.1\n-r more.txt\n"),
        ("more.txt", "deepspeed==0.19.8\n"),
        ("../up.txt", "torchao\n"),
    ]);
    let text = "-rrequirements/base.txt # all\n-r ../up.txt\n-c https://example.org/constraints.txt\n\
        -r missing.txt\n-r /etc/x.txt\n-r ${HOME}/x.txt\n-r\naccelerate==1.7.0\n";
    let file = Arc::new(SourceFile::from_text("requirements.txt", text));
    let pins = PinFile::Requirements.pins_of("requirements.txt", &file, &files);
    let found: Vec<_> = pins
        .iter()
        .map(|pin| {
            format!(
                "{}:{} {} {}",
                pin.file.path,
                pin.line,
                pin.requirement(),
                pin.is_constraint
            )
        })
        .collect();
    assert_eq!(
        found,
        [
            "requirements.txt:8 accelerate==1.7.0 false",
            "requirements/base.txt:1 torch>=2 false",
            "../up.txt:1 torchao false",
            "requirements/deep/x.txt:1 trl==1.0 false",
            "constraints.txt:1 trl==1.1 true",
            "more.txt:1 deepspeed==0.19.8 true",
        ]
    );
}

#[test]
fn inclusion_ends() {
    /// Every file includes two more.
    struct Endless;
    impl Beside for Endless {
        fn read(&self, path: &str) -> Option<Arc<SourceFile>> {
            let text = format!("torch\n-r {path}a\n-r {path}b\n-r {path}\n");
            Some(Arc::new(SourceFile::from_text(path, text)))
        }
    }
    let file = Arc::new(SourceFile::from_text("r", "-r a\n"));
    let pins = PinFile::Requirements.pins_of("r", &file, &Endless);
    assert_eq!(pins.len(), 31);
}

#[test]
fn locks_of_poetry_and_pdm_are_like_that_of_uv() {
    let text = r#"# This file is automatically @generated by Poetry 1.8.2
[[package]]
name = "torch"
version = "2.9.1"
optional = false
files = [{file = "torch-2.9.1.whl", hash = "sha256:00"}]

[package.dependencies]
filelock = "*"

[[package]]
name = "transformer-engine-cu12"
version = "2.9.0"

[[package]]
name = "trl"
version = "0.9"

[[package]]
name = "trl"
version = "1.0"

[metadata]
lock-version = "2.0"
"#;
    for kind in [PinFile::PoetryLock, PinFile::PdmLock, PinFile::UvLock] {
        for text in [text.to_owned(), text.replace('\n', "\r\n")] {
            assert_eq!(
                all(kind, &text),
                [
                    "4: torch==2.9.1",
                    "13: transformer-engine==2.9.0",
                    "17: trl==0.9?",
                    "21: trl==1.0?",
                ]
            );
        }
    }
}

#[test]
fn pipenv() {
    let text = r#"{
    "_meta": {"hash": {"sha256": "00"}},
    "default": {
        "accelerate": {"hashes": ["sha256:00"], "index": "pypi", "version": "==1.7.0"},
        "torch": {"markers": "python_version >= '3.9'", "version": "==2.9.1"},
        "torchao": {"markers": "sys_platform == 'win32'", "version": "==0.14.1"},
        "trl": {"git": "https://github.com/huggingface/trl.git", "ref": "00"}
    },
    "develop": {"deepspeed": {"version": "==0.19.8"}}
}"#;
    assert_eq!(
        all(PinFile::PipfileLock, text),
        [
            "4: accelerate==1.7.0",
            "5: torch==2.9.1?",
            "7: trl",
            "9: deepspeed==0.19.8?"
        ]
    );
    let text = r#"[[source]]
url = "https://pypi.org/simple"
[packages]
torch = "*"
accelerate = "==1.7.0"
transformers = {version = ">=4.50,<5", extras = ["torch"]}
trl = {git = "https://github.com/huggingface/trl.git"}
torchao = {version = "==0.14.1", markers = "sys_platform == 'win32'"}
[dev-packages]
deepspeed = "~=0.19.0"
"#;
    assert_eq!(
        sorted(all(PinFile::Pipfile, text)),
        [
            "10: deepspeed~=0.19.0?",
            "4: torch",
            "5: accelerate==1.7.0",
            "6: transformers>=4.50, <5",
            "7: trl",
        ]
    );
    for text in [
        "",
        "[]",
        r#"{"default": 1}"#,
        r#"{"default": {"torch": {"version": "1""#,
        "packages = 1",
        "x",
    ] {
        assert_eq!(all(PinFile::PipfileLock, text), [""; 0], "{text}");
        assert_eq!(all(PinFile::Pipfile, text), [""; 0], "{text}");
    }
}

#[test]
fn conda() {
    let text = "\
name: train
channels: [pytorch, conda-forge]
dependencies:
  - python=3.11
  - pytorch::pytorch=2.9.1=py3.11_cuda12.6_0
  - pytorch-cuda=12.6
  - 'accelerate>=1.3,<2'   # from conda-forge
  - pip
  - pip:
    - transformers==4.57.6
    - -r requirements.txt
    - git+https://github.com/NVIDIA/TransformerEngine.git@stable
";
    for text in [text.to_owned(), text.replace('\n', "\r\n")] {
        assert_eq!(
            all(PinFile::CondaEnvironment, &text),
            [
                "5: torch==2.9.1",
                "7: accelerate>=1.3, <2",
                "10: transformers==4.57.6",
                "12: transformer-engine",
            ]
        );
    }
    let lock = "\
version: 1
metadata: {platforms: [linux-64, osx-arm64]}
package:
- {name: pytorch, version: 2.9.1, manager: conda, platform: linux-64}
- {name: pytorch, version: 2.8.0, manager: conda, platform: osx-arm64}
- {name: accelerate, version: 1.10, manager: pip, platform: linux-64}
- {name: pytorch, version: '0.1', manager: pip, platform: linux-64}
- {name: trl, manager: pip}
";
    assert_eq!(
        all(PinFile::CondaLock, lock),
        ["4: torch==2.9.1", "6: accelerate==1.10"]
    );
    let explicit = "\
# platform: linux-64
@EXPLICIT
https://conda.anaconda.org/conda-forge/linux-64/pytorch-2.9.1-cuda126_py311_h0.conda#0123
https://conda.anaconda.org/conda-forge/noarch/ms-swift-4.6.0-pyhd8ed1ab_0.tar.bz2
https://conda.anaconda.org/conda-forge/noarch/
pytorch-2.9.1-0
";
    assert_eq!(
        all(PinFile::CondaExplicit, explicit),
        ["3: torch==2.9.1", "4: ms-swift==4.6.0"]
    );
    for text in [
        "",
        "- pytorch",
        "dependencies: torch",
        "dependencies: [{pip: torch}, 1, [torch]]",
        "dependencies:\n  - {{ torch }}\n",
        "dependencies: [torch",
        "package: [torch, {name: [torch]}, {name: torch, version: [1]}]",
        "package: {torch: 1}",
    ] {
        assert_eq!(all(PinFile::CondaEnvironment, text), [""; 0], "{text}");
        assert_eq!(all(PinFile::CondaLock, text), [""; 0], "{text}");
    }
}

#[test]
fn projects_of_other_tools() {
    let text = r#"[project]
dependencies = ["torch>=2", "deepspeed"]
[project.optional-dependencies]
ao = ["torchao==0.14.1"]
[tool.uv]
dev-dependencies = ["trl==1.0"]
constraint-dependencies = ["transformers<5"]
override-dependencies = ["accelerate==1.7.0"]
[tool.pdm.dev-dependencies]
train = ["ms-swift==4.6.0"]
[tool.hatch.envs.gpu]
dependencies = ["axolotl==0.16.0"]
extra-dependencies = ["llamafactory==0.9.4"]
[tool.poetry.dependencies]
trl = {git = "https://github.com/huggingface/trl.git"}
msamp = "*"
[tool.poetry.dev-dependencies]
torch = {version = "^2.9", markers = "sys_platform == 'win32'"}
"#;
    assert_eq!(
        sorted(all(PinFile::Project, text)),
        [
            "10: ms-swift==4.6.0?",
            "12: axolotl==0.16.0?",
            "13: llamafactory==0.9.4?",
            "15: trl",
            "16: ms-amp",
            "2: deepspeed",
            "2: torch>=2",
            "4: torchao==0.14.1?",
            "6: trl==1.0?",
            "7: transformers<5<",
            "8: accelerate==1.7.0<",
        ]
    );
}

#[test]
fn setup_cfg() {
    let text = "\u{feff}[metadata]
name = x
install_requires = torch==1.0
[options]
packages = find:
install_requires =
    # the newest
    torch>=2
    transformers==4.57.6 ; python_version > '3.8'

    accelerate[deepspeed]==1.7.0
python_requires = >=3.9
    trl
[options.extras_require]
ao = torchao==0.14.1
all : trl
    ms-swift
[tool]
x =
    axolotl
";
    for text in [text.to_owned(), text.replace('\n', "\r\n")] {
        assert_eq!(
            all(PinFile::SetupCfg, &text),
            [
                "8: torch>=2",
                "9: transformers==4.57.6?",
                "11: accelerate==1.7.0",
                "11: deepspeed",
                "15: torchao==0.14.1?",
                "16: trl?",
                "17: ms-swift?",
            ]
        );
    }
    assert_eq!(
        said(
            PinFile::SetupCfg,
            "[options]\ninstall_requires = accelerate == 1.7.0 ; x\n"
        ),
        ["2: ==1.7.0 (accelerate == 1.7.0)"]
    );
}

#[test]
fn setup_py() {
    let text = r#"# Train.
"""accelerate==0.1 in words, install_requires=['trl==0.1']"""
from setuptools import setup

_deps = [
    "torch>=2",  # "torch==1.0"
    'transformers==4.57.6',
    f"trl=={VERSION}",
]
unused = ["axolotl==0.16.0"]
extras = {}
extras["ao"] = ["torchao==0.14.1"]
extras["deepspeed"] = deps_list("deepspeed")
extras["all"] = extras["ao"] + ["ms-" "swift", r'''llamafactory==0.9.4''']
deps = {b: a for a, b in (split(x) for x in _deps)}

base: list[str] = ["msamp"]
base += ["accelerate==1.7.0; sys_platform == 'linux'"]
base.append("transformer-engine[pytorch]==2.9.0")

setup(
    name="trl",
    install_requires=base + [deps["torch"], deps["transformers"]],
    extras_require={**extras, "trl": ["trl>=1"]},
    python_requires=">=3.9",
)
"#;
    for text in [text.to_owned(), text.replace('\n', "\r\n")] {
        assert_eq!(
            all(PinFile::SetupPy, &text),
            [
                "24: trl>=1?",
                "17: ms-amp",
                "18: accelerate==1.7.0",
                "19: transformer-engine==2.9.0",
                "12: torchao==0.14.1?",
                "13: deepspeed?",
                "14: llamafactory==0.9.4?",
                "6: torch>=2?",
                "7: transformers==4.57.6?",
            ]
        );
    }
    for (text, expected) in [
        ("install_requires=['torch==2.9.1']", vec!["1: torch==2.9.1"]),
        (
            "install_requires=('torch', 'trl'),",
            vec!["1: torch", "1: trl"],
        ),
        (
            "a = a + ['torch']\nsetup(install_requires=a)",
            vec!["1: torch"],
        ),
        (
            "setup(install_requires=open('torch').read())",
            vec!["1: torch"],
        ),
        ("if install_requires == ['torch']: pass", vec![]),
        ("setup(install_requires=[", vec![]),
        ("setup(install_requires=['torch", vec![]),
        ("install_requires=", vec![]),
        ("install_requires", vec![]),
        ("setup(install_requires={'torch': 1}, x=['trl'])", vec![]),
    ] {
        assert_eq!(all(PinFile::SetupPy, text), expected, "{text}");
    }
}

/// Texts made of what pins are made of, so that they come close to being some.
fn nearly_pins() -> impl Strategy<Value = String> {
    let part = prop_oneof![
        3 => "(accelerate|torch|name|version|package|project|tool|poetry|dependencies)",
        2 => "[0-9.]{1,6}",
        3 => "(==|===|>=|<|~=|!=|\\^|~|=|,|\\|\\|)",
        2 => "[\\[\\](){};:'\"#\\\\@ -]",
        2 => "(\r|\n|\r\n| |\t)",
        1 => "(python_version|sys_platform|and|or|not|in|extra)",
        1 => any::<char>().prop_map(String::from),
    ];
    prop::collection::vec(part, 0..40).prop_map(|parts| parts.concat())
}

const KINDS: &[PinFile] = &[
    PinFile::UvLock,
    PinFile::PipfileLock,
    PinFile::CondaLock,
    PinFile::CondaExplicit,
    PinFile::Requirements,
    PinFile::CondaEnvironment,
    PinFile::Project,
    PinFile::SetupCfg,
    PinFile::SetupPy,
    PinFile::Pipfile,
];

proptest! {
    #[test]
    fn no_text_is_too_strange(text in nearly_pins(), marker in nearly_pins()) {
        let _ = marker::holds(&marker);
        let _ = poetry::specifiers(&text);
        let file = Arc::new(SourceFile::from_text("train.sh", "pip install x"));
        let named = requirement(&format!("accelerate{text};{marker}"), &file, Span::new(4, 11));
        prop_assert!(named.iter().all(|pin| pin.line == 1));
        for kind in KINDS {
            let texts = [
                text.clone(),
                format!("accelerate{text};{marker}"),
                format!("[project]\ndependencies = ['''accelerate{text}''']\n"),
                format!("dependencies:\n- accelerate{text}\n- pip:\n  - torch{marker}\n"),
                format!("[options]\ninstall_requires = accelerate{text}\n  torch{marker}\n"),
                format!("x = [\"torch{text}\"]\nsetup(install_requires=['accelerate{marker}'] + x)\n"),
                format!("[packages]\naccelerate = '''{text}'''\n"),
            ];
            for text in texts {
                for pin in pins(*kind, &text) {
                    prop_assert!(!pin.file.slice(pin.span).is_empty(), "{kind:?} {text:?}");
                    prop_assert!(pin.line >= 1 && pin.line <= pin.file.line_count());
                }
            }
        }
    }
}
