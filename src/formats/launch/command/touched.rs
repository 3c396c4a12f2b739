//! The files that a command writes or changes with a content that is not known: what they hold when they are read
//! later cannot be told.

use super::super::Term;
use super::super::shell::Redirection;

/// Programs whose last operand is written.
const COPIES: [&str; 6] = ["cp", "install", "ln", "mv", "rsync", "tee"];

/// Programs that change the files that they name, where they are given one of these options.
const EDITS_IN_PLACE: [(&str, &[&str]); 4] = [
    ("sed", &["-i", "--in-place"]),
    ("yq", &["-i", "--inplace"]),
    ("perl", &["-i", "-pi"]),
    ("jq", &["-i"]),
];

/// Options that name the file which a program writes.
const OUTPUTS: [(&str, &[&str]); 3] = [
    ("curl", &["-o", "--output"]),
    ("wget", &["-O", "--output-document"]),
    ("accelerate", &["--config_file", "--config-file"]),
];

/// The paths that a command writes or changes.
pub(super) fn of(words: &[Term], redirections: &[Redirection]) -> impl Iterator<Item = String> {
    paths(words, redirections).into_iter()
}

fn paths(words: &[Term], redirections: &[Redirection]) -> Vec<String> {
    let mut touched = Vec::new();
    let has_body = redirections
        .iter()
        .any(|redirection| matches!(redirection, Redirection::Body { .. }));
    for redirection in redirections {
        match redirection {
            // What a here-document writes is known.
            Redirection::Output(file) if !has_body => touched.extend(file.known()),
            Redirection::Append(file) => touched.extend(file.known()),
            _ => {}
        }
    }
    let mut words = words.iter().filter_map(Term::known);
    let Some(program) = words.next() else {
        return touched.into_iter().map(str::to_owned).collect();
    };
    let program = program.rsplit('/').next().unwrap_or(program);
    let words: Vec<&str> = words.collect();
    let is_option = |word: &&&str| word.starts_with('-');
    if COPIES.contains(&program) {
        touched.extend(words.iter().rev().find(|word| !is_option(word)));
    }
    let edits = EDITS_IN_PLACE.iter().find(|(name, _)| *name == program);
    if let Some((_, options)) = edits
        && words
            .iter()
            .any(|word| options.iter().any(|option| word.starts_with(option)))
    {
        touched.extend(words.iter().filter(|word| !is_option(word)));
    }
    // `accelerate config` writes; `accelerate launch` reads.
    let writes = program != "accelerate" || words.first() == Some(&"config");
    if let Some((_, options)) = OUTPUTS.iter().find(|(name, _)| *name == program)
        && writes
    {
        for (at, word) in words.iter().enumerate() {
            match word.split_once('=') {
                Some((option, file)) if options.contains(&option) => touched.push(file),
                None if options.contains(word) => touched.extend(words.get(at + 1)),
                _ => {}
            }
        }
    }
    touched.into_iter().map(str::to_owned).collect()
}

#[cfg(test)]
mod tests {
    use super::super::super::{Loaded, NothingLoaded, read};
    use crate::source::SourceFile;

    #[test]
    fn what_is_written_and_not_known_is_touched() {
        let loaded: &dyn Loaded = &NothingLoaded;
        for (text, expected) in [
            ("sed s/a/b/ t.yaml > a.yaml", &["a.yaml"][..]),
            ("sed -i 's/fp8/bf16/' a.yaml", &["s/fp8/bf16/", "a.yaml"]),
            ("yq -i '.x = 1' a.yaml", &[".x = 1", "a.yaml"]),
            ("cp b.yaml a.yaml", &["a.yaml"]),
            ("wget -q -O a.yaml https://x/y", &["a.yaml"]),
            ("curl --output=a.yaml https://x/y", &["a.yaml"]),
            (
                "accelerate config default --config_file a.yaml",
                &["a.yaml"],
            ),
            ("accelerate launch --config_file a.yaml train.py", &[]),
            ("cat > a.yaml <<EOF\na: 1\nEOF", &[]),
            ("echo 'b: 1' >> a.yaml", &["a.yaml"]),
            ("cat a.yaml", &[]),
        ] {
            let file = SourceFile::from_text("a.sh", format!("{text}\naccelerate launch b.py\n"));
            let found = read(&std::sync::Arc::new(file), loaded);
            let paths: Vec<&str> = found
                .touched
                .iter()
                .map(|touched| touched.path.as_str())
                .collect();
            assert_eq!(paths, expected, "{text}");
        }
    }
}
