//! `peelback context`: writes a whole repository into one document.

use std::time::SystemTime;

use clap::{Arg, ArgAction, ArgMatches, Command};
use peelback_agent::document::Timestamp;
use peelback_agent::scope::{self, Mode, ScopeOptions};
use peelback_code::CancellationToken;
use serde_json::json;

use crate::async_runtime::runtime;
use crate::config;
use crate::documents::{self, Subject, Target, flag, shown, source_named};
use crate::exit::{Exit, fail, print};
use crate::interrupt::Interrupt;
use crate::models::{self, Exchanges};
use crate::own_command::{OwnCommand, Run};
use crate::watch;

pub(super) const COMMAND: OwnCommand = OwnCommand { name: "context", command: grammar, run: Run::Alone(run) };

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
    let source = source_named(matches)?;
    let target = Target::of(matches)?;
    let interrupt = Interrupt::listen()?;
    let subject = Subject::open(&source, &interrupt, matches)?;
    let model = if flag(matches, "no_model") {
        None
    } else {
        models::model(&subject.settings, &Exchanges::default(), Mode::Pipeline, None)
            .map_err(|error| fail(&error.to_string(), Exit::BadUsage))?
    };
    let now = Timestamp::from_system_time(SystemTime::now());
    let progress = watch::watcher();
    let options = ScopeOptions {
        secrets: Subject::secrets(matches),
        max_tokens: matches.get_one::<u32>("max_tokens").map(|tokens| *tokens as usize),
        stream: progress.is_some(),
        progress,
        ..ScopeOptions::new(subject.origin(), now)
    };
    let made =
        interrupt.run_until_interrupted(scope::write_context_document(&subject.access, model.as_ref(), &options))?;
    let failed = |error: scope::ScopeError| fail(&error.to_string(), Exit::Failure);
    let is_interrupted = interrupt.is_interrupted();
    let document = match made {
        Some(made) if !is_interrupted => made.map_err(failed)?,
        // Only the summary needs a model; the rest of the document is available at once.
        _ if model.is_some() => {
            let access = subject.access.clone().with_cancellation(CancellationToken::default());
            let mut document =
                runtime()?.block_on(scope::write_context_document(&access, None, &options)).map_err(failed)?;
            document.front.incomplete =
                Some("the run was interrupted before a model had written its summary".to_owned());
            document
        }
        _ => return Err(fail("interrupted: nothing was written", Exit::Failure)),
    };
    let name = format!("context-{}.md", now.hhmmss());
    let Some(path) = subject.deliver(&document, &name, &target)?.as_deref().map(shown) else {
        return Ok(Exit::Answer);
    };
    let front = &document.front;
    let out = if flag(matches, "json") {
        format!("{}\n", json!({ "path": path, "complete": front.incomplete.is_none(), "incomplete": front.incomplete }))
    } else {
        let left = front.incomplete.as_ref().map(|reason| format!("not complete: {reason}\n")).unwrap_or_default();
        crate::terminal::printable(&format!("{path}\n{left}"))
    };
    let exit = print(out.as_bytes());
    Ok(if is_interrupted { Exit::Failure } else { exit })
}
