//! The launch commands among the commands of a shell text.

use super::fragments::Fragment;
use super::{LaunchFile, Loaded};

/// Adds what one fragment says.
pub(super) fn collect(_fragment: &Fragment, _loaded: &dyn Loaded, _found: &mut LaunchFile) {}
