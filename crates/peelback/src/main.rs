//! Peelback's program: see `peelback --help`.

use std::process::ExitCode;

fn main() -> ExitCode {
    peelback::run::run()
}
