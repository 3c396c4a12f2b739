mod limits;

use std::fmt::Write;

use super::*;
use crate::source::Span;

/// The tree on one line.
fn shown(text: &str) -> String {
    let script = read(text);
    let mut out = String::new();
    list(&script.commands, text, &mut out);
    for body in &script.heredocs {
        let pieces: Vec<&str> = body.pieces.iter().map(|span| slice(text, *span)).collect();
        write!(out, " <<{:?}", pieces.concat()).unwrap();
    }
    out
}

fn slice(text: &str, span: Span) -> &str {
    text.get(span.start..span.end)
        .expect("spans are in bounds, on character boundaries")
}

fn list(list: &List, text: &str, out: &mut String) {
    for (position, statement) in list.statements.iter().enumerate() {
        *out += if position > 0 { "; " } else { "" };
        pipeline(&statement.first, text, out);
        for (connector, other) in &statement.rest {
            *out += if *connector == Connector::And {
                " && "
            } else {
                " || "
            };
            pipeline(other, text, out);
        }
        *out += if statement.is_background { " &" } else { "" };
    }
}

fn pipeline(pipeline: &Pipeline, text: &str, out: &mut String) {
    *out += if pipeline.is_negated { "! " } else { "" };
    for (position, one) in pipeline.commands.iter().enumerate() {
        *out += if position > 0 { " | " } else { "" };
        command(one, text, out);
    }
}

fn block(name: &str, body: &List, text: &str, out: &mut String) {
    write!(out, "{name}{{").unwrap();
    list(body, text, out);
    out.push('}');
}

fn command(command: &Command, text: &str, out: &mut String) {
    slice(text, command.span);
    match &command.kind {
        CommandKind::Simple(simple) => {
            let assignments = simple.assignments.iter().map(|one| assignment(one, text));
            let named = simple.words.iter().map(|one| word(one, text));
            let declared = simple.declarations.iter().map(|one| assignment(one, text));
            let all: Vec<String> = assignments.chain(named).chain(declared).collect();
            *out += &all.join(" ");
        }
        CommandKind::Subshell(body) => block("subshell", body, text, out),
        CommandKind::Group(body) => block("", body, text, out),
        CommandKind::If {
            branches,
            otherwise,
        } => {
            for (condition, body) in branches {
                block("if", condition, text, out);
                block("then", body, text, out);
            }
            otherwise
                .iter()
                .for_each(|body| block("else", body, text, out));
        }
        CommandKind::While { condition, body } => {
            block("while", condition, text, out);
            block("do", body, text, out);
        }
        CommandKind::For { name, words, body } => {
            let words: Vec<String> = words.iter().flatten().map(|one| word(one, text)).collect();
            block(&format!("for {name} {}", words.join(" ")), body, text, out);
        }
        CommandKind::ForArithmetic { expression, body } => {
            block(
                &format!("for (({}))", slice(text, *expression)),
                body,
                text,
                out,
            );
        }
        CommandKind::Case { word: of, items } => {
            *out += &format!("case {}", word(of, text));
            for item in items {
                let patterns: Vec<String> =
                    item.patterns.iter().map(|one| word(one, text)).collect();
                block(&format!(" {}", patterns.join("|")), &item.body, text, out);
            }
        }
        CommandKind::Function { name, body } => {
            write!(out, "fn {name} ").unwrap();
            self::command(body, text, out);
        }
        CommandKind::Test(words) => {
            let words: Vec<String> = words.iter().map(|one| word(one, text)).collect();
            write!(out, "[[{}]]", words.join(" ")).unwrap();
        }
        CommandKind::Arithmetic(span) => write!(out, "(({}))", slice(text, *span)).unwrap(),
    }
    for redirection in &command.redirections {
        write!(out, " {:?}", redirection.kind).unwrap();
        out.push_str(
            &redirection
                .descriptor
                .map(|number| format!("@{number}"))
                .unwrap_or_default(),
        );
        write!(out, ":{}", word(&redirection.target, text)).unwrap();
    }
}

fn assignment(assignment: &Assignment, text: &str) -> String {
    slice(text, assignment.span);
    let value = match &assignment.value {
        Assigned::Word(one) => word(one, text),
        Assigned::Array(words) => {
            let words: Vec<String> = words.iter().map(|one| word(one, text)).collect();
            format!("({})", words.join(" "))
        }
    };
    let index = assignment
        .subscript
        .map(|span| format!("[{}]", slice(text, span)));
    let sign = if assignment.is_append { "+=" } else { "=" };
    format!(
        "{}{}{sign}{value}",
        assignment.name,
        index.unwrap_or_default()
    )
}

