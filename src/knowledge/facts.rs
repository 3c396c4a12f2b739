//! What `data/accelerate.json` says, and what of it holds in one release.

use std::collections::BTreeMap;
use std::sync::{LazyLock, OnceLock};

use serde::Deserialize;

use super::Version;
use super::behaviours::Behaviours;
use super::interval::{Interval, RELEASES, Span};

const TEXT: &str = include_str!("data/accelerate.json");

/// The whole file. A file that does not parse is found by this module's tests; at run time it would be as good as
/// empty, and every version as good as unknown.
pub(super) static DATA: LazyLock<Data<'static>> =
    LazyLock::new(|| serde_json::from_str(TEXT).unwrap_or_default());

/// The facts of each known release, made when first asked for.
static FACTS: LazyLock<Vec<OnceLock<Option<Facts>>>> =
    LazyLock::new(|| RELEASES.versions.iter().map(|_| OnceLock::new()).collect());

/// The facts of the known release at this position.
pub(super) fn facts_at(release: usize) -> Option<&'static Facts> {
    let version = RELEASES.versions.get(release)?;
    let cell = FACTS.get(release)?;
    cell.get_or_init(|| Facts::new(release, version.clone()))
        .as_ref()
}

// ---------------------------------------------------------------------------------------------------------- the file

#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Data<'a> {
    #[serde(borrow)]
    pub(super) releases: Vec<&'a str>,
    #[serde(borrow)]
    config_keys: Vec<Row<'a, ConfigKeyFact<'a>>>,
    #[serde(borrow)]
    flags: Vec<Row<'a, FlagFact<'a>>>,
    #[serde(borrow)]
    parser: Vec<Row<'a, Parser>>,
    #[serde(borrow)]
    enumerations: Vec<Row<'a, EnumerationFact<'a>>>,
    #[serde(borrow)]
    environment_reads: Vec<Row<'a, VariableFact<'a>>>,
    #[serde(borrow)]
    environment_writes: Vec<Row<'a, VariableFact<'a>>>,
    #[serde(borrow)]
    wizard_keys: Vec<Row<'a, WizardKeyFact<'a>>>,
}

/// A fact, the releases in which it holds, and where in accelerate it stands.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Row<'a, Fact> {
    fact: Fact,
    first: &'a str,
    last: Option<&'a str>,
    source: &'a str,
}

impl<'a, Fact> Row<'a, Fact> {
    fn span(&self) -> Span<'a> {
        Span {
            first: self.first,
            last: self.last,
        }
    }
}

/// The rows that hold in the release at this position.
fn holding<'a, Fact>(
    rows: &'a [Row<'a, Fact>],
    release: usize,
) -> impl Iterator<Item = &'a Row<'a, Fact>> {
    rows.iter().filter(move |row| row.span().holds(release))
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ConfigKeyFact<'a> {
    class: ConfigClass,
    name: &'a str,
    required: bool,
    default: Literal,
}

