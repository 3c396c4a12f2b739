//! The docs say what the program says: the pages of the rules and of the releases are written from the code, and every
//! command that a page shows is run. `UPDATE_DOCS=1 cargo test --test docs` writes them anew.

#![allow(
    missing_docs,
    unreachable_pub,
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic
)]

mod support;

use std::collections::BTreeMap;
use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};

use fp8lint::cli::catalogue::{self, Described};
use fp8lint::rules::{Example, OPT_IN};
use support::{Ran, Repository, program, ran};

/// The families of rules, by their hundreds, as the pages name them.
const FAMILIES: &[(&str, &str)] = &[
    ("FP1", "Refused: the launcher does not start the script"),
    (
        "FP2",
        "Raises: starts, then fails in the trainer, in `Accelerator()`, in `prepare()`, or when it saves",
    ),
    (
        "FP3",
        "Silent: runs, but not as asked, or a setting has no effect",
    ),
    ("FP4", "Contradiction: two places of one run disagree"),
    (
        "FP6",
        "Versions and hardware, where they are declared, pinned or listed as dependencies",
    ),
    ("FP9", "The checking itself"),
];

fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}

/// The text of a page; empty where there is none yet.
fn read(path: &Path) -> String {
    fs::read_to_string(path).unwrap_or_default()
}

/// Holds the files against what they should be, or writes them anew.
fn check(pages: &BTreeMap<PathBuf, String>) {
    let update = std::env::var_os("UPDATE_DOCS").is_some();
    let mut stale = Vec::new();
    for (path, text) in pages {
        if read(path) == *text {
            continue;
        }
        if update {
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        } else {
            stale.push(path.strip_prefix(root()).unwrap().display().to_string());
        }
    }
    assert!(
        stale.is_empty(),
        "not up to date: {}; run UPDATE_DOCS=1 cargo test --test docs",
        stale.join(", ")
    );
}

#[test]
fn every_rule_has_its_page() {
    let folder = root().join("docs").join("rules");
    let mut pages = BTreeMap::from([(folder.join("README.md"), table())]);
    for described in catalogue::all() {
        pages.insert(
            folder.join(format!("{}.md", described.code)),
            page(&described),
        );
    }
    check(&pages);
    for entry in fs::read_dir(&folder).unwrap() {
        let path = entry.unwrap().path();
        assert!(
            pages.contains_key(&path),
            "{} belongs to no rule: remove it",
            path.display()
        );
    }
}

/// The table of all rules.
fn table() -> String {
    let mut text = "# The rules\n\nWritten from the code by `UPDATE_DOCS=1 cargo test --test docs`. \
                    `fp8lint explain RULE` prints the same; a rule is named by its code or its name. The column \\
                    fix says what `--fix` can do in the examples: safe fixes, those that need `--unsafe-fixes`, or \\
                    a suggestion that is only shown in the reports.\n"
        .to_owned();
    let all = catalogue::all();
    for (hundred, title) in FAMILIES {
        write!(
            text,
            "\n## {hundred}xx: {title}\n\n| code | name | severity | confidence | fix | what |\n| --- | --- | --- | --- | --- | --- |\n"
        )
        .unwrap();
        for described in all
            .iter()
            .filter(|described| described.code.starts_with(hundred))
        {
            writeln!(
                text,
                "| [{code}]({code}.md) | {} | {} | {} | {} | {} |",
                described.name,
                described.severity,
                described.confidence.as_str(),
                fix_of(described),
                markdown(described.summary).replace('|', "\\|"),
                code = described.code,
            )
            .unwrap();
        }
    }
    let is_listed = |described: &Described| {
        FAMILIES
            .iter()
            .any(|(hundred, _)| described.code.starts_with(hundred))
    };
    assert!(all.iter().all(is_listed), "a family is missing above");
    text
}

/// The page of one rule.
fn page(described: &Described) -> String {
    let mut text = format!(
        "# {} {}\n\n{}, {} · [all rules](README.md)\n\n**{}**\n\n{}\n",
        described.code,
        described.name,
        described.severity,
        described.confidence.as_str(),
        markdown(described.summary),
        markdown(described.explanation.trim()),
    );
    for (heading, fails) in [("Found", true), ("Passed", false)] {
        let examples: Vec<_> = described
            .examples
            .iter()
            .filter(|example| example.fails == fails)
            .collect();
        if !examples.is_empty() {
            write!(text, "\n## {heading}\n").unwrap();
        }
        for example in examples {
            text.push_str(&section(described.code, example));
        }
    }
    text
}

