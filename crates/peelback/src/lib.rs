//! The command line over the tools: arguments in, an answer out, an exit code.

pub mod command;
pub mod run;
mod terminal;
