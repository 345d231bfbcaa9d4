//! Command-line arguments that several commands of the program share, and what they choose: the project and its
//! settings.

use std::path::{Path, PathBuf};

use clap::builder::{OsStringValueParser, PossibleValuesParser, TypedValueParser};
use clap::{Arg, ArgMatches};
use peelback_code::{CodeError, Project, text_of_path};

use crate::config::{ConfigError, ConfigSources, Settings};
use crate::exit::{ExitStatus, print_error_and_return_status};

/// The command-line argument `--root`, which chooses the project.
pub(crate) fn root_argument_definition() -> Arg {
    Arg::new("root")
        .long("root")
        .value_name("ROOT")
        .value_parser(command_line_path_value_parser())
        .help("The project's root; by default the repository around the working folder")
}

/// The command-line argument `--json`, with which a command prints its answer as JSON instead of text.
pub(crate) fn json_output_argument() -> Arg {
    Arg::new("json").long("json").action(clap::ArgAction::SetTrue).help("As one JSON object")
}

/// The parser of a value that is, or names, a path: the text that tools take for it. A value that is no UTF-8 is a name
/// of a file as a shell completes it, and its text is escaped.
pub(crate) fn command_line_path_value_parser() -> impl TypedValueParser<Value = String> {
    OsStringValueParser::new().map(|value| value.into_string().unwrap_or_else(|value| text_of_path(Path::new(&value))))
}

/// Builds the command-line argument `--NAME` whose value must be one of `words`.
pub(crate) fn flag_with_fixed_choices(name: &'static str, words: impl IntoIterator<Item = &'static str>) -> Arg {
    Arg::new(name).long(name).value_parser(PossibleValuesParser::new(words))
}

/// The current working folder, where the command runs.
pub(crate) fn current_working_folder() -> Result<PathBuf, ExitStatus> {
    std::env::current_dir().map_err(|error| {
        print_error_and_return_status(&format!("the working folder cannot be found: {error}"), ExitStatus::Failure)
    })
}

/// The project with the root of the argument `--root`, or else the project around the working folder.
pub(crate) fn project_from_arguments(matches: &ArgMatches) -> Result<Project, CodeError> {
    let root = matches.get_one::<String>("root").map(Path::new);
    Project::discover(root, None)
}

/// The configuration settings for the command's project, overridden by the flags of the command.
pub(crate) fn load_settings_with_flags(matches: &ArgMatches) -> Result<Settings, ExitStatus> {
    let project = project_from_arguments(matches)
        .map_err(|error| print_error_and_return_status(&error.to_string(), ExitStatus::BadUsage))?;
    Settings::load(&ConfigSources::from_process(Some(project), matches)).map_err(print_configuration_error)
}

/// Whether the command line switches the cache off (`--no-cache`).
pub(crate) fn is_cache_disabled_by_flag(matches: &ArgMatches) -> bool {
    matches.try_get_one::<bool>("no_cache").ok().flatten().is_some_and(|flag| *flag)
}

/// Prints the mistakes of the configuration to standard error and returns the exit status for bad usage.
pub(crate) fn print_configuration_error(error: ConfigError) -> ExitStatus {
    print_error_and_return_status(&error.to_string(), ExitStatus::BadUsage)
}
