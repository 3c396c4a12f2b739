//! `fp8lint resolve --batch`: the oracle's batch contract, answered by the model.
//!
//! One JSON object a line in, one out; the fields are those of `oracle.py --batch`, so that both can be run on the
//! same lines and compared.

use std::collections::BTreeMap;
use std::io::{self, BufRead, Write};
use std::path::Path;
use std::sync::Arc;

use serde::{Deserialize, Deserializer, Serialize};

use crate::formats::recipe::Framework;
use crate::knowledge;
use crate::resolve::{
    self, Code, Config, Exception, Files, Launcher, Lookup, Machine, Origin, Outcome, Run, Stage,
    Trainer, Value, Variable, Verdict, Voice, Word,
};
use crate::source::{Integer, Object, ReadError, SourceFile, Syntax};

/// The transformers with which the oracle's answers were recorded.
const ORACLE_TRANSFORMERS: [u64; 3] = [4, 57, 6];

/// Answers every line of `input`.
///
/// # Errors
/// Where `input` cannot be read or `output` not be written.
pub fn answer(input: impl BufRead, mut output: impl Write) -> io::Result<()> {
    for line in input.lines() {
        let line = line?;
        if line.trim().is_empty() {
            continue;
        }
        let answer = match serde_json::from_str::<Case>(&line) {
            Ok(case) => case.answer(),
            Err(error) => Answer::unknown(
                serde_json::Value::Null,
                format!("this line is no case: {error}"),
            ),
        };
        serde_json::to_writer(&mut output, &answer)?;
        output.write_all(b"\n")?;
    }
    output.flush()
}

/// One case of the batch contract.
#[derive(Deserialize)]
struct Case {
    #[serde(default)]
    id: serde_json::Value,
    accelerate: String,
    config: Option<String>,
    config_text: Option<String>,
    config_b64: Option<String>,
    config_ext: Option<String>,
    #[serde(default, deserialize_with = "words")]
    launch: Vec<String>,
    #[serde(default)]
    env: Option<BTreeMap<String, serde_json::Value>>,
    #[serde(default, deserialize_with = "packages")]
    installed: Option<Vec<String>>,
    #[serde(default)]
    code: Option<serde_json::Value>,
    gpus: Option<u32>,
    capability: Option<serde_json::Value>,
    mode: Option<String>,
    #[serde(default)]
    default_config: bool,
    #[serde(default)]
    files: Option<BTreeMap<String, String>>,
    stages: Option<String>,
}

/// Launch flags: a list of words, or one string for a shell.
fn words<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<String>, D::Error> {
    Ok(match Option::<TextOrList>::deserialize(deserializer)? {
        None => Vec::new(),
        Some(TextOrList::List(words)) => words,
        Some(TextOrList::Text(text)) => shlex::split(&text)
            .ok_or_else(|| serde::de::Error::custom("`launch` has an unclosed quote"))?,
    })
}

/// Installed packages: a list, or one string with commas.
fn packages<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Vec<String>>, D::Error> {
    Ok(
        Option::<TextOrList>::deserialize(deserializer)?.map(|packages| match packages {
            TextOrList::List(packages) => packages,
            TextOrList::Text(text) => {
                let names = text
                    .split(',')
                    .filter(|name| !name.is_empty() && *name != "none");
                names.map(ToOwned::to_owned).collect()
            }
        }),
    )
}

#[derive(Deserialize)]
#[serde(untagged)]
enum TextOrList {
    Text(String),
    List(Vec<String>),
}

/// Keyword arguments as Python sees them.
fn keyword_objects(value: &serde_json::Value) -> BTreeMap<String, Object> {
    let pairs = value.as_object().into_iter().flatten();
    pairs
        .map(|(name, value)| (name.clone(), object(value)))
        .collect()
}

