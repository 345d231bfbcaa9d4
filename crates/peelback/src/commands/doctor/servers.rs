//! Checks of the hosts (clients of the MCP server, such as editors) whose configuration files name the server.

use std::path::{Path, PathBuf};

use serde_json::json;

use super::report::{Finding, Level};
use crate::commands::setup::edit::{find_server_entry_in_config_text, project_server_entry_in_host_file};
use crate::commands::setup::entry::ServerEntry;
use crate::commands::setup::hosts::{HOSTS, MAX_FILE_BYTES, McpHost};
use crate::text_file;

/// Checks the configuration files of `only_host`, or of every host: whether they name the server, and whether the
/// program that they start exists.
pub(super) fn check_mcp_host_setups(only_host: Option<&'static McpHost>, root: &Path, folder: &Path) -> Vec<Finding> {
    let mut findings = Vec::new();
    for host in HOSTS.iter().filter(|host| only_host.is_none_or(|one| one.name == host.name)) {
        let mut host_findings = Vec::new();
        for (path, is_project) in mcp_host_configuration_file_paths(host, root, folder) {
            let below = is_project.then_some(root);
            let text = text_file::resolve_path_of_file_to_write(&path, below)
                .and_then(|target| text_file::read_text_file(&target, MAX_FILE_BYTES));
            let text = match text {
                Ok(text) => text,
                Err(error) if error.kind() == std::io::ErrorKind::NotFound => continue,
                Err(error) => {
                    let message = format!("{}: {} cannot be read: {error}", host.title, path.display());
                    host_findings.push(Finding::new(Level::Problem, "set-up", message));
                    continue;
                }
            };
            let project_entry =
                if is_project { Ok(None) } else { project_server_entry_in_host_file(host, &text, &[folder, root]) };
            match find_server_entry_in_config_text(host, &text).and_then(|entry| Ok([project_entry?, entry])) {
                Ok(entries) => host_findings
                    .extend(entries.iter().flatten().map(|entry| check_program_of_server_entry(host, &path, entry))),
                Err(reason) => {
                    let message = format!("{}: {}: {reason}", host.title, path.display());
                    let advice = "repair the file: the host cannot read it either";
                    host_findings.push(Finding::new(Level::Problem, "set-up", message).with_advice(advice));
                }
            }
        }
        if host_findings.is_empty() && only_host.is_some() {
            let advice = format!("peelback setup {} --write", host.name);
            host_findings.push(
                Finding::new(Level::Problem, "set-up", format!("{} is not set up", host.title)).with_advice(advice),
            );
        }
        findings.append(&mut host_findings);
    }
    if findings.is_empty() {
        findings.push(Finding::new(Level::Note, "set-up", "no host is set up here").with_advice("peelback setup HOST"));
    }
    findings
}

/// Paths of the configuration files that a host would read: the project's files, in its root or the working folder, and
/// the user's file. The flag beside a path is true for a project's file.
fn mcp_host_configuration_file_paths(host: &McpHost, root: &Path, folder: &Path) -> Vec<(PathBuf, bool)> {
    let mut files = vec![(host.project_configuration_file_path(root), true)];
    if folder != root && folder.starts_with(root) {
        files.push((host.project_configuration_file_path(folder), true));
    }
    if let Some(user) = host.user_configuration_file_path().filter(|user| files.iter().all(|(path, _)| path != user)) {
        files.push((user, false));
    }
    files
}

/// Checks whether the program exists that a server entry of a host's configuration file starts.
fn check_program_of_server_entry(host: &McpHost, path: &Path, entry: &ServerEntry) -> Finding {
    let host_and_path = format!("{}: {}", host.title, path.display());
    let advice = format!("peelback setup {} --write --force", host.name);
    if let Some(url) = entry.url_without_secrets() {
        let message = format!("{host_and_path} names a server at {url}");
        let data = json!({ "host": host.name, "path": path.display().to_string(), "url": url });
        return Finding::new(Level::Ok, "set-up", message).with_data(data);
    }
    let Some((program, arguments)) = entry.program_and_arguments() else {
        return Finding::new(Level::Problem, "set-up", format!("{host_and_path} names no command")).with_advice(advice);
    };
    let command_line = std::iter::once(&program).chain(&arguments).map(String::as_str).collect::<Vec<_>>().join(" ");
    let data = json!({ "host": host.name, "path": path.display().to_string(), "command": command_line });
    if which::which(&program).is_err() {
        let message = format!("{host_and_path} starts `{command_line}`, and there is no program {program:?}");
        return Finding::new(Level::Problem, "set-up", message)
            .with_advice(format!(
                "put it on the host's PATH, or: peelback setup {} --command FULL-PATH --write --force",
                host.name
            ))
            .with_data(data);
    }
    if arguments.first().map(String::as_str) != Some("serve") && program.contains("peelback") {
        let message = format!("{host_and_path} starts `{command_line}`, which is not `peelback serve`");
        return Finding::new(Level::Problem, "set-up", message).with_advice(advice).with_data(data);
    }
    Finding::new(Level::Ok, "set-up", format!("{host_and_path} starts `{command_line}`")).with_data(data)
}