/// An example: the file, and what the program says about it.
fn section(code: &str, example: &Example) -> String {
    let shown = |file: &str, text: &str| {
        let name = Path::new(file);
        let language = name.extension().unwrap_or(name.file_name().unwrap());
        format!(
            "```{}\n{text}```\n",
            language.to_string_lossy().to_lowercase()
        )
    };
    let mut command = match example.beside {
        [] => format!("fp8lint {}", example.file),
        _ => "fp8lint".to_owned(),
    };
    if OPT_IN.contains(&code) {
        write!(command, " --select {code}").unwrap();
    }
    for setting in example.target {
        write!(command, " --target {setting}").unwrap();
    }
    let repository = Repository::with(&[(example.file, example.text)]);
    let mut files = shown(example.file, example.text);
    if !example.beside.is_empty() {
        files = format!("`{}`\n\n{files}", example.file);
    }
    for (file, text) in example.beside {
        repository.write(file, text);
        write!(files, "\n`{file}`\n\n{}", shown(file, text)).unwrap();
    }
    let settings = example.settings.map_or_else(String::new, |settings| {
        repository.write("fp8lint.toml", settings);
        format!("\nWith `fp8lint.toml`:\n\n```toml\n{settings}```\n")
    });
    let mended = match example.fails {
        true => mended(&repository, &command),
        false => String::new(),
    };
    format!(
        "\n### {}\n{settings}\n{files}\n```console\n$ {command}\n{}```\n{mended}",
        markdown(example.title),
        output(&run(&repository, &command)),
    )
}

/// What `--fix` makes of an example, and what the unsafe fixes make of it besides.
fn mended(repository: &Repository, command: &str) -> String {
    let patch = |more: &str| run(repository, &format!("{command} {more}")).stdout;
    let hunks = |patch: &str| {
        let lines = patch
            .lines()
            .filter(|line| !line.starts_with("diff --git "));
        lines.map(|line| format!("{line}\n")).collect::<String>()
    };
    let safe = patch("--diff");
    let all = patch("--diff --unsafe-fixes");
    let shown =
        |heading: &str, patch: &str| format!("\n{heading}\n\n```diff\n{}```\n", hunks(patch));
    let mut text = String::new();
    if !safe.is_empty() {
        text += &shown("`--fix` makes of it:", &safe);
    }
    if all != safe {
        text += &shown("`--fix --unsafe-fixes` makes of it:", &all);
    }
    text
}

/// The safest fix that an example of the rule is offered.
fn fix_of(described: &Described) -> &'static str {
    let mut found = "";
    for example in described.examples.iter().filter(|example| example.fails) {
        let repository = Repository::with(&[(example.file, example.text)]);
        for (file, text) in example.beside {
            repository.write(file, text);
        }
        if let Some(settings) = example.settings {
            repository.write("fp8lint.toml", settings);
        }
        let mut command = "fp8lint . --report json --exit-zero".to_owned();
        if example.beside.is_empty() {
            command = command.replace('.', example.file);
        }
        if OPT_IN.contains(&described.code) {
            write!(command, " --select {}", described.code).unwrap();
        }
        for setting in example.target {
            write!(command, " --target '{setting}'").unwrap();
        }
        let report: serde_json::Value =
            serde_json::from_str(&run(&repository, &command).stdout).unwrap();
        for finding in report["findings"].as_array().unwrap() {
            if finding["code"] != described.code {
                continue;
            }
            for fix in finding["fixes"].as_array().unwrap() {
                match fix["safety"].as_str().unwrap() {
                    "safe" => return "safe",
                    "unsafe" => found = "unsafe",
                    _ if found.is_empty() => found = "shown",
                    _ => {}
                }
            }
        }
    }
    found
}

