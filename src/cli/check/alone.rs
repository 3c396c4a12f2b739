//! The runs that are assumed for what no command names, and what the rules say of them.

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::Arc;

use crate::resolve::assemble::assemble_recipe;
use crate::resolve::{Bypass, Config, Run, Word};
use crate::rules::{self, Finding};

use super::file::{FileResult, Holds};
use super::partners::Partners;
use super::runs::Launched;

/// How many folders a config's project reaches up: `configs/accelerate/fp8.yaml` belongs to what is beside `configs`.
const PROJECT_HEIGHT: usize = 3;

/// All launch commands of a check, as far as they say something about the configs around them.
pub(in crate::cli) struct Around {
    judged: BTreeSet<String>,
    doubtful: BTreeSet<String>,
    reads_config: Vec<(String, bool)>,
    bypasses: Vec<Bypass>,
}

impl Around {
    /// Puts together what the files say.
    pub(in crate::cli) fn of(launched: &[Launched]) -> Self {
        let reads_config = launched.iter().flat_map(|launched| &launched.reads_config);
        Self {
            judged: launched
                .iter()
                .flat_map(|launched| launched.judged.clone())
                .collect(),
            doubtful: launched
                .iter()
                .flat_map(|launched| launched.doubtful.clone())
                .collect(),
            reads_config: reads_config
                .map(|reads| (reads.path.clone(), reads.is_known))
                .collect(),
            bypasses: launched
                .iter()
                .flat_map(|launched| launched.bypasses.clone())
                .collect(),
        }
    }

    /// Notes on the assumed run of a config which commands of its project there are: those below the nearest of the
    /// folders above it that has any. Further up than [`PROJECT_HEIGHT`] folders begins somebody else's project.
    fn note_on(&self, run: &mut Run, config: &str) {
        for folder in Path::new(config).ancestors().skip(1).take(PROJECT_HEIGHT) {
            let is_below = |path: &str| Path::new(path).starts_with(folder);
            let reads: Vec<bool> = self
                .reads_config
                .iter()
                .filter(|(path, _)| is_below(path))
                .map(|(_, is_known)| *is_known)
                .collect();
            let bypasses: Vec<Bypass> = self
                .bypasses
                .iter()
                .filter(|bypass| is_below(&bypass.command.place.file.path))
                .cloned()
                .collect();
            if reads.is_empty() && bypasses.is_empty() {
                continue;
            }
            run.is_unused = reads.iter().all(|is_known| *is_known);
            if reads.is_empty() {
                run.bypassed = bypasses;
            }
            return;
        }
    }
}

/// The findings about what a file holds on its own, unless a command names it.
pub(in crate::cli) fn alone(file: &FileResult, around: &Around) -> Vec<Finding> {
    let (Some(recognised), Some(assumed)) = (&file.recognised, &file.assumed) else {
        return Vec::new();
    };
    let path = &recognised.path;
    if around.judged.contains(path) {
        return Vec::new();
    }
    let target = &assumed.target;
    let run = match &file.holds {
        Holds::Config(config) => {
            let mut run = assumed.run(config.clone());
            if around.doubtful.contains(path) {
                // How many processes there are says the command that names it.
                run.flags = ["--num_processes", "8"].map(Word::from).into();
            } else {
                around.note_on(&mut run, path);
            }
            run
        }
        Holds::Recipe(framework, file, document) => {
            assemble_recipe(*framework, file, document, target)
        }
        Holds::DeepSpeed(file, document) => {
            let mut run = Run::assumed(Config::None, target);
            run.deepspeed = Some((Arc::clone(file), Arc::clone(document)));
            run.unknown = Some("nothing launches a DeepSpeed config by itself".to_owned());
            run
        }
        Holds::Nothing | Holds::Launch(_) => return Vec::new(),
    };
    let partners = Partners::of(path);
    let mut target = target.clone();
    if let Some(trainer) = &run.trainer {
        target.accompany(trainer);
    }
    rules::judge(&run, &target, assumed.blocks(), &partners)
}
