//! `--target`.

use crate::knowledge;
use crate::resolve::Target;
use crate::resolve::target::TargetError;

use super::failure::Failure;

/// The target of `--target` settings.
pub(super) fn target(settings: &[String]) -> Result<Target, Failure> {
    Target::parse(settings.iter().map(String::as_str), knowledge::releases()).map_err(
        |TargetError { message, help }| Failure::usage(format!("--target: {message}"), help),
    )
}
