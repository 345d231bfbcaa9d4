//! The type of a command of the program that is not a tool.

use clap::{ArgMatches, Command};

use crate::exit::ExitStatus;

/// A command of the program that is not a tool.
pub(crate) struct NonToolCommand {
    /// The name of the command on the command line.
    pub name: &'static str,
    /// Builds the command-line grammar of the command.
    pub build_grammar: fn() -> Command,
    /// Runs the command and returns the exit status.
    pub runner: CommandRunner,
}

/// The function that runs a command, by the arguments that the function needs.
pub(crate) enum CommandRunner {
    /// The command needs only the parsed arguments of its own part of the command line.
    WithMatches(fn(&ArgMatches) -> ExitStatus),
    /// The command describes the whole program, and also needs the whole command-line grammar. The list of commands is
    /// part of that grammar, so that a command in the list cannot build it.
    WithGrammar(fn(&ArgMatches, Command) -> ExitStatus),
}
