//! `--add-ignores`: comments for all that is shown.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::Path;
use std::sync::Arc;

use crate::discover;
use crate::fix;
use crate::formats::{Kind, launch};
use crate::report::{Checked, one_line};
use crate::rules::Finding;
use crate::source::SourceFile;
use crate::suppress::{Added, add_ignores, is_reason};

use super::super::arguments::Colour;
use super::super::failure::Failure;
use super::super::notices;
use super::super::output::Output;
use super::plan::{self, Plan};
use super::set_aside::KnownRules;

/// Writes a comment for each finding that can have one, and says on standard error what was written and what not.
/// Whether every file that was to hold comments could be written.
pub(super) fn add(checked: &Checked, reason: &str, plan: &Plan) -> Result<bool, Failure> {
    if !is_reason(reason) {
        return Err(Failure::usage(
            format!("--add-ignores: `{reason}` cannot stand in a comment"),
            "write a reason on one line, without `-->`; a day is written as until=2027-01-31",
        ));
    }
    let mut by_path: BTreeMap<&str, Vec<&Finding>> = BTreeMap::new();
    for finding in &checked.findings {
        if notices::can_be_ignored(finding.code) {
            by_path
                .entry(&finding.primary.path)
                .or_default()
                .push(finding);
        }
    }
    let current = plan::current_folder()?;
    let rules = KnownRules(plan);
    let mut said = String::new();
    let mut is_written = true;
    let (mut ignored, mut files) = (0, 0);
    for (path, findings) in by_path {
        let shown = one_line(path);
        let real = current.join(path);
        let Some(file) = checked_text(path, &real, &findings, plan) else {
            let _ = writeln!(said, "{shown}: no comment can be written there");
            continue;
        };
        let kind = checked.files.iter().find(|file| file.path == path);
        let is_launch = match kind {
            Some(file) => file.kind == Kind::Launch,
            None => launch::is_launch_name(path),
        };
        let today = plan.setting_aside.today;
        let Added {
            text,
            ignored: count,
            unplaced,
        } = add_ignores(&file, is_launch, &findings, reason, &rules, today);
        if text != file.text() {
            match fix::write(&real, file.text().as_bytes(), text.as_bytes()) {
                Ok(()) => {
                    files += 1;
                    ignored += count;
                }
                Err(refusal) => {
                    let _ = writeln!(said, "{shown} {refusal}, so no comment was written there");
                    is_written = false;
                }
            }
        }
        if !unplaced.is_empty() {
            let quoted: Vec<_> = unplaced.iter().map(|code| format!("\"{code}\"")).collect();
            let why = if path.ends_with(".json") {
                "JSON has no comments"
            } else {
                "a comment would change what the file says"
            };
            let _ = writeln!(
                said,
                "{shown}: {why}; write into fp8lint.toml:\n\n[per-path.{}]\nignore = [{}]\n",
                serde_json::Value::from(plan.paths.of(path)),
                quoted.join(", ")
            );
        }
    }
    let _ = writeln!(
        said,
        "Ignored {} in {}.",
        plural(ignored, "finding"),
        plural(files, "file")
    );
    Output::standard_error(Colour::Never).write(said.as_bytes())?;
    Ok(is_written)
}

/// The text in which these findings of a file were made; of those that name no place in it, what it holds now. `None`
/// where it is no text, or not the same one for all.
fn checked_text(
    path: &str,
    real: &Path,
    findings: &[&Finding],
    plan: &Plan,
) -> Option<Arc<SourceFile>> {
    let mut sources = findings
        .iter()
        .filter_map(|finding| finding.primary.source.as_ref().map(|(file, _)| file));
    if let Some(first) = sources.next() {
        let is_same =
            |other: &Arc<SourceFile>| Arc::ptr_eq(first, other) || first.text() == other.text();
        return sources.all(is_same).then(|| Arc::clone(first));
    }
    // A pipe would be waited for.
    if !real.metadata().is_ok_and(|metadata| metadata.is_file()) {
        return None;
    }
    let overlay = &plan.assumptions.overlay;
    let bytes = overlay.read(real, discover::SIZE_LIMIT).ok()?;
    let is_whole = bytes.len() as u64 <= discover::SIZE_LIMIT;
    let text = String::from_utf8(bytes).ok().filter(|_| is_whole)?;
    Some(Arc::new(SourceFile::from_text(path, text)))
}

/// A count with its noun.
pub(super) fn plural(count: usize, noun: &str) -> String {
    match count {
        1 => format!("1 {noun}"),
        count => format!("{count} {noun}s"),
    }
}
