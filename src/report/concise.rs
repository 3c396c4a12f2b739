//! `concise`: one line per finding, as compilers write it, for editors and `grep`. `[*]` marks what can be fixed.

use std::io::{self, Write};

use super::fixable::{FixableCounts, fixable};
use super::{Checked, Report, Style, closing_line, fixes, links, one_line, statistics};

/// `path:line:col: error FP101 message`
pub(super) struct Concise(pub(super) Style);

impl Report for Concise {
    fn write(&self, checked: &Checked, out: &mut dyn Write) -> io::Result<()> {
        for finding in &checked.findings {
            let path = links::path(&finding.primary.path, self.0.links_in(checked));
            write!(out, "{path}:")?;
            if let Some((file, span)) = &finding.primary.source {
                let at = file.line_column(span.start);
                write!(out, "{}:{}:", at.line, at.column)?;
            }
            writeln!(
                out,
                " {} {} {}{}",
                finding.severity,
                finding.code,
                fixable(finding).map_or("", |_| "[*] "),
                one_line(&finding.message)
            )?;
        }
        if self.0.show_fixes {
            write!(out, "{}", fixes(checked))?;
        }
        if self.0.statistics {
            write!(out, "{}", statistics(checked))?;
        }
        if !self.0.quiet {
            let mark = match FixableCounts::of(&checked.findings) == FixableCounts::default() {
                true => "",
                false => " [*] marks what is fixable.",
            };
            writeln!(out, "{}{mark}", closing_line(checked))?;
        }
        Ok(())
    }
}