/// The `TrainingArguments` that the oracle builds before `Accelerator()`.
fn training_args(arguments: &serde_json::Value) -> Trainer {
    let arguments = keyword_objects(arguments).into_iter().map(|(name, value)| {
        let origin = Origin::of(Voice::Code, name.as_str());
        (name, Value::Known { value, origin })
    });
    let transformers = knowledge::Version::new(ORACLE_TRANSFORMERS);
    Trainer {
        framework: Framework::Transformers,
        version: transformers.clone(),
        transformers,
        arguments: arguments.collect(),
        is_arguments_only: true,
    }
}

/// The files that a case brings, and nothing else.
struct CaseFiles(BTreeMap<String, Arc<SourceFile>>);

impl Files for CaseFiles {
    fn look_up(&self, path: &str) -> Lookup {
        let name = path.strip_prefix("./").unwrap_or(path);
        self.0
            .get(name)
            .map_or(Lookup::Absent, |file| Lookup::Found(Arc::clone(file)))
    }
}

impl Case {
    fn answer(self) -> Answer {
        let id = self.id.clone();
        let Ok(version) = self.accelerate.parse::<knowledge::Version>() else {
            return Answer::unknown(id, format!("`{}` is no version", self.accelerate));
        };
        let Some(known) = knowledge::accelerate(&version) else {
            return Answer::unknown(
                id,
                format!("accelerate {version} is older than the first known release"),
            );
        };
        let files = CaseFiles(self.case_files());
        let run = match self.run(&files) {
            Ok(run) => run,
            Err(why) => return Answer::unknown(id, why),
        };
        Answer::of(id, &run, resolve::resolve(&run, known.facts, &files))
    }

    fn case_files(&self) -> BTreeMap<String, Arc<SourceFile>> {
        let files = self.files.iter().flatten();
        files
            .map(|(name, text)| {
                (
                    name.clone(),
                    Arc::new(SourceFile::from_text(name.as_str(), text.as_str())),
                )
            })
            .collect()
    }

    fn run(&self, files: &CaseFiles) -> Result<Run, String> {
        let environment = self.env.iter().flatten().map(|(name, value)| {
            let value = value
                .as_str()
                .map_or_else(|| object(value).python_str(), ToOwned::to_owned);
            let origin = Origin::of(Voice::Environment, name.as_str());
            (name.clone(), Value::Known { value, origin })
        });
        let default = Machine::default();
        let mut flags: Vec<Word> = self
            .launch
            .iter()
            .map(|word| Word::from(word.as_str()))
            .collect();
        let config = self.config(files)?;
        let (code, trainer) = self.code()?;
        flags.push(Word::from("train.py"));
        Ok(Run {
            launcher: match self.mode.as_deref() {
                None | Some("accelerate") => Launcher::Accelerate,
                Some("python") => Launcher::Python,
                Some("torchrun") => Launcher::Torchrun,
                Some(other) => {
                    return Err(format!(
                        "`mode` is accelerate, python or torchrun, not {other}"
                    ));
                }
            },
            config,
            default_config: self.default_config,
            flags,
            environment: environment.collect(),
            code,
            trainer,
            deepspeed: None,
            command: None,
            bypassed: Vec::new(),
            is_unused: false,
            unknown: None,
            machine: Machine {
                installed: self.installed.clone().unwrap_or(default.installed),
                nothing_else: default.nothing_else,
                is_newest: default.is_newest,
                gpus: self.gpus.unwrap_or(default.gpus),
                capability: self.capability().unwrap_or(default.capability),
            },
            stage: match self.stages.as_deref() {
                Some("launch") => Stage::Launch,
                Some("runtime") => Stage::Runtime,
                _ => Stage::Prepare,
            },
            follows_machines: false,
            without: Vec::new(),
            set_aside: Vec::new(),
        })
    }

