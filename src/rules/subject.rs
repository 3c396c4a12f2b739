//! What rules judge: a run, what it comes to, and what else would go wrong in it.

use std::cell::{Cell, OnceCell};
use std::collections::HashMap;
use std::sync::Arc;

use crate::formats::settings::Fp8Block;
use crate::knowledge::Facts;
use crate::resolve::{
    self, Ask, Cause, Config, ConfigFile, Exception, Files, Origin, Outcome, Place, Run, Target,
    Value, Verdict, Voice, Word,
};
use crate::source::{Document, EntryRef, NodeRef, Object, Route, SourceFile, Span};

use super::{AskedAndRuns, Key, Label, declared};

/// How many faults of one run are looked for behind each other.
const MAX_FAULTS: usize = 20;

/// How many fixes of one config are worked out: each reads the file again. What is left comes once these are made.
const MAX_FIXES: usize = 100;

/// Faults at the end of the way, which hide nothing of what is said before them.
pub(super) const SET_ASIDE: [Cause; 2] = [Cause::CheckpointSave, Cause::DeepSpeedBlock];

/// A run with what it comes to.
pub struct Subject<'a> {
    /// The run.
    pub run: &'a Run,
    /// The facts of the release that judges.
    pub facts: &'a Facts,
    /// The versions and hardware assumed.
    pub target: &'a Target,
    /// The fp8 blocks that a loader of the team's own reads; what accelerate does with them is not judged.
    pub blocks: &'a [Fp8Block],
    /// Where files that the config names are looked up.
    pub files: &'a dyn Files,
    /// Every place that asks for a precision or sets something about it.
    pub asks: Vec<Ask>,
    /// What the run comes to.
    pub outcome: Outcome,
    /// What it would come to if the faults that end it were taken away one after the other: the faults behind the
    /// first. Empty where the run ends without an exception.
    pub behind: Vec<Outcome>,
    values: OnceCell<HashMap<Route, String>>,
    /// How many more fixes of the config are worked out.
    fixes_left: Cell<usize>,
}

impl<'a> Subject<'a> {
    /// Follows the run, and the same run without each fault that ends it.
    pub fn new(
        run: &'a Run,
        facts: &'a Facts,
        target: &'a Target,
        blocks: &'a [Fp8Block],
        files: &'a dyn Files,
    ) -> Self {
        let outcome = resolve::resolve(run, facts, files);
        let mut behind: Vec<Outcome> = Vec::new();
        let mut mended = run.clone();
        while behind.len() < MAX_FAULTS {
            let last = behind.last().unwrap_or(&outcome);
            let Some(exception) = last.exception() else {
                break;
            };
            // Who leaves the number to the command line gives it there.
            if exception.cause == Cause::NumProcesses && mended.flags.is_empty() {
                mended.flags = ["--num_processes", "8"].map(Word::from).to_vec();
                behind.push(resolve::resolve(&mended, facts, files));
                continue;
            }
            if SET_ASIDE.contains(&exception.cause) && !mended.set_aside.contains(&exception.cause)
            {
                mended.set_aside.push(exception.cause);
                behind.push(resolve::resolve(&mended, facts, files));
                continue;
            }
            let Some(routes) = removable(exception) else {
                break;
            };
            let before = mended.without.len();
            mended.without.extend(routes);
            mended.without.sort();
            mended.without.dedup();
            if mended.without.len() == before {
                break;
            }
            let next = resolve::resolve(&mended, facts, files);
            // A fault at an earlier step is none of the file: what is missing was taken away here.
            if step(&next) < step(behind.last().unwrap_or(&outcome)) {
                break;
            }
            behind.push(next);
        }
        Self {
            run,
            facts,
            target,
            blocks,
            files,
            asks: resolve::asks(run),
            outcome,
            behind,
            values: OnceCell::new(),
            fixes_left: Cell::new(MAX_FIXES),
        }
    }

    /// Whether one more fix of the config is worked out.
    pub(super) fn works_out_a_fix(&self) -> bool {
        let left = self.fixes_left.get();
        self.fixes_left.set(left.saturating_sub(1));
        left > 0
    }

