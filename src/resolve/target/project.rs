//! What a project says of a target: the packages that its files and its install commands name and pin.

use pep440_rs::Version;

use crate::formats::launch::Spot;
use crate::formats::pins::{self, Pin};
use crate::knowledge;

use super::{FileLine, Target, TargetOrigin, versions};

/// Packages that tell a list of a project's dependencies from a line about something else.
const LISTING: [&str; 3] = ["accelerate", "transformers", "torch"];

impl Target {
    /// Takes over the version of a package that a project pins, unless the command line or the settings say it; a pin
    /// that was taken over before gives way. `false`, and nothing is changed, where no known release is allowed.
    ///
    /// For an accelerate that is newer than all `releases` the newest of them stands; of every other package an exact
    /// version stands as it is.
    pub fn pin_package(&mut self, pin: &Pin, releases: &[Version]) -> bool {
        !pin.names_versions()
            || self.is_declared(pin.package.name)
            || versions::pin(self, pin, releases)
    }

    /// Whether the command line or the settings name the version of a package.
    pub fn is_declared(&self, package: &str) -> bool {
        let origin = match package {
            "accelerate" => Some(&self.accelerate.origin),
            _ => self.packages.get(package).map(|declared| &declared.origin),
        };
        matches!(origin, Some(TargetOrigin::Flag | TargetOrigin::Settings(_)))
    }

    /// Takes note that a project names a package.
    pub fn name_package(&mut self, pin: &Pin) {
        if !pin.is_constraint {
            let line = || FileLine::of(pin);
            let named = self.project_packages.entry(pin.package.name);
            named.or_insert_with(line);
        }
    }

    /// Takes over what a requirement says that stands at `spot`, as an install command of the run names it:
    /// `accelerate[deepspeed]==1.7.0`. It goes before what files pin. `false` where no known release is allowed.
    pub fn apply_requirement(
        &mut self,
        requirement: &str,
        spot: &Spot,
        releases: &[Version],
    ) -> bool {
        let pins = pins::requirement(requirement, &spot.file, spot.span);
        pins.iter().fold(true, |is_known, pin| {
            // What a command installs is no list of all that there is.
            if !LISTING.contains(&pin.package.name) {
                self.name_package(pin);
            }
            self.pin_package(pin, releases) && is_known
        })
    }

