//! One run of the program, from the command line to the exit code.

use std::ffi::{OsStr, OsString};
use std::io::{self, IsTerminal, Write};
use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;

use clap::ArgMatches;
use peelback_code::{CodeAccess, CodeError, FactsStore, Project, set_thread_count};
use peelback_tools::{AnyTool, Format, Reply, ReplyStatus, RequiredService, tool_by_name_or_alias};
use serde_json::Value;

use crate::arguments::is_cache_disabled_by_flag;
use crate::call_paths::{path_from_tool_arguments, text_of_tool_argument};
use crate::command::{
    command_line_grammar_for_first_word, full_command_line_grammar, requested_format, tool_arguments_from_matches,
};
use crate::commands;
use crate::config::{ConfigSources, LoadedConfig};
use crate::exit::{ExitStatus, print_error_and_return_status, print_to_stdout};
use crate::non_tool_command::CommandRunner;
use crate::short_help::{requested_short_help, short_help};
use crate::terminal;

/// Parses the command line, runs the command, prints the answer and returns the exit code.
pub fn run_program() -> ExitCode {
    let arguments: Vec<OsString> = std::env::args_os().skip(1).collect();
    if arguments.is_empty() {
        eprint!("{}", short_help());
        return ExitCode::from(ExitStatus::BadUsage as u8);
    }
    if let Some(help) = requested_short_help(&arguments) {
        return ExitCode::from(print_to_stdout(help.as_bytes()) as u8);
    }
    let first_word = std::env::args_os().nth(1);
    let first_word = first_word.as_ref().and_then(|first| first.to_str());
    let grammar = command_line_grammar_for_first_word(first_word);
    let arguments = std::env::args_os().map(camel_case_flag_to_kebab_case);
    let matches = match grammar.try_get_matches_from(arguments) {
        Ok(matches) => matches,
        Err(error) => {
            // clap prints help and versions to standard output and errors to standard error.
            let _ = error.print();
            return ExitCode::from(if error.use_stderr() { ExitStatus::BadUsage } else { ExitStatus::Answer } as u8);
        }
    };
    ExitCode::from(run_parsed_command(&matches) as u8)
}

/// Converts a flag to kebab case: `--filePath` becomes `--file-path`.
fn camel_case_flag_to_kebab_case(argument: OsString) -> OsString {
    let Some((flag, value)) = split_flag_and_value(&argument) else { return argument };
    let Some(name) = flag.strip_prefix("--") else { return argument };
    if !name.chars().any(char::is_uppercase) || !name.chars().all(char::is_alphanumeric) {
        return argument;
    }
    let mut out = String::from("--");
    for c in name.chars() {
        if c.is_uppercase() && !out.ends_with('-') {
            out.push('-');
        }
        out.extend(c.to_lowercase());
    }
    let mut out = OsString::from(out);
    out.push(value);
    out
}

/// An argument up to its first `=`, and the rest, which may be no text.
#[cfg(unix)]
fn split_flag_and_value(argument: &OsStr) -> Option<(&str, &OsStr)> {
    use std::os::unix::ffi::OsStrExt;
    let bytes = argument.as_bytes();
    let end = bytes.iter().position(|byte| *byte == b'=').unwrap_or(bytes.len());
    let (flag, value) = bytes.split_at_checked(end)?;
    Some((std::str::from_utf8(flag).ok()?, OsStr::from_bytes(value)))
}

/// An argument up to its first `=`, and the rest.
#[cfg(not(unix))]
fn split_flag_and_value(argument: &OsStr) -> Option<(&str, &OsStr)> {
    let text = argument.to_str()?;
    let (flag, value) = text.split_at_checked(text.find('=').unwrap_or(text.len()))?;
    Some((flag, OsStr::new(value)))
}

fn run_parsed_command(matches: &ArgMatches) -> ExitStatus {
    set_thread_count(matches.get_one::<u16>("threads").copied().map_or(0, usize::from));
    let Some((name, matches)) = matches.subcommand() else { return ExitStatus::BadUsage };
    if let Some(non_tool_command) = commands::non_tool_command_by_name(name) {
        return match non_tool_command.runner {
            CommandRunner::WithMatches(run) => run(matches),
            CommandRunner::WithGrammar(run) => run(matches, full_command_line_grammar()),
        };
    }
    match tool_by_name_or_alias(name) {
        Some(tool) => call_tool_and_print_reply(tool, matches),
        None => print_error_and_return_status(&format!("there is no tool {name}"), ExitStatus::BadUsage),
    }
}

