//! Python objects as they are written into a file.

use super::super::{Integer, Object, Style, Syntax};

/// An object on one line, quoted as what it replaces where that can be. `None` for what configs do not hold.
pub(super) fn inline(object: &Object, syntax: Syntax, style: Style) -> Option<String> {
    Some(match object {
        Object::None => "null".to_owned(),
        Object::Bool(value) => value.to_string(),
        Object::Int(Integer::Small(value)) => value.to_string(),
        Object::Str(text) => string(text, syntax, style)?,
        Object::List(elements) => {
            let elements = elements
                .iter()
                .map(|element| inline(element, syntax, style));
            format!("[{}]", elements.collect::<Option<Vec<_>>>()?.join(", "))
        }
        Object::Dict(pairs) => {
            let pairs = pairs.iter().map(|(key, value)| {
                let key = inline(key, syntax, Style::Plain)?;
                Some(format!("{key}: {}", inline(value, syntax, style)?))
            });
            format!("{{{}}}", pairs.collect::<Option<Vec<_>>>()?.join(", "))
        }
        _ => return None,
    })
}

/// `key: value`, and a dict as the lines of a section; every line but the first begins with `indent`.
pub(super) fn block(key: &str, value: &Object, indent: &str, end: &str) -> Option<String> {
    let name = string(key, Syntax::Yaml, Style::Plain)?;
    match value {
        Object::Dict(pairs) if !pairs.is_empty() => {
            let deeper = format!("{indent}  ");
            let mut lines = format!("{name}:");
            for (key, value) in pairs {
                let Object::Str(key) = key else { return None };
                lines += &format!("{end}{deeper}{}", block(key, value, &deeper, end)?);
            }
            Some(lines)
        }
        _ => Some(format!(
            "{name}: {}",
            inline(value, Syntax::Yaml, Style::Plain)?
        )),
    }
}

/// A text in quotes as they were, or without where it needs none.
pub(super) fn string(text: &str, syntax: Syntax, style: Style) -> Option<String> {
    let is_plain_text = !text.chars().any(char::is_control);
    match (syntax, style) {
        (Syntax::Json, _) => serde_json::to_string(text).ok(),
        (Syntax::Yaml, Style::DoubleQuoted) if is_plain_text && !text.contains(['"', '\\']) => {
            Some(format!("\"{text}\""))
        }
        (Syntax::Yaml, Style::Plain | Style::Block | Style::Flow | Style::BlockScalar)
            if is_plain_yaml(text) =>
        {
            Some(text.to_owned())
        }
        (Syntax::Yaml, _) if is_plain_text => Some(format!("'{}'", text.replace('\'', "''"))),
        (Syntax::Yaml, _) => None,
    }
}

/// Whether PyYAML reads the text without quotes as this text, inside brackets too.
fn is_plain_yaml(text: &str) -> bool {
    let reads_as_itself = |around: String| {
        let read = Syntax::Yaml.read(&around);
        read.is_ok_and(|document| {
            let entry = document.root().get("key");
            entry.is_some_and(|entry| entry.value.text() == Some(text))
        })
    };
    reads_as_itself(format!("key: {text}\n")) && reads_as_itself(format!("{{key: {text}}}\n"))
}
