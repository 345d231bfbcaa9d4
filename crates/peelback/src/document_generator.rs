//! The generator of the documents that the tools of the server return: with the configured model, or, without one, from
//! the evidence alone, such as ranked files and outlines. It also checks and renews written documents.

mod folders;
mod run;
mod sources;
mod written;

use std::path::PathBuf;
use std::sync::Arc;
use std::time::SystemTime;

use peelback_agent::document::{CODE_REFERENCES, Document, Timestamp, document_file_name};
use peelback_agent::scope::{self, Checkpoint, Mode, OverviewCheckpoint, ScopeOptions, Scoped};
use peelback_agent::stale;
use peelback_code::{
    CodeAccess, DocumentGenerationError, DocumentGenerator, DocumentPurpose, DocumentRequest, ExplorationMode,
    GeneratedDocument, Project, StopCause,
};
use peelback_llm::{BudgetedModel, ChatModel as _, RateLimiter};
use peelback_secrets::mask_secrets;

use crate::config::Settings;
use crate::models::{self, ExchangeOptions};
use folders::{Destination, DocumentFolders};
use run::{run_until_stopped, step_reporter};
use sources::OpenedSource;
use written::WrittenDocument;

/// Writes the documents of the server's tools, with the configured model, or, without a model, from the evidence alone.
#[derive(Default)]
pub(crate) struct ConfiguredDocumentGenerator {
    settings: Settings,
    /// The limiter of tokens per minute that all calls of the server share; `None` where no model is configured.
    rate_limiter: Option<Arc<RateLimiter>>,
    folders: DocumentFolders,
}

impl ConfiguredDocumentGenerator {
    /// Creates a document generator from the settings of a server that serves `root`, beside the folders of its settings.
    pub fn new(settings: &Settings, root: Option<&PathBuf>) -> Self {
        let folders: Vec<PathBuf> = root.into_iter().chain(&settings.allow_roots.value).cloned().collect();
        let own_root = Project::discover(root.map(PathBuf::as_path), None).ok();
        Self {
            rate_limiter: settings.model.value.as_ref().map(|_| models::build_shared_rate_limiter(settings)),
            settings: settings.clone(),
            folders: DocumentFolders::new(own_root.as_ref().map(Project::root), &folders),
        }
    }

    fn has_model(&self) -> bool {
        self.settings.model.value.is_some()
    }

    /// The language model for one request, which has the whole budget, or what the request leaves of it.
    fn open_model_for_request(
        &self,
        request: &DocumentRequest<'_>,
    ) -> Result<Option<Arc<BudgetedModel>>, DocumentGenerationError> {
        if request.is_without_model || !self.has_model() {
            return Ok(None);
        }
        let exchanges = ExchangeOptions { is_dry_run: request.is_dry_run, ..ExchangeOptions::default() };
        let (mode, rate_limiter) = (mode_of(request), self.rate_limiter.as_ref());
        models::open_budgeted_model(&self.settings, &exchanges, mode, rate_limiter, request.spending)
            .map_err(|error| DocumentGenerationError::new_failure(error.to_string()))
    }

    /// Where the request has its document written, if anywhere; known before anything is paid for.
    fn destination_of_request(
        &self,
        access: &CodeAccess,
        request: &DocumentRequest<'_>,
    ) -> Result<Option<Destination>, DocumentGenerationError> {
        let writes = request.output.is_some() || matches!(request.purpose, DocumentPurpose::Refresh(_));
        if writes && !request.is_dry_run && !self.can_write_files() {
            return Err(DocumentGenerationError::new_bad_usage(
                "this server writes no files",
                "leave out output; whoever starts the server can allow it with --write-documents",
            ));
        }
        let root = access.project().root();
        match (request.output, request.purpose) {
            _ if request.is_dry_run => Ok(None),
            (_, DocumentPurpose::Check(_)) => Ok(None),
            (Some(output), _) => self.folders.destination(root, output).map(Some),
            (None, DocumentPurpose::Refresh(path)) => {
                self.folders.require_replaceable_document(root, path).map(|()| None)
            }
            (None, _) => Ok(None),
        }
    }

