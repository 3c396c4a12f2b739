//! The `fp8lint` program: everything it does is in the library's [`fp8lint::cli`].

use std::process::ExitCode;

fn main() -> ExitCode {
    fp8lint::cli::main()
}
