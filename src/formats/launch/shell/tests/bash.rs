//! Held against the real bash.

use std::process::Command;

use super::*;

/// What bash prints; `None` without bash.
fn bash(script: &str, folder: &std::path::Path) -> Option<Vec<u8>> {
    let output = Command::new("bash")
        .args(["--norc", "--noprofile", "-c", script])
        .current_dir(folder)
        .env_clear()
        .env("LC_ALL", "C.UTF-8")
        .output()
        .ok()?;
    Some(output.stdout)
}

/// What the commands `printf %s, WORD…` of a script print.
fn ours(script: &str) -> String {
    let mut printed = String::new();
    for executed in run_text(script) {
        if executed.words[0].known() == Some("printf") {
            for word in &executed.words[2..] {
                printed += &shown(word);
                printed.push(',');
            }
            if executed.words.len() == 2 {
                printed.push(',');
            }
        }
    }
    printed
}

fn compare(scripts: &[String]) {
    let folder = tempfile::tempdir().unwrap();
    let mut wrong = Vec::new();
    for script in scripts {
        let script = script.replace("@p", "printf %s,");
        let Some(expected) = bash(&script, folder.path()) else {
            eprintln!("skipped: there is no bash on this machine");
            return;
        };
        let expected = String::from_utf8_lossy(&expected).into_owned();
        let ours = ours(&script);
        if ours != expected {
            wrong.push(format!("{script}\n  ours {ours:?}\n  bash {expected:?}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

const HAND_WRITTEN: &[&str] = &[
    "@p a b  c\td",
    "@p 'a b' \"c d\" e\\ f",
    "@p a\\\nb c \\\n  d",
    "@p a'b'\"c\"d$'e\\tf\\x41\\101\\u00e9\\'\\\\'",
    "@p '' \"\" a''",
    "@p \"a\\\"b\\$c\\`d\\\\e\\f\"",
    "@p 'a\\b' \\a \\\\ \\' \\\"",
    "@p a#b #c\n@p d",
    "@p a \\ # b\n@p c",
    "@p a \\\n# comment\n@p b",
    "@p a\\\n#b",
    "A=x; @p $A \"$A\" '$A' ${A} \"${A}y\" $A$A",
    "A='x  y z'; @p $A \"$A\" a$A\"b\"$A",
    "A=' x y '; @p a$A b\"$A\"c $A",
    "A=; @p $A \"$A\" a$A",
    "A='--x 1'; A=\"$A --y 2\"; A+=' --z'; @p $A",
    "A=(a 'b c' \"d\"); @p \"${A[@]}\" ${A[@]} \"${A[*]}\" ${A[*]} ${A[1]} \"${A[1]}\" $A ${#A[@]}",
    "A=(a b); A+=(c 'd e'); @p \"x${A[@]}y\"",
    "A=(\n  a # one\n  # two\n  'b c'\n\n  d\n)\n@p \"${A[@]}\"",
    "A=(); @p \"${A[@]}\" x",
    "A=(\"\" 'x'); @p \"${A[@]}\" ${A[@]}",
    "S='a b'; A=($S \"$S\" c$S); @p \"${A[@]}\"",
    "@p ${X:-d} \"${X:-a b}\" ${X:-a b} ${X-e} ${X:-\"a b\"} \"${X:-\"q\"}\"",
    "X=v; @p ${X:-d} ${X:+alt} ${Y:+alt} \"${Y:+alt}\" ${X-d}",
    "X=; @p \"${X:-d}\" \"${X-d}\" \"${X:+a}\" \"${X+a}\"",
    ": ${X:=d}; @p $X; X=${X:-e}; @p $X",
    "P=a/b/c.tar.gz; @p ${P%.gz} ${P%%.*} ${P##*/} ${P#*/} ${P%/*} ${#P} ${P//\\//_} ${P/b/x} ${P^^}",
    "set -- a 'b c' d; @p \"$@\" $# \"$2\" \"$*\" ${1} ${9:-none}; shift; @p \"$@\"",
    "set -euo pipefail; set -- x; @p \"$1\"",
    "A=1 B=$A; @p \"$B\"",
    "A=1; A=2 @p $A; @p $A",
    "A=a; (A=b; @p $A); @p $A; { A=c; }; @p $A",
    "A=a; B=$(A=b; echo $A); @p $A $B",
    "@p \"$(echo a b)\" $(echo c d) `echo e` \"`echo f`\"",
    "@p \"$(echo \"x y\")\" \"$(echo 'a\"b')\" $(dirname a/b/c) $(basename a/b.yaml .yaml)",
    "if true; then @p a; fi",
    "for x in a; do @p $x; done",
    "case x in x) @p a;; esac",
    "A=1 && B=2; @p $A $B",
    "cd . || exit 1; @p ok",
    "CMD='@p a'; CMD=\"$CMD b\"; eval \"$CMD 'c d'\"",
    "CMD=\"@p\"; CMD+=\" x y\"; $CMD z",
    "eval @p \"'a b'\" c",
    "bash -c \"@p a 'b c'\"",
    "export X=e; bash -c '@p \"$X\" \"in $X\"'; sh -c '@p x' y",
    "cat > /dev/null <<EOF\n@p no\nEOF\n@p yes",
    "cat > /dev/null <<-'E O'\n\t@p no\n\tE O\n@p yes",
    "cat <<A >/dev/null; cat <<B >/dev/null\n1\nA\n2\nB\n@p yes",
    "cat <<< 'x y' > /dev/null; @p a 2>&1 2> /dev/null b",
    "@p a >&1 b; @p c 1>&1",
    "@p a; @p b & wait; @p c",
    "! @p a; @p b; time @p c 2>/dev/null",
    "f() { @p in; }; f",
    "function g { @p in; }\ng",
    "@p *.nothing x? [ab]c {a} {} a{b a}b {a\\,b} '{a,b}'",
    "@p a=b --k='v w'",
    "A='*'; @p \"$A\"",
    "@p $((7)) \"$(( 12 ))\"",
    "@p \"a\nb\" 'c\nd'",
    "@p $ \"$\" a$ \"a$ b\" '$'",
    "@p \\$X \"\\$X\" \"a\\\nb\"",
    "[[ a == b || -n \"x y\" ]]; @p done",
    "[[ a =~ ^(a|b)$ ]] && @p yes",
    "(( 1 < 2 )); @p after",
    "{ @p a; @p b; } | cat; @p c | cat",
    "declare -x A='x y'; export B=$A C; readonly D=d; @p \"$A\" \"$B\" $D",
    "export \"A=x y\"; @p \"$A\"",
    "unset A; A=b; unset A; @p \"${A:-gone}\"",
    "A=é; @p \"$A\" ü$A 'ö ß' \\é",
    "A=x\\ y; @p $A; A=\"x\"'y'; @p $A; A=$'x\\ny'; @p \"$A\" $A",
    "A=a:b:c; @p ${A} \"${A}\":d",
    "A=b; @p \"${A}\"\"c\"'d'$A",
    "a_b=1; @p $a_b-$a_b.${a_b}x",
    "if false; then :; fi; while false; do :; done; @p x",
    "A=(a b); @p \"${A[@]:-x}\" \"${#A}\"",
    "pushd . > /dev/null; popd > /dev/null; @p x",
    "@p $(true) x \"$(true)\"",
    "A=\"$(echo)\"; @p \"$A\"",
    "\\@p a; 'printf' '%s,' b",
    "local_X=1; typeset Y=2; @p $local_X$Y",
    "@p \"${A:-${B:-c d}}\" ${A:-$(echo x)}",
    "A='a b'; B=\"'$A'\"; @p $B",
    "A=\"x\"; A=\"${A},y\"; A=${A},z; @p $A",
    "@p a\tb;\t@p\tc",
    "while read -r l; do :; done <<< x; @p x",
    "set -a; A=1; set +a; B=2; bash -c '@p \"$A\" \"${B:-unset}\"'",
    "export A; A=1; bash -c '@p \"$A\"'; unset A; A=2; bash -c '@p \"${A:-gone}\"'",
    "A=1; A=2 B=$A bash -c '@p \"$A\" \"$B\"'; @p $A \"${B:-gone}\"; C=3 env -u C bash -c '@p \"${C:-gone}\"'",
    "A=1; A+=2 bash -c '@p $A'; A=0 A+=1 sh -c '@p $A'; @p $A",
    "A=1; bash -c 'export A; A=2; sh -c \"@p \\$A\"'; A=3 bash <<'E'\n@p $A\nE\n",
    "trap 'echo bye >/dev/null' EXIT; @p x",
    "A=(--a 1); B=(\"${A[@]}\" --b); @p \"${B[@]}\"",
    "A=(1 2); set -- \"${A[@]}\" 3; @p \"$@\"",
    "@p <<< x a",
    ">/dev/null echo x; @p y",
    "{ A=1; @p $A; } 2>/dev/null",
    "A=1 # comment\n@p $A # 'quote",
    "@p $'a'\"$'b'\"",
    "if true; then\n @p a\nelif false; then\n  :\nelse\n  :\nfi",
];

/// A generator that always gives the same.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, most: usize) -> usize {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(self.0 >> 33).unwrap() % most
    }

    fn one_of<'a>(&mut self, choices: &[&'a str]) -> &'a str {
        choices[self.below(choices.len())]
    }

    fn word(&mut self) -> String {
        let count = 1 + self.below(4);
        (0..count)
            .map(|_| {
                self.one_of(&[
                    "a",
                    "--flag",
                    "=",
                    "x.yaml",
                    "'q r'",
                    "\"d e\"",
                    "${A}",
                    "\"$A\"",
                    "${B}",
                    "\"${B} s\"",
                    "\\ ",
                    "\\\"",
                    "$'t\\tu'",
                    "\"$L\"",
                    "${L}",
                    "\"${L[@]}\"",
                    "${L[@]}",
                    "\"\"",
                    "''",
                    "${N:-n m}",
                    "\"${N:-o p}\"",
                    "${A:+y z}",
                    "\\\n",
                    "#",
                    "é",
                    "\"'\"",
                    "'\"'",
                    "\"\\$A\"",
                    "${B%c}",
                    "$(echo v w)",
                    "\"$(echo k l)\"",
                    "`echo b`",
                ])
            })
            .collect()
    }
}

#[test]
fn hand_written_lines_come_out_as_from_bash() {
    compare(
        &HAND_WRITTEN
            .iter()
            .map(|line| (*line).to_owned())
            .collect::<Vec<_>>(),
    );
}

#[test]
fn generated_lines_come_out_as_from_bash() {
    let mut numbers = Numbers(1);
    let scripts: Vec<String> = (0..400)
        .map(|_| {
            let mut script = "A=i B=j L=()\n".to_owned();
            for name in ["A", "B"] {
                script += &format!("{name}={}\n", numbers.word());
            }
            let elements: Vec<String> = (0..numbers.below(4)).map(|_| numbers.word()).collect();
            script += &format!(
                "L=({}\n)\n",
                elements.join(numbers.one_of(&[" ", "\n", " \\\n"]))
            );
            script += numbers.one_of(&[
                "",
                "A+=\" t\"\n",
                "A=\"$A $B\"\n",
                "L+=(\"$B\" $A)\n",
                "B=${L[0]}\n",
            ]);
            let words: Vec<String> = (0..1 + numbers.below(5)).map(|_| numbers.word()).collect();
            script + &format!("@p {}\n", words.join(" "))
        })
        .collect();
    compare(&scripts);
}
