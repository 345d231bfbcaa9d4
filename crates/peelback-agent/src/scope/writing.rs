//! The model call that writes the document, and the verification of its result.

use peelback_code::CodeAccess;
use peelback_llm::{
    BudgetedModel, ChatError, ChatModel as _, ChatRequest, Message, Purpose, StopReason, TextCallback, ToolChoice,
};

use peelback_tokens::text::{collapse_and_trim_whitespace, first_chars};

use super::findings::Findings;
use super::material::{Material, select_writing_material};
use super::options::{Origin, ScopeOptions};
use super::progress::Progress;
use super::session::DocumentRun;
use crate::citations::{self, CheckedDocument, CitationEntry};
use crate::document::{CODE_REFERENCES, Document, FrontMatter, KEY_FILES, OPEN_QUESTIONS};
use crate::limits;
use crate::prompt;

/// The minimum number of tokens of code excerpts from which a model can write a document.
const LEAST_MATERIAL_TOKENS: u64 = 500;

/// The maximum number of attempts to fit the request for writing the document to the budget.
const FITTINGS: usize = 6;

/// The model request for writing the document, and the code excerpts in it.
pub(crate) struct WritingRequest {
    pub request: ChatRequest,
    pub material: Material,
}

/// The request for writing the document that fits the budget for this last model call: with the longest reply that leaves
/// the code that was promised whole, and else with the most code.
///
/// # Errors
/// [`ChatError::Budget`] where the budget allows no such request.
pub(crate) fn longest_fitting_writing_request(
    access: &CodeAccess,
    question: &str,
    findings: &Findings,
    options: &ScopeOptions,
    model: &BudgetedModel,
) -> Result<WritingRequest, ChatError> {
    // The reply may be long if the budget allows. Otherwise it is limited to the output tokens that the budget reserves
    // for it, and at last the notes are shortened, too: promised code comes before both.
    let shortest = shortest_document_output_tokens(model);
    let mut outputs = vec![limits::WRITING_OUTPUT_TOKENS, limits::WRITING_OUTPUT_TOKENS / 2];
    outputs.retain(|output| *output > shortest);
    outputs.push(shortest);
    let attempts = outputs.into_iter().map(|output| (output, None));
    let attempts = attempts.chain([(shortest, Some(limits::WRITING_NOTES_TOKENS))]);
    let mut most_code = None;
    for (output, max_notes) in attempts {
        let room = model.available_input_tokens(Purpose::LastAnswer, output);
        let request = |material: &Material| {
            let words = prompt::document_writing_user_message(question, findings, material, max_notes);
            document_writing_request(options, words, output)
        };
        let Some(made) = fitting_writing_request(access, findings, options, room, &request) else { continue };
        if made.material.has_all_promised {
            return Ok(made);
        }
        most_code = Some(made);
    }
    most_code
        .ok_or_else(|| ChatError::Budget("the budget leaves no room for the call that writes the document".to_owned()))
}

/// The request of at most `room` tokens with as much code as fits; `None` where too little code fits.
fn fitting_writing_request(
    access: &CodeAccess,
    findings: &Findings,
    options: &ScopeOptions,
    room: u64,
    request_with: &dyn Fn(&Material) -> ChatRequest,
) -> Option<WritingRequest> {
    let mut chars = usize::try_from(room).unwrap_or(usize::MAX).saturating_mul(limits::CHARS_PER_TOKEN * 2);
    for left in (0..FITTINGS).rev() {
        let material = select_writing_material(access, findings, options, chars);
        let request = request_with(&material);
        let tokens = peelback_llm::count_request_tokens(&request);
        if tokens <= room {
            let is_empty = material.text.is_empty() && !findings.files.is_empty();
            return (!is_empty).then_some(WritingRequest { request, material });
        }
        let over = usize::try_from(tokens - room).unwrap_or(usize::MAX);
        let cut = over.saturating_mul(limits::CHARS_PER_TOKEN).max(400);
        let shorter = material.text.chars().count().min(chars).saturating_sub(cut);
        // A text with many tokens for its characters is cut by more than is over: promised code is kept for a try.
        let promised = material.promised_chars;
        let cuts_promised = shorter < promised || left == 1;
        chars = if promised > 0 && promised < chars && cuts_promised { promised } else { shorter };
        if (chars as u64) < LEAST_MATERIAL_TOKENS * limits::CHARS_PER_TOKEN as u64 && chars != promised {
            break;
        }
    }
    None
}

