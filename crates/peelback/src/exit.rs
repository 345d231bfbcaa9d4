//! The exit status of the program, and what it prints to standard output and standard error.

use std::io::{self, Write};

use peelback_code::{ErrorCategory, escape_control_characters};
use peelback_secrets::mask_secrets;

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
        Err(error) => print_error_and_return_status(&format!("cannot write the answer: {error}"), ExitStatus::Failure),
    }
}

/// Prints an error message to standard error and returns the exit status `exit`.
pub(crate) fn print_error_and_return_status(error: &str, exit: ExitStatus) -> ExitStatus {
    print_line_to_stderr("error: ", error);
    exit
}

/// Prints a note to standard error.
pub(crate) fn print_note_to_stderr(note: &str) {
    print_line_to_stderr("note: ", note);
}

/// Prints a line to standard error. What stands there often ends in a log, so the secrets in it are masked; control
/// characters are escaped, because the text can come from a server or a file.
fn print_line_to_stderr(beginning: &str, text: &str) {
    let text = mask_secrets(text);
    let _ = writeln!(io::stderr(), "{beginning}{}", escape_control_characters(&text));
}
