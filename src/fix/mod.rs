//! Fix: the fixes of findings → new texts, a patch, files.
//!
//! Fixes are made in rounds. In one round each finding may have its first allowed fix made, unless its bytes touch
//! those of another: then it waits for the next round, in which the files are judged as they are by then.

mod patch;
mod write;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use crate::rules::{Finding, Fix, Safety};
use crate::source::edit::{applied, with_edits};
use crate::source::{Change, Edit, Object, SourceFile, Span, Syntax};

pub use patch::patch;
pub use write::{Prepared, Refusal, may_write, write, write_new};

/// How many rounds there are at most.
pub const ROUNDS: usize = 10;

/// A fix that was made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fixed {
    /// The rule's code.
    pub code: &'static str,
    /// The rule's name.
    pub name: &'static str,
    /// The path of the finding, as it is shown.
    pub path: String,
    /// The line of the finding when it was mended, from 1.
    pub line: usize,
    /// What was done.
    pub title: String,
    /// How safe that is.
    pub safety: Safety,
    /// The paths of the files that were edited, as they are shown.
    pub edited: Vec<String>,
}

/// A fix that could not be made.
#[derive(Clone, Debug)]
pub struct NotFixed {
    /// The finding that it belongs to.
    pub finding: Finding,
    /// Why, as a clause.
    pub reason: String,
}

/// What a round came to.
#[derive(Debug, Default)]
pub struct Round {
    /// The new texts of files, by the path as it is shown.
    pub texts: BTreeMap<String, String>,
    /// The fixes that were made.
    pub fixed: Vec<Fixed>,
    /// The fixes that could not be made.
    pub not_fixed: Vec<NotFixed>,
}

/// The first fix of a finding that may be made: the safe ones, and with `allows_unsafe` those that change what runs.
pub fn allowed(finding: &Finding, allows_unsafe: bool) -> Option<&Fix> {
    finding.fixes.iter().find(|fix| match fix.safety {
        Safety::Safe => true,
        Safety::Unsafe => allows_unsafe,
        Safety::DisplayOnly => false,
    })
}

/// Makes one round of fixes. `text_of` gives what a file holds now, or why it may not be edited.
pub fn round(
    findings: &[Finding],
    allows_unsafe: bool,
    text_of: impl Fn(&str) -> Result<String, String>,
) -> Round {
    let mut round = Round::default();
    let mut drafts: BTreeMap<String, Result<Draft, String>> = BTreeMap::new();
    for finding in findings {
        let Some(fix) = allowed(finding, allows_unsafe) else {
            continue;
        };
        for edit in &fix.edits {
            let path = &edit.file.path;
            if !drafts.contains_key(path) {
                drafts.insert(path.clone(), text_of(path).map(Draft::of));
            }
        }
        match add(&mut drafts, fix) {
            Added::Made => round.fixed.push(fixed(finding, fix)),
            Added::Waits => {}
            Added::Refused(reason) => round.not_fixed.push(NotFixed {
                finding: finding.clone(),
                reason,
            }),
        }
    }
    for (path, draft) in drafts {
        if let Ok(draft) = draft
            && !draft.edits.is_empty()
            && let Some(text) = draft.written()
            && text != draft.text
        {
            round.texts.insert(path, text);
        }
    }
    round
}

fn fixed(finding: &Finding, fix: &Fix) -> Fixed {
    let source = finding.primary.source.as_ref();
    let mut edited: Vec<_> = fix
        .edits
        .iter()
        .map(|edit| edit.file.path.clone())
        .collect();
    edited.sort();
    edited.dedup();
    Fixed {
        code: finding.code,
        name: finding.name,
        path: finding.primary.path.clone(),
        line: source.map_or(1, |(file, span)| file.line_column(span.start).line),
        title: fix.title.clone(),
        safety: fix.safety,
        edited,
    }
}

/// What became of a fix.
enum Added {
    Made,
    Waits,
    Refused(String),
}

