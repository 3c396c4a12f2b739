//! Templates: files whose values another program fills in (Jinja, a heredoc, `envsubst`, OmegaConf).

use crate::source::{Data, NodeRef, Span};

/// Sections that hold shell text of their own, where `${…}` is meant literally.
const SHELL_SECTIONS: &[&str] = &["command", "commands", "tpu_commands", "tpu_env"];

/// How deep values are looked at. Nothing in a config stands deeper, and a recursive anchor ends here.
const DEPTH: usize = 8;

/// How many values are looked at. An alias bomb ends here.
const VALUES: usize = 10_000;

/// The first value or key that holds a placeholder.
pub(super) fn in_tree(root: NodeRef<'_>) -> Option<Span> {
    let mut left = VALUES;
    root.entries().find_map(|entry| {
        let exempt = entry
            .key
            .text()
            .is_some_and(|key| SHELL_SECTIONS.contains(&key));
        if exempt {
            return None;
        }
        in_node(entry.key, DEPTH, &mut left).or_else(|| in_node(entry.value, DEPTH, &mut left))
    })
}

/// Whether a value holds a placeholder.
pub(super) fn is_in(value: NodeRef<'_>) -> bool {
    in_node(value, DEPTH, &mut VALUES.clone()).is_some()
}

fn in_node(node: NodeRef<'_>, depth: usize, left: &mut usize) -> Option<Span> {
    let depth = depth.checked_sub(1)?;
    *left = left.checked_sub(1)?;
    match node.data() {
        Data::Scalar(_) => {
            let text = node.text()?;
            (find(text).is_some() || is_variable(text)).then(|| node.span())
        }
        Data::Dict(_) => node.entries().find_map(|entry| {
            in_node(entry.key, depth, left).or_else(|| in_node(entry.value, depth, left))
        }),
        Data::List(_) | Data::Tuple(_) | Data::Set(_) => node
            .elements()
            .find_map(|element| in_node(element, depth, left)),
    }
}

/// The first placeholder in the lines of a text that no reader takes; comments are left out.
pub(super) fn in_lines(text: &str) -> Option<Span> {
    let mut start = 0;
    for line in text.split_inclusive(['\n', '\r']) {
        let content = line.split(" #").next().unwrap_or(line);
        if !line.trim_start().starts_with('#') {
            if let Some(found) = find(content) {
                return Some(Span::new(start + found.start, start + found.end));
            }
            if let Some((key, value)) = content.split_once(':')
                && is_variable(value.trim())
            {
                let value_start = start + key.len() + 1 + (value.len() - value.trim_start().len());
                return Some(Span::new(value_start, value_start + value.trim().len()));
            }
        }
        start += line.len();
    }
    None
}

/// `{{ … }}`, `{% … %}` or `${…}` in one line.
fn find(text: &str) -> Option<Span> {
    [("{{", "}}"), ("{%", "%}"), ("${", "}")]
        .iter()
        .filter_map(|(open, close)| {
            let start = text.find(open)?;
            let length = text[start..].find(close)?;
            Some(Span::new(start, start + length + close.len()))
        })
        .min()
}

/// A value that is one shell variable: `$NUM_GPUS`.
fn is_variable(value: &str) -> bool {
    value.strip_prefix('$').is_some_and(|name| {
        name.starts_with(|first: char| first.is_ascii_alphabetic() || first == '_')
            && name
                .bytes()
                .all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn placeholders_are_found_where_they_stand() {
        let text = "# ${no}\na: 1\nb: {{ x }}\n";
        let span = in_lines(text).unwrap();
        assert_eq!(&text[span.start..span.end], "{{ x }}");
        let text = "a:\t$NUM # c\n";
        let span = in_lines(text).unwrap();
        assert_eq!(&text[span.start..span.end], "$NUM");
    }

    #[test]
    fn money_and_empty_maps_are_no_placeholders() {
        assert!(in_lines("a: $5\nb: {}\nc: {a: {b: 1}}\n").is_none());
    }
}
