//! `--since`, `--staged` and `--changed-lines`: which findings are about what has changed.

use std::collections::HashMap;
use std::ops::RangeInclusive;
use std::path::{Path, PathBuf};

use crate::discover::{Against, Changed, ChangedError, Overlay};
use crate::report::CheckedFile;
use crate::resolve::target::FileLine;
use crate::rules::{Finding, Label};

use super::super::arguments::CheckArguments;
use super::super::failure::Failure;
use super::inputs::real_path;

/// What has changed, and how closely a finding must touch it.
pub(in crate::cli) struct Changes {
    changed: Changed,
    by_line: bool,
    current: PathBuf,
    /// As the closing line puts it.
    pub(in crate::cli) scope: String,
}

impl Changes {
    /// Asks git, if the command line wants it.
    pub(in crate::cli) fn of(
        arguments: &CheckArguments,
        current: &Path,
    ) -> Result<Option<Self>, Failure> {
        let (against, scope) = match (&arguments.since, arguments.staged) {
            (Some(revision), _) => (
                Against::MergeBase(revision.clone()),
                format!("what has changed since {revision}"),
            ),
            (None, true) => (Against::Staged, "what is staged".to_owned()),
            (None, false) => return Ok(None),
        };
        let changed = Changed::new(current, &against).map_err(failure)?;
        Ok(Some(Self {
            changed,
            by_line: arguments.changed_lines,
            current: current.to_owned(),
            scope,
        }))
    }

    /// What is staged where the disk holds something else.
    pub(super) fn staged_contents(&self) -> Result<Overlay, Failure> {
        self.changed.staged_contents().map_err(failure)
    }

    /// What has changed, as git tells it.
    pub(in crate::cli) fn changed(&self) -> &Changed {
        &self.changed
    }

    /// Keeps the findings of which any place has changed, or the pin that decides about their file.
    pub(super) fn keep(
        &self,
        findings: &mut Vec<Finding>,
        files: &[CheckedFile],
        overlay: &Overlay,
    ) {
        let mut known = HashMap::new();
        let mut real = |shown: &str| -> PathBuf {
            let path = known.entry(shown.to_owned());
            path.or_insert_with(|| real_path(&self.current.join(shown)))
                .clone()
        };
        let pins: HashMap<&str, Vec<&FileLine>> = files
            .iter()
            .map(|file| (file.path.as_str(), pins(file)))
            .collect();
        findings.retain(|finding| {
            let mut labels = std::iter::once(&finding.primary).chain(&finding.related);
            labels.any(|label| self.counts(label, &real(&label.path), overlay))
                || names_what_is_gone(finding, &self.changed)
                || pins.get(finding.primary.path.as_str()).is_some_and(|pins| {
                    let mut pins = pins.iter();
                    // Locks change all the time: of them only the line counts.
                    pins.any(|pin| {
                        self.changed
                            .touches(&real(&pin.path), &(pin.line..=pin.line), None)
                    })
                })
        });
    }

    fn counts(&self, label: &Label, path: &Path, overlay: &Overlay) -> bool {
        match lines(label) {
            // Lines are counted in what was read, which git may not know: fixed texts, standard input.
            Some(lines) if self.by_line => {
                self.changed
                    .touches(path, &lines, overlay.get(path).flatten())
            }
            _ => self.changed.holds(path),
        }
    }
}

fn failure(error: ChangedError) -> Failure {
    Failure::usage(error.to_string(), error.help())
}

/// A file that was removed is missed where it was named.
fn names_what_is_gone(finding: &Finding, changed: &Changed) -> bool {
    let source = finding.primary.source.as_ref();
    source.is_some_and(|(file, span)| {
        let words = file.slice(*span);
        !words.contains('\n') && changed.is_gone(words)
    })
}

/// The lines of a label; `None` where it is about a file as a whole.
fn lines(label: &Label) -> Option<RangeInclusive<usize>> {
    let (file, span) = label.source.as_ref()?;
    let first = file.line_column(span.start).line;
    let last = file
        .line_column(span.end.saturating_sub(1).max(span.start))
        .line;
    Some(first..=last)
}

/// The lines that pin what is assumed of a file.
fn pins(file: &CheckedFile) -> Vec<&FileLine> {
    let target = &file.target;
    let packages = target.packages.values().map(|version| &version.origin);
    let origins = std::iter::once(&target.accelerate.origin).chain(packages);
    origins.filter_map(|origin| origin.line()).collect()
}
