//! `peelback serve`: runs the MCP server that offers the tools to an agent.

use clap::ArgMatches;

use crate::arguments::load_settings_with_flags;
use crate::exit::{ExitStatus, print_error_and_return_status};
use crate::non_tool_command::{CommandRunner, NonToolCommand};
use crate::serve::{self, ServeError};

pub(super) const COMMAND: NonToolCommand = NonToolCommand {
    name: "serve",
    build_grammar: serve::serve_command_grammar,
    runner: CommandRunner::WithMatches(run_serve_command),
};

fn run_serve_command(matches: &ArgMatches) -> ExitStatus {
    let settings = match load_settings_with_flags(matches) {
        Ok(settings) => settings,
        Err(exit) => return exit,
    };
    match serve::run_mcp_server(matches, &settings) {
        Ok(()) => ExitStatus::Answer,
        Err(ServeError::Usage(error)) => print_error_and_return_status(&error, ExitStatus::BadUsage),
        Err(ServeError::Failure(error)) => print_error_and_return_status(&error, ExitStatus::Failure),
    }
}
