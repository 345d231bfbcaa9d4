//! Answering a question with a document: the code shared by the pipeline and agent modes, and the partial document of a
//! run that ends early.
//!
//! [`write_document_with_model`] explores the code with the pipeline or the agent, requests the document from the
//! model, and verifies its citations. A run that has cost anything always produces a document: where a budget, an error
//! or the user ends the run, [`partial_document_of_interrupted_run`] writes a document from the [`Checkpoint`] and
//! marks it as incomplete.
//! [`write_document_without_model`] writes a document from the ranked files and symbols alone.

mod checkpoint;
mod context;
pub(crate) mod error;
pub(crate) mod findings;
mod forecast;
pub(crate) mod material;
pub(crate) mod options;
pub(crate) mod outcome;
mod partial;
mod progress;
pub(crate) mod promises;
mod refusals;
pub(crate) mod session;
mod writing;

use std::sync::Arc;

use peelback_code::CodeAccess;
use peelback_llm::BudgetedModel;

pub use checkpoint::{Checkpoint, CheckpointState};
pub use context::{
    OverviewCheckpoint, write_repository_context_document, write_repository_context_document_with_checkpoint,
};
pub use error::ScopeError;
pub use findings::{Findings, RequestedSymbol};
pub use forecast::{DryRun, forecast_run_cost};
pub use options::{Mode, Origin, ScopeOptions};
pub use outcome::Scoped;
pub use partial::partial_document_of_interrupted_run;
pub use progress::{Progress, WatchProgress};
pub use refusals::WithheldFileRecord;

use crate::citations;
use crate::document::Document;
use crate::evidence;
use crate::pipeline;

/// Answers `question` with a document that `model` writes after exploring the code.
///
/// Where the run ends early, after it has cost something or because of a budget, the document contains the findings so
/// far, and its front matter states why it is incomplete.
///
/// # Errors
/// [`ScopeError`], only where there are no findings for a document.
pub async fn write_document_with_model(
    access: &CodeAccess,
    question: &str,
    model: &Arc<BudgetedModel>,
    checkpoint: &Checkpoint,
    options: &ScopeOptions,
) -> Result<Scoped, ScopeError> {
    if question.trim().is_empty() {
        return Err(ScopeError::NoQuestion);
    }
    let access = &options.restrict_access_for_model(access);
    let session = session::DocumentRun { access, question, model, checkpoint, options };
    let explored = match options.mode {
        Mode::Pipeline => pipeline::explore_with_pipeline(&session).await?,
        Mode::Agent => session::explore_with_agent(&session).await,
    };
    let findings = explored.findings;
    session.save_findings(&findings);
    if let Some(error) = explored.failed {
        return partial::partial_document_after_error(&session, error);
    }
    match writing::write_and_verify_document(&session, &findings).await {
        Ok(document) => Ok(Scoped { document, failed: None }),
        Err(error) => partial::partial_document_after_error(&session, error),
    }
}

/// Writes an evidence document for `question` from the ranked files and symbols, without a model.
///
/// # Errors
/// [`ScopeError::Code`] where the project cannot be read, [`ScopeError::NoQuestion`] where the question is empty.
pub fn write_document_without_model(
    access: &CodeAccess,
    question: &str,
    options: &ScopeOptions,
) -> Result<Document, ScopeError> {
    if question.trim().is_empty() {
        return Err(ScopeError::NoQuestion);
    }
    let access = &options.restrict_access_for_model(access);
    let found = evidence::build_evidence_document(access, question, &options.evidence_options())?;
    let mut front = writing::common_front_matter(question, options);
    front.mode = Some("evidence".to_owned());
    front.files_analyzed = u32::try_from(found.files.len()).unwrap_or(u32::MAX);
    let mut document = Document { front, body: found.body };
    // The code references were read from the files just now. The hashes of the cited content are stored for a later
    // verification.
    document.front.citations = citations::entries_of_verified_or_repaired_references(&found.references, access);
    if !found.complete {
        let notes =
            if found.notes.is_empty() { "not every file could be ranked".to_owned() } else { found.notes.join("; ") };
        document.front.incomplete = Some(notes);
    }
    if document.front.citations.is_empty() {
        writing::add_incomplete_reasons(&mut document.front, [citations::NO_CITATION.to_owned()]);
    }
    Ok(document)
}
