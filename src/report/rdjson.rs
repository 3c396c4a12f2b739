//! `rdjson`: reviewdog's Diagnostic Format. Paths begin at the root of the repository, where reviewdog runs in CI; columns
//! count bytes of UTF-8 from 1; ends are exclusive.

use std::io::{self, Write};
use std::ops::Range as Bytes;

use serde::Serialize;

use crate::rules::{Finding, Fix, Safety, Severity};
use crate::source::SourceFile;

use crate::discover::RepositoryPaths;

use super::{Checked, Report, escape};

/// The findings as one `DiagnosticResult`.
pub(super) struct Rdjson;

impl Report for Rdjson {
    fn write(&self, checked: &Checked, out: &mut dyn Write) -> io::Result<()> {
        let diagnostic = |finding| Diagnostic::of(finding, &checked.paths);
        let result = DiagnosticResult {
            source: Source { name: "fp8lint" },
            diagnostics: checked.findings.iter().map(diagnostic).collect(),
        };
        let text = serde_json::to_string_pretty(&result)?;
        writeln!(out, "{}", escape::json(&text))
    }
}

#[derive(Serialize)]
struct DiagnosticResult {
    source: Source,
    diagnostics: Vec<Diagnostic>,
}

#[derive(Serialize)]
struct Source {
    name: &'static str,
}

#[derive(Serialize)]
struct Diagnostic {
    /// Markdown, where reviewdog writes comments.
    message: String,
    location: Location,
    severity: &'static str,
    code: Code,
    #[serde(skip_serializing_if = "Option::is_none")]
    suggestions: Option<[Suggestion; 1]>,
}

#[derive(Serialize)]
struct Location {
    path: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    range: Option<Range>,
}

#[derive(Serialize)]
struct Range {
    start: Position,
    end: Position,
}

#[derive(Serialize)]
struct Position {
    line: usize,
    column: usize,
}

#[derive(Serialize)]
struct Code {
    value: &'static str,
}

#[derive(Serialize)]
struct Suggestion {
    range: Range,
    text: String,
}

impl Diagnostic {
    fn of(finding: &Finding, paths: &RepositoryPaths) -> Self {
        let source = finding.primary.source.as_ref();
        let mut message = escape::lines(&finding.message);
        if let Some(help) = &finding.help {
            message.push_str("\n\n");
            message.push_str(&escape::markdown(help));
        }
        // Only the best fix: some readers apply all suggestions of a diagnostic together.
        let mut fixes = finding.fixes.iter();
        let best = fixes.find(|fix| fix.safety != Safety::DisplayOnly);
        let suggestion = best.and_then(|fix| suggestion(fix, &finding.primary.path));
        if suggestion.is_some() && best.is_some_and(|fix| fix.safety == Safety::Unsafe) {
            message.push_str("\n\nThe suggestion changes what will run.");
        }
        Self {
            message,
            location: Location {
                path: paths.of(&finding.primary.path),
                range: source.map(|(file, span)| Range::of(file, span.start..span.end)),
            },
            severity: match finding.severity {
                Severity::Error => "ERROR",
                Severity::Warning => "WARNING",
                Severity::Note => "INFO",
            },
            code: Code {
                value: finding.code,
            },
            suggestions: suggestion.map(|suggestion| [suggestion]),
        }
    }
}

/// A fix as one suggestion: the text from its first edit to its last, with all of them made. `None` for a fix that
/// reaches into other files, of which a suggestion would be only a part.
fn suggestion(fix: &Fix, path: &str) -> Option<Suggestion> {
    let file = &fix.edits.first()?.file;
    let is_here = |other: &SourceFile| other.path == path && other.text() == file.text();
    if !fix.edits.iter().all(|edit| is_here(&edit.file)) {
        return None;
    }
    let mut edits: Vec<_> = fix.edits.iter().map(|edit| &edit.text).collect();
    edits.sort_by_key(|edit| edit.span);
    let start = edits.first()?.span.start;
    let mut end = start;
    let mut text = String::new();
    for edit in edits {
        text.push_str(file.text().get(end..edit.span.start)?);
        text.push_str(&edit.content);
        end = edit.span.end;
    }
    Some(Suggestion {
        range: Range::of(file, start..end),
        text,
    })
}

impl Range {
    fn of(file: &SourceFile, bytes: Bytes<usize>) -> Self {
        Self {
            start: Position::of(file, bytes.start),
            end: Position::of(file, bytes.end),
        }
    }
}

impl Position {
    fn of(file: &SourceFile, offset: usize) -> Self {
        let at = file.line_byte_column(offset);
        Self {
            line: at.line,
            column: at.column,
        }
    }
}
