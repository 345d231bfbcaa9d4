//! `peelback scope`: answers a question about the code in a document.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::SystemTime;

use clap::builder::PossibleValuesParser;
use clap::{Arg, ArgMatches, Command};
use peelback_agent::document::{Document, DocumentError, MAX_DOCUMENT_BYTES, Timestamp, document_file_name};
use peelback_agent::scope::{self, Checkpoint, Mode, ScopeError, ScopeOptions, Scoped};
use peelback_agent::source::Source;
use peelback_agent::stale::{self, Refreshed, StalenessReport};
use peelback_code::{
    CancellationToken, SpendingLimits, escape_control_characters, escape_control_characters_of_json,
    read_text_file_following_links,
};
use peelback_llm::{BudgetedModel, ChatModel as _};
use peelback_secrets::mask_secrets;
use serde_json::json;

use crate::arguments::command_line_path_value_parser;
use crate::config;
use crate::documents::{
    self, DocumentSource, DocumentTarget, code_source_from_arguments, flag_values, is_command_line_flag_set,
    path_for_display,
};
use crate::exit::{
    ExitStatus, print_error_and_return_status, print_note_to_stderr, print_text_to_stdout, print_to_stdout,
};
use crate::interrupt::InterruptListener;
use crate::models::{self, ExchangeOptions};
use crate::non_tool_command::{CommandRunner, NonToolCommand};
use crate::progress_output::ProgressOutput;
use crate::question_file;

pub(super) const COMMAND: NonToolCommand = NonToolCommand {
    name: "scope",
    build_grammar: scope_command_grammar,
    runner: CommandRunner::WithMatches(run_scope_command),
};

const HELP: &str = "\
Without a model the document is the evidence: ranked files, outlines, the best bodies. With one (--model, or the
configuration), a pipeline of two or three calls or an agent with tools explores, the model writes, and every citation is
checked against the files.

A run that has cost $2.00 ends with what there is by then; where the model's price is not known, one that has used
1,000,000 tokens. --max-cost and --max-total-tokens set other ceilings, --max-cost 0 lifts this one. The document goes to
contexts/REPOSITORY/ below the working folder, or where -o says; nothing else is written.

Examples:
  peelback scope -q 'How are requests retried?'
  peelback scope https://github.com/OWNER/NAME#v1.2 -q 'Where is the configuration read?' -o -
  peelback scope . -q 'How does login work?' --model anthropic/claude-sonnet-4-5 --max-cost 0.50
  peelback scope . -q 'How does login work?' --model ollama/qwen3 --dry-run
  peelback scope --check contexts/shop/scope-how-does-login-work-101500.md

Exit codes: 0 a document, 1 nothing found or citations that are stale, 2 bad usage, 3 failure or interrupted (with what
there was by then).";

fn scope_command_grammar() -> Command {
    Command::new("scope")
        .about("Answers a question about a code base with a document whose citations are checked")
        .after_help(HELP)
        .args(documents::arguments_of_document_writing_commands())
        .args(documents::flags_of_document_tool(COMMAND.name))
        .arg(
            Arg::new("question_file")
                .long("question-file")
                .value_parser(command_line_path_value_parser())
                .value_name("FILE")
                .conflicts_with("question")
                .help("A file with the question, - for the standard input"),
        )
        .mut_arg("mode", |mode| mode.value_parser(PossibleValuesParser::new(["pipeline", "agent"])))
        .mut_arg("max_tokens", |tokens| {
            tokens
                .value_parser(clap::value_parser!(u32).range(250..))
                .help("Tokens of a document that is written without a model; 8000 by default")
        })
        .mut_arg("turns", |turns| turns.value_parser(clap::value_parser!(u16).range(1..=200)))
        .mut_arg("check", |check| {
            check.value_parser(clap::value_parser!(PathBuf)).conflicts_with_all([
                "question",
                "question_file",
                "refresh",
            ])
        })
        .mut_arg("refresh", |refresh| {
            refresh.value_parser(clap::value_parser!(PathBuf)).conflicts_with_all(["question", "question_file"])
        })
        .arg(
            Arg::new("record")
                .long("record")
                .value_parser(clap::value_parser!(PathBuf))
                .value_name("FILE")
                .help("Writes every exchange with the model to a new file"),
        )
        .arg(
            Arg::new("replay")
                .long("replay")
                .value_parser(clap::value_parser!(PathBuf))
                .value_name("FILE")
                .conflicts_with("record")
                .help("Takes the model's replies from a recording, and sends nothing"),
        )
        .args(config::command_line_flags_of_tables(documents::CONFIG_FLAG_TABLES))
}

