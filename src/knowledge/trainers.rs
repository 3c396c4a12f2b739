//! Named behaviours of the frameworks around accelerate: transformers' `Trainer`, TRL, LLaMA-Factory, axolotl, and of
//! DeepSpeed.
//!
//! As for accelerate, data (`data/trainers.toml`) chooses among the names below by version, and the code elsewhere does
//! each named thing once. A row holds from one version on and before another one; a version that is newer than every
//! row's has the behaviours of the newest.

use std::sync::LazyLock;

use serde::Deserialize;

use super::Version;

const TEXT: &str = include_str!("data/trainers.toml");

/// A file that does not parse is found by this module's tests.
static TABLES: LazyLock<Tables> = LazyLock::new(|| toml::from_str(TEXT).unwrap_or_default());

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Row<Behaviour> {
    is: Behaviour,
    /// The first version; absent: since ever.
    from: Option<Version>,
    /// The first version in which it is over; absent: not over yet.
    before: Option<Version>,
    /// Read by people, and by the test that no row lacks it.
    #[cfg_attr(
        not(test),
        expect(dead_code, reason = "read by people and by the tests")
    )]
    source: String,
}

impl<Behaviour> Row<Behaviour> {
    fn holds(&self, version: &Version) -> bool {
        self.from.as_ref().is_none_or(|from| from <= version)
            && self.before.as_ref().is_none_or(|before| version < before)
    }
}

