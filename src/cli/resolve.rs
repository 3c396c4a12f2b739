//! `fp8lint resolve`: what a run comes to, stage by stage.

use super::arguments::ResolveArguments;
use super::failure::{Exit, Failure};

/// Runs the command.
pub(super) fn run(arguments: &ResolveArguments) -> Result<Exit, Failure> {
    let _ = arguments;
    Err(Failure::run("`resolve` is not there yet"))
}
