use proptest::prelude::*;

use super::*;

/// Runs a text, also out of an indented block, and looks at every place that comes out.
fn check(text: &str) {
    for executed in run_with(
        text,
        &[
            (".env", "A=\"é\"\nB"),
            ("env.sh", ". env.sh; export C=$A; exit"),
        ],
    ) {
        let redirected = executed
            .redirections
            .iter()
            .filter_map(|redirection| match redirection {
                Redirection::Output(term) | Redirection::Append(term) => Some(term),
                Redirection::Body { .. } => None,
            });
        assert!(!executed.words.is_empty());
        let terms = executed
            .words
            .iter()
            .chain(executed.environment.values())
            .chain(redirected);
        for spot in terms.map(|term| &term.spot).chain([&executed.spot]) {
            let Spot { file, span } = spot;
            assert!(
                file.text().get(span.start..span.end).is_some(),
                "{span:?} of {text:?}"
            );
        }
        for redirection in &executed.redirections {
            if let Redirection::Body { text: body, .. } = redirection {
                let span = body.in_file(crate::source::Span::new(0, body.text.len()));
                assert!(span.end <= text.len(), "{span:?}");
            }
        }
    }
    let indented = format!("run: |\n{}", text.replace('\n', "\n  é"));
    let file = Arc::new(SourceFile::from_text("a.yaml", indented.clone()));
    let start = Start {
        file: &file,
        environment: &[],
        folder: &Folder::Unknown,
    };
    let mut pieces = Vec::new();
    let (mut at, mut in_file) = (0, 7);
    for line in text.split_inclusive('\n') {
        pieces.push((at, in_file));
        at += line.len();
        in_file += line.len() + 4;
    }
    let mapped = MappedText {
        text: text.to_owned(),
        pieces: if pieces.is_empty() {
            vec![(0, 0)]
        } else {
            pieces
        },
    };
    for executed in run(&mapped, &start, &crate::formats::launch::NothingLoaded) {
        for term in &executed.words {
            let span = term.spot.span;
            assert!(term.spot.file.text().get(span.start..span.end).is_some());
        }
    }
}

const FRAGMENTS: &[&str] = &[
    "a",
    " ",
    " ",
    "\n",
    "\n",
    "'",
    "\"",
    "`",
    "$",
    "$A",
    "\"$A\"",
    "$@",
    "\"$@\"",
    "${A[@]}",
    "\"${A[*]}\"",
    "${A[1]}",
    "A=",
    "A+=",
    "A=(",
    "A+=(",
    ")",
    "(",
    "$(",
    "{ ",
    "}",
    "; ",
    " && ",
    " || ",
    " | ",
    "& ",
    "if ",
    "then ",
    "else ",
    "fi\n",
    "for A in ",
    "do ",
    "done\n",
    "while ",
    "case $A in ",
    "a) ",
    ";;",
    "esac\n",
    "f() { ",
    "f ",
    "export ",
    "export A",
    "local A=",
    "cd ",
    "cd ..",
    "pushd a\n",
    "popd\n",
    "source env.sh\n",
    "export $(cat .env | xargs)\n",
    "set -a\n",
    "set -- ",
    "shift ",
    "eval ",
    "bash -c ",
    "srun bash -c ",
    "sbatch --wrap=",
    "<<E\n",
    "E\n",
    "<<<",
    "> a",
    ">> \"$A\"",
    "é",
    "\u{1F600}",
    "\0",
    "\\",
    "\\\n",
    "$(dirname \"$0\")",
    "$(pwd)",
    "${A:-",
    "${A%",
    "/",
    "${A//",
    "$((",
    "))",
    "{a,b}",
    "exit\n",
    "return\n",
    "read A\n",
    "unset A\n",
    "((A++))\n",
    "$'\\x41'",
    "echo ",
    "ssh a ",
    "=",
    "-",
    "x y",
];

proptest! {
    #[test]
    fn nothing_panics_and_places_fit(parts in prop::collection::vec(prop::sample::select(FRAGMENTS), 0..50)) {
        check(&parts.concat());
    }

    #[test]
    fn any_text_runs(text in "\\PC*") {
        check(&text);
    }
}

#[test]
fn what_multiplies_itself_ends() {
    let doubled = format!("A=x{}\n", "\nA=\"$A $A\"".repeat(100));
    let arrays = format!("A=(x){}\n", "\nA=(\"${A[@]}\" \"${A[@]}\")".repeat(100));
    let words = format!(
        "A=\"{}\"\n{}",
        "w ".repeat(1000),
        "c $A $A $A\n".repeat(1_000)
    );
    let exports: String = (0..1_000)
        .map(|n| format!("export V{n}=x\ncommand\n"))
        .collect();
    let evals = "eval 'eval \"eval $A\"'\n".repeat(1_000);
    let own = "A='eval $A'; eval $A";
    let loads = "source env.sh\n".repeat(1_000);
    let branches = format!("{}{}", "if a; then A=b; ".repeat(1000), "fi; ".repeat(1000));
    let loops = format!(
        "{}c{}",
        "for x in a b; do A=$A; ".repeat(1000),
        "; done".repeat(1000)
    );
    let functions: String = (0..1_000)
        .map(|n| format!("f{n}() {{ A{n}=1; }}\nf{n}\n"))
        .collect();
    let appended = "A+=' x'\nB+=(y)\nc\n".repeat(1_000);
    let case: String = (0..1_000).map(|n| format!("a{n}) A{n}=1;; ")).collect();
    let case = format!("case $x in {case} esac");
    let inline = format!("A=x {}c", "A=\"$A $A\" ".repeat(100));
    let shells = "export A='bash -c \"$A\"; B=1 env -i C=2 A=\"$A\" sh -c \"$A\"'; bash -c \"$A\"";
    let named: String = (0..1_000)
        .map(|n| format!("export V{n}\n(export W{n})\ndocker run x bash -c 'c'\n"))
        .collect();
    for text in [
        doubled.as_str(),
        &inline,
        shells,
        &named,
        &arrays,
        &words,
        &exports,
        &evals,
        own,
        &loads,
        &branches,
        &loops,
        &functions,
        &appended,
        &case,
    ] {
        check(text);
    }
}

#[test]
fn what_is_nested_deep_ends() {
    for (open, close) in [
        ("(", ")"),
        ("$(", ")"),
        ("\"$(", ")\""),
        ("{ ", "; }"),
        ("${a:-", "}"),
        ("if a; then ", "; fi"),
        ("f() { ", "; }"),
        ("eval \"$(", ")\""),
        ("a[", "]"),
        ("A=(", ")"),
        ("`", "`"),
    ] {
        check(&format!(
            "{}x{}; last",
            open.repeat(20_000),
            close.repeat(20_000)
        ));
    }
}
