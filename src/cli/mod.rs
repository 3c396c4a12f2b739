//! Command line: arguments → the stages → exit code.

mod arguments;
mod assumptions;
pub mod batch;
pub mod catalogue;
mod check;
mod explain;
mod failure;
mod init;
mod manual;
mod notices;
mod output;
mod progress;
mod resolve;
mod selection;
mod show_files;
mod show_settings;
mod target;
mod workers;

use std::io::Write;
use std::process::ExitCode;

use clap::Parser;

use arguments::{Arguments, Command, Schema};
use failure::{Exit, Failure};
use output::Output;

/// Runs the program on its arguments.
pub fn main() -> ExitCode {
    let arguments = match Arguments::try_parse() {
        Ok(arguments) => arguments,
        Err(error) => {
            // Nothing is left to do where even the message cannot be written.
            let _ = error.print();
            return match error.exit_code() {
                0 => Exit::Clean,
                _ => Exit::Usage,
            }
            .into();
        }
    };
    let exit = match run(arguments) {
        Ok(exit) => exit,
        Err(failure) => {
            let _ = write!(anstream::stderr(), "{failure}");
            failure.exit()
        }
    };
    exit.into()
}

fn run(arguments: Arguments) -> Result<Exit, Failure> {
    match arguments.command {
        None => check::run(&arguments.check),
        Some(Command::Check(arguments)) => check::run(&arguments),
        Some(Command::Resolve(arguments)) => resolve::run(&arguments),
        Some(Command::Explain { rule, format }) => print(&explain::explain(&rule, format)?),
        Some(Command::Rules { format }) => print(&explain::list(format)?),
        Some(Command::Init) => print(&init::init()?),
        Some(Command::ShowSettings(arguments)) => print(&show_settings::show(&arguments)?),
        Some(Command::ShowFiles(arguments)) => show_files::show(&arguments),
        Some(Command::Schema { of }) => print(match of {
            Schema::Config => crate::formats::settings::SCHEMA,
            Schema::Output => crate::report::JSON_SCHEMA,
        }),
        Some(Command::Completions { shell }) => print(&manual::completions(shell)),
        Some(Command::Man { command }) => print(&manual::page(command.as_deref())?),
    }
}

fn print(text: &str) -> Result<Exit, Failure> {
    Output::standard(arguments::Colour::Auto).write(text.as_bytes())?;
    Ok(Exit::Clean)
}
