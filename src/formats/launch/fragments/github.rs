//! Workflows and composite actions of GitHub: each `run:` is a text of its own.

use crate::source::NodeRef;

use super::super::Folder;
use super::super::wrappers::shells::is_shell;
use super::collector::{Collector, Environment, Given};
use super::fill::{self, Filling, between};
use super::paths;
use super::yaml::{self, Tree};

/// What a job gives its steps.
struct Job<'a> {
    layers: [&'a Environment; 2],
    shell: Option<String>,
    folder: Option<String>,
}

pub(super) fn collect(found: &mut Collector<'_>) {
    for tree in yaml::documents(found.file) {
        let root = tree.root();
        let nothing = Environment::default();
        let outer = environment(&tree, root, &[]);
        for job in tree
            .get(root, "jobs")
            .iter()
            .flat_map(|jobs| jobs.entries())
        {
            let given = environment(&tree, job.value, &[&outer]);
            let settings = |key| {
                [job.value, root].iter().find_map(|node| {
                    let run = tree.get(tree.get(*node, "defaults")?, "run")?;
                    tree.text_of(run, key)
                })
            };
            let given = Job {
                layers: [&outer, &given],
                shell: settings("shell"),
                folder: settings("working-directory"),
            };
            steps(&tree, job.value, &given, found);
        }
        if let Some(runs) = tree.get(root, "runs") {
            let given = Job {
                layers: [&outer, &nothing],
                shell: None,
                folder: None,
            };
            steps(&tree, runs, &given, found);
        }
    }
}

fn steps(tree: &Tree<'_>, job: NodeRef<'_>, given: &Job<'_>, found: &mut Collector<'_>) {
    for step in tree
        .get(job, "steps")
        .iter()
        .flat_map(|steps| steps.elements())
    {
        let Some(text) = tree.get(step, "run").and_then(|run| tree.scalar(run)) else {
            continue;
        };
        let shell = tree.text_of(step, "shell").or_else(|| given.shell.clone());
        let program = shell
            .as_deref()
            .and_then(|shell| shell.split_whitespace().next());
        if !program.is_none_or(is_shell) {
            continue;
        }
        let [outer, inner] = given.layers;
        let own = environment(tree, step, &[outer, inner]);
        let layers = [outer, inner, &own];
        let folder = tree
            .text_of(step, "working-directory")
            .or_else(|| given.folder.clone());
        let given = Given {
            layers: &layers,
            folder: &folder.map_or(Folder::Start(String::new()), |path| folder_at(&path)),
            loaded: &[],
        };
        found.filled_shell(text, &given, &mut |text, unknowns| {
            fill::shell(text, '$', &mut |rest| expression(rest, &layers), unknowns)
        });
    }
}

fn folder_at(path: &str) -> Folder {
    let inside = between(path, "${{", "}}").filter(|(inner, _)| inner.trim() == "github.workspace");
    match inside {
        Some((_, length)) => paths::start(path[length..].trim_start_matches('/')),
        None => paths::start(path),
    }
}

fn environment(tree: &Tree<'_>, node: NodeRef<'_>, outer: &[&Environment]) -> Environment {
    match tree.get(node, "env") {
        Some(env) => tree.environment(env, "is empty", '$', &mut |rest| expression(rest, outer)),
        None => Environment::default(),
    }
}

/// `${{ … }}`: known only where it is a variable of `env` that is known.
fn expression(rest: &str, layers: &[&Environment]) -> Option<(usize, Filling)> {
    let (inner, length) = between(rest, "${{", "}}")?;
    let known = inner.trim().strip_prefix("env.").and_then(|name| {
        let found = layers.iter().rev().find_map(|layer| layer.get(name))?;
        Some(Filling::of(found))
    });
    let filling = known.unwrap_or_else(|| {
        let inner = inner.trim();
        Filling::Unknown(format!("`${{{{ {inner} }}}}` is filled in by GitHub"))
    });
    Some((length, filling))
}
