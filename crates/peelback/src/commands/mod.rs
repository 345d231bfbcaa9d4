//! The commands that are not tools: each command is one file in this folder and one entry in the list.
//!
//! The list is above the commands: the command-line grammar and the run of the program use the list, no command does.

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

use crate::own_command::OwnCommand;

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
