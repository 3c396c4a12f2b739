//! `--fix` and `--diff`: rounds of checks and fixes, and what becomes of the new texts.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::discover::{self, Overlay};
use crate::fix::{self, Fixed, NotFixed, Prepared, ROUNDS, Refusal};
use crate::report;
use crate::rules::{Finding, Fix};

use super::super::failure::Failure;
use super::super::notices;
use super::super::output::Output;
use super::inputs::Input;
use super::plan::Plan;
use super::{Came, Scene, check};

/// What fixing came to.
struct Fixing {
    /// The check of what the files hold afterwards.
    came: Came,
    /// The fixes that were made.
    fixed: Vec<Fixed>,
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
    scene: &'a Scene<'a>,
    inputs: Vec<Input>,
    overlay: Overlay,
    /// The files whose fixes undo each other.
    stuck: BTreeSet<String>,
}

/// Fixes what was found, and prints the patch, or writes the files.
pub(super) fn apply(scene: &Scene<'_>, inputs: Vec<Input>, came: Came) -> Result<Came, Failure> {
    let arguments = scene.arguments;
    let fixing = fixed(scene, inputs, came)?;
    if arguments.diff {
        Output::raw(fixing.patch(scene).as_bytes())?;
    } else {
        fixing.write()?;
        // An editor takes what comes out, changed or not.
        let was = scene.standard_input.as_ref();
        let was = was.map(|input| input.bytes.as_slice());
        if let Some(text) = fixing.standard_input().or(was) {
            Output::raw(text)?;
        }
    }
    let mut came = fixing.came;
    came.checked.fixed = fixing.fixed;
    came.checked.fixes_are_written = arguments.fix;
    Ok(came)
}

/// Fixes what was found, and checks again, until nothing changes any more. No file is written yet.
fn fixed(scene: &Scene<'_>, inputs: Vec<Input>, mut came: Came) -> Result<Fixing, Failure> {
    let (arguments, plan) = (scene.arguments, &scene.plan);
    let mut contents = Contents {
        scene,
        inputs,
        overlay: scene.overlay.clone(),
        stuck: BTreeSet::new(),
    };
    let mut fixed = Vec::new();
    let mut texts: BTreeMap<String, Texts> = BTreeMap::new();
    let mut not_fixed: Vec<NotFixed> = Vec::new();
    let mut seen = BTreeSet::new();
    let mut why_not_all = None;
    for round_number in 0..=ROUNDS {
        let findings = contents.fixable(&came.checked.findings);
        let round = fix::round(&findings, arguments.unsafe_fixes, |path| {
            contents.now(path).map(|(_, text)| text)
        });
        not_fixed = round.not_fixed;
        if round.texts.is_empty() {
            break;
        }
        // Two fixes that undo each other would go on for ever: their file stays as it is, the others go on.
        let texts_before = contents.stuck.len();
        let known = round
            .texts
            .iter()
            .filter(|(path, text)| seen.contains(&((*path).clone(), (*text).clone())));
        contents.stuck.extend(known.map(|(path, _)| path.clone()));
        if contents.stuck.len() > texts_before {
            continue;
        }
        if round_number == ROUNDS {
            why_not_all = Some("there is more to fix than one run does; run it again");
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
        came = check(scene, &contents.inputs, &plan)?;
    }
    if let Some(reason) = why_not_all {
        let left = came.checked.findings.iter();
        let left = left.filter(|finding| fix::allowed(finding, arguments.unsafe_fixes).is_some());
        not_fixed.extend(left.map(|finding| NotFixed {
            finding: finding.clone(),
            reason: reason.to_owned(),
        }));
    }
    let mut not_fixed = plan.selected(not_fixed.iter().map(notices::not_fixed))?;
    report::sort(&mut not_fixed);
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
        if self.stuck.contains(path) {
            return Err("has fixes that undo each other".to_owned());
        }
        let mut standard_input = self.inputs.iter().filter_map(Input::standard_input);
        if let Some(input) = standard_input.find(|input| input.shown == path) {
            return Ok((Place::StandardInput, text(input.bytes.clone())?));
        }
        let shown = path;
        let path = self.scene.current.join(path);
        let real = match fix::may_write(&path) {
            Err(Refusal::ReadOnly) if self.scene.arguments.diff => {
                path.canonicalize().map_err(Refusal::Failed)
            }
            real => real,
        };
        let real = real.map_err(|refusal| refusal.to_string())?;
        if self.scene.plan.excludes(Path::new(shown), shown) {
            return Err("is excluded".to_owned());
        }
        if real != real_folder(&path) && !real.starts_with(self.scene.plan.paths.root()) {
            return Err("is a link out of the repository".to_owned());
        }
        if self.scene.overlay.get(&real).is_some() {
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

/// The path without links, but for the file itself.
fn real_folder(path: &Path) -> PathBuf {
    let folder = path.parent().and_then(|folder| folder.canonicalize().ok());
    match (folder, path.file_name()) {
        (Some(folder), Some(name)) => folder.join(name),
        _ => path.to_owned(),
    }
}

fn text(bytes: Vec<u8>) -> Result<String, String> {
    String::from_utf8(bytes).map_err(|_| "is no UTF-8 text".to_owned())
}

impl Fixing {
    /// The patch of all files, by their paths in the repository: git knows no file by the path of a link to it.
    fn patch(&self, scene: &Scene<'_>) -> String {
        let paths = &scene.plan.paths;
        let root = paths.root().canonicalize();
        let root = root.as_deref().unwrap_or(paths.root());
        let name = |path: &str, place: &Place| match place {
            Place::File(real) if real.starts_with(root) => discover::shown(real, root),
            _ => paths.of(path),
        };
        let changed = self.texts.iter();
        let changed = changed.filter(|(_, texts)| texts.before != texts.after);
        let patches: BTreeMap<String, String> = changed
            .map(
                |(
                    path,
                    Texts {
                        place,
                        before,
                        after,
                    },
                )| {
                    let name = name(path, place);
                    let patch = fix::patch(&name, before, after);
                    (name, patch)
                },
            )
            .collect();
        patches.into_values().collect()
    }

    /// What standard input became; `None` where it stays as it was.
    fn standard_input(&self) -> Option<&[u8]> {
        let mut texts = self.texts.values();
        let found = texts.find(|texts| matches!(texts.place, Place::StandardInput));
        found.map(|texts| texts.after.as_bytes())
    }

    /// Writes the files: all of them, or none.
    fn write(&self) -> Result<(), Failure> {
        let failed = |path: &str, refusal: &Refusal, rest: &str| {
            Failure::run(format!("{path} {refusal}; {rest}"))
        };
        let mut prepared = Vec::new();
        for (path, texts) in &self.texts {
            if let Place::File(real) = &texts.place {
                let new = Prepared::of(real, texts.before.as_bytes(), texts.after.as_bytes());
                let new = new.map_err(|refusal| failed(path, &refusal, "no file was changed"))?;
                prepared.push((path, new));
            }
        }
        let mut written: Vec<&str> = Vec::new();
        for (path, new) in prepared {
            new.rename().map_err(|refusal| {
                let rest = match written.as_slice() {
                    [] => "no file was changed".to_owned(),
                    written => format!("only {} changed", written.join(", ")),
                };
                failed(path, &refusal, &rest)
            })?;
            written.push(path);
        }
        Ok(())
    }
}
