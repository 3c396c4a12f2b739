//! What a check leaves out: files of the repository that may say more about those that it has.

use std::collections::BTreeSet;

use crate::discover;

use super::super::failure::Failure;
use super::plan::{self, Plan};

/// What was left out.
#[derive(Debug, Default)]
pub(super) struct LeftOut {
    /// Whether anything was.
    pub(super) any: bool,
    /// Which of the names that were asked for occur in it.
    pub(super) named: BTreeSet<String>,
}

/// The last part of a path: what another file would call it by.
pub(super) fn name(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}

/// Looks for the names of files in those candidates of the repository that are not among `checked`. Outside a
/// repository it is only known whether the current folder was checked.
pub(super) fn look(
    plan: &Plan,
    checked: &BTreeSet<String>,
    names: BTreeSet<&str>,
) -> Result<LeftOut, Failure> {
    let current = plan::current_folder()?;
    let Some(root) = discover::git_root(&current) else {
        return Ok(LeftOut {
            any: !plan.setting_aside.covers("."),
            named: BTreeSet::new(),
        });
    };
    let mut left_out = LeftOut::default();
    let mut open: Vec<&str> = names.into_iter().collect();
    for candidate in plan.candidates(root)? {
        let path = plan.paths.of(&candidate.shown);
        // The baseline names every file, and says nothing of any.
        let baseline = plan.setting_aside.baseline.as_ref();
        let is_baseline = baseline.is_some_and(|file| plan.paths.of(&file.shown) == path);
        if is_baseline || checked.contains(&path) {
            continue;
        }
        left_out.any = true;
        if open.is_empty() {
            break;
        }
        let Ok(bytes) = plan
            .assumptions
            .overlay
            .read(&candidate.path, discover::SIZE_LIMIT)
        else {
            continue;
        };
        let text = String::from_utf8_lossy(&bytes);
        open.retain(|name| {
            let is_named = text.contains(name);
            if is_named {
                left_out.named.insert((*name).to_owned());
            }
            !is_named
        });
    }
    Ok(left_out)
}
