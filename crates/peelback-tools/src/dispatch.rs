//! Dispatch of tool calls: from a JSON object to a tool's typed function, and from its result to a reply.

use peelback_code::CodeAccess;
use serde_json::{Map, Value};

use crate::arguments;
use crate::budget::MAX_ANSWER_TOKENS;
use crate::context::CallContext;
use crate::documentation::DocumentationMode;
use crate::failure::ToolDocumentation;
use crate::next_calls::FollowUpCallBuilder;
use crate::recoverable_error::RecoverableError;
use crate::reply::Reply;
use crate::tool::{AnyTool, Tool};
use crate::view::Format;

impl AnyTool {
    /// Creates the type-erased form of a tool; `next` builds the follow-up calls in its answers.
    pub(crate) const fn new<T: Tool>(next: &'static dyn FollowUpCallBuilder) -> Self {
        Self::new_with_call_runner::<T>(validate_and_run_call::<T>, next)
    }

    /// Runs a call from a shell whose arguments are a JSON object; the calls in the reply are shell commands. The function
    /// never fails: a problem with the call is reported in the reply.
    pub fn run_call(&'static self, access: &CodeAccess, arguments: Value) -> Reply {
        let context = CallContext::of_shell(Some(access.project().clone()), self.next_calls);
        (self.call_runner)(self, access, &context, arguments)
    }

    /// Runs a call of a model like [`AnyTool::run_call`], with at most `max_tokens` tokens (of the tokenizer o200k) in the
    /// answer, whatever budget the call requests. The calls in the reply are names of tools with arguments as JSON.
    pub fn run_call_of_model(&'static self, access: &CodeAccess, arguments: Value, max_tokens: usize) -> Reply {
        let context = CallContext::of_model(Some(access.project().clone()), max_tokens, self.next_calls);
        (self.call_runner)(self, access, &context, arguments)
    }

    /// Runs a call of a model like [`AnyTool::run_call_of_model`]. The answer shows details only as far as it stays within
    /// `aim` tokens; the names of its files and of its symbols with their parameters go on up to `max_tokens`.
    pub fn run_call_of_model_with_aim(
        &'static self,
        access: &CodeAccess,
        arguments: Value,
        aim: usize,
        max_tokens: usize,
    ) -> Reply {
        let context = CallContext::of_model(Some(access.project().clone()), max_tokens, self.next_calls);
        (self.call_runner)(self, access, &context.with_detail_aim(aim), arguments)
    }

    /// The reply to a call of a model that could not reach the tool, such as one with a root that does not exist.
    pub fn error_reply_without_running_tool(&self, error: &RecoverableError, format: Format) -> Reply {
        Reply::from_error_without_tool(&CallContext::of_model(None, MAX_ANSWER_TOKENS, self.next_calls), error, format)
    }

    /// The tool's documentation in each mode, for the reply to a call with invalid arguments.
    fn documentation_for_errors(&self) -> ToolDocumentation {
        let texts = DocumentationMode::ALL.into_iter().rev().map(|mode| self.documentation_text(mode));
        ToolDocumentation { tool_name: self.name, texts: texts.collect() }
    }
}

fn validate_and_run_call<T: Tool>(
    tool: &'static AnyTool,
    access: &CodeAccess,
    context: &CallContext,
    given: Value,
) -> Reply {
    let documentation = || tool.documentation_for_errors();
    let error_view = arguments::guess_requested_format_and_budget(tool, &given);
    let parameters =
        match arguments::normalise_arguments(tool, given).and_then(arguments::deserialize_arguments::<T::Parameters>) {
            Ok(parameters) => parameters,
            Err(invalid) => {
                let are_accepted = |arguments: &Map<String, Value>| {
                    serde_json::from_value::<T::Parameters>(Value::Object(arguments.clone())).is_ok()
                };
                let error = invalid.into_recoverable_error(tool, access, are_accepted);
                return Reply::from_error(documentation, context, &error, &error_view);
            }
        };
    let view = T::size_and_format_parameters(&parameters).clone();
    T::run_call(access, context, parameters)
        .unwrap_or_else(|error| Reply::from_error(documentation, context, &error, &view))
}