    fn config(&self, files: &CaseFiles) -> Result<Config, String> {
        let name = format!(
            "$CASE/config{}",
            self.config_ext.as_deref().unwrap_or(".yaml")
        );
        if let Some(text) = &self.config_b64 {
            return Ok(Config::of_bytes(&name, decode_base64(text)?));
        }
        if let Some(text) = &self.config_text {
            return Ok(Config::of_bytes(&name, text.clone().into_bytes()));
        }
        let Some(path) = &self.config else {
            return Ok(Config::None);
        };
        if let Lookup::Found(file) = files.look_up(path) {
            return Ok(Config::of_bytes(path, file.text().as_bytes().to_vec()));
        }
        match Path::new(path).is_file() {
            true => match std::fs::read(path) {
                Ok(bytes) => Ok(Config::of_bytes(path, bytes)),
                Err(error) => Err(format!("`{path}` cannot be read: {error}")),
            },
            false => Ok(Config::Missing {
                path: path.clone(),
                place: None,
            }),
        }
    }

    /// What the script says to `Accelerator()`, and to the `TrainingArguments` that it builds first.
    fn code(&self) -> Result<(Code, Option<Trainer>), String> {
        let code = match &self.code {
            None | Some(serde_json::Value::Null) => return Ok((Code::default(), None)),
            Some(serde_json::Value::String(text)) => {
                serde_json::from_str(text).map_err(|error| error.to_string())?
            }
            Some(code) => code.clone(),
        };
        let serde_json::Value::Object(mut keywords) = code else {
            return Err("`code` is no object".to_owned());
        };
        let trainer = keywords.remove("training_args");
        let trainer = trainer.map(|arguments| training_args(&arguments));
        let no_init = keywords
            .remove("no_init")
            .is_some_and(|value| object(&value).truthy());
        let handlers = keywords.remove("kwargs_handlers").unwrap_or_default();
        let kwargs_handlers = handlers
            .as_array()
            .into_iter()
            .flatten()
            .filter_map(|handler| {
                let name = handler.get(0)?.as_str()?.to_owned();
                let keywords = handler.get(1).map(keyword_objects);
                Some((name, keywords.unwrap_or_default()))
            });
        let code = Code {
            kwargs_handlers: kwargs_handlers.collect(),
            no_init,
            arguments: keyword_objects(&serde_json::Value::Object(keywords)),
            precision: None,
        };
        Ok((code, trainer))
    }

    fn capability(&self) -> Option<(u32, u32)> {
        match self.capability.as_ref()? {
            serde_json::Value::Array(parts) => {
                let part = |index: usize| parts.get(index)?.as_u64()?.try_into().ok();
                Some((part(0)?, part(1)?))
            }
            value => {
                let text = value
                    .as_str()
                    .map_or_else(|| value.to_string(), ToOwned::to_owned);
                let (major, minor) = text.split_once('.')?;
                Some((major.parse().ok()?, minor.parse().ok()?))
            }
        }
    }
}

/// A JSON value as the Python object that `json.loads` makes of it.
fn object(value: &serde_json::Value) -> Object {
    match value {
        serde_json::Value::Null => Object::None,
        serde_json::Value::Bool(value) => Object::Bool(*value),
        serde_json::Value::Number(number) => match number.as_i64() {
            Some(value) => Object::Int(Integer::Small(i128::from(value))),
            None => Object::Float(number.as_f64().unwrap_or(f64::NAN)),
        },
        serde_json::Value::String(text) => Object::Str(text.clone()),
        serde_json::Value::Array(items) => Object::List(items.iter().map(object).collect()),
        serde_json::Value::Object(pairs) => Object::Dict(
            pairs
                .iter()
                .map(|(key, value)| (Object::from(key.as_str()), object(value)))
                .collect(),
        ),
    }
}

/// Bytes from base64: YAML's `!!binary` is Python's base64.
fn decode_base64(text: &str) -> Result<Vec<u8>, String> {
    let refuse = |error: ReadError| format!("`config_b64`: {}", error.message);
    let document = Syntax::Yaml
        .read(&format!("!!binary {text:?}"))
        .map_err(refuse)?;
    match document.root().scalar() {
        Some(Object::Bytes(bytes)) => Ok(bytes.clone()),
        _ => Err("`config_b64` is no base64".to_owned()),
    }
}

