//! `fp8: true` in a recipe: what the rules about LLaMA-Factory and axolotl share.

use crate::resolve::{Origin, Trainer, Verdict};

use super::{Subject, precision_that_runs};

/// Who asks for fp8 by the recipe's own key.
pub(super) fn asked(trainer: &Trainer) -> Option<Origin> {
    let fp8 = trainer.known("fp8")?;
    fp8.value.truthy().then(|| fp8.origin.clone())
}

/// The precision that the run trains in, where that is not fp8 for another reason than the hardware.
pub(super) fn lost(subject: &Subject<'_>) -> Option<String> {
    let last = subject.last();
    let trains = matches!(
        last.verdict,
        Verdict::NoFp8 { .. } | Verdict::InitOnly { .. }
    );
    let runs = precision_that_runs(last).filter(|runs| runs != "fp8");
    runs.filter(|_| trains && last.decision("fp8_capability").is_none())
}

/// Where the versions of these packages come from, where a file says them.
pub(super) fn pinned(subject: &Subject<'_>, packages: &[&'static str]) -> Vec<String> {
    let target = subject.target;
    let notes = packages.iter().filter_map(|package| {
        let (version, origin) = match *package {
            "accelerate" => (&target.accelerate.value, &target.accelerate.origin),
            package => {
                let declared = target.packages.get(package)?;
                (&declared.value, &declared.origin)
            }
        };
        let line = origin.line()?;
        Some(format!("{package} {version} by {line}"))
    });
    notes.collect()
}