/// The limit on the output tokens of the shortest document for which a budget leaves room in any case.
pub(crate) fn shortest_document_output_tokens(model: &BudgetedModel) -> u32 {
    u32::try_from(model.limits().reserve.output).unwrap_or(u32::MAX).min(limits::WRITING_OUTPUT_TOKENS)
}

/// The number of tokens of the request that writes the document without its code and its notes.
pub(crate) fn tokens_around_code_and_notes(question: &str, options: &ScopeOptions) -> u64 {
    let (findings, material) = (Findings::default(), Material::default());
    let words = prompt::document_writing_user_message(question, &findings, &material, None);
    peelback_llm::count_request_tokens(&document_writing_request(options, words, limits::WRITING_OUTPUT_TOKENS))
}

fn document_writing_request(options: &ScopeOptions, words: String, output: u32) -> ChatRequest {
    ChatRequest {
        system: prompt::document_writing_system_prompt(&options.origin.name),
        messages: vec![Message::new_user_message(words)],
        tools: Vec::new(),
        tool_choice: ToolChoice::None,
        output: None,
        max_output_tokens: output,
    }
}

/// Requests the document from the model, and verifies the citations in the model's text.
///
/// # Errors
/// The error of the model or the budget. The checkpoint contains the text written before the error.
pub(crate) async fn write_and_verify_document(
    session: &DocumentRun<'_>,
    findings: &Findings,
) -> Result<Document, ChatError> {
    let made =
        longest_fitting_writing_request(session.access, session.question, findings, session.options, session.model)?;
    session.report_phase("writing", format!("from {}", format_count_with_plural(made.material.files.len(), "file")));
    session.checkpoint.begin_document(&made.material.left_out);
    let watch = |piece: &str| {
        session.checkpoint.append_document_text(piece);
        if let Some(watch) = &session.options.progress {
            watch(&Progress::Piece(piece));
        }
    };
    // The reply is streamed even without a progress callback: the checkpoint stores the pieces, so that an interrupted
    // run keeps them.
    let watch: TextCallback<'_> = &watch;
    let reply = session.model.complete_for_purpose(Purpose::LastAnswer, &made.request, Some(watch)).await?;
    let mut text = reply.message.text;
    let mut unfinished = findings.unfinished.clone();
    match reply.stop {
        StopReason::Refusal => {
            let words = text.trim();
            let words = if words.is_empty() { String::new() } else { format!(": {words}") };
            return Err(ChatError::Form { reason: format!("the model declined to write the document{words}") });
        }
        StopReason::Length => {
            let most = made.request.max_output_tokens;
            unfinished.get_or_insert(format!("the model's reply was cut at its limit (at most {most} tokens)"));
            text = drop_last_line_and_close_fence(&text);
        }
        _ => {}
    }
    if text.trim().is_empty() {
        return Err(ChatError::Form { reason: "the model wrote nothing".to_owned() });
    }
    session.report_phase("checking", "every citation against the files");
    let mut findings = Findings { unfinished, ..findings.clone() };
    // The model cannot have verified references to files that its request did not contain.
    findings.references.retain(|place| made.material.files.contains(&place.path));
    let mut document = checked_document_from_model_text(
        session.access,
        &text,
        &findings,
        session.options,
        common_front_matter(session.question, session.options),
    );
    record_model_files_and_cost(&mut document, session.model, made.material.files.len());
    record_left_out(&mut document, session.options, &made.material.left_out);
    Ok(document)
}

/// The front matter with the values that all documents have in common.
pub(crate) fn common_front_matter(question: &str, options: &ScopeOptions) -> FrontMatter {
    let Origin { source, commit, .. } = &options.origin;
    FrontMatter {
        source_repo: source.clone(),
        scope_question: question.to_owned(),
        scan_date: options.now.rfc3339(),
        model_used: "none".to_owned(),
        mode: Some(options.mode.as_str().to_owned()),
        commit: commit.clone(),
        ..FrontMatter::default()
    }
}

