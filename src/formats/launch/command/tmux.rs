//! The text that a window of tmux runs: `tmux new-session TEXT`.

use super::super::Term;
use super::super::words::base_name;

/// Subcommands that are given a text.
const SUBCOMMANDS: &[&str] = &[
    "new",
    "new-session",
    "neww",
    "new-window",
    "splitw",
    "split-window",
    "send",
    "send-keys",
];

/// The text.
pub(super) fn text_of(words: &[Term]) -> Option<&Term> {
    let (name, rest) = words.split_first()?;
    let takes_text = base_name(name) == Some("tmux")
        && rest
            .iter()
            .any(|word| word.known().is_some_and(|word| SUBCOMMANDS.contains(&word)));
    let has_blank = |word: &&Term| word.known().is_some_and(|text| text.trim().contains(' '));
    rest.iter().rev().find(has_blank).filter(|_| takes_text)
}

#[cfg(test)]
mod tests {
    use super::super::tests::terms_with_blanks;
    use super::*;

    fn text(words: &str) -> Option<String> {
        let words = terms_with_blanks(words);
        text_of(&words)?.known().map(str::to_owned)
    }

    #[test]
    fn texts_of_windows() {
        for (words, expected) in [
            ("tmux new-session -d -s x a_b", Some("a b")),
            ("tmux send-keys -t x a_b Enter", Some("a b")),
            ("tmux attach -t a_b", None),
        ] {
            assert_eq!(text(words).as_deref(), expected, "{words}");
        }
    }
}
