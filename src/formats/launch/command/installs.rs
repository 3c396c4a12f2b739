//! Requirements that install commands name.

mod requirement;

use super::super::words::{base_name, beginning, is_flag};
use super::super::{Install, Term};

use requirement::{Spelling, requirement};

/// A program that installs packages.
struct Installer {
    /// Its name with its subcommands.
    name: &'static str,
    /// Options with a value.
    valued: &'static str,
    /// How its requirements are spelt.
    spelling: Spelling,
}

/// Options of pip and uv with a value, those aside that name files of requirements.
const PIP: &str = "-e --editable -t --target -i --index-url --extra-index-url -f --find-links --prefix --root --src \
    --platform --python-version --implementation --abi --no-binary --only-binary --progress-bar --trusted-host \
    --proxy --retries --timeout --upgrade-strategy -C --config-settings --config-setting --global-option \
    --build-option --report --root-user-action --cache-dir --log --cert --client-cert --exists-action --use-feature \
    --use-deprecated --python -p --torch-backend --index --default-index --index-strategy --extra --group --package \
    --directory --project --resolution --prerelease --keyring-provider --link-mode --exclude-newer -P \
    --upgrade-package --reinstall-package --refresh-package --no-build-isolation-package --no-build-package \
    --no-binary-package --color --allow-insecure-host --branch --tag --rev --optional --overrides --override -b \
    --build-constraints --build-constraint --python-platform --fork-strategy --config-file --bounds --marker -m \
    --default-timeout";
const POETRY: &str = "-G --group --source -E --extras --python --platform --markers -C --directory -P --project \
    -p --venv -L --lockfile --feature --pypi-option --save-strategy";
const CONDA: &str = "-n --name -p --prefix -c --channel --solver --revision --repodata-fn --experimental --subdir \
    --platform --clone -r --root-prefix";

const INSTALLERS: &[Installer] = &[
    Installer {
        name: "pip install",
        valued: PIP,
        spelling: Spelling::Pip,
    },
    Installer {
        name: "uv pip install",
        valued: PIP,
        spelling: Spelling::Pip,
    },
    Installer {
        name: "uv add",
        valued: PIP,
        spelling: Spelling::Pip,
    },
    Installer {
        name: "pipenv install",
        valued: PIP,
        spelling: Spelling::Pip,
    },
    Installer {
        name: "pdm add",
        valued: POETRY,
        spelling: Spelling::Pip,
    },
    Installer {
        name: "poetry add",
        valued: POETRY,
        spelling: Spelling::Poetry,
    },
    Installer {
        name: "conda install",
        valued: CONDA,
        spelling: Spelling::Conda,
    },
    Installer {
        name: "conda create",
        valued: CONDA,
        spelling: Spelling::Conda,
    },
    Installer {
        name: "mamba install",
        valued: CONDA,
        spelling: Spelling::Conda,
    },
    Installer {
        name: "mamba create",
        valued: CONDA,
        spelling: Spelling::Conda,
    },
    Installer {
        name: "micromamba install",
        valued: CONDA,
        spelling: Spelling::Conda,
    },
    Installer {
        name: "micromamba create",
        valued: CONDA,
        spelling: Spelling::Conda,
    },
];

/// The requirements of a command, if it installs.
pub(super) fn of(words: &[Term], is_prose: bool) -> Vec<Install> {
    let Some((installer, start)) = installer_of(words) else {
        return Vec::new();
    };
    let mut found = Vec::new();
    let mut rest = words.iter().skip(start);
    while let Some(word) = rest.next() {
        let requirement = if is_flag(word) {
            option(installer, word, &mut rest)
        } else {
            word.known()
                .and_then(|text| requirement(text, installer.spelling))
                .map(|requirement| (requirement, word))
        };
        if let Some((requirement, word)) = requirement {
            found.push(Install {
                requirement,
                spot: word.spot.clone(),
                is_prose,
            });
        }
    }
    found
}

