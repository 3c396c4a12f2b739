//! `--fix` and `--diff`: rounds of checks and fixes, and what becomes of the new texts.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::discover::{Overlay, Problem};
use crate::fix::{self, Fixed, NotFixed, ROUNDS, Refusal};
use crate::report;
use crate::rules::{Finding, Fix};

use super::super::arguments::CheckArguments;
use super::super::failure::Failure;
use super::super::notices;
use super::changes::Changes;
use super::inputs::Input;
use super::plan::Plan;
use super::{Came, check};

/// What fixing came to.
pub(super) struct Fixing {
    /// The check of what the files hold afterwards.
    pub(super) came: Came,
    /// The fixes that were made.
    pub(super) fixed: Vec<Fixed>,
    texts: BTreeMap<String, Texts>,
}

/// A file that is to hold something else.
struct Texts {
    place: Place,
    before: String,
    after: String,
}

/// Where a text is.
#[derive(Clone)]
enum Place {
    File(PathBuf),
    StandardInput,
}

/// What the files hold while they are being fixed.
struct Contents<'a> {
    current: &'a Path,
    inputs: Vec<Input>,
    /// What was laid over the disk before anything was fixed: it is not what the files hold.
    staged: &'a Overlay,
    overlay: Overlay,
    /// Whether nothing will be written.
    only_shown: bool,
}

/// Fixes what was found, and checks again, until nothing changes any more. No file is written yet.
pub(super) fn fixed(
    arguments: &CheckArguments,
    inputs: Vec<Input>,
    problems: &[Problem],
    overlay: &Overlay,
    changes: Option<&Changes>,
    current: &Path,
    mut came: Came,
) -> Result<Fixing, Failure> {
    let mut contents = Contents {
        current,
        inputs,
        staged: overlay,
        overlay: overlay.clone(),
        only_shown: arguments.diff,
    };
    let mut fixed = Vec::new();
    let mut texts: BTreeMap<String, Texts> = BTreeMap::new();
    let mut not_fixed: Vec<NotFixed> = Vec::new();
    let mut seen = BTreeSet::new();
    for _ in 0..ROUNDS {
        let findings = contents.fixable(&came.checked.findings);
        let round = fix::round(&findings, arguments.unsafe_fixes, |path| {
            contents.now(path).map(|(_, text)| text)
        });
        not_fixed = round.not_fixed;
        // Two fixes that undo each other would go on for ever.
        let mut new = round.texts.iter();
        if round.texts.is_empty()
            || new.any(|(path, text)| seen.contains(&(path.clone(), text.clone())))
        {
            break;
        }
        for (path, after) in round.texts {
            let Ok((place, before)) = contents.now(&path) else {
                continue;
            };
            seen.insert((path.clone(), before.clone()));
            contents.set(&place, &after);
            let texts = texts.entry(path).or_insert(Texts {
                place,
                before,
                after: String::new(),
            });
            texts.after = after;
        }
        fixed.extend(round.fixed);
        let plan = Plan::new(arguments, &Arc::new(contents.overlay.clone()))?;
        came = check(&contents.inputs, problems, &plan, changes)?;
    }
    let mut not_fixed: Vec<_> = not_fixed.iter().map(notices::not_fixed).collect();
    report::number(&mut not_fixed);
    let findings = &mut came.checked.findings;
    findings.extend(not_fixed);
    report::sort(findings);
    Ok(Fixing { came, fixed, texts })
}

impl Contents<'_> {
    /// The findings with the fixes that may be made. Who gives a text on standard input wants that text mended, and no
    /// file.
    fn fixable<'f>(&self, findings: &'f [Finding]) -> Cow<'f, [Finding]> {
        let mut standard_input = self.inputs.iter().filter_map(Input::standard_input);
        let Some(input) = standard_input.next() else {
            return Cow::Borrowed(findings);
        };
        let mut findings = findings.to_vec();
        for finding in &mut findings {
            let is_inside = |fix: &Fix| fix.edits.iter().all(|edit| edit.file.path == input.shown);
            finding.fixes.retain(is_inside);
        }
        Cow::Owned(findings)
    }

    /// Where a text is and what it is now, or why it may not be edited.
    fn now(&self, path: &str) -> Result<(Place, String), String> {
        let mut standard_input = self.inputs.iter().filter_map(Input::standard_input);
        if let Some(input) = standard_input.find(|input| input.shown == path) {
            return Ok((Place::StandardInput, text(input.bytes.clone())?));
        }
        let path = self.current.join(path);
        let real = match fix::may_write(&path) {
            Err(Refusal::ReadOnly) if self.only_shown => {
                path.canonicalize().map_err(Refusal::Failed)
            }
            real => real,
        };
        let real = real.map_err(|refusal| refusal.to_string())?;
        if self.staged.get(&real).is_some() {
            return Err("holds changes that are not staged".to_owned());
        }
        let bytes = self.overlay.read(&real, u64::MAX).map_err(Refusal::Failed);
        let bytes = bytes.map_err(|refusal| refusal.to_string())?;
        Ok((Place::File(real), text(bytes)?))
    }

    /// Lets a text be this one.
    fn set(&mut self, place: &Place, text: &str) {
        match place {
            Place::File(real) => self.overlay.set(real.clone(), text.into()),
            Place::StandardInput => {
                for input in &mut self.inputs {
                    input.set_standard_input(text.as_bytes());
                }
                let mut standard_input = self.inputs.iter().filter_map(Input::standard_input);
                if let Some(input) = standard_input.next() {
                    input.lay_over(&mut self.overlay);
                }
            }
        }
    }
}

fn text(bytes: Vec<u8>) -> Result<String, String> {
    String::from_utf8(bytes).map_err(|_| "is no UTF-8 text".to_owned())
}

impl Fixing {
    /// The patch of all files, by their paths in the repository.
    pub(super) fn patch(&self) -> String {
        let changed = self.texts.iter();
        let changed = changed.filter(|(_, texts)| texts.before != texts.after);
        changed
            .map(|(path, Texts { before, after, .. })| {
                fix::patch(&self.came.checked.paths.of(path), before, after)
            })
            .collect()
    }

    /// What standard input became; `None` where it stays as it was.
    pub(super) fn standard_input(&self) -> Option<&[u8]> {
        let mut texts = self.texts.values();
        let found = texts.find(|texts| matches!(texts.place, Place::StandardInput));
        found.map(|texts| texts.after.as_bytes())
    }

    /// Writes the files.
    pub(super) fn write(&self) -> Result<(), Failure> {
        for (path, texts) in &self.texts {
            if let Place::File(real) = &texts.place {
                fix::write(real, texts.before.as_bytes(), texts.after.as_bytes())
                    .map_err(|refusal| Failure::run(format!("{path} {refusal}")))?;
            }
        }
        Ok(())
    }
}