fn call_tool_and_print_reply(tool: &'static AnyTool, matches: &ArgMatches) -> ExitStatus {
    let arguments = match tool_arguments_from_matches(tool, matches) {
        Ok(arguments) => arguments,
        Err(error) => return print_error_and_return_status(&error, ExitStatus::BadUsage),
    };
    let project = match project_of_tool_call(&arguments) {
        Ok(project) => project,
        Err(error) => return print_error_and_return_status(&error.to_string(), error.category().into()),
    };
    let is_json = arguments.as_object().and_then(requested_format) == Some(Format::Json);
    let is_quiet = arguments.get(QUIET_PARAMETER) == Some(&Value::Bool(true));
    let store = Arc::new(facts_store_for_tool_call(project.clone(), matches));
    let loaded =
        LoadedConfig::from_sources(&ConfigSources::from_process(Some(project.clone()), &ArgMatches::default()));
    let embedder = tool
        .requires_service(RequiredService::Embedder)
        .then(|| crate::embedders::embedder_from_possibly_invalid_configuration(&loaded));
    let access = CodeAccess::new(project).with_facts_store(store.clone()).with_embedder(embedder.flatten());
    let mut reply = tool.run_call(&access, arguments);
    if loaded.is_masking_answers() {
        reply = reply.with_masked_secrets();
    }
    let exit = print_reply(tool, &reply, (is_json, is_quiet), matches.get_one::<String>("color").map(String::as_str));
    // The answer is printed already, so writing the cache delays nobody.
    store.flush_to_disk();
    if is_cache_disabled_by_flag(matches) {
        // The process ends here, so freeing the memory would only cost time. Not with a cache, whose file must be
        // closed.
        std::mem::forget((access, store));
    }
    exit
}

/// The store of facts about file contents for a tool call, with the configured cache on disk. The configuration is read
/// only when a tool uses the cache, which few tools do; mistakes in the configuration are reported by other commands.
fn facts_store_for_tool_call(project: Project, matches: &ArgMatches) -> FactsStore {
    if is_cache_disabled_by_flag(matches) {
        return FactsStore::default();
    }
    FactsStore::with_disk_cache(move || {
        LoadedConfig::from_sources(&ConfigSources::from_process(Some(project), &ArgMatches::default()))
            .settings
            .cache_options()
    })
}

/// The project of a tool call: the folder in the argument `root`, or else the repository around the path that the call
/// names.
fn project_of_tool_call(arguments: &Value) -> Result<Project, CodeError> {
    Project::discover(text_of_tool_argument(arguments, "root").map(Path::new), path_from_tool_arguments(arguments))
}

/// The name of the parameter that asks for no answer but the exit code.
const QUIET_PARAMETER: &str = "quiet";

/// Prints a reply, and returns how the program ends. What a list of places says of itself goes to the standard error.
fn print_reply(tool: &AnyTool, reply: &Reply, (is_json, is_quiet): (bool, bool), color: Option<&str>) -> ExitStatus {
    let exit = match reply.status {
        ReplyStatus::Found => ExitStatus::Answer,
        ReplyStatus::Empty => ExitStatus::NothingFound,
        ReplyStatus::Failed(fault) => fault.into(),
        ReplyStatus::InvalidArguments => ExitStatus::BadUsage,
    };
    let has_failed = matches!(reply.status, ReplyStatus::Failed(_) | ReplyStatus::InvalidArguments);
    if is_quiet && !has_failed {
        return exit;
    }
    let is_failure = has_failed && !is_json;
    if let Some((rows, remarks)) = reply.rows_and_remarks().filter(|_| !has_failed) {
        let printed = print_to_stdout(rows.as_bytes());
        let _ = io::stderr().lock().write_all(remarks.as_bytes());
        return if printed == ExitStatus::Answer { exit } else { printed };
    }
    let is_terminal = if is_failure { io::stderr().is_terminal() } else { io::stdout().is_terminal() };
    let is_coloured = match color {
        Some("always") => true,
        Some("never") => false,
        _ => {
            is_terminal
                && std::env::var_os("NO_COLOR").is_none_or(|value| value.is_empty())
                && std::env::var_os("TERM").is_none_or(|term| term != "dumb")
        }
    };
    let output = if !is_json && (is_terminal || is_coloured) {
        terminal::format_tool_answer_for_terminal(&reply.render_marked_text(), tool.has_aligned_columns, is_coloured)
    } else {
        reply.formatted_output()
    };
    if is_failure {
        let _ = io::stderr().lock().write_all(output.as_bytes());
        return exit;
    }
    match print_to_stdout(output.as_bytes()) {
        ExitStatus::Answer => exit,
        other => other,
    }
}
