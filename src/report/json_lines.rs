//! `json-lines`: one JSON object per finding, a line each; the objects are those of `findings` in `json`.

use std::io::{self, Write};

use super::json_finding::FindingOutput;
use super::{Checked, Report, escape};

/// The findings as lines of JSON.
pub(super) struct JsonLines;

impl Report for JsonLines {
    fn write(&self, checked: &Checked, out: &mut dyn Write) -> io::Result<()> {
        for finding in &checked.findings {
            let text = serde_json::to_string(&FindingOutput::of(finding, &checked.paths))?;
            writeln!(out, "{}", escape::json(&text))?;
        }
        Ok(())
    }
}