    /// Another run under the same release, with the same files.
    pub(super) fn of<'r>(&'r self, run: &'r Run) -> Subject<'r> {
        Subject::new(run, self.facts, self.target, self.blocks, self.files)
    }

    /// Every exception of the run: the one that ends it, and those that would come after it.
    pub fn exceptions(&self) -> impl Iterator<Item = &Exception> {
        std::iter::once(&self.outcome)
            .chain(&self.behind)
            .filter_map(Outcome::exception)
    }

    /// The exceptions with one of these causes.
    pub fn caused_by<'s>(&'s self, causes: &'s [Cause]) -> impl Iterator<Item = &'s Exception> {
        self.exceptions()
            .filter(|exception| causes.contains(&exception.cause))
    }

    /// The value at an origin. An origin without a place, or one that is the whole file, gives the file's first line.
    pub fn label(&self, origin: &Origin, text: impl Into<String>) -> Label {
        if origin.place.is_none()
            && origin.voice == Voice::Framework
            && let Some(first) = self.recipe_keys().min_by_key(|place| place.key)
        {
            return Label::key(first, text);
        }
        match (&origin.place, &self.run.config) {
            (Some(place), _) if !place.route.0.is_empty() => Label::value(place, text),
            (Some(place), _) if !place.value.is_empty() && self.root().is_none() => {
                Label::value(place, text)
            }
            (_, Config::File(config)) => Label::at(&config.file, first_line(&config.file), text),
            (_, Config::Unreadable { path, .. }) => Label::file(path.as_str(), text),
            (_, Config::Missing { .. } | Config::None | Config::Unknown { .. }) => {
                let recipe = self.recipe_keys().min_by_key(|place| place.key);
                match (&self.run.command, recipe) {
                    (Some(command), _) => Label::value(&command.program, text),
                    (None, Some(key)) => Label::key(key, text),
                    (None, None) => Label::file("", text),
                }
            }
        }
    }

