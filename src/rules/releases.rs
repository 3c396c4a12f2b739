//! The findings of several releases in one: a target that is a range.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;

use crate::formats::settings::Fp8Block;
use crate::knowledge::{self, Interval, Version};
use crate::resolve::{Files, Run, Target};

use super::{Finding, FindingPlace, Severity, Subject, judge_release};

/// Everything that the rules have to say about one run, under every release that the target allows.
///
/// The newest allowed release decides; a finding says in which of the others it holds too. What only
/// holds in older ones is a note, and only said where those refuse, raise or lose fp8.
pub fn judge(run: &Run, target: &Target, blocks: &[Fp8Block], files: &dyn Files) -> Vec<Finding> {
    let deciding = &target.accelerate.value;
    let mut merged = Merged::default();
    for version in std::iter::once(deciding).chain(target.accelerate_others.iter().rev()) {
        let Some(known) = knowledge::accelerate(version) else {
            continue;
        };
        let subject = Subject::new(run, known.facts, target, blocks, files);
        merged.add(&known.facts.version, judge_release(&subject));
    }
    merged.into_findings(deciding, target)
}

/// Findings with the releases in which they hold, newest first.
#[derive(Default)]
struct Merged {
    findings: Vec<(Finding, Vec<Version>)>,
    /// Where in `findings` the one with this code at this place is.
    places: BTreeMap<FindingPlace, usize>,
}

impl Merged {
    fn add(&mut self, version: &Version, findings: Vec<Finding>) {
        for finding in findings {
            match self.places.entry(finding.place()) {
                Entry::Occupied(known) => {
                    let versions = &mut self.findings[*known.get()].1;
                    if versions.last() != Some(version) {
                        versions.push(version.clone());
                    }
                }
                Entry::Vacant(place) => {
                    place.insert(self.findings.len());
                    self.findings.push((finding, vec![version.clone()]));
                }
            }
        }
    }

    fn into_findings(self, deciding: &Version, target: &Target) -> Vec<Finding> {
        let allowed = 1 + target.accelerate_others.len();
        let findings = self.findings.into_iter().filter_map(|(mut finding, versions)| {
            if versions.len() == allowed {
                return Some(finding);
            }
            let holds_in = shown(&versions);
            if versions.contains(deciding) {
                finding.notes.push(format!(
                    "of the allowed releases, holds in these: {holds_in}"
                ));
            } else if finding.severity < Severity::Error {
                return None;
            } else {
                finding.severity = Severity::Note;
                // What mends it in an older release may be wrong in the one that decides.
                finding.fixes.clear();
                let fine = format!(
                    "of the allowed releases, holds in these only: {holds_in}; {deciding} is fine"
                );
                finding.notes.push(fine);
            }
            Some(finding)
        });
        findings.collect()
    }
}

/// `1.4.0–1.8.1, from 1.10.0`
fn shown(versions: &[Version]) -> String {
    let intervals = knowledge::folded(versions);
    let texts: Vec<String> = intervals.iter().map(Interval::to_string).collect();
    texts.join(", ")
}
