//! `peelback reference`: prints the pages in `docs/` that are generated from the program itself.

use clap::{ArgMatches, Command};

use crate::arguments::choice_argument;
use crate::config;
use crate::exit::{Exit, print};
use crate::own_command::{OwnCommand, Run};

pub(super) const COMMAND: OwnCommand = OwnCommand { name: "reference", command: grammar, run: Run::Alone(run) };

fn grammar() -> Command {
    Command::new("reference").about("Prints a page of the reference in Markdown").arg(
        choice_argument("page", ["tools", "configuration"])
            .default_value("tools")
            .value_name("PAGE")
            .help("tools, or configuration: every key with its values, variable and flag"),
    )
}

fn run(matches: &ArgMatches) -> Exit {
    match matches.get_one::<String>("page").map(String::as_str) {
        Some("configuration") => print(config::markdown().as_bytes()),
        _ => print(peelback_tools::reference::markdown().as_bytes()),
    }
}
