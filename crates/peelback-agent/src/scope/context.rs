//! The overview document of a whole repository, for the command `context`.

use std::sync::{Arc, Mutex, PoisonError};

use peelback_code::CodeAccess;
use peelback_llm::{BudgetedModel, ChatError, ChatRequest, Message, Purpose, StopReason, ToolChoice};

use super::error::ScopeError;
use super::options::ScopeOptions;
use super::writing;
use crate::citations;
use crate::document::Document;
use crate::fence::enclose_in_data_tags;
use crate::overview::{self, Overview, OverviewOptions};
use crate::prompt;

/// The maximum number of tokens of the summary that a model writes.
const SUMMARY_TOKENS: u32 = 1_500;

/// The overview document as it was before a model was asked for the summary. It is stored outside the run, so that a run
/// that is interrupted while the model writes ends with it, and no file is read a second time.
#[derive(Debug, Default)]
pub struct OverviewCheckpoint(Mutex<Option<Document>>);

impl OverviewCheckpoint {
    /// An empty checkpoint for a new run.
    pub fn new() -> Self {
        Self::default()
    }

    /// Takes the stored document; `None` where the run has not come so far.
    pub fn take_document(&self) -> Option<Document> {
        // What a thread stored before it panicked can be used.
        self.0.lock().unwrap_or_else(PoisonError::into_inner).take()
    }

    fn store_document(&self, document: Document) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Some(document);
    }
}

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
    write_repository_context_document_with_checkpoint(access, model, &OverviewCheckpoint::new(), options).await
}

/// Writes the overview document of a whole repository as [`write_repository_context_document`] does. Before a model is
/// asked, `checkpoint` gets the document that is written without one.
///
/// # Errors
/// [`ScopeError::Code`] where the project cannot be read.
pub async fn write_repository_context_document_with_checkpoint(
    access: &CodeAccess,
    model: Option<&Arc<BudgetedModel>>,
    checkpoint: &OverviewCheckpoint,
    options: &ScopeOptions,
) -> Result<Document, ScopeError> {
    let access = &options.restrict_access_for_model(access);
    let asked = OverviewOptions {
        max_tokens: options.max_tokens,
        redact: options.evidence_options().redact,
        ..OverviewOptions::default()
    };
    let made = overview::build_overview_document(access, &asked)?;
    let Some(model) = model else { return Ok(document_of_overview(made, None, None, access, options)) };
    checkpoint.store_document(document_of_overview(made.clone(), None, None, access, options));
    match ask_model_for_repository_summary(model, &made.body, options).await {
        Ok(text) => {
            let text = citations::check_and_repair_citations(&options.secrets.redact(&text), access).text;
            let made = overview::build_overview_document(access, &OverviewOptions { summary: Some(text), ..asked })?;
            Ok(document_of_overview(made, Some(model), None, access, options))
        }
        Err(error) => {
            let failed = format!("no summary by a model: {error}");
            Ok(document_of_overview(made, Some(model), Some(failed), access, options))
        }
    }
}

/// The document of an overview, whose summary `model` wrote unless it `failed`.
fn document_of_overview(
    made: Overview,
    model: Option<&Arc<BudgetedModel>>,
    failed: Option<String>,
    access: &CodeAccess,
    options: &ScopeOptions,
) -> Document {
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
    if model.is_some() && failed.is_none() {
        // The rest of the document was read from the files. The summary is looked at as it stands there, cut to its
        // part of the budget.
        let summary = document.section_text("Summary").unwrap_or_default().to_owned();
        let cited = citations::check_and_repair_citations(&summary, access).citation_entries_for_front_matter();
        document.front.citations.extend(cited);
        let entries = std::mem::take(&mut document.front.citations);
        document.front.citations = citations::merge_redundant_citation_entries(entries);
        let left_out = citations::keep_most_citations(&mut document.front.citations, 0);
        gaps = left_out.into_iter().chain(citations::summary_gaps(&summary, access)).collect();
    } else if document.front.citations.is_empty() {
        gaps.push(citations::NO_CITATION.to_owned());
    }
    writing::add_incomplete_reasons(&mut document.front, failed.into_iter().chain(made.notes).chain(gaps));
    document
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
