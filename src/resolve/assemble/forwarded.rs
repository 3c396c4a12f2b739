//! What a program that is itself the script hands on to `accelerate launch`: under `trl` the words and recipe keys that
//! its dataclasses do not have, under `axolotl` the words behind `--`.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::super::run::{
    Ask, Config, ConfigFile, Files, Lookup, Origin, Place, Value, Voice, Word,
};
use super::words::Words;
use super::{config, place};
use crate::formats::launch::{LaunchCommand, Program};
use crate::knowledge::trainers::{LaunchWords, Trl};
use crate::knowledge::{self, Action, Facts, Version};
use crate::source::{Object, SourceFile};

/// Flags of `accelerate launch` that TRL's own dataclasses have too, and keep: fields that its configs inherit from
/// `TrainingArguments` (transformers 4.30.2 to 5.24.0, training_args.py; the two of FSDP up to 4.57.6). `tp_size` is one
/// from 4.50.3 to 4.51.3.
const TRL_OWN: [&str; 5] = [
    "debug",
    "fsdp_min_num_params",
    "fsdp_transformer_layer_cls_to_wrap",
    "gradient_accumulation_steps",
    "tp_size",
];

/// Keys that neither side knows and that people write: accelerate's launcher refuses them. `fp8: true` in a recipe of the
/// `trl` program ran into `unrecognized arguments: --fp8`.
const REFUSED: [&str; 2] = ["fp8", "fp8_config"];

/// What is handed on.
#[derive(Default)]
pub(super) struct Forwarded {
    pub(super) words: Words,
    pub(super) config: Config,
    /// Who names the config.
    pub(super) config_place: Option<Place>,
    /// What is meant for the launcher and does not reach it.
    pub(super) dropped: Vec<Ask>,
}

impl Forwarded {
    /// Reads the words; what is handed on, or would be in other versions, is taken out of the trainer's arguments.
    pub(super) fn read(
        command: &LaunchCommand,
        arguments: &mut BTreeMap<String, Value<Object>>,
        version: &Version,
        files: &dyn Files,
    ) -> Self {
        let mut forwarded = Self::default();
        let Some(known) = knowledge::accelerate(knowledge::newest()) else {
            return forwarded;
        };
        match &command.program {
            Program::Trl(subcommand) => {
                let launch_words = Trl::of(version).map(|trl| trl.launch_words);
                forwarded.of_recipe(arguments, known.facts, files);
                forwarded.of_command(command, known.facts, files);
                arguments.retain(|name, _| !is_forwarded(name, known.facts));
                match launch_words {
                    Some(LaunchWords::EveryCommand) => forwarded.dropped.clear(),
                    Some(LaunchWords::SftOnly) if subcommand == "sft" => forwarded.dropped.clear(),
                    Some(LaunchWords::SftOnly | LaunchWords::DefaultConfig) => forwarded.drop_all(),
                    None => forwarded = Self::default(),
                }
            }
            Program::Axolotl(_) => {
                let behind = command
                    .arguments
                    .iter()
                    .skip_while(|term| term.known() != Some("--"))
                    .skip(1);
                forwarded.words.give_all(command, behind, known.facts);
                if let Some(named) = forwarded.words.config_file.take() {
                    forwarded.config = config(&named, files);
                    forwarded.config_place = Some(place(command, "--config_file", &named.spot));
                }
            }
            _ => {}
        }
        forwarded
    }

    /// The recipe's keys, each as `--key value`.
    fn of_recipe(
        &mut self,
        arguments: &BTreeMap<String, Value<Object>>,
        facts: &Facts,
        files: &dyn Files,
    ) {
        for (name, value) in arguments {
            let (Value::Known { origin, .. } | Value::Unknown { origin, .. }) = value;
            if origin.voice != Voice::RecipeKey || !is_forwarded(name, facts) {
                continue;
            }
            match value {
                Value::Known { value, origin } if is_config(name) => {
                    self.name_config(&value.python_str(), origin.place.as_ref(), files);
                    self.dropped.push(ask(origin, value));
                }
                Value::Known { value, origin } => {
                    let takes_value = facts
                        .option(&format!("--{name}"))
                        .is_none_or(|flag| matches!(flag.action, Action::Store | Action::Append));
                    if !takes_value {
                        self.words.doubt(format!(
                            "`{name}` of the recipe becomes `--{name} {}`, and accelerate takes the second word for the \
                             script",
                            value.python_str()
                        ));
                    }
                    let word = |text: String| Word {
                        text,
                        place: origin.place.clone(),
                    };
                    self.words.flags.push(word(format!("--{name}")));
                    self.words.flags.push(word(value.python_str()));
                    self.dropped.push(ask(origin, value));
                }
                Value::Unknown { why, .. } => {
                    self.words
                        .doubt(format!("`{name}` of the recipe is not known: {why}"));
                }
            }
        }
    }

