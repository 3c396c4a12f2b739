//! The launch command of a run.

use std::sync::Arc;

use super::{Ask, Place};
use crate::source::SourceFile;

/// The command that starts a run, where one was found in a file.
#[derive(Clone, Debug)]
pub struct Command {
    /// The whole command.
    pub place: Place,
    /// The words that name the program.
    pub program: Place,
    /// How it reads on one line, without what comes before the program.
    pub text: String,
    /// The word that names the accelerate config, if one does.
    pub config: Option<Place>,
    /// The recipe that the script reads.
    pub recipe: Option<Arc<SourceFile>>,
    /// What is meant for accelerate's launcher, and the program drops it.
    pub dropped: Vec<Ask>,
    /// The words that cannot be known, each with the reason.
    pub unknown: Vec<(String, Place)>,
    /// What may say more than is known, as a message names it: the first word after the script that may stand for any
    /// number of words, or the script itself where it is only supposed to use a trainer.
    pub may_say_more: Option<String>,
    /// Whether its script gives `Accelerator()` a precision of its own.
    pub own_precision: bool,
    /// Whether it stands in prose, which nothing runs.
    pub is_prose: bool,
}

/// A command that starts training without reading an accelerate config.
#[derive(Clone, Debug)]
pub struct Bypass {
    /// The command.
    pub command: Command,
    /// The precision in which it trains as far as anybody outside the script's code says; `None` where nobody does.
    pub precision: Option<String>,
}
