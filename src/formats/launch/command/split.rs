//! A launcher's words: its flags, the script, and the script's arguments.

use super::super::words::{beginning, is_flag, is_open, is_python_file};
use super::super::{Script, Term};
use super::options::{Options, Takes};

/// The three parts of a launcher's words.
#[derive(Clone, Debug, Default)]
pub(super) struct Split {
    pub(super) flags: Vec<Term>,
    pub(super) script: Option<Script>,
    pub(super) arguments: Vec<Term>,
}

/// Divides the words after the launcher's name.
///
/// A word that may stand for any number of words (`$ARGS`) is taken for flags where a Python file or a module follows,
/// and for the script where nothing else can be.
pub(super) fn split(words: &[Term], options: Options) -> Split {
    let mut is_module = false;
    let mut says_module = false;
    let mut open = None;
    let mut follows_open = false;
    let mut at = 0;
    let script = loop {
        let Some(word) = words.get(at) else {
            break open;
        };
        let after_module = std::mem::take(&mut says_module);
        if is_open(word) && !after_module {
            // Of several in a row the first.
            if !follows_open {
                open = Some(at);
            }
            follows_open = true;
            at += 1;
            continue;
        }
        if !is_flag(word) {
            let is_certain = open.is_none() || is_module || is_python_file(word);
            break if is_certain { Some(at) } else { open };
        }
        let text = beginning(word);
        let (option, is_joined) = match text.split_once('=') {
            Some((option, _)) if option.starts_with("--") => (option, true),
            _ => (&*text, false),
        };
        if option == "--" {
            at += 1;
            continue;
        }
        let takes_next = match options.takes(option) {
            Some(takes) => {
                says_module = takes == Takes::Module;
                is_module |= says_module;
                takes == Takes::Value && !is_joined && !next_is_flag(words, at)
            }
            // The script's own: so the script was before it.
            None if open.is_some() => break open,
            None => !is_joined && may_be_value(words, at + 1),
        };
        follows_open = false;
        at += if takes_next { 2 } else { 1 };
    };
    let end = script.unwrap_or(words.len());
    Split {
        flags: words.get(..end).unwrap_or_default().to_vec(),
        script: script.and_then(|at| words.get(at)).map(|name| Script {
            name: name.clone(),
            is_module,
        }),
        arguments: words.get(end + 1..).unwrap_or_default().to_vec(),
    }
}

fn next_is_flag(words: &[Term], at: usize) -> bool {
    words.get(at + 1).is_some_and(is_flag)
}

/// Whether this word may be the value of an option that is not known: it is not the script.
fn may_be_value(words: &[Term], at: usize) -> bool {
    let is_word = |word: &Term| !is_flag(word) && !is_python_file(word);
    let rest = words.get(at + 1..).unwrap_or_default();
    words.get(at).is_some_and(is_word) && rest.iter().any(|word| !is_flag(word))
}

#[cfg(test)]
mod tests {
    use super::super::options::{DEEPSPEED, TORCHRUN};
    use super::super::tests::{shown, terms};
    use super::*;

    /// The words, `$X` open and `"$X"` closed; the parts with ` | ` between them.
    fn check(options: Options, cases: &[(&str, &str)]) {
        for (text, expected) in cases {
            let split = split(&terms(text), options);
            let script = split.script.as_ref().map_or("-".to_owned(), |script| {
                let kind = if script.is_module { "-m " } else { "" };
                format!("{kind}{}", shown(std::slice::from_ref(&script.name)))
            });
            let found = format!(
                "{} | {script} | {}",
                shown(&split.flags),
                shown(&split.arguments)
            );
            assert_eq!(found.trim(), *expected, "{text}");
        }
    }

    #[test]
    fn words_of_accelerate_launch() {
        check(
            Options::Accelerate,
            &[
                ("train.py", "| train.py |"),
                (
                    "--multi_gpu train.py --lr 1",
                    "--multi_gpu | train.py | --lr 1",
                ),
                (
                    "--config_file a.yaml train.py --config_file b",
                    "--config_file a.yaml | train.py | --config_file b",
                ),
                (
                    "--config-file=a.yaml -m pkg.train x",
                    "--config-file=a.yaml -m | -m pkg.train | x",
                ),
                (
                    "-m --num_processes 8 pkg.train",
                    "-m --num_processes 8 | -m pkg.train |",
                ),
                (
                    "--num_processes $N train.py",
                    "--num_processes $N | train.py |",
                ),
                (
                    "--num_processes=$N train.py",
                    "--num_processes=$N | train.py |",
                ),
                (
                    "--num_processes \"$N\" lm_eval --x",
                    "--num_processes \"$N\" | lm_eval | --x",
                ),
                ("$ARGS train.py $MORE", "$ARGS | train.py | $MORE"),
                (
                    "$ARGS --num_processes 2 -m pkg",
                    "$ARGS --num_processes 2 -m | -m pkg |",
                ),
                ("$ARGS lm_eval --x 1", "| $ARGS | lm_eval --x 1"),
                (
                    "--multi_gpu $SCRIPT --lr 1 x.py",
                    "--multi_gpu | $SCRIPT | --lr 1 x.py",
                ),
                ("--multi_gpu $SCRIPT $ARGS", "--multi_gpu | $SCRIPT | $ARGS"),
                (
                    "$ARGS --multi_gpu $SCRIPT $MORE",
                    "$ARGS --multi_gpu | $SCRIPT | $MORE",
                ),
                (
                    "--multi_gpu \"$SCRIPT\" --lr 1",
                    "--multi_gpu | \"$SCRIPT\" | --lr 1",
                ),
                ("-m $MODULE --lr 1", "-m | -m $MODULE | --lr 1"),
                ("$DIR/train.py --lr 1", "| $DIR/train.py | --lr 1"),
                ("--nonsense 3 train.py", "--nonsense 3 | train.py |"),
                ("--nonsense train.py x", "--nonsense | train.py | x"),
                ("--nonsense lm_eval", "--nonsense | lm_eval |"),
                ("--multi_gpu", "--multi_gpu | - |"),
                ("--", "-- | - |"),
                ("", "| - |"),
            ],
        );
    }

    #[test]
    fn words_of_torchrun_and_deepspeed() {
        check(
            Options::Listed(&TORCHRUN),
            &[
                (
                    "--standalone --nproc-per-node 8 train.py -a",
                    "--standalone --nproc-per-node 8 | train.py | -a",
                ),
                (
                    "--nnodes=1 -m pkg.train a",
                    "--nnodes=1 -m | -m pkg.train | a",
                ),
                (
                    "$DISTRIBUTED_ARGS train.py $ARGS",
                    "$DISTRIBUTED_ARGS | train.py | $ARGS",
                ),
            ],
        );
        check(
            Options::Listed(&DEEPSPEED),
            &[
                (
                    "--include localhost:0 train.py --deepspeed z.json",
                    "--include localhost:0 | train.py | --deepspeed z.json",
                ),
                (
                    "--num_gpus=8 --module pkg",
                    "--num_gpus=8 --module | -m pkg |",
                ),
            ],
        );
    }
}