    /// The words of the command line.
    fn of_command(&mut self, command: &LaunchCommand, facts: &Facts, files: &dyn Files) {
        let mut terms = command.arguments.iter();
        while let Some(term) = terms.next() {
            let Some(text) = term.known() else { continue };
            let (option, joined) = match text.split_once('=') {
                Some((option, joined)) => (option, Some(joined)),
                None => (text, None),
            };
            let Some(name) = option.strip_prefix("--").map(|name| name.replace('-', "_")) else {
                continue;
            };
            if !is_forwarded(&name, facts) || REFUSED.contains(&name.as_str()) {
                continue;
            }
            if name == "accelerate_config" {
                // Only the two-word form is looked for.
                let Some(named) = terms.next().filter(|_| joined.is_none()) else {
                    continue;
                };
                let at = place(command, option, &named.spot);
                match &named.text {
                    Ok(text) => {
                        self.name_config(text, Some(&at), files);
                        let origin = Origin {
                            voice: Voice::Flag,
                            name: option.to_owned(),
                            place: Some(at),
                        };
                        self.dropped
                            .push(ask(&origin, &Object::from(text.as_str())));
                    }
                    Err(why) => {
                        self.config = Config::Unknown { why: why.clone() };
                        self.config_place = Some(at);
                    }
                }
                continue;
            }
            let before = self.words.flags.len();
            self.words.give(command, term, text, &mut terms, facts);
            if let Some(named) = self.words.config_file.take() {
                self.config = config(&named, files);
                self.config_place = Some(place(command, option, &named.spot));
            }
            let value = match (joined, self.words.flags.get(before + 1)) {
                (Some(joined), _) => Object::from(joined),
                (None, Some(value)) => Object::from(value.text.as_str()),
                (None, None) => Object::Bool(true),
            };
            let origin = Origin {
                voice: Voice::Flag,
                name: option.to_owned(),
                place: Some(place(command, option, &term.spot)),
            };
            self.dropped.push(ask(&origin, &value));
        }
    }

    /// A file, or else one of TRL's own configs.
    fn name_config(&mut self, name: &str, at: Option<&Place>, files: &dyn Files) {
        self.config_place = at.cloned();
        let preset = || {
            let text = knowledge::trl_preset(name)?;
            SourceFile::new(ConfigFile::preset_path(name), text.as_bytes().to_vec()).ok()
        };
        self.config = match (files.look_up(name), preset()) {
            (Lookup::Found(file), _) => Config::of_file(file),
            (_, Some(preset)) => Config::of_file(Arc::new(preset)),
            (Lookup::Absent, None) => Config::Missing {
                path: name.to_owned(),
                place: at.cloned(),
            },
            (Lookup::Unknown, None) => Config::Unknown {
                why: format!("the config `{name}` is not at hand"),
            },
        };
    }

    /// Nothing of it arrives.
    fn drop_all(&mut self) {
        *self = Self {
            dropped: std::mem::take(&mut self.dropped),
            ..Self::default()
        };
    }
}

fn ask(origin: &Origin, value: &Object) -> Ask {
    Ask {
        origin: origin.clone(),
        value: value.clone(),
    }
}

fn is_config(name: &str) -> bool {
    name == "accelerate_config" || name == "config_file"
}

/// Whether a key or flag is none of TRL's and goes to accelerate's launcher.
fn is_forwarded(name: &str, facts: &Facts) -> bool {
    let is_launch = || facts.option(&format!("--{name}")).is_some();
    !TRL_OWN.contains(&name)
        && (name == "accelerate_config" || REFUSED.contains(&name) || is_launch())
}

#[cfg(test)]
mod tests {
    use super::super::super::{Run, Target};
    use super::super::assemble;
    use super::*;
    use crate::formats::launch::{self, NothingLoaded};

