//! How the program ends.

use std::fmt;
use std::process::ExitCode;

use crate::report::{self, one_line};
use crate::rules::Label;

/// The exit codes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Exit {
    /// Nothing at or above the failing level.
    Clean,
    /// Findings.
    Findings,
    /// Wrong usage or settings.
    Usage,
    /// The run itself failed: nothing could be read, or output could not be written.
    Failed,
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        Self::from(match exit {
            Exit::Clean => 0,
            Exit::Findings => 1,
            Exit::Usage => 2,
            Exit::Failed => 3,
        })
    }
}

/// Why a command cannot do its work, and what to do about it.
#[derive(Clone, Debug)]
pub(super) struct Failure {
    exit: Exit,
    message: String,
    help: Option<String>,
    /// The place in a file that is at fault.
    place: Option<Box<Label>>,
}

impl Failure {
    /// The command line is wrong; `help` says what to write instead.
    pub(super) fn usage(message: impl Into<String>, help: impl Into<String>) -> Self {
        Self {
            exit: Exit::Usage,
            message: message.into(),
            help: Some(help.into()),
            place: None,
        }
    }

    /// The settings are wrong at this place.
    pub(super) fn settings(
        message: impl Into<String>,
        help: impl Into<String>,
        place: Label,
    ) -> Self {
        Self {
            place: Some(Box::new(place)),
            ..Self::usage(message, help)
        }
    }

    /// The run itself failed.
    pub(super) fn run(message: impl Into<String>) -> Self {
        Self {
            exit: Exit::Failed,
            message: message.into(),
            help: None,
            place: None,
        }
    }

    /// What is wrong, and what to write instead.
    pub(super) fn parts(&self) -> (&str, &str) {
        (&self.message, self.help.as_deref().unwrap_or_default())
    }

    /// With what to do about it.
    pub(super) fn with_help(self, help: impl Into<String>) -> Self {
        Self {
            help: Some(help.into()),
            ..self
        }
    }

    /// The exit code for it.
    pub(super) fn exit(&self) -> Exit {
        self.exit
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(place) = &self.place {
            let help = self.help.as_deref();
            return f.write_str(&report::failure(&self.message, place, help));
        }
        writeln!(f, "error: {}", one_line(&self.message))?;
        if let Some(help) = &self.help {
            writeln!(f, "help: {}", one_line(help))?;
        }
        Ok(())
    }
}
