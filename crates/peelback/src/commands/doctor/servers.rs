//! Checks of the hosts whose configuration files name the server.

use std::path::{Path, PathBuf};

use serde_json::json;

use super::report::{Finding, Level};
use crate::commands::setup::edit::{entry, own_entry};
use crate::commands::setup::entry::Entry;
use crate::commands::setup::hosts::{HOSTS, Host, MAX_FILE_BYTES};
use crate::text_file;

/// Checks the configuration files of every host, or of `one` host: whether they name the server, and whether the
/// program that they start exists.
pub(super) fn set_up(one: Option<&'static Host>, root: &Path, folder: &Path) -> Vec<Finding> {
    let mut findings = Vec::new();
    for host in HOSTS.iter().filter(|host| one.is_none_or(|one| one.name == host.name)) {
        let mut found = Vec::new();
        for (path, is_project) in files(host, root, folder) {
            let below = is_project.then_some(root);
            let text = text_file::target(&path, below).and_then(|target| text_file::read(&target, MAX_FILE_BYTES));
            let text = match text {
                Ok(text) => text,
                Err(error) if error.kind() == std::io::ErrorKind::NotFound => continue,
                Err(error) => {
                    let message = format!("{}: {} cannot be read: {error}", host.title, path.display());
                    found.push(Finding::new(Level::Problem, "set-up", message));
                    continue;
                }
            };
            let own = if is_project { Ok(None) } else { own_entry(host, &text, &[folder, root]) };
            match entry(host, &text).and_then(|entry| Ok([own?, entry])) {
                Ok(entries) => found.extend(entries.iter().flatten().map(|entry| starts(host, &path, entry))),
                Err(reason) => {
                    let message = format!("{}: {}: {reason}", host.title, path.display());
                    let advice = "mend the file: the host cannot read it either";
                    found.push(Finding::new(Level::Problem, "set-up", message).advice(advice));
                }
            }
        }
        if found.is_empty() && one.is_some() {
            let advice = format!("peelback setup {} --write", host.name);
            found.push(Finding::new(Level::Problem, "set-up", format!("{} is not set up", host.title)).advice(advice));
        }
        findings.append(&mut found);
    }
    if findings.is_empty() {
        findings.push(Finding::new(Level::Note, "set-up", "no host is set up here").advice("peelback setup HOST"));
    }
    findings
}

/// The configuration files that a host would read: the project's files, in its root or the working folder, and the
/// user's file. The flag is true for a project's file.
fn files(host: &Host, root: &Path, folder: &Path) -> Vec<(PathBuf, bool)> {
    let mut files = vec![(host.project_path(root), true)];
    if folder != root && folder.starts_with(root) {
        files.push((host.project_path(folder), true));
    }
    if let Some(user) = host.user_path().filter(|user| files.iter().all(|(path, _)| path != user)) {
        files.push((user, false));
    }
    files
}

/// Checks whether the program that a server entry starts exists.
fn starts(host: &Host, path: &Path, entry: &Entry) -> Finding {
    let shown = format!("{}: {}", host.title, path.display());
    let advice = format!("peelback setup {} --write --force", host.name);
    if let Some(url) = entry.url() {
        let message = format!("{shown} names a server at {url}");
        let data = json!({ "host": host.name, "path": path.display().to_string(), "url": url });
        return Finding::new(Level::Ok, "set-up", message).data(data);
    }
    let Some((program, arguments)) = entry.command() else {
        return Finding::new(Level::Problem, "set-up", format!("{shown} names no command")).advice(advice);
    };
    let line = std::iter::once(&program).chain(&arguments).map(String::as_str).collect::<Vec<_>>().join(" ");
    let data = json!({ "host": host.name, "path": path.display().to_string(), "command": line });
    if which::which(&program).is_err() {
        let message = format!("{shown} starts `{line}`, and there is no program {program:?}");
        return Finding::new(Level::Problem, "set-up", message)
            .advice(format!(
                "put it on the host's PATH, or: peelback setup {} --command FULL-PATH --write --force",
                host.name
            ))
            .data(data);
    }
    if arguments.first().map(String::as_str) != Some("serve") && program.contains("peelback") {
        let message = format!("{shown} starts `{line}`, which is not `peelback serve`");
        return Finding::new(Level::Problem, "set-up", message).advice(advice).data(data);
    }
    Finding::new(Level::Ok, "set-up", format!("{shown} starts `{line}`")).data(data)
}
