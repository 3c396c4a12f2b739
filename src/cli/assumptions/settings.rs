//! Settings files: found, read, and known to be right.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::discover::{self, Folder, Patterns};
use crate::formats::Kind;
use crate::formats::settings::{self, Fp8Block, Remedy, Settings, SettingsError};
use crate::knowledge;
use crate::resolve::Target;
use crate::resolve::target::{Declaration, FileLine, TargetError, TargetOrigin, closest};
use crate::source::{SourceFile, Span};

use super::super::failure::Failure;

/// What settings declare.
pub(super) struct Declared {
    pub(super) target: Vec<Declaration>,
    pub(super) blocks: Vec<Fp8Block>,
    /// The folder of the settings, without links.
    folder: PathBuf,
    pub(super) recipes: Vec<(Patterns, Kind)>,
}

impl Declared {
    /// The kind that is declared for the file of this absolute path; the last pattern that matches decides.
    pub(super) fn kind_of(&self, path: &Path) -> Option<Kind> {
        let below = path.strip_prefix(&self.folder).ok()?;
        let mut recipes = self.recipes.iter().rev();
        let found = recipes.find(|(patterns, _)| patterns.match_path(below));
        found.map(|(_, kind)| *kind)
    }
}

/// The settings in a folder.
pub(super) fn in_folder(folder: &Folder) -> Option<Result<Arc<Declared>, Failure>> {
    settings::NAMES.iter().find_map(|name| {
        let file = folder.read(name)?;
        read(file.shown, file.bytes, folder.path()).transpose()
    })
}

/// The settings in a file that is named itself.
pub(super) fn named(path: &Path, current: &Path) -> Result<Arc<Declared>, Failure> {
    let shown = discover::shown(path, current);
    let wrong = |reason: String| {
        Failure::usage(
            format!("--config: {shown} {reason}"),
            "name a file such as fp8lint.toml, or a pyproject.toml with [tool.fp8lint]",
        )
    };
    let unread = |error| wrong(format!("cannot be read: {}", discover::reason(&error)));
    let bytes = std::fs::read(current.join(path)).map_err(unread)?;
    let real = current.join(path).canonicalize().map_err(unread)?;
    let folder = real.parent().unwrap_or(&real);
    let settings = read(shown.clone(), bytes, folder)?;
    settings.ok_or_else(|| wrong("holds no [tool.fp8lint]".to_owned()))
}

fn read(shown: String, bytes: Vec<u8>, folder: &Path) -> Result<Option<Arc<Declared>>, Failure> {
    let file = match SourceFile::new(shown.clone(), bytes) {
        Ok(file) => Arc::new(file),
        // Somebody else's file, in which nothing of ours can be made out.
        Err(_) if shown.ends_with("pyproject.toml") => return Ok(None),
        Err(_) => {
            return Err(Failure::usage(
                format!("{shown} is no UTF-8 text"),
                "save the settings as UTF-8",
            ));
        }
    };
    match settings::read(&file) {
        Ok(None) => Ok(None),
        Ok(Some(settings)) => declared(settings, folder).map(|declared| Some(Arc::new(declared))),
        Err(SettingsError {
            message,
            remedy,
            span,
        }) => Err(failure(&file, span, &message, help(&remedy))),
    }
}

fn help(remedy: &Remedy) -> String {
    match remedy {
        Remedy::Write(text) => text.clone(),
        Remedy::OneOf { given, known } => {
            let meant = closest(given, known.iter().map(String::as_str))
                .map(|meant| format!("did you mean {meant}? "))
                .unwrap_or_default();
            format!("{meant}known are {}", known.join(", "))
        }
    }
}

/// The settings, if their target and their patterns can be understood.
fn declared(settings: Settings, folder: &Path) -> Result<Declared, Failure> {
    let Settings {
        file,
        target,
        blocks,
        recipes,
    } = settings;
    let declarations: Vec<_> = target
        .iter()
        .map(|setting| Declaration {
            key: setting.key.clone(),
            value: setting.value.clone(),
            origin: TargetOrigin::Settings(FileLine {
                path: file.path.clone(),
                line: file.line_column(setting.span.start).line,
            }),
        })
        .collect();
    let releases = knowledge::releases();
    if let Err(TargetError { key, message, help }) =
        Target::newest(releases).declare(&declarations, releases)
    {
        let wrong = target.iter().find(|setting| setting.key == key);
        let span = wrong.map_or(Span::at(0), |setting| setting.span);
        return Err(failure(&file, span, &message, help));
    }
    let recipes = recipes.into_iter().map(|declared| {
        let patterns = Patterns::new([declared.pattern.as_str()]).map_err(|error| {
            let help = "write for example 'configs/**/*.yaml'".to_owned();
            failure(&file, declared.span, &error.to_string(), help)
        })?;
        Ok((patterns, declared.kind))
    });
    Ok(Declared {
        target: declarations,
        blocks,
        folder: folder.to_owned(),
        recipes: recipes.collect::<Result<_, Failure>>()?,
    })
}

fn failure(file: &SourceFile, span: Span, message: &str, help: String) -> Failure {
    let at = file.line_column(span.start);
    Failure::usage(
        format!("{}:{}:{}: {message}", file.path, at.line, at.column),
        help,
    )
}