#[derive(Clone, Copy, PartialEq, Eq, Deserialize)]
enum ConfigClass {
    ClusterConfig,
    SageMakerConfig,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct FlagFact<'a> {
    #[serde(borrow)]
    options: Vec<&'a str>,
    dest: &'a str,
    action: Action,
    #[serde(rename = "type")]
    kind: Option<Kind>,
    choices: Option<Vec<&'a str>>,
    default: Literal,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct EnumerationFact<'a> {
    enumeration: Enumeration,
    #[serde(borrow)]
    values: Vec<&'a str>,
    names: Vec<&'a str>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct VariableFact<'a> {
    variable: &'a str,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct WizardKeyFact<'a> {
    section: &'a str,
    key: &'a str,
}

// --------------------------------------------------------------------------------------------------- what is given out

/// A literal of accelerate's source. Integers and floats, lists and tuples are kept apart.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(from = "serde_json::Value")]
pub enum Literal {
    /// `None`.
    None,
    /// `True`, `False`.
    Bool(bool),
    /// An `int`.
    Int(i64),
    /// A `float`.
    Float(f64),
    /// A `str`.
    Str(String),
    /// A `list`.
    List(Vec<Literal>),
    /// A `tuple`.
    Tuple(Vec<Literal>),
}

/// A tuple is `{"tuple": […]}` in the file, the rest is plain JSON.
impl From<serde_json::Value> for Literal {
    fn from(value: serde_json::Value) -> Self {
        use serde_json::Value;
        let all = |items: Vec<Value>| items.into_iter().map(Self::from).collect();
        match value {
            Value::Null => Self::None,
            Value::Bool(value) => Self::Bool(value),
            Value::Number(number) => match number.as_i64() {
                Some(number) => Self::Int(number),
                None => number.as_f64().map_or(Self::None, Self::Float),
            },
            Value::String(text) => Self::Str(text),
            Value::Array(items) => Self::List(all(items)),
            Value::Object(mut object) => match object.remove("tuple") {
                Some(Value::Array(items)) => Self::Tuple(all(items)),
                _ => Self::None,
            },
        }
    }
}

/// A top-level key of a config file: a field of the dataclass that the file is loaded into
/// (`commands/config/config_args.py`).
#[derive(Clone, Debug, PartialEq)]
pub struct ConfigKey {
    /// The field's name.
    pub name: String,
    /// Whether the dataclass gives no default. `process_config` fills some of these before the dataclass sees them.
    pub required: bool,
    /// The dataclass's default; `Literal::None` for a required key.
    pub default: Literal,
    /// File and class in accelerate.
    pub source: &'static str,
}

/// An argument of `accelerate launch` (`commands/launch.py:launch_command_parser`).
#[derive(Clone, Debug, PartialEq)]
pub struct Flag {
    /// The option strings as the source writes them, with underscores; empty for a positional argument.
    pub options: Vec<String>,
    /// The attribute of the parsed arguments, as argparse names it.
    pub dest: String,
    /// What argparse does with it.
    pub action: Action,
    /// The conversion of its value; `None`: the string stays as it is.
    pub kind: Option<Kind>,
    /// The values that the parser accepts; `None`: any.
    pub choices: Option<Vec<String>>,
    /// The default as written. argparse converts a default that is a string by `kind`.
    pub default: Literal,
    /// File and function in accelerate.
    pub source: &'static str,
}

impl Flag {
    /// Whether `option` is one of its option strings. `hyphens_allowed`: an option may be written with hyphens for all
    /// of its underscores (`commands/utils.py:_StoreAction`, which does not stand behind `append` and `help`).
    fn answers_to(&self, option: &str, hyphens_allowed: bool) -> bool {
        let hyphens_allowed = hyphens_allowed
            && matches!(
                self.action,
                Action::Store | Action::StoreTrue | Action::StoreFalse
            );
        let hyphenated = |known: &str| {
            known.len() == option.len()
                && known
                    .bytes()
                    .zip(option.bytes())
                    .all(|(known, given)| given == if known == b'_' { b'-' } else { known })
        };
        self.options
            .iter()
            .any(|known| known == option || (hyphens_allowed && hyphenated(known)))
    }
}

/// What argparse does with an argument.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Action {
    /// Takes one value; the last one given counts.
    Store,
    /// Takes no value and stands for `True`.
    StoreTrue,
    /// Takes no value and stands for `False`.
    StoreFalse,
    /// Takes one value; all given are kept.
    Append,
    /// Prints the help and exits.
    Help,
    /// Takes everything that is left (`argparse.REMAINDER`).
    Remainder,
}

/// The conversion of an argument's value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Kind {
    /// Python's `str`.
    Str,
    /// Python's `int`.
    Int,
    /// Python's `float`.
    Float,
    /// Python's `bool`: every non-empty string is true.
    Bool,
    /// `utils/environment.py:str_to_bool`: 1 or 0, `ValueError` for other words.
    StrToBool,
    /// A tuple of `str_to_bool`, split at commas.
    BoolTuple,
}

/// How the parser of `accelerate launch` takes options (`commands/utils.py:CustomArgumentParser`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Parser {
    /// Whether `--mixed-precision` stands for `--mixed_precision`.
    pub hyphens_allowed: bool,
    /// Whether `--mixed` stands for `--mixed_precision`.
    pub abbreviations_allowed: bool,
    /// Whether it records in `nondefault` which arguments were given, so that they can win over the config file.
    pub given_flags_recorded: bool,
}

