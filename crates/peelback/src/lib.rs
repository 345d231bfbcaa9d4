//! The faces of the tools: the command line (arguments in, an answer out, an exit code) and the MCP server.

pub mod command;
mod commands;
pub mod config;
mod exit;
mod meaning;
pub mod run;
pub mod serve;
mod terminal;
mod text_file;
