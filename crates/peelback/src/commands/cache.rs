//! `peelback cache`: prints the folder of the cache on disk and what the cache contains, or clears it.

use std::fmt::Write as _;

use clap::{ArgMatches, Command};
use peelback_code::{CacheOptions, CacheStatus, clear_cache, syntax};
use serde_json::json;

use crate::arguments::{
    json_output_argument, load_settings_with_flags, project_from_arguments, root_argument_definition,
};
use crate::config;
use crate::exit::{ExitStatus, print_error_and_return_status, print_json_to_stdout, print_text_to_stdout};
use crate::non_tool_command::{CommandRunner, NonToolCommand};

pub(super) const COMMAND: NonToolCommand = NonToolCommand {
    name: "cache",
    build_grammar: cache_command_grammar,
    runner: CommandRunner::WithMatches(run_cache_command),
};

fn cache_command_grammar() -> Command {
    Command::new("cache")
        .about("Shows the cache on disk, or clears it")
        .arg(root_argument_definition())
        .arg(json_output_argument())
        .args(config::config_flags().filter(|flag| flag.get_long().is_some_and(|long| long.starts_with("cache"))))
        .subcommand(Command::new("clear").about("Empties the cache, also while others use it"))
}

fn run_cache_command(matches: &ArgMatches) -> ExitStatus {
    let settings = match load_settings_with_flags(matches) {
        Ok(settings) => settings,
        Err(exit) => return exit,
    };
    let Some(folder) = settings.cache_folder_path() else {
        return print_error_and_return_status(
            "there is no cache folder: name one with PEELBACK_CACHE_DIR",
            ExitStatus::Failure,
        );
    };
    if matches.subcommand_matches("clear").is_some() {
        return match clear_cache(&folder) {
            Ok(bytes) => {
                print_text_to_stdout(&format!("cleared: {} freed in {}\n", format_megabytes(bytes), folder.display()))
            }
            Err(error) => print_error_and_return_status(
                &format!("cannot clear {}: {error}", folder.display()),
                ExitStatus::Failure,
            ),
        };
    }
    let mut status = CacheStatus::read_from_folder(&folder);
    if project_from_arguments(matches).is_ok_and(|project| CacheOptions::is_folder_below_root(&folder, project.root()))
    {
        status.usable = Err("it is inside the project, and would change the project's files".to_owned());
    }
    let enabled = settings.enabled.value;
    if matches.get_flag("json") {
        let answer = json!({
            "path": status.path.display().to_string(),
            "enabled": enabled,
            "enabled_by": settings.enabled.origin.to_string(),
            "usable": status.usable.is_ok(),
            "problem": status.usable.as_ref().err(),
            "size_bytes": status.size_bytes,
            "max_bytes": settings.max_megabytes.value << 20,
            "contents": status.contents,
            "files": status.files,
            "projects": status.projects,
            "analysis": syntax::ANALYSIS,
            "set_aside": status.damaged_files.iter().map(|path| path.display().to_string()).collect::<Vec<_>>(),
        });
        return print_json_to_stdout(&answer);
    }
    let mut out = String::new();
    let disabled_note = if enabled { String::new() } else { format!("  (off: {})", settings.enabled.origin) };
    let _ = writeln!(out, "{}{disabled_note}", status.path.display());
    match &status.usable {
        Ok(()) => {
            let max_megabytes = settings.max_megabytes.value;
            let over =
                if status.size_bytes > max_megabytes << 20 { ": a new one is created at the next write" } else { "" };
            let _ = writeln!(out, "size      {} of {max_megabytes} MB{over}", format_megabytes(status.size_bytes));
            let _ = writeln!(out, "contents  {}", status.contents);
            let projects = if status.projects == 1 { "project" } else { "projects" };
            let _ = writeln!(out, "files     {} in {} {projects}", status.files, status.projects);
        }
        Err(problem) => {
            let _ = writeln!(out, "not used: {problem}");
        }
    }
    let _ = writeln!(out, "analysis  {}", syntax::ANALYSIS);
    for path in &status.damaged_files {
        let _ = writeln!(out, "set aside {}", path.display());
    }
    print_text_to_stdout(&out)
}

fn format_megabytes(bytes: u64) -> String {
    format!("{}.{} MB", bytes >> 20, ((bytes & 0xF_FFFF) * 10) >> 20)
}
