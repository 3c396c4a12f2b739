//! Words that hold a text for a shell: `bash -c TEXT`, `tmux new-session TEXT`.

use super::super::Term;
use super::words::{base_name, is_flag};

/// Subcommands of tmux that are given a text.
const TMUX: &[&str] = &[
    "new",
    "new-session",
    "neww",
    "new-window",
    "splitw",
    "split-window",
    "send",
    "send-keys",
];

/// The text of `bash -c TEXT`.
pub(super) fn of_shell(words: &[Term]) -> Option<&Term> {
    let (name, options) = words.split_first()?;
    let is_shell = matches!(
        base_name(name)?,
        "bash" | "sh" | "zsh" | "dash" | "ksh" | "ash"
    );
    is_shell.then(|| after_options(options)).flatten()
}

/// The text that a window of tmux runs.
pub(super) fn of_tmux(words: &[Term]) -> Option<&Term> {
    let (name, rest) = words.split_first()?;
    let takes_text = base_name(name) == Some("tmux")
        && rest
            .iter()
            .any(|word| word.known().is_some_and(|word| TMUX.contains(&word)));
    let has_blank = |word: &&Term| word.known().is_some_and(|text| text.trim().contains(' '));
    rest.iter().rev().find(has_blank).filter(|_| takes_text)
}

fn after_options(words: &[Term]) -> Option<&Term> {
    let mut is_command = false;
    let mut words = words.iter();
    while let Some(word) = words.next() {
        if !is_flag(word) {
            return is_command.then_some(word);
        }
        let option = word.known()?;
        if option.starts_with("--") {
            continue;
        }
        is_command |= option.contains('c');
        // `-o pipefail`
        if option.ends_with('o') {
            words.next();
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::super::tests::terms;
    use super::*;

    /// Words with `_` for blanks.
    fn text(words: &str) -> Option<String> {
        let mut words = terms(words);
        for word in &mut words {
            word.text = word
                .known()
                .map(|text| text.replace('_', " "))
                .ok_or_else(String::new);
        }
        let text = of_shell(&words).or_else(|| of_tmux(&words));
        text.and_then(|text| text.known().map(str::to_owned))
    }

    #[test]
    fn texts_for_a_shell() {
        for (words, expected) in [
            ("bash -c accelerate_launch", Some("accelerate launch")),
            ("/bin/bash -lc a_b name", Some("a b")),
            ("sh -e -o pipefail -c a_b", Some("a b")),
            ("bash -eo pipefail -c a_b", Some("a b")),
            ("bash run.sh -c a", None),
            ("bash -c", None),
            ("bash -c $TEXT", None),
            ("tmux new-session -d -s x a_b", Some("a b")),
            ("tmux send-keys -t x a_b Enter", Some("a b")),
            ("tmux attach -t a_b", None),
            ("fish -c a", None),
        ] {
            assert_eq!(text(words).as_deref(), expected, "{words}");
        }
    }
}