    fn scope_options(
        &self,
        source: &OpenedSource,
        request: &DocumentRequest<'_>,
        destination: Option<&Destination>,
    ) -> ScopeOptions {
        let mut within = request.scope.to_vec();
        within.extend(source.within.clone());
        let default_options = ScopeOptions::new(source.origin(), Timestamp::from_system_time(SystemTime::now()));
        // A written document has the size that it has on the command line, where the answer shows less of it.
        let default_tokens = match request.purpose {
            DocumentPurpose::Repository => peelback_agent::overview::DEFAULT_MAX_TOKENS,
            _ => peelback_agent::evidence::DEFAULT_MAX_TOKENS,
        };
        let max_tokens = match destination {
            Some(_) => request.max_tokens.max(default_tokens),
            None => request.max_tokens,
        };
        ScopeOptions {
            mode: mode_of(request),
            scope: within,
            max_tokens: Some(max_tokens),
            system_prompt: self.settings.system_prompt_mode.value,
            documentation: self.settings.tool_documentation_mode.value,
            characters: models::character_limits_from_settings(&self.settings),
            max_turns: request.max_turns.unwrap_or(default_options.max_turns).clamp(1, MAX_TURNS),
            progress: Some(step_reporter(source.access.project().cancellation())),
            ..default_options
        }
    }

    fn write_new_document(
        &self,
        access: &CodeAccess,
        request: &DocumentRequest<'_>,
    ) -> Result<GeneratedDocument, DocumentGenerationError> {
        let destination = self.destination_of_request(access, request)?;
        let source = OpenedSource::open(access, request, &self.folders, self.settings.clone_sources.value)?;
        let options = self.scope_options(&source, request, destination.as_ref());
        let model = self.open_model_for_request(request)?;
        let document = match request.purpose {
            DocumentPurpose::Question(question) if request.is_dry_run => {
                return self.forecast(&source, question, model.as_deref(), &options);
            }
            DocumentPurpose::Question(question) => match &model {
                Some(model) => answer_with_model(&source.access, question, model, &options)?,
                None => scope::write_document_without_model(&source.access, question, &options)
                    .map_err(|error| DocumentGenerationError::new_failure(error.to_string()))?,
            },
            _ => describe_repository(&source.access, model.as_ref(), &options)?,
        };
        let file_name = match request.purpose {
            DocumentPurpose::Question(question) => document_file_name(question, options.now),
            _ => format!("context-{}.md", options.now.hhmmss()),
        };
        require_not_withdrawn(access)?;
        let has_content = document.front.files_analyzed > 0;
        let written = destination.map(|destination| match has_content {
            true => {
                let root = access.project().root();
                let path = self.folders.write_document(root, &destination, &options.origin.name, &file_name, &document);
                path.map_err(|error| error.to_string())
            }
            false => Err("nothing was found".to_owned()),
        });
        let mut result = document_to_tool_result(document, model.as_ref(), request.max_tokens);
        match written {
            None => {}
            Some(Ok(path)) => result.written_path = Some(folders::path_for_answer(access.project().root(), &path)),
            // The document may have been paid for, so that it is answered all the same.
            Some(Err(error)) => {
                let reasons = result.incomplete.take().into_iter().chain([format!("not written: {error}")]);
                result.incomplete = Some(reasons.collect::<Vec<String>>().join("; "));
            }
        }
        Ok(result)
    }

    /// What a run for `question` would send, and what it would cost at most.
    fn forecast(
        &self,
        source: &OpenedSource,
        question: &str,
        model: Option<&BudgetedModel>,
        options: &ScopeOptions,
    ) -> Result<GeneratedDocument, DocumentGenerationError> {
        let Some(model) = model else {
            let headline = Some("no model is used: nothing would be sent, and it would cost nothing".to_owned());
            return Ok(GeneratedDocument { headline, ..GeneratedDocument::default() });
        };
        let failure = |error: &dyn std::fmt::Display| DocumentGenerationError::new_failure(error.to_string());
        let prices = models::load_model_prices(&self.settings).map_err(|error| failure(&error))?;
        let plan = scope::forecast_run_cost(&source.access, question, model, &prices, options)
            .map_err(|error| failure(&error))?;
        let mut markdown =
            format!("{}\n\n({})\n\n## The first request\n\n{}\n", plan.forecast, plan.basis, plan.first.system);
        for message in &plan.first.messages {
            if let peelback_llm::Message::User { text } = message {
                markdown.push_str(&format!("\n{text}\n"));
            }
        }
        let headline = Some(format!("nothing was sent; at most the following would be sent to {}", model.name()));
        Ok(GeneratedDocument { markdown, headline, ..GeneratedDocument::default() })
    }