fn run_scope_command(matches: &ArgMatches) -> ExitStatus {
    write_check_or_refresh_scope_document(matches).unwrap_or_else(|exit| exit)
}

fn write_check_or_refresh_scope_document(matches: &ArgMatches) -> Result<ExitStatus, ExitStatus> {
    let stored_document = matches.get_one::<PathBuf>("check").or_else(|| matches.get_one::<PathBuf>("refresh"));
    if let Some(path) = stored_document {
        return check_or_refresh_document(path, matches);
    }
    let question = question_from_arguments(matches)?;
    let source = code_source_from_arguments(matches)?;
    let target = DocumentTarget::from_arguments(matches)?;
    let interrupt = InterruptListener::start_listening()?;
    let progress = ProgressOutput::start(&documents::first_step_of_source(&source));
    let subject = DocumentSource::open(&source, &interrupt, matches)?;
    let (options, model) = build_scope_options_and_model(&subject, &progress, matches)?;
    if is_command_line_flag_set(matches, "dry_run") {
        return print_dry_run_forecast(&subject, &question, model.as_deref(), &options, matches);
    }
    let Some(model) = model else {
        if options.mode == Mode::Agent {
            print_note_to_stderr("no model is configured: this is the evidence, without an agent");
        }
        let document =
            scope::write_document_without_model(&subject.access, &question, &options).map_err(print_scope_error)?;
        if interrupt.is_interrupted() {
            return Err(print_error_and_return_status("interrupted: nothing was written", ExitStatus::Failure));
        }
        if document.front.files_analyzed == 0 {
            // With no file found, the command prints a summary instead of writing an empty document.
            let text = document.section_text("Summary").unwrap_or("nothing was found").to_owned();
            print_text_to_stdout(&format!("{}\n", mask_secrets(&text)));
            return Ok(ExitStatus::NothingFound);
        }
        return write_and_report_document(&subject, &document, &question, &options, &target, matches);
    };
    let checkpoint = Checkpoint::new();
    let run = scope::write_document_with_model(&subject.access, &question, &model, &checkpoint, &options);
    let scoped = interrupt.run_until_interrupted(run)?;
    let (document, failure) = match scoped {
        Some(Ok(Scoped { document, failed })) if !interrupt.is_interrupted() => {
            (document, failed.map(|error| error.to_string()))
        }
        Some(Err(error)) if !interrupt.is_interrupted() => return Err(print_scope_error(error)),
        _ => {
            let reason = "the run was interrupted";
            // The interrupted run's token stays cancelled; writing the partial document needs file access, so it gets a
            // new token.
            let access = subject.access.clone().with_cancellation(CancellationToken::default());
            let partial = scope::partial_document_of_interrupted_run(
                &access,
                &question,
                &model,
                &checkpoint.copy_stored_results(),
                &options,
                reason,
            );
            (partial.map_err(print_scope_error)?, Some(reason.to_owned()))
        }
    };
    drop(progress);
    let exit = write_and_report_document(&subject, &document, &question, &options, &target, matches)?;
    match failure {
        Some(reason) => {
            let spent = model.spending();
            Ok(print_error_and_return_status(
                &format!("{reason} (spent: {spent}); the document has what there was by then"),
                ExitStatus::Failure,
            ))
        }
        None => Ok(exit),
    }
}

