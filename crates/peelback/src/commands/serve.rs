//! `peelback serve`: runs the MCP server that offers the tools to an agent.

use clap::ArgMatches;

use crate::arguments::settings_of;
use crate::exit::{Exit, fail};
use crate::own_command::{OwnCommand, Run};
use crate::serve::{self, ServeError};

pub(super) const COMMAND: OwnCommand = OwnCommand { name: "serve", command: serve::command, run: Run::Alone(run) };

fn run(matches: &ArgMatches) -> Exit {
    let settings = match settings_of(matches) {
        Ok(settings) => settings,
        Err(exit) => return exit,
    };
    match serve::run(matches, &settings) {
        Ok(()) => Exit::Answer,
        Err(ServeError::Usage(error)) => fail(&error, Exit::BadUsage),
        Err(ServeError::Failure(error)) => fail(&error, Exit::Failure),
    }
}
