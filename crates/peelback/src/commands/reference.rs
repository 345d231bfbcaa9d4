//! `peelback reference`: prints the pages of documentation in `docs/` that are generated from the program itself.

use clap::{ArgMatches, Command};

use crate::arguments::flag_with_fixed_choices;
use crate::config;
use crate::exit::{ExitStatus, print_to_stdout};
use crate::non_tool_command::{CommandRunner, NonToolCommand};

pub(super) const COMMAND: NonToolCommand = NonToolCommand {
    name: "reference",
    build_grammar: reference_command_grammar,
    runner: CommandRunner::WithMatches(run_reference_command),
};

fn reference_command_grammar() -> Command {
    Command::new("reference").about("Prints a page of the reference in Markdown").arg(
        flag_with_fixed_choices("page", ["tools", "configuration"])
            .default_value("tools")
            .value_name("PAGE")
            .help("tools, or configuration: every key with its values, variable and flag"),
    )
}

fn run_reference_command(matches: &ArgMatches) -> ExitStatus {
    match matches.get_one::<String>("page").map(String::as_str) {
        Some("configuration") => print_to_stdout(config::config_keys_as_markdown().as_bytes()),
        _ => print_to_stdout(peelback_tools::reference::tools_reference_markdown().as_bytes()),
    }
}
