//! `peelback cache`: prints the folder of the cache and its contents.

use std::fmt::Write as _;

use clap::{ArgMatches, Command};
use peelback_code::{CacheOptions, CacheStatus, clear_cache, syntax};
use serde_json::json;

use crate::arguments::{json_argument, project_of, root_argument, settings_of};
use crate::config;
use crate::exit::{Exit, fail, print};
use crate::own_command::{OwnCommand, Run};

pub(super) const COMMAND: OwnCommand = OwnCommand { name: "cache", command: grammar, run: Run::Alone(run) };

fn grammar() -> Command {
    Command::new("cache")
        .about("Shows what is kept on disk to be quicker next time, or clears it")
        .arg(root_argument())
        .arg(json_argument())
        .args(config::flags().filter(|flag| flag.get_long().is_some_and(|long| long.starts_with("cache"))))
        .subcommand(Command::new("clear").about("Empties the cache, also while others use it"))
}

fn run(matches: &ArgMatches) -> Exit {
    let settings = match settings_of(matches) {
        Ok(settings) => settings,
        Err(exit) => return exit,
    };
    let Some(folder) = settings.cache_folder() else {
        return fail("there is no cache folder: name one with PEELBACK_CACHE_DIR", Exit::Failure);
    };
    if matches.subcommand_matches("clear").is_some() {
        return match clear_cache(&folder) {
            Ok(bytes) => print(format!("cleared: {} freed in {}\n", megabytes(bytes), folder.display()).as_bytes()),
            Err(error) => fail(&format!("cannot clear {}: {error}", folder.display()), Exit::Failure),
        };
    }
    let mut status = CacheStatus::of(&folder);
    if project_of(matches).is_ok_and(|project| CacheOptions::lies_below(&folder, project.root())) {
        status.usable = Err("it lies inside the project, whose files would change with it".to_owned());
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
            "set_aside": status.set_aside.iter().map(|path| path.display().to_string()).collect::<Vec<_>>(),
        });
        return print(format!("{answer}\n").as_bytes());
    }
    let mut out = String::new();
    let off = if enabled { String::new() } else { format!("  (off: {})", settings.enabled.origin) };
    let _ = writeln!(out, "{}{off}", status.path.display());
    match &status.usable {
        Ok(()) => {
            let _ = writeln!(out, "size      {} of {} MB", megabytes(status.size_bytes), settings.max_megabytes.value);
            let _ = writeln!(out, "contents  {}", status.contents);
            let _ = writeln!(out, "files     {} in {} projects", status.files, status.projects);
        }
        Err(problem) => {
            let _ = writeln!(out, "not used: {problem}");
        }
    }
    let _ = writeln!(out, "analysis  {}", syntax::ANALYSIS);
    for path in &status.set_aside {
        let _ = writeln!(out, "set aside {}", path.display());
    }
    print(out.as_bytes())
}

fn megabytes(bytes: u64) -> String {
    format!("{}.{} MB", bytes >> 20, ((bytes & 0xF_FFFF) * 10) >> 20)
}
