//! How a run ends, and what it prints.

use std::io::{self, Write};

use peelback_code::Fault;

/// What a run gives back to the shell.
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

/// Writes to standard output. A reader that has seen enough (`| head`) is no failure.
pub(crate) fn print(bytes: &[u8]) -> Exit {
    let mut out = io::stdout().lock();
    match out.write_all(bytes).and_then(|()| out.flush()) {
        Ok(()) => Exit::Answer,
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Exit::Answer,
        Err(error) => fail(&format!("cannot write the answer: {error}"), Exit::Failure),
    }
}

/// Says on standard error what is wrong.
pub(crate) fn fail(error: &str, exit: Exit) -> Exit {
    // It may hold what a server or a file said.
    let _ = writeln!(io::stderr(), "error: {}", crate::terminal::printable(error));
    exit
}