/// Adds all edits of a fix to the drafts of their files, or none.
fn add(drafts: &mut BTreeMap<String, Result<Draft, String>>, fix: &Fix) -> Added {
    for (position, edit) in fix.edits.iter().enumerate() {
        let path = edit.file.path.as_str();
        let added = match drafts.get_mut(path) {
            Some(Ok(draft)) => draft.add(edit),
            Some(Err(reason)) => Err(Added::Refused(format!("{path} {reason}"))),
            None => Err(Added::Waits),
        };
        if let Err(added) = added {
            take_back(drafts, &fix.edits[..position]);
            return added;
        }
    }
    let paths: BTreeSet<_> = fix
        .edits
        .iter()
        .map(|edit| edit.file.path.as_str())
        .collect();
    for path in paths {
        let Some(Ok(draft)) = drafts.get(path) else {
            continue;
        };
        if !draft.reads_as_meant(&fix.edits) {
            let own = fix.edits.iter().filter(|edit| edit.file.path == path);
            let is_alone = draft.edits.len() == own.count();
            take_back(drafts, &fix.edits);
            // Together with what was made before it; alone it was proven.
            return match is_alone {
                true => Added::Refused(format!("{path} would not read as intended afterwards")),
                false => Added::Waits,
            };
        }
    }
    Added::Made
}

fn take_back(drafts: &mut BTreeMap<String, Result<Draft, String>>, edits: &[Edit]) {
    for edit in edits {
        if let Some(Ok(draft)) = drafts.get_mut(&edit.file.path) {
            draft.edits.remove(&edit.text.span);
        }
    }
}

/// A file with the edits that it is to have.
struct Draft {
    text: String,
    /// None overlaps another.
    edits: BTreeMap<Span, Edit>,
}

impl Draft {
    fn of(text: String) -> Self {
        Self {
            text,
            edits: BTreeMap::new(),
        }
    }

    /// Adds one more edit, unless it overlaps another or stands where another one inserts.
    fn add(&mut self, edit: &Edit) -> Result<(), Added> {
        let span = edit.text.span;
        if !edit.file.is_still(&self.text) {
            let reason = format!("{} has changed since it was read", edit.file.path);
            return Err(Added::Refused(reason));
        }
        let before = self.edits.range(..=span).next_back();
        let after = self.edits.range(span..).next();
        let overlaps = before.is_some_and(|(other, _)| other.end > span.start || *other == span)
            || after.is_some_and(|(other, _)| other.start < span.end || *other == span);
        if overlaps {
            return Err(Added::Waits);
        }
        self.edits.insert(span, edit.clone());
        Ok(())
    }

    /// The text with all edits.
    fn written(&self) -> Option<String> {
        with_edits(&self.text, self.edits.values().map(|edit| &edit.text))
    }

    /// Whether each document in the file that the new edits touch reads afterwards as the changes mean it: a file is one, and a here-document in
    /// a script, which was read for itself, is another.
    fn reads_as_meant(&self, new: &[Edit]) -> bool {
        let mut files: Vec<&Arc<SourceFile>> = Vec::new();
        for edit in new.iter().filter(|edit| is_of_keys(&edit.change)) {
            if !files.iter().any(|file| is_same(file, &edit.file)) {
                files.push(&edit.file);
            }
        }
        for file in files {
            let here = self.edits.values();
            let here = here.filter(|edit| is_of_keys(&edit.change) && is_same(file, &edit.file));
            if !is_meant(file, &here.collect::<Vec<_>>()) {
                return false;
            }
        }
        true
    }
}

/// Whether two were read from the same file, or are the same part of it.
fn is_same(one: &Arc<SourceFile>, other: &Arc<SourceFile>) -> bool {
    one.path == other.path && (Arc::ptr_eq(one, other) || one.text() == other.text())
}

/// Whether the file reads as meant with these edits.
fn is_meant(file: &SourceFile, edits: &[&Edit]) -> bool {
    let read = |text: &str| -> Option<(Object, usize)> {
        let document = Syntax::of_name(&file.path).read(text).ok()?;
        Some((document.root().object()?, document.duplicate_keys.len()))
    };
    let meant = || {
        let (before, duplicates) = read(file.text())?;
        let mut edits = edits.iter();
        let meant = edits.try_fold(before, |object, edit| applied(object, &edit.change))?;
        Some((meant, duplicates))
    };
    let after = || {
        read(&with_edits(
            file.text(),
            edits.iter().map(|edit| &edit.text),
        )?)
    };
    match (meant(), after()) {
        (Some((meant, before)), Some((after, duplicates))) => {
            // A key that is written twice hides one of its values.
            meant.python_eq(&after) && duplicates <= before
        }
        _ => false,
    }
}

fn is_of_keys(change: &Change) -> bool {
    !matches!(change, Change::Word { .. } | Change::Comment { .. })
}

#[cfg(test)]
mod tests;
