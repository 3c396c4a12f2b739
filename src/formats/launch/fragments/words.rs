//! Words that are run without a shell, and those that start one.

use super::super::Term;
use super::super::wrappers::shells::is_shell;
use super::fill::Unknowns;
use super::text::{Builder, MappedText};

/// A word of a command that no shell reads.
#[derive(Clone, Debug)]
pub(super) struct Word {
    /// The word as written, nothing filled in.
    pub(super) text: MappedText,
    /// The word as the program gets it.
    pub(super) term: Term,
}

impl Word {
    fn written(&self) -> &str {
        &self.text.text
    }
}

/// Programs that run the words after them: as an image's entry point.
const INITS: [&str; 3] = ["tini", "dumb-init", "catatonit"];

/// How many words at the front belong to such programs.
fn wrappers(words: &[Word]) -> usize {
    let mut count = 0;
    while let Some(word) = words.get(count) {
        let path = word.written();
        let name = path.rsplit_once('/').map_or(path, |(_, name)| name);
        if !INITS.contains(&name) && !name.ends_with("entrypoint.sh") && path != "/usr/bin/env" {
            break;
        }
        count += 1;
        while words
            .get(count)
            .is_some_and(|word| word.written().starts_with('-'))
        {
            count += 1;
        }
    }
    count
}

/// The words without the programs at the front that only run the others.
pub(super) fn unwrapped(mut words: Vec<Word>) -> Vec<Word> {
    let count = wrappers(&words);
    words.drain(..count);
    words
}

/// The text of `bash -c TEXT`.
pub(super) fn script_of_shell(words: &[Word]) -> Option<&MappedText> {
    let mut words = words[wrappers(words)..].iter();
    if !is_shell(words.next()?.written()) {
        return None;
    }
    while let Some(word) = words.next() {
        match word.written() {
            "-o" | "+o" => {
                words.next();
            }
            long if long.starts_with("--") => {}
            option if option.starts_with('-') && option.contains('c') => {
                return words.next().map(|word| &word.text);
            }
            option if option.starts_with('-') => {}
            _ => return None,
        }
    }
    None
}

/// The words with blanks between them.
pub(super) fn joined(words: &[Word]) -> String {
    let words: Vec<&str> = words.iter().map(Word::written).collect();
    words.join(" ")
}

/// The words as a text for a shell, which finds the same words in it.
pub(super) fn quoted(words: &[Word], unknowns: &mut Unknowns<'_>) -> MappedText {
    let start = words.first().map_or(0, |word| word.term.spot.span.start);
    let mut builder = Builder::new(start);
    for word in words {
        let span = word.term.spot.span;
        let text = match &word.term.text {
            Ok(text) => quote(text),
            Err(why) => format!("\"${{{}}}\"", unknowns.name(why.clone(), span)),
        };
        if !builder.text().is_empty() {
            builder.replaced(" ", span);
        }
        builder.replaced(&text, span);
    }
    builder.finish()
}

/// A text in quotes of the shell, if it needs any.
pub(super) fn quote(text: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "_-./=:,@%+".contains(c);
    if !text.is_empty() && text.chars().all(is_plain) {
        return text.to_owned();
    }
    format!("'{}'", text.replace('\'', "'\\''"))
}
