//! `peelback context`: writes a whole repository into one document.

use std::time::SystemTime;

use clap::{ArgMatches, Command};
use peelback_agent::document::Timestamp;
use peelback_agent::scope::{self, Mode, ScopeOptions};
use peelback_code::{CancellationToken, SpendingLimits, escape_control_characters, escape_control_characters_of_json};
use peelback_secrets::mask_secrets;
use serde_json::json;

use crate::async_runtime::build_async_runtime_or_print_error;
use crate::config;
use crate::documents::{
    self, DocumentSource, DocumentTarget, code_source_from_arguments, is_command_line_flag_set, path_for_display,
};
use crate::exit::{ExitStatus, print_error_and_return_status, print_to_stdout};
use crate::interrupt::InterruptListener;
use crate::models::{self, ExchangeOptions};
use crate::non_tool_command::{CommandRunner, NonToolCommand};
use crate::progress_output::ProgressOutput;

pub(super) const COMMAND: NonToolCommand = NonToolCommand {
    name: "context",
    build_grammar: context_command_grammar,
    runner: CommandRunner::WithMatches(run_context_command),
};

const HELP: &str = "\
The document tells what the repository is for, its layout, entry points, main modules with their outlines and how they
depend on one another, how to build and test it, and its conventions. With a model, it begins with a summary in prose.
`scope` takes it as a source. The document goes to contexts/REPOSITORY/ below the working folder, or where -o says;
nothing else is written. A run with a model has the same ceiling as one of `scope` ($2.00, or 1,000,000 tokens).

Examples:
  peelback context
  peelback context https://github.com/OWNER/NAME -o - --max-tokens 6000";

fn context_command_grammar() -> Command {
    Command::new("context")
        .about("Writes a whole repository into one document, within a budget of tokens")
        .after_help(HELP)
        .args(documents::arguments_of_document_writing_commands())
        .args(documents::flags_of_document_tool(COMMAND.name))
        .mut_arg("max_tokens", |tokens| {
            tokens.value_parser(clap::value_parser!(u32).range(250..)).help("Tokens of the document; 12000 by default")
        })
        .args(config::command_line_flags_of_tables(documents::CONFIG_FLAG_TABLES))
}

fn run_context_command(matches: &ArgMatches) -> ExitStatus {
    write_context_document(matches).unwrap_or_else(|exit| exit)
}

fn write_context_document(matches: &ArgMatches) -> Result<ExitStatus, ExitStatus> {
    let source = code_source_from_arguments(matches)?;
    let target = DocumentTarget::from_arguments(matches)?;
    let interrupt = InterruptListener::start_listening()?;
    let progress = ProgressOutput::start(&documents::first_step_of_source(&source));
    let subject = DocumentSource::open(&source, &interrupt, matches)?;
    let model = if is_command_line_flag_set(matches, "no_model") {
        None
    } else {
        let exchanges = ExchangeOptions { on_retry: Some(progress.retry_callback()), ..ExchangeOptions::default() };
        models::open_budgeted_model(&subject.settings, &exchanges, Mode::Pipeline, None, SpendingLimits::default())
            .map_err(|error| print_error_and_return_status(&error.to_string(), ExitStatus::BadUsage))?
    };
    let now = Timestamp::from_system_time(SystemTime::now());
    progress.follow_model(model.as_ref());
    let options = ScopeOptions {
        secrets: DocumentSource::secret_rules_from_arguments(matches),
        max_tokens: matches.get_one::<u32>("max_tokens").map(|tokens| *tokens as usize),
        stream: progress.is_terminal(),
        progress: Some(progress.progress_callback()),
        ..ScopeOptions::new(subject.origin(), now)
    };
    let generated = interrupt.run_until_interrupted(scope::write_repository_context_document(
        &subject.access,
        model.as_ref(),
        &options,
    ))?;
    let print_scope_failure =
        |error: scope::ScopeError| print_error_and_return_status(&error.to_string(), ExitStatus::Failure);
    let is_interrupted = interrupt.is_interrupted();
    let document = match generated {
        Some(generated) if !is_interrupted => generated.map_err(print_scope_failure)?,
        // An interrupted document is written without a model: only its summary needs one, and the rest is available at
        // once.
        _ if model.is_some() => {
            let access = subject.access.clone().with_cancellation(CancellationToken::default());
            let mut document = build_async_runtime_or_print_error()?
                .block_on(scope::write_repository_context_document(&access, None, &options))
                .map_err(print_scope_failure)?;
            document.front.incomplete =
                Some("the run was interrupted before a model had written its summary".to_owned());
            document
        }
        _ => return Err(print_error_and_return_status("interrupted: nothing was written", ExitStatus::Failure)),
    };
    drop(progress);
    let name = format!("context-{}.md", now.hhmmss());
    let Some(path) = subject.write_document_to_target(&document, &name, &target)?.as_deref().map(path_for_display)
    else {
        return Ok(ExitStatus::Answer);
    };
    let incomplete = document.front.incomplete.as_deref().map(mask_secrets);
    let out = if is_command_line_flag_set(matches, "json") {
        let answer = json!({ "path": path, "complete": incomplete.is_none(), "incomplete": incomplete });
        escape_control_characters_of_json(&format!("{answer}\n")).into_owned()
    } else {
        let incomplete_note = incomplete.as_ref().map(|reason| format!("not complete: {reason}\n")).unwrap_or_default();
        escape_control_characters(&format!("{path}\n{incomplete_note}")).into_owned()
    };
    let exit = print_to_stdout(out.as_bytes());
    Ok(if is_interrupted { ExitStatus::Failure } else { exit })
}
