//! Findings as JSON objects, for `json` and `json-lines`.

use serde::Serialize;

use crate::rules::{Finding, Fix, Label};
use crate::source::{Edit, SourceFile};
use crate::suppress::{Suppressed, Suppression};

use crate::discover::RepositoryPaths;
use crate::suppress::fingerprint;

/// A finding.
#[derive(Serialize)]
pub(super) struct FindingOutput<'a> {
    code: &'static str,
    name: &'static str,
    severity: &'static str,
    confidence: &'static str,
    message: &'a str,
    primary: LabelOutput<'a>,
    related: Vec<LabelOutput<'a>>,
    notes: &'a [String],
    help: Option<&'a str>,
    outcome: Option<OutcomeOutput<'a>>,
    fingerprint: String,
    fixes: Vec<FixOutput<'a>>,
    url: Option<&'a str>,
}

#[derive(Serialize)]
struct LabelOutput<'a> {
    path: &'a str,
    start: Option<Position>,
    end: Option<Position>,
    label: &'a str,
}

#[derive(Serialize)]
struct Position {
    line: usize,
    column: usize,
    offset: usize,
}

#[derive(Serialize)]
struct FixOutput<'a> {
    title: &'a str,
    safety: &'static str,
    edits: Vec<EditOutput<'a>>,
}

#[derive(Serialize)]
struct EditOutput<'a> {
    path: &'a str,
    start: Position,
    end: Position,
    content: &'a str,
}

/// A finding that somebody has set aside.
#[derive(Serialize)]
pub(super) struct SuppressedOutput<'a> {
    #[serde(flatten)]
    finding: FindingOutput<'a>,
    by: SuppressionOutput<'a>,
}

#[derive(Serialize)]
struct SuppressionOutput<'a> {
    kind: &'static str,
    reason: Option<&'a str>,
    place: Option<LabelOutput<'a>>,
}

#[derive(Serialize)]
struct OutcomeOutput<'a> {
    asked: &'a str,
    runs: &'a str,
}

impl<'a> FindingOutput<'a> {
    /// A finding with its fingerprint.
    pub(super) fn of(finding: &'a Finding, paths: &RepositoryPaths) -> Self {
        Self {
            code: finding.code,
            name: finding.name,
            severity: finding.severity.as_str(),
            confidence: finding.confidence.as_str(),
            message: &finding.message,
            primary: LabelOutput::of(&finding.primary),
            related: finding.related.iter().map(LabelOutput::of).collect(),
            notes: &finding.notes,
            help: finding.help.as_deref(),
            outcome: finding.outcome.as_ref().map(|outcome| OutcomeOutput {
                asked: &outcome.asked,
                runs: &outcome.runs,
            }),
            fingerprint: fingerprint(finding, paths),
            fixes: finding.fixes.iter().map(FixOutput::of).collect(),
            url: None,
        }
    }
}

impl<'a> LabelOutput<'a> {
    fn of(label: &'a Label) -> Self {
        let source = label.source.as_ref();
        Self {
            path: &label.path,
            start: source.map(|(file, span)| Position::of(file, span.start)),
            end: source.map(|(file, span)| Position::of(file, span.end)),
            label: &label.text,
        }
    }
}

impl Position {
    fn of(file: &SourceFile, offset: usize) -> Self {
        let at = file.line_column(offset);
        Self {
            line: at.line,
            column: at.column,
            offset: offset.min(file.text().len()),
        }
    }
}

impl<'a> FixOutput<'a> {
    fn of(fix: &'a Fix) -> Self {
        Self {
            title: &fix.title,
            safety: fix.safety.as_str(),
            edits: fix.edits.iter().map(EditOutput::of).collect(),
        }
    }
}

impl<'a> EditOutput<'a> {
    fn of(edit: &'a Edit) -> Self {
        Self {
            path: &edit.file.path,
            start: Position::of(&edit.file, edit.text.span.start),
            end: Position::of(&edit.file, edit.text.span.end),
            content: &edit.text.content,
        }
    }
}

impl<'a> SuppressedOutput<'a> {
    /// A finding with what set it aside.
    pub(super) fn of(suppressed: &'a Suppressed, paths: &RepositoryPaths) -> Self {
        let by = match &suppressed.by {
            Suppression::Comment { place, reason } => SuppressionOutput {
                kind: "comment",
                reason: (!reason.is_empty()).then_some(reason),
                place: Some(LabelOutput::of(place)),
            },
            Suppression::Baseline => SuppressionOutput {
                kind: "baseline",
                reason: None,
                place: None,
            },
        };
        Self {
            finding: FindingOutput::of(&suppressed.finding, paths),
            by,
        }
    }
}
