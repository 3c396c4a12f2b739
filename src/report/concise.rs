//! `concise`: one line per finding, as compilers write it, for editors and `grep`.

use std::io::{self, Write};

use super::{Checked, Report, Style, closing_line, fixes, one_line, statistics};

/// `path:line:col: error FP101 message`
pub(super) struct Concise(pub(super) Style);

impl Report for Concise {
    fn write(&self, checked: &Checked, out: &mut dyn Write) -> io::Result<()> {
        for finding in &checked.findings {
            write!(out, "{}:", one_line(&finding.primary.path))?;
            if let Some((file, span)) = &finding.primary.source {
                let at = file.line_column(span.start);
                write!(out, "{}:{}:", at.line, at.column)?;
            }
            writeln!(
                out,
                " {} {} {}",
                finding.severity,
                finding.code,
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
            writeln!(out, "{}", closing_line(checked))?;
        }
        Ok(())
    }
}
