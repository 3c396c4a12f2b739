//! `fp8lint show-files`: the files that a check reads, and what each is.

use std::sync::Arc;

use serde::Serialize;

use crate::report::{self, one_line};

use super::arguments::{AssumptionArguments, CheckArguments, ShowFilesArguments, TextOrJson};
use super::check::{file, inputs, plan};
use super::failure::{Exit, Failure};
use super::output::Output;
use super::workers;

/// A file that was looked at.
#[derive(Serialize)]
struct Shown {
    path: String,
    /// What it is; `None` where it is nothing that is checked.
    kind: Option<&'static str>,
    /// Why it was not read.
    #[serde(skip_serializing_if = "Option::is_none")]
    problem: Option<String>,
}

/// What stands for a kind where there is none.
const NO_KIND: &str = "-";
const UNREADABLE: &str = "unreadable";

/// Prints the files.
pub(super) fn show(arguments: &ShowFilesArguments) -> Result<Exit, Failure> {
    let check = CheckArguments {
        paths: arguments.paths.clone(),
        files: arguments.files.clone(),
        assumptions: AssumptionArguments {
            target: Vec::new(),
            config: arguments.config.clone(),
            isolated: arguments.isolated,
        },
        threads: arguments.threads,
        ..CheckArguments::default()
    };
    let plan = plan::Plan::new(&check, &Arc::default())?;
    let current = plan::current_folder()?;
    let (inputs, problems) = inputs::inputs(&check, None, &plan, &current);
    let files = workers::map(plan.threads, &inputs, |input| {
        let read = file::read(input, &plan.assumptions)?;
        let problem = read.findings.first().filter(|_| !read.read);
        Ok(Shown {
            path: input.shown().to_owned(),
            kind: read.recognised.map(|recognised| recognised.kind.as_str()),
            problem: problem.map(|finding| finding.message.clone()),
        })
    });
    let mut files: Vec<Shown> = files.into_iter().collect::<Result<_, Failure>>()?;
    files.extend(problems.into_iter().map(|problem| Shown {
        path: problem.shown,
        kind: None,
        problem: Some(problem.reason),
    }));
    let nothing_read = !files.is_empty() && files.iter().all(|file| file.problem.is_some());
    let text = match arguments.format {
        TextOrJson::Json => report::to_json(&files)
            .map_err(|error| Failure::run(format!("the files cannot be written: {error}")))?,
        TextOrJson::Text => lines(&files),
    };
    Output::standard(super::arguments::Colour::Never).write(text.as_bytes())?;
    Ok(match nothing_read {
        true => Exit::Failed,
        false => Exit::Clean,
    })
}

/// The kind first, so that the paths stand below each other however long they are.
fn lines(files: &[Shown]) -> String {
    let kind = |file: &Shown| match (file.kind, &file.problem) {
        (Some(kind), _) => kind,
        (None, Some(_)) => UNREADABLE,
        (None, None) => NO_KIND,
    };
    let width = files.iter().map(|file| kind(file).len()).max();
    let width = width.unwrap_or_default();
    files
        .iter()
        .map(|file| {
            let why = file.problem.as_ref();
            let why = why.map_or_else(String::new, |why| format!(" ({})", one_line(why)));
            format!("{:width$}  {}{why}\n", kind(file), one_line(&file.path))
        })
        .collect()
}
