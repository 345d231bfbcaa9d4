//! `peelback setup`: prints or writes the lines that register the MCP server with a host, such as an editor.

pub(super) mod edit;
pub(super) mod entry;
pub(super) mod hosts;

use std::path::{Path, PathBuf};

use clap::{Arg, ArgAction, ArgMatches, Command};
use peelback_code::escape_control_characters;

use crate::arguments::current_working_folder;
use crate::exit::{ExitStatus, print_error_and_return_status, print_text_to_stdout};
use crate::non_tool_command::{CommandRunner, NonToolCommand};
use crate::text_file;
use edit::{EntryMergeOutcome, merge_server_entry_into_config_text};
use entry::{SERVER_NAME, ServerEntry};
use hosts::{HOSTS, MAX_FILE_BYTES, McpHost, mcp_host_by_name};

pub(super) const COMMAND: NonToolCommand = NonToolCommand {
    name: "setup",
    build_grammar: setup_command_grammar,
    runner: CommandRunner::WithMatches(run_setup_command),
};

fn setup_command_grammar() -> Command {
    let names: Vec<&str> = HOSTS.iter().map(|host| host.name).collect();
    Command::new("setup")
        .about("Prints the lines that register the MCP server with an agent, and writes them where asked")
        .arg(Arg::new("host").required(true).value_name("HOST").help(format!("One of {}", names.join(", "))))
        .arg(
            Arg::new("write")
                .long("write")
                .action(ArgAction::SetTrue)
                .help("Writes them into the host's file; the rest of the file stays as it is"),
        )
        .arg(
            Arg::new("user")
                .long("user")
                .action(ArgAction::SetTrue)
                .help("For all projects of this user, instead of the working folder alone"),
        )
        .arg(
            Arg::new("force")
                .long("force")
                .action(ArgAction::SetTrue)
                .help("Replaces an entry that says something else"),
        )
        .arg(
            Arg::new("command")
                .long("command")
                .value_name("PROGRAM")
                .default_value("peelback")
                .help("How the host starts the program: a name on its PATH, or an absolute path"),
        )
}

fn run_setup_command(matches: &ArgMatches) -> ExitStatus {
    let text = |name: &str| matches.get_one::<String>(name).map_or("", String::as_str);
    let host = match mcp_host_by_name(text("host")) {
        Ok(host) => host,
        Err(error) => return print_error_and_return_status(&error, ExitStatus::BadUsage),
    };
    let for_user = matches.get_flag("user");
    let folder = match current_working_folder() {
        Ok(folder) => folder,
        Err(exit) => return exit,
    };
    let path = if for_user {
        host.user_configuration_file_path()
    } else {
        Some(host.project_configuration_file_path(&folder))
    };
    let Some(path) = path else {
        return print_error_and_return_status(
            &format!("{}'s file cannot be found: there is no home folder; omit --user", host.title),
            ExitStatus::Failure,
        );
    };
    let project_folder = (!for_user).then_some(folder.as_path());
    let command = text("command");
    let entry = host.new_server_entry(command);
    let snippet = host.configuration_snippet(&entry);
    if !matches.get_flag("write") {
        return print_text_to_stdout(&mcp_host_setup_instructions(
            host,
            for_user,
            path_relative_to_folder(&path, project_folder),
            command,
            &snippet,
        ));
    }
    match merge_server_entry_into_config_file(host, &path, project_folder, &entry, matches.get_flag("force")) {
        Ok(outcome) => {
            print_text_to_stdout(&format!("{}: {outcome}\n", path_relative_to_folder(&path, project_folder).display()))
        }
        Err((reason, exit)) => {
            let path = path_relative_to_folder(&path, project_folder).display();
            print_error_and_return_status(
                &format!("{path} was not written: {reason}\nadd these lines:\n\n{}", snippet.trim_end()),
                exit,
            )
        }
    }
}

/// A path for display: relative to `base_folder` where the path is inside of it, otherwise as it is.
fn path_relative_to_folder<'a>(path: &'a Path, base_folder: Option<&Path>) -> &'a Path {
    base_folder.and_then(|folder| path.strip_prefix(folder).ok()).unwrap_or(path)
}

/// The instructions that are printed for a host: the lines to add, the file to add them to, and the notes on that file.
fn mcp_host_setup_instructions(host: &McpHost, user: bool, path: &Path, program: &str, snippet: &str) -> String {
    let flag = if user { " --user" } else { "" };
    let mut out = format!("{}: {}\n\n{snippet}\n", host.title, path.display());
    if let Some(command) = host.server_registration_command(user).filter(|_| program == SERVER_NAME) {
        out.push_str(&format!("or: {command}\n"));
    }
    out.push_str(&format!(
        "`peelback setup {}{flag} --write` adds it; the rest of the file stays as it is.\n",
        host.name
    ));
    if !user {
        out.push_str(&format!("`peelback setup {} --user` is for all projects of this user.\n", host.name));
    }
    let note = if user { host.user_note } else { host.project_note };
    if !note.is_empty() {
        out.push_str(note);
        out.push('\n');
    }
    out
}

/// Writes the server's entry into the host's configuration file at `path`.
fn merge_server_entry_into_config_file(
    host: &McpHost,
    path: &Path,
    project_folder: Option<&Path>,
    entry: &ServerEntry,
    force: bool,
) -> Result<String, (String, ExitStatus)> {
    let failure = |error: std::io::Error| (error.to_string(), ExitStatus::Failure);
    let target: PathBuf = text_file::resolve_path_of_file_to_write(path, project_folder).map_err(failure)?;
    let existing_text = match text_file::read_text_file(&target, MAX_FILE_BYTES) {
        Ok(text) => text,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => String::new(),
        Err(error) => return Err(failure(error)),
    };
    let is_new = existing_text.is_empty();
    match merge_server_entry_into_config_text(host, &existing_text, entry, force) {
        Ok(EntryMergeOutcome::Unchanged) => Ok("already has the entry".to_owned()),
        Ok(EntryMergeOutcome::Added(text)) => {
            text_file::write_text_file_atomically(&target, &text).map_err(failure)?;
            Ok(if is_new { "written" } else { "added; the rest is unchanged" }.to_owned())
        }
        Ok(EntryMergeOutcome::Replaced { text, dropped }) => {
            text_file::write_text_file_atomically(&target, &text).map_err(failure)?;
            let dropped: Vec<String> =
                dropped.iter().map(|name| escape_control_characters(name).into_owned()).collect();
            Ok(match dropped.is_empty() {
                true => "the old entry is replaced".to_owned(),
                false => format!("the old entry is replaced; dropped with it: {}", dropped.join(", ")),
            })
        }
        Err(refusal) => Err(refusal),
    }
}
