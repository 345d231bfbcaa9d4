//! Dispatch of tool calls: from a JSON object to a tool's typed function, and from its result to a reply.

use peelback_code::CodeAccess;
use serde_json::Value;

use crate::arguments;
use crate::context::CallContext;
use crate::docs::DocumentationMode;
use crate::next::NextCalls;
use crate::recover::RecoverableError;
use crate::reply::Reply;
use crate::tool::{AnyTool, Tool};
use crate::view::Format;

impl AnyTool {
    /// A type-erased tool; `next` builds the follow-up calls in its answers.
    pub(crate) const fn new<T: Tool>(next: &'static dyn NextCalls) -> Self {
        Self::erase::<T>(answer_call::<T>, next)
    }

    /// Runs a call whose arguments are a JSON object. The function never fails: a problem with the call is reported in
    /// the reply.
    pub fn call(&'static self, access: &CodeAccess, arguments: Value) -> Reply {
        self.call_under(access, arguments, None)
    }

    /// Runs a call like [`AnyTool::call`], with at most `max_tokens` o200k tokens in the answer, whatever budget the
    /// call requests.
    pub fn call_within(&'static self, access: &CodeAccess, arguments: Value, max_tokens: usize) -> Reply {
        self.call_under(access, arguments, Some(max_tokens))
    }

    /// The reply to a call that could not reach the tool, such as one with a root that does not exist.
    pub fn refuse(&self, error: &RecoverableError, format: Format) -> Reply {
        Reply::refused(&CallContext::new(None, None, self.next), error, format)
    }

    fn call_under(&'static self, access: &CodeAccess, arguments: Value, ceiling: Option<usize>) -> Reply {
        let context = CallContext::new(Some(access.project().clone()), ceiling, self.next);
        (self.answer)(self, access, &context, arguments)
    }

    /// The tool's documentation in each mode, from the longest to the shortest.
    fn documentation_forms(&self) -> Vec<String> {
        DocumentationMode::ALL.into_iter().rev().map(|mode| self.documentation(mode)).collect()
    }
}

fn answer_call<T: Tool>(tool: &'static AnyTool, access: &CodeAccess, context: &CallContext, given: Value) -> Reply {
    let unchecked = arguments::view_of(tool, &given);
    let parameters = match arguments::normalise(tool, given).and_then(arguments::typed::<T::Parameters>) {
        Ok(parameters) => parameters,
        Err(invalid) => {
            let error = invalid.into_error(tool, access).invalid(tool.documentation_forms());
            return Reply::failed(context, &error, &unchecked);
        }
    };
    let view = T::view(&parameters).clone();
    T::call(access, context, parameters).unwrap_or_else(|error| Reply::failed(context, &error, &view))
}
