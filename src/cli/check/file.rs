//! One file: read → recognise → resolve → judge.

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;
use std::sync::Arc;

use crate::discover;
use crate::formats::pins::Pin;
use crate::formats::{self, Kind};
use crate::report::CheckedFile;
use crate::resolve::{Config, ConfigFile};
use crate::rules::{self, Finding};
use crate::source::{ReadError, SourceFile, Syntax};

use super::super::assumptions::{Assumed, Assumptions, SeveralPins};
use super::super::failure::Failure;
use super::super::notices::{self, NoConfig};
use super::partners::Partners;
use super::plan::Input;

/// Larger files are not parsed.
pub(super) const SIZE_LIMIT: u64 = 4 << 20;

/// How much of a larger file is looked at to tell whether it was meant to be a config.
const HEAD: usize = 64 << 10;

/// What the check of one file came to.
#[derive(Default)]
pub(super) struct FileResult {
    /// Whether the file could be read at all.
    pub(super) read: bool,
    pub(super) recognised: Option<CheckedFile>,
    pub(super) findings: Vec<Finding>,
    /// A pin that was passed over, because nothing is known of it.
    pub(super) unknown_pin: Option<Pin>,
    /// The packages that are pinned to several versions.
    pub(super) several_pins: Vec<SeveralPins>,
}

/// Read → recognise → resolve → judge, for one file.
pub(super) fn check(input: &Input, assumptions: &Assumptions) -> Result<FileResult, Failure> {
    let (shown, explicit, bytes) = match input {
        Input::File(file) => (&file.shown, file.explicit, read_file(&file.path)),
        Input::StandardInput { shown } => (shown, true, read_all(io::stdin().lock())),
    };
    let bytes = match bytes {
        Ok(bytes) => bytes,
        Err(error) => {
            return Ok(FileResult {
                findings: vec![notices::unreadable(shown, &discover::reason(&error), None)],
                ..FileResult::default()
            });
        }
    };
    let mut result = FileResult {
        read: true,
        ..FileResult::default()
    };
    if bytes.len() as u64 > SIZE_LIMIT {
        if explicit || looks_like_config(&decode(&bytes[..HEAD])) {
            result.findings.push(notices::too_large(shown, SIZE_LIMIT));
        }
        return Ok(result);
    }
    // Bytes that are not UTF-8 may still be a config: the one that accelerate refuses.
    let looks_like_config =
        std::str::from_utf8(&bytes).is_err() && looks_like_config(&decode(&bytes));
    match SourceFile::new(shown.clone(), bytes) {
        Ok(source) => {
            let assumed = || assumptions.of(input.path());
            check_text(Arc::new(source), explicit, assumed, &mut result)?;
        }
        Err(error) => {
            if looks_like_config {
                let path = shown.clone();
                let assumed = assumptions.of(input.path())?;
                result.recognised(shown, Kind::Accelerate, &assumed);
                let config = Config::Unreadable { path, error };
                result.findings.extend(judge(shown, config, &assumed));
            } else if explicit {
                result
                    .findings
                    .push(notices::no_config(shown, None, NoConfig::NotText));
            }
        }
    }
    Ok(result)
}

fn check_text(
    file: Arc<SourceFile>,
    explicit: bool,
    assumed: impl FnOnce() -> Result<Assumed, Failure>,
    result: &mut FileResult,
) -> Result<(), Failure> {
    let text = file.text();
    if !explicit && !formats::may_be_config(text) {
        return Ok(());
    }
    let read = Syntax::of_name(&file.path).read(text);
    match formats::recognise(text, read.as_ref()) {
        Some(recognised) => {
            let assumed = assumed()?;
            result.recognised(&file.path, recognised.kind, &assumed);
            match recognised.placeholder {
                Some(span) => result.findings.push(notices::template(&file, span)),
                None => {
                    let shown = file.path.clone();
                    let read = read.map(Arc::new);
                    let config = Config::File(ConfigFile { file, read });
                    result.findings.extend(judge(&shown, config, &assumed));
                }
            }
        }
        None if explicit => {
            let why = if text
                .trim_matches(['\u{feff}', ' ', '\t', '\r', '\n'])
                .is_empty()
            {
                NoConfig::Empty
            } else if text.contains('\0') {
                NoConfig::NotText
            } else {
                match &read {
                    Err(ReadError {
                        exception,
                        message,
                        span,
                    }) => NoConfig::Unparsable(format!("{exception}: {message}"), *span),
                    Ok(document) if !document.root().is_dict() => NoConfig::NotAMapping,
                    Ok(document) => match formats::nested_config(text, document) {
                        Some(key) => NoConfig::Nested(key),
                        // Some other program's file. That it is none of ours says the closing line.
                        None => return Ok(()),
                    },
                }
            };
            result
                .findings
                .push(notices::no_config(&file.path, Some(&file), why));
        }
        None => {}
    }
    Ok(())
}

impl FileResult {
    fn recognised(&mut self, path: &str, kind: Kind, assumed: &Assumed) {
        self.recognised = Some(CheckedFile {
            path: path.to_owned(),
            kind,
            target: assumed.target.clone(),
        });
        self.unknown_pin.clone_from(&assumed.unknown_pin);
        self.several_pins.clone_from(&assumed.several_pins);
    }
}

/// Resolve → judge, for the run that is assumed for a config that nothing launches.
fn judge(shown: &str, config: Config, assumed: &Assumed) -> Vec<Finding> {
    let partners = Partners::of(shown);
    rules::judge(
        &assumed.run(config),
        &assumed.target,
        assumed.blocks(),
        &partners,
    )
}

fn read_file(path: &Path) -> io::Result<Vec<u8>> {
    read_all(File::open(path)?)
}

/// Everything, up to one byte more than the limit.
fn read_all(input: impl Read) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    input.take(SIZE_LIMIT + 1).read_to_end(&mut bytes)?;
    Ok(bytes)
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
    formats::may_be_config(text) && formats::recognise(text, Err(&unread)).is_some()
}
