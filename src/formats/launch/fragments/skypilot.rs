//! Tasks of SkyPilot (`setup`, then `run`) and of dstack (`commands`).

use super::super::Folder;
use super::collector::{Collector, Environment, Given};
use super::container::Container;
use super::paths;
use super::yaml;

pub(super) fn collect(found: &mut Collector<'_>) {
    // Which keys hold texts, and which give variables.
    let (texts, variables): (&[&str], &[&str]) = match found.container {
        Container::Dstack => (&["commands"], &["env"]),
        _ => (&["setup", "run"], &["envs", "secrets"]),
    };
    for tree in yaml::documents(found.file) {
        let root = tree.root();
        let layers: Vec<Environment> = variables
            .iter()
            .filter_map(|key| tree.get(root, key))
            .map(|node| {
                let missing = "is given when the task is started";
                tree.environment(node, missing, '\0', &mut |_| None)
            })
            .collect();
        let layers: Vec<&Environment> = layers.iter().collect();
        let folder = match (found.container, tree.text_of(root, "workdir")) {
            (Container::Dstack, _) => match tree.text_of(root, "working_dir") {
                Some(path) => paths::start(&path),
                None => Folder::Start(String::new()),
            },
            (_, Some(path)) => paths::start(&path),
            (_, None) => Folder::Unknown,
        };
        for node in texts.iter().filter_map(|key| tree.get(root, key)) {
            let given = Given {
                layers: &layers,
                folder: &folder,
                loaded: &[],
            };
            found.shell(tree.joined(&[node]), &given);
        }
    }
}
