use super::*;

/// The last command of a script, as a line.
fn last(text: &str) -> String {
    lines(text).pop().unwrap_or_default()
}

#[test]
fn what_is_not_known_says_why() {
    for (text, expected) in [
        ("c $A", "c | <`$A` is not assigned in this file…>"),
        ("c \"$A\"", "c | <`$A` is not assigned in this file>"),
        (
            "c --n=$A x$A",
            "c | <`$A` is not assigned in this file> | <`$A` is not assigned in this file>",
        ),
        ("c $A; A=1", "c | <`$A` is not assigned before this…>"),
        (
            "c $1 \"$@\" \"$1\"",
            "c | <`$1` is given by the caller…> | <`$@` is given by the caller…> | <`$1` is given by the caller>",
        ),
        ("c \"${A[@]}\"", "c | <`$A` is not assigned in this file>"),
        (
            "N=$(nproc); c --n $N",
            "c | --n | <the output of `nproc` is not known…>",
        ),
        (
            "N=$(nvidia-smi -L | wc -l); c \"$N\"",
            "c | <the output of `nvidia-smi -L | wc -l` is not known>",
        ),
        (
            "N=$((A*8)); c --n $N",
            "c | --n | <it is the result of arithmetic…>",
        ),
        ("N=$((8)); c --n $N", "c | --n | 8"),
        (
            "c {a,b} {1..3}",
            "c | <the braces of `{a,b}` stand for several words…> | <the braces of `{1..3}` stand for several words…>",
        ),
        (
            "A=1; ((A++)); c $A",
            "c | <`$A` is the result of arithmetic…>",
        ),
        ("read -r A; c $A", "c | <`$A` is read when it runs…>"),
        (
            "declare -A M=([a]=1); c \"${M[a]}\"",
            "c | <the elements of the array have keys>",
        ),
        (
            "c ${!A}",
            "c | <`${!A}` is the value of a variable that another one names…>",
        ),
        // Known parts around an unknown one stay apart.
        (
            "A=\"--n $N --bf16 --x=$N\"; c $A y",
            "c | --n | <`$N` is not assigned in this file…> | --bf16 | <`$N` is not assigned in this file> | y",
        ),
        (
            "A=(--n $N \"$M\"); c \"${A[@]}\"",
            "c | --n | <`$N` is not assigned in this file…> | <`$M` is not assigned in this file>",
        ),
        (
            "A+=\" --x\"; c $A",
            "c | <`$A` is not assigned before this…> | --x",
        ),
    ] {
        assert_eq!(last(text), expected, "{text}");
    }
}

#[test]
fn defaults_are_what_runs() {
    for (text, expected) in [
        ("c ${N:-8}", "c | 8"),
        ("N=${N:-8}; c $N", "c | 8"),
        (": \"${N:=8}\"; c $N", "c | 8"),
        ("N=${1:-8}; c $N", "c | 8"),
        ("f() { c ${1:-8}; }", "c | <`$1` is given by the caller…>"),
        (
            "f() { c ${N:-8}; }; N=1",
            "c | <`$N` is assigned after this function…>",
        ),
        ("N=$(x); c ${N:-8}", "c | <the output of `x` is not known…>"),
        (
            "c ${N:?must be set}",
            "c | <the script stops where `$N` is not set…>",
        ),
        ("c ${N:+--n $N} x", "c | x"),
    ] {
        assert_eq!(last(text), expected, "{text}");
    }
}