/// A closed set of values in accelerate: its enums, `Literal` types and constant lists.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
pub enum Enumeration {
    /// Enum in `utils/dataclasses.py`.
    ComputeEnvironment,
    /// Enum in `utils/dataclasses.py`.
    DistributedType,
    /// Enum in `utils/dataclasses.py`.
    SageMakerDistributedType,
    /// Enum in `utils/dataclasses.py`.
    PrecisionType,
    /// Enum in `utils/dataclasses.py`.
    #[serde(rename = "FP8BackendType")]
    Fp8BackendType,
    /// Enum in `utils/dataclasses.py`.
    DynamoBackend,
    /// `Literal` type in `utils/dataclasses.py`.
    #[serde(rename = "FP8Format")]
    Fp8Format,
    /// `Literal` type in `utils/dataclasses.py`.
    AmaxComputeAlgorithm,
    /// `Literal` type in `utils/dataclasses.py`.
    OptLevel,
    /// `Literal` type in `utils/dataclasses.py`: the backends that `FP8RecipeKwargs` names.
    Backend,
    /// List in `utils/constants.py`.
    #[serde(rename = "FSDP_SHARDING_STRATEGY")]
    FsdpShardingStrategy,
    /// List in `utils/constants.py`.
    #[serde(rename = "FSDP_AUTO_WRAP_POLICY")]
    FsdpAutoWrapPolicy,
    /// List in `utils/constants.py`.
    #[serde(rename = "FSDP_BACKWARD_PREFETCH")]
    FsdpBackwardPrefetch,
    /// List in `utils/constants.py`.
    #[serde(rename = "FSDP_STATE_DICT_TYPE")]
    FsdpStateDictType,
    /// List in `utils/constants.py`.
    #[serde(rename = "DEEPSPEED_MULTINODE_LAUNCHERS")]
    DeepspeedMultinodeLaunchers,
    /// List in `utils/constants.py`.
    #[serde(rename = "TORCH_DYNAMO_MODES")]
    TorchDynamoModes,
}

/// What is known of one release.
#[derive(Debug)]
pub struct Facts {
    /// The release.
    pub version: Version,
    /// The top-level keys of a config file for the own machine, in the order in which the dataclass declares them: a
    /// later section overwrites what an earlier one copied.
    pub cluster_keys: Vec<ConfigKey>,
    /// The top-level keys of a config file for any other `compute_environment`, as declared.
    pub sagemaker_keys: Vec<ConfigKey>,
    /// The arguments of `accelerate launch`, by `dest`; those of one `dest` in the parser's order.
    pub flags: Vec<Flag>,
    /// How the parser of `accelerate launch` takes options.
    pub parser: Parser,
    /// Which named behaviours the release has.
    pub behaviours: Behaviours,
    enumerations: BTreeMap<Enumeration, Members>,
    readers: BTreeMap<&'static str, Vec<String>>,
    writers: BTreeMap<&'static str, Vec<String>>,
    wizard_keys: BTreeMap<&'static str, Vec<String>>,
}

#[derive(Debug)]
struct Members {
    values: Vec<String>,
    names: Vec<String>,
}

impl Facts {
    /// `None` where the file of the behaviours lacks one, which a test excludes.
    fn new(release: usize, version: Version) -> Option<Self> {
        let data = &*DATA;
        let keys = |class| {
            holding(&data.config_keys, release)
                .filter(|row| row.fact.class == class)
                .map(|row| ConfigKey {
                    name: row.fact.name.to_owned(),
                    required: row.fact.required,
                    default: row.fact.default.clone(),
                    source: row.source,
                })
                .collect()
        };
        Some(Self {
            version,
            cluster_keys: keys(ConfigClass::ClusterConfig),
            sagemaker_keys: keys(ConfigClass::SageMakerConfig),
            flags: holding(&data.flags, release)
                .map(|row| Flag {
                    options: owned(&row.fact.options),
                    dest: row.fact.dest.to_owned(),
                    action: row.fact.action,
                    kind: row.fact.kind,
                    choices: row.fact.choices.as_deref().map(owned),
                    default: row.fact.default.clone(),
                    source: row.source,
                })
                .collect(),
            parser: holding(&data.parser, release)
                .next()
                .map(|row| row.fact)
                .unwrap_or_default(),
            behaviours: Behaviours::at(release)?,
            enumerations: holding(&data.enumerations, release)
                .map(|row| {
                    let members = Members {
                        values: owned(&row.fact.values),
                        names: owned(&row.fact.names),
                    };
                    (row.fact.enumeration, members)
                })
                .collect(),
            readers: grouped(
                holding(&data.environment_reads, release)
                    .map(|row| (row.fact.variable, row.source)),
            ),
            writers: grouped(
                holding(&data.environment_writes, release)
                    .map(|row| (row.fact.variable, row.source)),
            ),
            wizard_keys: grouped(
                holding(&data.wizard_keys, release).map(|row| (row.fact.section, row.fact.key)),
            ),
        })
    }

