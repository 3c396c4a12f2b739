//! The versions that a framework allows beside itself, where nobody says one exactly.

use std::str::FromStr;

use pep440_rs::VersionSpecifiers;

use super::super::run::Trainer;
use super::{Asked, Target, TargetOrigin};
use crate::knowledge::{self, Version};

impl Target {
    /// The version of `package` beside a framework of this version: the one that is said, else the newest known
    /// release that the framework and, where one is said, the range allow.
    pub(in super::super) fn beside(
        &self,
        framework: &str,
        version: &Version,
        package: &str,
    ) -> Option<Version> {
        let declared = self
            .packages
            .get(package)
            .map(|declared| declared.value.clone());
        let asked = self.packages_asked.get(package);
        let facts = knowledge::package(package)?;
        if declared.is_some() && asked.is_none() {
            return declared;
        }
        let asked = asked.and_then(|range| VersionSpecifiers::from_str(range).ok());
        let allowed = knowledge::companion_range(framework, version, package);
        let mut newest_first = facts.releases.iter().rev();
        let found = newest_first.find(|release| {
            asked.as_ref().is_none_or(|range| range.contains(release))
                && allowed.is_none_or(|range| range.contains(release))
        });
        found
            .cloned()
            .or(declared)
            .or_else(|| facts.releases.last().cloned())
    }

    /// Keeps to the releases of accelerate that the trainer's framework allows, unless one is said exactly, or a range
    /// that allows none of them.
    pub fn accompany(&mut self, trainer: &Trainer) {
        let framework = trainer.framework.as_str();
        let Some(range) = knowledge::companion_range(framework, &trainer.version, "accelerate")
        else {
            return;
        };
        let (mut allowed, newest) = match (&self.accelerate.origin, &self.accelerate_asked) {
            (TargetOrigin::Default, _) => (knowledge::releases().to_vec(), true),
            (_, Some(Asked::Range(_))) => {
                let others = self.accelerate_others.iter().cloned();
                (
                    others.chain([self.accelerate.value.clone()]).collect(),
                    false,
                )
            }
            (_, Some(Asked::Newer(_)) | None) => return,
        };
        allowed.retain(|release| range.contains(release));
        if let Some(release) = allowed.pop() {
            self.accelerate.value = release;
            if !newest {
                self.accelerate_others = allowed;
            }
        }
    }
}
