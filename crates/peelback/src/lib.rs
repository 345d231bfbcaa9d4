//! The command line over the tools: arguments in, an answer out, an exit code.

pub mod command;
mod commands;
pub mod config;
mod exit;
pub mod run;
mod terminal;
mod text_file;
