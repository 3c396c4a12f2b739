use proptest::prelude::*;

use super::*;
use crate::knowledge;

mod included;
mod kinds;

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

#[test]
fn a_pin_is_never_an_empty_place() {
    let text = "[options]\ninstall_requires = accelerate\r\\\n  torch==\n";
    for kind in KINDS {
        for pin in pins(*kind, text) {
            assert!(!pin.file.slice(pin.span).is_empty(), "{kind:?} {pin:?}");
        }
    }
}

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
