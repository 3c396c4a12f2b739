//! `fp8: true` in a recipe: what the rules about LLaMA-Factory and axolotl share.

use crate::formats::recipe::Framework;
use crate::resolve::target::TargetOrigin;
use crate::resolve::{Origin, Trainer, Verdict};

use super::{Subject, precision_that_runs, voices};

/// Whether the trainer's framework has a key `fp8`.
pub(super) fn has_key(trainer: &Trainer) -> bool {
    matches!(
        trainer.framework,
        Framework::LlamaFactory | Framework::Axolotl
    )
}

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
        let trainer = subject.run.trainer.as_ref()?;
        let declared = target.packages.get(package);
        let (version, origin) = match (*package, declared) {
            ("accelerate", _) => (&target.accelerate.value, Some(&target.accelerate.origin)),
            (_, Some(declared)) => (&declared.value, Some(&declared.origin)),
            ("transformers", None) => (&trainer.transformers, None),
            (_, None) => (&trainer.version, None),
        };
        match origin.and_then(TargetOrigin::line) {
            Some(line) => Some(format!("{package} {version} by {line}")),
            None if matches!(origin, Some(TargetOrigin::Flag)) => None,
            None if *package == trainer.framework.as_str() => Some(format!(
                "no version of {package} is pinned: {version} is the newest known"
            )),
            None => Some(format!(
                "no version of {package} is pinned: {version} is the newest that {} allows",
                voices::trainer_version(trainer)
            )),
        }
    });
    notes.collect()
}
