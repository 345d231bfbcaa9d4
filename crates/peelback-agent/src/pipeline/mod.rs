//! The pipeline mode, which explores the code for a question in fixed steps. A ranking proposes files, and a model that
//! sees their outlines requests the relevant symbols, in at most two rounds. The document is written from these
//! symbols.
//!
//! A run makes two model calls where the first exploration round suffices, and three otherwise. [`crate::limits`]
//! bounds each request.

mod candidate_list;
mod file_tree;
mod outlines;
mod reply;
mod rounds;

use peelback_llm::{ChatError, ChatRequest};

use crate::limits;
use crate::retrieval::{RetrievalOptions, retrieve_for_question};
use crate::scope::error::ScopeError;
use crate::scope::findings::Findings;
use crate::scope::options::ScopeOptions;
use crate::scope::outcome::Explored;
use crate::scope::session::DocumentRun;
pub use reply::ExplorationReply;
use reply::RequestedNames;
use rounds::{FirstRoundParts, FirstRoundResult};

/// The reason why a document is incomplete whose exploration would have needed a further round.
const NOT_SEEN_ENOUGH: &str = "the exploration ended before it had seen enough";

/// Explores the code for a session with at most two model calls, and returns the findings.
///
/// # Errors
/// [`ScopeError::Code`] where the project cannot be read; [`ScopeError::Model`] where the first model call fails before
/// the run has cost anything.
pub(crate) async fn explore_with_pipeline(session: &DocumentRun<'_>) -> Result<Explored, ScopeError> {
    session.report_phase("discovery", "files ranked for the question, without a model");
    let retrieved = retrieve_for_question(session.access, session.question, &retrieval_options(session.options))?;
    let mut findings = Findings::default();
    if retrieved.candidates.is_empty() {
        findings.add_insight("The repository does not contain the words of the question.");
        findings.open_questions.push(session.question.to_owned());
    }
    let most_chars = session.options.characters.exploration;
    let mut parts = FirstRoundParts::new(session.access, session.question, &retrieved, session.options);
    let first = rounds::round_with_longest_affordable_request(session, most_chars, |chars| parts.round(chars));
    let shown = first.outlined.len();
    session.report_phase("exploration", format!("the outlines of {shown} of {} files", retrieved.candidates.len()));
    let reply = match rounds::request_exploration_reply(session, &first.request).await {
        Ok(reply) => reply,
        Err(error) => return rounds::result_after_failed_first_request(session, &retrieved, findings, error),
    };
    let named = RequestedNames::resolve_from_reply(&reply, session.access, &first.outlined);
    named.add_names_and_reply_to_findings(&mut findings, &reply, session.access);
    session.save_findings(&findings);
    session.report_step("first round", &named.preview_of_requested_names());
    if !reply.sufficient_context {
        let shown = FirstRoundResult { retrieved: &retrieved, findings: &findings, named: &named, chars: first.chars };
        let second = rounds::round_with_longest_affordable_request(session, most_chars, |chars| {
            rounds::build_second_exploration_round(session, &shown, chars)
        });
        findings.promised.clone_from(&second.promised);
        session.report_phase("exploration", format!("second round: {}", second.what));
        for name in &second.bodies {
            session.report_step(&format!("read {name}"), "");
        }
        match rounds::request_exploration_reply(session, &second.request).await {
            Ok(reply) => {
                let mut outlined = first.outlined;
                outlined.extend(second.outlined);
                let named = RequestedNames::resolve_from_reply(&reply, session.access, &outlined);
                named.add_names_and_reply_to_findings(&mut findings, &reply, session.access);
                if !reply.sufficient_context {
                    findings.unfinished = Some(NOT_SEEN_ENOUGH.to_owned());
                    let why = reply.reasoning.trim();
                    findings.open_questions.push(format!("The exploration ended before it had seen enough: {why}"));
                    findings.open_questions.extend(named.missing_names_as_questions());
                }
                session.save_findings(&findings);
                session.report_step("second round", &named.preview_of_requested_names());
            }
            // The findings of the first exploration round are enough for a document.
            Err(error @ (ChatError::Budget(_) | ChatError::Form { .. })) => {
                findings.unfinished = Some(format!("the second round of exploration: {error}"));
            }
            Err(error) => return Ok(Explored { findings, failed: Some(error) }),
        }
    }
    if findings.files.is_empty() {
        rounds::add_best_ranked_to_findings(&retrieved, &mut findings);
    }
    Ok(Explored { findings, failed: None })
}

/// The first request that a pipeline run would send, for a cost forecast.
///
/// # Errors
/// [`ScopeError::Code`] where the project cannot be read.
pub(crate) fn first_pipeline_request_and_findings(
    access: &peelback_code::CodeAccess,
    question: &str,
    options: &ScopeOptions,
) -> Result<(ChatRequest, Findings), ScopeError> {
    let retrieved = retrieve_for_question(access, question, &retrieval_options(options))?;
    let mut findings = Findings::default();
    rounds::add_best_ranked_to_findings(&retrieved, &mut findings);
    let mut parts = FirstRoundParts::new(access, question, &retrieved, options);
    Ok((parts.round(options.characters.exploration).request, findings))
}

fn retrieval_options(options: &ScopeOptions) -> RetrievalOptions {
    RetrievalOptions {
        files: limits::CANDIDATES,
        passages: limits::PASSAGES,
        scope: options.scope.clone(),
        ..RetrievalOptions::default()
    }
}
