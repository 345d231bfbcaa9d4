//! `peelback man`: prints the man pages.

use clap::{Arg, ArgMatches, Command};

use crate::exit::{Exit, fail, print};
use crate::own_command::{OwnCommand, Run};

pub(super) const COMMAND: OwnCommand = OwnCommand { name: "man", command: grammar, run: Run::WithGrammar(run) };

fn grammar() -> Command {
    Command::new("man")
        .about("Prints the man page of the program or of one command")
        .arg(Arg::new("command").value_name("COMMAND"))
}

fn run(matches: &ArgMatches, mut program: Command) -> Exit {
    let mut page = Vec::new();
    program.build();
    let about = match matches.get_one::<String>("command") {
        Some(name) => match program.find_subcommand(name) {
            Some(one) => one.clone(),
            None => return fail(&format!("no command is called {name}"), Exit::BadUsage),
        },
        None => program,
    };
    match clap_mangen::Man::new(about).render(&mut page) {
        Ok(()) => print(&page),
        Err(error) => fail(&error.to_string(), Exit::Failure),
    }
}