/// The installer, and where the words after its name begin.
fn installer_of(words: &[Term]) -> Option<(&'static Installer, usize)> {
    let name = base_name(words.first()?)?;
    // `python -m pip`
    let is_module = name.starts_with("python") && words.get(1)?.known() == Some("-m");
    let start = if is_module { 2 } else { 0 };
    let first = base_name(words.get(start)?)?;
    let first = match first.strip_prefix("pip") {
        Some(version)
            if version
                .bytes()
                .all(|byte| byte.is_ascii_digit() || byte == b'.') =>
        {
            "pip"
        }
        _ => first,
    };
    INSTALLERS.iter().find_map(|installer| {
        let mut names = installer.name.split(' ');
        if names.next() != Some(first) {
            return None;
        }
        let mut at = start + 1;
        for name in names {
            // Options in front of the subcommand: only those that are one word.
            while words.get(at).is_some_and(is_flag) {
                at += 1;
            }
            if words.get(at)?.known() != Some(name) {
                return None;
            }
            at += 1;
        }
        Some((installer, at))
    })
}

/// An option: `-r FILE` and `-c FILE` are given as they are, the values of others passed over.
fn option<'a>(
    installer: &Installer,
    word: &'a Term,
    rest: &mut impl Iterator<Item = &'a Term>,
) -> Option<(String, &'a Term)> {
    let text = beginning(word);
    let (name, joined) = match text.split_once('=') {
        Some((name, value)) if name.starts_with("--") => (name, Some(value.to_owned())),
        _ if text.starts_with("--") || text.len() <= 2 => (&*text, None),
        // `-rFILE`
        _ => match (text.get(..2), text.get(2..)) {
            (Some(name @ ("-r" | "-c")), Some(value)) => (name, Some(value.to_owned())),
            _ => return None,
        },
    };
    let file = match (name, installer.spelling) {
        ("-r" | "--requirement" | "--requirements", Spelling::Pip) => "-r",
        ("-c" | "--constraint" | "--constraints", Spelling::Pip) => "-c",
        _ => {
            let takes_value = installer
                .valued
                .split_ascii_whitespace()
                .any(|known| known == name);
            if takes_value && joined.is_none() {
                rest.next();
            }
            return None;
        }
    };
    match joined {
        Some(value) => word.known().map(|_| (format!("{file} {value}"), word)),
        None => {
            let value = rest.next()?;
            value.known().map(|text| (format!("{file} {text}"), value))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::super::words::written;
    use super::super::tests::terms;
    use super::*;

    #[test]
    fn requirements_of_commands() {
        for (command, expected) in [
            (
                "pip install accelerate==1.7.0 -U trl[vllm]>=0.19,<1",
                "accelerate==1.7.0 trl[vllm]>=0.19,<1",
            ),
            (
                "pip3 install --index-url https://x/y torch torchao~=0.14",
                "torch torchao~=0.14",
            ),
            (
                "/opt/bin/pip3.11 --no-cache-dir install -r requirements.txt -c a.txt",
                "-r requirements.txt -c a.txt",
            ),
            (
                "pip install --requirement=a/b.txt -rc.txt",
                "-r a/b.txt -r c.txt",
            ),
            (
                "python3 -m pip install -q . ./x ../y x.whl https://x/y.whl git+https://x/y@v1 -e .[dev]",
                "",
            ),
            ("uv pip install --system accelerate==$VERSION trl", "trl"),
            ("uv add accelerate>=1.3 --group dev", "accelerate>=1.3"),
            (
                "poetry add accelerate@1.3 trl@^0.19 peft@>=0.5 torch",
                "accelerate==1.3 peft>=0.5 torch",
            ),
            ("pdm add -G dev accelerate", "accelerate"),
            (
                "conda install -y -c conda-forge pytorch=2.5 accelerate=1.2.3=py_0 trl>=1 conda-forge::peft==0.5",
                "torch==2.5.* accelerate==1.2.3 trl>=1 peft==0.5",
            ),
            ("pip uninstall accelerate", ""),
            ("pip", ""),
            ("pip install", ""),
            ("apt-get install accelerate", ""),
            ("pip install -r $FILE", ""),
        ] {
            let found: Vec<String> = of(&terms(command), false)
                .into_iter()
                .map(|install| install.requirement)
                .collect();
            assert_eq!(found.join(" "), expected, "{command}");
        }
    }

    #[test]
    fn a_requirement_has_the_place_of_its_word() {
        let words = terms("pip install -r requirements.txt");
        let found = of(&words, true);
        assert_eq!(found[0].spot.span, words[3].spot.span);
        assert_eq!(written(&words[3]), "requirements.txt");
        assert!(found[0].is_prose);
    }
}
