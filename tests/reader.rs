//! The reader against recordings of PyYAML 6.0.4 and Python's `json` (`tools/record_pyyaml.py`).

// The helpers are not in tests themselves, so clippy.toml's exceptions do not reach them.
#![allow(clippy::unwrap_used, clippy::panic)]

use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};

use fp8lint::source::{
    Data, Document, NodeId, NodeRef, Object, ReadError, SourceFile, Style, Syntax,
};
use proptest::prelude::*;
use serde_json::{Value, json};

fn fixture(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests/reader")
        .join(name)
}

fn lines(name: &str) -> Vec<Value> {
    let text = std::fs::read_to_string(fixture(name)).unwrap();
    text.lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

/// The same form as `typed` in `tools/pyyaml_oracle.py`: JSON that keeps Python's types apart.
fn typed(node: NodeRef<'_>, above: &mut Vec<NodeId>) -> Value {
    let id = node.id();
    if above.contains(&id) {
        return json!({"recursive": true});
    }
    above.push(id);
    let mut elements = || {
        node.elements()
            .map(|element| typed(element, above))
            .collect::<Vec<_>>()
    };
    let value = match node.data() {
        Data::Scalar(object) => typed_scalar(object),
        Data::List(_) => Value::Array(elements()),
        Data::Tuple(_) => json!({"tuple": elements()}),
        Data::Set(_) => {
            let mut elements = elements();
            elements.sort_by_key(Value::to_string);
            json!({"set": elements})
        }
        Data::Dict(_) => {
            let pairs: Vec<_> = node
                .entries()
                .map(|entry| json!([typed(entry.key, above), typed(entry.value, above)]))
                .collect();
            json!({"dict": pairs})
        }
    };
    above.pop();
    value
}

fn typed_scalar(object: &Object) -> Value {
    match object {
        Object::None => Value::Null,
        Object::Bool(value) => json!(value),
        Object::Str(text) => json!(text),
        Object::Int(value) => json!({"int": value.to_string()}),
        Object::Float(_) => json!({"float": object.python_repr()}),
        Object::Bytes(bytes) => {
            let hex: String = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
            json!({"bytes": hex})
        }
        Object::Date(text) => json!({"date": text}),
        Object::DateTime(text) => json!({"datetime": text}),
        other => panic!("{other:?} is no scalar"),
    }
}

fn outcome(read: &Result<Document, ReadError>) -> Value {
    match read {
        Ok(document) => json!({"value": typed(document.root(), &mut Vec::new())}),
        Err(error) => json!({"error": error.exception}),
    }
}

fn syntax(name: &str) -> Syntax {
    match name {
        "json" => Syntax::Json,
        _ => Syntax::Yaml,
    }
}

/// Every node that the root reaches, once.
fn nodes(document: &Document) -> Vec<NodeRef<'_>> {
    let mut found = Vec::new();
    let mut seen = HashSet::new();
    let mut left = vec![document.root()];
    while let Some(node) = left.pop() {
        if seen.insert(node.id()) {
            found.push(node);
            left.extend(node.elements());
            left.extend(node.entries().flat_map(|entry| [entry.key, entry.value]));
        }
    }
    found
}

/// Spans are in range and on character boundaries; scalars slice to what is written.
fn check_spans(text: &str, document: &Document) {
    let file = SourceFile::from_text("t", text);
    for node in nodes(document) {
        let span = node.span();
        assert!(
            text.get(span.start..span.end).is_some(),
            "{span:?} of {text:?}"
        );
        let slice = file.slice(span);
        match (node.data(), node.style()) {
            (Data::Scalar(_), Style::DoubleQuoted) => {
                assert!(
                    slice.len() > 1 && slice.starts_with('"') && slice.ends_with('"'),
                    "{slice:?} of {text:?}"
                );
            }
            (Data::Scalar(_), Style::SingleQuoted) => {
                assert!(
                    slice.len() > 1 && slice.starts_with('\'') && slice.ends_with('\''),
                    "{slice:?} of {text:?}"
                );
            }
            (Data::Scalar(Object::Str(value)), Style::Plain) => {
                let words = |text: &str| {
                    text.split([' ', '\n', '\r', '\u{85}'])
                        .filter(|word| !word.is_empty())
                        .map(str::to_owned)
                        .collect::<Vec<_>>()
                };
                assert_eq!(words(slice), words(value), "of {text:?}");
            }
            (Data::Scalar(_), Style::Plain) => {
                assert_eq!(slice.trim(), slice, "of {text:?}");
                assert!(
                    !slice.contains([':', '#']) || !slice.contains(": "),
                    "of {text:?}"
                );
            }
            (Data::Scalar(_), Style::BlockScalar) => {
                assert!(slice.starts_with(['|', '>']), "{slice:?} of {text:?}");
            }
            (Data::Dict(_), Style::Flow) => {
                // `[a: b]` has no braces of its own.
                assert!(
                    !slice.starts_with('{') || slice.ends_with('}'),
                    "{slice:?} of {text:?}"
                );
            }
            (Data::List(_), Style::Flow) => {
                assert!(
                    slice.starts_with('[') && slice.ends_with(']'),
                    "{slice:?} of {text:?}"
                );
            }
            (Data::List(_), Style::Block) => {
                assert!(slice.starts_with('-'), "{slice:?} of {text:?}")
            }
            _ => {}
        }
    }
    for comment in &document.comments {
        let slice = file.slice(comment.span);
        assert!(
            slice.starts_with('#') && !slice.contains(['\n', '\r']),
            "{slice:?} of {text:?}"
        );
    }
}

