//! `peelback config`: prints the merged configuration, and the origin of each value.

use clap::{Arg, ArgAction, ArgMatches, Command};

use crate::arguments::{configuration_failure, json_argument, project_of, root_argument};
use crate::config::{self, ConfigError, Loaded, Sources, files_json, files_text};
use crate::exit::{Exit, fail, print};
use crate::own_command::{OwnCommand, Run};

pub(super) const COMMAND: OwnCommand = OwnCommand { name: "config", command: grammar, run: Run::Alone(run) };

fn grammar() -> Command {
    Command::new("config")
        .about("Prints the configuration, and where each value came from")
        .arg(root_argument())
        .arg(json_argument())
        .arg(
            Arg::new("path")
                .long("path")
                .action(ArgAction::SetTrue)
                .help("The files that are looked for, and whether they are there"),
        )
        .args(config::flags())
}

fn run(matches: &ArgMatches) -> Exit {
    let project = match project_of(matches) {
        Ok(project) => project,
        Err(error) => return fail(&error.to_string(), error.fault().into()),
    };
    let loaded = Loaded::of(&Sources::of_process(Some(project), matches));
    let json = matches.get_flag("json");
    if matches.get_flag("path") {
        return match json {
            true => print(format!("{}\n", files_json(&loaded)).as_bytes()),
            false => print(files_text(&loaded).as_bytes()),
        };
    }
    if !loaded.problems.is_empty() {
        return configuration_failure(ConfigError(loaded.problems));
    }
    match json {
        true => print(format!("{}\n", config::as_json(&loaded)).as_bytes()),
        false => print(config::as_toml(&loaded).as_bytes()),
    }
}