    /// Whether a package is missing among the dependencies of the project: the line that names accelerate, transformers
    /// or torch there, where no line names this package, or one that brings it along. Nothing where the project lists
    /// no dependencies, and where the package is declared otherwise.
    pub fn missing_in_project(&self, package: &str) -> Option<&FileLine> {
        let facts = knowledge::package(package)?;
        let is_declared = self.declares_installed() || self.packages.contains_key(facts.name);
        let mut named = self.project_packages.keys();
        let is_named = named.any(|name| {
            let brings = knowledge::package(name).map(|found| found.brings.as_slice());
            *name == facts.name || brings.unwrap_or_default().contains(&facts.name)
        });
        if is_declared || is_named {
            return None;
        }
        LISTING
            .iter()
            .find_map(|name| self.project_packages.get(name))
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::super::tests::{releases, target};
    use super::*;
    use crate::formats::pins::{NothingBeside, PinFile};
    use crate::source::{SourceFile, Span};

    #[test]
    fn pins_of_known_releases_count() {
        for (allowed, decides, asked, others) in [
            ("==1.12.0", "1.12.0", None, 0),
            ("===1.12.0", "1.12.0", None, 0),
            ("==1.12", "1.12.0", None, 0),
            ("==1.11.5", "1.11.5", None, 0),
            ("==1.99.0", "1.15.0", Some("1.99.0"), 0),
            (">=1.3,<2", "1.15.0", Some(">=1.3,<2"), 3),
            ("==1.12.*", "1.12.0", Some("==1.12.*"), 0),
            ("==0.10", "1.15.0", None, 0),
            (">=2", "1.15.0", None, 0),
            ("<1.0", "1.15.0", None, 0),
        ] {
            let mut target = target(&[]);
            let pin = pin(&format!("\n\naccelerate{allowed}"));
            let is_known = target.pin_package(&pin, &releases());
            assert_eq!(target.accelerate.value.to_string(), decides, "{allowed}");
            let shown = target.accelerate_asked.as_ref().map(ToString::to_string);
            assert_eq!(shown.as_deref(), asked, "{allowed}");
            assert_eq!(target.accelerate_others.len(), others, "{allowed}");
            let origin = match is_known {
                true => TargetOrigin::Pin(FileLine {
                    path: "requirements.txt".to_owned(),
                    line: 3,
                }),
                false => TargetOrigin::Default,
            };
            assert_eq!(target.accelerate.origin, origin, "{allowed}");
            assert_eq!(is_known, !["==0.10", ">=2", "<1.0"].contains(&allowed));
        }
    }

    /// The last pin of a requirements file.
    fn pin(text: &str) -> Pin {
        let file = Arc::new(SourceFile::from_text("requirements.txt", text));
        let mut pins = PinFile::Requirements.pins_of("requirements.txt", &file, &NothingBeside);
        pins.pop().unwrap()
    }

    #[test]
    fn pins_of_other_packages_give_way_to_what_is_declared() {
        let mut target = target(&["trl=0.9.6"]);
        for (text, is_known) in [
            ("trl==1.0", true),
            ("torch==2.9.1+cu128", true),
            ("transformers>=4.50,<5", true),
            ("torchao>=1", false),
            ("deepspeed", true),
        ] {
            assert_eq!(
                target.pin_package(&pin(text), &releases()),
                is_known,
                "{text}"
            );
        }
        let version = |package: &str| {
            target
                .packages
                .get(package)
                .map(|found| found.value.to_string())
        };
        assert_eq!(version("trl").as_deref(), Some("0.9.6"));
        assert_eq!(version("torch").as_deref(), Some("2.9.1+cu128"));
        assert_eq!(version("transformers").as_deref(), Some("4.57.6"));
        assert_eq!((version("torchao"), version("deepspeed")), (None, None));
    }

    #[test]
    fn install_commands_go_before_files() {
        let mut target = target(&["trl=0.9.6"]);
        let script = Arc::new(SourceFile::from_text("train.sh", "\npip install x\n"));
        let spot = Spot {
            file: Arc::clone(&script),
            span: Span::new(1, 4),
        };
        assert!(target.pin_package(&pin("accelerate==1.3.0"), &releases()));
        assert!(target.pin_package(&pin("transformers>=4.50,<5"), &releases()));
        for (requirement, is_known) in [
            ("accelerate[deepspeed]==1.12.0", true),
            ("transformers==5.0.0", true),
            ("trl==1.0", true),
            ("git+https://github.com/Azure/MS-AMP.git", true),
            ("torchao>99", false),
            ("-r requirements.txt", true),
            ("pytorch==2.9.*", true),
        ] {
            let known = target.apply_requirement(requirement, &spot, &releases());
            assert_eq!(known, is_known, "{requirement}");
        }
        assert_eq!(target.accelerate.value.to_string(), "1.12.0");
        let origin = target.accelerate.origin.line().unwrap().to_string();
        assert_eq!(origin, "train.sh:2");
        assert_eq!(target.packages["transformers"].value.to_string(), "5.0.0");
        assert_eq!(target.packages_asked.len(), 1);
        assert_eq!(target.packages["torch"].value.to_string(), "2.9.1");
        assert_eq!(target.packages["trl"].value.to_string(), "0.9.6");
        let named: Vec<_> = target.project_packages.keys().copied().collect();
        assert_eq!(
            named,
            ["deepspeed", "msamp", "torchao", "trl"],
            "what a script installs is no list of all dependencies"
        );
    }

    #[test]
    fn a_package_is_missing_where_dependencies_are_listed_without_it() {
        let te = "git+https://github.com/NVIDIA/TransformerEngine@stable";
        for (requirements, package, missing) in [
            (
                &["accelerate", "numpy"][..],
                "torchao",
                Some("requirements.txt:1"),
            ),
            (&["torch>=2"], "deepspeed", Some("requirements.txt:1")),
            (&["numpy"], "torchao", None),
            (&["trl"], "torchao", None),
            (&[], "torchao", None),
            (&["accelerate", "torchao"], "torchao", None),
            (&["transformers", "axolotl"], "torchao", None),
            (&["transformers[deepspeed]"], "deepspeed", None),
            (&["torch", te], "transformer_engine", None),
            (&["accelerate"], "megatron", None),
        ] {
            let mut target = target(&[]);
            for text in requirements {
                let file = Arc::new(SourceFile::from_text("requirements.txt", *text));
                for pin in PinFile::Requirements.pins_of("requirements.txt", &file, &NothingBeside)
                {
                    target.name_package(&pin);
                }
            }
            let line = target.missing_in_project(package).map(ToString::to_string);
            assert_eq!(line.as_deref(), missing, "{requirements:?}");
        }
        let mut target = target(&["torchao=0.14.1"]);
        target.name_package(&pin("accelerate"));
        assert_eq!(target.missing_in_project("torchao"), None);
        assert!(target.missing_in_project("deepspeed").is_some());
    }
}