    /// Checks or renews a document that was written before.
    fn check_or_refresh(
        &self,
        access: &CodeAccess,
        request: &DocumentRequest<'_>,
        path: &str,
    ) -> Result<GeneratedDocument, DocumentGenerationError> {
        let root = access.project().root();
        let destination = self.destination_of_request(access, request)?;
        let (real, text, document) = self.folders.read_document(root, path)?;
        let source = OpenedSource::open(access, request, &self.folders, self.settings.clone_sources.value)?;
        let stale = stale::check_citation_staleness(&document, &source.access);
        if let Some(cause) = source.access.project().cancellation().stop_cause() {
            return Err(DocumentGenerationError::new_failure(format!("{path}: {}", cause.as_str())));
        }
        let shown_path = folders::path_for_answer(root, &real);
        let written = WrittenDocument {
            path: &real,
            shown_path: &shown_path,
            text: &text,
            document: &document,
            stale,
            folders: &self.folders,
        };
        if matches!(request.purpose, DocumentPurpose::Check(_)) {
            return Ok(written.staleness_report());
        }
        if request.is_dry_run {
            let model = self.settings.model.value.as_deref().filter(|_| !request.is_without_model);
            return Ok(written.planned_refresh(&source.access, model));
        }
        let options = ScopeOptions { max_tokens: None, ..self.scope_options(&source, request, None) };
        let model = self.open_model_for_request(request)?;
        written.refresh(&source.access, model.as_ref(), &options, destination.as_ref(), root)
    }
}

/// The most requests of an agent that a call can ask for, as on the command line.
const MAX_TURNS: usize = 200;

fn mode_of(request: &DocumentRequest<'_>) -> Mode {
    match request.mode {
        ExplorationMode::Pipeline => Mode::Pipeline,
        ExplorationMode::Agent => Mode::Agent,
    }
}

impl DocumentGenerator for ConfiguredDocumentGenerator {
    fn generate_document(
        &self,
        access: &CodeAccess,
        request: &DocumentRequest<'_>,
    ) -> Result<GeneratedDocument, DocumentGenerationError> {
        let generated = match request.purpose {
            DocumentPurpose::Question(_) | DocumentPurpose::Repository => self.write_new_document(access, request),
            DocumentPurpose::Check(path) | DocumentPurpose::Refresh(path) => {
                self.check_or_refresh(access, request, path)
            }
        };
        generated
            .map_err(|error| DocumentGenerationError { message: mask_secrets(&error.message).into_owned(), ..error })
    }

    fn can_reach_other_machines(&self) -> bool {
        self.has_model() || self.settings.clone_sources.value
    }

    fn can_write_files(&self) -> bool {
        self.settings.write_documents.value
    }
}

/// Ends a call that was withdrawn, before it writes anything: nobody waits for what it would write.
///
/// # Errors
/// Where the call was withdrawn.
fn require_not_withdrawn(access: &CodeAccess) -> Result<(), DocumentGenerationError> {
    match access.project().cancellation().stop_cause() {
        Some(StopCause::Cancelled) => Err(DocumentGenerationError::new_failure(run::WITHDRAWN)),
        Some(StopCause::Deadline) | None => Ok(()),
    }
}

/// Writes a document with the model until it is complete, or until the deadline or cancellation of the call.
fn answer_with_model(
    access: &CodeAccess,
    question: &str,
    model: &Arc<BudgetedModel>,
    options: &ScopeOptions,
) -> Result<Document, DocumentGenerationError> {
    let checkpoint = Checkpoint::new();
    let generation = scope::write_document_with_model(access, question, model, &checkpoint, options);
    match run_until_stopped(access.project().cancellation(), generation)? {
        Ok(Ok(Scoped { document, .. })) => Ok(document),
        Ok(Err(error)) => Err(DocumentGenerationError::new_failure(error.to_string())),
        Err(run::WITHDRAWN) => {
            let spent = model.spending();
            Err(DocumentGenerationError::new_failure(format!("{} (spent: {spent})", run::WITHDRAWN)))
        }
        Err(reason) => scope::partial_document_of_interrupted_run(
            access,
            question,
            model,
            &checkpoint.copy_stored_results(),
            options,
            reason,
        )
        .map_err(|error| {
            DocumentGenerationError::new_failure(format!("{reason}: {error} (spent: {})", model.spending()))
        }),
    }
}

