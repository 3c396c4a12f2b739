//! The shell texts of a file, with what the file around them gives them.

mod collector;
mod compose;
mod container;
mod dockerfile;
mod fill;
mod github;
mod gitlab;
mod jsonc;
mod justfile;
mod kubernetes;
mod makefile;
mod markdown;
mod paths;
mod scalar;
mod script;
mod skypilot;
mod text;
mod vscode;
mod words;
mod yaml;

use std::sync::Arc;

use crate::source::SourceFile;

use super::{Folder, Term};

pub(super) use container::{Container, may_hold_launch};
pub(super) use text::MappedText;

use collector::Collector;

/// One shell text.
#[derive(Clone, Debug)]
pub(super) struct Fragment {
    /// The file.
    pub(super) file: Arc<SourceFile>,
    /// What runs.
    pub(super) body: Body,
    /// The variables that the file gives it (`env:`, `ENV`), in the order in which later ones win.
    pub(super) environment: Vec<(String, Term)>,
    /// Where it runs.
    pub(super) folder: Folder,
    /// Whether it is prose, which nothing runs.
    pub(super) is_prose: bool,
}

/// What runs.
#[derive(Clone, Debug)]
pub(super) enum Body {
    /// A text for a shell.
    Shell(MappedText),
    /// Words that are run as they are: the JSON form of a Dockerfile's `CMD`, `command:` and `args:` of Kubernetes.
    /// Where they are a shell with `-c`, the body is a shell's text instead.
    Words(Vec<Term>),
}

/// The shell texts of a file; those that can neither launch nor install anything nor write a file are left out.
pub(super) fn of(file: &Arc<SourceFile>) -> Vec<Fragment> {
    let text = file.text();
    let Some(container) = Container::of(&file.path, text) else {
        return Vec::new();
    };
    if !may_hold_launch(container, text) && !container::may_install(text) {
        return Vec::new();
    }
    let mut found = Collector::new(file, container);
    match container {
        Container::Script => script::collect(&mut found),
        Container::Makefile => makefile::collect(&mut found),
        Container::Justfile => justfile::collect(&mut found),
        Container::Dockerfile => dockerfile::collect(&mut found),
        Container::Workflow | Container::Action => github::collect(&mut found),
        Container::Compose => compose::collect(&mut found),
        Container::Kubernetes => kubernetes::collect(&mut found),
        Container::SkyPilot | Container::Dstack => skypilot::collect(&mut found),
        Container::GitLab => gitlab::collect(&mut found),
        Container::VsCode => vscode::collect(&mut found),
        Container::Markdown => markdown::collect(&mut found),
    }
    found.into_fragments()
}

#[cfg(test)]
mod tests;