    /// The top-level key of a config file for the own machine.
    pub fn cluster_key(&self, name: &str) -> Option<&ConfigKey> {
        self.cluster_keys.iter().find(|key| key.name == name)
    }

    /// The top-level key of a config file for any other `compute_environment`.
    pub fn sagemaker_key(&self, name: &str) -> Option<&ConfigKey> {
        self.sagemaker_keys.iter().find(|key| key.name == name)
    }

    /// The argument of `accelerate launch` whose value goes to this attribute; of several the one whose default counts.
    pub fn flag(&self, dest: &str) -> Option<&Flag> {
        self.flags.iter().find(|flag| flag.dest == dest)
    }

    /// The argument of `accelerate launch` that this option string (without `=` and value) names, spelled in any way
    /// that the release accepts.
    pub fn option(&self, option: &str) -> Option<&Flag> {
        self.flags
            .iter()
            .find(|flag| flag.answers_to(option, self.parser.hyphens_allowed))
    }

    /// The values of an enumeration in their order; none in a release without it.
    pub fn values(&self, enumeration: Enumeration) -> &[String] {
        self.enumerations
            .get(&enumeration)
            .map_or(&[], |members| &members.values)
    }

    /// The names of an enum's members, in the order of [`Self::values`]; none for what is not a Python enum.
    pub fn names(&self, enumeration: Enumeration) -> &[String] {
        self.enumerations
            .get(&enumeration)
            .map_or(&[], |members| &members.names)
    }

    /// The functions that read this environment variable, as `file:Class.function`.
    pub fn readers(&self, variable: &str) -> &[String] {
        listed(&self.readers, variable)
    }

    /// The functions of the launcher that set this environment variable, as `file:function`. Variables whose names are
    /// made at run time (`ACCELERATE_` + the name of each `fp8_…` argument, in `utils/launch.py:setup_fp8_env`) are not
    /// among them.
    pub fn writers(&self, variable: &str) -> &[String] {
        listed(&self.writers, variable)
    }

    /// The keys that `accelerate config` itself writes into this section (`fp8_config`, `fsdp_config`, …), by name.
    pub fn wizard_keys(&self, section: &str) -> &[String] {
        listed(&self.wizard_keys, section)
    }
}

fn owned(texts: &[&str]) -> Vec<String> {
    texts.iter().map(|text| (*text).to_owned()).collect()
}

fn grouped(
    pairs: impl Iterator<Item = (&'static str, &'static str)>,
) -> BTreeMap<&'static str, Vec<String>> {
    let mut groups: BTreeMap<&'static str, Vec<String>> = BTreeMap::new();
    for (name, member) in pairs {
        groups.entry(name).or_default().push(member.to_owned());
    }
    groups
}

fn listed<'a>(groups: &'a BTreeMap<&'static str, Vec<String>>, name: &str) -> &'a [String] {
    groups.get(name).map_or(&[], Vec::as_slice)
}

// ------------------------------------------------------------------------------------------------------------ histories

/// In which releases a config file for the own machine may have this top-level key.
pub fn cluster_key_history(name: &str) -> Vec<Interval> {
    let rows = DATA.config_keys.iter();
    Interval::joined(
        rows.filter(|row| row.fact.class == ConfigClass::ClusterConfig && row.fact.name == name)
            .map(Row::span),
    )
}

/// In which releases `accelerate launch` has an argument whose value goes to this attribute.
pub fn flag_history(dest: &str) -> Vec<Interval> {
    let rows = DATA.flags.iter();
    Interval::joined(rows.filter(|row| row.fact.dest == dest).map(Row::span))
}

