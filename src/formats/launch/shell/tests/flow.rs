use super::*;

#[test]
fn branches_come_together() {
    let differs = "c | <`$A` differs between the branches above…>";
    for (text, expected) in [
        ("A=1; if x; then A=2; fi; c $A", differs),
        ("A=1; if x; then A=1; else A=1; fi; c $A", "c | 1"),
        (
            "if x; then A=1; elif y; then A=1; else A=1; fi; c $A",
            "c | 1",
        ),
        ("if x; then A=1; else A=2; fi; c $A", differs),
        ("A=1; x && A=2; c $A", differs),
        ("A=1; x || A=2; c $A", differs),
        ("A=1; x && A=2 && B=$A && c $B", "c | 2"),
        ("A=1; cd d && A=2; c $A", "c | 2"),
        ("A=1; cd d || A=2; c $A", "c | 1"),
        ("A=1; if x; then A=2; exit 1; fi; c $A", "c | 1"),
        ("A=1; x || { A=2; exit 1; }; c $A", "c | 1"),
        ("case $x in a) A=1;; b) A=2;; esac; c $A", differs),
        ("case $x in a) A=1;; *) A=1;; esac; c $A", "c | 1"),
        (
            "case $x in a) A=1;; *) echo no; exit 1;; esac; c $A",
            "c | 1",
        ),
        (
            "for A in a b; do c $A; done",
            "c | <`$A` has another value in each turn of the loop…>",
        ),
        ("for A in a; do c $A; done", "c | a"),
        (
            "A=1; for i in 1 2; do c $A; A=2; done",
            "c | <`$A` changes in the loop…>",
        ),
        ("A=1; for i in 1 2; do A=2; c $A; done", "c | 2"),
        ("A=1; for i in 1 2; do A=2; done; c $A", "c | 2"),
        ("A=1; while x; do A=2; done; c $A", differs),
        ("A=1; (A=2); c $A", "c | 1"),
        ("A=1; A=2 | x; c $A", "c | 1"),
        ("A=1; { A=2; } & c $A", "c | 1"),
        ("A=1; f() { A=2; }; c $A", "c | 1"),
        ("A=1; f() { A=2; }; f; c $A", "c | 2"),
        ("A=1; f() { local A=2; }; f; c $A", "c | 1"),
        (
            "f() { c $A; }; A=1; f",
            "c | <`$A` is assigned after this function…>",
        ),
        (
            "A=1; f() { c $A \"$@\"; }; f 1 2",
            "c | 1 | <`$@` is given by the caller…>",
        ),
        (
            "A=1; f() { c $A; }; A=2; f",
            "c | <`$A` is assigned again after this function…>",
        ),
        ("exec c a; d", "exec | c | a"),
        ("c; exit 0; d", "c"),
        (
            "if x; then set -- a; else set -- b; fi; c \"$@\"",
            "c | <the positional parameters differ between the branches above…>",
        ),
        ("set -- a b; shift; c \"$@\"", "c | b"),
    ] {
        assert_eq!(lines(text).pop().as_deref(), Some(expected), "{text}");
    }
}

#[test]
fn what_branches_have_in_common_stays_known() {
    let differs = "<`$A` differs between the branches above…>";
    for (text, expected) in [
        (
            "A=(--a 1); if x; then A+=(--b); fi; c \"${A[@]}\" z",
            format!("c | --a | 1 | {differs} | z"),
        ),
        (
            "A=(--a 1); x && A+=(--b); A+=(--e); c \"${A[@]}\"",
            format!("c | --a | 1 | {differs} | --e"),
        ),
        (
            "A=(--a 1); if x; then A=(--b \"${A[@]}\"); fi; c \"${A[@]}\"",
            format!("c | {differs} | --a | 1"),
        ),
        (
            "A='--a 1'; if x; then A=\"$A --b\"; fi; c $A z",
            format!("c | --a | 1 | {differs} | z"),
        ),
        (
            "A='--a 1'; if x; then A+=' --b'; else A+=' --d'; fi; c $A",
            format!("c | --a | 1 | {differs}"),
        ),
        (
            "A='--a=1'; if x; then A=\"${A}2\"; fi; c $A",
            format!("c | {differs}"),
        ),
        ("A=; if x; then A=--b; fi; c $A", format!("c | {differs}")),
    ] {
        assert_eq!(lines(text).pop(), Some(expected), "{text}");
    }
}

