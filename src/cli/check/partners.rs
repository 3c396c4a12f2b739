//! The files that a file names: the DeepSpeed config of a config, and what a launch command names.

use std::cell::{OnceCell, RefCell};
use std::collections::HashMap;
use std::path::{Component, Path, PathBuf};
use std::rc::Rc;
use std::sync::Arc;

use crate::discover::{self, SIZE_LIMIT};
use crate::formats::Kind;
use crate::formats::launch::{Folder, LaunchCommand, LaunchFile, Loaded};
use crate::resolve::target::closest;
use crate::resolve::{Files, Lookup};
use crate::source::SourceFile;

use super::super::assumptions::Assumptions;

/// Finds what a config names: from the current folder, or from one between it and the config's own.
pub(in crate::cli) struct Partners<'a> {
    config: &'a str,
    assumptions: &'a Assumptions,
    /// Most configs name nothing.
    above: OnceCell<Above>,
}

impl<'a> Partners<'a> {
    /// The partners of the config that is shown under this path.
    pub(in crate::cli) fn of(config: &'a str, assumptions: &'a Assumptions) -> Self {
        Self {
            config,
            assumptions,
            above: OnceCell::new(),
        }
    }
}

impl Files for Partners<'_> {
    /// In which folder the launch command will run is not known: what is not found may still be there.
    fn look_up(&self, path: &str) -> Lookup {
        let above = self
            .above
            .get_or_init(|| Above::of(self.config, self.assumptions));
        match above.find(above.places.iter().rev(), "", path) {
            Some(file) => Lookup::Found(file),
            None => Lookup::Unknown,
        }
    }
}

/// Finds what the commands of a launch file name.
pub(in crate::cli) struct Beside<'a> {
    folder: Folder,
    /// What the file itself writes, and where the command stands in it.
    written: Option<(&'a LaunchFile, usize)>,
    /// The paths of all configs that are checked.
    configs: &'a [String],
    /// What the settings declare.
    assumptions: &'a Assumptions,
    above: Rc<Above>,
}

impl<'a> Beside<'a> {
    /// The files beside the launch file that is shown under this path, for what it loads.
    pub(in crate::cli) fn of(file: &'a str, assumptions: &'a Assumptions) -> Self {
        Self {
            folder: Folder::Start(String::new()),
            written: None,
            configs: &[],
            assumptions,
            above: Rc::new(Above::of(file, assumptions)),
        }
    }

    /// The files of a command in that file.
    pub(in crate::cli) fn of_command(
        &self,
        command: &LaunchCommand,
        holds: &'a LaunchFile,
        configs: &'a [String],
    ) -> Self {
        Self {
            folder: command.folder.clone(),
            written: Some((holds, command.spot.span.start)),
            configs,
            assumptions: self.assumptions,
            above: Rc::clone(&self.above),
        }
    }

    /// What the script makes of a file before the command runs; `None` where it does not touch it.
    fn made(&self, path: &str) -> Option<Lookup> {
        let (holds, at) = self.written?;
        let wanted = joined(&self.folder, path)?;
        let written = holds.written.iter().rfind(|written| {
            let name = written
                .path
                .known()
                .and_then(|name| joined(&written.folder, name));
            written.body.start < at && name.as_ref() == Some(&wanted)
        });
        let named = cleaned(Path::new(path));
        let touched = holds
            .touched
            .iter()
            .rfind(|touched| touched.at < at && cleaned(Path::new(&touched.path)) == named);
        match (written, touched) {
            (Some(written), Some(touched)) if touched.at > written.body.start => {
                Some(Lookup::Unknown)
            }
            (Some(written), _) => Some(Lookup::Found(Arc::clone(&written.file))),
            (None, Some(_)) => Some(Lookup::Unknown),
            (None, None) => None,
        }
    }

    /// Where the command may run: a script is started in its own folder, or in one above it. With the path below
    /// each of these.
    fn places<'s>(&'s self, folder: &'s Folder) -> (&'s [PlaceOfFiles], &'s str) {
        let all = &self.above.places;
        match folder {
            // Where `cd $DIR` leads is not known. What is found under the whole path is meant all the same.
            Folder::Unknown => (all, ""),
            Folder::Own(below) => (all.get(..1).unwrap_or_default(), below),
            Folder::Start(below) => (all, below),
        }
    }
}

impl Loaded for Beside<'_> {
    fn load(&self, path: &str, folder: &Folder) -> Option<Arc<SourceFile>> {
        let (places, below) = self.places(folder);
        self.above.find(places, below, path)
    }
}

