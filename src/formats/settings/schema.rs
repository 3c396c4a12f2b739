//! The JSON Schema of the settings: made from [`Written`], held against `schema.json`.

use schemars::JsonSchema;
use schemars::generate::SchemaSettings;
use serde_json::Value;

use super::written::Written;
use super::*;

/// A value of `target`.
#[derive(JsonSchema)]
#[schemars(untagged)]
#[allow(dead_code, reason = "only its schema is used")]
pub(super) enum TargetValue {
    /// A version, a range, a GPU.
    One(String),
    /// Of `installed`: packages.
    Several(Vec<String>),
}

/// A size.
#[derive(JsonSchema)]
#[schemars(untagged)]
#[allow(dead_code, reason = "only its schema is used")]
pub(super) enum Size {
    /// Bytes.
    Bytes(#[schemars(range(min = 1))] u64),
    /// A number with a unit: "512 KiB", "8 MiB".
    Text(#[schemars(regex(pattern = r"^ *[0-9]+ *(B|KiB|MiB|GiB)? *$"))] String),
}

/// The name of a kind of file.
pub(super) struct KindName;

impl JsonSchema for KindName {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Kind".into()
    }

    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        let names: Vec<_> = Kind::declarable().map(Kind::declared_name).collect();
        schemars::json_schema!({ "type": "string", "enum": names })
    }
}

fn made() -> Value {
    let settings = SchemaSettings::draft07();
    let schema = settings.into_generator().into_root_schema_for::<Written>();
    schema.to_value()
}

/// The keys of the settings.
pub(super) fn keys() -> Vec<String> {
    let schema = made();
    let properties = schema["properties"].as_object().unwrap();
    properties.keys().cloned().collect()
}

#[test]
fn the_schema_is_that_of_the_types() {
    let text = format!("{}\n", serde_json::to_string_pretty(&made()).unwrap());
    let path = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/src/formats/settings/schema.json"
    );
    if std::env::var_os("UPDATE_DOCS").is_some() {
        std::fs::write(path, &text).unwrap();
        return;
    }
    assert!(
        text == SCHEMA,
        "schema.json is not up to date; run UPDATE_DOCS=1 cargo test --lib settings::schema"
    );
}

/// Whether the schema and the reader accept these settings.
fn accepted(text: &str) -> (bool, bool) {
    let schema: Value = serde_json::from_str(SCHEMA).unwrap();
    let validator = jsonschema::validator_for(&schema).unwrap();
    let file = Arc::new(SourceFile::from_text("fp8lint.toml", text));
    let value: Value = toml::from_str(text).unwrap();
    (validator.is_valid(&value), read(&file).is_ok())
}

#[test]
fn an_independent_validator_agrees_with_the_reader() {
    for right in [
        "",
        "select = []\nignore = ['FP3']\n",
        "severity = { FP3 = 'note' }\nfail-on = 'error'\n",
        "include = ['*.cfg']\nexclude = ['out/']\nmax-file-size = 9\n",
        "max-file-size = '8 MiB'\n",
        "[per-path.'a/*.json']\nignore = ['FP3']\nseverity = { FP1 = 'warning' }\n",
        "target = { accelerate = '1.12', installed = ['torchao'] }\n",
        "recipes = { 'a.yaml' = 'trl' }\n",
        "[[fp8-block]]\npath = 'fp8'\nbackends = ['a']\ndefault-backend = 'a'\n",
    ] {
        assert_eq!(accepted(right), (true, true), "{right}");
    }
    for wrong in [
        "slect = []\n",
        "select = 'FP3'\n",
        "ignore = [3]\n",
        "severity = { FP3 = 'info' }\n",
        "severity = { FP3 = 1 }\n",
        "fail-on = 'never'\n",
        "exclude = 'out'\n",
        "max-file-size = 0\n",
        "max-file-size = -1\n",
        "max-file-size = 1.5\n",
        "max-file-size = 'much'\n",
        "[per-path.a]\nignored = []\n",
        "[per-path]\na = []\n",
        "fp8-block = [['fp8', ['a'], 'a']]\n",
        "target = 'h100'\n",
        "target = { capability = 9.0 }\n",
        "recipes = { 'a.yaml' = 'tlr' }\n",
        "[[fp8-block]]\npath = 'fp8'\n",
        "[[fp8-block]]\npath = 'fp8'\nbackends = []\ndefault-backend = 'a'\n",
        "[[fp8-block]]\npath = 'fp8'\nbackends = ['a']\ndefault-backend = 'a'\nother = 1\n",
        "[fp8-block]\npath = 'fp8'\n",
    ] {
        assert_eq!(accepted(wrong), (false, false), "{wrong}");
    }
}