/// Plain configs that ask for fp8: what each is, the file, and what is declared as installed, once for each table.
const PLAIN: &[(&str, &str, &[&str])] = &[
    (
        "fp8 and no `fp8_config`, one process",
        "distributed_type: 'NO'\nmixed_precision: fp8\nnum_processes: 1\n",
        &[
            "transformer_engine",
            "msamp",
            "torchao",
            "transformer_engine,msamp,torchao",
        ],
    ),
    (
        "TE, one process",
        "distributed_type: 'NO'\nmixed_precision: fp8\nnum_processes: 1\nfp8_config:\n  backend: TE\n",
        &["transformer_engine"],
    ),
    (
        "AO, one process",
        "distributed_type: 'NO'\nmixed_precision: fp8\nnum_processes: 1\nfp8_config:\n  backend: AO\n",
        &["torchao", "transformer_engine,torchao"],
    ),
    (
        "MSAMP, one process",
        "distributed_type: 'NO'\nmixed_precision: fp8\nnum_processes: 1\nfp8_config:\n  backend: MSAMP\n",
        &["msamp"],
    ),
    (
        "TE, `MULTI_GPU`",
        "distributed_type: MULTI_GPU\nmixed_precision: fp8\nnum_processes: 8\nfp8_config:\n  backend: TE\n",
        &["transformer_engine"],
    ),
    (
        "AO, `MULTI_GPU`",
        "distributed_type: MULTI_GPU\nmixed_precision: fp8\nnum_processes: 8\nfp8_config:\n  backend: AO\n",
        &["torchao", "transformer_engine,torchao"],
    ),
    (
        "MSAMP, `MULTI_GPU`",
        "distributed_type: MULTI_GPU\nmixed_precision: fp8\nnum_processes: 8\nfp8_config:\n  backend: MSAMP\n",
        &["msamp"],
    ),
    (
        "TE, FSDP1",
        "distributed_type: FSDP\nmixed_precision: fp8\nnum_processes: 8\nfsdp_config:\n  fsdp_version: 1\n\
         fp8_config:\n  backend: TE\n",
        &["transformer_engine"],
    ),
    (
        "AO, FSDP2",
        "distributed_type: FSDP\nmixed_precision: fp8\nnum_processes: 8\nfsdp_config:\n  fsdp_version: 2\n  \
         fsdp_cpu_ram_efficient_loading: false\nfp8_config:\n  backend: AO\n",
        &["torchao", "transformer_engine,torchao"],
    ),
    (
        "TE, FSDP2",
        "distributed_type: FSDP\nmixed_precision: fp8\nnum_processes: 8\nfsdp_config:\n  fsdp_version: 2\n  \
         fsdp_cpu_ram_efficient_loading: false\nfp8_config:\n  backend: TE\n",
        &["transformer_engine"],
    ),
    (
        "TE, DeepSpeed",
        "distributed_type: DEEPSPEED\nmixed_precision: fp8\nnum_processes: 8\ndeepspeed_config:\n  zero_stage: 2\n\
         fp8_config:\n  backend: TE\n",
        &["transformer_engine,deepspeed"],
    ),
    (
        "AO, DeepSpeed",
        "distributed_type: DEEPSPEED\nmixed_precision: fp8\nnum_processes: 8\ndeepspeed_config:\n  zero_stage: 2\n\
         fp8_config:\n  backend: AO\n",
        &["torchao,deepspeed", "transformer_engine,torchao,deepspeed"],
    ),
    (
        "MSAMP, DeepSpeed",
        "distributed_type: DEEPSPEED\nmixed_precision: fp8\nnum_processes: 8\ndeepspeed_config:\n  zero_stage: 2\n\
         fp8_config:\n  backend: MSAMP\n",
        &["msamp,deepspeed"],
    ),
];

#[test]
fn the_releases_have_their_page() {
    check(&BTreeMap::from([(releases_page(), releases())]));
}

fn releases_page() -> PathBuf {
    root().join("docs").join("releases.md")
}

