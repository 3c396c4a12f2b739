//! What is known of a target.

use crate::knowledge;
use crate::resolve::Target;

use super::failure::Failure;

/// What is known of the target's accelerate.
pub(super) fn facts(target: &Target) -> Result<&'static knowledge::Facts, Failure> {
    let version = &target.accelerate.value;
    let known = knowledge::accelerate(version);
    known.map(|known| known.facts).ok_or_else(|| {
        Failure::usage(
            format!("accelerate {version} is older than every release that is known"),
            "name a release from 0.18.0 on",
        )
    })
}
