//! What kind of file holds shell texts: told by its name, by its first line, or by its top-level keys.

use super::super::wrappers::shells::is_shell;

/// What kind of file holds the shell texts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(in super::super) enum Container {
    /// A shell script, or a batch file for Slurm, PBS or LSF: the whole file is one text.
    Script,
    /// A Makefile.
    Makefile,
    /// A justfile.
    Justfile,
    /// A Dockerfile.
    Dockerfile,
    /// A GitHub workflow.
    Workflow,
    /// A composite action of GitHub.
    Action,
    /// A file for docker compose.
    Compose,
    /// Objects of Kubernetes.
    Kubernetes,
    /// A task of SkyPilot.
    SkyPilot,
    /// A pipeline of GitLab.
    GitLab,
    /// A task of dstack.
    Dstack,
    /// `launch.json` of Visual Studio Code.
    VsCode,
    /// Markdown with fenced shell texts.
    Markdown,
}

/// Endings of names, in lower case, that tell the kind. A walk looks for each of them.
pub(super) const ENDINGS: [(&str, Container); 17] = [
    ("sh", Container::Script),
    ("bash", Container::Script),
    ("zsh", Container::Script),
    ("ksh", Container::Script),
    ("slurm", Container::Script),
    ("sbatch", Container::Script),
    ("pbs", Container::Script),
    ("lsf", Container::Script),
    ("job", Container::Script),
    ("sub", Container::Script),
    ("mk", Container::Makefile),
    ("just", Container::Justfile),
    ("dockerfile", Container::Dockerfile),
    ("containerfile", Container::Dockerfile),
    ("md", Container::Markdown),
    ("mdx", Container::Markdown),
    ("qmd", Container::Markdown),
];

/// Whole names that tell the kind. A walk looks for each of them.
pub(super) const NAMES: [(&str, Container); 9] = [
    ("Makefile", Container::Makefile),
    ("makefile", Container::Makefile),
    ("GNUmakefile", Container::Makefile),
    ("justfile", Container::Justfile),
    ("Justfile", Container::Justfile),
    (".justfile", Container::Justfile),
    ("Dockerfile", Container::Dockerfile),
    ("Containerfile", Container::Dockerfile),
    ("launch.json", Container::VsCode),
];

/// What tells the kind of a YAML file.
struct Signature {
    /// Top-level keys of which all must be there.
    all: &'static [&'static str],
    /// Top-level keys of which one must be there, if there are any.
    any: &'static [&'static str],
    /// Texts that must occur anywhere.
    texts: &'static [&'static str],
    container: Container,
}

const fn signature(
    all: &'static [&'static str],
    any: &'static [&'static str],
    texts: &'static [&'static str],
    container: Container,
) -> Signature {
    Signature {
        all,
        any,
        texts,
        container,
    }
}

/// The first one that fits.
const SIGNATURES: [Signature; 9] = [
    signature(&["jobs"], &[], &["steps:", "run:"], Container::Workflow),
    signature(&["runs"], &[], &["composite", "run:"], Container::Action),
    signature(&["apiVersion", "kind"], &[], &[], Container::Kubernetes),
    signature(&["type", "commands"], &[], &[], Container::Dstack),
    signature(&["run"], &SKYPILOT, &[], Container::SkyPilot),
    signature(&["setup"], &SKYPILOT, &[], Container::SkyPilot),
    signature(&["setup", "run"], &[], &[], Container::SkyPilot),
    signature(&["services"], &[], &[], Container::Compose),
    signature(&["stages"], &[], &["script:"], Container::GitLab),
];

/// Keys of a task of SkyPilot beside `run` and `setup`.
const SKYPILOT: [&str; 6] = [
    "resources",
    "envs",
    "secrets",
    "workdir",
    "num_nodes",
    "file_mounts",
];

impl Container {
    /// The kind of a file, told by its name, and by what it says where the name says too little.
    pub(in super::super) fn of(path: &str, text: &str) -> Option<Self> {
        let name = path.rsplit_once('/').map_or(path, |(_, name)| name);
        if let Some((_, container)) = NAMES.iter().find(|(whole, _)| *whole == name) {
            return Some(*container);
        }
        if name.starts_with("Dockerfile.") || name.starts_with("Containerfile.") {
            return Some(Self::Dockerfile);
        }
        if let Some((_, ending)) = name.rsplit_once('.') {
            let ending = ending.to_ascii_lowercase();
            if matches!(ending.as_str(), "yaml" | "yml") {
                return Self::of_yaml(name, text);
            }
            if let Some((_, container)) = ENDINGS.iter().find(|(known, _)| *known == ending) {
                return Some(*container);
            }
        }
        begins_with_shell(text).then_some(Self::Script)
    }

    fn of_yaml(name: &str, text: &str) -> Option<Self> {
        if name.contains("gitlab-ci") {
            return Some(Self::GitLab);
        }
        let keys = top_level_keys(text);
        let has = |key: &&str| keys.contains(key);
        let found = SIGNATURES.iter().find(|signature| {
            signature.all.iter().all(has)
                && (signature.any.is_empty() || signature.any.iter().any(has))
                && signature.texts.iter().all(|needle| text.contains(needle))
        });
        found.map(|signature| signature.container)
    }
}