/// What each plain config comes to under each known release.
fn releases() -> String {
    let known = fp8lint::knowledge::releases();
    let (oldest, newest) = (known.first().unwrap(), known.last().unwrap());
    let mut text = format!(
        "# Plain fp8 configs, release by release\n\n\
         What a config comes to under accelerate {oldest} to {newest}, as fp8lint works it out. Each is started with \
         `accelerate launch --config_file accelerate.yaml train.py`; the script has an `Accelerator()` without arguments \
         and gives one model and optimizer to `prepare()`. The GPUs can do fp8. Of the optional packages only those are \
         installed that stand above a table; the others are of today (torch 2.9.1), also beside an old accelerate. A \
         long message is cut at `…`.\n\n\
         Written from the code by `UPDATE_DOCS=1 cargo test --test docs`. For a file of your own:\n\n\
         ```sh\nfp8lint resolve accelerate.yaml --target accelerate='>={oldest}' --target installed=torchao\n```\n"
    );
    for (title, config, installed) in PLAIN {
        let repository = Repository::with(&[("accelerate.yaml", config)]);
        write!(text, "\n## {title}\n\n```yaml\n{config}```\n").unwrap();
        for installed in *installed {
            let command = format!(
                "fp8lint resolve accelerate.yaml --target 'accelerate>={oldest}' --target installed={installed}"
            );
            let ran = run(&repository, &command);
            assert_eq!((ran.code, ran.stderr.as_str()), (0, ""), "{title}");
            write!(
                text,
                "\nInstalled: {}.\n\n| accelerate | what the run comes to |\n| --- | --- |\n",
                installed.replace(',', ", ").replace('_', "\\_")
            )
            .unwrap();
            let (_, rows) = ran.stdout.split_once("Under every release").unwrap();
            for row in rows.lines().skip(1) {
                let (interval, outcome) = row.trim().split_once("  ").unwrap();
                let outcome = markdown(outcome.trim()).replace('|', "\\|");
                writeln!(text, "| {interval} | {outcome} |").unwrap();
            }
        }
    }
    text
}

/// Text as Markdown: what is no code is shown as it is written.
fn markdown(text: &str) -> String {
    let mut shown = String::new();
    for (index, part) in text.split('`').enumerate() {
        if index > 0 {
            shown.push('`');
        }
        let is_code = index % 2 == 1;
        for character in part.chars() {
            if !is_code && ['_', '*', '<', '['].contains(&character) {
                shown.push('\\');
            }
            shown.push(character);
        }
    }
    shown
}

/// Runs a command line of the docs.
fn run(repository: &Repository, command: &str) -> Ran {
    let mut words = shlex::split(command).unwrap().into_iter();
    assert_eq!(words.next().as_deref(), Some("fp8lint"), "{command}");
    let arguments: Vec<_> = words.collect();
    ran(&mut repository.command(&arguments))
}

/// What a terminal shows of it.
fn output(ran: &Ran) -> String {
    format!("{}{}", ran.stderr, ran.stdout)
}

#[test]
fn the_pages_show_what_the_program_prints() {
    let mut pages = BTreeMap::new();
    for page in handwritten_pages() {
        pages.insert(page.clone(), with_outputs(&read(&page)));
    }
    check(&pages);
}

/// The pages that people write.
fn handwritten_pages() -> Vec<PathBuf> {
    let mut pages: Vec<_> = ["README.md", "CONTRIBUTING.md", "CHANGELOG.md"]
        .map(|name| root().join(name))
        .into();
    let docs = fs::read_dir(root().join("docs")).unwrap();
    pages.extend(
        docs.map(|entry| entry.unwrap().path())
            .filter(|path| path.extension().is_some_and(|ending| ending == "md"))
            .filter(|path| *path != releases_page()),
    );
    pages.sort();
    assert!(pages.iter().all(|page| page.is_file()), "{pages:?}");
    pages
}

/// The page with the output of each `$ fp8lint …` in its `console` blocks as the program prints it now. A line `…` at
/// the end of an output leaves the rest out.
fn with_outputs(page: &str) -> String {
    let mut text = String::new();
    let mut lines = page.lines().peekable();
    while let Some(line) = lines.next() {
        writeln!(text, "{line}").unwrap();
        if line != "```console" {
            continue;
        }
        while let Some(line) = lines.next_if(|line| *line != "```") {
            let command = line
                .strip_prefix("$ ")
                .expect("a console block begins with `$ `");
            let mut shown = Vec::new();
            while let Some(line) =
                lines.next_if(|line| *line != "```" && !line.starts_with("$ fp8lint"))
            {
                shown.push(line);
            }
            let printed = output(&ran(&mut command_here(command)));
            let printed: Vec<_> = printed.trim_end().lines().collect();
            writeln!(text, "$ {command}").unwrap();
            let kept = match shown.last() {
                Some(&"…") => (shown.len() - 1).min(printed.len()),
                _ => printed.len(),
            };
            for line in &printed[..kept] {
                writeln!(text, "{line}").unwrap();
            }
            if shown.last() == Some(&"…") {
                writeln!(text, "…").unwrap();
            }
        }
    }
    text
}

