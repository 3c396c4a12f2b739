mod bash;
mod flow;
mod hostile;
mod places;
mod words;

use std::collections::HashMap;

use super::*;

/// Files that can be loaded, by path as seen from the start.
struct Files(HashMap<String, Arc<SourceFile>>);

impl Loaded for Files {
    fn load(&self, path: &str, folder: &Folder) -> Option<Arc<SourceFile>> {
        let folder = match folder {
            Folder::Start(folder) => folder.as_str(),
            Folder::Own(folder) => folder.as_str(),
            Folder::Unknown => return None,
        };
        let path = format!("{folder}/{}", path.trim_start_matches("./"));
        self.0.get(path.trim_start_matches('/')).cloned()
    }
}

fn run_with(text: &str, files: &[(&str, &str)]) -> Vec<Executed> {
    let file = Arc::new(SourceFile::from_text("scripts/train.sh", text));
    let files = files
        .iter()
        .map(|(path, text)| {
            (
                (*path).to_owned(),
                Arc::new(SourceFile::from_text(*path, *text)),
            )
        })
        .collect();
    let start = Start {
        file: &file,
        environment: &[],
        folder: &Folder::Start(String::new()),
    };
    run(&MappedText::verbatim(text, 0), &start, &Files(files))
}

fn run_text(text: &str) -> Vec<Executed> {
    run_with(text, &[])
}

/// The words of a term list as one line: known ones as they are, `<why>` for one that is not known, `<why…>` for one
/// that may be any number.
fn line(words: &[Term]) -> String {
    let words: Vec<String> = words.iter().map(shown).collect();
    words.join(" | ")
}

fn shown(term: &Term) -> String {
    match (&term.text, term.is_open) {
        (Ok(text), _) => text.clone(),
        (Err(why), true) => format!("<{why}…>"),
        (Err(why), false) => format!("<{why}>"),
    }
}

/// The commands as lines.
fn lines(text: &str) -> Vec<String> {
    run_text(text)
        .iter()
        .map(|executed| line(&executed.words))
        .collect()
}
