//! The overview document of a whole repository, for the command `context`.

use std::sync::Arc;

use peelback_code::CodeAccess;
use peelback_llm::{BudgetedModel, ChatError, ChatRequest, Message, Purpose, StopReason, ToolChoice};

use super::error::ScopeError;
use super::options::ScopeOptions;
use super::writing;
use crate::citations;
use crate::document::Document;
use crate::fence::enclose_in_data_tags;
use crate::overview::{self, OverviewOptions};
use crate::prompt;

/// The maximum number of tokens of the summary that a model writes.
const SUMMARY_TOKENS: u32 = 1_500;

/// Writes the overview document of a whole repository, with a prose summary where a model is available.
///
/// If the model fails, only the summary is missing, and the document says so.
///
/// # Errors
/// [`ScopeError::Code`] where the project cannot be read.
pub async fn write_repository_context_document(
    access: &CodeAccess,
    model: Option<&Arc<BudgetedModel>>,
    options: &ScopeOptions,
) -> Result<Document, ScopeError> {
    let access = &options.restrict_access_for_model(access);
    let asked = OverviewOptions {
        max_tokens: options.max_tokens,
        redact: options.evidence_options().redact,
        ..OverviewOptions::default()
    };
    let mut made = overview::build_overview_document(access, &asked)?;
    let mut failed = None;
    let mut has_summary = false;
    if let Some(model) = model {
        match ask_model_for_repository_summary(model, &made.body, options).await {
            Ok(text) => {
                has_summary = true;
                let text = citations::check_and_repair_citations(&options.secrets.redact(&text), access).text;
                made = overview::build_overview_document(access, &OverviewOptions { summary: Some(text), ..asked })?;
            }
            Err(error) => failed = Some(format!("no summary by a model: {error}")),
        }
    }
    let mut front = writing::common_front_matter("", options);
    front.mode = Some("context".to_owned());
    front.files_analyzed = u32::try_from(made.files.len()).unwrap_or(u32::MAX);
    let mut document = Document { front, body: made.body };
    if let Some(model) = model {
        writing::record_model_files_and_cost(&mut document, model, made.files.len());
    }
    writing::record_left_out(&mut document, options, &[]);
    document.front.citations = citations::entries_of_verified_or_repaired_references(&made.references, access);
    let mut gaps = Vec::new();
    if has_summary {
        // The rest of the document was read from the files. The summary is looked at as it stands there, cut to its
        // part of the budget.
        let summary = document.section_text("Summary").unwrap_or_default().to_owned();
        let cited = citations::check_and_repair_citations(&summary, access).citation_entries_for_front_matter();
        document.front.citations.extend(cited);
        let entries = std::mem::take(&mut document.front.citations);
        document.front.citations = citations::merge_redundant_citation_entries(entries);
        gaps = citations::summary_gaps(&summary, access);
    } else if document.front.citations.is_empty() {
        gaps.push(citations::NO_CITATION.to_owned());
    }
    writing::add_incomplete_reasons(&mut document.front, failed.into_iter().chain(made.notes).chain(gaps));
    Ok(document)
}

async fn ask_model_for_repository_summary(
    model: &BudgetedModel,
    body: &str,
    options: &ScopeOptions,
) -> Result<String, ChatError> {
    let request = ChatRequest {
        system: prompt::repository_summary_system_prompt(&options.origin.name),
        messages: vec![Message::new_user_message(enclose_in_data_tags("the document", body))],
        tool_choice: ToolChoice::None,
        max_output_tokens: SUMMARY_TOKENS,
        ..ChatRequest::default()
    };
    let reply = model.complete_for_purpose(Purpose::LastAnswer, &request, None).await?;
    let text = reply.message.text.trim();
    match reply.stop {
        StopReason::Refusal => Err(ChatError::Form { reason: "the model declined".to_owned() }),
        _ if text.is_empty() => Err(ChatError::Form { reason: "the model wrote nothing".to_owned() }),
        _ => Ok(text.to_owned()),
    }
}
