//! `peelback config`: prints the merged configuration, and the origin of each value.

use clap::{Arg, ArgAction, ArgMatches, Command};

use crate::arguments::{
    json_output_argument, print_configuration_error, project_from_arguments, root_argument_definition,
};
use crate::config::{
    self, ConfigError, ConfigSources, LoadedConfig, searched_config_files_as_json, searched_config_files_as_text,
};
use crate::exit::{ExitStatus, print_error_and_return_status, print_json_to_stdout, print_text_to_stdout};
use crate::non_tool_command::{CommandRunner, NonToolCommand};

pub(super) const COMMAND: NonToolCommand = NonToolCommand {
    name: "config",
    build_grammar: config_command_grammar,
    runner: CommandRunner::WithMatches(run_config_command),
};

fn config_command_grammar() -> Command {
    Command::new("config")
        .about("Prints the configuration, and where each value came from")
        .arg(root_argument_definition())
        .arg(json_output_argument())
        .arg(
            Arg::new("path")
                .long("path")
                .action(ArgAction::SetTrue)
                .help("The files that are looked for, and whether they are there"),
        )
        .args(config::config_flags())
}

fn run_config_command(matches: &ArgMatches) -> ExitStatus {
    let project = match project_from_arguments(matches) {
        Ok(project) => project,
        Err(error) => return print_error_and_return_status(&error.to_string(), error.category().into()),
    };
    let loaded = LoadedConfig::from_sources(&ConfigSources::from_process(Some(project), matches));
    let json = matches.get_flag("json");
    if matches.get_flag("path") {
        return match json {
            true => print_json_to_stdout(&searched_config_files_as_json(&loaded)),
            false => print_text_to_stdout(&searched_config_files_as_text(&loaded)),
        };
    }
    if !loaded.problems.is_empty() {
        return print_configuration_error(ConfigError(loaded.problems));
    }
    match json {
        true => print_json_to_stdout(&config::config_as_json(&loaded)),
        false => print_text_to_stdout(&config::config_as_toml(&loaded)),
    }
}
