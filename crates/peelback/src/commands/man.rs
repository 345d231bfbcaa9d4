//! `peelback man`: prints the man pages.

use clap::{Arg, ArgMatches, Command};

use crate::exit::{ExitStatus, print_error_and_return_status, print_to_stdout};
use crate::non_tool_command::{CommandRunner, NonToolCommand};

pub(super) const COMMAND: NonToolCommand = NonToolCommand {
    name: "man",
    build_grammar: man_command_grammar,
    runner: CommandRunner::WithGrammar(run_man_command),
};

fn man_command_grammar() -> Command {
    Command::new("man")
        .about("Prints the man page of the program or of one command")
        .arg(Arg::new("command").value_name("COMMAND"))
}

fn run_man_command(matches: &ArgMatches, mut program: Command) -> ExitStatus {
    let mut page = Vec::new();
    program.build();
    let described_command = match matches.get_one::<String>("command") {
        Some(name) => match program.find_subcommand(name) {
            Some(subcommand) => subcommand.clone(),
            None => {
                return print_error_and_return_status(&format!("there is no command {name}"), ExitStatus::BadUsage);
            }
        },
        None => program,
    };
    match clap_mangen::Man::new(described_command).render(&mut page) {
        Ok(()) => print_to_stdout(&page),
        Err(error) => print_error_and_return_status(&error.to_string(), ExitStatus::Failure),
    }
}
