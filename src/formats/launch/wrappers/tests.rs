//! Launch commands in shells behind each of the wrappers.

use std::sync::Arc;

use crate::source::SourceFile;

use super::super::{LaunchCommand, NothingLoaded, read};
use super::shells::SHELLS;
use super::table::WRAPPERS;

fn commands(text: &str) -> Vec<LaunchCommand> {
    let file = Arc::new(SourceFile::from_text("run.sh", text));
    read(&file, &NothingLoaded).commands
}

/// The scripts of the commands.
fn scripts(text: &str) -> Vec<String> {
    let script = |command: LaunchCommand| Some(command.script?.name.known()?.to_owned());
    commands(text).into_iter().filter_map(script).collect()
}

#[test]
fn a_shell_behind_each_wrapper_is_looked_into() {
    for wrapper in WRAPPERS {
        let mut front = wrapper.name.to_owned();
        for _ in 0..wrapper.operands {
            front += " 1";
        }
        if wrapper.only_after_dashes {
            front += " pod --";
        }
        for text in [
            format!("{front} bash -c \"accelerate launch x.py\""),
            format!("sky exec cluster -- {front} bash -c \"accelerate launch x.py\""),
        ] {
            assert_eq!(scripts(&text), ["x.py"], "{text}");
        }
    }
}

#[test]
fn each_shell_is_looked_into() {
    for shell in SHELLS {
        for text in [
            format!("{shell} -c \"accelerate launch x.py\""),
            format!("/bin/{shell} -e +x -lc 'accelerate launch x.py' name"),
            format!("{shell} <<EOF\naccelerate launch x.py\nEOF\n"),
            format!("srun -n 1 {shell} <<EOF\naccelerate launch x.py\nEOF\n"),
            format!("python submit.py -- {shell} -c \"accelerate launch x.py\""),
        ] {
            assert_eq!(scripts(&text), ["x.py"], "{text}");
        }
    }
}

#[test]
fn what_is_no_shell_command_stays_what_it_is() {
    for text in [
        "ssh host ls; accelerate launch x.py",
        "ls | xargs rm; accelerate launch x.py",
        "kubectl exec pod bash -c 'accelerate launch x.py'",
        "tmux new-session -d 'accelerate launch x.py'",
        "python x.py -- bash -c 'echo done'",
        "docker run image bash x.sh 'accelerate launch y.py'; accelerate launch x.py",
    ] {
        assert_eq!(scripts(text), ["x.py"], "{text}");
    }
}

#[test]
fn the_command_in_a_shell_gets_what_the_wrappers_leave_and_set() {
    for (front, expected) in [
        ("", "A=0 B=0"),
        ("srun", "A=0 B=0"),
        ("env A=1 C=2", "A=1 B=0 C=2"),
        ("env -u A", "B=0"),
        ("A=1 C=2", "A=1 B=0 C=2"),
        ("A=1 C=2 env -i", ""),
        ("A=1 srun --export=A,C=2", "A=1 C=2"),
        ("env C=2 srun --export=A", "A=0"),
        ("sudo", ""),
        ("sudo C=2", "C=2"),
        ("sudo -E", "A=0 B=0"),
        ("sudo --preserve-env=A", "A=0"),
        ("docker run -e A -e C=2 image", "A=0 C=2"),
        ("ssh host", ""),
        ("pixi run", "A=0 B=0"),
    ] {
        // Behind `--` the collector reads the text; assignments in front of that command would be the outer one's.
        let is_inline = front.starts_with("A=");
        for outer in ["", "sky exec cluster -- "] {
            if is_inline && !outer.is_empty() {
                continue;
            }
            let text =
                format!("export A=0 B=0; D=0\n{outer}{front} bash -c 'accelerate launch x.py'");
            let found = commands(&text);
            let shown: Vec<String> = found
                .iter()
                .flat_map(|command| &command.environment)
                .map(|(name, value)| format!("{name}={}", value.known().unwrap_or("?")))
                .collect();
            assert_eq!(shown.join(" "), expected, "{text}");
        }
    }
}

#[test]
fn a_variable_in_front_of_a_shell_has_its_place() {
    let text = "ACCELERATE_MIXED_PRECISION=fp16 bash -c \"accelerate launch x.py\"";
    let found = commands(text);
    let value = &found[0].environment["ACCELERATE_MIXED_PRECISION"];
    assert_eq!(value.known(), Some("fp16"));
    assert_eq!(
        value.spot.file.slice(value.spot.span),
        "ACCELERATE_MIXED_PRECISION=fp16"
    );
    let text = "env A=1 bash -c 'accelerate launch x.py --a $A'";
    let argument = &commands(text)[0].arguments[1];
    assert_eq!(argument.known(), Some("1"));
}

/// Each text would run as many again, eight deep.
#[test]
fn a_text_that_is_given_itself_ends() {
    for again in ["x -- bash -c \"$A\"; ", "tmux new \"$A\"; "] {
        let text = format!("export A='{} torchrun x.py'\n{again}", again.repeat(50));
        assert!(scripts(&text).len() < 10_000);
    }
}

#[test]
fn options_out_of_a_variable_are_told_though_a_value_is_not_known() {
    for options in [
        " --wait=60 --nodelist=$N",
        "--wait=60 \\\n  --nodelist=$N\n ",
    ] {
        let text = format!("A=\"{options}\"\nsrun $A bash -c \"accelerate launch train.py\"\n");
        assert_eq!(scripts(&text), ["train.py"], "{text}");
    }
}
