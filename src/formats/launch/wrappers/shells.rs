//! The shells, and the text that they are given: `bash -c TEXT`.

use super::super::Term;
use super::super::words::{base_name, beginning, is_flag};

/// Shells whose texts are read.
pub(super) const SHELLS: [&str; 6] = ["ash", "bash", "dash", "ksh", "sh", "zsh"];

/// Whether a program is a shell, by the last part of its path.
pub(in super::super) fn is_shell(program: &str) -> bool {
    let name = program.rsplit_once('/').map_or(program, |(_, name)| name);
    SHELLS.contains(&name)
}

/// Whether the words are a shell and options of it.
pub(in super::super) fn is_shell_alone(words: &[Term]) -> bool {
    let is_option = |word: &Term| word.known().is_some_and(|word| word.starts_with('-'));
    words.split_first().is_some_and(|(name, options)| {
        base_name(name).is_some_and(is_shell)
            && (options.iter().all(is_option)
                || options.iter().any(|option| option.known() == Some("-s")))
    })
}

/// The text of `bash -c TEXT`.
pub(in super::super) fn text_of(words: &[Term]) -> Option<&Term> {
    words.get(text_position(words)?)
}

/// Where the text of `bash -c TEXT` stands.
pub(in super::super) fn text_position(words: &[Term]) -> Option<usize> {
    if !is_shell(base_name(words.first()?)?) {
        return None;
    }
    let mut takes_text = false;
    let mut at = 1;
    while let Some(word) = words.get(at) {
        if !is_flag(word) && !beginning(word).starts_with('+') {
            return takes_text.then_some(at);
        }
        let option = word.known()?;
        at += 1;
        if option.starts_with("--") {
            continue;
        }
        takes_text |= option.starts_with('-') && option.contains('c');
        // `-o pipefail`
        at += usize::from(option.ends_with('o'));
    }
    None
}

#[cfg(test)]
mod tests {
    use super::super::super::command::tests::terms_with_blanks;
    use super::*;

    fn text(words: &str) -> Option<String> {
        let words = terms_with_blanks(words);
        text_of(&words)?.known().map(str::to_owned)
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
            ("bash +e -c a_b", Some("a b")),
            ("ash -c a_b", Some("a b")),
            ("fish -c a", None),
        ] {
            assert_eq!(text(words).as_deref(), expected, "{words}");
        }
    }
}
