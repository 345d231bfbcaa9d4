//! The generator of the documents that the tool `scope` returns: the fixed steps (pipeline) with the configured model,
//! or, without a model, the evidence alone, such as ranked files and outlines.

use std::sync::Arc;
use std::time::{Duration, SystemTime};

use peelback_agent::document::{CODE_REFERENCES, Document, Timestamp};
use peelback_agent::scope::{self, Checkpoint, Mode, Origin, ScopeOptions, Scoped};
use peelback_code::{CodeAccess, DocumentGenerator, ScopeQuestion, ScopedDocument, StopCause};
use peelback_llm::{BudgetedModel, ChatModel as _, RateLimiter};
use peelback_secrets::mask_secrets;

use crate::async_runtime::build_async_runtime;
use crate::config::Settings;
use crate::models::{self, ExchangeOptions};

/// The time before the deadline of a call that is reserved for writing the document.
const RESERVED_WRITING_TIME: Duration = Duration::from_secs(4);

/// Writes the documents of the tool `scope`, with the configured model, or, without a model, from the evidence alone.
#[derive(Default)]
pub(crate) struct ConfiguredDocumentGenerator {
    /// The settings that name the language model; `None` where no model is configured.
    settings: Option<Settings>,
    /// The limiter of tokens per minute that all calls of the server share.
    rate_limiter: Option<Arc<RateLimiter>>,
}

impl ConfiguredDocumentGenerator {
    /// Creates a document generator from the settings.
    pub fn new(settings: &Settings) -> Self {
        let settings = Some(settings.clone()).filter(|settings| settings.model.value.is_some());
        Self { rate_limiter: settings.as_ref().map(models::build_shared_rate_limiter), settings }
    }

    /// The language model for one call of the tool `scope`; each call has the whole budget.
    fn open_model_for_scope_call(&self) -> Result<Option<Arc<BudgetedModel>>, String> {
        let Some(settings) = &self.settings else { return Ok(None) };
        models::open_budgeted_model(settings, &ExchangeOptions::default(), Mode::Pipeline, self.rate_limiter.as_ref())
            .map_err(|error| error.to_string())
    }
}

impl ConfiguredDocumentGenerator {
    fn generate_scope_document(
        &self,
        access: &CodeAccess,
        scope_question: &ScopeQuestion<'_>,
        options: &ScopeOptions,
    ) -> Result<ScopedDocument, String> {
        let Some(model) = self.open_model_for_scope_call()? else {
            let document = scope::write_document_without_model(access, scope_question.question, options)
                .map_err(|error| error.to_string())?;
            return Ok(document_to_scope_tool_result(document, None, scope_question.max_tokens));
        };
        let document = write_document_with_model_before_deadline(access, scope_question.question, &model, options)?;
        Ok(document_to_scope_tool_result(document, Some(&model), scope_question.max_tokens))
    }
}

impl DocumentGenerator for ConfiguredDocumentGenerator {
    fn generate_document(
        &self,
        access: &CodeAccess,
        scope_question: &ScopeQuestion<'_>,
    ) -> Result<ScopedDocument, String> {
        let root = access.project().root();
        let name = root.file_name().map_or_else(String::new, |name| name.to_string_lossy().into_owned());
        let origin = Origin { source: root.display().to_string(), name, commit: None };
        let characters = self.settings.as_ref().map(models::character_limits_from_settings).unwrap_or_default();
        let options = ScopeOptions {
            scope: scope_question.scope.to_vec(),
            max_tokens: Some(scope_question.max_tokens),
            characters,
            ..ScopeOptions::new(origin, Timestamp::from_system_time(SystemTime::now()))
        };
        self.generate_scope_document(access, scope_question, &options)
            .map_err(|error| mask_secrets(&error).into_owned())
    }

    fn can_send_text_to_other_machine(&self) -> bool {
        self.settings.is_some()
    }
}

/// Writes a document with the model until it is complete, or until the deadline or cancellation of the call.
fn write_document_with_model_before_deadline(
    access: &CodeAccess,
    question: &str,
    model: &Arc<BudgetedModel>,
    options: &ScopeOptions,
) -> Result<Document, String> {
    let cancellation = access.project().cancellation();
    let checkpoint = Checkpoint::new();
    let runtime = build_async_runtime().map_err(|error| format!("no runtime: {error}"))?;
    let remaining_time = cancellation.time_left().map(|left| left.saturating_sub(RESERVED_WRITING_TIME));
    let outcome = runtime.block_on(async {
        let generation = scope::write_document_with_model(access, question, model, &checkpoint, options);
        let deadline_passed = async {
            match remaining_time {
                Some(left) => tokio::time::sleep(left).await,
                None => std::future::pending().await,
            }
        };
        // After a call has been cancelled, no further model requests are paid for.
        let call_cancelled = async {
            while cancellation.stop_cause() != Some(StopCause::Cancelled) {
                tokio::time::sleep(Duration::from_millis(100)).await;
            }
        };
        tokio::select! {
            scoped = generation => Ok(scoped),
            () = deadline_passed => Err("the time of the call was up"),
            () = call_cancelled => Err("the call was withdrawn"),
        }
    });
    match outcome {
        Ok(Ok(Scoped { document, .. })) => Ok(document),
        Ok(Err(error)) => Err(error.to_string()),
        Err(reason) => scope::partial_document_of_interrupted_run(
            access,
            question,
            model,
            &checkpoint.copy_stored_results(),
            options,
            reason,
        )
        .map_err(|error| format!("{reason}: {error} (spent: {})", model.spending())),
    }
}

/// Converts a document to the result of the tool `scope`, with its secrets masked as in a document that is written.
/// Sections are left out until it fits into `max_tokens` tokens.
fn document_to_scope_tool_result(
    mut document: Document,
    model: Option<&Arc<BudgetedModel>>,
    max_tokens: usize,
) -> ScopedDocument {
    document.body = mask_secrets(&document.body).into_owned();
    let citations = document.front.citations.len();
    let mut files: Vec<String> = Vec::new();
    for entry in &document.front.citations {
        if !files.contains(&entry.path) {
            files.push(entry.path.clone());
        }
    }
    let mut left_out = Vec::new();
    // The document's list of references is removed first, because it repeats citations of the text; then the other
    // sections, the last one first.
    while peelback_tokens::estimate_tokens(&document.body) > max_tokens {
        let sections = document.sections();
        let section_to_remove =
            sections.iter().rev().find(|section| section.heading == CODE_REFERENCES).or(sections.last());
        let Some(heading) = section_to_remove.map(|section| section.heading.clone()).filter(|_| sections.len() > 1)
        else {
            break;
        };
        document.set_section(&heading, "");
        left_out.push(heading);
    }
    let left_out = (!left_out.is_empty()).then(|| format!("left out to fit: {}", left_out.join(", ")));
    let reasons: Vec<String> = document.front.incomplete.take().into_iter().chain(left_out).collect();
    ScopedDocument {
        markdown: document.body,
        model: model.map(|model| model.name().to_owned()),
        spent: model.map(|model| model.spending().to_string()),
        incomplete: Some(mask_secrets(&reasons.join("; ")).into_owned()).filter(|reasons| !reasons.is_empty()),
        citations,
        files,
    }
}
