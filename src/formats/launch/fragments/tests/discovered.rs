//! Whether a walk finds what is told by its name.

use std::fs;
use std::path::PathBuf;

use super::super::container::{ENDINGS, NAMES};
use crate::discover::{NothingLocal, Patterns, Settings, discover};

#[test]
fn a_walk_finds_every_kind_of_launch_file() {
    let endings = ENDINGS.iter().flat_map(|(ending, _)| {
        [
            format!("a.{ending}"),
            format!("b.{}", ending.to_uppercase()),
        ]
    });
    let names = NAMES.iter().map(|(name, _)| (*name).to_owned());
    let more = ["Dockerfile.gpu", "Containerfile.gpu", "a.yaml", "a.yml"];
    let more = more.iter().map(|name| (*name).to_owned());
    let mut expected: Vec<String> = endings.chain(names).chain(more).collect();
    let folder = tempfile::tempdir().unwrap();
    for (number, name) in expected.iter_mut().enumerate() {
        // Some names differ in their case alone, which not every file system tells apart.
        *name = format!("{number:03}/{name}");
        let path = folder.path().join(&*name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, "").unwrap();
    }
    let none = || Patterns::new(std::iter::empty::<&str>()).unwrap();
    let settings = Settings {
        include: none(),
        exclude: none(),
        force_exclude: true,
        threads: 1,
    };
    let found = discover(
        &[PathBuf::from(".")],
        folder.path(),
        &settings,
        &NothingLocal,
    );
    let found: Vec<String> = found
        .candidates
        .into_iter()
        .map(|found| found.shown)
        .collect();
    assert_eq!(found, expected);
}
