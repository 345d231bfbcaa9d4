//! The commands that are not tools: each command is one file in this folder and one entry in the list.

mod cache;
mod completions;
mod config;
mod context;
mod docs;
mod doctor;
mod man;
mod reference;
mod scope;
mod serve;
mod setup;

use std::path::{Path, PathBuf};

use clap::{Arg, ArgMatches, Command, builder::PossibleValuesParser};
use peelback_code::{CodeError, Project};

use crate::config::{ConfigError, Settings, Sources};
use crate::exit::{Exit, fail};

/// A command of the program that is not a tool.
pub(crate) struct OwnCommand {
    /// The name of the command on the command line.
    pub name: &'static str,
    /// Builds the command's grammar.
    pub command: fn() -> Command,
    /// Runs the command and returns the exit status.
    pub run: fn(&ArgMatches) -> Exit,
}

/// Every command that is not a tool, in the order of the help text.
static ALL: [OwnCommand; 11] = [
    scope::COMMAND,
    context::COMMAND,
    serve::COMMAND,
    setup::COMMAND,
    doctor::COMMAND,
    config::COMMAND,
    cache::COMMAND,
    docs::COMMAND,
    reference::COMMAND,
    completions::COMMAND,
    man::COMMAND,
];

/// Every command that is not a tool.
pub(crate) fn all() -> &'static [OwnCommand] {
    &ALL
}

/// The command named `name`, if it is not a tool.
pub(crate) fn by_name(name: &str) -> Option<&'static OwnCommand> {
    ALL.iter().find(|command| command.name == name)
}

/// The command-line argument `--root`, which chooses the project.
fn root() -> Arg {
    Arg::new("root")
        .long("root")
        .value_name("ROOT")
        .help("The project's root; by default the repository around the working folder")
}

/// The command-line argument `--json`, which chooses between text and JSON.
pub(crate) fn json() -> Arg {
    Arg::new("json").long("json").action(clap::ArgAction::SetTrue).help("As one JSON object")
}

/// A command-line argument that takes one of the given words.
fn choice(name: &'static str, words: impl IntoIterator<Item = &'static str>) -> Arg {
    Arg::new(name).long(name).value_parser(PossibleValuesParser::new(words))
}

/// The current working folder, where the command runs.
pub(crate) fn working_folder() -> Result<PathBuf, Exit> {
    std::env::current_dir().map_err(|error| fail(&format!("the working folder cannot be told: {error}"), Exit::Failure))
}

/// The project of `--root`, or else the project around the working folder.
fn project(matches: &ArgMatches) -> Result<Project, CodeError> {
    let root = matches.get_one::<String>("root").map(Path::new);
    Project::discover(root, None)
}

/// The settings of the project, overridden by the flags of this command.
pub(crate) fn settings(matches: &ArgMatches) -> Result<Settings, Exit> {
    let project = project(matches).map_err(|error| fail(&error.to_string(), Exit::BadUsage))?;
    Settings::load(&Sources::of_process(Some(project), matches)).map_err(refused)
}

/// Prints the mistakes of the configuration and returns the exit status.
fn refused(error: ConfigError) -> Exit {
    fail(&error.to_string(), Exit::BadUsage)
}
