//! The type of a command that is not a tool.

use clap::{ArgMatches, Command};

use crate::exit::Exit;

/// A command of the program that is not a tool.
pub(crate) struct OwnCommand {
    /// The name of the command on the command line.
    pub name: &'static str,
    /// Builds the command's grammar.
    pub command: fn() -> Command,
    /// Runs the command and returns the exit status.
    pub run: Run,
}

/// The function that runs a command, by what the function needs.
pub(crate) enum Run {
    /// The command needs only its own part of the command line.
    Alone(fn(&ArgMatches) -> Exit),
    /// The command describes the whole program, and also needs the whole command-line grammar. The list of commands is
    /// part of that grammar, so that a command in the list cannot build it.
    WithGrammar(fn(&ArgMatches, Command) -> Exit),
}
