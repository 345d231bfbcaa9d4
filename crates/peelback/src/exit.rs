//! The exit status of the program, and what it prints to standard output and standard error.

use std::io::{self, Write};

use peelback_code::{ErrorCategory, escape_control_characters};

/// The exit status of the program, as a number for the shell.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ExitStatus {
    Answer = 0,
    NothingFound = 1,
    BadUsage = 2,
    Failure = 3,
}

impl From<ErrorCategory> for ExitStatus {
    fn from(fault: ErrorCategory) -> Self {
        match fault {
            ErrorCategory::NothingFound => Self::NothingFound,
            ErrorCategory::BadUsage => Self::BadUsage,
            ErrorCategory::Failure => Self::Failure,
        }
    }
}

/// Writes bytes to standard output. A closed pipe, as with `| head`, is not a failure.
pub(crate) fn print_to_stdout(bytes: &[u8]) -> ExitStatus {
    let mut out = io::stdout().lock();
    match out.write_all(bytes).and_then(|()| out.flush()) {
        Ok(()) => ExitStatus::Answer,
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => ExitStatus::Answer,
        Err(error) => print_error(&format!("cannot write the answer: {error}"), ExitStatus::Failure),
    }
}

/// Prints an error message to standard error and returns the exit status `exit`.
pub(crate) fn print_error(error: &str, exit: ExitStatus) -> ExitStatus {
    // Escapes control characters, because the message can contain text of a server or a file.
    let _ = writeln!(io::stderr(), "error: {}", escape_control_characters(error));
    exit
}
