//! Fix: the fixes of findings → new texts, a patch, files.
//!
//! Fixes are made in rounds. In one round each finding may have its first allowed fix made, unless its bytes touch
//! those of another: then it waits for the next round, in which the files are judged as they are by then.

mod patch;
mod write;

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::rules::{Finding, Fix, Safety};
use crate::source::edit::{applied, spliced};
use crate::source::{Change, Edit, Object, SourceFile, Syntax, TextEdit};

pub use patch::patch;
pub use write::{Refusal, may_write, write, write_new};

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
    let mut new: BTreeMap<&str, Draft> = BTreeMap::new();
    for edit in &fix.edits {
        let path = edit.file.path.as_str();
        let draft = match (new.remove(path), drafts.get(path)) {
            (Some(draft), _) => draft,
            (None, Some(Ok(draft))) => draft.clone(),
            (None, Some(Err(reason))) => return Added::Refused(format!("{path} {reason}")),
            (None, None) => return Added::Waits,
        };
        match draft.with(edit) {
            Ok(draft) => new.insert(path, draft),
            Err(added) => return added,
        };
    }
    for (path, draft) in &new {
        if !draft.reads_as_meant() {
            let is_alone = matches!(drafts.get(*path), Some(Ok(before)) if before.edits.is_empty());
            return match is_alone {
                true => Added::Refused(format!("{path} would not read as intended afterwards")),
                false => Added::Waits,
            };
        }
    }
    for (path, draft) in new {
        drafts.insert(path.to_owned(), Ok(draft));
    }
    Added::Made
}

/// A file with the edits that it is to have.
#[derive(Clone)]
struct Draft {
    text: Arc<str>,
    edits: Vec<Edit>,
}

impl Draft {
    fn of(text: String) -> Self {
        Self {
            text: text.into(),
            edits: Vec::new(),
        }
    }

    /// With one more edit.
    fn with(mut self, edit: &Edit) -> Result<Self, Added> {
        let span = edit.text.span;
        if !is_same(&self.text, edit.file.text()) {
            let reason = format!("{} has changed since it was read", edit.file.path);
            return Err(Added::Refused(reason));
        }
        let touches =
            |other: &Edit| other.text.span.start <= span.end && span.start <= other.text.span.end;
        if self.edits.iter().any(touches) {
            return Err(Added::Waits);
        }
        self.edits.push(edit.clone());
        Ok(self)
    }

    /// The text with all edits.
    fn written(&self) -> Option<String> {
        with_edits(&self.text, self.edits.iter().map(|edit| &edit.text))
    }

    /// Whether each document in the file reads afterwards as the changes mean it: a file is one, and a here-document in
    /// a script, which was read for itself, is another.
    fn reads_as_meant(&self) -> bool {
        let mut left: Vec<&Edit> = self
            .edits
            .iter()
            .filter(|edit| is_of_keys(&edit.change))
            .collect();
        while let Some(first) = left.first() {
            let file = Arc::clone(&first.file);
            let (here, elsewhere): (Vec<_>, Vec<_>) = left
                .into_iter()
                .partition(|edit| edit.file.text() == file.text());
            left = elsewhere;
            if !is_meant(&file, &here) {
                return false;
            }
        }
        true
    }
}

/// Whether the file still holds what was read. Of a here-document everything around it was blanked out.
fn is_same(text: &str, read: &str) -> bool {
    let mut bytes = text.bytes().zip(read.bytes());
    text.len() == read.len() && bytes.all(|(now, read)| read == now || read == b' ')
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

/// The text with edits that do not touch each other.
fn with_edits<'e>(text: &str, edits: impl Iterator<Item = &'e TextEdit>) -> Option<String> {
    let mut edits: Vec<_> = edits.collect();
    edits.sort_by_key(|edit| std::cmp::Reverse(edit.span));
    let mut edits = edits.into_iter();
    edits.try_fold(text.to_owned(), |text, edit| spliced(&text, edit))
}

#[cfg(test)]
mod tests;
