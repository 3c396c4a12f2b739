use super::*;

/// Each word of the last command with what stands at its place.
fn places(text: &str) -> Vec<String> {
    let found = run_with(text, &[(".env", "A=1\nB='x y'\n")]);
    let last = found.last().unwrap();
    let at = |spot: &Spot| spot.file.slice(spot.span).to_owned();
    let command = format!("[{}]", at(&last.spot));
    last.words
        .iter()
        .map(|term| at(&term.spot))
        .chain([command])
        .collect()
}

#[test]
fn a_word_stands_where_it_was_written() {
    for (text, expected) in [
        (
            "c 'a b' \"d\"e",
            vec!["c", "'a b'", "\"d\"e", "[c 'a b' \"d\"e]"],
        ),
        (
            "A='--x  1'; c $A \"$A\"",
            vec!["c", "--x", "1", "--x  1", "[c $A \"$A\"]"],
        ),
        (
            "A=(--x \"y z\" --n=$N); c \"${A[@]}\"",
            vec!["c", "--x", "y z", "--n=$N", "[c \"${A[@]}\"]"],
        ),
        (
            "N=8; A=(--n=$N); A+=(\"--m $N\"); c \"${A[@]}\"",
            vec!["c", "--n=$N", "--m $N", "[c \"${A[@]}\"]"],
        ),
        (
            "N=8; A=\"--n=$N --m $N\"; c $A",
            vec!["c", "--n=$N", "--m", "8", "[c $A]"],
        ),
        (
            "A='--x'; A=\"$A --y\"; A+=\" --z\"; c $A",
            vec!["c", "--x", "--y", "--z", "[c $A]"],
        ),
        ("A=1; c --x=$A", vec!["c", "--x=$A", "[c --x=$A]"]),
        ("c \"$A\" $B", vec!["c", "\"$A\"", "$B", "[c \"$A\" $B]"]),
        ("A=; c \"$A\"", vec!["c", "\"$A\"", "[c \"$A\"]"]),
        ("A=1 B=2 c x > f", vec!["c", "x", "[A=1 B=2 c x]"]),
        (
            "C='d e'; eval \"$C --f g\"",
            vec!["d", "e", "--f", "g", "[\"$C --f g\"]"],
        ),
        (
            "bash -c \"d \\\"e f\\\" \\\n g\"",
            vec!["d", "\"e f\\\"", "g", "[d \\\"e f\\\" \\\n g]"],
        ),
        (
            "export $(cat .env); c $A \"$B\"",
            vec!["c", "1", "x y", "[c $A \"$B\"]"],
        ),
        (
            "source .env; c $A \"$B\"",
            vec!["c", "1", "x y", "[c $A \"$B\"]"],
        ),
        (
            "c ${X:-d e} \"${X:-f}\"",
            vec!["c", "d", "e", "f", "[c ${X:-d e} \"${X:-f}\"]"],
        ),
        (
            "set -- 'a' b=$N; c \"$@\"",
            vec!["c", "a", "b=$N", "[c \"$@\"]"],
        ),
    ] {
        assert_eq!(places(text), expected, "{text}");
    }
}

#[test]
fn variables_stand_where_they_are_assigned() {
    let found = run_with(
        "export A=1\nsource .env\nB=2 c",
        &[(".env", "export B=x C='y'\n")],
    );
    let at = |name: &str| {
        let spot = &found[0].environment[name].spot;
        (spot.file.path.as_str(), spot.file.slice(spot.span))
    };
    assert_eq!(at("A"), ("scripts/train.sh", "A=1"));
    assert_eq!(at("B"), ("scripts/train.sh", "B=2"));
    assert_eq!(at("C"), (".env", "C='y'"));
}
