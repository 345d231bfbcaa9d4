//! `peelback completions`: prints a shell's completion script for the command line.

use clap::{Arg, ArgMatches, Command};
use clap_complete::Shell;

use crate::exit::{Exit, print};
use crate::own_command::{OwnCommand, Run};

pub(super) const COMMAND: OwnCommand = OwnCommand { name: "completions", command: grammar, run: Run::WithGrammar(run) };

fn grammar() -> Command {
    Command::new("completions")
        .about("Prints the completion script of a shell")
        .arg(Arg::new("shell").required(true).value_parser(clap::value_parser!(Shell)))
}

fn run(matches: &ArgMatches, mut program: Command) -> Exit {
    let Some(shell) = matches.get_one::<Shell>("shell") else { return Exit::BadUsage };
    let mut script = Vec::new();
    clap_complete::generate(*shell, &mut program, "peelback", &mut script);
    print(&script)
}