/// The answer to one case.
#[derive(Serialize)]
struct Answer {
    id: serde_json::Value,
    verdict: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    why: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    launch: Option<LaunchAnswer>,
    #[serde(skip_serializing_if = "Option::is_none")]
    runtime: Option<RuntimeAnswer>,
    #[serde(skip_serializing_if = "Option::is_none")]
    prepare: Option<PrepareAnswer>,
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    origins: BTreeMap<String, OriginAnswer>,
}

#[derive(Serialize)]
struct LaunchAnswer {
    ok: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    launcher: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    env: Option<BTreeMap<String, String>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    exception: Option<ExceptionAnswer>,
}

#[derive(Serialize)]
struct RuntimeAnswer {
    ok: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    mixed_precision: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    fp8_backend: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    distributed_type: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    exception: Option<ExceptionAnswer>,
}

#[derive(Serialize)]
struct PrepareAnswer {
    ok: bool,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    skipped: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    exception: Option<ExceptionAnswer>,
}

#[derive(Serialize)]
struct ExceptionAnswer {
    r#type: String,
    message: String,
    r#where: &'static str,
}

#[derive(Serialize)]
struct OriginAnswer {
    value: String,
    by: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    line: Option<usize>,
}

impl Answer {
    fn unknown(id: serde_json::Value, why: String) -> Self {
        let verdict = "unknown".to_owned();
        Self {
            id,
            verdict,
            why: Some(why),
            launch: None,
            runtime: None,
            prepare: None,
            origins: BTreeMap::new(),
        }
    }

    fn of(id: serde_json::Value, run: &Run, outcome: Outcome) -> Self {
        let exception = |exception: Option<Exception>| {
            exception.map(|exception| ExceptionAnswer {
                r#type: exception.kind,
                message: exception.message,
                r#where: exception.source,
            })
        };
        let origins = outcome.decisions.iter().map(|decision| {
            let place = decision.origin.place.as_ref();
            let line = place.map(|place| place.file.line_column(place.value.start).line);
            let answer = OriginAnswer {
                value: decision.value.clone(),
                by: decision.origin.to_string(),
                line,
            };
            (decision.name.to_owned(), answer)
        });
        let origins = origins.collect();
        let why = match &outcome.verdict {
            Verdict::Unknown { why } => Some(why.clone()),
            _ => None,
        };
        Self {
            id,
            verdict: outcome.verdict.to_string(),
            why,
            launch: outcome.launch.map(|launch| LaunchAnswer {
                ok: launch.exception.is_none(),
                launcher: launch.launcher.map(resolve::LauncherKind::as_str),
                env: launch
                    .launcher
                    .is_some()
                    .then(|| changed(run, &launch.environment)),
                exception: exception(launch.exception),
            }),
            runtime: outcome.runtime.map(|runtime| RuntimeAnswer {
                ok: runtime.exception.is_none(),
                fp8_backend: runtime
                    .mixed_precision
                    .is_some()
                    .then(|| runtime.fp8_backend.map_or("NO", resolve::Backend::as_str)),
                mixed_precision: runtime.mixed_precision,
                distributed_type: runtime.distributed_type,
                exception: exception(runtime.exception),
            }),
            prepare: outcome.prepare.map(|prepare| PrepareAnswer {
                ok: prepare.exception.is_none(),
                skipped: prepare.skipped,
                exception: exception(prepare.exception),
            }),
            origins,
        }
    }
}

/// The variables of interest that differ from the launching shell's, as the oracle lists them.
fn changed(run: &Run, environment: &BTreeMap<String, Variable>) -> BTreeMap<String, String> {
    const PREFIXES: [&str; 6] = [
        "ACCELERATE",
        "FSDP",
        "MEGATRON",
        "PARALLELISM",
        "XLA",
        "TP_",
    ];
    let is_new = |name: &str, value: &str| {
        !matches!(
            run.environment.get(name),
            Some(Value::Known { value: shell, .. }) if shell == value
        )
    };
    let of_interest = environment.iter().filter(|(name, variable)| {
        PREFIXES.iter().any(|prefix| name.starts_with(prefix)) && is_new(name, &variable.value)
    });
    of_interest
        .map(|(name, variable)| (name.clone(), variable.value.clone()))
        .collect()
}