/// Declares the behaviours of each package: one enum for each behaviour, and a struct that holds one of each.
macro_rules! trainers {
    ($(
        $(#[doc = $package_doc:literal])+
        $package:ident: $Package:ident {
            $(
                $(#[doc = $about:literal])+
                $field:ident: $Behaviour:ident {
                    $( $(#[doc = $means:literal])+ $Name:ident, )+
                }
            )+
        }
    )+) => {
        $($(
            $(#[doc = $about])+
            #[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
            #[serde(rename_all = "snake_case")]
            pub enum $Behaviour {
                $( $(#[doc = $means])+ $Name, )+
            }

            impl $Behaviour {
                /// The versions that behave so, as requirements write them: `<4.47, or >=5.3`.
                pub fn versions(self) -> String {
                    shown(TABLES.$package.$field.iter().filter(|row| row.is == self))
                }
            }
        )+)+

        $(
            $(#[doc = $package_doc])+
            #[derive(Clone, Copy, Debug, PartialEq, Eq)]
            pub struct $Package {
                $( $(#[doc = $about])+ pub $field: $Behaviour, )+
            }

            impl $Package {
                /// The behaviours of a version; `None` only where the data file lacks one, which a test excludes.
                pub fn of(version: &Version) -> Option<Self> {
                    let table = &TABLES.$package;
                    Some(Self {
                        $( $field: table.$field.iter().find(|row| row.holds(version))?.is, )+
                    })
                }
            }
        )+

        #[derive(Default, Deserialize)]
        #[serde(deny_unknown_fields)]
        struct Tables {
            $( $package: tables::$Package, )+
            accelerate_minimum: Vec<Row<Version>>,
        }

        mod tables {
            use super::*;
            $(
                #[derive(Default, Deserialize)]
                #[serde(deny_unknown_fields)]
                pub(super) struct $Package {
                    $( pub(super) $field: Vec<Row<$Behaviour>>, )+
                }
            )+
        }

        #[cfg(test)]
        impl Tables {
            /// Each behaviour's name with its rows: from, before, source.
            fn rows(&self) -> Vec<(&'static str, Vec<(Option<Version>, Option<Version>, String)>)> {
                vec![$($((
                    concat!(stringify!($package), ".", stringify!($field)),
                    self.$package.$field.iter()
                        .map(|row| (row.from.clone(), row.before.clone(), row.source.clone()))
                        .collect(),
                ),)+)+]
            }
        }
    };
}

trainers! {
    /// How a version of transformers behaves.
    transformers: Transformers {
        /// How `TrainingArguments` hands its precision to accelerate.
        precision_handover: PrecisionHandover {
            /// It writes `ACCELERATE_MIXED_PRECISION`, which `Accelerator()` then reads.
            Environment,
            /// It keeps it, and the Trainer passes `Accelerator(mixed_precision=…)`.
            Argument,
        }

        /// What `half_precision_backend: apex` does.
        half_precision_backend: HalfPrecisionBackend {
            /// The environment is not written.
            StopsTheWrite,
            /// Nothing about the environment.
            Known,
            /// There is no such argument.
            Removed,
        }

        /// What `fsdp` of the training arguments does.
        fsdp_arguments: FsdpArguments {
            /// It writes `ACCELERATE_USE_FSDP` and the `FSDP_*` variables.
            Environment,
            /// It builds accelerate's plugin, for FSDP1 unless `fsdp_config` names a version.
            PluginOfVersion1,
            /// It builds accelerate's plugin, for FSDP2 unless `fsdp_config` names a version.
            PluginOfVersion2,
        }

        /// What is prepared for fp8 training under FSDP1.
        fsdp1_prepare: Fsdp1Prepare {
            /// The model alone: the optimizer is created later.
            ModelAlone,
            /// Model and optimizer together.
            Together,
        }

        /// What is prepared for fp8 training under FSDP2.
        fsdp2_prepare: TrainerFsdp2Prepare {
            /// The model alone: the optimizer is created later.
            ModelAlone,
            /// Model and optimizer together.
            Together,
        }

        /// What becomes of bf16 where there is no GPU and the CPU is not asked for.
        bf16_without_gpu: Bf16WithoutGpu {
            /// It is accepted.
            Accepted,
            /// It is refused.
            Refused,
        }

        /// Whether the Trainer passes `kwargs_handlers` to `Accelerator()`.
        trainer_handlers: TrainerHandlers {
            /// No.
            Absent,
            /// Those for data-parallel training: what looks for their absence finds them.
            DataParallel,
        }
    }

    /// How a version of TRL behaves.
    trl: Trl {
        /// What a config without `bf16` means.
        bf16_default: Bf16Default {
            /// `bf16` is off.
            Off,
            /// `bf16` is on unless `fp16` is.
            UnlessFp16,
        }

        /// What becomes of the words and recipe keys that are for `accelerate launch` (`--accelerate_config`,
        /// `mixed_precision`) under the `trl` program.
        launch_words: LaunchWords {
            /// There are none: the script is launched with accelerate's default config.
            DefaultConfig,
            /// `trl sft` hands them over; the other commands drop them.
            SftOnly,
            /// Every command hands them over.
            EveryCommand,
        }
    }

    /// How a version of DeepSpeed behaves.
    deepspeed: DeepSpeed {
        /// What becomes of the blocks `bf16` and `fp16` of its config.
        precision_blocks: PrecisionBlocks {
            /// The keys that are known are looked up, the others left alone; `enabled` is what Python takes for true.
            LookedUp,
            /// Each is read into a class that refuses other keys and converts texts: `"false"` is false.
            Strict,
        }
    }

    /// How a version of LLaMA-Factory behaves.
    llamafactory: LlamaFactory {
        /// What `fp8: true` does.
        fp8: LlamaFactoryFp8 {
            /// The key is unknown.
            Unknown,
            /// It is read, and never reaches the trainer.
            Inert,
            /// It sets the environment after `TrainingArguments` was built, in the stages `pt` and `sft`.
            PretrainingAndSft,
        }
    }

    /// How a version of axolotl behaves.
    axolotl: Axolotl {
        /// What `fp8: true` does.
        fp8: AxolotlFp8 {
            /// The key is unknown.
            Unknown,
            /// Trainers for `sft` and pretraining are made to pass fp8 with a torchao recipe; the others are not.
            Torchao,
        }

        /// What is checked about fp8 before anything is built.
        fp8_checks: AxolotlFp8Checks {
            /// Nothing.
            Absent,
            /// `fp8_enable_fsdp_float8_all_gather` needs `fsdp_version: 2`.
            AllGather,
            /// That, and `fp8_config` needs `fp8: true`; the all-gather needs its recipe `tensorwise`.
            AllGatherAndRecipe,
        }

        /// What becomes of `ACCELERATE_MIXED_PRECISION` where the recipe asks for no precision.
        no_precision: AxolotlNoPrecision {
            /// It keeps what it was.
            Kept,
            /// It becomes `no`.
            Overwritten,
        }
    }
}

/// The oldest accelerate that a version of transformers takes; with an older one its Trainer raises.
pub fn accelerate_minimum(transformers: &Version) -> Option<&'static Version> {
    let row = TABLES
        .accelerate_minimum
        .iter()
        .find(|row| row.holds(transformers));
    row.map(|row| &row.is)
}

/// `<4.47, or >=5.3`
fn shown<'row, Behaviour: 'row>(rows: impl Iterator<Item = &'row Row<Behaviour>>) -> String {
    let intervals: Vec<String> = rows
        .map(|row| match (&row.from, &row.before) {
            (None, None) => "every version".to_owned(),
            (Some(from), None) => format!(">={from}"),
            (None, Some(before)) => format!("<{before}"),
            (Some(from), Some(before)) => format!(">={from},<{before}"),
        })
        .collect();
    intervals.join(", or ")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn version(text: &str) -> Version {
        text.parse().unwrap()
    }

    #[test]
    fn the_file_parses_and_every_behaviour_covers_every_version_once() {
        let tables: Tables = toml::from_str(TEXT).unwrap();
        for (name, rows) in tables.rows() {
            assert_eq!(rows.first().unwrap().0, None, "{name}");
            assert_eq!(rows.last().unwrap().1, None, "{name}");
            for pair in rows.windows(2) {
                assert!(pair[0].1.is_some() && pair[0].1 == pair[1].0, "{name}");
            }
            for (_, _, source) in rows {
                assert!(source.contains(".py"), "{name}");
            }
        }
    }

    #[test]
    fn each_transformers_has_an_oldest_accelerate() {
        for (transformers, oldest) in [
            ("4.30.2", "0.20.2"),
            ("4.36.2", "0.21.0"),
            ("4.57.6", "0.26.0"),
            ("5.24.0", "1.1.0"),
        ] {
            let found = accelerate_minimum(&version(transformers));
            assert_eq!(found, Some(&version(oldest)), "{transformers}");
        }
    }

    #[test]
    fn versions_choose_behaviours() {
        let transformers = |text| Transformers::of(&version(text)).unwrap();
        assert_eq!(
            transformers("4.57.6").precision_handover,
            PrecisionHandover::Environment
        );
        assert_eq!(
            transformers("5.0.0").precision_handover,
            PrecisionHandover::Argument
        );
        for (text, prepare) in [
            ("4.46.3", Fsdp1Prepare::ModelAlone),
            ("4.47.0", Fsdp1Prepare::Together),
            ("5.2.0", Fsdp1Prepare::Together),
            ("5.3.0", Fsdp1Prepare::ModelAlone),
            ("7.0", Fsdp1Prepare::ModelAlone),
        ] {
            assert_eq!(transformers(text).fsdp1_prepare, prepare, "{text}");
        }
        assert_eq!(Fsdp1Prepare::ModelAlone.versions(), "<4.47.0, or >=5.3.0");
        assert_eq!(
            Trl::of(&version("0.18.2")).unwrap().bf16_default,
            Bf16Default::Off
        );
    }
}
