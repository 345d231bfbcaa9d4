//! `peelback doctor`: checks what a host would receive from the server, and reports errors in the set-up.

mod program;
mod project;
mod report;
mod servers;
mod tools;

use clap::{Arg, ArgMatches, Command};

use super::setup::hosts::{HOSTS, host};
use crate::arguments::{json_argument, project_of, root_argument, working_folder};
use crate::config::{Loaded, Sources};
use crate::exit::{Exit, fail, print};
use crate::own_command::{OwnCommand, Run};
use report::{Finding, Level, Report};

pub(super) const COMMAND: OwnCommand = OwnCommand { name: "doctor", command: grammar, run: Run::Alone(run) };

fn grammar() -> Command {
    let names: Vec<&str> = HOSTS.iter().map(|host| host.name).collect();
    Command::new("doctor")
        .about("Says what an agent would see of this project, and what is wrong with the set-up")
        .after_help("Exit codes: 0 nothing is wrong, 1 something is, 2 bad usage, 3 failure.")
        .arg(
            Arg::new("host")
                .long("host")
                .value_name("HOST")
                .help(format!("One host alone, which must be set up: {}", names.join(", "))),
        )
        .arg(root_argument())
        .arg(json_argument())
}

fn run(matches: &ArgMatches) -> Exit {
    let one = match matches.get_one::<String>("host").map(|name| host(name)).transpose() {
        Ok(host) => host,
        Err(error) => return fail(&error, Exit::BadUsage),
    };
    let project = match project_of(matches) {
        Ok(project) => project,
        Err(error) => return fail(&error.to_string(), error.fault().into()),
    };
    let folder = match working_folder() {
        Ok(folder) => folder,
        Err(exit) => return exit,
    };
    let loaded = Loaded::of(&Sources::of_process(Some(project.clone()), matches));
    let mut report = Report::default();
    report.push(program::on_path());
    report.extend(configuration(&loaded));
    report.extend(servers::set_up(one, project.root(), &folder));
    report.push(tools::instructions(loaded.settings.system_prompt_mode.value));
    report.extend(tools::declared(loaded.settings.tool_documentation_mode.value));
    report.extend(project::walked(&project));
    report.extend(tools::answers(&project, &loaded.settings));
    let printed = match matches.get_flag("json") {
        true => print(format!("{}\n", report.json()).as_bytes()),
        false => print(report.text().as_bytes()),
    };
    match printed {
        Exit::Answer if !report.is_fine() => Exit::NothingFound,
        other => other,
    }
}

/// Findings on the configuration: its mistakes, and the settings that were ignored.
fn configuration(loaded: &Loaded) -> Vec<Finding> {
    let mut findings: Vec<Finding> = loaded
        .problems
        .iter()
        .map(|problem| Finding::new(Level::Problem, "configuration", problem.to_string()))
        .collect();
    findings.extend(loaded.notes.iter().map(|note| Finding::new(Level::Note, "configuration", note.as_str())));
    for folder in &loaded.settings.allow_roots.value {
        if !folder.is_dir() {
            let message = format!("server.allow_roots: {} is no folder", folder.display());
            let advice = format!("make it, or take it out ({})", loaded.settings.allow_roots.origin);
            findings.push(Finding::new(Level::Problem, "configuration", message).advice(advice));
        }
    }
    if let Some(file) = &loaded.settings.token_file.value
        && !file.is_file()
    {
        let message = format!("server.token_file: {} is no file", file.display());
        let advice = format!("make it, or take it out ({})", loaded.settings.token_file.origin);
        findings.push(Finding::new(Level::Problem, "configuration", message).advice(advice));
    }
    if findings.is_empty() {
        let read = loaded.files.iter().filter(|file| file.status == crate::config::FileStatus::Read);
        let read: Vec<String> =
            read.filter_map(|file| file.path.as_ref()).map(|path| path.display().to_string()).collect();
        let message = if read.is_empty() { "defaults; no file".to_owned() } else { read.join(", ") };
        findings.push(Finding::new(Level::Ok, "configuration", message));
    }
    findings
}
