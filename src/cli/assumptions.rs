//! What is assumed of each file: what the command line says, before what the settings above the file say, before the
//! versions that its project pins.

mod pins;
mod settings;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::discover::{Folder, Nearest, Upwards};
use crate::formats::pins::Pin;
use crate::formats::settings::Fp8Block;
use crate::knowledge;
use crate::resolve::target::{Declaration, TargetError};
use crate::resolve::{Config, Run, Target};

use super::arguments::AssumptionArguments;
use super::failure::Failure;

use pins::Project;
pub(super) use pins::SeveralPins;
use settings::Declared;

/// Finds what is to be assumed, file by file.
pub(super) struct Assumptions {
    flags: Vec<Declaration>,
    /// What the command line says, and otherwise the defaults.
    pub(super) target: Target,
    upwards: Upwards,
    settings: SettingsSource,
    pins: Nearest<Arc<Project>>,
}

enum SettingsSource {
    /// `--isolated`
    Nothing,
    /// `--config FILE`
    Named(Arc<Declared>),
    /// The nearest file above.
    Nearest(Nearest<Result<Arc<Declared>, Failure>>),
}

/// What is assumed of one file.
pub(super) struct Assumed {
    pub(super) target: Target,
    settings: Option<Arc<Declared>>,
    /// A pin of accelerate of which nothing is known, so that the default stands.
    pub(super) unknown_pin: Option<Pin>,
    /// The packages that are pinned to several versions.
    pub(super) several_pins: Vec<SeveralPins>,
}

impl Assumptions {
    /// For files below `paths`, which are relative to `current`. The settings of the paths themselves are read at
    /// once, so that what is wrong with them is said whatever is found there.
    pub(super) fn new(
        arguments: &AssumptionArguments,
        paths: &[PathBuf],
        current: &Path,
    ) -> Result<Self, Failure> {
        let wrong_flag = |TargetError { message, help, .. }| {
            Failure::usage(format!("--target: {message}"), help)
        };
        let flags = arguments.target.iter();
        let flags: Vec<_> = flags
            .map(|flag| Declaration::of_flag(flag))
            .collect::<Result<_, _>>()
            .map_err(wrong_flag)?;
        let mut target = Target::newest(knowledge::releases());
        target
            .declare(&flags, knowledge::releases())
            .map_err(wrong_flag)?;
        let assumptions = Self {
            flags,
            target,
            upwards: Upwards::new(current, paths),
            settings: match (&arguments.config, arguments.isolated) {
                (Some(path), _) => SettingsSource::Named(settings::named(path, current)?),
                (None, true) => SettingsSource::Nothing,
                (None, false) => SettingsSource::Nearest(Nearest::default()),
            },
            pins: Nearest::default(),
        };
        for path in paths {
            let path = match current.join(path).is_dir() {
                true => path.join("any file"),
                false => path.clone(),
            };
            assumptions.settings_above(&assumptions.upwards.folders(&path))?;
        }
        Ok(assumptions)
    }

    /// What is assumed of the file of this path, which need not exist.
    pub(super) fn of(&self, file: &Path) -> Result<Assumed, Failure> {
        let folders = self.upwards.folders(file);
        let settings = self.settings_above(&folders)?;
        let mut target = Target::newest(knowledge::releases());
        let declared = settings.iter().map(|settings| &settings.target);
        for declarations in declared.chain([&self.flags]) {
            // Both were found right when they were read.
            let _ = target.declare(declarations, knowledge::releases());
        }
        let project = Project::of(self.pins.all(&folders, pins::in_folder));
        let mut several_pins = project.several();
        let mut unknown_pin = None;
        for (package, pin) in &project.pins {
            let is_known = target.pin_package(pin, knowledge::releases());
            if !is_known || target.is_declared(package) {
                several_pins.retain(|several| several.used.package != pin.package);
            }
            if !is_known && *package == "accelerate" {
                unknown_pin = Some(pin.clone());
            }
        }
        for pin in project.named.values() {
            target.name_package(pin);
        }
        Ok(Assumed {
            target,
            settings,
            unknown_pin,
            several_pins,
        })
    }

    fn settings_above(&self, folders: &[Folder]) -> Result<Option<Arc<Declared>>, Failure> {
        match &self.settings {
            SettingsSource::Nothing => Ok(None),
            SettingsSource::Named(settings) => Ok(Some(Arc::clone(settings))),
            SettingsSource::Nearest(nearest) => {
                nearest.of(folders, settings::in_folder).transpose()
            }
        }
    }
}

impl Assumed {
    /// The fp8 blocks that a loader of the team's own reads.
    pub(super) fn blocks(&self) -> &[Fp8Block] {
        self.settings
            .as_ref()
            .map_or(&[], |settings| &settings.blocks)
    }

    /// The run that is assumed for a config that nothing launches. What the team's loader reads it takes out, so that
    /// accelerate does not see it.
    pub(super) fn run(&self, config: Config) -> Run {
        let mut run = Run::assumed(config, &self.target);
        run.without
            .extend(self.blocks().iter().map(|block| block.path.clone()));
        run
    }
}
