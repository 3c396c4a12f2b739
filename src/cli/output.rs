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
    /// A file.
    File(PathBuf),
}

impl Output {
    /// Standard output. `auto` is colour for a terminal that can show it; `NO_COLOR` and `CLICOLOR_FORCE` have their
    /// say.
    pub(super) fn standard(colour: Colour) -> Self {
        Self::Standard {
            colour: match colour {
                Colour::Always => true,
                Colour::Never => false,
                Colour::Auto => AutoStream::choice(&io::stdout()) != ColorChoice::Never,
            },
        }
    }

    /// Whether colours are meant for it.
    pub(super) fn colour(&self) -> bool {
        matches!(self, Self::Standard { colour: true })
    }

    /// Writes everything at once.
    pub(super) fn write(&self, content: &[u8]) -> Result<(), Failure> {
        match self {
            Self::Standard { colour } => {
                // The reports leave colours out by themselves; `Always` keeps those that they put in, and translates
                // them where a Windows console needs that.
                let choice = if *colour {
                    ColorChoice::Always
                } else {
                    ColorChoice::Never
                };
                let mut stream = AutoStream::new(io::stdout(), choice);
                match stream.write_all(content).and_then(|()| stream.flush()) {
                    // `fp8lint | head` is nobody's fault.
                    Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
                    result => result.map_err(|error| {
                        Failure::run(format!("standard output cannot be written: {error}"))
                    }),
                }
            }
            Self::File(path) => std::fs::write(path, content).map_err(|error| {
                let path = path.display();
                Failure::run(format!("the report {path} cannot be written: {error}"))
            }),
        }
    }
}
