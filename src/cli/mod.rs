//! Command line: arguments → the stages → exit code.

mod arguments;
mod assumptions;
pub mod batch;
pub mod catalogue;
mod check;
mod explain;
mod failure;
mod notices;
mod output;
mod progress;
mod resolve;
mod selection;
mod target;
mod workers;

use std::io::Write;
use std::process::ExitCode;

use clap::{CommandFactory, Parser};

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
        Some(Command::Explain { rule }) => print(&explain::explain(&rule)?),
        Some(Command::Rules) => print(&explain::list()),
        Some(Command::Schema { of: Schema::Output }) => print(crate::report::JSON_SCHEMA),
        Some(Command::Completions { shell }) => {
            let mut script = Vec::new();
            clap_complete::generate(shell, &mut Arguments::command(), "fp8lint", &mut script);
            print(&String::from_utf8_lossy(&script))
        }
        Some(Command::Man) => {
            let mut page = Vec::new();
            clap_mangen::Man::new(Arguments::command())
                .render(&mut page)
                .map_err(|error| Failure::run(format!("the manual cannot be written: {error}")))?;
            print(&String::from_utf8_lossy(&page))
        }
    }
}

fn print(text: &str) -> Result<Exit, Failure> {
    Output::standard(arguments::Colour::Auto).write(text.as_bytes())?;
    Ok(Exit::Clean)
}
