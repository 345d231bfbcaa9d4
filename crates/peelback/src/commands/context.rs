//! `peelback context`: a whole repository in one document.

use std::time::SystemTime;

use clap::{Arg, ArgAction, ArgMatches, Command};
use peelback_agent::document::Stamp;
use peelback_agent::scope::{self, Mode, ScopeOptions};
use serde_json::json;

use super::OwnCommand;
use crate::config;
use crate::documents::{self, Subject, flag, runtime, shown};
use crate::exit::{Exit, fail, print};
use crate::models::{self, Exchanges};
use crate::watch;

pub(super) const COMMAND: OwnCommand = OwnCommand { name: "context", command: grammar, run };

const HELP: &str = "\
The document tells what the repository is for, its layout, entry points, main modules with their outlines and how they
depend on one another, how to build and test it, and its conventions. With a model, it begins with a summary in prose.
`scope` takes it as a source.

Examples:
  peelback context
  peelback context https://github.com/OWNER/NAME -o - --max-tokens 6000";

fn grammar() -> Command {
    Command::new("context")
        .about("Writes a whole repository into one document, within a budget of tokens")
        .after_help(HELP)
        .args(documents::arguments())
        .arg(
            Arg::new("max_tokens")
                .long("max-tokens")
                .value_name("N")
                .value_parser(clap::value_parser!(u32).range(250..))
                .help("Tokens of the document; 12000 by default"),
        )
        .arg(
            Arg::new("no_model")
                .long("no-model")
                .action(ArgAction::SetTrue)
                .help("Asks no model though one is configured"),
        )
        .args(config::flags_of(documents::TABLES))
}

fn run(matches: &ArgMatches) -> Exit {
    written(matches).unwrap_or_else(|exit| exit)
}

fn written(matches: &ArgMatches) -> Result<Exit, Exit> {
    let runtime = runtime()?;
    let source = matches.get_one::<String>("source").map_or(".", String::as_str);
    let subject = Subject::open(source, matches)?;
    let model = if flag(matches, "no_model") {
        None
    } else {
        models::model(&subject.settings, &Exchanges::default(), Mode::Pipeline)
            .map_err(|error| fail(&error.to_string(), Exit::BadUsage))?
    };
    let now = Stamp::of(SystemTime::now());
    let progress = watch::watcher();
    let options = ScopeOptions {
        secrets: Subject::secrets(matches),
        max_tokens: matches.get_one::<u32>("max_tokens").map(|tokens| *tokens as usize),
        stream: progress.is_some(),
        progress,
        ..ScopeOptions::new(subject.origin(), now)
    };
    let access = subject.access.clone().with_work(subject.interrupt.work());
    let made = runtime.block_on(async {
        tokio::select! {
            made = scope::context(&access, model.as_ref(), &options) => Some(made),
            () = subject.interrupt.pressed() => None,
        }
    });
    let made = made.filter(|_| !subject.interrupt.is_pressed());
    let document = match made {
        Some(Ok(document)) => document,
        Some(Err(error)) => return Err(fail(&error.to_string(), Exit::Failure)),
        None => return Err(fail("interrupted: nothing was written", Exit::Failure)),
    };
    let name = format!("context-{}.md", now.hhmmss());
    let Some(path) = subject.deliver(&document, &name, matches)?.as_deref().map(shown) else {
        return Ok(Exit::Answer);
    };
    let front = &document.front;
    let out = if flag(matches, "json") {
        format!("{}\n", json!({ "path": path, "complete": front.incomplete.is_none(), "incomplete": front.incomplete }))
    } else {
        let left = front.incomplete.as_ref().map(|reason| format!("not complete: {reason}\n")).unwrap_or_default();
        crate::terminal::printable(&format!("{path}\n{left}"))
    };
    Ok(print(out.as_bytes()))
}
