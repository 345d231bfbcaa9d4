//! One run of the program, from the command line to the exit code.

use std::ffi::OsString;
use std::io::{self, IsTerminal, Write};
use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;

use clap::ArgMatches;
use peelback_code::{CodeAccess, CodeError, FactsStore, Project};
use peelback_tools::{AnyTool, Need, Reply, ReplyStatus, by_name};
use serde_json::Value;

use crate::arguments::without_cache;
use crate::call_paths::{named_path, text};
use crate::command::{arguments, command, command_of};
use crate::commands;
use crate::config::{Loaded, Sources};
use crate::exit::{Exit, fail, print};
use crate::own_command::Run;
use crate::terminal;

/// Parses the command line, runs the command, prints the answer and returns the exit code.
pub fn run() -> ExitCode {
    let first = std::env::args_os().nth(1);
    let grammar = command_of(first.as_ref().and_then(|first| first.to_str()));
    let matches = match grammar.try_get_matches_from(std::env::args_os().map(in_kebab_case)) {
        Ok(matches) => matches,
        Err(error) => {
            // clap prints help and versions to standard output and errors to standard error.
            let _ = error.print();
            return ExitCode::from(if error.use_stderr() { Exit::BadUsage } else { Exit::Answer } as u8);
        }
    };
    ExitCode::from(answer(&matches) as u8)
}

/// Converts a flag to kebab case: `--filePath` becomes `--file-path`.
fn in_kebab_case(argument: OsString) -> OsString {
    let Some((dashes, flag)) = argument.to_str().and_then(|text| Some(("--", text.strip_prefix("--")?))) else {
        return argument;
    };
    let (name, value) = flag.split_at(flag.find('=').unwrap_or(flag.len()));
    if !name.chars().any(char::is_uppercase) || !name.chars().all(char::is_alphanumeric) {
        return argument;
    }
    let mut out = String::from(dashes);
    for c in name.chars() {
        if c.is_uppercase() && !out.ends_with('-') {
            out.push('-');
        }
        out.extend(c.to_lowercase());
    }
    out.push_str(value);
    out.into()
}

fn answer(matches: &ArgMatches) -> Exit {
    if let Some(threads) = matches.get_one::<u16>("threads") {
        // Fails only if the global thread pool already exists; no code before this line creates the pool.
        let _ = rayon::ThreadPoolBuilder::new().num_threads(usize::from(*threads)).build_global();
    }
    let Some((name, matches)) = matches.subcommand() else { return Exit::BadUsage };
    if let Some(own) = commands::by_name(name) {
        return match own.run {
            Run::Alone(run) => run(matches),
            Run::WithGrammar(run) => run(matches, command()),
        };
    }
    match by_name(name) {
        Some(tool) => call(tool, matches),
        None => fail(&format!("no tool is called {name}"), Exit::BadUsage),
    }
}

fn call(tool: &'static AnyTool, matches: &ArgMatches) -> Exit {
    let arguments = match arguments(tool, matches) {
        Ok(arguments) => arguments,
        Err(error) => return fail(&error, Exit::BadUsage),
    };
    let project = match project(&arguments) {
        Ok(project) => project,
        Err(error) => return fail(&error.to_string(), error.fault().into()),
    };
    let json =
        arguments.get("format").and_then(Value::as_str).is_some_and(|format| format.eq_ignore_ascii_case("json"));
    let store = Arc::new(store(project.clone(), matches));
    // Only tools that use an embedding model read the configuration here; the other tools do not need it.
    let embedder = tool.needs(Need::Embedder).then(|| {
        let loaded = Loaded::of(&Sources::of_process(Some(project.clone()), &ArgMatches::default()));
        crate::meaning::embedder_of(&loaded)
    });
    let access = CodeAccess::new(project).with_store(store.clone()).with_embedder(embedder.flatten());
    let reply = tool.call(&access, arguments);
    let exit = show(tool, &reply, json, matches.get_one::<String>("color").map(String::as_str));
    // The answer is printed already, so writing the cache delays nobody.
    store.flush();
    if without_cache(matches) {
        // The process ends here, so freeing the memory would only cost time. Not with a cache, whose file must be
        // closed.
        std::mem::forget((access, store));
    }
    exit
}

/// The facts store of a call, with the configured cache. The configuration is read only when a tool uses the cache,
/// which few tools do; mistakes in the configuration are reported by other commands.
fn store(project: Project, matches: &ArgMatches) -> FactsStore {
    if without_cache(matches) {
        return FactsStore::default();
    }
    FactsStore::with_cache(move || {
        Loaded::of(&Sources::of_process(Some(project), &ArgMatches::default())).settings.cache()
    })
}

/// The project of a call: the folder in the argument `root`, or else the repository around the path that the call
/// names.
fn project(arguments: &Value) -> Result<Project, CodeError> {
    Project::discover(text(arguments, "root").map(Path::new), named_path(arguments))
}

fn show(tool: &AnyTool, reply: &Reply, json: bool, color: Option<&str>) -> Exit {
    let exit = match reply.status {
        ReplyStatus::Found => Exit::Answer,
        ReplyStatus::Empty => Exit::NothingFound,
        ReplyStatus::Failed(fault) => fault.into(),
        ReplyStatus::InvalidArguments => Exit::BadUsage,
    };
    let failed = matches!(reply.status, ReplyStatus::Failed(_) | ReplyStatus::InvalidArguments) && !json;
    let is_terminal = if failed { io::stderr().is_terminal() } else { io::stdout().is_terminal() };
    let colour = match color {
        Some("always") => true,
        Some("never") => false,
        _ => {
            is_terminal
                && std::env::var_os("NO_COLOR").is_none_or(|value| value.is_empty())
                && std::env::var_os("TERM").is_none_or(|term| term != "dumb")
        }
    };
    let output = if !json && (is_terminal || colour) {
        terminal::colorize(&reply.page(), tool.columns, colour)
    } else {
        reply.output()
    };
    if failed {
        let _ = io::stderr().lock().write_all(output.as_bytes());
        return exit;
    }
    match print(output.as_bytes()) {
        Exit::Answer => exit,
        other => other,
    }
}