/// Records the model, its tokens, its cost and the ceiling in a document's front matter. A model that gave no reply
/// contributed nothing, and is not named.
pub(crate) fn record_model_files_and_cost(document: &mut Document, model: &BudgetedModel, files: usize) {
    let spent = model.spending();
    let front = &mut document.front;
    front.files_analyzed = u32::try_from(files).unwrap_or(u32::MAX);
    front.ceiling = model.ceiling_in_words();
    front.possibly_billed_tokens = Some(spent.possibly_billed).filter(|tokens| *tokens > 0);
    front.input_tokens = Some(spent.usage.input);
    front.output_tokens = Some(spent.usage.output);
    front.cost_usd = spent.cost;
    front.model_used = if spent.calls > 0 { model.name() } else { "none" }.to_owned();
}

/// Records in a document's front matter what was left out: the withheld files that were requested by name, and
/// `not_shown`, which did not fit into the model's request.
pub(crate) fn record_left_out(document: &mut Document, options: &ScopeOptions, not_shown: &[String]) {
    let withheld: Vec<String> = options
        .refusals
        .withheld_files_with_reasons()
        .into_iter()
        .map(|(path, reason)| format!("{path} ({reason})"))
        .collect();
    let mut parts = Vec::new();
    if !withheld.is_empty() {
        parts.push(format!("withheld: {}", join_first_items_and_omitted_count(&withheld)));
    }
    if !not_shown.is_empty() {
        parts.push(format!("not shown to the model: {}", join_first_items_and_omitted_count(not_shown)));
    }
    document.front.left_out = (!parts.is_empty()).then(|| parts.join("; "));
}

/// Adds `reasons` to the reason why a document is incomplete.
pub(crate) fn add_incomplete_reasons(front: &mut FrontMatter, reasons: impl IntoIterator<Item = String>) {
    let all: Vec<String> = front.incomplete.take().into_iter().chain(reasons).filter(|text| !text.is_empty()).collect();
    front.incomplete = (!all.is_empty()).then(|| all.join("; "));
}

/// Converts a model's text to a document: masks secrets, verifies the citations, repairs or marks wrong citations, and
/// derives the list of code references from the citations.
pub(crate) fn checked_document_from_model_text(
    access: &CodeAccess,
    text: &str,
    findings: &Findings,
    options: &ScopeOptions,
    front: FrontMatter,
) -> Document {
    let text = options.secrets.redact(text);
    let mut document = Document::from_model_text(front, &text);
    // The model's own list of code references is unverified. The list that is derived from verified citations replaces
    // it.
    document.set_section(CODE_REFERENCES, "");
    if document.section_text("Summary").is_none() {
        document.body = format!("## Summary\n\n{}", document.body.trim_start());
    }
    let CheckedDocument { text, citations, unchecked } = citations::check_and_repair_citations(&document.body, access);
    document.body = text;
    let mut entries: Vec<CitationEntry> = citations.into_iter().filter_map(|checked| checked.entry).collect();
    entries.extend(verified_citation_entries_of_findings(access, findings));
    set_document_citations(&mut document, entries);
    let gaps = citations::citation_gaps(&document.body, access);
    if document.section_text(KEY_FILES).is_none() {
        let rows: Vec<String> = format_key_file_list(&document.front.citations);
        if !rows.is_empty() {
            let refs = document.section_text(CODE_REFERENCES).unwrap_or("").to_owned();
            document.set_section(CODE_REFERENCES, "");
            document.set_section(KEY_FILES, &rows.join("\n"));
            document.set_section(CODE_REFERENCES, &refs);
        }
    }
    match &findings.unfinished {
        Some(reason) => document.mark_incomplete(reason, &findings.open_questions),
        None => append_open_questions(&mut document, &findings.open_questions),
    }
    add_incomplete_reasons(&mut document.front, unchecked.into_iter().chain(gaps));
    document
}