    /// The values at those of these origins that have a place.
    pub fn labels<'o>(
        &self,
        origins: impl IntoIterator<Item = &'o Origin>,
        text: &str,
    ) -> Vec<Label> {
        let placed = origins.into_iter().filter(|origin| origin.place.is_some());
        placed.map(|origin| self.label(origin, text)).collect()
    }

    /// What names the place of an origin: its route and value.
    pub fn key(&self, origin: &Origin) -> Key {
        let Some(place) = &origin.place else {
            return Key::default();
        };
        match self.config() {
            Some((config, _)) if Arc::ptr_eq(&config.file, &place.file) => {
                self.key_at(&place.route)
            }
            _ => Key {
                route: place.route.clone(),
                value: place.file.slice(place.value).to_owned(),
            },
        }
    }

    /// The recipe that takes part, if there is one.
    pub fn recipe(&self) -> Option<Arc<SourceFile>> {
        let named = self.run.command.as_ref();
        let named = named.and_then(|command| command.recipe.clone());
        named.or_else(|| {
            self.recipe_keys()
                .next()
                .map(|place| Arc::clone(&place.file))
        })
    }

    /// The top-level keys of the recipe that takes part.
    fn recipe_keys(&self) -> impl Iterator<Item = &Place> {
        let trainer = self.run.trainer.iter();
        let arguments = trainer.flat_map(|trainer| trainer.arguments.values());
        arguments.filter_map(|value| match value {
            Value::Known { origin, .. } | Value::Unknown { origin, .. } => {
                let is_key = origin.voice == Voice::RecipeKey;
                origin.place.as_ref().filter(|_| is_key)
            }
        })
    }

    /// What names a place: its route, and the value there as Python's `str()`, so that quotes do not matter. A
    /// section is named by its route alone.
    pub fn key_at(&self, route: &Route) -> Key {
        let value = match (self.values().get(route), self.config()) {
            (Some(value), _) => value.clone(),
            (None, Some((_, document))) if route.0.len() > 2 => document
                .at(route)
                .map_or_else(String::new, |(_, value)| value_name(value)),
            _ => String::new(),
        };
        Key {
            route: route.clone(),
            value,
        }
    }

    /// What names the values of the top level and of its sections, looked up once for all findings.
    fn values(&self) -> &HashMap<Route, String> {
        self.values.get_or_init(|| {
            let mut values = HashMap::new();
            for entry in self.root().into_iter().flat_map(|root| root.entries()) {
                let Some(key) = entry.key.text() else {
                    continue;
                };
                let route = Route::default().key(key);
                for inner in entry.value.entries() {
                    if let Some(key) = inner.key.text() {
                        values.insert(route.key(key), value_name(inner.value));
                    }
                }
                values.insert(route, value_name(entry.value));
            }
            values
        })
    }

    /// What the run would come to if every fault that ends it were taken away.
    pub fn last(&self) -> &Outcome {
        self.behind.last().unwrap_or(&self.outcome)
    }

    /// The config file, and its tree if it has one.
    pub fn config(&self) -> Option<(&'a ConfigFile, &'a Document)> {
        match &self.run.config {
            Config::File(file) => file
                .read
                .as_ref()
                .ok()
                .map(|document| (file, document.as_ref())),
            _ => None,
        }
    }

    /// The root of the config file, if it is a mapping.
    pub fn root(&self) -> Option<NodeRef<'a>> {
        self.config()
            .map(|(_, document)| document.root())
            .filter(|root| root.is_dict())
    }

    /// The entries of a section of the config file, without declared blocks: none where there is no such mapping.
    pub fn section(&self, name: &str) -> impl Iterator<Item = EntryRef<'a>> {
        let section = self.root().and_then(|root| root.get(name));
        let route = Route::keys([name]);
        let entries = section
            .into_iter()
            .flat_map(|section| section.value.entries());
        entries.filter(move |entry| {
            let key = entry.key.text();
            !key.is_some_and(|key| self.is_declared_block(&route.key(key)))
        })
    }

    /// Whether what stands at this route is a declared block, in its place or out of it.
    pub fn is_declared_block(&self, route: &Route) -> bool {
        !self.blocks.is_empty() && declared::is_block(self, route)
    }

    /// The place of an entry of the config file.
    pub fn place(&self, entry: &EntryRef<'_>, route: Route) -> Option<Place> {
        let (file, _) = self.config()?;
        let (key, value) = (Some(entry.key.span()), entry.value.span());
        Some(Place {
            file: Arc::clone(&file.file),
            route,
            key,
            value,
        })
    }

    /// The place of a top-level key.
    pub fn top(&self, name: &str) -> Option<Place> {
        let entry = self.root()?.get(name)?;
        self.place(&entry, Route::keys([name]))
    }

    /// The place of a key in a section.
    pub fn within(&self, section: &str, name: &str) -> Option<Place> {
        let entry = self.root()?.get(section)?.value.get(name)?;
        self.place(&entry, Route::keys([section, name]))
    }

    /// `accelerate 1.15.0`
    pub fn version(&self) -> String {
        format!("accelerate {}", self.facts.version)
    }

    /// Whether the config asks for fp8: `mixed_precision: fp8` in any case.
    pub fn asks_for_fp8(&self) -> bool {
        self.precision().is_some_and(|precision| precision == "fp8")
    }

    /// `mixed_precision` of the config, lower-cased, if it is text.
    pub fn precision(&self) -> Option<String> {
        let is_top = |ask: &&Ask| {
            ask.origin.voice == Voice::ConfigKey && ask.origin.name == "mixed_precision"
        };
        match &self.asks.iter().find(is_top)?.value {
            Object::Str(text) => Some(text.to_lowercase()),
            _ => None,
        }
    }

    /// What is asked for, and what this outcome gives.
    pub fn asked_and_runs(&self, asked: &str, outcome: &Outcome) -> AskedAndRuns {
        let runs = match (&outcome.verdict, precision_that_runs(outcome)) {
            (Verdict::RaisesAtImport, _) => "raises in `import accelerate`".to_owned(),
            (Verdict::RaisesAtLaunch, _) => "refused by `accelerate launch`".to_owned(),
            (Verdict::RaisesAtTrainer, _) => "raises in the trainer".to_owned(),
            (Verdict::RaisesAtInit, _) => "raises in `Accelerator()`".to_owned(),
            (Verdict::RaisesAtPrepare, _) => "raises in `accelerator.prepare()`".to_owned(),
            (_, Some(precision)) => precision,
            (_, None) => "unknown".to_owned(),
        };
        AskedAndRuns {
            asked: asked.to_owned(),
            runs,
        }
    }
}

