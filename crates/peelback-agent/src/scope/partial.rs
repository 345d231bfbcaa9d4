//! The documents of runs that ended early.

use peelback_code::CodeAccess;
use peelback_llm::{BudgetedModel, ChatError};

use super::checkpoint::CheckpointState;
use super::error::ScopeError;
use super::findings::Findings;
use super::options::ScopeOptions;
use super::outcome::Scoped;
use super::session::DocumentRun;
use super::writing;
use crate::citations;
use crate::document::{CODE_REFERENCES, Document, escape_comment_openings};
use crate::evidence;

/// The minimum number of bytes of a partly written document that is used: about a heading and a sentence.
const LEAST_TEXT: usize = 200;

/// The document of an interrupted run, with the reason why it is incomplete.
///
/// Where the model had begun to write, the document contains that text with verified citations. Otherwise it contains
/// the insights of the exploration, followed by the evidence that a run without a model finds.
///
/// # Errors
/// [`ScopeError::Code`] where the project cannot be read.
pub fn partial_document_of_interrupted_run(
    access: &CodeAccess,
    question: &str,
    model: &BudgetedModel,
    state: &CheckpointState,
    options: &ScopeOptions,
    reason: &str,
) -> Result<Document, ScopeError> {
    partial_document_from_restricted_access(
        &options.restrict_access_for_model(access),
        question,
        model,
        state,
        options,
        reason,
    )
}

/// The document of a run that ended with `error`. The error itself is returned where nothing was spent and no budget
/// ended the run.
///
/// # Errors
/// [`ScopeError`] where there is no document.
pub(super) fn partial_document_after_error(session: &DocumentRun<'_>, error: ChatError) -> Result<Scoped, ScopeError> {
    let spent = session.model.spending();
    let is_budget = matches!(error, ChatError::Budget(_));
    if !is_budget && !session.may_have_spent_tokens() {
        return Err(ScopeError::Model { error, spent: Box::new(spent) });
    }
    let document = partial_document_from_restricted_access(
        session.access,
        session.question,
        session.model,
        &session.checkpoint.copy_stored_results(),
        session.options,
        &error.to_string(),
    )?;
    Ok(Scoped { document, failed: Some(error).filter(|_| !is_budget) })
}

/// The partial document of an unfinished run, written from `access`, which hides files with secrets.
fn partial_document_from_restricted_access(
    access: &CodeAccess,
    question: &str,
    model: &BudgetedModel,
    state: &CheckpointState,
    options: &ScopeOptions,
    reason: &str,
) -> Result<Document, ScopeError> {
    let mut findings = Findings { unfinished: Some(reason.to_owned()), ..state.findings.clone() };
    if findings.open_questions.is_empty() {
        findings.open_questions.push(question.to_owned());
    }
    let front = writing::common_front_matter(question, options);
    let files = findings.files.len();
    let text = writing::drop_last_line_and_close_fence(&state.text);
    let has_text = text.len() >= LEAST_TEXT;
    let mut document = if has_text {
        writing::checked_document_from_model_text(access, &text, &findings, options, front)
    } else {
        let found = evidence::build_evidence_document(access, question, &options.evidence_options())?;
        let mut document = Document { front, body: found.body };
        let insights = findings.latest_insights_within_limit();
        if insights.is_empty() {
            // A document without insights is identical to one that is written without a model.
            document.front.mode = Some("evidence".to_owned());
        } else {
            let insights = options.secrets.redact(&insights).into_owned();
            let checked = citations::check_and_repair_citations(
                &escape_comment_openings(&convert_headings_to_paragraphs(&insights)),
                access,
            );
            let found = document.body.replacen("## Summary", "## What Was Found Without a Model", 1);
            document.body = format!(
                "## Summary\n\nThe run ended before the document was written. What the model had found by then:\n\n{}\n\n{found}",
                checked.text.trim(),
            );
        }
        let mut entries = citations::entries_of_verified_or_repaired_references(&findings.references, access);
        entries.extend(citations::entries_of_verified_or_repaired_references(&found.references, access));
        let list = document.section_text(CODE_REFERENCES).is_some();
        document.mark_incomplete(reason, &findings.open_questions);
        if list || !entries.is_empty() {
            document.set_section(CODE_REFERENCES, "");
            writing::set_document_citations(&mut document, entries);
        }
        document
    };
    writing::record_model_files_and_cost(&mut document, model, files);
    // Evidence is made from the files, not from what the model was shown.
    writing::record_left_out(&mut document, options, if has_text { &state.left_out } else { &[] });
    Ok(document)
}

/// Converts the headings in the model's insights to plain paragraphs, because they would look like sections of the
/// document.
fn convert_headings_to_paragraphs(text: &str) -> String {
    text.lines().map(|line| line.trim_start_matches('#').trim_start()).collect::<Vec<_>>().join("\n")
}
