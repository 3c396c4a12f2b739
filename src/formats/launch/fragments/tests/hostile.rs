use proptest::prelude::*;

use super::read;

/// Names of every kind of file, each with a beginning that makes it one.
const FILES: [(&str, &str); 14] = [
    ("a.sh", "accelerate "),
    ("Makefile", "A = accelerate\nexport A\nt:\n\t$(A) "),
    (
        "justfile",
        "set dotenv-load\na := \"x\"\nt x:\n  accelerate {{a}} ",
    ),
    (
        "Dockerfile",
        "FROM a\nENV A=accelerate B=\"$A\"\nRUN accelerate ",
    ),
    (
        "a.yml",
        "jobs:\n a:\n  env: {A: accelerate}\n  steps:\n  - run: |\n     accelerate ",
    ),
    ("b.yml", "jobs:\n a:\n  steps:\n  - run: \"accelerate "),
    (
        "c.yml",
        "services:\n a:\n  env_file: .env\n  command: >-\n     accelerate ",
    ),
    (
        "d.yml",
        "apiVersion: v1\nkind: Pod\nspec:\n containers:\n - command: [accelerate, ",
    ),
    ("e.yml", "resources:\nenvs:\n A: accelerate\nrun: |\n $A "),
    ("f.yml", "type: task\ncommands:\n - accelerate "),
    (".gitlab-ci.yml", "a:\n script:\n - accelerate "),
    (
        ".vscode/launch.json",
        "{\"configurations\": [{\"program\": \"accelerate ${workspaceFolder}\", \"args\": [\"",
    ),
    ("a.md", "```bash\n$ accelerate \\\n"),
    ("b.md", "* ~~~ {.sh}\n  accelerate "),
];

/// Pieces of text that mean something somewhere.
fn pieces() -> impl Strategy<Value = String> {
    const PIECES: [&str; 40] = [
        "\n",
        "\r\n",
        "\t",
        " ",
        "  ",
        "\\\n",
        "\\",
        "$",
        "$$",
        "${{ env.A }}",
        "${{",
        "}}",
        "{{",
        "{{x}}",
        "$(A)",
        "${A}",
        "$(",
        "'",
        "\"",
        "#",
        "é",
        "日",
        "\u{feff}",
        "\0",
        "<<EOF",
        "EOF\n",
        "- ",
        ": ",
        "[",
        "]",
        ",",
        "|\n",
        "--mount=x",
        "\\u00e9",
        "\\ud83d\\ude00",
        "RUN <<EOF\n",
        "```\n",
        "---\n",
        "\u{2028}",
        "accelerate",
    ];
    let piece = prop_oneof![
        4 => prop::sample::select(&PIECES[..]).prop_map(str::to_owned),
        1 => "\\PC{0,4}",
    ];
    prop::collection::vec(piece, 0..30).prop_map(|pieces| pieces.concat())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 600, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_text_is_read_and_keeps_its_places(text in pieces(), end in prop_oneof![Just(""), Just("\"]}]}"), Just("]")]) {
        for (path, start) in FILES {
            read(path, &format!("{start}{text}{end}"));
            read(path, &format!("{text}\n{start}{text}{end}").replace('\n', "\r\n"));
        }
    }
}

/// Every kind gives something, so that the test above tests something.
#[test]
fn the_beginnings_are_files_of_their_kind() {
    for (path, start) in FILES {
        let end = match path {
            "b.yml" => "\"",
            "d.yml" => "x]",
            ".vscode/launch.json" => "\"]}]}",
            _ => "x\n",
        };
        assert!(!read(path, &format!("{start}{end}")).is_empty(), "{path}");
    }
}

/// Read in quadratic time these would take minutes each.
#[test]
fn large_files_are_read() {
    let many = 5_000;
    let cases = [
        ("Makefile", format!("A = accelerate $(A)\n{}t:\n{}", "B := $(A)$(B)\nexport B\n".repeat(many), "\t$(B) $(A)\n".repeat(many))),
        ("Makefile", (0..many).map(|i| format!("A{i} = $(A{})$(A{})\nexport A{i}\nt{i}: A{i} = x\nt{i}:\n\taccelerate $(A{i})\n", i + 1, i + 2)).collect()),
        ("Dockerfile", format!("FROM a AS a\n{}", "ENV A=accelerate$A\nRUN $A\nFROM a AS a\nCOPY . .\n".repeat(many))),
        ("justfile", format!("a := 'accelerate'\n{}", "a := a + a\nt:\n  {{a}}\n".repeat(many))),
        ("a.yml", format!("jobs:\n a:\n  steps:\n{}", "  - env: {A: accelerate}\n    run: '${{ env.A }} ${{ env.'\n".repeat(many))),
        ("a.md", "```sh\naccelerate\n````\n".repeat(many)),
        ("a.sh", "accelerate ${{".repeat(many)),
        (".vscode/launch.json", format!("{{\"configurations\": [{}{{}}]}}", "{\"program\": \"accelerate\",},".repeat(many))),
    ];
    for (path, text) in cases {
        let file = crate::source::SourceFile::from_text(path, &*text);
        assert!(
            super::super::of(&std::sync::Arc::new(file)).len() <= 3 * many,
            "{path}"
        );
    }
}
