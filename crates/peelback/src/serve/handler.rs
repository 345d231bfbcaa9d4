//! The handler of MCP requests, which the tools answer.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use peelback_code::{CacheOptions, CancellationToken, CodeAccess, DocumentGenerator, Embedder, FactsStore, Project};
use peelback_tools::{
    AnyTool, DocumentationMode, Format, MAX_ANSWER_TOKENS, RecoverableError, Reply, RequiredService, all_tools,
    tool_by_name_or_alias,
};
use rmcp::model::{
    CacheScope, CallToolRequestParams, CallToolResponse, CancelTaskParams, CompleteRequestParams, CompleteResult,
    CompletionInfo, CustomRequest, CustomResult, DiscoverResult, ErrorCode, GetPromptRequestParams, GetPromptResponse,
    GetTaskParams, GetTaskResult, Implementation, JsonObject, ListPromptsResult, ListResourceTemplatesResult,
    ListResourcesResult, ListToolsResult, PaginatedRequestParams, ProtocolVersion, ReadResourceRequestParams,
    ReadResourceResponse, ServerCapabilities, ServerConfig, ServerResult, Tool, ToolAnnotations, UpdateTaskParams,
};
use rmcp::service::RequestContext;
use rmcp::{ErrorData, RoleServer, ServerHandler};
use serde_json::Value;

use super::answers::{self, WrittenReply};
use super::calls::{CallOutcome, CallRunner};
use super::message_memory::HeldMessage;
use super::prompts;
use super::reference;
use super::roots::ServerRoots;
use super::sent_documentation::SentDocumentation;
use super::tasks::{TaskLimits, Tasks, is_client_with_tasks};
use super::warmup::Warmup;
use crate::config::LoadedConfig;
use crate::config::SystemPromptMode;
use crate::document_generator::ConfiguredDocumentGenerator;
use crate::embedders;
use crate::serve::instructions::mcp_server_instructions;

/// The time, in milliseconds, for which clients can cache answers that do not change while a server runs: a day.
const CACHE_TTL_MS: u64 = 24 * 60 * 60 * 1000;

/// The server's settings, except for its transport.
#[derive(Debug, Clone)]
pub struct ServerSettings {
    /// The root of the project; `None` means the repository around the working folder.
    pub root: Option<PathBuf>,
    /// Other folders that calls can name as their root.
    pub allowed_roots: Vec<PathBuf>,
    /// The documentation mode: how much documentation of the tools is in the list of tools.
    pub documentation: DocumentationMode,
    /// The mode of the server's instructions: how long they are.
    pub instructions: SystemPromptMode,
    /// Whether answers contain a preview for the person who watches.
    pub previews: bool,
    /// The limit on the tokens (o200k) of an answer.
    pub max_answer_tokens: usize,
    /// The folder and size limit of the cache on disk, which the next server reuses; `None` means no cache.
    pub cache: Option<CacheOptions>,
    /// Whether the secrets in answers are masked.
    pub mask_secrets: bool,
    /// The embedding model with which `search` orders passages by meaning; `None` means that `search` ranks by words
    /// alone.
    pub embedder: Option<Arc<dyn Embedder>>,
    /// The writer of documents for the tool `scope`; `None` means documents without a model, of the evidence alone.
    pub document_generator: Option<Arc<dyn DocumentGenerator>>,
    /// The deadline of a call in which a model writes a document; `None` means the deadline of all other calls.
    pub scope_deadline: Option<Duration>,
}

impl Default for ServerSettings {
    fn default() -> Self {
        Self {
            root: None,
            allowed_roots: Vec::new(),
            documentation: DocumentationMode::default(),
            instructions: SystemPromptMode::Default,
            previews: false,
            max_answer_tokens: MAX_ANSWER_TOKENS,
            cache: None,
            mask_secrets: false,
            embedder: None,
            document_generator: None,
            scope_deadline: None,
        }
    }
}

/// The MCP server: the handler of its requests. Clones share their state.
#[derive(Clone)]
pub struct Server(Arc<ServerState>);

struct ServerState {
    tools: Vec<Tool>,
    settings: ServerSettings,
    roots: ServerRoots,
    calls: CallRunner,
    tasks: Tasks,
    warmup: Warmup,
    store: Arc<FactsStore>,
    document_generator: Option<Arc<dyn DocumentGenerator>>,
    sent_documentation: SentDocumentation,
}