#[test]
fn conditions_that_can_be_told() {
    for (text, expected) in [
        ("if [ -z \"$A\" ]; then A=1; fi; c $A", "c | 1"),
        ("[ -z \"${A:-}\" ] && A=1; c $A", "c | 1"),
        ("[[ -n $A ]] || A=1; c $A", "c | 1"),
        ("A=2; if [ -z \"$A\" ]; then A=1; fi; c $A", "c | 2"),
        (
            "N=${N:-}; A=(a); if [ -n \"$N\" ]; then A+=(b); fi; c ${A[@]}",
            "c | a",
        ),
        (
            "M=true; if [ \"$M\" = true ]; then A=1; else A=2; fi; c $A",
            "c | 1",
        ),
        (
            "M=b; if [[ $M == a ]]; then A=1; elif [[ $M == b ]]; then A=2; else A=3; fi; c $A",
            "c | 2",
        ),
        ("M=b; A=1; [ $M != b ] && A=2; c $A", "c | 1"),
        (
            "M=$(x); A=1; [ \"$M\" = b ] && A=2; c $A",
            "c | <`$A` differs between the branches above…>",
        ),
        ("if [ -z \"$1\" ]; then echo usage; exit 1; fi; c", "c"),
        ("[ -z \"$A\" ] && exit 1; c", "c"),
        (
            "A=1; while [ $# -gt 0 ]; do case $1 in -a) A=$2; shift;; esac; shift; done; c $A",
            "c | 1",
        ),
        (
            "A=; while [ $# -gt 0 ]; do A=$1; shift; done; c a$A.yaml",
            "c | <`$A` is given by the caller>",
        ),
        ("A=1; while getopts a: o; do A=$OPTARG; done; c $A", "c | 1"),
        (
            "A=1; while [ $# -gt 0 ]; do c $A; A=$1; shift; done",
            "c | <`$A` changes in the loop…>",
        ),
        ("f() { local A=1; c $A; }; A=2; f", "c | 1"),
        ("A=1; f() { c $A; }; g() { local A=2; }; f", "c | 1"),
    ] {
        assert_eq!(lines(text).pop().as_deref(), Some(expected), "{text}");
    }
}

#[test]
fn every_command_comes_out() {
    for (text, expected) in [
        ("a; if b; then c; else d; fi; e", "a; b; c; d; e"),
        (
            "a $(b `c`) \"$(d)\" <(e)",
            "a | <the output of `b …` is not known…>",
        ),
        ("f() { a; }; f; f; b", "a; b"),
        ("a | b && c || d & e", "a; b; c; d; e"),
        ("A=$(a) b; export C=$(c)", "b; a; c"),
        ("cd x; export A=1; source y; a", "a"),
        (
            "eval 'a b'; bash -c 'c; d'; srun --x bash -lc \"e $A\" f",
            "a | b; bash | -c | c; d; c; d; srun",
        ),
        (
            "sbatch --wrap=\"a b\"; sbatch --wrap 'c d'",
            "sbatch | --wrap=a b; a | b; sbatch | --wrap | c d; c | d",
        ),
        ("echo bash -c 'a'", "echo | bash | -c | a"),
        (
            "[ a ] && b; [[ c ]] && d; ! e; time f",
            "[ | a | ]; b; d; e; f",
        ),
        ("A=\"x y\"; $A z", "x | y | z"),
        (
            "CMD='accelerate launch'; CMD=\"$CMD --n 8\"; CMD+=\" t.py $X\"; eval \"$CMD\"",
            "accelerate | launch | --n | 8 | t.py | <`$X` is not assigned in this file…>",
        ),
        ("while a; do b; done < c", "a; b"),
        (
            "A=1; export B=2; bash <<E\na $A \\$A \\$B \"$C\"\nE\nb",
            "bash; a | 1 | <`$A` is not exported to this shell…> | 2 | <`$C` is not assigned in this file>; b",
        ),
        (
            "A=1; sbatch -n 1 <<'E'\n#SBATCH x\na $A\nE\nb",
            "sbatch | -n | 1; a | <`$A` is not exported to this shell…>; b",
        ),
        ("bash a.sh <<E\nb\nE\ncat <<E\nc\nE", "bash | a.sh; cat"),
        ("a <<E\n$(b)\nE\nc", "a; c"),
    ] {
        let found = lines(text).join("; ");
        assert!(found.starts_with(expected), "{text}\n{found}");
    }
}

#[test]
fn redirections() {
    let found = run_text(
        "cat <<'E' > a.yaml\nx: 1\nE\ncat >> $F <<-E\n\ty: $Y\n\tE\nc 2> e &> g <<< 'h i'",
    );
    let shown: Vec<String> = found
        .iter()
        .flat_map(|executed| &executed.redirections)
        .map(|redirection| match redirection {
            Redirection::Output(term) => format!("> {}", shown(term)),
            Redirection::Append(term) => format!(">> {}", shown(term)),
            Redirection::Body { text, is_expanded } => format!("< {:?} {is_expanded}", text.text),
        })
        .collect();
    assert_eq!(
        shown,
        [
            "< \"x: 1\\n\" false",
            "> a.yaml",
            ">> <`$F` is not assigned in this file…>",
            "< \"y: $Y\\n\" true",
            "> g",
            "< \"h i\" false",
        ]
    );
}
