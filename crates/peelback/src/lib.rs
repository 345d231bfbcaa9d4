//! The program's interfaces to the tools: the command line (arguments in, an answer and an exit code out) and the MCP
//! server.

#![cfg_attr(
    test,
    allow(
        clippy::cast_possible_truncation,
        clippy::cast_possible_wrap,
        clippy::cast_sign_loss,
        clippy::string_slice,
        reason = "unit tests fail by a panic"
    )
)]

mod arguments;
mod async_runtime;
mod call_paths;
pub mod command;
mod commands;
pub mod config;
mod document_generator;
mod documents;
mod embedders;
mod exit;
mod interrupt;
mod models;
mod non_tool_command;
mod progress_output;
mod question_file;
pub mod run;
pub mod serve;
mod short_help;
mod terminal;
mod text_file;
mod tool_flags;