impl Server {
    /// Creates a server that runs its tool calls with the runner `calls`.
    ///
    /// # Errors
    /// A message, when a root is not a folder, or when no root was given and the working folder is the whole file
    /// system or the home folder.
    pub fn new(settings: ServerSettings, calls: CallRunner) -> Result<Self, String> {
        let roots =
            ServerRoots::new(settings.root.as_deref(), &settings.allowed_roots).map_err(|error| error.to_string())?;
        if roots.is_own_root_too_wide() {
            return Err(format!(
                "no project: the server was started in {}, which is not a repository, so all of it would be served; \
                 name the project with --root DIR (--root {0} if you mean that folder)",
                roots.own_root().display()
            ));
        }
        tracing::info!(root = %roots.own_root().display(), "serving");
        let document_generator =
            settings.document_generator.clone().unwrap_or_else(|| Arc::new(ConfiguredDocumentGenerator::default()));
        let effects = |tool: &AnyTool| match tool.requires_service(RequiredService::DocumentGenerator) {
            true => ToolEffects {
                reaches_other_machines: document_generator.can_reach_other_machines(),
                writes_files: document_generator.can_write_files(),
            },
            false => ToolEffects::default(),
        };
        let tools = all_tools()
            .iter()
            .map(|tool| protocol_tool_declaration(tool, settings.documentation, effects(tool)))
            .collect();
        let store = match settings.cache.clone() {
            Some(options) => FactsStore::with_disk_cache(move || Some(options)),
            None => FactsStore::default(),
        };
        let store = Arc::new(store.for_long_lived_process());
        Ok(Self(Arc::new(ServerState {
            tools,
            settings,
            roots,
            tasks: Tasks::new(TaskLimits::for_concurrent_calls(calls.limits().max_concurrent_calls)),
            calls,
            warmup: Warmup::default(),
            store,
            document_generator: Some(document_generator),
            sent_documentation: SentDocumentation::default(),
        })))
    }

    /// Starts to read the project's files into memory in the background. Requests of the client have priority.
    pub fn start_file_cache_warm_up(&self) {
        if let Ok(project) = Project::discover(Some(self.0.roots.own_root()), None) {
            self.0.warmup.start(project);
        }
    }

    /// Calls the tool named `name`, and converts its reply to a result of the protocol. A call that writes a document
    /// becomes a task where it takes long and its client knows tasks.
    async fn call_tool_by_name(
        &self,
        name: &str,
        arguments: Value,
        context: &RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        self.0.warmup.stop();
        let tool = tool_by_name_or_alias(name).ok_or_else(|| answers::unknown_tool_error(name))?;
        let format =
            arguments.as_object().map_or(Format::Text, |arguments| answers::requested_output_format(tool, arguments));
        let began = std::time::Instant::now();
        let writes_documents = tool.requires_service(RequiredService::DocumentGenerator);
        let deadline = self.0.settings.scope_deadline.filter(|_| writes_documents);
        let deadline = deadline.unwrap_or(self.0.calls.limits().deadline);
        let state = self.0.clone();
        let job = move |cancellation| WrittenReply::from(state.run_tool_call(tool, arguments, cancellation));
        let state = self.0.clone();
        let is_of_one_client = SentDocumentation::is_request_of_known_client(context);
        let to_result = move |outcome: CallOutcome<WrittenReply>| {
            log_call_outcome(tool, began.elapsed(), &outcome);
            let outcome = match outcome {
                CallOutcome::Completed(reply) => {
                    let may_document =
                        || is_of_one_client && state.sent_documentation.record_and_check_is_first(tool.name);
                    CallOutcome::Completed(reply.documented_only_if(may_document))
                }
                other => other,
            };
            state.store.flush_in_background();
            answers::tool_result_from_call_outcome(tool, outcome, format, state.settings.previews)
        };
        if writes_documents && is_client_with_tasks(context) {
            return Ok(self.0.tasks.run_job_as_task(&self.0.calls, deadline, context, job, to_result).await);
        }
        Ok(to_result(self.0.calls.run_job_with_deadline(deadline, context, job).await).into())
    }

    /// The tasks of the server.
    pub fn tasks(&self) -> &Tasks {
        &self.0.tasks
    }

    /// Ends all calls and tasks, and waits until they have ended, for at most `patience`.
    pub async fn end_all_calls(&self, patience: Duration) {
        self.0.tasks.end_all();
        self.0.calls.end_all_calls(patience).await;
    }
}