/// Appends the open questions of the exploration to the document's section of open questions.
fn append_open_questions(document: &mut Document, questions: &[String]) {
    if questions.is_empty() {
        return;
    }
    let mut text = document.section_text(OPEN_QUESTIONS).unwrap_or("").to_owned();
    for question in questions {
        let line = format!("- {}", format_open_question_line(question));
        if !text.contains(&line) {
            text = format!("{text}\n{line}");
        }
    }
    let references = document.section_text(CODE_REFERENCES).unwrap_or("").to_owned();
    document.set_section(CODE_REFERENCES, "");
    document.set_section(OPEN_QUESTIONS, text.trim());
    document.set_section(CODE_REFERENCES, &references);
}

/// The maximum number of characters of an open question in the document.
const MAX_QUESTION_CHARS: usize = 300;

/// An open question on one line of at most [`MAX_QUESTION_CHARS`] characters, without control characters.
fn format_open_question_line(text: &str) -> String {
    let plain = text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect::<String>();
    first_chars(&collapse_and_trim_whitespace(&plain), MAX_QUESTION_CHARS).to_owned()
}

/// Converts the code references of the findings that are correct or could be repaired to citation entries with hashes
/// of the cited content.
fn verified_citation_entries_of_findings(access: &CodeAccess, findings: &Findings) -> Vec<CitationEntry> {
    citations::entries_of_verified_or_repaired_references(&findings.references, access)
}

/// Sets the document's list of citations. Of entries with the same path and first line, only one is kept.
pub(crate) fn set_document_citations(document: &mut Document, entries: Vec<CitationEntry>) {
    let mut entries = citations::merge_redundant_citation_entries(entries);
    let left_out = citations::keep_most_citations(&mut entries, 0);
    add_incomplete_reasons(&mut document.front, left_out);
    document.set_section(CODE_REFERENCES, citations::format_code_reference_list(&entries).trim_end());
    document.front.citations = entries;
}

/// The Markdown list items of the key files: one item for each cited file, with the first citation of the file.
fn format_key_file_list(entries: &[CitationEntry]) -> Vec<String> {
    let mut seen = std::collections::HashSet::new();
    let first = entries.iter().filter(|entry| seen.insert(entry.path.as_str()));
    first
        .map(|entry| match (&entry.symbol, entry.description.as_str()) {
            (_, description) if !description.is_empty() => format!("- `{}` - {description}", entry.format_location()),
            (Some(symbol), _) => format!("- `{}` - `{symbol}`", entry.format_location()),
            (None, _) => format!("- `{}`", entry.format_location()),
        })
        .collect()
}

fn format_count_with_plural(number: usize, unit: &str) -> String {
    format!("{number} {unit}{}", if number == 1 { "" } else { "s" })
}

/// Joins the first eight items of a list to one text, and adds the number of omitted items.
fn join_first_items_and_omitted_count(items: &[String]) -> String {
    const SHOWN: usize = 8;
    let shown = items.get(..items.len().min(SHOWN)).unwrap_or(items).join("; ");
    let more = items.len().saturating_sub(SHOWN);
    if more > 0 { format!("{shown}; and {more} more") } else { shown }
}

/// A model's text without its last line, which a limit may have cut in the middle. An open code block is closed.
pub(super) fn drop_last_line_and_close_fence(text: &str) -> String {
    let end = text.rfind('\n').unwrap_or(text.len());
    let mut whole = text.get(..end).unwrap_or(text).to_owned();
    // An unclosed code block would swallow the text that follows.
    if whole.lines().filter(|line| line.trim_start().starts_with("```")).count() % 2 == 1 {
        whole.push_str("\n```");
    }
    whole
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_document_with_too_many_citations_can_be_read_again() {
        let entry = |number: usize| CitationEntry {
            path: format!("src/f{number}.py"),
            lines: None,
            symbol: None,
            description: "a file".to_owned(),
            hash: None,
            file_hash: "0".to_owned(),
        };
        let front = FrontMatter { mode: Some("pipeline".to_owned()), ..FrontMatter::default() };
        let mut document = Document { front, body: "## Summary\n\nMuch.\n".to_owned() };
        set_document_citations(&mut document, (0..citations::MAX_CITATIONS + 20).map(entry).collect());
        assert_eq!(
            document.front.incomplete.as_deref(),
            Some("20 citations were left out of the list: a document has at most 10000")
        );
        let again = Document::parse(&document.render()).expect("a document");
        assert_eq!(again.front.citations.len(), citations::MAX_CITATIONS);
    }
}