/// In which releases an enumeration has this value.
pub fn value_history(enumeration: Enumeration, value: &str) -> Vec<Interval> {
    let rows = DATA.enumerations.iter();
    Interval::joined(
        rows.filter(|row| row.fact.enumeration == enumeration && row.fact.values.contains(&value))
            .map(Row::span),
    )
}

#[cfg(test)]
mod tests {
    use super::super::{accelerate, releases};
    use super::*;

    fn facts(version: &str) -> &'static Facts {
        accelerate(&version.parse().unwrap()).unwrap().facts
    }

    fn texts(intervals: &[Interval]) -> Vec<String> {
        intervals.iter().map(Interval::to_string).collect()
    }

    #[test]
    fn the_file_parses_and_every_row_has_a_source_and_known_releases() {
        fn check<Fact>(rows: &[Row<'_, Fact>]) {
            assert!(!rows.is_empty());
            for row in rows {
                assert!(row.source.contains(".py"), "{}", row.source);
                let (first, last) = row.span().positions().unwrap();
                assert!(
                    last.is_none_or(|last| first <= last),
                    "{}–{:?}",
                    row.first,
                    row.last
                );
            }
        }
        let data: Data<'_> = serde_json::from_str(TEXT).unwrap();
        check(&data.config_keys);
        check(&data.flags);
        check(&data.parser);
        check(&data.enumerations);
        check(&data.environment_reads);
        check(&data.environment_writes);
        check(&data.wizard_keys);
        assert_eq!(data.releases.len(), releases().len());
    }

    #[test]
    fn no_release_has_a_fact_twice() {
        for version in releases() {
            let facts = facts(&version.to_string());
            for keys in [&facts.cluster_keys, &facts.sagemaker_keys] {
                let names: std::collections::BTreeSet<_> =
                    keys.iter().map(|key| &key.name).collect();
                assert_eq!(names.len(), keys.len(), "{version}");
            }
            let mut options: Vec<_> = facts.flags.iter().flat_map(|flag| &flag.options).collect();
            let count = options.len();
            options.sort_unstable();
            options.dedup();
            assert_eq!(options.len(), count, "{version}");
            let parsers = holding(&DATA.parser, RELEASES.at(version).unwrap()).count();
            assert_eq!(parsers, 1, "{version}");
        }
    }

    /// `class ClusterConfig(BaseConfig)`, `class SageMakerConfig(BaseConfig)`.
    #[test]
    fn config_keys() {
        let newest = facts("1.15.0");
        let required = |name| newest.cluster_key(name).map(|key| key.required);
        assert_eq!(required("mixed_precision"), Some(true));
        assert_eq!(required("num_processes"), Some(false));
        assert_eq!(required("fp8"), None);
        assert_eq!(
            newest.cluster_key("num_processes").unwrap().default,
            Literal::Int(-1)
        );
        assert_eq!(
            newest.sagemaker_key("base_job_name").unwrap().default,
            Literal::Str("accelerate-sagemaker-1".to_owned())
        );
        assert_eq!(newest.sagemaker_key("parallelism_config"), None);
        assert_eq!(
            texts(&cluster_key_history("parallelism_config")),
            ["from 1.10.0"]
        );
        assert_eq!(
            texts(&cluster_key_history("ipex_config")),
            ["0.19.0–1.12.0"]
        );
        assert_eq!(texts(&cluster_key_history("fp8_config")), ["from 0.34.0"]);
        assert!(cluster_key_history("fp8").is_empty());
    }

    /// `launch_command_parser`.
    #[test]
    fn flags() {
        let newest = facts("1.15.0");
        let quiet = newest.flag("quiet").unwrap();
        assert_eq!(quiet.options, ["--quiet", "-q"]);
        assert_eq!(
            (quiet.action, &quiet.default),
            (Action::StoreTrue, &Literal::None)
        );
        assert_eq!(
            newest.flag("multi_gpu").unwrap().default,
            Literal::Bool(false)
        );

        let precision = newest.flag("mixed_precision").unwrap();
        assert_eq!(precision.kind, Some(Kind::Str));
        assert_eq!(
            precision.choices.as_deref().unwrap(),
            ["no", "fp16", "bf16", "fp8"]
        );

        let linear = newest.flag("fp8_override_linear_precision").unwrap();
        assert_eq!(linear.kind, Some(Kind::BoolTuple));
        assert_eq!(
            linear.default,
            Literal::Tuple(vec![Literal::Bool(false); 3])
        );

        // Two flags go to one attribute; argparse keeps the default of the first.
        assert_eq!(
            newest.flag("tpu_use_cluster").unwrap().options,
            ["--tpu_cluster"]
        );
        assert_eq!(
            newest.option("--no_tpu_cluster").unwrap().action,
            Action::StoreFalse
        );

        let size = |version| {
            facts(version)
                .flag("fsdp_min_num_params")
                .unwrap()
                .default
                .clone()
        };
        assert_eq!(size("1.12.0"), Literal::Float(1e8));
        assert_eq!(size("1.13.0"), Literal::Int(100_000_000));

        let positional = newest.flag("training_script_args").unwrap();
        assert_eq!(
            (positional.options.len(), positional.action),
            (0, Action::Remainder)
        );
        assert_eq!(texts(&flag_history("ipex")), ["0.20.0–1.9.0"]);
    }

    #[test]
    fn options_may_be_hyphenated_throughout_from_0_28() {
        let dest = |version, option| facts(version).option(option).map(|flag| flag.dest.as_str());
        assert_eq!(dest("1.15.0", "--mixed-precision"), Some("mixed_precision"));
        assert_eq!(dest("1.15.0", "--no-tpu-cluster"), Some("tpu_use_cluster"));
        assert_eq!(dest("1.15.0", "--fsdp-use_orig_params"), None);
        assert_eq!(dest("1.15.0", "--mixed"), None);
        assert_eq!(dest("1.15.0", "-m"), Some("module"));
        assert_eq!(dest("0.27.2", "--mixed-precision"), None);
        assert_eq!(dest("0.28.0", "--mixed-precision"), Some("mixed_precision"));
    }

    #[test]
    fn enumerations() {
        let newest = facts("1.15.0");
        assert_eq!(
            newest.values(Enumeration::PrecisionType),
            ["no", "fp8", "fp16", "bf16"]
        );
        assert_eq!(
            newest.names(Enumeration::PrecisionType),
            ["NO", "FP8", "FP16", "BF16"]
        );
        assert_eq!(
            newest.values(Enumeration::Fp8BackendType),
            ["NO", "TE", "MSAMP", "AO"]
        );
        assert_eq!(
            newest.values(Enumeration::FsdpStateDictType)[0],
            "FULL_STATE_DICT"
        );
        assert!(facts("0.18.0").values(Enumeration::Fp8Format).is_empty());
        assert_eq!(
            texts(&value_history(Enumeration::DynamoBackend, "NEURON")),
            ["from 1.15.0"]
        );
        assert_eq!(
            texts(&value_history(Enumeration::DistributedType, "TP")),
            ["1.4.0–1.9.0"]
        );
    }

    #[test]
    fn environment() {
        let reads = |version, variable| facts(version).readers(variable);
        assert_eq!(
            reads("1.15.0", "ACCELERATE_FP8_PAD_INNER_DIM"),
            ["utils/dataclasses.py:AORecipeKwargs.__post_init__"]
        );
        assert!(reads("1.12.0", "ACCELERATE_FP8_PAD_INNER_DIM").is_empty());
        assert_eq!(
            reads("1.15.0", "ACCELERATE_FP8_MARGIN"),
            ["utils/dataclasses.py:TERecipeKwargs.__post_init__"]
        );
        assert!(reads("1.15.0", "ACCELERATE_FP8_AMAX_HISTORY_LENGTH").is_empty());
        let writers = facts("1.12.0").writers("PARALLELISM_CONFIG_SP_SIZE");
        assert_eq!(
            writers,
            ["utils/launch.py:prepare_extend_env_parallelism_config"]
        );
    }

    /// What the wizard writes and nothing reads.
    #[test]
    fn wizard_keys() {
        let keys = facts("1.15.0").wizard_keys("fp8_config");
        for key in [
            "amax_history_length",
            "amax_compute_algorithm",
            "optimization_level",
        ] {
            assert!(keys.iter().any(|known| known == key), "{key}");
        }
        assert!(facts("0.33.0").wizard_keys("fp8_config").is_empty());
    }
}