fn log_call_outcome(tool: &AnyTool, time: Duration, outcome: &CallOutcome<WrittenReply>) {
    let ms = time.as_millis();
    match outcome {
        CallOutcome::Completed(reply) => tracing::debug!(tool = tool.name, ms, status = ?reply.status, "answered"),
        CallOutcome::Cancelled => tracing::debug!(tool = tool.name, ms, "withdrawn"),
        CallOutcome::Abandoned => {
            tracing::warn!(tool = tool.name, ms, "abandoned: it did not return by its deadline")
        }
        CallOutcome::QueueTimeout => {
            tracing::warn!(tool = tool.name, ms, "abandoned: no slot was free before its deadline")
        }
        CallOutcome::NoSlotLeft { abandoned_calls } => {
            tracing::warn!(
                tool = tool.name,
                abandoned_calls,
                "not started: earlier calls that never returned hold all slots"
            )
        }
        CallOutcome::Failed(message) => tracing::error!(tool = tool.name, ms, message, "failed inside Peelback"),
    }
}

impl ServerState {
    /// Runs a tool call and returns the tool's reply, whose secrets are masked where the settings of the server or of the
    /// call's project say so; blocks the thread.
    fn run_tool_call(&self, tool: &'static AnyTool, arguments: Value, cancellation: CancellationToken) -> Reply {
        let (reply, is_masked_by_project) = match self.project_of_call(tool, arguments, cancellation) {
            Ok((project, arguments)) => {
                // The server's own settings already include the configuration file of its own root.
                let is_masked = !self.settings.mask_secrets
                    && project.root() != self.roots.own_root()
                    && LoadedConfig::from_project_file_only(project.clone()).is_masking_answers();
                (self.run_call_in_project(tool, project, arguments), is_masked)
            }
            Err(reply) => (reply, false),
        };
        if self.settings.mask_secrets || is_masked_by_project { reply.with_masked_secrets() } else { reply }
    }

    /// The project that a call is about, and the call's arguments.
    ///
    /// # Errors
    /// The reply, where the arguments are no object or lead to no project that the server may read.
    fn project_of_call(
        &self,
        tool: &'static AnyTool,
        arguments: Value,
        cancellation: CancellationToken,
    ) -> Result<(Project, JsonObject), Reply> {
        let arguments = match arguments {
            Value::Object(arguments) => arguments,
            // The arguments are not an object: the tool reports the error together with its docs.
            invalid_arguments => {
                return Err(match Project::discover(Some(self.roots.own_root()), None) {
                    Ok(project) => {
                        let access = CodeAccess::new(project.with_cancellation(cancellation));
                        tool.run_call_of_model(&access, invalid_arguments, self.settings.max_answer_tokens)
                    }
                    Err(error) => tool.error_reply_without_running_tool(
                        &RecoverableError::new(error.category(), error.to_string()),
                        Format::Text,
                    ),
                });
            }
        };
        match self.roots.project_of_tool_call(&answers::project_and_path_arguments(tool, &arguments)) {
            Ok(project) => Ok((project.with_cancellation(cancellation), arguments)),
            Err(refused) => {
                let format = answers::requested_output_format(tool, &arguments);
                Err(tool.error_reply_without_running_tool(&refused, format))
            }
        }
    }

    fn run_call_in_project(&self, tool: &'static AnyTool, project: Project, arguments: JsonObject) -> Reply {
        let embedder = self.settings.embedder.as_ref().filter(|_| tool.requires_service(RequiredService::Embedder));
        let embedder = embedder.map(|embedder| {
            // The server's own settings already include the configuration file of its own root.
            let ancestors = self
                .roots
                .readable_folder_and_ancestors(project.root())
                .filter(|folder| *folder != self.roots.own_root());
            embedders::restrict_embedder_by_folder_settings(embedder, ancestors)
        });
        let document_generator =
            self.document_generator.clone().filter(|_| tool.requires_service(RequiredService::DocumentGenerator));
        let access = CodeAccess::new(project)
            .with_facts_store(self.store.clone())
            .with_embedder(embedder)
            .with_document_generator(document_generator);
        tool.run_call_of_model(&access, Value::Object(arguments), self.settings.max_answer_tokens)
    }
}

/// What a tool does beside reading the project.
#[derive(Debug, Clone, Copy, Default)]
struct ToolEffects {
    /// Whether the tool sends text to a model, or clones a source.
    reaches_other_machines: bool,
    /// Whether the tool writes files where a call asks for it.
    writes_files: bool,
}

