//! Rewriting by a model of the sections of a document that cite changed or deleted code.

use std::ops::Range;
use std::sync::Arc;

use peelback_code::CodeAccess;
use peelback_llm::{BudgetedModel, ChatError, ChatRequest, Message, Purpose, StopReason, ToolChoice};

use super::citation_edits::CitationEdits;
use super::sections::{BodySection, section_text_from_model_reply};
use crate::citations::{self, CitationEntry, Staleness};
use crate::disclosure::known_secrets_of_files;
use crate::document::{Document, clean_model_text};
use crate::excerpt::{file_outline_excerpt, lines_excerpt, symbol_excerpt};
use crate::fence::enclose_in_data_tags;
use crate::limits;
use crate::prompt;
use crate::scope::{Progress, ScopeError, ScopeOptions};

/// The number of file lines before and after the changed lines that the request to the model also contains.
const AROUND: u32 = 20;

/// The result of rewriting the stale sections of a document.
#[derive(Debug, Default)]
pub(super) struct Renewal {
    /// The byte range in the document's body of each rewritten section, with the section's new text.
    pub texts: Vec<(Range<usize>, String)>,
    /// The front matter entries for the citations in the new texts.
    pub entries: Vec<CitationEntry>,
    /// The sections that could not be rewritten, each with the reason.
    pub failed: Vec<String>,
    /// Messages about the rewritten sections, one line for each section.
    pub done: Vec<String>,
}

impl Renewal {
    /// Whether the byte offset `at` is inside a section that was rewritten.
    pub fn is_in_rewritten_section(&self, at: usize) -> bool {
        self.texts.iter().any(|(range, _)| range.contains(&at))
    }
}

/// The indexes of the outdated front matter entries that a section cites, without duplicates.
pub(super) fn outdated_entry_indexes_cited_in_section(part: &BodySection, places: &CitationEdits) -> Vec<usize> {
    let mut numbers = Vec::new();
    for (at, number) in &places.outdated {
        if part.content.contains(at) && !numbers.contains(number) {
            numbers.push(*number);
        }
    }
    numbers
}

/// Asks the model to rewrite each section that cites an outdated entry.
///
/// # Errors
/// [`ScopeError::Model`] if the model cannot be called and no call has cost anything. A section whose call fails later,
/// or for which the reply is unusable, is listed in [`Renewal::failed`].
pub(super) async fn rewrite_stale_sections(
    document: &Document,
    parts: &[BodySection],
    places: &CitationEdits,
    entries: &[(CitationEntry, Staleness)],
    access: &CodeAccess,
    model: &Arc<BudgetedModel>,
    options: &ScopeOptions,
) -> Result<Renewal, ScopeError> {
    let mut renewal = Renewal::default();
    // The message of an error that would recur for every further section. After it, no further model calls are made.
    let mut broken: Option<String> = None;
    for part in parts.iter().filter(|part| !part.is_citation_list()) {
        let about = outdated_entry_indexes_cited_in_section(part, places);
        if about.is_empty() {
            continue;
        }
        if let Some(reason) = &broken {
            renewal.failed.push(format!("{}: no longer requested ({reason})", part.name_for_messages()));
            continue;
        }
        if let Some(watch) = &options.progress {
            watch(&Progress::Phase {
                name: "writing",
                detail: part.name_for_messages().to_owned(),
                spent: model.spending(),
            });
        }
        let about = about.iter().filter_map(|number| entries.get(*number)).map(|(entry, _)| entry);
        let now: String =
            about.map(|entry| format!("{}\n", fenced_current_excerpt_of_entry(entry, access, options))).collect();
        // The text of the section in which moved citations are updated and marks are removed.
        let text = clean_model_text(&citations::text_range_with_edits_applied(
            &document.body,
            part.content.clone(),
            places.moves.clone(),
        ));
        match request_rewritten_section(document, part, &text, &now, model, options).await {
            Ok(text) => {
                let checked = citations::check_and_repair_citations(&text, access);
                renewal.entries.extend(checked.citation_entries_for_front_matter());
                let marked = checked.verdict_counts().2;
                let marks = if marked > 0 { format!(", {marked} of its citations marked") } else { String::new() };
                renewal.done.push(format!("{}: written anew{marks}", part.name_for_messages()));
                renewal.texts.push((
                    part.content.clone(),
                    surround_section_with_blank_lines(&document.body, part, &checked.text),
                ));
            }
            Err(error) => {
                let spent = model.spending();
                let is_paid = spent.calls > 0 || spent.possibly_billed > 0;
                if !is_paid && !matches!(error, ChatError::Budget(_)) {
                    return Err(ScopeError::Model { error, spent: Box::new(spent) });
                }
                renewal.failed.push(format!("{}: {error}", part.name_for_messages()));
                // An unusable reply or a section that is too long for the model does not affect other sections. All
                // other errors would recur.
                if !matches!(error, ChatError::Form { .. } | ChatError::ContextTooLong { .. }) {
                    broken = Some(error.to_string());
                }
            }
        }
    }
    Ok(renewal)
}

