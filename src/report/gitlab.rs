//! `gitlab`: GitLab's code quality report, an array of Code Climate issues. Paths begin at the root of the repository:
//! GitLab knows no other.

use std::io::{self, Write};

use serde::Serialize;

use crate::rules::{Finding, Severity};

use crate::discover::RepositoryPaths;
use crate::suppress::fingerprint;

use super::{Checked, Report, escape, one_line};

/// The findings as a code quality report.
pub(super) struct Gitlab;

impl Report for Gitlab {
    fn write(&self, checked: &Checked, out: &mut dyn Write) -> io::Result<()> {
        let issue = |finding| Issue::of(finding, &checked.paths);
        let issues: Vec<_> = checked.findings.iter().map(issue).collect();
        let text = serde_json::to_string_pretty(&issues)?;
        writeln!(out, "{}", escape::json(&text))
    }
}

#[derive(Serialize)]
struct Issue {
    r#type: &'static str,
    check_name: &'static str,
    /// One line, without HTML.
    description: String,
    /// What to write instead.
    #[serde(skip_serializing_if = "Option::is_none")]
    content: Option<Content>,
    categories: [&'static str; 1],
    severity: &'static str,
    fingerprint: String,
    location: Location,
}

#[derive(Serialize)]
struct Content {
    body: String,
}

#[derive(Serialize)]
struct Location {
    path: String,
    lines: Lines,
}

#[derive(Serialize)]
struct Lines {
    begin: usize,
    end: usize,
}

impl Issue {
    fn of(finding: &Finding, paths: &RepositoryPaths) -> Self {
        Self {
            r#type: "issue",
            check_name: finding.code,
            description: format!("{}: {}", finding.code, one_line(&finding.message)),
            content: finding.help.as_deref().map(|help| Content {
                body: escape::markdown(help),
            }),
            categories: ["Bug Risk"],
            severity: match finding.severity {
                Severity::Error => "critical",
                Severity::Warning => "major",
                Severity::Note => "info",
            },
            fingerprint: fingerprint(finding, paths),
            location: Location {
                path: paths.of(&finding.primary.path),
                lines: Lines::of(finding),
            },
        }
    }
}

impl Lines {
    /// The lines of the primary place; the first one, where the file has no text that can be shown.
    fn of(finding: &Finding) -> Self {
        let Some((file, span)) = &finding.primary.source else {
            return Self { begin: 1, end: 1 };
        };
        // A span that ends with a line break ends on the line before it.
        let last = span.end.saturating_sub(1).max(span.start);
        Self {
            begin: file.line_column(span.start).line,
            end: file.line_column(last).line,
        }
    }
}