/// The declaration of a tool for the protocol's list of tools. A tool that writes files is declared as destructive: a
/// document that it renews is replaced.
fn protocol_tool_declaration(tool: &AnyTool, mode: DocumentationMode, effects: ToolEffects) -> Tool {
    let declaration = tool.tool_declaration(mode);
    let schema = match declaration.input_schema {
        Value::Object(schema) => schema,
        _ => JsonObject::new(),
    };
    let title = tool_title(declaration.name);
    let annotations = ToolAnnotations::with_title(title.clone())
        .read_only(!effects.writes_files)
        .destructive(effects.writes_files)
        .idempotent(!effects.reaches_other_machines && !effects.writes_files)
        .open_world(effects.reaches_other_machines);
    Tool::new(declaration.name, declaration.description, schema).with_title(title).with_annotations(annotations)
}

/// The title of a tool for people, made from its name: `find_files` becomes `Find files`.
fn tool_title(name: &str) -> String {
    let words = name.replace('_', " ");
    let mut letters = words.chars();
    letters.next().map(|first| first.to_uppercase().chain(letters).collect()).unwrap_or_default()
}

/// Whether the client supports caching hints, which are part of the MCP protocol since version 2026-07-28.
fn has_client_caching_hint_support(context: &RequestContext<RoleServer>) -> bool {
    context.protocol_version().is_some_and(|version| version >= ProtocolVersion::V_2026_07_28)
}

/// Rejects a request for a further page, because every list has only one page.
fn reject_request_for_further_page(request: Option<PaginatedRequestParams>) -> Result<(), ErrorData> {
    match request.and_then(|request| request.cursor) {
        None => Ok(()),
        Some(_) => {
            Err(ErrorData::invalid_params("unknown cursor: the list has one page; request it without a cursor", None))
        }
    }
}

/// Adds caching hints to a result of the protocol where the client supports them.
macro_rules! with_caching_hints {
    ($result:expr, $context:expr) => {{
        let result = $result;
        Ok(if has_client_caching_hint_support(&$context) {
            result.with_ttl_ms(CACHE_TTL_MS).with_cache_scope(CacheScope::Public)
        } else {
            result
        })
    }};
}

impl ServerHandler for Server {
    fn get_info(&self) -> ServerConfig {
        let capabilities = ServerCapabilities::builder()
            .enable_tools()
            .enable_resources()
            .enable_prompts()
            .enable_completions()
            .enable_tasks()
            .build();
        let about = Implementation::new("peelback", env!("CARGO_PKG_VERSION")).with_title("Peelback");
        let instructions = mcp_server_instructions(self.0.settings.instructions);
        ServerConfig::new(capabilities).with_server_info(about).with_instructions(instructions)
    }

    async fn discover(&self, _: RequestContext<RoleServer>) -> Result<DiscoverResult, ErrorData> {
        let versions = self.supported_protocol_versions().into_owned();
        let result = DiscoverResult::from_server_info(versions, self.get_info());
        Ok(result.with_ttl_ms(CACHE_TTL_MS).with_cache_scope(CacheScope::Public))
    }

    async fn list_tools(
        &self,
        request: Option<PaginatedRequestParams>,
        context: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        reject_request_for_further_page(request)?;
        tracing::debug!(
            tier = self.0.settings.documentation.as_str(),
            tools = self.0.tools.len(),
            "list of tools sent"
        );
        self.0.warmup.signal_tools_listed();
        with_caching_hints!(ListToolsResult::with_all_items(self.0.tools.clone()), context)
    }

    fn get_tool(&self, name: &str) -> Option<Tool> {
        self.0.tools.iter().find(|tool| tool.name == name).cloned()
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let arguments = Value::Object(request.arguments.unwrap_or_default());
        self.call_tool_by_name(&request.name, arguments, &context).await
    }

    async fn get_task(
        &self,
        request: GetTaskParams,
        _: RequestContext<RoleServer>,
    ) -> Result<GetTaskResult, ErrorData> {
        self.0.tasks.state_of_task(&request)
    }

    async fn update_task(&self, request: UpdateTaskParams, _: RequestContext<RoleServer>) -> Result<(), ErrorData> {
        self.0.tasks.give_input(request)
    }

    async fn cancel_task(&self, request: CancelTaskParams, _: RequestContext<RoleServer>) -> Result<(), ErrorData> {
        self.0.tasks.cancel_task(&request)
    }

