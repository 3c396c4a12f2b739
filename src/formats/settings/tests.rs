use super::*;

const BLOCK: &str = "\
[[fp8-block]]
path = 'fsdp_config.fp8'
backends = ['fp8', 'fp8row', 'auto']
default-backend = 'auto'
";

fn parsed(path: &str, text: &str) -> Result<Option<Settings>, SettingsError> {
    read(&Arc::new(SourceFile::from_text(path, text)))
}

fn refused(text: &str) -> String {
    let file = Arc::new(SourceFile::from_text("fp8lint.toml", text));
    let error = read(&file).unwrap_err();
    let at = file.line_column(error.span.start);
    let remedy = match error.remedy {
        Remedy::Write(text) => text,
        Remedy::OneOf { given, known } => format!("{given} -> {}", known.join(", ")),
    };
    format!("{}:{}: {}; {remedy}", at.line, at.column, error.message)
}

#[test]
fn targets_and_blocks_are_read_with_their_places() {
    let text = format!(
        "target = {{ accelerate = '>=1.3,<2', installed = ['torchao', 'deepspeed'] }}\n{BLOCK}"
    );
    let settings = parsed("conf/fp8lint.toml", &text).unwrap().unwrap();
    let target: Vec<_> = settings
        .target
        .iter()
        .map(|setting| (setting.key.as_str(), setting.value.as_str()))
        .collect();
    assert_eq!(
        target,
        [
            ("accelerate", ">=1.3,<2"),
            ("installed", "torchao,deepspeed")
        ]
    );
    assert_eq!(settings.file.slice(settings.target[1].span), "installed");
    let [block] = &settings.blocks[..] else {
        panic!("{:?}", settings.blocks)
    };
    assert_eq!(block.path, Route::keys(["fsdp_config", "fp8"]));
    assert_eq!(block.backends, ["fp8", "fp8row", "auto"]);
    assert_eq!(block.default_backend, "auto");
    assert_eq!(
        block.declared.0.slice(block.declared.1),
        "'fsdp_config.fp8'"
    );
}

#[test]
fn a_project_may_hold_settings() {
    let text = "[project]\nname = 'x'\n[tool.fp8lint.target]\ngpu = 'h100'\n\
                [[tool.fp8lint.fp8-block]]\npath = 'fp8'\nbackends = ['a']\ndefault-backend = 'a'\n";
    let settings = parsed("pyproject.toml", text).unwrap().unwrap();
    assert_eq!((settings.target.len(), settings.blocks.len()), (1, 1));
    for text in [
        "",
        "[tool.ruff]\nline-length = 120\n",
        "[project]\ndependencies = ['fp8lint']\n",
        "[project\n",
    ] {
        assert!(
            parsed("a/pyproject.toml", text).unwrap().is_none(),
            "{text}"
        );
    }
    assert!(
        parsed("pyproject.toml", "[tool.fp8lint]\n")
            .unwrap()
            .is_some()
    );
    assert!(parsed("pyproject.toml", "[tool.fp8lint\n").is_err());
    assert!(parsed("pyproject.toml", "[tool.fp8lint]\ntargt = 1\n").is_err());
    assert!(parsed("pyproject.toml", "tool.fp8lint = []\n").is_err());
    assert!(parsed("pyproject.toml", "tool.fp8lint = 'on'\n").is_err());
    assert!(parsed("fp8lint.toml", "").unwrap().is_some());
}

#[test]
fn kinds_are_declared_in_the_order_of_the_text() {
    let text = "[recipes]\n'z/**/*.yaml' = 'trl'\n'a.json' = 'deepspeed'\n";
    let settings = parsed("fp8lint.toml", text).unwrap().unwrap();
    let declared: Vec<_> = settings
        .recipes
        .iter()
        .map(|declared| (declared.pattern.as_str(), declared.kind.as_str()))
        .collect();
    assert_eq!(
        declared,
        [("z/**/*.yaml", "recipe:trl"), ("a.json", "deepspeed")]
    );
    assert_eq!(
        settings.file.slice(settings.recipes[0].span),
        "'z/**/*.yaml'"
    );
}

#[test]
fn sizes_have_units() {
    let size = |written: &str| {
        let text = format!("max-file-size = {written}\n");
        let settings = parsed("fp8lint.toml", &text).unwrap().unwrap();
        settings.max_file_size.unwrap().value
    };
    for (written, bytes) in [
        ("17", 17),
        ("'17'", 17),
        ("'17 B'", 17),
        ("'2KiB'", 2048),
        ("' 8 MiB '", 8 << 20),
        ("'1 GiB'", 1 << 30),
    ] {
        assert_eq!(size(written), bytes, "{written}");
    }
}

#[test]
fn what_cannot_be_used_is_said_with_its_place() {
    let mut shown = String::new();
    for text in [
        "select = 'FP3'\n",
        "select = [3]\n",
        "ignore = { FP3 = true }\n",
        "severity = { FP3 = 'eror' }\n",
        "severity = { FP3 = 3 }\n",
        "severity = ['FP3']\n",
        "fail-on = 'never'\n",
        "fail-on = true\n",
        "exclude = 'out'\n",
        "include = [['out']]\n",
        "max-file-size = '8 MB'\n",
        "max-file-size = '99999999999999 GiB'\n",
        "max-file-size = 0\n",
        "max-file-size = 1.5\n",
        "[per-path.'a.json']\nignored = ['FP3']\n",
        "[per-path.'a.json']\nignore = 'FP3'\n",
        "per-path = { 'a.json' = ['FP3'] }\n",
        "[per-path.'a.json'.severity]\nFP3 = 'info'\n",
        "taget = { gpu = 'h100' }\n",
        "[[fp8-blok]]\n",
        "[[fp8-block]]\npath = 'fp8'\nbackend = ['a']\n",
        "[[fp8-block]]\npath = 'fp8'\nbackends = ['a']\n",
        "[fp8-block]\npath = 'fp8'\n",
        "[[fp8-block]]\npath = 1\nbackends = ['a']\ndefault-backend = 'a'\n",
        "[[fp8-block]]\npath = 'fp8'\nbackends = 'a'\ndefault-backend = 'a'\n",
        "[[fp8-block]]\npath = 'fp8'\nbackends = [1]\ndefault-backend = 'a'\n",
        "[[fp8-block]]\npath = 'fp8'\nbackends = []\ndefault-backend = 'a'\n",
        "[[fp8-block]]\npath = 'fp8'\nbackends = ['fp8', 'auto']\ndefault-backend = 'aut'\n",
        "[[fp8-block]]\npath = ''\nbackends = ['a']\ndefault-backend = 'a'\n",
        "[[fp8-block]]\npath = 'fsdp_config..fp8'\nbackends = ['a']\ndefault-backend = 'a'\n",
        "[[fp8-block]]\npath = 'fsdp_config. fp8'\nbackends = ['a']\ndefault-backend = 'a'\n",
        &format!("{BLOCK}{BLOCK}"),
        "target = 'h100'\n",
        "target = { capability = 9.0 }\n",
        "target = { installed = ['torchao', 1] }\n",
        "target = { accelerate = ['1.3'] }\n",
        "recipes = { 'a.yaml' = 'tlr' }\n",
        "[recipes]\n'a.yaml' = ['trl']\n",
        "recipes = 'trl'\n",
        "target = { accelerate = '1.3'\n",
        "a b\n",
        "target = {}\ntarget = {}\n",
        "é = 1\n",
    ] {
        shown.push_str(&refused(text));
        shown.push('\n');
    }
    insta::assert_snapshot!(shown);
}
