use proptest::prelude::*;

use super::*;

/// Read in quadratic time these would take minutes each.
#[test]
fn long_texts_of_one_construct_are_read() {
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
        read(&unit.repeat((1 << 17) / unit.len()));
    }
    let line = "A=\"$B c\" cmd ${D:-e} 'f' $(g) `h` # i\n";
    let count = (1 << 20) / line.len();
    assert_eq!(read(&line.repeat(count)).commands.statements.len(), count);
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
