//! The reports of a check, and where each goes.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use crate::report::{Checked, Format, Style};

use super::super::arguments::{CheckArguments, ReportRequest};
use super::super::failure::Failure;
use super::super::output::Output;

/// The reports that are asked for; `text` on standard output, if none is.
pub(super) fn reports(
    arguments: &CheckArguments,
    current: &Path,
) -> Result<Vec<(Format, Style, Output)>, Failure> {
    let text = [ReportRequest {
        format: Format::Text,
        file: None,
    }];
    let requests = if arguments.report.is_empty() {
        &text[..]
    } else {
        &arguments.report
    };
    let on_standard_output = requests.iter().filter(|request| request.file.is_none());
    if on_standard_output.count() > 1 {
        return Err(Failure::usage(
            "two reports cannot both go to standard output",
            "name a file for all but one: --report json=fp8lint.json",
        ));
    }
    let mut known = BTreeMap::new();
    for file in requests.iter().filter_map(|request| request.file.as_ref()) {
        if let Some(other) = known.insert(real(file, current)?, file) {
            let (file, other) = (file.display(), other.display());
            return Err(Failure::usage(
                format!("two reports cannot both go to one file: {other} and {file}"),
                "name another file for one of them",
            ));
        }
    }
    Ok(requests
        .iter()
        .map(|request| {
            let output = match &request.file {
                Some(file) => Output::File(file.clone()),
                None if arguments.is_output_a_text() => Output::standard_error(arguments.color),
                None => Output::standard(arguments.color),
            };
            let style = Style {
                colour: output.colour(),
                quiet: arguments.quiet,
                statistics: arguments.statistics,
                show_fixes: arguments.show_fixes,
                links: output.links(),
            };
            (request.format, style, output)
        })
        .collect())
}

/// Where a report's file is, links followed. Told before anything is checked whether it can be there at all.
fn real(file: &Path, current: &Path) -> Result<PathBuf, Failure> {
    let path = current.join(file);
    let cannot = |reason: &str| {
        let file = file.display();
        Failure::run(format!("the report {file} cannot be written: {reason}"))
    };
    if path.is_dir() {
        let inside = file.join("fp8lint.txt");
        let help = format!("name a file in it: {}", inside.display());
        return Err(cannot("it is a folder").with_help(help));
    }
    if let Ok(real) = path.canonicalize() {
        return Ok(real);
    }
    let folder = path.parent().unwrap_or(current);
    match (folder.canonicalize(), path.file_name()) {
        (Ok(folder), Some(name)) if folder.is_dir() => Ok(folder.join(name)),
        _ => {
            let folder = file.parent().unwrap_or(file).display();
            Err(cannot(&format!("there is no folder {folder}"))
                .with_help(format!("make it first: mkdir -p {folder}")))
        }
    }
}

/// Writes all reports; one that cannot be written keeps none of the others back.
pub(super) fn write(checked: &Checked, reports: &[(Format, Style, Output)]) -> Result<(), Failure> {
    let written = reports.iter().map(|(format, style, output)| {
        let mut content = Vec::new();
        let report = format.report(*style).write(checked, &mut content);
        report.map_err(|error| Failure::run(format!("the report cannot be written: {error}")))?;
        output.write(&content)
    });
    let written: Vec<_> = written.collect();
    written.into_iter().collect()
}
