//! Finding flags and files among the words of a launch command.

use super::words::{beginning, is_flag, part};
use super::{LaunchCommand, Spot, Term};

/// A flag that is given.
#[derive(Clone, Debug)]
pub struct FlagValue {
    /// Where the flag stands, with its value where the two are one word.
    pub flag: Spot,
    /// Its value; `None` where it stands alone.
    pub value: Option<Term>,
}

impl LaunchCommand {
    /// The launcher's flag of one of these names (`--config_file`), also spelt with hyphens, as `--flag value` or
    /// `--flag=value`. The last one given counts.
    pub fn flag(&self, names: &[&str]) -> Option<FlagValue> {
        find(&self.flags, names)
    }

    /// The same among the script's arguments, or the program's own where it is the script itself.
    pub fn argument(&self, names: &[&str]) -> Option<FlagValue> {
        find(&self.arguments, names)
    }

    /// Every known word among the arguments that looks like the path of a YAML or JSON file: on its own, as the value
    /// of any flag, or behind the `=` of one.
    pub fn named_files(&self) -> Vec<Term> {
        let mut found = Vec::new();
        for word in &self.arguments {
            let Some(text) = word.known() else {
                continue;
            };
            // `key=file.yaml` of Hydra and OmegaConf is such a flag, too.
            let name = text.find('=').map(|equals| equals + 1);
            let value = name.map_or_else(|| word.clone(), |start| part(word, start));
            if value.known().is_some_and(is_data_file) {
                found.push(value);
            }
        }
        found
    }
}

fn find(words: &[Term], names: &[&str]) -> Option<FlagValue> {
    let given = words.iter().enumerate().rev();
    given
        .filter(|(_, word)| is_flag(word))
        .find_map(|(at, word)| {
            let text = beginning(word);
            let (flag, joined) = match text.find('=') {
                Some(equals) => (text.get(..equals)?, Some(part(word, equals + 1))),
                None => (&*text, None),
            };
            // The beginning of a word that is not known may be only the beginning of the flag.
            let is_whole = word.known().is_some() || joined.is_some();
            if !is_whole || !names.iter().any(|name| is_alike(name, flag)) {
                return None;
            }
            let next = || words.get(at + 1).filter(|next| !is_flag(next)).cloned();
            Some(FlagValue {
                flag: word.spot.clone(),
                value: joined.or_else(next),
            })
        })
}

/// Whether two options are one: hyphens and underscores are alike in argparse's flags of accelerate and transformers.
fn is_alike(one: &str, other: &str) -> bool {
    let letters = |option: &str| -> Vec<u8> {
        let plain = option.bytes();
        plain
            .map(|byte| if byte == b'_' { b'-' } else { byte })
            .collect()
    };
    letters(one) == letters(other)
}

fn is_data_file(text: &str) -> bool {
    [".yaml", ".yml", ".json"]
        .iter()
        .any(|ending| text.len() > ending.len() && text.ends_with(ending))
        && !text.contains("://")
}

#[cfg(test)]
mod tests {
    use super::super::command::tests::read;
    use super::super::words::written;
    use super::*;

    fn command(text: &str) -> LaunchCommand {
        read(text).commands.remove(0)
    }

    /// The flag's value: `-` for none, `?` for one that is not known.
    fn shown(found: Option<FlagValue>) -> Option<String> {
        let value = found?.value;
        Some(match &value {
            None => "-".to_owned(),
            Some(value) => value.known().unwrap_or("?").to_owned(),
        })
    }

    #[test]
    fn flags_are_found() {
        for (flags, name, expected) in [
            ("--config_file a.yaml", "--config_file", Some("a.yaml")),
            ("--config-file=a.yaml", "--config_file", Some("a.yaml")),
            (
                "--config_file a --cpu --config_file b",
                "--config-file",
                Some("b"),
            ),
            ("--config_file $FILE", "--config_file", Some("?")),
            ("--config_file=$FILE", "--config_file", Some("?")),
            ("--multi_gpu --num_machines 1", "--multi_gpu", Some("-")),
            ("--multi_gpu", "--multi_gpu", Some("-")),
            ("--num_processes -1", "--num_processes", Some("-1")),
            ("--config_files a", "--config_file", None),
            ("--config$X a", "--config", None),
            ("", "--config_file", None),
        ] {
            let launched = command(&format!("accelerate launch {flags} a.py --config_file no"));
            assert_eq!(
                shown(launched.flag(&[name])).as_deref(),
                expected,
                "{flags}"
            );
            let launched = command(&format!("torchrun --config_file=no a.py {flags}"));
            assert_eq!(
                shown(launched.argument(&[name])).as_deref(),
                expected,
                "{flags}"
            );
        }
    }

    #[test]
    fn any_of_the_names_counts_and_has_its_place() {
        let found = command("trl sft --config a.yaml -c=b.yaml").argument(&["--config", "-c"]);
        let found = found.unwrap();
        assert_eq!(found.flag.file.slice(found.flag.span), "-c=b.yaml");
        assert_eq!(written(&found.value.unwrap()), "b.yaml");
    }

    #[test]
    fn files_are_found() {
        let command = command(
            "python a.py x.yaml --config=b/c.yml --deepspeed d.json e=f.yaml $G.yaml .json h.py http://x/y.json",
        );
        let found = command.named_files();
        let names: Vec<&str> = found.iter().map(written).collect();
        assert_eq!(names, ["x.yaml", "b/c.yml", "d.json", "f.yaml"]);
    }
}