    /// Answers a tool call that does not have the protocol's form. A call that can be understood is run, because a
    /// model that only receives an error code does not know what to correct.
    async fn on_custom_request(
        &self,
        request: CustomRequest,
        context: RequestContext<RoleServer>,
    ) -> Result<CustomResult, ErrorData> {
        if matches!(request.method.as_str(), "tasks/get" | "tasks/update" | "tasks/cancel") {
            // The methods are known, and requests that have their form come another way.
            let message = format!("the params of {} do not have its form: taskId must be a string", request.method);
            return Err(ErrorData::invalid_params(message, None));
        }
        if request.method != "tools/call" {
            return Err(ErrorData::new(ErrorCode::METHOD_NOT_FOUND, request.method, None));
        }
        let answers::ToolCall { name, arguments } = {
            let held = HeldMessage::of_request(&context);
            let has_room_for = |bytes| held.as_ref().is_none_or(|held| held.try_grow_by(bytes));
            answers::parse_tool_call_leniently(request.params, has_room_for)?
        };
        let mut response = self.call_tool_by_name(&name, arguments, &context).await?;
        if !has_client_caching_hint_support(&context)
            && let CallToolResponse::Complete(result) = &mut response
        {
            // Clients of earlier protocol versions do not know the field `result_type`.
            result.result_type = None;
        }
        let result = serde_json::to_value(ServerResult::from(response))
            .map_err(|error| ErrorData::internal_error(format!("the answer cannot be written: {error}"), None))?;
        Ok(CustomResult::new(result))
    }

    async fn list_resources(
        &self,
        request: Option<PaginatedRequestParams>,
        context: RequestContext<RoleServer>,
    ) -> Result<ListResourcesResult, ErrorData> {
        reject_request_for_further_page(request)?;
        with_caching_hints!(ListResourcesResult::with_all_items(reference::all_mcp_resources()), context)
    }

    async fn list_resource_templates(
        &self,
        request: Option<PaginatedRequestParams>,
        context: RequestContext<RoleServer>,
    ) -> Result<ListResourceTemplatesResult, ErrorData> {
        reject_request_for_further_page(request)?;
        with_caching_hints!(
            ListResourceTemplatesResult::with_all_items(reference::all_mcp_resource_templates()),
            context
        )
    }

    async fn read_resource(
        &self,
        request: ReadResourceRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<ReadResourceResponse, ErrorData> {
        let read: Result<_, ErrorData> = with_caching_hints!(reference::read_mcp_resource_text(&request.uri)?, context);
        read.map(Into::into)
    }

    async fn list_prompts(
        &self,
        request: Option<PaginatedRequestParams>,
        context: RequestContext<RoleServer>,
    ) -> Result<ListPromptsResult, ErrorData> {
        reject_request_for_further_page(request)?;
        with_caching_hints!(ListPromptsResult::with_all_items(prompts::all_mcp_prompts()), context)
    }

    async fn get_prompt(
        &self,
        request: GetPromptRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<GetPromptResponse, ErrorData> {
        prompts::mcp_prompt_messages(&request).map(Into::into)
    }

    async fn complete(
        &self,
        request: CompleteRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CompleteResult, ErrorData> {
        let state = self.0.clone();
        let completed = move |cancellation: CancellationToken| {
            let project = Project::discover(Some(state.roots.own_root()), None).ok();
            let project = project.map(|project| project.with_cancellation(cancellation));
            prompts::prompt_or_resource_argument_completions(&request, project.as_ref())
        };
        let values = match self.0.calls.run_job(&context, completed).await {
            CallOutcome::Completed(values) => values,
            // A completion that fails is answered with an empty list.
            CallOutcome::Failed(_)
            | CallOutcome::Abandoned
            | CallOutcome::QueueTimeout
            | CallOutcome::NoSlotLeft { .. }
            | CallOutcome::Cancelled => Vec::new(),
        };
        let values = CompletionInfo::with_all_values(values).map_err(|error| ErrorData::internal_error(error, None))?;
        Ok(CompleteResult::new(values))
    }
}

#[cfg(test)]
mod tests {
    use peelback_tools::{DocumentationMode, all_tools};

    use super::{ToolEffects, protocol_tool_declaration};

    #[test]
    fn hosts_show_each_description_whole() {
        for mode in DocumentationMode::ALL {
            for tool in all_tools() {
                let description =
                    protocol_tool_declaration(tool, mode, ToolEffects::default()).description.unwrap_or_default();
                assert!(description.chars().count() < 2_000, "{} in {}", tool.name, mode.as_str());
            }
        }
    }
}
