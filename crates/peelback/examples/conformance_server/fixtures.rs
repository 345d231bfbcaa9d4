//! The fixtures of the MCP conformance suite around another handler.
//!
//! [`Fixtures`] answers the tools, resources, prompts, completions and subscriptions that the suite's scenarios call by
//! fixed names, and hands everything else to the handler inside.

use std::borrow::Cow;

use rmcp::model::*;
use rmcp::service::{NotificationContext, RequestContext, SubscriptionContext};
use rmcp::{ErrorData, RoleServer, ServerHandler};
use serde_json::json;

use crate::jobs::Jobs;
use crate::lists;
use crate::state::{Listening, State};
use crate::tools::{self, is_2026};

/// A handler with the fixtures around it.
#[derive(Clone)]
pub struct Fixtures<H> {
    inner: H,
    state: State,
    jobs: Jobs,
}

impl<H: ServerHandler> Fixtures<H> {
    /// `inner` with the fixtures around it.
    pub fn around(inner: H, state: State, jobs: Jobs) -> Self {
        Self { inner, state, jobs }
    }
}

impl<H: ServerHandler> ServerHandler for Fixtures<H> {
    fn get_info(&self) -> ServerConfig {
        let mut info = self.inner.get_info();
        let capabilities = &mut info.capabilities;
        capabilities.logging.get_or_insert_default();
        capabilities.completions.get_or_insert_default();
        capabilities.tools.get_or_insert_default().list_changed = Some(true);
        capabilities.prompts.get_or_insert_default().list_changed = Some(true);
        let resources = capabilities.resources.get_or_insert_default();
        resources.subscribe = Some(true);
        resources.list_changed = Some(true);
        info
    }

