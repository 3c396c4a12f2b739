//! Completion scripts and manual pages.

use clap::CommandFactory;
use clap_complete::Shell;
use clap_mangen::Man;

use crate::resolve::target::closest;

use super::arguments::Arguments;
use super::failure::Failure;

const NAME: &str = "fp8lint";

/// The completion script of a shell.
pub(super) fn completions(shell: Shell) -> String {
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut Arguments::command(), NAME, &mut script);
    String::from_utf8_lossy(&script).into_owned()
}

/// The manual page of a command, or that of the program, which names the others.
pub(super) fn page(command: Option<&str>) -> Result<String, Failure> {
    let mut program = Arguments::command();
    program.build();
    let page = match command {
        None => program,
        Some(name) => {
            let mut commands = program.get_subcommands();
            let found = commands.find(|command| command.get_name() == name);
            found.cloned().ok_or_else(|| unknown(&program, name))?
        }
    };
    let mut text = Vec::new();
    Man::new(page)
        .render(&mut text)
        .map_err(|error| Failure::run(format!("the manual cannot be written: {error}")))?;
    Ok(String::from_utf8_lossy(&text).into_owned())
}

fn unknown(program: &clap::Command, name: &str) -> Failure {
    let names: Vec<_> = program
        .get_subcommands()
        .map(clap::Command::get_name)
        .collect();
    let meant = closest(name, names.iter().copied())
        .map(|meant| format!("did you mean {meant}? "))
        .unwrap_or_default();
    Failure::usage(
        format!("there is no command `{name}`"),
        format!("{meant}there are {}", names.join(", ")),
    )
}
