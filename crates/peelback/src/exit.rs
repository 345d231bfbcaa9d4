//! The exit status of the program, and what it prints to standard output and standard error.

use std::io::{self, IsTerminal, Write};

use peelback_code::{ErrorCategory, escape_control_characters, escape_control_characters_of_json};
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

/// Writes bytes to standard output as they are. A closed pipe, as with `| head`, is not a failure.
pub(crate) fn print_to_stdout(bytes: &[u8]) -> ExitStatus {
    let mut out = io::stdout().lock();
    match out.write_all(bytes).and_then(|()| out.flush()) {
        Ok(()) => ExitStatus::Answer,
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => ExitStatus::Answer,
        Err(error) => print_error_and_return_status(&format!("cannot write the answer: {error}"), ExitStatus::Failure),
    }
}

/// Prints text for a reader to standard output. Control characters are escaped, because paths and messages in the text
/// can come from whoever wrote a project.
pub(crate) fn print_text_to_stdout(text: &str) -> ExitStatus {
    print_to_stdout(escape_control_characters(text).as_bytes())
}

/// Prints a line of JSON to standard output, with escapes for those characters that control a terminal, too.
pub(crate) fn print_json_to_stdout(json: &serde_json::Value) -> ExitStatus {
    print_to_stdout(escape_control_characters_of_json(&format!("{json}\n")).as_bytes())
}

/// Prints a document to standard output: to a file or another program as it is, to a terminal with control characters
/// escaped.
pub(crate) fn print_document_to_stdout(document: &str) -> ExitStatus {
    if io::stdout().is_terminal() { print_text_to_stdout(document) } else { print_to_stdout(document.as_bytes()) }
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

/// Prints to standard error that a repository is being cloned.
pub(crate) fn print_cloning_to_stderr(address: &str) {
    print_line_to_stderr("cloning ", address);
}

/// Prints a line to standard error. What stands there often ends in a log, so the secrets in it are masked; control
/// characters are escaped, because the text can come from a server or a file.
fn print_line_to_stderr(beginning: &str, text: &str) {
    let text = mask_secrets(text);
    let _ = writeln!(io::stderr(), "{beginning}{}", escape_control_characters(&text));
}
