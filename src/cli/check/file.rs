//! One file: read → recognise.

use std::path::PathBuf;
use std::sync::Arc;

use crate::discover;
use crate::formats::launch::LaunchFile;
use crate::formats::recipe::Framework;
use crate::formats::{self, Kind, launch};
use crate::report::CheckedFile;
use crate::resolve::{Config, ConfigFile};
use crate::rules::Finding;
use crate::source::{Document, ReadError, SourceFile, Syntax};

use super::super::assumptions::{Assumed, Assumptions};
use super::super::failure::Failure;
use super::super::notices::{self, NoConfig};
use super::inputs::Input;
use super::partners::Beside;

/// How much of a larger file is looked at to tell whether it was meant to be a config.
const HEAD: usize = 64 << 10;

/// What one file holds.
#[derive(Default)]
pub(in crate::cli) struct FileResult {
    /// Whether the file could be read at all.
    pub(in crate::cli) read: bool,
    /// The path to open.
    pub(in crate::cli) path: PathBuf,
    pub(in crate::cli) recognised: Option<CheckedFile>,
    pub(in crate::cli) holds: Holds,
    pub(in crate::cli) findings: Vec<Finding>,
    /// Its text, where it was recognised.
    pub(in crate::cli) source: Option<Arc<SourceFile>>,
    /// What is assumed of it; `None` where nothing was recognised.
    pub(in crate::cli) assumed: Option<Assumed>,
}

/// What a file holds of which a run can be made.
#[derive(Default)]
pub(in crate::cli) enum Holds {
    /// Nothing, or nothing that can be followed.
    #[default]
    Nothing,
    /// An accelerate config.
    Config(Config),
    /// A training recipe.
    Recipe(Framework, Arc<SourceFile>, Arc<Document>),
    /// A DeepSpeed config.
    DeepSpeed(Arc<SourceFile>, Arc<Document>),
    /// Launch commands.
    Launch(LaunchFile),
}

/// Read → recognise, for one file.
pub(in crate::cli) fn read(
    input: &Input,
    assumptions: &Assumptions,
) -> Result<FileResult, Failure> {
    let limit = assumptions.size_limit(input.path())?;
    let (shown, explicit, bytes) = match input {
        Input::File(file) => (
            &file.shown,
            file.explicit,
            assumptions.overlay.read(&file.path, limit),
        ),
        Input::StandardInput(input) => (&input.shown, true, Ok(input.bytes.clone())),
    };
    let mut result = FileResult {
        path: input.path().to_owned(),
        ..FileResult::default()
    };
    let bytes = match bytes {
        Ok(bytes) => bytes,
        Err(error) => {
            let reason = discover::reason(&error);
            result
                .findings
                .push(notices::unreadable(shown, &reason, None));
            return Ok(result);
        }
    };
    result.read = true;
    if bytes.len() as u64 > limit {
        let head = bytes.get(..HEAD).unwrap_or(&bytes);
        if explicit || looks_like_config(&decode(head)) {
            result.findings.push(notices::too_large(shown, limit));
        }
        return Ok(result);
    }
    // Bytes that are not UTF-8 may still be a config: the one that accelerate refuses.
    let looks_like_config =
        std::str::from_utf8(&bytes).is_err() && looks_like_config(&decode(&bytes));
    match SourceFile::new(shown.clone(), bytes) {
        Ok(source) => {
            let source = Arc::new(source);
            // Nobody gives a script or a page to accelerate as its config.
            let is_other = !explicit && launch::is_launch_name(&source.path);
            if !recognise_launch(&source, assumptions, &mut result)? && !is_other {
                recognise_config(Arc::clone(&source), explicit, assumptions, &mut result)?;
            }
            result.source = result.recognised.is_some().then_some(source);
        }
        Err(error) => {
            if looks_like_config {
                let path = shown.clone();
                let assumed = assumptions.of(input.path())?;
                result.recognised(shown, Kind::Accelerate, assumed);
                result.holds = Holds::Config(Config::Unreadable { path, error });
            } else if explicit {
                let finding = notices::no_config(shown, None, NoConfig::NotText);
                result.findings.push(finding);
            }
        }
    }
    Ok(result)
}