    fn supported_protocol_versions(&self) -> Cow<'static, [ProtocolVersion]> {
        self.inner.supported_protocol_versions()
    }

    async fn initialize(
        &self,
        request: InitializeRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<InitializeResult, ErrorData> {
        let mut result = self.inner.initialize(request, context).await?;
        result.capabilities = self.get_info().capabilities;
        Ok(result)
    }

    async fn discover(&self, context: RequestContext<RoleServer>) -> Result<DiscoverResult, ErrorData> {
        let mut result = self.inner.discover(context).await?;
        result.capabilities = self.get_info().capabilities;
        Ok(result)
    }

    async fn ping(&self, context: RequestContext<RoleServer>) -> Result<(), ErrorData> {
        self.inner.ping(context).await
    }

    async fn set_level(
        &self,
        _request: SetLevelRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        // The fixtures log whatever the level; 2026-07-28 has no such method.
        if is_2026(&context) { Err(ErrorData::method_not_found::<SetLevelRequestMethod>()) } else { Ok(()) }
    }

    async fn complete(
        &self,
        request: CompleteRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CompleteResult, ErrorData> {
        let choices: &[&str] = match &request.r#ref {
            Reference::Prompt(prompt) if prompt.name.starts_with("test_") => &["test one", "test two", "third"],
            Reference::Resource(template) if template.uri.starts_with(lists::TEMPLATE_HEAD) => &["1", "2", "123"],
            _ => return self.inner.complete(request, context).await,
        };
        let values = choices
            .iter()
            .filter(|choice| choice.starts_with(&request.argument.value))
            .map(|choice| (*choice).to_owned())
            .collect();
        CompletionInfo::with_all_values(values)
            .map(CompleteResult::new)
            .map_err(|error| ErrorData::internal_error(error, None))
    }

    async fn list_tools(
        &self,
        request: Option<PaginatedRequestParams>,
        context: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        let mut result = self.inner.list_tools(request, context).await?;
        if result.next_cursor.is_none() {
            result.tools.extend(lists::tools());
        }
        Ok(result)
    }

    fn get_tool(&self, name: &str) -> Option<Tool> {
        lists::tools().into_iter().find(|tool| tool.name == name).or_else(|| self.inner.get_tool(name))
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        if let Some(result) = self.jobs.call(&request, &context).await {
            return result;
        }
        match tools::call(&self.state, &request, &context).await {
            Some(result) => result,
            None => self.inner.call_tool(request, context).await,
        }
    }

    async fn get_task(
        &self,
        request: GetTaskParams,
        context: RequestContext<RoleServer>,
    ) -> Result<GetTaskResult, ErrorData> {
        self.inner.get_task(request, context).await
    }

    async fn update_task(
        &self,
        request: UpdateTaskParams,
        context: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        self.inner.update_task(request, context).await
    }

    async fn cancel_task(
        &self,
        request: CancelTaskParams,
        context: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        self.inner.cancel_task(request, context).await
    }

    async fn list_resources(
        &self,
        request: Option<PaginatedRequestParams>,
        context: RequestContext<RoleServer>,
    ) -> Result<ListResourcesResult, ErrorData> {
        let mut result = self.inner.list_resources(request, context).await?;
        if result.next_cursor.is_none() {
            result.resources.extend(lists::resources());
        }
        Ok(result)
    }

    async fn list_resource_templates(
        &self,
        request: Option<PaginatedRequestParams>,
        context: RequestContext<RoleServer>,
    ) -> Result<ListResourceTemplatesResult, ErrorData> {
        let mut result = self.inner.list_resource_templates(request, context).await?;
        if result.next_cursor.is_none() {
            result.resource_templates.push(lists::template());
        }
        Ok(result)
    }

    async fn read_resource(
        &self,
        request: ReadResourceRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<ReadResourceResponse, ErrorData> {
        if let Some(contents) = lists::contents(&request.uri) {
            return Ok(ReadResourceResult::new(vec![contents]).into());
        }
        if request.uri.starts_with(lists::SCHEME) {
            let data = json!({ "uri": request.uri });
            return Err(ErrorData::resource_not_found("Resource not found", Some(data)));
        }
        self.inner.read_resource(request, context).await
    }

    fn accepted_subscription_filter(&self, requested: &SubscriptionFilter) -> Option<SubscriptionFilter> {
        // rmcp cuts it down to what get_info advertises.
        Some(requested.clone())
    }

    async fn listen(&self, context: SubscriptionContext) -> Result<(), ErrorData> {
        let _listening = Listening::start(&self.state, context.sink().clone());
        self.inner.listen(context).await
    }

    async fn subscribe(
        &self,
        request: SubscribeRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        if request.uri.starts_with(lists::SCHEME) {
            return Ok(());
        }
        self.inner.subscribe(request, context).await
    }

    async fn unsubscribe(
        &self,
        request: UnsubscribeRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        if request.uri.starts_with(lists::SCHEME) {
            return Ok(());
        }
        self.inner.unsubscribe(request, context).await
    }

    async fn list_prompts(
        &self,
        request: Option<PaginatedRequestParams>,
        context: RequestContext<RoleServer>,
    ) -> Result<ListPromptsResult, ErrorData> {
        let mut result = self.inner.list_prompts(request, context).await?;
        if result.next_cursor.is_none() {
            result.prompts.extend(lists::prompts());
        }
        Ok(result)
    }

    async fn get_prompt(
        &self,
        request: GetPromptRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<GetPromptResponse, ErrorData> {
        match tools::prompt(&request) {
            Some(response) => Ok(response),
            None => self.inner.get_prompt(request, context).await,
        }
    }

    async fn on_custom_request(
        &self,
        request: CustomRequest,
        context: RequestContext<RoleServer>,
    ) -> Result<CustomResult, ErrorData> {
        self.inner.on_custom_request(request, context).await
    }

    async fn on_cancelled(&self, notification: CancelledNotificationParam, context: NotificationContext<RoleServer>) {
        self.inner.on_cancelled(notification, context).await;
    }

    async fn on_progress(&self, notification: ProgressNotificationParam, context: NotificationContext<RoleServer>) {
        self.inner.on_progress(notification, context).await;
    }

    async fn on_initialized(&self, context: NotificationContext<RoleServer>) {
        self.inner.on_initialized(context).await;
    }

    async fn on_roots_list_changed(&self, context: NotificationContext<RoleServer>) {
        self.inner.on_roots_list_changed(context).await;
    }

    async fn on_custom_notification(&self, notification: CustomNotification, context: NotificationContext<RoleServer>) {
        self.inner.on_custom_notification(notification, context).await;
    }
}
