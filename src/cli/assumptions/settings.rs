//! Settings files: found, read, and known to be right.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::discover::{self, Folder, LocalPatterns, Patterns, SIZE_LIMIT};
use crate::formats::Kind;
use crate::formats::settings::{
    self, Fp8Block, Level, Placed, Remedy, Settings, SettingsError, SeveritySetting,
};
use crate::knowledge;
use crate::resolve::Target;
use crate::resolve::target::{Declaration, FileLine, TargetError, TargetOrigin, closest};
use crate::rules::{Label, Severity};
use crate::source::{SourceFile, Span};

use super::super::failure::Failure;
use super::super::selection::{Named, RuleSettings};

/// What settings declare.
pub(in crate::cli) struct Declared {
    pub(super) target: Vec<Declaration>,
    /// What holds for the rules, in all files.
    pub(in crate::cli) rules: RuleSettings,
    /// What holds for the rules in the files of a pattern.
    per_path: Vec<(Patterns, RuleSettings)>,
    pub(in crate::cli) fail_on: Option<Severity>,
    include: Patterns,
    exclude: Patterns,
    /// The folder of the settings, without links.
    folder: PathBuf,
    pub(super) recipes: Vec<(Patterns, Kind)>,
    /// All of it, as it is written.
    pub(in crate::cli) written: Settings,
}

impl Declared {
    pub(super) fn blocks(&self) -> &[Fp8Block] {
        &self.written.blocks
    }

    /// Whether each `per-path` holds for the file of this absolute path, in the order of the text.
    pub(in crate::cli) fn holds_at(&self, path: &Path) -> impl Iterator<Item = bool> {
        let below = path.strip_prefix(&self.folder).ok();
        let per_path = self.per_path.iter();
        per_path.map(move |(patterns, _)| {
            below.is_some_and(|below| patterns.match_path_or_folder(below))
        })
    }

    /// What holds for the rules in the file of this absolute path only, in the order of the text.
    pub(in crate::cli) fn at(&self, path: &Path) -> impl Iterator<Item = &RuleSettings> {
        let rules = self.per_path.iter().zip(self.holds_at(path));
        rules.filter_map(|((_, rules), holds)| holds.then_some(rules))
    }

    /// The patterns for what lies in the folder of this absolute path.
    pub(super) fn local(&self, folder: &Path) -> Option<LocalPatterns> {
        if self.include.is_empty() && self.exclude.is_empty() {
            return None;
        }
        Some(LocalPatterns {
            include: self.include.clone(),
            exclude: self.exclude.clone(),
            below: folder.strip_prefix(&self.folder).ok()?.to_owned(),
        })
    }

    /// Larger files are not read.
    pub(super) fn size_limit(&self) -> u64 {
        let limit = self.written.max_file_size.as_ref();
        limit.map_or(SIZE_LIMIT, |limit| limit.value)
    }

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
pub(super) fn named_file(path: &Path, current: &Path) -> Result<Arc<Declared>, Failure> {
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

/// The settings, if their target, their rules and their patterns can be understood.
fn declared(settings: Settings, folder: &Path) -> Result<Declared, Failure> {
    let file = Arc::clone(&settings.file);
    let target = target(&settings)?;
    let recipes = settings.recipes.iter().map(|declared| {
        let patterns = patterns(&file, [(&declared.pattern, declared.span)])?;
        Ok((patterns, declared.kind))
    });
    let recipes = recipes.collect::<Result<_, Failure>>()?;
    let per_path = settings.per_path.iter().map(|setting| {
        let patterns = patterns(&file, places(std::slice::from_ref(&setting.pattern)))?;
        let rules = RuleSettings {
            select: None,
            ignore: codes(&file, &setting.ignore)?,
            severity: severities(&file, &setting.severity)?,
        };
        Ok((patterns, rules))
    });
    let select = settings.select.as_ref();
    Ok(Declared {
        target,
        rules: RuleSettings {
            select: select.map(|rules| codes(&file, &rules.value)).transpose()?,
            ignore: codes(&file, &settings.ignore)?,
            severity: severities(&file, &settings.severity)?,
        },
        per_path: per_path.collect::<Result<_, Failure>>()?,
        fail_on: settings.fail_on.as_ref().map(|level| severity(level.value)),
        include: patterns(&file, places(&settings.include))?,
        exclude: patterns(&file, places(&settings.exclude))?,
        folder: folder.to_owned(),
        recipes,
        written: settings,
    })
}

fn target(settings: &Settings) -> Result<Vec<Declaration>, Failure> {
    let file = &settings.file;
    let declarations: Vec<_> = settings
        .target
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
    match Target::newest(releases).declare(&declarations, releases) {
        Ok(()) => Ok(declarations),
        Err(TargetError { key, message, help }) => {
            let mut settings = settings.target.iter();
            let wrong = settings.find(|setting| setting.key == key);
            let span = wrong.map_or(Span::at(0), |setting| setting.span);
            Err(failure(file, span, &message, help))
        }
    }
}

fn places(patterns: &[Placed<String>]) -> impl Iterator<Item = (&String, Span)> {
    patterns
        .iter()
        .map(|pattern| (&pattern.value, pattern.span))
}

fn patterns<'a>(
    file: &Arc<SourceFile>,
    places: impl IntoIterator<Item = (&'a String, Span)>,
) -> Result<Patterns, Failure> {
    let mut all = Vec::new();
    for (pattern, span) in places {
        Patterns::new([pattern.as_str()]).map_err(|error| {
            let help = "write for example 'configs/**/*.yaml'".to_owned();
            failure(file, span, &error.to_string(), help)
        })?;
        all.push(pattern.as_str());
    }
    Patterns::new(all).map_err(|error| {
        let help = "name fewer patterns".to_owned();
        failure(file, Span::at(0), &error.to_string(), help)
    })
}

fn named(file: &Arc<SourceFile>, rule: &Placed<String>) -> Result<Named, Failure> {
    Named::new(&rule.value).map_err(|unknown| {
        let (message, help) = unknown.parts();
        failure(file, rule.span, message, help.to_owned())
    })
}

fn codes(file: &Arc<SourceFile>, rules: &[Placed<String>]) -> Result<Vec<&'static str>, Failure> {
    let mut codes = Vec::new();
    for rule in rules {
        codes.extend(named(file, rule)?.codes);
    }
    Ok(codes)
}

fn severities(
    file: &Arc<SourceFile>,
    settings: &[SeveritySetting],
) -> Result<Vec<(Named, Severity)>, Failure> {
    let settings = settings.iter();
    settings
        .map(|setting| Ok((named(file, &setting.rule)?, severity(setting.level))))
        .collect()
}

fn severity(level: Level) -> Severity {
    match level {
        Level::Error => Severity::Error,
        Level::Warning => Severity::Warning,
        Level::Note => Severity::Note,
    }
}

fn failure(file: &Arc<SourceFile>, span: Span, message: &str, help: String) -> Failure {
    Failure::settings(message, help, Label::at(file, span, ""))
}
