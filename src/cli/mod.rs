//! clap arguments → the stages → exit code.
use std::process::ExitCode;
/// Runs the program.
pub fn main() -> ExitCode {
    ExitCode::SUCCESS
}
