//! The versions that a project pins.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use crate::discover::Folder;
use crate::formats::pins::{Beside, Pin, PinFile, deciding_pin};
use crate::knowledge;
use crate::source::{SourceFile, Span};

use super::super::check::decode;

/// A folder whose text files are all requirements: `base.txt`, `gpu.txt`.
const REQUIREMENTS: &str = "requirements";

/// What a project says, from the folder of a file upwards: for each package under its name.
#[derive(Default)]
pub(super) struct Project {
    /// The pin that counts: of the nearest folder that says anything about the version.
    pub(super) pins: BTreeMap<&'static str, Pin>,
    /// The first line that names it, with or without a version.
    pub(super) named: BTreeMap<&'static str, Pin>,
    /// Its exact versions that hold without a condition, one pin for each.
    exact: BTreeMap<&'static str, Vec<Pin>>,
}

/// Pins of one package that contradict each other.
#[derive(Clone)]
pub(in crate::cli) struct SeveralPins {
    /// The pin that is used.
    pub(in crate::cli) used: Pin,
    /// Those of other versions, the nearest first.
    pub(in crate::cli) others: Vec<Pin>,
}

impl SeveralPins {
    /// What tells it from others: where the pins stand.
    pub(in crate::cli) fn key(&self) -> Vec<(String, Span)> {
        let pins = std::iter::once(&self.used).chain(&self.others);
        pins.map(|pin| (pin.file.path.clone(), pin.span)).collect()
    }
}

impl Project {
    /// Puts together what the folders say, the nearest one first.
    pub(super) fn of(folders: impl Iterator<Item = Arc<Project>>) -> Self {
        let mut project = Self::default();
        for folder in folders {
            for (package, pin) in &folder.pins {
                project.pins.entry(package).or_insert_with(|| pin.clone());
            }
            for (package, pin) in &folder.named {
                project.named.entry(package).or_insert_with(|| pin.clone());
            }
            for (package, pins) in &folder.exact {
                project
                    .exact
                    .entry(package)
                    .or_default()
                    .extend(pins.iter().cloned());
            }
        }
        project
    }

    /// The packages of which several versions are pinned.
    pub(super) fn several(&self) -> Vec<SeveralPins> {
        let of_package = |(package, pins): (&&'static str, &Vec<Pin>)| {
            let used = self.pins.get(package).filter(|pin| !pin.is_conditional)?;
            let mut versions: BTreeSet<_> = used.exact().map(public).into_iter().collect();
            let others = pins.iter();
            let others: Vec<_> = others
                .filter(|pin| {
                    pin.exact()
                        .is_some_and(|version| versions.insert(public(version)))
                })
                .cloned()
                .collect();
            (versions.len() > 1).then(|| SeveralPins {
                used: used.clone(),
                others,
            })
        };
        self.exact.iter().filter_map(of_package).collect()
    }
}

/// A build for other hardware (`2.9.1+cu128`) is the same version.
fn public(version: &knowledge::Version) -> knowledge::Version {
    version.clone().without_local()
}

/// What a folder says: its locks, then its requirements (an exact pin before a range, `requirements.txt` before the
/// others), then its environments and its projects.
pub(super) fn in_folder(folder: &Folder) -> Option<Arc<Project>> {
    let mut files = Vec::new();
    for name in folder.names(|name| PinFile::of_name(name).is_some() || name == REQUIREMENTS) {
        if let Some(kind) = PinFile::of_name(&name) {
            files.push((kind, name));
        } else if let Some(inner) = folder.below(&name) {
            let of_name = PinFile::of_name_among_requirements;
            files.extend(
                inner
                    .names(|name| of_name(name).is_some())
                    .into_iter()
                    .filter_map(|inner| Some((of_name(&inner)?, format!("{name}/{inner}")))),
            );
        }
    }
    let files: Vec<_> = files
        .into_iter()
        .filter_map(|(kind, name)| {
            let pins = kind.pins_of(&name, &text(folder, &name)?, &Around(folder));
            (!pins.is_empty()).then_some((kind, name, pins))
        })
        .collect();
    if files.is_empty() {
        return None;
    }
    let mut project = Project::default();
    for package in knowledge::packages() {
        let deciding = files.iter().filter_map(|(kind, name, pins)| {
            let pin = deciding_pin(pins, package)?;
            let order = (
                kind,
                pin.exact().is_none(),
                name != "requirements.txt",
                name,
            );
            Some((order, pin))
        });
        if let Some((_, pin)) = deciding.min_by(|(left, _), (right, _)| left.cmp(right)) {
            project.pins.insert(package.name, pin.clone());
        }
    }
    let mut versions = BTreeSet::new();
    for pin in files.iter().flat_map(|(_, _, pins)| pins) {
        let name = pin.package.name;
        if !pin.is_constraint {
            project.named.entry(name).or_insert_with(|| pin.clone());
        }
        if let Some(version) = pin.exact().filter(|_| !pin.is_conditional)
            && versions.insert((name, public(version)))
        {
            project.exact.entry(name).or_default().push(pin.clone());
        }
    }
    Some(Arc::new(project))
}

/// A file in the folder.
fn text(folder: &Folder, name: &str) -> Option<Arc<SourceFile>> {
    let file = folder.read(name)?;
    // `pip freeze` in a PowerShell of old writes UTF-16, which pip reads.
    let text = String::from_utf8(file.bytes).unwrap_or_else(|error| decode(error.as_bytes()));
    Some(Arc::new(SourceFile::from_text(file.shown, text)))
}

/// What lies in a folder and around it.
struct Around<'a>(&'a Folder);

impl Beside for Around<'_> {
    fn read(&self, path: &str) -> Option<Arc<SourceFile>> {
        text(self.0, path)
    }
}
