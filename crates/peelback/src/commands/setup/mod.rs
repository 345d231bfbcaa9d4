//! `peelback setup`: prints or writes the lines that register the MCP server with a host.

pub(super) mod edit;
pub(super) mod entry;
pub(super) mod hosts;

use std::path::{Path, PathBuf};

use clap::{Arg, ArgAction, ArgMatches, Command};

use crate::arguments::working_folder;
use crate::exit::{Exit, fail, print};
use crate::own_command::{OwnCommand, Run};
use crate::terminal::printable;
use crate::text_file;
use edit::{Merged, merged};
use entry::{Entry, SERVER};
use hosts::{HOSTS, Host, MAX_FILE_BYTES, host};

pub(super) const COMMAND: OwnCommand = OwnCommand { name: "setup", command: grammar, run: Run::Alone(run) };

fn grammar() -> Command {
    let names: Vec<&str> = HOSTS.iter().map(|host| host.name).collect();
    Command::new("setup")
        .about("Prints the lines that register the MCP server with an agent, and writes them where asked")
        .arg(Arg::new("host").required(true).value_name("HOST").help(format!("One of {}", names.join(", "))))
        .arg(
            Arg::new("write")
                .long("write")
                .action(ArgAction::SetTrue)
                .help("Writes them into the host's file; what else it holds stays"),
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

fn run(matches: &ArgMatches) -> Exit {
    let text = |name: &str| matches.get_one::<String>(name).map_or("", String::as_str);
    let host = match host(text("host")) {
        Ok(host) => host,
        Err(error) => return fail(&error, Exit::BadUsage),
    };
    let user = matches.get_flag("user");
    let folder = match working_folder() {
        Ok(folder) => folder,
        Err(exit) => return exit,
    };
    let path = if user { host.user_path() } else { Some(host.project_path(&folder)) };
    let Some(path) = path else {
        return fail(
            &format!("{}'s file cannot be found: there is no home folder; leave --user away", host.title),
            Exit::Failure,
        );
    };
    let below = (!user).then_some(folder.as_path());
    let command = text("command");
    let entry = host.entry(command);
    let snippet = host.snippet(&entry);
    if !matches.get_flag("write") {
        return print(shown(host, user, named(&path, below), command, &snippet).as_bytes());
    }
    match write(host, &path, below, &entry, matches.get_flag("force")) {
        Ok(done) => print(format!("{}: {done}\n", named(&path, below).display()).as_bytes()),
        Err((reason, exit)) => {
            let path = named(&path, below).display();
            fail(&format!("{path} was not written: {reason}\nwhat belongs into it:\n\n{}", snippet.trim_end()), exit)
        }
    }
}

/// A path for display: a project's file relative to the folder where the command runs, any other path as it is.
fn named<'a>(path: &'a Path, below: Option<&Path>) -> &'a Path {
    below.and_then(|folder| path.strip_prefix(folder).ok()).unwrap_or(path)
}

/// The printed instructions of a host: the snippet, its file, and the notes on it.
fn shown(host: &Host, user: bool, path: &Path, program: &str, snippet: &str) -> String {
    let flag = if user { " --user" } else { "" };
    let mut out = format!("{}: {}\n\n{snippet}\n", host.title, path.display());
    if let Some(command) = host.own_command(user).filter(|_| program == SERVER) {
        out.push_str(&format!("or: {command}\n"));
    }
    out.push_str(&format!(
        "`peelback setup {}{flag} --write` puts it there; what else is in the file stays.\n",
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

/// Writes the server's entry into the file at `path`.
fn write(host: &Host, path: &Path, below: Option<&Path>, entry: &Entry, force: bool) -> Result<String, (String, Exit)> {
    let failure = |error: std::io::Error| (error.to_string(), Exit::Failure);
    let target: PathBuf = text_file::target(path, below).map_err(failure)?;
    let old = match text_file::read(&target, MAX_FILE_BYTES) {
        Ok(text) => text,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => String::new(),
        Err(error) => return Err(failure(error)),
    };
    let is_new = old.is_empty();
    match merged(host, &old, entry, force) {
        Ok(Merged::Same) => Ok("has it already".to_owned()),
        Ok(Merged::Added(text)) => {
            text_file::write(&target, &text).map_err(failure)?;
            Ok(if is_new { "written" } else { "added to what was there" }.to_owned())
        }
        Ok(Merged::Replaced { text, dropped }) => {
            text_file::write(&target, &text).map_err(failure)?;
            let dropped: Vec<String> = dropped.iter().map(|name| printable(name)).collect();
            Ok(match dropped.is_empty() {
                true => "the entry that was there is replaced".to_owned(),
                false => format!("the entry that was there is replaced; dropped with it: {}", dropped.join(", ")),
            })
        }
        Err(refusal) => Err(refusal),
    }
}