#[test]
fn everything_recorded_is_read_as_python_reads_it() {
    // `typed` above takes large frames in a debug build, and the deepest input has 994 levels.
    let test = std::thread::Builder::new().stack_size(64 << 20);
    if let Err(panic) = test.spawn(compare_recorded).unwrap().join() {
        std::panic::resume_unwind(panic);
    }
}

fn compare_recorded() {
    let key = |row: &Value| (row["syntax"].to_string(), row["text"].to_string());
    let mut known: HashMap<_, _> = lines("differences.jsonl")
        .into_iter()
        .map(|row| (key(&row), row))
        .collect();
    let mut wrong = Vec::new();
    let recorded = lines("recorded.jsonl");
    for row in &recorded {
        let text = row["text"].as_str().unwrap();
        let read = syntax(row["syntax"].as_str().unwrap()).read(text);
        let mut ours = outcome(&read);
        if !row["hash"].is_null() && !ours["value"].is_null() {
            ours = json!({"hash": fnv(&ours["value"].to_string())});
        }
        let expected = match known.remove(&key(row)) {
            Some(difference) => difference["ours"].clone(),
            None if !row["hash"].is_null() => json!({"hash": row["hash"]}),
            None if row["error"].is_null() => json!({"value": row["value"]}),
            None => json!({"error": row["error"]}),
        };
        if ours != expected {
            let message = read.as_ref().err().map(|error| &error.message);
            let short: String = text.chars().take(200).collect();
            wrong.push(format!(
                "{short:?}\n  python {expected}\n  ours   {ours} {message:?}"
            ));
        }
        let Ok(document) = read else { continue };
        check_spans(text, &document);
        let shown = document.root().object().map(|object| object.python_repr());
        if let (Some(repr), Some(shown)) = (row["repr"].as_str(), shown)
            && ours == expected
            && shown != repr
        {
            wrong.push(format!("{text:?}\n  python {repr}\n  ours   {shown}"));
        }
    }
    assert!(
        wrong.is_empty(),
        "{} of {} differ:\n{}",
        wrong.len(),
        recorded.len(),
        wrong.join("\n")
    );
    assert!(known.is_empty(), "no longer recorded: {:?}", known.keys());
}

#[test]
fn the_corpus_is_read_as_python_reads_it() {
    let beside = Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared/corpus");
    let Some(corpus) = [beside, "/work/shared/corpus".into()]
        .into_iter()
        .find(|path| path.is_dir())
    else {
        println!("no corpus beside the repository: skipped");
        return;
    };
    let recorded = std::fs::read_to_string(fixture("corpus.tsv")).unwrap();
    let mut wrong = Vec::new();
    let mut compared = 0;
    for line in recorded.lines() {
        let (path, expected) = line.rsplit_once('\t').unwrap();
        let Ok(bytes) = std::fs::read(corpus.join(path)) else {
            println!("{path} is not in this corpus: skipped");
            continue;
        };
        compared += 1;
        let read = SourceFile::new(path, bytes).and_then(|file| {
            let document = Syntax::of_name(path).read(file.text())?;
            check_spans(file.text(), &document);
            Ok(document)
        });
        let ours = match &read {
            Ok(document) => fnv(&typed(document.root(), &mut Vec::new()).to_string()),
            Err(error) => error.exception.to_owned(),
        };
        if ours != expected {
            wrong.push(format!(
                "{path}: python {expected}, ours {ours} {:?}",
                read.err()
            ));
        }
    }
    println!("{compared} files of the corpus compared");
    assert!(
        wrong.is_empty(),
        "{} differ:\n{}",
        wrong.len(),
        wrong.join("\n")
    );
}

