//! What a check leaves out: files of the repository that may say more about those that it has.

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::Arc;

use aho_corasick::AhoCorasick;

use crate::discover::{self, Local, LocalPatterns, Patterns};

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

/// What is included, without what is excluded: who leaves a file out has not read it.
struct NothingExcluded<'a>(&'a dyn Local);

impl Local for NothingExcluded<'_> {
    fn in_folder(&self, folder: &Path) -> Option<Arc<LocalPatterns>> {
        let patterns = self.0.in_folder(folder)?;
        Some(Arc::new(LocalPatterns {
            include: patterns.include.clone(),
            exclude: Patterns::default(),
            below: patterns.below.clone(),
        }))
    }

    fn excludes(&self, _: &Path) -> bool {
        false
    }
}

/// The last part of a path: what another file would call it by.
pub(super) fn name(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}

/// Looks for the names of files in what the repository has besides `checked`, excluded or not. Outside a repository it
/// is only known whether the current folder was checked.
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
    let everything = discover::Settings {
        exclude: Patterns::default(),
        ..plan.discovery.clone()
    };
    let local = NothingExcluded(&plan.assumptions);
    let found = discover::discover(&[root.to_owned()], &current, &everything, &local);
    let names: Vec<&str> = names.into_iter().collect();
    let Ok(searcher) = AhoCorasick::new(&names) else {
        // More names than can be searched for: any of them may occur.
        return Ok(LeftOut {
            any: true,
            named: names.into_iter().map(str::to_owned).collect(),
        });
    };
    let mut any = false;
    let mut is_named = vec![false; names.len()];
    let mut open = names.len();
    for candidate in found.candidates {
        let path = plan.paths.of(&candidate.shown);
        // The baseline names every file, and says nothing of any.
        let baseline = plan.setting_aside.baseline.as_ref();
        let is_baseline = baseline.is_some_and(|file| plan.paths.of(&file.shown) == path);
        if is_baseline || checked.contains(&path) {
            continue;
        }
        any = true;
        if open == 0 {
            break;
        }
        let overlay = &plan.assumptions.overlay;
        let Ok(bytes) = overlay.read(&candidate.path, discover::SIZE_LIMIT) else {
            continue;
        };
        for found in searcher.find_overlapping_iter(&bytes) {
            if let Some(is_named) = is_named.get_mut(found.pattern().as_usize())
                && !std::mem::replace(is_named, true)
            {
                open -= 1;
                if open == 0 {
                    break;
                }
            }
        }
    }
    let named = names.iter().zip(is_named).filter(|(_, is_named)| *is_named);
    Ok(LeftOut {
        any,
        named: named.map(|(name, _)| (*name).to_owned()).collect(),
    })
}
