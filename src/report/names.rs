//! How trainers are called.

use crate::formats::recipe::Framework;
use crate::resolve::Trainer;

/// `LLaMA-Factory 0.9.5`, `the Trainer of transformers 5.24.0`.
pub(super) fn trainer(trainer: &Trainer) -> String {
    match trainer.framework {
        Framework::Transformers => format!("the Trainer of transformers {}", trainer.transformers),
        Framework::SimpleTuner => "SimpleTuner".to_owned(),
        framework => format!("{framework} {}", trainer.version),
    }
}

/// `transformers 5.24.0`, `trl 1.16.0 and transformers 5.24.0`.
pub(super) fn versions(trainer: &Trainer) -> String {
    let transformers = format!("transformers {}", trainer.transformers);
    match trainer.framework {
        Framework::Transformers => transformers,
        Framework::SimpleTuner => "SimpleTuner".to_owned(),
        framework => format!("{framework} {} and {transformers}", trainer.version),
    }
}
