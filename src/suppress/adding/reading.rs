//! Whether two texts say the same to everybody but fp8lint.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::formats::launch::{self, Folder, LaunchFile, NothingLoaded, Program, Term};
use crate::formats::pins::{NothingBeside, Pin, PinFile};
use crate::source::{Object, SourceFile, Syntax};

/// The kind of file that pins versions, if it is one. A file with the name of an environment or a page is told by its
/// name alone.
fn pin_file(path: &str) -> Option<PinFile> {
    let (folder, name) = path.rsplit_once('/').unwrap_or(("", path));
    match folder.rsplit('/').next() {
        Some("requirements") => PinFile::of_name_among_requirements(name),
        _ => PinFile::of_name(name),
    }
}

/// Whether a file of this path pins versions.
pub fn is_pin_file(path: &str) -> bool {
    pin_file(path).is_some()
}

/// Whether `after` reads as `before` does.
pub(super) fn reads_as(before: &Arc<SourceFile>, after: &Arc<SourceFile>, is_launch: bool) -> bool {
    if is_launch {
        let says = |file: &Arc<SourceFile>| Said::of(&launch::read(file, &NothingLoaded));
        return says(before) == says(after);
    }
    let path = before.path.as_str();
    if let Some(kind) = pin_file(path).filter(|kind| *kind != PinFile::Project) {
        let says = |file: &Arc<SourceFile>| -> Vec<String> {
            let pins = kind.pins_of(path, file, &NothingBeside);
            pins.iter().map(Pin::requirement).collect()
        };
        let is_json = path.ends_with("Pipfile.lock");
        return !is_json && says(before) == says(after);
    }
    let is_toml = [".toml", ".lock", "Pipfile"];
    if is_toml.iter().any(|end| path.ends_with(end)) {
        let read = |file: &SourceFile| toml::from_str::<toml::Table>(file.text()).ok();
        return read(before) == read(after);
    }
    let read = |file: &SourceFile| Syntax::of_name(path).read(file.text());
    match (read(before), read(after)) {
        (Ok(before), Ok(after)) => match (before.root().object(), after.root().object()) {
            (Some(before), Some(after)) => before.python_eq(&after),
            // An alias bomb: nothing can be proven.
            _ => false,
        },
        // What cannot be read is refused for the same reason as before.
        (Err(before), Err(after)) => before.exception == after.exception,
        _ => false,
    }
}

/// What a launch file says, without the places where it says it.
#[derive(PartialEq)]
struct Said {
    commands: Vec<SaidCommand>,
    installs: Vec<String>,
    written: Vec<(Text, Folder, Document)>,
    touched: Vec<String>,
}

/// A text, where it is known, and whether it may be any number of words.
type Text = (Option<String>, bool);

#[derive(PartialEq)]
struct SaidCommand {
    program: Program,
    words: Vec<Vec<Text>>,
    environment: BTreeMap<String, Text>,
    folder: Folder,
    is_prose: bool,
    is_handed_on: bool,
}

/// What a here-document holds.
enum Document {
    Object(Object),
    Text(String),
}

impl PartialEq for Document {
    fn eq(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Object(left), Self::Object(right)) => left.python_eq(right),
            (Self::Text(left), Self::Text(right)) => left == right,
            _ => false,
        }
    }
}

fn text(term: &Term) -> Text {
    (term.known().map(str::to_owned), term.is_open)
}

impl Said {
    fn of(file: &LaunchFile) -> Self {
        let commands = file.commands.iter().map(|command| {
            let script = command.script.iter().map(|script| text(&script.name));
            let environment = command.environment.iter();
            SaidCommand {
                program: command.program.clone(),
                words: vec![
                    command.flags.iter().map(text).collect(),
                    script.collect(),
                    command.arguments.iter().map(text).collect(),
                ],
                environment: environment
                    .map(|(name, term)| (name.clone(), text(term)))
                    .collect(),
                folder: command.folder.clone(),
                is_prose: command.is_prose,
                is_handed_on: command.is_handed_on,
            }
        });
        let written = file.written.iter().map(|written| {
            let name = written.path.known().unwrap_or_default();
            let read = Syntax::of_name(name).read(written.file.text()).ok();
            let document = match read.and_then(|document| document.root().object()) {
                Some(object) => Document::Object(object),
                None => Document::Text(written.file.slice(written.body).to_owned()),
            };
            (text(&written.path), written.folder.clone(), document)
        });
        let installs = file.installs.iter();
        let touched = file.touched.iter();
        Self {
            commands: commands.collect(),
            installs: installs
                .map(|install| install.requirement.clone())
                .collect(),
            written: written.collect(),
            touched: touched.map(|touched| touched.path.clone()).collect(),
        }
    }
}
