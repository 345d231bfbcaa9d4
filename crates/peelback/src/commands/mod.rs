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

use crate::non_tool_command::NonToolCommand;

/// Every command that is not a tool, in the order of the help text.
static NON_TOOL_COMMANDS: [NonToolCommand; 11] = [
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
pub(crate) fn all_non_tool_commands() -> &'static [NonToolCommand] {
    &NON_TOOL_COMMANDS
}

/// The command named `name` that is not a tool; `None` where there is none.
pub(crate) fn non_tool_command_by_name(name: &str) -> Option<&'static NonToolCommand> {
    NON_TOOL_COMMANDS.iter().find(|command| command.name == name)
}
