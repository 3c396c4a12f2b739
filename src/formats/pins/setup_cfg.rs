//! `setup.cfg`: `install_requires` and `extras_require`, as configparser reads them.

use crate::source::{SourceFile, Span};

use super::{Said, requirement};

/// What a project says.
pub(super) fn said(file: &SourceFile) -> Vec<Said> {
    let mut said = Vec::new();
    let mut section = "";
    // Whether the value that goes on lists requirements, and whether those are of an extra.
    let mut listing: Option<bool> = None;
    for number in 1..=file.line_count() {
        let line = file.line_span(number);
        let text = file.slice(line);
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        let content = text.trim();
        if content.is_empty() || content.starts_with(['#', ';']) {
            continue;
        }
        let value = if text.starts_with([' ', '\t']) {
            content
        } else if let Some(inner) = content.strip_prefix('[') {
            section = inner.split_once(']').map_or("", |(name, _)| name);
            listing = None;
            continue;
        } else {
            let (key, value) = content.split_once(['=', ':']).unwrap_or((content, ""));
            listing = match (section, key.trim()) {
                ("options", "install_requires") => Some(false),
                ("options.extras_require", _) => Some(true),
                _ => None,
            };
            value.trim()
        };
        let Some(is_extra) = listing else { continue };
        // The value is the end of the line, blanks left out.
        let end = line.start + file.slice(line).trim_end().len();
        let start = end - value.len();
        let mut found = Vec::new();
        requirement::collect(value, |length| Span::new(start, start + length), &mut found);
        said.extend(found.into_iter().map(|found| Said {
            is_conditional: found.is_conditional || is_extra,
            ..found
        }));
    }
    said
}
