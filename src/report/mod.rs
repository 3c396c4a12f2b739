//! Report: findings → text, concise, JSON. One file per format; a new one is a file, a variant of [`Format`] and its
//! line in [`Format::report`].

mod concise;
mod escape;
mod json;
mod names;
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

pub use escape::one_line;
pub use resolution::{outcomes, resolution};
pub use resolution_json::resolutions_json;

/// The JSON Schema of the `json` report.
pub const JSON_SCHEMA: &str = include_str!("json-schema.json");

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
    /// The fixes that were made before this was found.
    pub fixed: Vec<Fixed>,
    /// How shown paths become paths of the repository.
    pub paths: RepositoryPaths,
    /// How many launch commands start a run that cannot be followed, because something that decides is not known.
    pub not_followed: usize,
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
    pub fn count_by_rule(&self) -> Vec<(&'static str, &'static str, usize)> {
        let mut counts = BTreeMap::new();
        for finding in &self.findings {
            *counts.entry((finding.code, finding.name)).or_insert(0) += 1;
        }
        let mut counts: Vec<_> = counts
            .into_iter()
            .map(|((code, name), count)| (code, name, count))
            .collect();
        // Stable: rules with equally many findings stay in the order of their codes.
        counts.sort_by_key(|(_, _, count)| std::cmp::Reverse(*count));
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
}

impl Format {
    /// Every format.
    pub const ALL: &'static [Self] = &[Self::Text, Self::Concise, Self::Json];

    /// Its name in `--report`.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Text => "text",
            Self::Concise => "concise",
            Self::Json => "json",
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
        }
    }
}

/// What files of a kind are called, and which they are.
type KindOfFile = (&'static str, fn(Kind) -> bool);

/// The closing line: how many findings, in how many files, under which version.
fn closing_line(checked: &Checked) -> String {
    let plural = |count: usize, noun: &str| {
        let ending = if count == 1 { "" } else { "s" };
        format!("{count} {noun}{ending}")
    };
    let place = if checked.files.is_empty() {
        let read = plural(checked.files_read, "file");
        format!("no accelerate config, recipe or launch command among {read} read")
    } else {
        let kinds: [KindOfFile; 4] = [
            ("accelerate config", |kind| kind == Kind::Accelerate),
            ("recipe", |kind| matches!(kind, Kind::Recipe(_))),
            ("DeepSpeed config", |kind| kind == Kind::DeepSpeed),
            ("launch file", |kind| kind == Kind::Launch),
        ];
        let counted = kinds.iter().filter_map(|(noun, is_one)| {
            let files = checked.files.iter();
            let count = files.filter(|file| is_one(file.kind)).count();
            (count > 0).then(|| plural(count, noun))
        });
        let counted: Vec<_> = counted.collect();
        let listed = match counted.as_slice() {
            [first @ .., last] if !first.is_empty() => format!("{} and {last}", first.join(", ")),
            counted => counted.concat(),
        };
        format!("{listed}, {}", versions::assumed(&checked.files))
    };
    let counts: Vec<_> = [Severity::Error, Severity::Warning, Severity::Note]
        .into_iter()
        .map(|severity| (severity, checked.count(severity)))
        .filter(|(_, count)| *count > 0)
        .map(|(severity, count)| plural(count, severity.as_str()))
        .collect();
    let said = match (counts.is_empty(), checked.files.is_empty()) {
        (false, false) => format!("Found {} in {place}.", counts.join(", ")),
        (false, true) => format!("Found {}; {place}.", counts.join(", ")),
        (true, false) => format!("No findings in {place}."),
        (true, true) => format!("Nothing to check: {place}."),
    };
    let said = match checked.fixed.len() {
        0 => said,
        count => format!("Fixed {}. {said}", plural(count, "finding")),
    };
    match checked.not_followed {
        0 => said,
        count => format!(
            "{said} {} could not be followed: `fp8lint resolve FILE` says why.",
            plural(count, "launch command")
        ),
    }
}

/// The fixes that were made, one line each.
fn fixes(checked: &Checked) -> String {
    let line = |fixed: &Fixed| {
        let Fixed {
            code,
            line,
            title,
            safety,
            ..
        } = fixed;
        let path = one_line(&fixed.path);
        format!(
            "Fixed {path}:{line}: {code} {} ({safety})\n",
            one_line(title)
        )
    };
    checked.fixed.iter().map(line).collect()
}

/// The number of findings of each rule, one line each.
fn statistics(checked: &Checked) -> String {
    checked
        .count_by_rule()
        .into_iter()
        .map(|(code, name, count)| format!("{count:>5}  {code}  {name}\n"))
        .collect()
}

#[cfg(test)]
mod tests;
