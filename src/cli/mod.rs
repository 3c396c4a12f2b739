//! clap arguments → the stages → exit code.
use std::process::ExitCode;
pub mod batch;
/// Runs the program.
pub fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().collect();
    let input = std::io::BufReader::new(std::fs::File::open(&args[3]).unwrap());
    batch::answer(input, std::io::BufWriter::new(std::fs::File::create(&args[5]).unwrap())).unwrap();
    ExitCode::SUCCESS
}