/// The options of a run of `peelback scope`, and the language model where one is configured.
fn build_scope_options_and_model(
    subject: &DocumentSource,
    progress: &ProgressOutput,
    matches: &ArgMatches,
) -> Result<(ScopeOptions, Option<Arc<BudgetedModel>>), ExitStatus> {
    let settings = &subject.settings;
    let mode = match matches.get_one::<String>("mode").map(String::as_str) {
        Some("agent") => Mode::Agent,
        _ => Mode::Pipeline,
    };
    let file = |name: &str| matches.get_one::<PathBuf>(name).map(PathBuf::as_path);
    let model = if is_command_line_flag_set(matches, "no_model") {
        None
    } else {
        let exchanges = ExchangeOptions {
            record_file: file("record"),
            replay_file: file("replay"),
            is_dry_run: is_command_line_flag_set(matches, "dry_run"),
            on_retry: Some(progress.retry_callback()),
        };
        models::open_budgeted_model(settings, &exchanges, mode, None, SpendingLimits::default())
            .map_err(|error| print_error_and_return_status(&error.to_string(), ExitStatus::BadUsage))?
    };
    if model.is_some()
        && !subject.opened.is_near
        && let Some(document) = &subject.opened.from_document
    {
        let (document, named) = (document.display(), &subject.opened.source);
        let advice =
            format!("{document} names {named} as its source: only you can decide whether that may be sent to a model");
        return Err(print_error_and_return_status(
            &format!("{advice}: name it yourself, as SOURCE, or give --no-model"),
            ExitStatus::BadUsage,
        ));
    }
    progress.follow_model(model.as_ref());
    let mut within = flag_values(matches, "scope");
    within.extend(subject.opened.within.clone());
    let default_options = ScopeOptions::new(subject.origin(), Timestamp::from_system_time(SystemTime::now()));
    let options = ScopeOptions {
        mode,
        secrets: DocumentSource::secret_rules_from_arguments(matches),
        scope: within,
        max_tokens: matches.get_one::<u32>("max_tokens").map(|tokens| *tokens as usize),
        system_prompt: settings.system_prompt_mode.value,
        documentation: settings.tool_documentation_mode.value,
        characters: models::character_limits_from_settings(settings),
        max_turns: matches.get_one::<u16>("turns").map_or(default_options.max_turns, |turns| usize::from(*turns)),
        stream: progress.is_terminal(),
        progress: Some(progress.progress_callback()),
        ..default_options
    };
    Ok((options, model))
}

fn question_from_arguments(matches: &ArgMatches) -> Result<String, ExitStatus> {
    if let Some(file) = matches.get_one::<String>("question_file") {
        return question_file::read_question_file(file)
            .map_err(|error| print_error_and_return_status(&error, ExitStatus::BadUsage));
    }
    match matches.get_one::<String>("question") {
        Some(question) => Ok(question.clone()),
        None => Err(print_error_and_return_status("no question: ask with -q 'How does … work?'", ExitStatus::BadUsage)),
    }
}

fn print_scope_error(error: ScopeError) -> ExitStatus {
    let exit = match &error {
        ScopeError::Code(error) => error.category().into(),
        ScopeError::Model { .. } => ExitStatus::Failure,
        ScopeError::NoQuestion => ExitStatus::BadUsage,
    };
    print_error_and_return_status(&error.to_string(), exit)
}

/// Writes a document to its target, and prints its path, its number of citations and its summary.
fn write_and_report_document(
    subject: &DocumentSource,
    document: &Document,
    question: &str,
    options: &ScopeOptions,
    target: &DocumentTarget,
    matches: &ArgMatches,
) -> Result<ExitStatus, ExitStatus> {
    let front = &document.front;
    // What is printed of a document is masked as the document is.
    let incomplete = front.incomplete.as_deref().map(mask_secrets);
    let is_json = is_command_line_flag_set(matches, "json");
    let path = if is_json && *target == DocumentTarget::StandardOutput {
        None
    } else {
        let path = subject.write_document_to_target(document, &document_file_name(question, options.now), target)?;
        match path.as_deref().map(path_for_display) {
            Some(path) => Some(path),
            None => return Ok(ExitStatus::Answer),
        }
    };
    let out = if is_json {
        let answer = json!({
            "path": path,
            "document": path.is_none().then(|| document.render()),
            "mode": front.mode,
            "model": front.model_used,
            "complete": incomplete.is_none(),
            "incomplete": incomplete,
            "citations": front.citations.len(),
            "files": front.files_analyzed,
            "input_tokens": front.input_tokens,
            "output_tokens": front.output_tokens,
            "cost_usd": front.cost_usd,
        });
        escape_control_characters_of_json(&format!("{answer}\n")).into_owned()
    } else {
        let mut out = format!("{}\n", path.unwrap_or_default());
        let cost = match (front.input_tokens, front.output_tokens, front.cost_usd) {
            (Some(input), Some(output), Some(cost)) => format!("; {input} tokens in, {output} out, ${cost:.4}"),
            (Some(input), Some(output), None) => format!("; {input} tokens in, {output} out, cost unknown"),
            _ => String::new(),
        };
        let files = format_count_with_unit(front.files_analyzed as usize, "file");
        let citations = format_count_with_unit(front.citations.len(), "citation");
        let author =
            if front.model_used == "none" { "without a model".to_owned() } else { format!("by {}", front.model_used) };
        let _ = writeln!(out, "{citations} from {files}, {author}{cost}");
        if let Some(reason) = &incomplete {
            let _ = writeln!(out, "not complete: {reason}");
        }
        if let Some(summary) = document.section_text("Summary") {
            let _ = write!(out, "\n{}\n", mask_secrets(summary));
        }
        escape_control_characters(&out).into_owned()
    };
    Ok(print_to_stdout(out.as_bytes()))
}

