//! Where output goes.

use std::io::{self, Write};
use std::path::PathBuf;

use anstream::{AutoStream, ColorChoice};

use super::arguments::Colour;
use super::failure::Failure;

/// A place for a whole report.
pub(super) enum Output {
    /// Standard output, and whether colours are meant for it.
    Standard { colour: bool },
    /// Standard error, where standard output is for a patch or a fixed text, and whether colours are meant for it.
    StandardError { colour: bool },
    /// A file.
    File(PathBuf),
}

fn wanted(colour: Colour, choice: impl Fn() -> ColorChoice) -> bool {
    match colour {
        Colour::Always => true,
        Colour::Never => false,
        Colour::Auto => choice() != ColorChoice::Never,
    }
}

/// What becomes of the colours in a content.
fn kept(colour: bool) -> ColorChoice {
    match colour {
        true => ColorChoice::Always,
        false => ColorChoice::Never,
    }
}

impl Output {
    /// Standard output. `auto` is colour for a terminal that can show it; `NO_COLOR` and `CLICOLOR_FORCE` have their
    /// say.
    pub(super) fn standard(colour: Colour) -> Self {
        Self::Standard {
            colour: wanted(colour, || AutoStream::choice(&io::stdout())),
        }
    }

    /// Standard error, coloured as standard output would be.
    pub(super) fn standard_error(colour: Colour) -> Self {
        Self::StandardError {
            colour: wanted(colour, || AutoStream::choice(&io::stderr())),
        }
    }

    /// Whether colours are meant for it.
    pub(super) fn colour(&self) -> bool {
        matches!(
            self,
            Self::Standard { colour: true } | Self::StandardError { colour: true }
        )
    }

    /// Writes everything at once.
    pub(super) fn write(&self, content: &[u8]) -> Result<(), Failure> {
        match self {
            Self::Standard { colour } => {
                // The reports leave colours out by themselves; `Always` keeps those that they put in, and translates
                // them where a Windows console needs that.
                let mut stream = AutoStream::new(io::stdout(), kept(*colour));
                match stream.write_all(content).and_then(|()| stream.flush()) {
                    // `fp8lint | head` is nobody's fault.
                    Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
                    result => result.map_err(|error| {
                        Failure::run(format!("standard output cannot be written: {error}"))
                    }),
                }
            }
            Self::StandardError { colour } => AutoStream::new(io::stderr(), kept(*colour))
                .write_all(content)
                .map_err(|error| {
                    Failure::run(format!("standard error cannot be written: {error}"))
                }),
            Self::File(path) => std::fs::write(path, content).map_err(|error| {
                let path = path.display();
                Failure::run(format!("the report {path} cannot be written: {error}"))
            }),
        }
    }
}