/// Whether the first line names a shell: `#!/bin/bash -l`, `#!/usr/bin/env -S bash -e`.
pub(super) fn begins_with_shell(text: &str) -> bool {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let Some(line) = text.strip_prefix("#!") else {
        return false;
    };
    let end = line.find('\n').unwrap_or(line.len());
    let mut words = line[..end].split_ascii_whitespace();
    let program = words.find(|word| !word.starts_with('-') && !word.ends_with("/env"));
    program.is_some_and(is_shell)
}

/// Those keys at the start of a line that [`SIGNATURES`] ask for; nothing is parsed.
fn top_level_keys(text: &str) -> Vec<&str> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let mut found = Vec::new();
    for line in text.lines() {
        if !line.starts_with(|c: char| c.is_ascii_alphabetic() || c == '"' || c == '\'') {
            continue;
        }
        let Some((key, _)) = line.split_once(':') else {
            continue;
        };
        let key = key.trim_end().trim_matches(['"', '\'']);
        let is_asked = SIGNATURES
            .iter()
            .any(|signature| signature.all.contains(&key) || signature.any.contains(&key));
        if is_asked && !found.contains(&key) {
            found.push(key);
        }
    }
    found
}

/// Programs that start training, which occur nowhere else by chance.
const PROGRAMS: [&str; 6] = [
    "accelerate",
    "torchrun",
    "torch.distributed",
    "deepspeed",
    "llamafactory-cli",
    "axolotl",
];

/// Programs whose names are also parts of words.
const SHORT_PROGRAMS: [&str; 3] = ["trl", "swift", "megatron"];

/// Commands that install packages.
const INSTALLS: [&str; 6] = [
    "pip install",
    "pip3 install",
    "conda install",
    "mamba install",
    "uv add",
    "pip\", \"install",
];

/// Whether a launch command may stand in a text: a search for words, nothing is parsed. `python` counts only where
/// what is written is run: prose is full of it.
pub(in super::super) fn may_hold_launch(container: Container, text: &str) -> bool {
    PROGRAMS.iter().any(|program| text.contains(program))
        || (container != Container::Markdown && text.contains("python"))
        || SHORT_PROGRAMS.iter().any(|program| has_word(text, program))
}

/// Whether a text may install packages.
pub(super) fn may_install(text: &str) -> bool {
    INSTALLS.iter().any(|install| text.contains(install))
}

fn has_word(text: &str, word: &str) -> bool {
    let is_part =
        |byte: Option<&u8>| byte.is_some_and(|byte| byte.is_ascii_alphanumeric() || *byte == b'_');
    let bytes = text.as_bytes();
    text.match_indices(word).any(|(at, _)| {
        let before = at.checked_sub(1).and_then(|before| bytes.get(before));
        !is_part(before) && !is_part(bytes.get(at + word.len()))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kinds_of_files() {
        let cases = [
            ("scripts/run.sh", "", Some(Container::Script)),
            ("a.SBATCH", "", Some(Container::Script)),
            ("run", "#!/usr/bin/env bash\n", Some(Container::Script)),
            ("run", "#!/bin/bash -l\r\n", Some(Container::Script)),
            (
                "run",
                "\u{feff}#!/usr/bin/env -S bash -e\n",
                Some(Container::Script),
            ),
            ("run", "#!/usr/bin/env python\n", None),
            ("run.py", "import sh\n", None),
            ("run", "# sh\n", None),
            ("a/Makefile", "", Some(Container::Makefile)),
            ("rules.mk", "", Some(Container::Makefile)),
            ("justfile", "", Some(Container::Justfile)),
            ("Dockerfile.gpu", "", Some(Container::Dockerfile)),
            ("gpu.Dockerfile", "", Some(Container::Dockerfile)),
            ("README.md", "", Some(Container::Markdown)),
            (".vscode/launch.json", "", Some(Container::VsCode)),
            (
                "a.yml",
                "on: push\n\"jobs\":\n  a:\n    steps:\n      - run: x\n",
                Some(Container::Workflow),
            ),
            (
                "action.yml",
                "runs:\n  using: composite\n  steps:\n  - run: x\n",
                Some(Container::Action),
            ),
            ("a.yaml", "services:\n  a: {}\n", Some(Container::Compose)),
            (
                "a.yaml",
                "---\nkind: Job\napiVersion: batch/v1\n",
                Some(Container::Kubernetes),
            ),
            (
                "a.yaml",
                "resources:\n  cpus: 1\nrun: |\n  x\n",
                Some(Container::SkyPilot),
            ),
            (
                "a.yaml",
                "type: task\ncommands:\n - x\n",
                Some(Container::Dstack),
            ),
            (".gitlab-ci.yml", "", Some(Container::GitLab)),
            (
                "accelerate.yaml",
                "compute_environment: LOCAL_MACHINE\nmixed_precision: fp8\n",
                None,
            ),
            ("a.yaml", "a:\n  jobs: 1\n", None),
        ];
        for (path, text, kind) in cases {
            assert_eq!(Container::of(path, text), kind, "{path}: {text:?}");
        }
    }

    #[test]
    fn words_of_launch_commands() {
        assert!(may_hold_launch(
            Container::Dockerfile,
            "CMD [\"trl\", \"sft\"]"
        ));
        assert!(may_hold_launch(Container::Script, "python3 train.py"));
        assert!(!may_hold_launch(Container::Markdown, "python3 train.py"));
        assert!(!may_hold_launch(Container::Workflow, "control swiftly"));
        assert!(may_install("RUN pip install trl"));
    }
}