/// The precision that an outcome trains in, as people write it; `None` where it does not get so far.
pub fn precision_that_runs(outcome: &Outcome) -> Option<String> {
    match &outcome.verdict {
        Verdict::Fp8(_) => Some("fp8".to_owned()),
        Verdict::NoFp8 { precision, .. } => {
            let plain = precision
                .trim_start_matches("ds-")
                .trim_start_matches("fsdp-");
            let name = match plain {
                "bfloat16" | "bf16" => "bf16",
                "float16" | "fp16" => "fp16",
                "none" | "no" => "no mixed precision (fp32)",
                other => other,
            };
            Some(name.to_owned())
        }
        Verdict::InitOnly {
            mixed_precision, ..
        } => Some(match mixed_precision.as_str() {
            "no" => "no mixed precision (fp32)".to_owned(),
            other => other.to_owned(),
        }),
        _ => None,
    }
}

/// The first line; where that is blank, as above a here-document, the first that is not.
fn first_line(file: &SourceFile) -> Span {
    let first = file.line_span(1);
    if !file.slice(first).trim().is_empty() {
        return first;
    }
    let mut lines = (2..=file.line_count()).map(|line| file.line_span(line));
    lines
        .find(|line| !file.slice(*line).trim().is_empty())
        .unwrap_or(first)
}

/// The routes of the config whose removal takes this fault away and brings no new one.
fn removable(exception: &Exception) -> Option<Vec<Route>> {
    let all = match exception.cause {
        Cause::UnknownKeys => true,
        Cause::MixedPrecision
        | Cause::ComputeEnvironment
        | Cause::Fp8Backend
        | Cause::RecipeValue
        | Cause::OverrideLinearPrecision
        | Cause::FsdpOption
        | Cause::DynamoBackend
        | Cause::GpuIds
        | Cause::TeRecipe
        | Cause::KeyNotString => false,
        _ => return None,
    };
    let routes = exception.origins.iter().filter_map(config_route);
    let routes: Vec<Route> = if all {
        routes.collect()
    } else {
        routes.take(1).collect()
    };
    (!routes.is_empty()).then_some(routes)
}

/// A value as Python's `str()`; nothing for a section.
fn value_name(value: NodeRef<'_>) -> String {
    match value.is_dict() {
        true => String::new(),
        false => value
            .object()
            .as_ref()
            .map_or_else(String::new, Object::python_str),
    }
}

/// How far a run comes: the number of steps that raise nothing.
fn step(outcome: &Outcome) -> usize {
    let launch = outcome.launch.as_ref().map(|launch| &launch.exception);
    let runtime = outcome.runtime.as_ref().map(|runtime| &runtime.exception);
    let prepare = outcome.prepare.as_ref().map(|prepare| &prepare.exception);
    let trainer = Some(&outcome.trainer);
    let steps = [launch, runtime, trainer, prepare];
    steps
        .iter()
        .position(|exception| exception.is_some_and(Option::is_some))
        .unwrap_or(steps.len())
}

fn config_route(origin: &Origin) -> Option<Route> {
    let place = origin
        .place
        .as_ref()
        .filter(|_| origin.voice == Voice::ConfigKey)?;
    (!place.route.0.is_empty()).then(|| place.route.clone())
}

/// What Python's `str()` shows of the value at a place.
pub(crate) fn shown(entry: &EntryRef<'_>) -> String {
    entry
        .value
        .object()
        .as_ref()
        .map_or_else(String::new, Object::python_str)
}