/// Writes a document of the whole repository. Where a model does not write its summary in time, the rest is there.
fn describe_repository(
    access: &CodeAccess,
    model: Option<&Arc<BudgetedModel>>,
    options: &ScopeOptions,
) -> Result<Document, DocumentGenerationError> {
    let cancellation = access.project().cancellation();
    cancellation.set_current_step(match model {
        Some(model) => format!("the files are read, and {} writes a summary", model.name()),
        None => "the files are read".to_owned(),
    });
    let checkpoint = OverviewCheckpoint::new();
    let generation = scope::write_repository_context_document_with_checkpoint(access, model, &checkpoint, options);
    match run_until_stopped(cancellation, generation)? {
        Ok(document) => document.map_err(|error| DocumentGenerationError::new_failure(error.to_string())),
        Err(run::WITHDRAWN) => Err(DocumentGenerationError::new_failure(run::WITHDRAWN)),
        Err(reason) => match checkpoint.take_document() {
            Some(mut document) => {
                let lacks = format!("{reason} before a model had written the summary");
                let reasons: Vec<String> = std::iter::once(lacks).chain(document.front.incomplete.take()).collect();
                document.front.incomplete = Some(reasons.join("; "));
                Ok(document)
            }
            None => Err(DocumentGenerationError::new_failure(reason)),
        },
    }
}

/// Converts a document to the result of a tool, with its secrets masked as in a document that is written. Sections are left
/// out until it fits into `max_tokens` tokens.
fn document_to_tool_result(
    mut document: Document,
    model: Option<&Arc<BudgetedModel>>,
    max_tokens: usize,
) -> GeneratedDocument {
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
    GeneratedDocument {
        markdown: document.body,
        model: model.map(|model| model.name().to_owned()),
        spent: model.map(|model| model.spending().to_string()),
        incomplete: Some(mask_secrets(&reasons.join("; ")).into_owned()).filter(|reasons| !reasons.is_empty()),
        citations,
        files,
        ..GeneratedDocument::default()
    }
}

#[cfg(test)]
mod tests {
    use peelback_code::{CancellationToken, SpendingLimits};

    use super::*;

    #[test]
    fn a_withdrawn_call_writes_nothing() {
        let folder = tempfile::tempdir().expect("a folder");
        std::fs::write(folder.path().join("a.py"), "def send_parcel(): ...\n").expect("a file");
        let generator = ConfiguredDocumentGenerator::new(&Settings::default(), Some(&folder.path().to_owned()));
        let project = Project::discover(Some(folder.path()), None).expect("a project");
        for purpose in [DocumentPurpose::Question("send parcel"), DocumentPurpose::Repository] {
            let generate = |cancellation: CancellationToken| {
                let request = DocumentRequest {
                    purpose,
                    source: None,
                    scope: &[],
                    max_tokens: 4_000,
                    mode: ExplorationMode::Pipeline,
                    is_without_model: false,
                    is_dry_run: false,
                    max_turns: None,
                    spending: SpendingLimits::default(),
                    output: Some("contexts/"),
                };
                let access = CodeAccess::new(project.clone().with_cancellation(cancellation));
                generator.generate_document(&access, &request)
            };
            let withdrawn = CancellationToken::default();
            withdrawn.cancel();
            let error = generate(withdrawn).expect_err("it was withdrawn");
            assert!(error.message.contains("cancelled"), "{error:?}");
            assert!(!folder.path().join("contexts").exists());
            let written = generate(CancellationToken::default()).expect("a document").written_path.expect("a file");
            assert!(folder.path().join(&written).is_file(), "{written}");
            std::fs::remove_dir_all(folder.path().join("contexts")).expect("the folder");
        }
    }
}
