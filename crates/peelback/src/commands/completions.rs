//! `peelback completions`: prints a shell's completion script for the command line.

use clap::{Arg, ArgMatches, Command};
use clap_complete::Shell;

use crate::exit::{ExitStatus, print_to_stdout};
use crate::non_tool_command::{CommandRunner, NonToolCommand};

pub(super) const COMMAND: NonToolCommand = NonToolCommand {
    name: "completions",
    build_grammar: completions_command_grammar,
    runner: CommandRunner::WithGrammar(run_completions_command),
};

fn completions_command_grammar() -> Command {
    Command::new("completions")
        .about("Prints the completion script of a shell")
        .arg(Arg::new("shell").required(true).value_parser(clap::value_parser!(Shell)))
}

fn run_completions_command(matches: &ArgMatches, mut program: Command) -> ExitStatus {
    let Some(shell) = matches.get_one::<Shell>("shell") else { return ExitStatus::BadUsage };
    let mut script = Vec::new();
    clap_complete::generate(*shell, &mut program, "peelback", &mut script);
    print_to_stdout(&script)
}
