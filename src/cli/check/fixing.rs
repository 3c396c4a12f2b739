//! `--fix` and `--diff`: rounds of checks and fixes, and what becomes of the new texts.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::discover::{Overlay, Problem};
use crate::fix::{self, Fixed, NotFixed, ROUNDS, Refusal};
use crate::report;

use super::super::arguments::CheckArguments;
use super::super::failure::Failure;
use super::super::notices;
use super::plan::{self, Input, Plan};
use super::{Came, check};

/// What fixing came to.
pub(super) struct Fixing {
    /// The check of what the files hold afterwards.
    pub(super) came: Came,
    /// The fixes that were made.
    pub(super) fixed: Vec<Fixed>,
    texts: BTreeMap<String, Texts>,
    /// What standard input became, where it was checked.
    standard_input: Option<Vec<u8>>,
}

/// A file that is to hold something else.
struct Texts {
    /// Where it is; `None` for standard input.
    real: Option<PathBuf>,
    before: String,
    after: String,
}

/// Fixes what was found, and checks again, until nothing changes any more. No file is written yet.
pub(super) fn fixed(
    arguments: &CheckArguments,
    mut inputs: Vec<Input>,
    problems: &[Problem],
    overlay: &Arc<Overlay>,
    mut came: Came,
) -> Result<Fixing, Failure> {
    let current = plan::current_folder()?;
    let mut overlay = Overlay::clone(overlay);
    let mut fixed = Vec::new();
    let mut texts: BTreeMap<String, Texts> = BTreeMap::new();
    let mut not_fixed: Vec<NotFixed> = Vec::new();
    let mut seen = BTreeSet::new();
    for _ in 0..ROUNDS {
        let round = fix::round(&came.checked.findings, arguments.unsafe_fixes, |path| {
            let read = now(path, &current, &inputs, &overlay, arguments.diff);
            read.map(|(_, text)| text)
        });
        not_fixed = round.not_fixed;
        // Two fixes that undo each other would go on for ever.
        let is_known =
            |(path, text): (&String, &String)| seen.contains(&(path.clone(), text.clone()));
        if round.texts.is_empty() || round.texts.iter().any(is_known) {
            break;
        }
        for (path, after) in &round.texts {
            let Ok((real, before)) = now(path, &current, &inputs, &overlay, arguments.diff) else {
                continue;
            };
            seen.insert((path.clone(), before.clone()));
            let bytes = after.clone().into_bytes();
            match &real {
                Some(real) => overlay.set(real.clone(), bytes),
                None => plan::set_standard_input(&mut inputs, bytes),
            }
            let first = Texts {
                real,
                before,
                after: String::new(),
            };
            texts
                .entry(path.clone())
                .or_insert(first)
                .after
                .clone_from(after);
        }
        fixed.extend(round.fixed);
        let plan = Plan::new(arguments, &Arc::new(overlay.clone()))?;
        came = check(&inputs, problems, &plan)?;
    }
    let mut not_fixed: Vec<_> = not_fixed.iter().map(notices::not_fixed).collect();
    report::number(&mut not_fixed);
    let findings = &mut came.checked.findings;
    findings.extend(not_fixed);
    report::sort(findings);
    Ok(Fixing {
        came,
        fixed,
        texts,
        standard_input: inputs
            .iter()
            .find_map(Input::standard_input)
            .map(<[u8]>::to_vec),
    })
}

/// Where a file is and what it holds now, or why it may not be edited.
fn now(
    path: &str,
    current: &Path,
    inputs: &[Input],
    overlay: &Overlay,
    only_shown: bool,
) -> Result<(Option<PathBuf>, String), String> {
    let (real, bytes) = match inputs.iter().find(|input| input.is_standard_input_as(path)) {
        Some(input) => (None, input.standard_input().unwrap_or_default().to_vec()),
        None => {
            let path = current.join(path);
            let real = match fix::may_write(&path) {
                Err(Refusal::ReadOnly) if only_shown => {
                    path.canonicalize().map_err(Refusal::Failed)
                }
                real => real,
            };
            let real = real.map_err(|refusal| refusal.to_string())?;
            let read = overlay.read(&real).map_err(Refusal::Failed);
            let bytes = read.map_err(|refusal| refusal.to_string())?;
            (Some(real), bytes)
        }
    };
    let text = String::from_utf8(bytes).map_err(|_| "is no UTF-8 text".to_owned())?;
    Ok((real, text))
}

impl Fixing {
    /// The patch of all files, by their paths in the repository.
    pub(super) fn patch(&self) -> String {
        let changed = self
            .texts
            .iter()
            .filter(|(_, texts)| texts.before != texts.after);
        changed
            .map(|(path, Texts { before, after, .. })| {
                fix::patch(&self.came.checked.paths.of(path), before, after)
            })
            .collect()
    }

    /// Writes the files. Returns what standard input became, where it was checked.
    pub(super) fn write(&self) -> Result<Option<&[u8]>, Failure> {
        for (path, texts) in &self.texts {
            if let Some(real) = &texts.real {
                fix::write(real, texts.before.as_bytes(), texts.after.as_bytes())
                    .map_err(|refusal| Failure::run(format!("{path} {refusal}")))?;
            }
        }
        Ok(self.standard_input.as_deref())
    }
}
