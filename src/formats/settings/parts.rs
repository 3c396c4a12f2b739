//! The parts of settings, one by one: what is written becomes what is meant, or an error that says where.

use std::collections::BTreeMap;
use std::sync::Arc;

use toml::{Spanned, Value};

use crate::source::{Route, SourceFile};

use super::super::Kind;
use super::written::{WrittenBlock, WrittenPerPath};
use super::{
    DeclaredKind, Fp8Block, Level, PerPath, Placed, Remedy, SettingsError, SeveritySetting,
    TargetSetting, span,
};

/// The units of sizes. A file size in megabytes is meant as programs count it.
const UNITS: &[(&str, u64)] = &[
    ("", 1),
    ("B", 1),
    ("KiB", 1 << 10),
    ("MiB", 1 << 20),
    ("GiB", 1 << 30),
];

pub(super) fn placed<T>(value: Spanned<T>) -> Placed<T> {
    Placed {
        span: span(value.span()),
        value: value.into_inner(),
    }
}

pub(super) fn all_placed<T>(values: Vec<Spanned<T>>) -> Vec<Placed<T>> {
    values.into_iter().map(placed).collect()
}

/// In the order of the text.
pub(super) fn severity(written: BTreeMap<Spanned<String>, Spanned<Level>>) -> Vec<SeveritySetting> {
    let mut all: Vec<_> = written
        .into_iter()
        .map(|(rule, level)| SeveritySetting {
            rule: placed(rule),
            level: level.into_inner(),
        })
        .collect();
    all.sort_by_key(|setting| setting.rule.span);
    all
}

pub(super) fn per_path((pattern, written): (Spanned<String>, WrittenPerPath)) -> PerPath {
    PerPath {
        pattern: placed(pattern),
        ignore: all_placed(written.ignore),
        severity: severity(written.severity),
    }
}

pub(super) fn file_size(written: Spanned<Value>) -> Result<Placed<u64>, SettingsError> {
    let Placed { value, span } = placed(written);
    let wrong = |message: String| {
        SettingsError {
        message,
        remedy: Remedy::Write(
            r#"write bytes or a text, as in max-file-size = "8 MiB"; the units are B, KiB, MiB and GiB"#
                .to_owned(),
        ),
        span,
    }
    };
    let (size, given) = match &value {
        Value::Integer(bytes) => (u64::try_from(*bytes).ok(), bytes.to_string()),
        Value::String(text) => (size(text), text.clone()),
        other => {
            return Err(wrong(format!(
                "a size is a number of bytes or a text, not a value of the type {}",
                other.type_str()
            )));
        }
    };
    match size {
        Some(0) | None => Err(wrong(format!("`{given}` is not a size"))),
        Some(value) => Ok(Placed { value, span }),
    }
}

/// `8 MiB`, `512KiB`, `9`
fn size(text: &str) -> Option<u64> {
    let text = text.trim_matches(' ');
    let digits = text.trim_start_matches(|character: char| character.is_ascii_digit());
    let number: u64 = text.get(..text.len() - digits.len())?.parse().ok()?;
    let unit = digits.trim_matches(' ');
    let (_, factor) = UNITS.iter().find(|(name, _)| *name == unit)?;
    number.checked_mul(*factor)
}

pub(super) fn target_setting(
    key: Spanned<String>,
    value: Spanned<Value>,
) -> Result<TargetSetting, SettingsError> {
    let at = span(key.span());
    let key = key.into_inner();
    let value_at = span(value.span());
    let texts = match value.into_inner() {
        Value::String(text) => Some(vec![text]),
        Value::Array(elements) if key == "installed" => elements
            .into_iter()
            .map(|element| match element {
                Value::String(text) => Some(text),
                _ => None,
            })
            .collect(),
        _ => None,
    };
    let Some(texts) = texts else {
        let example = match key.as_str() {
            "installed" => r#"installed = ["torchao", "deepspeed"]"#,
            "capability" => r#"capability = "9.0""#,
            "gpu" => r#"gpu = "h100""#,
            _ => r#"accelerate = "1.12.0""#,
        };
        return Err(SettingsError {
            message: format!("the value of `{key}` is no text"),
            remedy: Remedy::Write(format!("write it in quotes, as in {example}")),
            span: value_at,
        });
    };
    Ok(TargetSetting {
        key,
        value: texts.join(","),
        span: at,
    })
}

pub(super) fn declared_kind(
    pattern: Spanned<String>,
    kind: Spanned<Value>,
) -> Result<DeclaredKind, SettingsError> {
    let at = span(pattern.span());
    let pattern = pattern.into_inner();
    let kind_at = span(kind.span());
    let Value::String(given) = kind.into_inner() else {
        return Err(SettingsError {
            message: format!("the kind of `{pattern}` is no text"),
            remedy: Remedy::Write(
                r#"write it in quotes, as in "configs/**/*.yaml" = "trl""#.to_owned(),
            ),
            span: kind_at,
        });
    };
    let known = Kind::declarable();
    let Some(kind) = known.clone().find(|kind| kind.declared_name() == given) else {
        return Err(SettingsError {
            message: format!("`{given}` is not a kind of file"),
            remedy: Remedy::OneOf {
                given,
                known: known.map(|kind| kind.declared_name().to_owned()).collect(),
            },
            span: kind_at,
        });
    };
    Ok(DeclaredKind {
        pattern,
        kind,
        span: at,
    })
}

pub(super) fn block(
    written: WrittenBlock,
    file: &Arc<SourceFile>,
) -> Result<Fp8Block, SettingsError> {
    let path_at = span(written.path.span());
    let path = written.path.into_inner();
    let keys: Vec<&str> = path.split('.').collect();
    if keys.iter().any(|key| key.is_empty() || *key != key.trim()) {
        return Err(SettingsError {
            message: format!("`{path}` is not a path of keys"),
            remedy: Remedy::Write(
                r#"write the keys with dots between them, as in path = "fsdp_config.fp8""#
                    .to_owned(),
            ),
            span: path_at,
        });
    }
    let backends_at = span(written.backends.span());
    let backends = written.backends.into_inner();
    if backends.is_empty() {
        return Err(SettingsError {
            message: format!("the loader of `{path}` supports no backend"),
            remedy: Remedy::Write(
                r#"name those that it does, as in backends = ["fp8", "auto"]"#.to_owned(),
            ),
            span: backends_at,
        });
    }
    let default_at = span(written.default_backend.span());
    let default_backend = written.default_backend.into_inner();
    if !backends.contains(&default_backend) {
        return Err(SettingsError {
            message: format!("default-backend `{default_backend}` is none of the backends"),
            remedy: Remedy::OneOf {
                given: default_backend,
                known: backends,
            },
            span: default_at,
        });
    }
    Ok(Fp8Block {
        path: Route::keys(keys),
        backends,
        default_backend,
        declared: (Arc::clone(file), path_at),
    })
}