impl Files for Beside<'_> {
    fn look_up(&self, path: &str) -> Lookup {
        let is_elsewhere = path.is_empty()
            || path.starts_with('~')
            || path.contains(['*', '?', '[', '<', '{'])
            || Path::new(path).is_absolute();
        if is_elsewhere {
            return Lookup::Unknown;
        }
        if let Some(made) = self.made(path) {
            return made;
        }
        let (places, below) = self.places(&self.folder);
        // A path that leads out of the root may not be looked at.
        let whole = Path::new(below).join(path);
        let leaves = places.iter().all(|place| !place.folder.reaches(&whole));
        match self.above.find(places, below, path) {
            Some(file) => Lookup::Found(file),
            None if leaves || self.folder == Folder::Unknown => Lookup::Unknown,
            None => Lookup::Absent,
        }
    }

    fn declared_kind(&self, path: &str) -> Option<Kind> {
        // Wrong settings were said when they were read.
        self.assumptions.declared_kind(Path::new(path)).ok()?
    }

    /// A config of the same name elsewhere, or of a name that is close.
    fn meant(&self, path: &str) -> Option<String> {
        let name = |path: &str| path.rsplit('/').next().unwrap_or(path).to_owned();
        let wanted = name(path);
        let same = self.configs.iter().find(|config| name(config) == wanted);
        let names: Vec<String> = self.configs.iter().map(|config| name(config)).collect();
        let alike = || {
            let meant = closest(&wanted, names.iter().map(String::as_str))?;
            let at = names.iter().position(|name| name == meant)?;
            self.configs.get(at)
        };
        same.or_else(alike).cloned()
    }
}

/// A path as seen from where the script starts; `None` where that is not known.
fn joined(folder: &Folder, path: &str) -> Option<(bool, PathBuf)> {
    match folder {
        Folder::Start(below) => Some((false, cleaned(&Path::new(below).join(path)))),
        Folder::Own(below) => Some((true, cleaned(&Path::new(below).join(path)))),
        Folder::Unknown => None,
    }
}

/// A folder in which files are looked up, with the path under which it is shown.
struct PlaceOfFiles {
    shown: PathBuf,
    folder: discover::Folder,
}

/// The folder of a file and those above it up to the root, the nearest one first. What is looked up there is read once.
struct Above {
    places: Vec<PlaceOfFiles>,
    /// Larger files are not read.
    limit: u64,
    read: RefCell<HashMap<PathBuf, Option<Arc<SourceFile>>>>,
}

impl Above {
    fn of(file: &str, assumptions: &Assumptions) -> Self {
        let own = Path::new(file).parent().unwrap_or(Path::new(""));
        let folders = assumptions.folders_above(Path::new(file)).into_iter();
        let shown = std::iter::successors(Some(own.to_owned()), |folder| {
            Some(match folder.file_name() {
                Some(_) => folder.parent()?.to_owned(),
                None => folder.join(".."),
            })
        });
        let places = shown.zip(folders);
        Self {
            places: places
                .map(|(shown, folder)| PlaceOfFiles { shown, folder })
                .collect(),
            // Wrong settings were said when they were read.
            limit: assumptions
                .size_limit(Path::new(file))
                .unwrap_or(SIZE_LIMIT),
            read: RefCell::default(),
        }
    }

    /// The first such file below these places.
    fn find<'p>(
        &self,
        places: impl IntoIterator<Item = &'p PlaceOfFiles>,
        below: &str,
        path: &str,
    ) -> Option<Arc<SourceFile>> {
        if path.is_empty() || Path::new(path).is_absolute() {
            return None;
        }
        let path = Path::new(below).join(path);
        places.into_iter().find_map(|place| self.read(place, &path))
    }

    /// A file of text. Nothing outside the root is opened.
    fn read(&self, place: &PlaceOfFiles, path: &Path) -> Option<Arc<SourceFile>> {
        if !place.folder.reaches(path) {
            return None;
        }
        let shown = cleaned(&place.shown.join(path));
        if let Some(known) = self.read.borrow().get(&shown) {
            return known.clone();
        }
        let found = place.folder.read_up_to(path, self.limit).and_then(|found| {
            let shown = discover::shown(&shown, Path::new(""));
            SourceFile::new(shown, found.bytes).ok().map(Arc::new)
        });
        self.read.borrow_mut().insert(shown, found.clone());
        found
    }
}

/// The path without `.` and, where it can be, `..`.
fn cleaned(path: &Path) -> PathBuf {
    let mut cleaned = PathBuf::new();
    for part in path.components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir if cleaned.file_name().is_some() => {
                cleaned.pop();
            }
            part => cleaned.push(part),
        }
    }
    cleaned
}