async fn request_rewritten_section(
    document: &Document,
    part: &BodySection,
    text: &str,
    now: &str,
    model: &BudgetedModel,
    options: &ScopeOptions,
) -> Result<String, ChatError> {
    let redacted = |text: &str| options.secrets.redact(text).into_owned();
    let question = redacted(&document.front.scope_question);
    let request = ChatRequest {
        system: prompt::section_rewrite_system_prompt(&options.origin.name),
        messages: vec![Message::new_user_message(prompt::section_rewrite_user_message(
            &question,
            &redacted(part.heading.as_deref().unwrap_or("none: it stands before the first heading")),
            &redacted(text),
            now,
        ))],
        tool_choice: ToolChoice::None,
        max_output_tokens: limits::WRITING_OUTPUT_TOKENS / 2,
        ..ChatRequest::default()
    };
    let reply = model.complete_for_purpose(Purpose::LastAnswer, &request, None).await?;
    let form = |reason: &str| Err(ChatError::Form { reason: reason.to_owned() });
    match reply.stop {
        StopReason::Refusal => return form("the model declined"),
        StopReason::Length => return form("the model's reply was cut at its limit"),
        StopReason::ToolCalls => return form("the model called a tool, but has none"),
        StopReason::End | StopReason::Other(_) => {}
    }
    match section_text_from_model_reply(&options.secrets.redact(&reply.message.text), part.heading.as_deref()) {
        Some(text) => Ok(text),
        None => form("the model wrote no text of a section"),
    }
}

/// The new text of a section, with the empty lines that separate it from the text before and after it.
fn surround_section_with_blank_lines(body: &str, part: &BodySection, text: &str) -> String {
    let before = match body.get(..part.content.start) {
        None | Some("") => "",
        Some(before) if before.ends_with('\n') => "\n",
        Some(_) => "\n\n",
    };
    let after = if part.content.end >= body.len() { "\n" } else { "\n\n" };
    format!("{before}{}{after}", text.trim_matches('\n').trim_end())
}

/// The current source code at the lines of a citation entry, enclosed in a fence.
fn fenced_current_excerpt_of_entry(entry: &CitationEntry, access: &CodeAccess, options: &ScopeOptions) -> String {
    let most = limits::EXPLORATION_FILE_CHARS;
    let symbol = entry.symbol.as_deref().and_then(|name| symbol_excerpt(access, &entry.path, name, most).ok());
    let lines = || {
        let lines = entry.lines?;
        let (first, last) = (lines.first.saturating_sub(AROUND).max(1), lines.last.saturating_add(AROUND));
        lines_excerpt(access, &entry.path, first, last, most).ok()
    };
    match symbol.or_else(lines).or_else(|| file_outline_excerpt(access, &entry.path, most).ok()) {
        Some(excerpt) => {
            let label = format!("{}, which the section cites as {}", excerpt.path, entry.format_location());
            let known = known_secrets_of_files(access, [excerpt.path.as_str()]);
            enclose_in_data_tags(&label, &options.secrets.redact_excerpt(&excerpt.text, &known))
        }
        None => enclose_in_data_tags("a citation whose file no longer exists", &entry.format_location()),
    }
}
