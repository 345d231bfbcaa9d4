//! The commands that are no tools: a command is one file in this folder and one word in the list.

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

/// A command of the program that is no tool.
pub(crate) struct OwnCommand {
    /// The word on the command line.
    pub name: &'static str,
    /// Its grammar.
    pub command: fn() -> Command,
    /// Its run.
    pub run: fn(&ArgMatches) -> Exit,
}

/// Every command that is no tool, in the order in which the help lists them.
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

/// Every command that is no tool.
pub(crate) fn all() -> &'static [OwnCommand] {
    &ALL
}

/// The command called `name`.
pub(crate) fn by_name(name: &str) -> Option<&'static OwnCommand> {
    ALL.iter().find(|command| command.name == name)
}

/// The flag that chooses the project.
fn root() -> Arg {
    Arg::new("root")
        .long("root")
        .value_name("ROOT")
        .help("The project's root; by default the repository around the working folder")
}

/// The flag that chooses between text and JSON.
pub(crate) fn json() -> Arg {
    Arg::new("json").long("json").action(clap::ArgAction::SetTrue).help("As one JSON object")
}

/// A flag that takes one of some words.
fn choice(name: &'static str, words: impl IntoIterator<Item = &'static str>) -> Arg {
    Arg::new(name).long(name).value_parser(PossibleValuesParser::new(words))
}

/// The folder where the command runs.
pub(crate) fn working_folder() -> Result<PathBuf, Exit> {
    std::env::current_dir().map_err(|error| fail(&format!("the working folder cannot be told: {error}"), Exit::Failure))
}

/// The project that `--root` names, else the one around the working folder.
fn project(matches: &ArgMatches) -> Result<Project, CodeError> {
    let root = matches.get_one::<String>("root").map(Path::new);
    Project::discover(root, None)
}

/// The settings that hold for the project, with the flags of this command.
pub(crate) fn settings(matches: &ArgMatches) -> Result<Settings, Exit> {
    let project = project(matches).map_err(|error| fail(&error.to_string(), Exit::BadUsage))?;
    Settings::load(&Sources::of_process(Some(project), matches)).map_err(refused)
}

/// Says what is wrong with the configuration.
fn refused(error: ConfigError) -> Exit {
    fail(&error.to_string(), Exit::BadUsage)
}
