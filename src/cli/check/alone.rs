//! The runs that are assumed for what no command names, and what the rules say of them.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::resolve::assemble::assemble_recipe;
use crate::resolve::{Bypass, Config, Run, Word};
use crate::rules::{self, Finding};

use super::super::assumptions::{Assumed, Assumptions};
use super::file::{FileResult, Holds};
use super::partners::Partners;
use super::runs::Launched;

/// How many folders a config's project reaches up: `configs/accelerate/fp8.yaml` belongs to what is beside `configs`.
const PROJECT_HEIGHT: usize = 3;

/// All launch commands of a check, as far as they say something about the configs around them.
pub(in crate::cli) struct Around {
    judged: BTreeSet<String>,
    doubtful: BTreeSet<String>,
    /// For each folder, the commands anywhere below it.
    below: BTreeMap<PathBuf, Below>,
}

/// The commands below a folder.
#[derive(Default)]
struct Below {
    /// Whether each command of accelerate's launcher names a config that is known; `None` where there is none.
    reads_known: Option<bool>,
    /// Those that read no config.
    bypasses: Vec<Arc<Bypass>>,
}

impl Around {
    /// Puts together what the files say.
    pub(in crate::cli) fn of(launched: &[Launched]) -> Self {
        let mut below: BTreeMap<PathBuf, Below> = BTreeMap::new();
        let folders = |path: &str| {
            let folders: Vec<_> = Path::new(path).ancestors().skip(1).collect();
            folders.into_iter().map(Path::to_owned).collect::<Vec<_>>()
        };
        for reads in launched.iter().flat_map(|launched| &launched.reads_config) {
            for folder in folders(&reads.path) {
                let known = &mut below.entry(folder).or_default().reads_known;
                *known = Some(known.unwrap_or(true) && reads.is_known);
            }
        }
        for bypass in launched.iter().flat_map(|launched| &launched.bypasses) {
            for folder in folders(&bypass.command.place.file.path) {
                let bypasses = &mut below.entry(folder).or_default().bypasses;
                bypasses.push(Arc::clone(bypass));
            }
        }
        Self {
            judged: launched
                .iter()
                .flat_map(|launched| launched.judged.clone())
                .collect(),
            doubtful: launched
                .iter()
                .flat_map(|launched| launched.doubtful.clone())
                .collect(),
            below,
        }
    }

    /// Notes on the assumed run of a config which commands of its project there are: those below the nearest of the
    /// folders above it that has any. Further up than [`PROJECT_HEIGHT`] folders begins somebody else's project.
    fn note_on(&self, run: &mut Run, config: &str) {
        let mut folders = Path::new(config).ancestors().skip(1).take(PROJECT_HEIGHT);
        let Some(below) = folders.find_map(|folder| self.below.get(folder)) else {
            return;
        };
        run.is_unused = below.reads_known.unwrap_or(true);
        if below.reads_known.is_none() {
            run.bypassed.clone_from(&below.bypasses);
        }
    }
}

/// The run that is assumed for what a file holds; `None` for launch commands, which have runs of their own.
pub(in crate::cli) fn assumed_run(holds: &Holds, assumed: &Assumed) -> Option<Run> {
    match holds {
        Holds::Config(config) => Some(assumed.run(config.clone())),
        Holds::Recipe(framework, file, document) => {
            Some(assemble_recipe(*framework, file, document, &assumed.target))
        }
        Holds::DeepSpeed(file, document) => {
            let mut run = Run::assumed(Config::None, &assumed.target);
            run.deepspeed = Some((Arc::clone(file), Arc::clone(document)));
            run.unknown = Some("nothing launches a DeepSpeed config by itself".to_owned());
            Some(run)
        }
        Holds::Nothing | Holds::Launch(_) => None,
    }
}

/// The findings about what a file holds on its own, unless a command names it.
pub(in crate::cli) fn alone(
    file: &FileResult,
    around: &Around,
    assumptions: &Assumptions,
) -> Vec<Finding> {
    let (Some(recognised), Some(assumed)) = (&file.recognised, &file.assumed) else {
        return Vec::new();
    };
    let path = &recognised.path;
    if around.judged.contains(path) {
        return Vec::new();
    }
    let Some(mut run) = assumed_run(&file.holds, assumed) else {
        return Vec::new();
    };
    if let Holds::Config(_) = &file.holds {
        if around.doubtful.contains(path) {
            // How many processes there are says the command that names it.
            run.flags = ["--num_processes", "8"].map(Word::from).into();
        } else {
            around.note_on(&mut run, path);
        }
    }
    let partners = Partners::of(path, assumptions);
    let mut target = assumed.target.clone();
    if let Some(trainer) = &run.trainer {
        target.accompany(trainer);
    }
    rules::judge(&run, &target, assumed.blocks(), &partners)
}