/// A number with its unit, in the singular or plural.
fn format_count_with_unit(number: usize, unit: &str) -> String {
    format!("{number} {unit}{}", if number == 1 { "" } else { "s" })
}

fn print_dry_run_forecast(
    subject: &DocumentSource,
    question: &str,
    model: Option<&BudgetedModel>,
    options: &ScopeOptions,
    matches: &ArgMatches,
) -> Result<ExitStatus, ExitStatus> {
    let Some(model) = model else {
        let out = "no model is configured: nothing would be sent, and it would cost nothing\n";
        return Ok(print_to_stdout(out.as_bytes()));
    };
    let prices = models::load_model_prices(&subject.settings)
        .map_err(|error| print_error_and_return_status(&error.to_string(), ExitStatus::BadUsage))?;
    let plan =
        scope::forecast_run_cost(&subject.access, question, model, &prices, options).map_err(print_scope_error)?;
    let forecast = &plan.forecast;
    let out = if is_command_line_flag_set(matches, "json") {
        let answer = json!({
            "model": forecast.model,
            "calls": forecast.calls,
            "input_tokens": forecast.input_tokens,
            "max_output_tokens": forecast.max_output_tokens,
            "max_cost_usd": forecast.max_cost,
            "basis": plan.basis,
            "first_request": plan.first,
        });
        escape_control_characters_of_json(&format!("{answer}\n")).into_owned()
    } else {
        let mut out = format!(
            "nothing was sent. At most this would be sent to {}:\n{forecast}\n({})\n",
            model.name(),
            plan.basis
        );
        let _ = write!(out, "\nThe first request:\n\n[system]\n{}\n", plan.first.system);
        for message in &plan.first.messages {
            if let peelback_llm::Message::User { text } = message {
                let _ = write!(out, "\n[user]\n{text}\n");
            }
        }
        if !plan.first.tools.is_empty() {
            let names: Vec<&str> = plan.first.tools.iter().map(|tool| tool.name.as_str()).collect();
            let _ = write!(out, "\n[tools] {}\n", names.join(", "));
        }
        escape_control_characters(&out).into_owned()
    };
    Ok(print_to_stdout(out.as_bytes()))
}

/// Runs `peelback scope --check` or `peelback scope --refresh` on the existing document at `path`.
fn check_or_refresh_document(path: &Path, matches: &ArgMatches) -> Result<ExitStatus, ExitStatus> {
    let text = read_text_file_following_links(path, MAX_DOCUMENT_BYTES).map_err(|error| {
        print_error_and_return_status(&format!("cannot read {}: {error}", path.display()), ExitStatus::BadUsage)
    })?;
    let document = Document::parse(&text).map_err(|error| {
        let error = match error {
            DocumentError::StoredCitations(_) => format!("{}: {error}", path.display()),
            _ => format!("{} is not a scope document: {error}", path.display()),
        };
        print_error_and_return_status(&error, ExitStatus::BadUsage)
    })?;
    let source = match matches.value_source("source") {
        Some(clap::parser::ValueSource::CommandLine) => code_source_from_arguments(matches)?,
        _ => Source::ContextDocument(path.to_owned()),
    };
    let target = DocumentTarget::from_arguments(matches)?;
    let interrupt = InterruptListener::start_listening()?;
    let progress = ProgressOutput::start(&documents::first_step_of_source(&source));
    let subject = DocumentSource::open(&source, &interrupt, matches)?;
    let stale = stale::check_citation_staleness(&document, &subject.access);
    if interrupt.is_interrupted() {
        return Err(print_error_and_return_status("interrupted: the document was not changed", ExitStatus::Failure));
    }
    if matches.get_one::<PathBuf>("check").is_some() {
        return Ok(print_citation_staleness_report(&stale, matches));
    }
    if is_command_line_flag_set(matches, "dry_run") {
        let model = subject.settings.model.value.as_deref().filter(|_| !is_command_line_flag_set(matches, "no_model"));
        let mut out = "nothing was sent or written\n".to_owned();
        let lines = stale::describe_planned_refresh(&document, &stale, &subject.access, model);
        if lines.is_empty() {
            out.push_str("nothing is stale\n");
        }
        for line in lines {
            let _ = writeln!(out, "{line}");
        }
        return Ok(print_text_to_stdout(&out));
    }
    // Checks the output file before the model is called, so that no paid work is lost.
    if let Some(output) = matches.get_one::<PathBuf>("output").filter(|output| output.is_file()) {
        let error = format!("{} already exists: choose another file", output.display());
        return Err(print_error_and_return_status(&error, ExitStatus::BadUsage));
    }
    let (options, model) = build_scope_options_and_model(&subject, &progress, matches)?;
    let run = stale::refresh_document(&document, &stale, &subject.access, model.as_ref(), &options);
    let refreshed = interrupt.run_until_interrupted(run)?;
    let refreshed = match refreshed {
        Some(Ok(refreshed)) => refreshed,
        Some(Err(error)) => return Err(print_scope_error(error)),
        None => {
            return Err(print_error_and_return_status(
                "interrupted: the document was not changed",
                ExitStatus::Failure,
            ));
        }
    };
    let written_path = match matches.get_one::<PathBuf>("output") {
        Some(_) => {
            let name = path.file_name().map_or_else(|| "document.md".into(), |name| name.to_string_lossy());
            subject.write_document_to_target(&refreshed.document, &name, &target)?
        }
        None => {
            if refreshed.is_changed {
                peelback_agent::document::replace_document_file(path, &text, &refreshed.document)
                    .map_err(|error| print_error_and_return_status(&error.to_string(), ExitStatus::Failure))?;
            }
            Some(path.to_owned())
        }
    };
    let exit = match written_path {
        Some(written) => print_refresh_report(&refreshed, &path_for_display(&written), matches),
        // The document was printed to standard output, so there is no report.
        None => ExitStatus::Answer,
    };
    match &refreshed.failed {
        Some(reason) => {
            let spent = model.map(|model| format!(" (spent: {})", model.spending())).unwrap_or_default();
            Ok(print_error_and_return_status(
                &format!("not all was renewed: {reason}{spent}; the document says so"),
                ExitStatus::Failure,
            ))
        }
        None => Ok(exit),
    }
}

