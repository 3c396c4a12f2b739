//! Pipelines of GitLab: the lines of a job's `before_script` and `script` are one text.

use super::super::Folder;
use super::collector::{Collector, Environment, Given};
use super::yaml;

pub(super) fn collect(found: &mut Collector<'_>) {
    for tree in yaml::documents(found.file) {
        let root = tree.root();
        let variables = |node| match tree.get(node, "variables") {
            Some(variables) => tree.environment(variables, "is empty", '\0', &mut |_| None),
            None => Environment::default(),
        };
        let outer = variables(root);
        let before = [Some(root), tree.get(root, "default")]
            .into_iter()
            .flatten()
            .find_map(|node| tree.get(node, "before_script"));
        for job in root.entries().map(|entry| entry.value) {
            let Some(script) = tree.get(job, "script") else {
                continue;
            };
            let before = tree.get(job, "before_script").or(before);
            let nodes: Vec<_> = before.into_iter().chain([script]).collect();
            let given = Given {
                layers: &[&outer, &variables(job)],
                folder: &Folder::Start(String::new()),
                loaded: &[],
            };
            found.shell(tree.joined(&nodes), &given);
        }
    }
}