/// A command of a page, as it is run in the repository's root.
fn command_here(command: &str) -> std::process::Command {
    let words = shlex::split(command).unwrap();
    assert_eq!(words[0], "fp8lint", "{command}");
    let mut program = program(&root());
    program.args(&words[1..]);
    program
}

#[test]
fn commands_of_the_pages_exist() {
    for page in handwritten_pages() {
        let text = read(&page);
        let blocks = text.split("```sh\n").skip(1);
        let commands = blocks.flat_map(|block| block.split("```").next().unwrap().lines());
        for command in commands {
            assert!(exists(command), "`{command}` of {}", page.display());
        }
    }
}

/// Whether a line of a `sh` block does what it says, as far as a test can tell: our own program is run, scripts and test
/// files are there.
fn exists(command: &str) -> bool {
    let words = shlex::split(command).unwrap();
    let words: Vec<_> = words
        .iter()
        .map(String::as_str)
        .filter(|word| !word.starts_with("UPDATE_DOCS="))
        .collect();
    let runs = |arguments: &[&str]| ran(program(&root()).args(arguments)).code < 2;
    match words.as_slice() {
        ["cargo", "run", "--release", "--", arguments @ ..] | ["fp8lint", arguments @ ..] => {
            runs(arguments)
        }
        ["cargo", "test", "--test", name] => root().join(format!("tests/{name}.rs")).is_file(),
        ["cargo", "test" | "fmt" | "clippy" | "build" | "install", ..] | ["rustfmt", ..] => true,
        ["python3", script, ..] | [script] => root().join(script).is_file(),
        _ => false,
    }
}

#[test]
fn every_dependency_has_its_reason() {
    let manifest: toml::Table = toml::from_str(&read(&root().join("Cargo.toml"))).unwrap();
    let page = read(&root().join("docs").join("dependencies.md"));
    let mut declared: Vec<_> = ["dependencies", "dev-dependencies"]
        .iter()
        .flat_map(|table| manifest[*table].as_table().unwrap().keys().cloned())
        .collect();
    declared.sort();
    let mut explained: Vec<_> = page
        .lines()
        .filter_map(|line| line.strip_prefix("| ")?.split(" | ").next())
        .filter(|name| !["crate", "---"].contains(name))
        .map(str::to_owned)
        .collect();
    explained.sort();
    assert_eq!(declared, explained);
}

/// The settings that the README shows are settings that the program takes.
#[test]
fn the_settings_shown_are_taken() {
    let readme = read(&root().join("README.md"));
    let (_, rest) = readme.split_once("```toml\n").unwrap();
    let (settings, _) = rest.split_once("```").unwrap();
    let config = "distributed_type: FSDP\nmixed_precision: bf16\nnum_processes: 8\nfsdp_config:\n  fp8:\n    backend: auto\n";
    let repository = Repository::with(&[("fp8lint.toml", settings), ("accelerate.yaml", config)]);
    let ran = repository.run(&["accelerate.yaml"]);
    assert_eq!((ran.code, ran.stderr.as_str()), (0, ""), "{}", ran.stdout);
}

#[test]
fn what_the_comparison_claims_is_tested() {
    let page = read(&root().join("docs/comparison.md"));
    let mut wrong = String::new();
    let mut proven = 0;
    let rows: Vec<Vec<&str>> = page
        .lines()
        .filter(|line| line.starts_with("| ") && !line.starts_with("| ---"))
        .map(|line| line.trim_matches('|').split(" | ").map(str::trim).collect())
        .collect();
    for row in rows.iter().filter(|row| row[0] != "feature") {
        let says = if row.len() > 2 { row[1] } else { "Y" };
        let proofs = row
            .last()
            .unwrap()
            .split(", ")
            .filter(|proof| !proof.is_empty());
        let proofs: Vec<_> = proofs.map(|proof| proof.trim_matches('`')).collect();
        let claims = !["n", "not yet", "-"].contains(&says);
        if claims == proofs.is_empty() {
            writeln!(wrong, "{}: `{says}` with {proofs:?}", row[0]).unwrap();
        }
        for proof in proofs {
            let (file, test) = proof.split_once("::").unwrap_or((proof, ""));
            let text = read(&root().join(file));
            let exists =
                !text.is_empty() && (test.is_empty() || text.contains(&format!("fn {test}(")));
            if !exists {
                writeln!(wrong, "{}: there is no {proof}", row[0]).unwrap();
            }
            proven += 1;
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
    assert!(proven > 40, "{proven}");
}