/// Prints which parts of a document were refreshed, and which citations are still stale.
fn print_refresh_report(refreshed: &Refreshed, path: &str, matches: &ArgMatches) -> ExitStatus {
    let Refreshed { is_changed, left, .. } = refreshed;
    let done: Vec<_> = refreshed.done.iter().map(|line| mask_secrets(line)).collect();
    let failed = refreshed.failed.as_deref().map(mask_secrets);
    let out = if is_command_line_flag_set(matches, "json") {
        let answer = json!({ "path": path, "changed": is_changed, "done": done, "stale": left, "failed": failed });
        escape_control_characters_of_json(&format!("{answer}\n")).into_owned()
    } else {
        let mut out = format!("{path}\n");
        if !is_changed {
            let unchanged_reason = if left.is_empty() { "nothing is stale" } else { "nothing else could be renewed" };
            let _ = writeln!(out, "{unchanged_reason}: the document was not changed");
        }
        for line in done {
            let _ = writeln!(out, "{line}");
        }
        for citation in left {
            let _ = writeln!(out, "still stale: {citation}");
        }
        escape_control_characters(&out).into_owned()
    };
    print_to_stdout(out.as_bytes())
}

/// Prints the state of each citation of a document, and the present location of the cited code where that differs.
fn print_citation_staleness_report(stale: &StalenessReport, matches: &ArgMatches) -> ExitStatus {
    let rows = stale.citation_status_rows();
    let stale_count = rows.iter().filter(|row| row.is_stale).count();
    let out = if is_command_line_flag_set(matches, "json") {
        let rows: Vec<_> =
            rows.iter().map(|row| json!({ "citation": row.citation, "state": row.state, "now": row.now })).collect();
        let answer = json!({ "total": rows.len(), "stale": stale_count, "citations": rows });
        escape_control_characters_of_json(&format!("{answer}\n")).into_owned()
    } else {
        let citations = if rows.len() == 1 { "citation" } else { "citations" };
        let mut out = format!("{} {citations}, {stale_count} stale\n", rows.len());
        for row in &rows {
            let now = row.now.as_ref().map(|now| format!(", now {now}")).unwrap_or_default();
            let _ = writeln!(out, "{}: {}{now}", row.citation, row.state);
        }
        escape_control_characters(&out).into_owned()
    };
    match print_to_stdout(out.as_bytes()) {
        ExitStatus::Answer if stale_count > 0 => ExitStatus::NothingFound,
        exit => exit,
    }
}
