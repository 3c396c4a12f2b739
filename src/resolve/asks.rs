//! The asks of a run: every place that asks for a precision or sets something about it.

use std::sync::Arc;

use super::run::{Ask, Config, Launcher, Origin, Place, Run, Value, Voice};
use crate::source::{EntryRef, Object, Route};

/// Every place of the run that asks for a precision or sets something about it, in the order config, flags,
/// environment, recipe and arguments of the script, code.
pub fn asks(run: &Run) -> Vec<Ask> {
    let mut asks = Vec::new();
    // Only accelerate's launcher reads a config and such flags.
    if run.launcher == Launcher::Accelerate {
        of_config(&run.config, &mut asks);
        of_flags(run, &mut asks);
    }
    for (name, value) in &run.environment {
        if let Value::Known { value, origin } = value
            && is_about_precision(name.strip_prefix("ACCELERATE_").unwrap_or_default())
        {
            asks.push(Ask {
                origin: origin.clone(),
                value: Object::from(value.as_str()),
            });
        }
    }
    of_trainer(run, &mut asks);
    if let Some(value) = run.code.arguments.get("mixed_precision") {
        asks.push(Ask {
            origin: (run.code.precision.clone())
                .unwrap_or_else(|| Origin::of(Voice::Code, "mixed_precision")),
            value: value.clone(),
        });
    }
    asks
}

/// Keys, flags and variables about precision have one of these names, or begin with `fp8`.
fn is_about_precision(name: &str) -> bool {
    let name = name.to_lowercase();
    ["mixed_precision", "precision", "fp16", "downcast_bf16"].contains(&name.as_str())
        || name.starts_with("fp8")
}

/// What the recipe and the arguments of the script say.
fn of_trainer(run: &Run, asks: &mut Vec<Ask>) {
    let arguments = run.trainer.iter().flat_map(|trainer| &trainer.arguments);
    for (name, value) in arguments {
        let name = name.strip_prefix("env.ACCELERATE_").unwrap_or(name);
        let is_dtype = name.starts_with("bf16") || name.starts_with("fp16") || name == "pure_bf16";
        if let Value::Known { value, origin } = value
            && (is_dtype || is_about_precision(name))
        {
            asks.push(Ask {
                origin: origin.clone(),
                value: value.clone(),
            });
        }
    }
}

fn of_config(config: &Config, asks: &mut Vec<Ask>) {
    let Config::File(config) = config else { return };
    let Ok(document) = &config.read else { return };
    let mut add = |entry: &EntryRef<'_>, route: Route| {
        // What is too large to be a setting asks for nothing.
        let Some(value) = entry.value.object() else {
            return;
        };
        let place = Place {
            file: Arc::clone(&config.file),
            route: route.clone(),
            key: Some(entry.key.span()),
            value: entry.value.span(),
        };
        let origin = Origin {
            voice: Voice::ConfigKey,
            name: route.to_string(),
            place: Some(place),
        };
        asks.push(Ask { origin, value });
    };
    for entry in document.root().entries() {
        let Some(key) = entry.key.text() else {
            continue;
        };
        let route = Route::keys([key]);
        if is_about_precision(key) {
            add(&entry, route);
            continue;
        }
        for inner in entry.value.entries() {
            if let Some(name) = inner.key.text().filter(|name| is_about_precision(name)) {
                add(&inner, route.key(name));
            }
        }
    }
}

fn of_flags(run: &Run, asks: &mut Vec<Ask>) {
    let mut words = run.flags.iter().peekable();
    while let Some(word) = words.next() {
        let Some(flag) = word.text.strip_prefix("--") else {
            continue;
        };
        let (name, joined) = flag
            .split_once('=')
            .map_or((flag, None), |(name, value)| (name, Some(value)));
        if !is_about_precision(&name.replace('-', "_")) {
            continue;
        }
        let separate = || {
            words
                .peek()
                .filter(|next| !next.text.starts_with("--"))
                .map(|next| next.text.as_str())
        };
        let value = joined
            .or_else(separate)
            .map_or(Object::Bool(true), Object::from);
        let origin = Origin {
            voice: Voice::Flag,
            name: format!("--{name}"),
            place: word.place.clone(),
        };
        asks.push(Ask { origin, value });
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Target, Word};
    use super::*;
    use crate::knowledge;

    fn names(asks: &[Ask]) -> Vec<(&str, String)> {
        asks.iter()
            .map(|ask| (ask.origin.name.as_str(), ask.value.python_str()))
            .collect()
    }

    #[test]
    fn every_voice_is_heard() {
        let text = "mixed_precision: fp16\nnum_processes: 8\nfsdp_config:\n  fp8: true\n  fsdp_version: 2\nfp8_config:\n  backend: AO\n";
        let config = Config::of_bytes("a.yaml", text.into());
        let mut run = Run::assumed(config, &Target::newest(knowledge::releases()));
        run.flags = ["--mixed-precision=bf16", "--fp8_backend", "te", "--cpu"]
            .map(Word::from)
            .into();
        run.environment.insert(
            "ACCELERATE_FP8_FORMAT".to_owned(),
            Value::Known {
                value: "E4M3".to_owned(),
                origin: Origin::of(Voice::Environment, "ACCELERATE_FP8_FORMAT"),
            },
        );
        run.code
            .arguments
            .insert("mixed_precision".to_owned(), Object::from("fp8"));
        assert_eq!(
            names(&asks(&run)),
            [
                ("mixed_precision", "fp16".to_owned()),
                ("fsdp_config.fp8", "True".to_owned()),
                ("fp8_config", "{'backend': 'AO'}".to_owned()),
                ("--mixed-precision", "bf16".to_owned()),
                ("--fp8_backend", "te".to_owned()),
                ("ACCELERATE_FP8_FORMAT", "E4M3".to_owned()),
                ("mixed_precision", "fp8".to_owned()),
            ]
        );
    }
}