/// Whether the file is one that holds launch commands.
fn recognise_launch(
    file: &Arc<SourceFile>,
    assumptions: &Assumptions,
    result: &mut FileResult,
) -> Result<bool, Failure> {
    if !launch::may_be_launch_file(&file.path, file.text()) {
        return Ok(false);
    }
    let found = launch::read(file, &Beside::of(&file.path, assumptions));
    if found.commands.is_empty() {
        return Ok(false);
    }
    let assumed = assumptions.of(&result.path)?;
    result.recognised(&file.path, Kind::Launch, assumed);
    result.holds = Holds::Launch(found);
    Ok(true)
}

fn recognise_config(
    file: Arc<SourceFile>,
    explicit: bool,
    assumptions: &Assumptions,
    result: &mut FileResult,
) -> Result<(), Failure> {
    let text = file.text();
    let declared = assumptions.declared_kind(&result.path)?;
    if !explicit && declared.is_none() && !formats::may_be_config(text) {
        return Ok(());
    }
    let read = Syntax::of_name(&file.path).read(text);
    let recognised = formats::recognise(text, read.as_ref());
    let kind = declared.or(recognised.as_ref().map(|recognised| recognised.kind));
    let Some(kind) = kind else {
        if explicit && let Some(why) = no_config(text, &read) {
            let finding = notices::no_config(&file.path, Some(&file), why);
            result.findings.push(finding);
        }
        return Ok(());
    };
    let assumed = assumptions.of(&result.path)?;
    result.recognised(&file.path, kind, assumed);
    // Of a recipe only the values that are filled in are not known: a chat template is a value like any other.
    let placeholder = recognised.and_then(|recognised| recognised.placeholder);
    if let (Kind::Accelerate, Some(span)) = (kind, placeholder) {
        result.findings.push(notices::template(&file, span));
        return Ok(());
    }
    if kind == Kind::DeepSpeed && placeholder.is_some() {
        return Ok(());
    }
    let read = read.map(Arc::new);
    result.holds = match (kind, read) {
        (Kind::Accelerate, read) => Holds::Config(Config::File(ConfigFile { file, read })),
        (Kind::Recipe(framework), Ok(document)) => Holds::Recipe(framework, file, document),
        (Kind::DeepSpeed, Ok(document)) => Holds::DeepSpeed(file, document),
        _ => Holds::Nothing,
    };
    Ok(())
}

/// Why a file that was named itself holds nothing; `None` for some other program's file. That it is none of ours says
/// the closing line.
fn no_config(text: &str, read: &Result<Document, ReadError>) -> Option<NoConfig> {
    if text
        .trim_matches(['\u{feff}', ' ', '\t', '\r', '\n'])
        .is_empty()
    {
        return Some(NoConfig::Empty);
    }
    if text.contains('\0') {
        return Some(NoConfig::NotText);
    }
    match read {
        Err(ReadError {
            exception,
            message,
            span,
        }) => Some(NoConfig::Unparsable(
            format!("{exception}: {message}"),
            *span,
        )),
        Ok(document) if !document.root().is_dict() => Some(NoConfig::NotAMapping),
        Ok(document) => formats::nested_config(text, document).map(NoConfig::Nested),
    }
}

impl FileResult {
    /// The path, if it is that of an accelerate config.
    pub(in crate::cli) fn config(&self) -> Option<String> {
        let recognised = self.recognised.as_ref()?;
        (recognised.kind == Kind::Accelerate).then(|| recognised.path.clone())
    }

    fn recognised(&mut self, path: &str, kind: Kind, assumed: Assumed) {
        self.recognised = Some(CheckedFile {
            path: path.to_owned(),
            kind,
            target: assumed.target.clone(),
        });
        self.assumed = Some(assumed);
    }
}

/// The text of bytes that are not UTF-8, good enough to recognise a config that accelerate will refuse.
pub(in crate::cli) fn decode(bytes: &[u8]) -> String {
    let units = |unit: fn([u8; 2]) -> u16| {
        let units: Vec<_> = bytes[2..]
            .chunks_exact(2)
            .map(|pair| unit([pair[0], pair[1]]))
            .collect();
        String::from_utf16_lossy(&units)
    };
    match bytes {
        [0xff, 0xfe, ..] => units(u16::from_le_bytes),
        [0xfe, 0xff, ..] => units(u16::from_be_bytes),
        _ => String::from_utf8_lossy(bytes).into_owned(),
    }
}

fn looks_like_config(text: &str) -> bool {
    let unread = ReadError {
        exception: "UnicodeDecodeError",
        message: String::new(),
        span: None,
    };
    let kind = || formats::recognise(text, Err(&unread)).map(|recognised| recognised.kind);
    formats::may_be_config(text) && kind() == Some(Kind::Accelerate)
}
