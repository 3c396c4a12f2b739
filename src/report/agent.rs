//! `agent`: for programs that read, language models among them. The lines are a contract, kept from version to version:
//!
//! ```text
//! PATH:LINE:COLUMN CODE SEVERITY MESSAGE
//! PATH:LINE:COLUMN CODE SEVERITY MESSAGE | WHAT TO WRITE INSTEAD
//! PATH:LINE:COLUMN CODE SEVERITY MESSAGE | WHAT TO WRITE INSTEAD | FLAGS THAT FIX IT
//! 2 errors, 1 warnings, 0 notes, 1 fixable with --fix, 0 fixable with --fix --unsafe-fixes
//! ```
//!
//! Each finding is one line. Line breaks in a message or a help are `\n`, a `|` is `\u{7c}`, so that a line splits at
//! ` | `. Lines and columns count from 1, columns in characters; `1:1` stands where a file cannot be shown. The last
//! line, which is always there unless `--quiet` is given, holds the counts.

use std::io::{self, Write};

use crate::rules::Severity;

use super::fixable::{FixableCounts, fixable};
use super::{Checked, Report, Style, one_line};

/// A line per finding, and the counts.
pub(super) struct Agent(pub(super) Style);

impl Report for Agent {
    fn write(&self, checked: &Checked, out: &mut dyn Write) -> io::Result<()> {
        for finding in &checked.findings {
            let place = finding.primary.source.as_ref();
            let (line, column) = place.map_or((1, 1), |(file, span)| {
                let at = file.line_column(span.start);
                (at.line, at.column)
            });
            let path = part(&finding.primary.path);
            let (code, severity) = (finding.code, finding.severity);
            let message = part(&finding.message);
            write!(out, "{path}:{line}:{column} {code} {severity} {message}")?;
            let title = finding.fixes.first().map(|fix| &fix.title);
            if let Some(help) = finding.help.as_ref().or(title) {
                write!(out, " | {}", part(help))?;
            }
            if let Some(fixable) = fixable(finding) {
                write!(out, " | {}", fixable.flags())?;
            }
            writeln!(out)?;
        }
        if self.0.quiet {
            return Ok(());
        }
        let FixableCounts { safe, unsafe_ } = FixableCounts::of(&checked.findings);
        writeln!(
            out,
            "{} errors, {} warnings, {} notes, {safe} fixable with --fix, {unsafe_} fixable with --fix --unsafe-fixes",
            checked.count(Severity::Error),
            checked.count(Severity::Warning),
            checked.count(Severity::Note),
        )
    }
}

/// Text that neither ends the line nor a part of it.
fn part(text: &str) -> String {
    one_line(text).replace('|', "\\u{7c}")
}
