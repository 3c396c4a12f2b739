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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::formats::recipe::Framework;

    #[test]
    fn what_nobody_says_exactly_is_the_newest_that_goes_with_the_framework() {
        for (settings, framework, own, transformers, accelerate) in [
            (&[][..], Framework::LlamaFactory, "0.9.5", "5.6.0", "1.11.0"),
            (
                &[][..],
                Framework::LlamaFactory,
                "0.9.4",
                "4.57.1",
                "1.11.0",
            ),
            (&[][..], Framework::Axolotl, "0.19.0", "5.16.1", "1.13.0"),
            (
                &["transformers=4.57.6"][..],
                Framework::LlamaFactory,
                "0.9.5",
                "4.57.6",
                "1.11.0",
            ),
            (
                &["transformers=>=4.50,<5"][..],
                Framework::LlamaFactory,
                "0.9.5",
                "4.57.6",
                "1.11.0",
            ),
            (
                &["accelerate=1.15.0"][..],
                Framework::LlamaFactory,
                "0.9.5",
                "5.6.0",
                "1.15.0",
            ),
            (
                &["accelerate=>=1.9"][..],
                Framework::LlamaFactory,
                "0.9.5",
                "5.6.0",
                "1.11.0",
            ),
            // What the framework does not allow was asked for all the same.
            (
                &["accelerate=>=1.12"][..],
                Framework::LlamaFactory,
                "0.9.5",
                "5.6.0",
                "1.15.0",
            ),
            (
                &["transformers=>=5.7"][..],
                Framework::LlamaFactory,
                "0.9.5",
                "5.24.0",
                "1.11.0",
            ),
        ] {
            let mut target =
                Target::parse(settings.iter().copied(), knowledge::releases()).unwrap();
            let version: Version = own.parse().unwrap();
            let beside = target
                .beside(framework.as_str(), &version, "transformers")
                .unwrap();
            target.accompany(&Trainer {
                framework,
                version,
                transformers: beside.clone(),
                arguments: std::collections::BTreeMap::new(),
                is_arguments_only: false,
            });
            let shown = format!("{framework} {own} {settings:?}");
            assert_eq!(beside.to_string(), transformers, "{shown}");
            assert_eq!(target.accelerate.value.to_string(), accelerate, "{shown}");
        }
    }
}
