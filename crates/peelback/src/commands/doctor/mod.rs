//! `peelback doctor`: checks what a host (a client of the MCP server, such as an editor) would receive from the server,
//! and reports errors in the set-up.

mod program;
mod project;
mod report;
mod servers;
mod tools;

use clap::{Arg, ArgMatches, Command};

use super::setup::hosts::{HOSTS, mcp_host_by_name};
use crate::arguments::{
    current_working_folder, json_output_argument, project_from_arguments, root_argument_definition,
};
use crate::config::{ConfigSources, LoadedConfig};
use crate::exit::{ExitStatus, print_error_and_return_status, print_json_to_stdout, print_text_to_stdout};
use crate::non_tool_command::{CommandRunner, NonToolCommand};
use report::{DoctorReport, Finding, Level};

pub(super) const COMMAND: NonToolCommand = NonToolCommand {
    name: "doctor",
    build_grammar: doctor_command_grammar,
    runner: CommandRunner::WithMatches(run_doctor_command),
};

fn doctor_command_grammar() -> Command {
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
        .arg(root_argument_definition())
        .arg(json_output_argument())
}

fn run_doctor_command(matches: &ArgMatches) -> ExitStatus {
    let chosen_host = match matches.get_one::<String>("host").map(|name| mcp_host_by_name(name)).transpose() {
        Ok(host) => host,
        Err(error) => return print_error_and_return_status(&error, ExitStatus::BadUsage),
    };
    let project = match project_from_arguments(matches) {
        Ok(project) => project,
        Err(error) => return print_error_and_return_status(&error.to_string(), error.category().into()),
    };
    let folder = match current_working_folder() {
        Ok(folder) => folder,
        Err(exit) => return exit,
    };
    let loaded = LoadedConfig::from_sources(&ConfigSources::from_process(Some(project.clone()), matches));
    let mut report = DoctorReport::default();
    report.add_finding(program::check_own_program_on_path());
    report.add_findings(check_configuration(&loaded));
    report.add_findings(servers::check_mcp_host_setups(chosen_host, project.root(), &folder));
    report.add_finding(tools::check_server_instructions_length(loaded.settings.system_prompt_mode.value));
    report.add_findings(tools::check_tool_declaration_sizes(loaded.settings.tool_documentation_mode.value));
    report.add_findings(project::check_project_files(&project));
    report.add_findings(tools::check_tool_answer_sizes_without_arguments(&project, &loaded.settings));
    let printed = match matches.get_flag("json") {
        true => print_json_to_stdout(&report.to_json()),
        false => print_text_to_stdout(&report.to_text()),
    };
    match printed {
        ExitStatus::Answer if !report.has_no_problems() => ExitStatus::NothingFound,
        other => other,
    }
}

/// Findings on the configuration: the mistakes in it, and the settings that were ignored.
fn check_configuration(loaded: &LoadedConfig) -> Vec<Finding> {
    let mut findings: Vec<Finding> = loaded
        .problems
        .iter()
        .map(|problem| Finding::new(Level::Problem, "configuration", problem.to_string()))
        .collect();
    findings.extend(loaded.notes.iter().map(|note| Finding::new(Level::Note, "configuration", note.as_str())));
    for folder in &loaded.settings.allow_roots.value {
        if !folder.is_dir() {
            let message = format!("server.allow_roots: {} is not a folder", folder.display());
            let advice = format!("create it, or remove the entry ({})", loaded.settings.allow_roots.origin);
            findings.push(Finding::new(Level::Problem, "configuration", message).with_advice(advice));
        }
    }
    if let Some(file) = &loaded.settings.token_file.value
        && !file.is_file()
    {
        let message = format!("server.token_file: {} is not a file", file.display());
        let advice = format!("create it, or remove the entry ({})", loaded.settings.token_file.origin);
        findings.push(Finding::new(Level::Problem, "configuration", message).with_advice(advice));
    }
    if findings.is_empty() {
        let read_files = loaded.files.iter().filter(|file| file.status == crate::config::FileStatus::Read);
        let read_paths: Vec<String> =
            read_files.filter_map(|file| file.path.as_ref()).map(|path| path.display().to_string()).collect();
        let message = if read_paths.is_empty() { "defaults; no file".to_owned() } else { read_paths.join(", ") };
        findings.push(Finding::new(Level::Ok, "configuration", message));
    }
    findings
}
