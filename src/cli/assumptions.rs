//! What is assumed of each file: what the command line says, before what the settings above the file say, before the
//! versions that its project pins.

mod local;
mod pins;
mod settings;

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use crate::discover::{Folder, LocalPatterns, Nearest, Overlay, SIZE_LIMIT, Upwards};
use crate::formats::Kind;
use crate::formats::launch::Install;
use crate::formats::pins::Pin;
use crate::formats::settings::Fp8Block;
use crate::knowledge;
use crate::resolve::target::{Declaration, TargetError};
use crate::resolve::{Config, Run, Target};

use super::arguments::AssumptionArguments;
use super::failure::Failure;

use pins::Project;
pub(super) use pins::SeveralPins;
pub(super) use settings::Declared;

/// Finds what is to be assumed, file by file.
pub(super) struct Assumptions {
    flags: Vec<Declaration>,
    /// What the command line says, and otherwise the defaults.
    pub(super) target: Target,
    upwards: Upwards,
    /// What files hold that the disk does not.
    pub(super) overlay: Arc<Overlay>,
    settings: SettingsSource,
    /// The settings of the files in a folder.
    settings_of: Mutex<HashMap<PathBuf, Arc<OnceLock<FoundSettings>>>>,
    /// The patterns that hold in a folder.
    local: Mutex<HashMap<PathBuf, Option<Arc<LocalPatterns>>>>,
    pins: Nearest<Arc<Project>>,
}

type FoundSettings = Result<Option<Arc<Declared>>, Failure>;

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
        overlay: &Arc<Overlay>,
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
            upwards: Upwards::new(current, paths).reading(overlay),
            overlay: Arc::clone(overlay),
            settings: match (&arguments.config, arguments.isolated) {
                (Some(path), _) => SettingsSource::Named(settings::named_file(path, current)?),
                (None, true) => SettingsSource::Nothing,
                (None, false) => SettingsSource::Nearest(Nearest::default()),
            },
            settings_of: Mutex::default(),
            local: Mutex::default(),
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

    /// The folders from a file's own up to the root of what is searched for it.
    pub(super) fn folders_above(&self, file: &Path) -> Vec<Folder> {
        self.upwards.folders(file)
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

    /// The settings that hold for a file, which need not exist.
    pub(super) fn settings_of(&self, file: &Path) -> FoundSettings {
        // Asked for every file of a walk: the way up is only gone once for each folder.
        let folder = file.parent().unwrap_or(Path::new("")).to_owned();
        let known = {
            let mut folders = self
                .settings_of
                .lock()
                .unwrap_or_else(PoisonError::into_inner);
            Arc::clone(folders.entry(folder).or_default())
        };
        let settings = known.get_or_init(|| self.settings_above(&self.upwards.folders(file)));
        settings.clone()
    }

    /// The absolute path of a file, without links above it.
    pub(super) fn absolute(&self, file: &Path) -> PathBuf {
        self.upwards.absolute(file)
    }

    /// The kind that the settings declare for a file, whatever it says itself.
    pub(super) fn declared_kind(&self, file: &Path) -> Result<Option<Kind>, Failure> {
        let settings = self.settings_of(file)?;
        let settings = settings.filter(|settings| !settings.recipes.is_empty());
        Ok(settings.and_then(|settings| settings.kind_of(&self.absolute(file))))
    }

    /// The size of a file that is too large to be read, in bytes.
    pub(super) fn size_limit(&self, file: &Path) -> Result<u64, Failure> {
        let settings = self.settings_of(file)?;
        Ok(settings.map_or(SIZE_LIMIT, |settings| settings.size_limit()))
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
            .map_or(&[], |settings| settings.blocks())
    }

    /// What else is assumed of a command: what the install commands of its file name goes before what files pin.
    pub(super) fn install(&mut self, installs: &[Install], is_prose: bool) {
        for install in installs
            .iter()
            .filter(|install| is_prose || !install.is_prose)
        {
            // What allows no known release says nothing.
            let _ = self.target.apply_requirement(
                &install.requirement,
                &install.spot,
                knowledge::releases(),
            );
        }
    }

    /// Takes out of a run what the team's loader reads, so that accelerate does not see it.
    pub(super) fn without_blocks(&self, run: &mut Run) {
        let blocks = self.blocks().iter();
        run.without.extend(blocks.map(|block| block.path.clone()));
    }

    /// The run that is assumed for a config that nothing launches.
    pub(super) fn run(&self, config: Config) -> Run {
        let mut run = Run::assumed(config, &self.target);
        self.without_blocks(&mut run);
        run
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn declared_kinds_are_seen_from_the_folder_of_the_settings() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path();
        std::fs::create_dir_all(root.join("sub/conf/deep")).unwrap();
        std::fs::write(
            root.join("sub/fp8lint.toml"),
            "[recipes]\n'conf/**/*.yaml' = 'trl'\n'*.json' = 'deepspeed'\n'conf/a.*' = 'accelerate'\n",
        )
        .unwrap();
        let kinds = |arguments: &AssumptionArguments| {
            let assumptions =
                Assumptions::new(arguments, &[PathBuf::from("sub")], root, &Arc::default())
                    .unwrap();
            [
                "sub/conf/deep/r.yaml",
                "sub/conf/a.yaml",
                "sub/conf/../d.json",
                "sub/conf/r.yml",
                "conf/r.yaml",
            ]
            .map(|path| {
                assumptions
                    .declared_kind(Path::new(path))
                    .unwrap()
                    .map(Kind::as_str)
            })
        };
        let expected = [
            Some("recipe:trl"),
            Some("accelerate"),
            Some("deepspeed"),
            None,
            None,
        ];
        assert_eq!(kinds(&AssumptionArguments::default()), expected);
        let named = AssumptionArguments {
            config: Some("sub/fp8lint.toml".into()),
            ..AssumptionArguments::default()
        };
        assert_eq!(kinds(&named), expected);
        let isolated = AssumptionArguments {
            isolated: true,
            ..AssumptionArguments::default()
        };
        assert_eq!(kinds(&isolated), [None; 5]);
    }
}