#[test]
fn folders_of_the_script() {
    for (text, folder, expected) in [
        ("c", Folder::Start(String::new()), "c"),
        ("cd a/b; cd ../c; c", Folder::Start("a/c".to_owned()), "c"),
        ("cd /data; c", Folder::Unknown, "c"),
        ("cd a; cd -; c", Folder::Unknown, "c"),
        ("cd $X; c", Folder::Unknown, "c"),
        ("(cd a; b); c", Folder::Start(String::new()), "c"),
        (
            "pushd a >/dev/null; pushd b; popd; c",
            Folder::Start("a".to_owned()),
            "c",
        ),
        (
            "cd \"$(dirname \"$0\")\"; c",
            Folder::Own(String::new()),
            "c",
        ),
        ("cd $(dirname $0)/..; c", Folder::Own("..".to_owned()), "c"),
        (
            "cd \"$( cd \"$( dirname \"${BASH_SOURCE[0]}\" )\" >/dev/null 2>&1 && pwd )\"; c",
            Folder::Own(String::new()),
            "c",
        ),
        ("cd \"${0%/*}\" || exit; c", Folder::Own(String::new()), "c"),
        (
            "D=$(cd $(dirname $0) && pwd); R=$(dirname \"$D\"); cd $R; c $D/a $R/b",
            Folder::Own("..".to_owned()),
            "c | scripts/a | ./b",
        ),
        (
            "D=$(dirname \"$(realpath \"$0\")\"); cd $D; c --f $D/x.yaml",
            Folder::Own(String::new()),
            "c | --f | ./x.yaml",
        ),
        (
            "c --f $PWD/x.yaml \"$(pwd)\"/y",
            Folder::Start(String::new()),
            "c | --f | ./x.yaml | ./y",
        ),
        (
            "R=$PWD; cd a; c $R/x $PWD/y",
            Folder::Start("a".to_owned()),
            "c | ../x | ./y",
        ),
        (
            "cd $(git rev-parse --show-toplevel); c",
            Folder::Start(String::new()),
            "c",
        ),
        (
            "D=$(dirname $0); c $D/x",
            Folder::Start(String::new()),
            "c | <it is a path from the folder of this file, which is not where it runs>",
        ),
        (
            "c $(which python) $(command -v python3) $(basename \"$0\" .sh)",
            Folder::Start(String::new()),
            "c | python | python3 | train",
        ),
        ("cd a && c", Folder::Start("a".to_owned()), "c"),
    ] {
        let found = run_text(text);
        let command = found
            .iter()
            .find(|executed| executed.words[0].known() == Some("c"))
            .unwrap();
        assert_eq!(
            (&command.folder, line(&command.words).as_str()),
            (&folder, expected),
            "{text}"
        );
    }
}

#[test]
fn environments() {
    for (text, expected) in [
        ("export A=1 B; B=2; C=3; c", "A=1 B=2"),
        ("A=1; export A; A=2; c", "A=2"),
        ("A=1 B=$X c", "A=1 B=<`$X` is not assigned in this file>"),
        ("declare -x A=1; typeset -x B=2; readonly C=3; c", "A=1 B=2"),
        ("set -a; A=1; set +a; B=2; c", "A=1"),
        ("set -o allexport; A=1; c", "A=1"),
        ("export A=1; unset A; c", ""),
        ("export A=1; export -n A; c", ""),
        ("export A=1; A=2 c", "A=2"),
        (
            "export A=$(nproc); c",
            "A=<the output of `nproc` is not known>",
        ),
        (
            "export \"A=$B\"; c",
            "A=<`$B` is not assigned in this file>",
        ),
        ("source env.sh; c $P", "X=1"),
        ("set -a; source ./env.sh; set +a; c", "P=2 X=1 Y=1"),
        (
            "set -a; [ -f .env ] && . .env; set +a; c",
            "K=<`$K` differs between the branches above> Q=<`$Q` differs between the branches above>",
        ),
        ("export $(cat .env | xargs); c", "K=v Q=a b"),
        (
            "export $(grep -v '^#' .env | xargs -d '\\n'); c",
            "K=v Q=a b",
        ),
        ("export $(< .env); c", "K=v Q=a b"),
        ("source missing.sh; c", ""),
        ("export A=1; ssh h \"bash -c 'c'\"", ""),
        ("export A=1; B=2; bash -c 'C=3 c'", "A=1 C=3"),
        ("A=1 bash -c c", "A=1"),
        ("A=1 bash -c 'A=2; c'", "A=2"),
        ("A=1 srun -n 1 sh -c 'B=$A c'", "A=1 B=1"),
        ("A=1 B=2 env -u A bash -c c", "B=2"),
        ("A=$X bash -c c", "A=<`$X` is not assigned in this file>"),
        ("A=1 bash -c 'x'; c", ""),
        ("A=1 sh <<EOF\nc\nEOF\n", "A=1"),
        ("export A; A=1; c", "A=1"),
        ("export A; A=1; A=2; c", "A=2"),
        ("declare -x A; A=1; c", "A=1"),
        ("export A; c", ""),
        ("export A B; export -n A; A=1; B=2; c", "B=2"),
        ("export A; unset A; A=1; c", ""),
        ("export A; bash -c 'A=1; c'", ""),
        ("A=1; bash -c 'export A; c; A=2'", ""),
        ("A=1; bash -c 'export A; A=2; c'", "A=2"),
        ("f() { export A; }; f; A=1; c", "A=1"),
        ("(export A); A=1; c", ""),
    ] {
        let files = [
            ("env.sh", "export X=1\nP=2\n[ $X ] && export Z\nY=1\nd"),
            (".env", "# a\nK=v\nQ=\"a b\"\n"),
        ];
        let found = run_with(text, &files);
        let command = found
            .iter()
            .rfind(|executed| executed.words[0].known() == Some("c"));
        let environment: Vec<String> = command
            .iter()
            .flat_map(|command| &command.environment)
            .map(|(name, term)| format!("{name}={}", shown(term)))
            .collect();
        assert_eq!(environment.join(" "), expected, "{text}");
    }
}
