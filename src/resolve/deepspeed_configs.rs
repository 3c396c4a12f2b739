//! The DeepSpeed configs that take part in a run.

use std::sync::Arc;

use super::run::{Config, Files, Lookup, Run, Value};
use crate::source::{Document, Object, SourceFile, Syntax};

/// The flag and the key of `deepspeed_config` that name one.
const NAME: &str = "deepspeed_config_file";

/// The DeepSpeed configs that a run reads: those that the accelerate config, a flag and the trainer's arguments name, or
/// the one that is judged by itself. Only those that can be read.
pub fn deepspeed_configs(run: &Run, files: &dyn Files) -> Vec<(Arc<SourceFile>, Arc<Document>)> {
    if let Some((file, document)) = &run.deepspeed {
        return vec![(Arc::clone(file), Arc::clone(document))];
    }
    let mut configs: Vec<(Arc<SourceFile>, Arc<Document>)> = Vec::new();
    for path in names(run) {
        let Lookup::Found(file) = files.look_up(&path) else {
            continue;
        };
        let is_known = configs.iter().any(|(known, _)| known.path == file.path);
        if let Ok(document) = Syntax::Json.read(file.text())
            && !is_known
        {
            configs.push((file, Arc::new(document)));
        }
    }
    configs
}

fn names(run: &Run) -> Vec<String> {
    let mut names = Vec::new();
    if let Config::File(config) = &run.config
        && let Ok(document) = &config.read
    {
        let section = document.root().get("deepspeed_config");
        let named = section.and_then(|section| section.value.get(NAME));
        names.extend(named.and_then(|named| named.value.text().map(str::to_owned)));
    }
    let mut words = run.flags.iter();
    while let Some(word) = words.next() {
        let Some(flag) = word.text.strip_prefix("--") else {
            continue;
        };
        match flag.split_once('=') {
            Some((flag, path)) if flag.replace('-', "_") == NAME => names.push(path.to_owned()),
            None if flag.replace('-', "_") == NAME => {
                names.extend(words.next().map(|path| path.text.clone()));
            }
            _ => {}
        }
    }
    let said = run
        .trainer
        .as_ref()
        .and_then(|trainer| trainer.arguments.get("deepspeed"));
    if let Some(Value::Known {
        value: Object::Str(path),
        ..
    }) = said
    {
        names.push(path.clone());
    }
    names
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;
    use crate::formats::recipe::Framework;
    use crate::knowledge::{self, Version};
    use crate::resolve::{Origin, Target, Trainer, Voice, Word};

    /// Every path names a file that holds its own name; one is no JSON.
    struct All;

    impl Files for All {
        fn look_up(&self, path: &str) -> Lookup {
            let text = if path == "none.json" { "{" } else { "{}" };
            Lookup::Found(Arc::new(SourceFile::from_text(path, text)))
        }
    }

    #[test]
    fn config_flag_and_trainer_name_one() {
        let text = "deepspeed_config:\n  deepspeed_config_file: a.json\n";
        let config = Config::of_bytes("accelerate.yaml", text.into());
        let mut run = Run::assumed(config, &Target::newest(knowledge::releases()));
        run.flags = [
            "--deepspeed-config-file=b.json",
            "--deepspeed_config_file",
            "none.json",
            "train.py",
        ]
        .map(Word::from)
        .into();
        let said = |value: &str| Value::Known {
            value: Object::from(value),
            origin: Origin::of(Voice::RecipeKey, "deepspeed"),
        };
        run.trainer = Some(Trainer {
            framework: Framework::Transformers,
            version: Version::new([5]),
            transformers: Version::new([5]),
            arguments: BTreeMap::from([("deepspeed".to_owned(), said("a.json"))]),
            is_arguments_only: false,
        });
        let found = deepspeed_configs(&run, &All);
        let paths: Vec<_> = found.iter().map(|(file, _)| file.path.as_str()).collect();
        assert_eq!(paths, ["a.json", "b.json"]);
    }
}