    struct Beside(&'static [(&'static str, &'static str)]);

    impl Files for Beside {
        fn look_up(&self, path: &str) -> Lookup {
            match self.0.iter().find(|(name, _)| *name == path) {
                Some((name, text)) => Lookup::Found(Arc::new(
                    SourceFile::new(*name, text.as_bytes().to_vec()).unwrap(),
                )),
                None => Lookup::Absent,
            }
        }
    }

    /// The run of a command with this version of TRL, beside `recipe.yaml` with these keys.
    fn run(trl: &str, command: &str, keys: &'static str) -> Run {
        let file =
            Arc::new(SourceFile::new("train.sh", format!("{command}\n").into_bytes()).unwrap());
        let found = launch::read(&file, &NothingLoaded);
        let target = Target::parse([format!("trl={trl}").as_str()], knowledge::releases()).unwrap();
        let files = [
            ("recipe.yaml", keys),
            ("own.yaml", "distributed_type: FSDP\n"),
        ];
        let files: &'static [_] = Box::leak(Box::new(files));
        assemble(&found.commands[0], &target, &Beside(files))
    }

    fn flags(run: &Run) -> String {
        run.flags
            .iter()
            .map(|word| word.text.as_str())
            .collect::<Vec<_>>()
            .join(" ")
    }

    fn config(run: &Run) -> &str {
        match &run.config {
            Config::File(config) => &config.file.path,
            Config::Missing { .. } => "missing",
            _ => "",
        }
    }

    fn dropped(run: &Run) -> Vec<&str> {
        let command = run.command.as_ref().unwrap();
        command
            .dropped
            .iter()
            .map(|ask| ask.origin.name.as_str())
            .collect()
    }

    #[test]
    fn trl_hands_over_what_its_version_and_command_do() {
        let recipe =
            "output_dir: out\nmixed_precision: fp8\nnum_processes: 4\naccelerate_config: zero3\n";
        let dropped_keys = vec!["accelerate_config", "mixed_precision", "num_processes"];
        for (trl, command, words, named, lost) in [
            ("0.17.0", "sft", "", "", dropped_keys.clone()),
            (
                "0.18.0",
                "sft",
                "--mixed_precision fp8 --num_processes 4",
                "trl's preset zero3",
                vec![],
            ),
            (
                "0.28.0",
                "sft",
                "--mixed_precision fp8 --num_processes 4",
                "trl's preset zero3",
                vec![],
            ),
            ("0.28.0", "dpo", "", "", dropped_keys),
            (
                "0.29.0",
                "dpo",
                "--mixed_precision fp8 --num_processes 4",
                "trl's preset zero3",
                vec![],
            ),
        ] {
            let run = run(trl, &format!("trl {command} --config recipe.yaml"), recipe);
            let shown = format!("{trl} {command}");
            assert_eq!(flags(&run), words, "{shown}");
            assert_eq!(config(&run), named, "{shown}");
            assert_eq!(dropped(&run), lost, "{shown}");
            assert!(
                run.trainer.unwrap().known("mixed_precision").is_none(),
                "{shown}"
            );
        }
    }

    #[test]
    fn the_command_line_goes_before_the_recipe_and_trl_keeps_its_own() {
        let recipe =
            "output_dir: out\nnum_processes: 4\ngradient_accumulation_steps: 2\nfp8: true\n";
        let words =
            "--num_processes=8 --learning_rate 1e-5 --use_fsdp --accelerate_config own.yaml";
        let run = run(
            "1.16.0",
            &format!("trl grpo --config recipe.yaml {words}"),
            recipe,
        );
        assert_eq!(flags(&run), "--fp8 True --num_processes=8 --use_fsdp");
        assert_eq!(config(&run), "own.yaml");
        assert_eq!(run.unknown, None);
        let trainer = run.trainer.unwrap();
        assert!(trainer.known("gradient_accumulation_steps").is_some());
        assert!(trainer.known("learning_rate").is_some());
    }

    #[test]
    fn what_cannot_be_followed_is_said() {
        let switch = run(
            "1.16.0",
            "trl sft --config recipe.yaml",
            "output_dir: out\nuse_fsdp: true\n",
        );
        assert!(switch.unknown.unwrap().contains("`--use_fsdp True`"));
        let missing = run("1.16.0", "trl sft --accelerate_config zero4", "");
        assert_eq!(config(&missing), "missing");
        let variable = run("1.16.0", "trl sft --accelerate_config $CONFIG", "");
        assert!(matches!(variable.config, Config::Unknown { .. }));
    }

    #[test]
    fn axolotl_hands_on_what_stands_behind_two_hyphens() {
        let command = "axolotl train a.yml --num-processes 2 -- --config_file own.yaml --mixed_precision bf16";
        let behind = run("1.16.0", command, "");
        assert_eq!(flags(&behind), "--mixed_precision bf16");
        assert_eq!(config(&behind), "own.yaml");
        let nothing = run("1.16.0", "axolotl train a.yml --mixed_precision bf16", "");
        assert_eq!((flags(&nothing).as_str(), config(&nothing)), ("", ""));
    }
}
