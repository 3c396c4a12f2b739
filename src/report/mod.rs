//! Report: findings → text, JSON and what other programs read. One file per format; a new one is a file, a variant of
//! [`Format`] and its lines in [`Format::as_str`] and [`Format::report`].

mod agent;
mod closing;
mod concise;
mod escape;
mod fixable;
mod gitlab;
mod json;
mod json_finding;
mod json_lines;
mod junit;
mod links;
mod names;
mod rdjson;
mod resolution;
mod resolution_json;
mod says;
mod text;
mod versions;
mod window;

use std::collections::BTreeMap;
use std::io::{self, Write};

use crate::discover::RepositoryPaths;
use crate::fix::Fixed;
use crate::formats::Kind;
use crate::resolve::Target;
use crate::rules::{Finding, Key, Severity};
use crate::suppress::Suppressed;

use closing::{closing_line, fixes, statistics};
pub use escape::one_line;
pub use resolution::{outcomes, resolution};
pub use resolution_json::resolutions_json;
pub use text::failure;

/// The JSON Schema of the `json` report.
pub const JSON_SCHEMA: &str = include_str!("json-schema.json");

/// A value as JSON that is safe to show.
///
/// # Errors
/// What cannot be written as JSON.
pub fn to_json(value: &impl serde::Serialize) -> serde_json::Result<String> {
    let text = serde_json::to_string_pretty(value)?;
    Ok(format!("{}\n", escape::json(&text)))
}

/// A file that was recognised.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CheckedFile {
    /// The path as it is shown.
    pub path: String,
    /// What it is.
    pub kind: Kind,
    /// What was assumed of it.
    pub target: Target,
}

/// What a check came to: all that a report needs.
#[derive(Clone, Debug)]
pub struct Checked {
    /// What was assumed where no file says otherwise.
    pub target: Target,
    /// How many files were read.
    pub files_read: usize,
    /// The recognised files, sorted.
    pub files: Vec<CheckedFile>,
    /// The findings, sorted with [`sort`].
    pub findings: Vec<Finding>,
    /// The findings that somebody has set aside, sorted with [`sort`].
    pub suppressed: Vec<Suppressed>,
    /// To what the findings are narrowed: `what has changed since main`.
    pub scope: Option<String>,
    /// The fixes that were made before this was found.
    pub fixed: Vec<Fixed>,
    /// Whether those fixes are in the files, and not only in a patch.
    pub fixes_are_written: bool,
    /// How shown paths become paths of the repository.
    pub paths: RepositoryPaths,
    /// How many launch commands start a run that cannot be followed, because something that decides is not known.
    pub not_followed: usize,
}

/// How many findings a rule has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RuleCount {
    /// The rule's code.
    pub code: &'static str,
    /// The rule's name.
    pub name: &'static str,
    /// How many findings it has.
    pub findings: usize,
    /// How many of them have a fix that can be made.
    pub fixable: usize,
}

impl Checked {
    /// How many findings have this severity.
    pub fn count(&self, severity: Severity) -> usize {
        self.findings
            .iter()
            .filter(|finding| finding.severity == severity)
            .count()
    }

    /// How many findings each rule has, the most frequent first.
    pub fn count_by_rule(&self) -> Vec<RuleCount> {
        let mut counts = BTreeMap::new();
        for finding in &self.findings {
            let count = counts.entry(finding.code).or_insert(RuleCount {
                code: finding.code,
                name: finding.name,
                findings: 0,
                fixable: 0,
            });
            count.findings += 1;
            count.fixable += usize::from(fixable::fixable(finding).is_some());
        }
        let mut counts: Vec<_> = counts.into_values().collect();
        // Stable: rules with equally many findings stay in the order of their codes.
        counts.sort_by_key(|count| std::cmp::Reverse(count.findings));
        counts
    }
}

/// Sorts findings by path, place and code, so that a report does not depend on how the work was shared out.
pub fn sort(findings: &mut [Finding]) {
    findings.sort_by(|left, right| order(left).cmp(&order(right)));
}

/// Sorts what was set aside as [`sort`] does.
pub fn sort_suppressed(suppressed: &mut [Suppressed]) {
    suppressed.sort_by(|left, right| order(&left.finding).cmp(&order(&right.finding)));
}

fn order(finding: &Finding) -> impl Ord + '_ {
    let path: Vec<&str> = finding.primary.path.split('/').collect();
    let span = finding.primary.source.as_ref().map(|(_, span)| *span);
    (
        path,
        span,
        finding.code,
        &finding.key.route,
        &finding.message,
    )
}

/// Numbers the findings that have the same name for fingerprints. They must be sorted.
pub fn number(findings: &mut [Finding]) {
    let mut known = BTreeMap::new();
    for finding in findings {
        let Key { route, value } = finding.key.clone();
        let name = (finding.code, finding.primary.path.clone(), route, value);
        let next = known.entry(name).or_insert(0);
        finding.occurrence = *next;
        *next += 1;
    }
}

/// How a report is to look.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Style {
    /// With terminal colours.
    pub colour: bool,
    /// Findings only, no closing line.
    pub quiet: bool,
    /// With the number of findings of each rule.
    pub statistics: bool,
    /// With the fixes that were made.
    pub show_fixes: bool,
    /// With paths as links, for a terminal that knows them.
    pub links: bool,
}

impl Style {
    /// What makes paths into links, if they are to be.
    fn links_in(self, checked: &Checked) -> Option<&RepositoryPaths> {
        self.links.then_some(&checked.paths)
    }
}

/// One way of writing findings down.
pub trait Report {
    /// Writes what a check came to.
    ///
    /// # Errors
    /// What the output says.
    fn write(&self, checked: &Checked, out: &mut dyn Write) -> io::Result<()>;
}

/// The formats of reports.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// For people: the lines, with labels, notes and what to write instead.
    Text,
    /// One line per finding.
    Concise,
    /// One JSON object.
    Json,
    /// One JSON object per finding, a line each.
    JsonLines,
    /// GitLab's code quality report.
    Gitlab,
    /// JUnit's XML: a suite per file, a failed test per finding.
    Junit,
    /// reviewdog's Diagnostic Format.
    Rdjson,
    /// One terse line per finding, for programs that read.
    Agent,
}

impl Format {
    /// Every format.
    pub const ALL: &'static [Self] = &[
        Self::Text,
        Self::Concise,
        Self::Json,
        Self::JsonLines,
        Self::Gitlab,
        Self::Junit,
        Self::Rdjson,
        Self::Agent,
    ];

    /// Its name in `--report`.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Text => "text",
            Self::Concise => "concise",
            Self::Json => "json",
            Self::JsonLines => "json-lines",
            Self::Gitlab => "gitlab",
            Self::Junit => "junit",
            Self::Rdjson => "rdjson",
            Self::Agent => "agent",
        }
    }

    /// The format of this name.
    pub fn of_name(name: &str) -> Option<Self> {
        Self::ALL
            .iter()
            .find(|format| format.as_str() == name)
            .copied()
    }

    /// The report in this format.
    pub fn report(self, style: Style) -> Box<dyn Report> {
        match self {
            Self::Text => Box::new(text::Text(style)),
            Self::Concise => Box::new(concise::Concise(style)),
            Self::Json => Box::new(json::Json),
            Self::JsonLines => Box::new(json_lines::JsonLines),
            Self::Gitlab => Box::new(gitlab::Gitlab),
            Self::Junit => Box::new(junit::Junit),
            Self::Rdjson => Box::new(rdjson::Rdjson),
            Self::Agent => Box::new(agent::Agent(style)),
        }
    }
}

#[cfg(test)]
mod tests;
