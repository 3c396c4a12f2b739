//! The launcher's words: the accelerate config that they name, and the flags with their values.

use super::super::run::Word;
use super::word;
use crate::formats::launch::{LaunchCommand, Term};
use crate::knowledge::{self, Action, Facts};

/// What stands for the value of a flag that cannot be known and that decides nothing about precision: flags of
/// accelerate 1.15.0, `commands/launch.py:launch_command_parser`, with its default where there is one (`max_restarts`,
/// `rdzv_backend`, `rdzv_conf`, `role`), else a value that it takes.
const STAND_INS: [(&str, &str); 14] = [
    ("deepspeed_hostfile", ""),
    ("gpu_ids", "all"),
    ("log_dir", "logs"),
    ("machine_rank", "0"),
    ("main_process_ip", "127.0.0.1"),
    ("main_process_port", "29500"),
    ("main_training_function", "main"),
    ("max_restarts", "0"),
    ("num_cpu_threads_per_process", "1"),
    ("num_machines", "1"),
    ("num_processes", "8"),
    ("rdzv_backend", "static"),
    ("rdzv_conf", ""),
    ("role", "default"),
];

/// The words of a launcher.
#[derive(Default)]
pub(super) struct Words {
    /// The word that names the accelerate config.
    pub(super) config_file: Option<Term>,
    /// The others, as `accelerate launch` reads them, with the script at the end.
    pub(super) flags: Vec<Word>,
    /// Why it cannot be told what the words say.
    pub(super) unknown: Option<String>,
}

impl Words {
    /// Reads the words between the program and the script; those of another launcher than accelerate's decide nothing.
    pub(super) fn read(command: &LaunchCommand, is_accelerate: bool) -> Self {
        let mut words = Self::default();
        let newest = knowledge::accelerate(knowledge::newest());
        let (Some(known), true) = (newest, is_accelerate && command.script.is_some()) else {
            return words;
        };
        words.give_all(command, command.flags.iter(), known.facts);
        if command.is_handed_on {
            words.doubt("the program before `--` may add words to the command".to_owned());
        }
        words.close(command);
        words
    }

    /// Takes these terms.
    pub(super) fn give_all<'a>(
        &mut self,
        command: &LaunchCommand,
        mut terms: impl Iterator<Item = &'a Term>,
        facts: &Facts,
    ) {
        while let Some(term) = terms.next() {
            match &term.text {
                Ok(text) => self.give(command, term, text, &mut terms, facts),
                Err(why) => self.give_unknown(command, term, why, facts),
            }
        }
    }

    /// Takes a term, and the next one where that is its value.
    pub(super) fn give<'a>(
        &mut self,
        command: &LaunchCommand,
        term: &'a Term,
        text: &str,
        rest: &mut impl Iterator<Item = &'a Term>,
        facts: &Facts,
    ) {
        let (option, joined) = match text.split_once('=') {
            Some((option, value)) if option.starts_with("--") => (option, Some(value)),
            _ => (text, None),
        };
        let flag = facts.option(option);
        let name = flag.map_or("", |flag| flag.dest.as_str());
        let takes_value =
            flag.is_some_and(|flag| matches!(flag.action, Action::Store | Action::Append));
        let value = match joined {
            Some(_) => None,
            None if takes_value => rest.next(),
            None => None,
        };
        if name == "config_file" {
            self.config_file = match joined {
                Some(joined) => Some(Term {
                    text: Ok(joined.to_owned()),
                    ..term.clone()
                }),
                None => value.cloned(),
            };
            return;
        }
        self.flags.push(word(command, text, option, &term.spot));
        let Some(value) = value else { return };
        match &value.text {
            Ok(known) => self.flags.push(word(command, known, option, &value.spot)),
            Err(why) => match STAND_INS.iter().find(|(known, _)| *known == name) {
                Some((_, stand_in)) => {
                    self.flags
                        .push(word(command, stand_in, option, &value.spot));
                }
                None => {
                    self.flags.pop();
                    self.doubt(format!("the value of `{option}` is not known: {why}"));
                }
            },
        }
    }

    /// A word that is not known: `--flag=$VALUE`, or one that may be anything.
    fn give_unknown(&mut self, command: &LaunchCommand, term: &Term, why: &str, facts: &Facts) {
        let written = term.spot.file.slice(term.spot.span);
        let option = written.split_once('=').map_or("", |(option, _)| option);
        let name = facts.option(option).map_or("", |flag| flag.dest.as_str());
        if name == "config_file" {
            self.config_file = Some(term.clone());
            return;
        }
        match STAND_INS.iter().find(|(known, _)| *known == name) {
            Some((_, stand_in)) => {
                let text = format!("{option}={stand_in}");
                self.flags.push(word(command, &text, option, &term.spot));
            }
            None => self.doubt(format!("the words of the command are not known: {why}")),
        }
    }

    /// It cannot be told what the words say.
    pub(super) fn doubt(&mut self, why: String) {
        self.unknown.get_or_insert(why);
    }

    /// The script, at which accelerate stops reading.
    fn close(&mut self, command: &LaunchCommand) {
        let Some(script) = &command.script else {
            return;
        };
        let says_module = |word: &Word| word.text == "-m" || word.text == "--module";
        if script.is_module && !self.flags.iter().any(says_module) {
            self.flags
                .push(word(command, "--module", "--module", &script.name.spot));
        }
        let name = script.name.known().unwrap_or("train.py");
        self.flags.push(word(command, name, "", &script.name.spot));
    }
}
