//! Where output goes.

use std::fs;
use std::io::{self, IsTerminal, Write};
use std::path::{Path, PathBuf};

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

    /// Whether paths may be links there: on a coloured terminal that knows them. `FORCE_HYPERLINK` has its say, but
    /// nothing puts links into files and pipes.
    pub(super) fn links(&self) -> bool {
        use supports_hyperlinks::Stream;
        let (is_terminal, stream) = match self {
            Self::Standard { .. } => (io::stdout().is_terminal(), Stream::Stdout),
            Self::StandardError { .. } => (io::stderr().is_terminal(), Stream::Stderr),
            Self::File(_) => return false,
        };
        self.colour() && is_terminal && supports_hyperlinks::on(stream)
    }

    /// Writes these bytes to standard output as they are: a patch, a text of the user's.
    pub(super) fn raw(content: &[u8]) -> Result<(), Failure> {
        let mut stream = io::stdout().lock();
        match stream.write_all(content).and_then(|()| stream.flush()) {
            Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
            result => result.map_err(|error| {
                Failure::run(format!("standard output cannot be written: {error}"))
            }),
        }
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
            Self::File(path) => write_file(path, content).map_err(|error| {
                let path = path.display();
                Failure::run(format!("the report {path} cannot be written: {error}"))
            }),
        }
    }
}

/// Lets a file hold this content: all at once where that can be, so that nobody reads half a report. What is no regular
/// file (a pipe, `/dev/stdout`) is written to as it is, and so is a file in a folder that takes no new ones.
fn write_file(path: &Path, content: &[u8]) -> io::Result<()> {
    match fs::metadata(path) {
        Ok(metadata) if metadata.is_file() => {
            let real = path.canonicalize()?;
            // What may not be written to is not replaced either.
            fs::OpenOptions::new().write(true).open(&real)?;
            let new = new_beside(&real, content);
            match new.and_then(|new| {
                new.as_file().set_permissions(metadata.permissions())?;
                new.persist(&real).map_err(io::Error::from)
            }) {
                Ok(_) => Ok(()),
                Err(_) => fs::write(&real, content),
            }
        }
        Err(error)
            if error.kind() == io::ErrorKind::NotFound && path.symlink_metadata().is_err() =>
        {
            match new_beside(path, content).and_then(|new| new.persist(path).map_err(Into::into)) {
                Ok(_) => Ok(()),
                Err(_) => fs::write(path, content),
            }
        }
        _ => fs::write(path, content),
    }
}

/// A temporary file in the same folder, with the mode that a new file there would have.
fn new_beside(path: &Path, content: &[u8]) -> io::Result<tempfile::NamedTempFile> {
    let folder = match path.parent() {
        Some(folder) if folder != Path::new("") => folder,
        _ => Path::new("."),
    };
    let mut builder = tempfile::Builder::new();
    #[cfg(unix)]
    let mode = <fs::Permissions as std::os::unix::fs::PermissionsExt>::from_mode(0o666);
    #[cfg(unix)]
    builder.permissions(mode);
    let mut new = builder.tempfile_in(folder)?;
    new.write_all(content)?;
    Ok(new)
}
