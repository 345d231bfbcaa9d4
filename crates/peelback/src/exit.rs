//! The exit status of a run, and its output to the terminal.

use std::io::{self, Write};

use peelback_code::Fault;

/// The exit status of the program.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Exit {
    Answer = 0,
    NothingFound = 1,
    BadUsage = 2,
    Failure = 3,
}

impl From<Fault> for Exit {
    fn from(fault: Fault) -> Self {
        match fault {
            Fault::NothingFound => Self::NothingFound,
            Fault::BadUsage => Self::BadUsage,
            Fault::Failure => Self::Failure,
        }
    }
}

/// Writes bytes to standard output. A closed pipe, as with `| head`, is not a failure.
pub(crate) fn print(bytes: &[u8]) -> Exit {
    let mut out = io::stdout().lock();
    match out.write_all(bytes).and_then(|()| out.flush()) {
        Ok(()) => Exit::Answer,
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Exit::Answer,
        Err(error) => fail(&format!("cannot write the answer: {error}"), Exit::Failure),
    }
}

/// Prints an error to standard error and returns the exit status.
pub(crate) fn fail(error: &str, exit: Exit) -> Exit {
    // Escapes control characters, because the message can contain text of a server or a file.
    let _ = writeln!(io::stderr(), "error: {}", crate::terminal::printable(error));
    exit
}
