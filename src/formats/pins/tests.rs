use proptest::prelude::*;

use super::*;

fn said(kind: PinFile, text: &str) -> Vec<String> {
    let file = SourceFile::from_text("pins", text);
    let pins = kind.pins(&file, "accelerate");
    pins.iter()
        .map(|pin| {
            let text = file.slice(pin.span);
            format!("{}: {} ({text})", pin.line, pin.specifiers)
        })
        .collect()
}

fn line(text: &str) -> Option<String> {
    let file = SourceFile::from_text("requirements.txt", text);
    let pins = PinFile::Requirements.pins(&file, "accelerate");
    assert!(pins.len() < 2);
    pins.first().map(|pin| pin.specifiers.to_string())
}

#[test]
fn files_are_told_by_their_names() {
    for (name, kind) in [
        ("uv.lock", Some(PinFile::UvLock)),
        ("pyproject.toml", Some(PinFile::Project)),
        ("requirements.txt", Some(PinFile::Requirements)),
        ("requirements-dev.txt", Some(PinFile::Requirements)),
        ("requirements_train.txt", Some(PinFile::Requirements)),
        ("requirements.in", None),
        ("dev-requirements.txt", None),
        ("poetry.lock", None),
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
        let file = SourceFile::from_text("requirements.txt", text);
        let pin = PinFile::Requirements.deciding_pin(&file, "accelerate");
        pin.map(|pin| pin.specifiers.to_string())
    };
    let text = "accelerate>=1\naccelerate==1.9.0; python_version<'3.9'\naccelerate==1.10.0\n";
    assert_eq!(deciding(text).as_deref(), Some("==1.10.0"));
    let text = "accelerate>=1.3\naccelerate<2\n";
    assert_eq!(deciding(text).as_deref(), Some(">=1.3"));
    assert_eq!(deciding("torch\n"), None);
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

proptest! {
    #[test]
    fn no_text_is_too_strange(text in nearly_pins(), marker in nearly_pins()) {
        let _ = marker::holds(&marker);
        let _ = poetry::specifiers(&text);
        for kind in [PinFile::UvLock, PinFile::Requirements, PinFile::Project] {
            let texts = [
                text.clone(),
                format!("accelerate{text};{marker}"),
                format!("[project]\ndependencies = ['''accelerate{text}''']\n"),
            ];
            for text in texts {
                let file = SourceFile::from_text("pins", text);
                for pin in kind.pins(&file, "accelerate") {
                    prop_assert!(!file.slice(pin.span).is_empty());
                    prop_assert!(pin.line >= 1 && pin.line <= file.line_count());
                }
            }
        }
    }
}
