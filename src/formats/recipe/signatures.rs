//! What tells training recipes and DeepSpeed configs from every other file, as data: tested from the first signature to
//! the last, and the first one that holds says what the file is.

mod keys;

use keys::*;

use super::Framework;
use crate::formats::Kind;

/// What a file of one kind looks like.
pub(in crate::formats) struct Signature {
    /// The kind.
    pub(in crate::formats) kind: Kind,
    /// All of these hold.
    pub(in crate::formats) needs: &'static [Need],
    /// None of these stands at the top level.
    pub(in crate::formats) never: &'static [&'static [&'static str]],
    /// How many of its keys must show where the file cannot be read and only its lines can be looked at.
    pub(in crate::formats) least_in_lines: usize,
    /// Whether the program takes nothing but a JSON object.
    pub(in crate::formats) is_json: bool,
}

/// At least so many of these keys stand at the top level.
pub(in crate::formats) struct Need {
    pub(in crate::formats) least: usize,
    pub(in crate::formats) of: &'static [&'static [Key]],
}

/// A top-level key.
pub(in crate::formats) struct Key {
    pub(in crate::formats) name: &'static str,
    /// Where there are any: its value, or a key below it, must be one of these.
    pub(in crate::formats) telling: &'static [&'static str],
}

const fn key(name: &'static str) -> Key {
    Key { name, telling: &[] }
}

const fn telling(name: &'static str, telling: &'static [&'static str]) -> Key {
    Key { name, telling }
}

const fn need(least: usize, of: &'static [&'static [Key]]) -> Need {
    Need { least, of }
}

const fn recipe(
    framework: Framework,
    needs: &'static [Need],
    never: &'static [&'static [&'static str]],
) -> Signature {
    Signature {
        kind: Kind::Recipe(framework),
        needs,
        never,
        least_in_lines: 5,
        is_json: false,
    }
}

const fn deepspeed(needs: &'static [Need]) -> Signature {
    Signature {
        kind: Kind::DeepSpeed,
        needs,
        never: &[],
        least_in_lines: 1,
        is_json: true,
    }
}

/// The signatures.
pub(in crate::formats) const SIGNATURES: &[Signature] = &[
    deepspeed(&[need(1, &[&[telling("zero_optimization", ZERO_KEYS)]])]),
    deepspeed(&[need(1, &[BATCH_SIZES]), need(1, &[DEEPSPEED_SECTIONS])]),
    recipe(
        Framework::Axolotl,
        &[
            need(1, &[&[key("base_model")]]),
            need(2, &[AXOLOTL]),
            need(1, &[AXOLOTL_ALONE]),
        ],
        &[OTHER_FILES],
    ),
    recipe(
        Framework::LlamaFactory,
        &[
            need(1, &[&[key("finetuning_type")]]),
            need(1, &[LLAMAFACTORY_DATA]),
        ],
        &[OTHER_FILES, NO_TRAINING],
    ),
    recipe(
        Framework::LlamaFactory,
        &[
            need(1, &[&[telling("stage", LLAMAFACTORY_STAGES)]]),
            need(1, &[LLAMAFACTORY_TRAINING]),
        ],
        &[OTHER_FILES, NO_TRAINING],
    ),
    Signature {
        kind: Kind::Recipe(Framework::SimpleTuner),
        needs: &[
            need(1, &[&[key("model_family"), key("--model_family")]]),
            need(1, &[&[key("model_type"), key("--model_type")]]),
            need(
                1,
                &[&[key("data_backend_config"), key("--data_backend_config")]],
            ),
        ],
        never: &[OTHER_FILES],
        least_in_lines: 3,
        is_json: false,
    },
    recipe(
        Framework::Swift,
        &[
            need(1, &[SWIFT_MODEL]),
            need(1, &[TUNER]),
            need(1, &[SWIFT_DATA]),
        ],
        &[OTHER_FILES, OTHER_TRAINERS],
    ),
    // Without a tuner: a key that ms-swift alone has, and something to train with. Megatron-SWIFT says `lr` and
    // `micro_batch_size`.
    recipe(
        Framework::Swift,
        &[
            need(1, &[SWIFT_MODEL]),
            need(1, &[SWIFT_DATA]),
            need(1, &[SWIFT_ALONE]),
            need(1, &[SWIFT_TRAINING]),
        ],
        &[OTHER_FILES, OTHER_TRAINERS],
    ),
    recipe(
        Framework::Trl,
        &[
            need(3, &[CORE]),
            need(1, &[CORE_ALONE]),
            need(2, &[TRL_SHARED, TRL_ALONE]),
            need(1, &[TRL_ALONE]),
        ],
        &[OTHER_FILES, OTHER_TRAINERS, OWN_ARGUMENTS],
    ),
    recipe(
        Framework::Transformers,
        &[need(3, &[CORE]), need(1, &[CORE_ALONE])],
        &[OTHER_FILES, OTHER_TRAINERS],
    ),
];

/// Looser ones, for a file that a launch command hands to its script as a recipe.
pub(in crate::formats) const NAMED: &[Signature] = &[
    recipe(
        Framework::Trl,
        &[
            need(1, &[CORE, SWITCHES]),
            need(2, &[TRL_SHARED, TRL_ALONE]),
            need(1, &[TRL_ALONE]),
        ],
        &[OTHER_FILES, OTHER_TRAINERS, OWN_ARGUMENTS],
    ),
    recipe(
        Framework::Transformers,
        &[
            need(1, &[SWITCHES]),
            need(2, &[CORE, TRL_SHARED, TRL_ALONE]),
        ],
        &[OTHER_FILES, OTHER_TRAINERS],
    ),
];
