use std::time::Instant;

use proptest::prelude::*;

use super::*;

fn seconds(text: &str) -> f64 {
    let start = Instant::now();
    read(text);
    start.elapsed().as_secs_f64()
}

#[test]
fn time_is_linear() {
    for unit in [
        "(",
        "$(",
        "\"$(",
        "${A:-",
        "\"",
        "'",
        "`",
        "((",
        "$((",
        "{ ",
        "if a; then ",
        "for x in ",
        "case a in b) ",
        "a[",
        "a[b]",
        "f() ",
        "<<E ",
        "[[ ",
        "A=(",
        "! ",
        "a\\",
        "<(",
        "a <<E\n",
        ")",
        "esac ",
        "{a,",
        "$'\\",
        "while ",
        "function f ",
        "a(",
        "${a[",
        "|",
        "&",
        ";;",
        "coproc ",
    ] {
        let taken = seconds(&unit.repeat((1 << 17) / unit.len()));
        // Some hundredths of a second; quadratic time would be minutes.
        assert!(taken < 5.0, "{unit:?} took {taken} s");
    }
    let line = "A=\"$B c\" cmd ${D:-e} 'f' $(g) `h` # i\n";
    assert!(seconds(&line.repeat((1 << 20) / line.len())) < 10.0);
}

#[test]
fn deep_nesting_is_passed_over() {
    for (open, close) in [
        ("(", ")"),
        ("$(", ")"),
        ("\"$(", ")\""),
        ("{ ", "; }"),
        ("${a:-", "}"),
        ("if a; then ", "; fi"),
    ] {
        let text = format!("{}x{}; last", open.repeat(100_000), close.repeat(100_000));
        assert!(read(&text).commands.statements.len() < 200_001);
    }
    // What is deep does not hide what follows it.
    let deep = format!("a {}b{}\nlast", "$(".repeat(1000), ")".repeat(1000));
    assert!(shown(&deep).ends_with("; last"));
}

const FRAGMENTS: &[&str] = &[
    "a",
    "$",
    "{",
    "}",
    "(",
    ")",
    "\"",
    "'",
    "`",
    "\\",
    "\n",
    "\r\n",
    " ",
    "#",
    "=",
    "A=",
    "[",
    "]",
    "<<E",
    "E\n",
    "<",
    ">",
    "&",
    "|",
    ";",
    "if ",
    "then ",
    "fi ",
    "do ",
    "done ",
    "case ",
    " in ",
    "esac ",
    "for ",
    "${a:-",
    "$((",
    "))",
    "é",
    "\0",
    "\u{1F600}",
    "f()",
    "!",
    "$'",
    "export ",
    "+=(",
    "[[ ",
    " ]]",
    ":-",
    "@",
    "eval ",
    "bash -c ",
    "$A",
    "\"$A\"",
    "cd ",
    "set -- ",
];

proptest! {
    #[test]
    fn nothing_panics_and_spans_fit(parts in prop::collection::vec(prop::sample::select(FRAGMENTS), 0..60)) {
        shown(&parts.concat());
    }

    #[test]
    fn any_text_is_read(text in "\\PC*") {
        shown(&text);
    }
}