/// Parts of a word: `'…'` where quoted.
fn word(word: &Word, text: &str) -> String {
    slice(text, word.span);
    let mut out = String::new();
    for part in &word.parts {
        let written = slice(text, part.span);
        let shown = match &part.kind {
            PartKind::Text(known) => known.clone(),
            PartKind::Parameter(parameter) => {
                let operator = parameter.operator.as_ref();
                let operator =
                    operator.map(|one| format!("{}{}", one.symbol, self::word(&one.word, text)));
                let subscript = parameter.subscript.as_ref().map(|one| format!("{one:?}"));
                let length = if parameter.is_length { "#" } else { "" };
                let indirect = if parameter.is_indirect { "!" } else { "" };
                format!(
                    "<{length}{indirect}{}{}{}>",
                    parameter.name,
                    subscript.unwrap_or_default(),
                    operator.unwrap_or_default()
                )
            }
            PartKind::Command(body) | PartKind::Process(body) => {
                let mut inner = String::new();
                block("$", body, text, &mut inner);
                inner
            }
            PartKind::Arithmetic(span) => format!("$(({}))", slice(text, *span)),
        };
        assert!(
            !written.is_empty() || shown.is_empty(),
            "{shown} stands nowhere"
        );
        out += &if part.is_quoted {
            format!("'{shown}'")
        } else {
            shown
        };
    }
    out
}

#[test]
fn shapes() {
    for (text, expected) in [
        ("A=1 B+=\"x y\" C[0]=z cmd a", "A=1 B+='x y' C[0]=z cmd a"),
        ("export A=1 B C=(x 'y')", "export B A=1 C=(x 'y')"),
        ("A=(\n a # b\n \"c\"\n) d", "A=(a 'c') d"),
        (
            "a && b || ! c; d & e | f |& g",
            "a && b || ! c; d &; e | f | g",
        ),
        ("a \\\n b \\\r\n c\r\nd", "a b c; d"),
        ("a \\ # b", "a ' '# b"),
        ("a \\  # b", "a ' '"),
        (
            "if a; then b; elif c; then d; else e; fi",
            "if{a}then{b}if{c}then{d}else{e}",
        ),
        (
            "while a; do b; done; until c\ndo d\ndone",
            "while{a}do{b}; while{c}do{d}",
        ),
        ("for x in a $b; do c; done", "for x a <b>{c}"),
        (
            "for x\ndo c; done; select y in z; do d; done",
            "for x {c}; for y z{d}",
        ),
        (
            "for ((i=0; i<(3); i++)); do c; done",
            "for ((i=0; i<(3); i++)){c}",
        ),
        (
            "case $x in a|b) c;; (d) e ;& *) f; esac; g",
            "case <x> a|b{c} d{e} *{f}; g",
        ),
        (
            "f() { a; }; function g { b; }\nfunction h() ( c )",
            "fn f {a}; fn g {b}; fn h subshell{c}",
        ),
        ("[[ $a == b && ( c < d ) ]] && e", "[[<a> == b c d]] && e"),
        (
            "((a++)); ( (b) ); ((c) )",
            "((a++)); subshell{subshell{b}}; subshell{subshell{c}}",
        ),
        ("time -p a; coproc b; ! ! c", "a; b; c"),
        (
            "a 2>&1 >f <g &>h 3>>i <<<j >|k",
            "a CopyOutput@2:1 Output:f Input:g BothOutput:h Append@3:i HereString:j Output:k",
        ),
        (
            "a <<E b <<-'F'\n1\n$x\nE\n\t2\n\tF\nc",
            "a b HereDoc(0):E HereDoc(1):'F'; c <<\"1\\n$x\\n\" <<\"2\\n\"",
        ),
        (
            "$(a; b) `c` \"$(d \"e\")\" <(f) $((1+(2)))",
            "${a; b} ${c} '${d 'e'}' ${f} $((1+(2)))",
        ),
        (
            "$a${b}$1$@$# ${c:-d e} ${#f} ${g[@]} ${h[0]%i} ${!j} \"${k:=\"l\"}\"",
            "<a><b><1><@><#> <c:-d e> <#f> <gAt> <hIndex(\"0\")%i> <!j> '<k:='l'>'",
        ),
        ("a'b'\"c$d\"\\e$'f\\n' ''", "a'b''c''<d>''e''f''\n' ''"),
        ("echo if then fi; }; done; a", "echo if then fi; a"),
        ("a; # b 'c\nd#e", "a; d#e"),
        // Broken.
        ("a 'b; c", "a 'b; c'"),
        ("a \"b $(c", "a 'b ''${c}'"),
        ("if a; then b", "if{a}then{b}"),
        ("(a; b", "subshell{a; b}"),
        ("a ) b; fi; c", "a; b; c"),
        (
            "while a; do if b; then c; done; d",
            "while{a}do{if{b}then{c}}; d",
        ),
        ("A=(a b; c", "A=(a b); c"),
        ("case a in b c; d", "case a; b c; d"),
        ("a ${b", "a <b>"),
        ("cat <<E\nx", "cat HereDoc(0):E <<\"x\""),
        ("é=1 ü | ß", "é=1 ü | ß"),
        ("", ""),
    ] {
        assert_eq!(shown(text), expected, "{text}");
    }
}

#[test]
fn bodies_of_here_documents() {
    let text = "cat <<-E\n\ta \"$b\" 'c' \\$d `e`\n\t$(f \"g\") \\\"\n\tE\n";
    let words = read_body(text, &read(text).heredocs[0].pieces);
    let words: Vec<String> = words.iter().map(|one| word(one, text)).collect();
    assert_eq!(
        words,
        [
            "'a \"''<b>''\" 'c' ''$''d ''${e}''\n'",
            "'${f 'g'}'' ''\\''\"\n'"
        ]
    );
}