/// For `tools/fuzz_pyyaml.py`: answers the YAML texts in the file that `FP8LINT_TEXTS` names.
#[test]
#[ignore = "asked by tools/fuzz_pyyaml.py"]
fn answers() {
    let path = PathBuf::from(std::env::var("FP8LINT_TEXTS").unwrap());
    let mut answers = String::new();
    for line in std::fs::read_to_string(&path).unwrap().lines() {
        let text: String = serde_json::from_str(line).unwrap();
        answers += &match Syntax::Yaml.read(&text) {
            Ok(document) => {
                check_spans(&text, &document);
                fnv(&typed(document.root(), &mut Vec::new()).to_string())
            }
            Err(error) => format!("{}\t{:?}", error.exception, error.message),
        };
        answers.push('\n');
    }
    std::fs::write(path.with_extension("answers"), answers).unwrap();
}

/// FNV-1a, 64 bits, as in `tools/pyyaml_oracle.py`.
fn fnv(text: &str) -> String {
    let hash = text.bytes().fold(0xcbf2_9ce4_8422_2325_u64, |state, byte| {
        (state ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    });
    format!("{hash:016x}")
}

/// A second opinion on structure from libyaml's family: the same keys, nesting and quoted texts.
#[test]
fn an_independent_reader_sees_the_same_structure() {
    let mut compared = 0;
    for row in lines("recorded.jsonl") {
        let text = row["text"].as_str().unwrap();
        if row["syntax"] != "yaml" {
            continue;
        }
        let (Ok(ours), Ok(theirs)) = (
            Syntax::Yaml.read(text),
            serde_yaml::from_str::<serde_yaml::Value>(text),
        ) else {
            continue;
        };
        // It merges nothing, and reads tags and duplicate keys otherwise.
        if text.contains("<<") || text.contains('!') || !ours.duplicate_keys.is_empty() {
            continue;
        }
        compared += 1;
        assert!(
            same_structure(ours.root(), &theirs),
            "{theirs:?} of {text:?}"
        );
    }
    assert!(compared > 1000, "only {compared} texts that both take");
}

/// Plain scalars count as equal whatever their text: YAML 1.1 and 1.2 type them differently.
fn same_structure(ours: NodeRef<'_>, theirs: &serde_yaml::Value) -> bool {
    use serde_yaml::Value;
    match (ours.data(), theirs) {
        (Data::Dict(entries), Value::Mapping(theirs)) => {
            entries.len() == theirs.len()
                && ours.entries().zip(theirs).all(|(entry, (key, value))| {
                    same_structure(entry.key, key) && same_structure(entry.value, value)
                })
        }
        (Data::List(elements), Value::Sequence(theirs)) => {
            elements.len() == theirs.len()
                && ours
                    .elements()
                    .zip(theirs)
                    .all(|(ours, theirs)| same_structure(ours, theirs))
        }
        (Data::Scalar(Object::Str(text)), theirs) if ours.style() != Style::Plain => {
            theirs.as_str() == Some(text)
        }
        (Data::Scalar(_), theirs) => !theirs.is_mapping() && !theirs.is_sequence(),
        _ => false,
    }
}

fn yaml_like() -> impl Strategy<Value = String> {
    const PIECES: &[&str] = &[
        "a",
        "b: ",
        "- ",
        "? ",
        ": ",
        "\n",
        "\n  ",
        "\n    ",
        "[",
        "]",
        "{",
        "}",
        ", ",
        "\"",
        "'",
        "|\n",
        ">-\n",
        "# c",
        "&a ",
        "*a",
        "!!str ",
        "!x ",
        "<<: ",
        "---\n",
        "...\n",
        "%YAML 1.1\n",
        "\t",
        "\r",
        "\r\n",
        "\u{feff}",
        "é",
        "😀",
        "\u{85}",
        "\u{2028}",
        "\\",
        "\\u00e9",
        "1",
        "0x1F",
        "2024-01-01",
        "no",
        "~",
        "=",
        "@",
        "`",
        "%",
        "-",
        ":",
        "?",
        "#",
        "\0",
        "|2\n",
        "|+\n",
        "!",
        "&",
        "*",
        " ",
        "!<",
        ">",
    ];
    prop::collection::vec(prop::sample::select(PIECES), 0..24).prop_map(|pieces| pieces.concat())
}

/// The deepest trees that can be, and some that PyYAML never finishes or never starts.
#[test]
fn hostile_texts_end_soon() {
    for (syntax, text) in [
        (Syntax::Json, "[".repeat(994) + &"]".repeat(994)),
        (Syntax::Json, "{\"a\":".repeat(994) + "1" + &"}".repeat(994)),
        (Syntax::Yaml, "[".repeat(491) + &"]".repeat(491)),
    ] {
        let document = syntax.read(&text).unwrap();
        let object = document.root().object().unwrap();
        assert!(object.python_repr().len() > 900 && object.python_eq(&object.clone()));
    }
    for text in ["[", "{a: ", "- ", "? ", "[{a: "] {
        let text = text.repeat(100_000);
        let error = Syntax::Yaml.read(&text).unwrap_err();
        assert_eq!(error.exception, "RecursionError", "{:.9}", text);
        assert!(Syntax::Json.read(&text).is_err());
    }
    let bomb: String = (1..10)
        .map(|level| {
            let below = format!("*a{}, ", level - 1).repeat(9);
            format!("- &a{level} [{below}]\n")
        })
        .collect();
    let document = Syntax::Yaml.read(&format!("- &a0 x\n{bomb}")).unwrap();
    assert_eq!(document.root().elements().count(), 10);
    assert!(document.root().object().is_none());
    let merges: String = (1..20_000)
        .map(|level| format!("- &a{level} {{k{level}: 1, <<: *a{}}}\n", level - 1))
        .collect();
    let error = Syntax::Yaml
        .read(&format!("- &a0 {{k0: 1}}\n{merges}"))
        .unwrap_err();
    assert_eq!(error.exception, "MemoryError");
    // A chain of merges that is flattened from its far end.
    let chain: String = (1..5_000)
        .map(|level| format!(", &a{level} {{<<: *a{}}}", level - 1))
        .collect();
    let error = Syntax::Yaml
        .read(&format!("[[&a0 {{k: 1}}{chain}], {{<<: *a4999}}]"))
        .unwrap_err();
    assert_eq!(error.exception, "RecursionError");
}

/// Texts in which a naive reader goes over the same part again and again.
#[test]
fn aliases_to_large_things_cost_no_more_than_their_text() {
    let large = "x".repeat(100_000);
    let keys = format!("- &a {large}\n- ? *a\n{}", "  ? *a\n".repeat(20_000));
    assert_eq!(
        Syntax::Yaml.read(&keys).unwrap().root().elements().count(),
        2
    );
    let copies = format!("- &a {large}\n{}", "- *a\n".repeat(50_000));
    assert_eq!(Syntax::Yaml.read(&copies).unwrap().root().object(), None);
    let pairs = "a: 1, ".repeat(20_000);
    let defaults = format!(
        "- !!str &a {{{pairs}=: b}}\n{}",
        "- !!str {=: *a}\n".repeat(20_000)
    );
    assert!(Syntax::Yaml.read(&defaults).is_ok());
    let sources = "*a, ".repeat(1_200);
    let merges = format!(
        "- &a {{}}\n- &b [{sources}]\n{}",
        "- {<<: *b}\n".repeat(1_200)
    );
    let error = Syntax::Yaml.read(&merges).unwrap_err();
    assert_eq!(error.exception, "MemoryError");
    let touching = "- \"a\"#b\n".repeat(300);
    assert!(Syntax::Yaml.read(&touching).is_ok());
    let nested = format!("{}{}", "{[".repeat(200), large);
    assert!(Syntax::Yaml.read(&nested).is_err());
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 3000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn nothing_panics_and_spans_fit(text in prop_oneof![yaml_like(), any::<String>()]) {
        for syntax in [Syntax::Yaml, Syntax::Json] {
            match syntax.read(&text) {
                Ok(document) => {
                    for node in nodes(&document) {
                        let span = node.span();
                        prop_assert!(text.get(span.start..span.end).is_some(), "{span:?} of {text:?}");
                    }
                    for comment in &document.comments {
                        prop_assert!(text.get(comment.span.start..comment.span.end).is_some());
                    }
                    _ = document.root().object().map(|object| object.python_repr());
                }
                Err(error) => {
                    let span = error.span.unwrap();
                    prop_assert!(text.get(span.start..span.end).is_some(), "{span:?} of {text:?}");
                }
            }
        }
    }
}
