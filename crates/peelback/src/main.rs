//! The program `peelback`: see `peelback --help`.

use std::process::ExitCode;

fn main() -> ExitCode {
    peelback::run::run_program()
}
