//! The optional request parameters that a model supports, learned from its refusals.

use crate::chat::model::{ChatRequest, OutputSchema, ToolChoice};

/// The optional request parameters that a model supports.
#[derive(Debug, Clone, PartialEq, Eq)]
#[expect(clippy::struct_excessive_bools, reason = "each is one parameter that a server may not know")]
pub(in crate::chat::http) struct ModelCapabilities {
    /// Whether a streamed reply is requested.
    pub(in crate::chat::http) streams: bool,
    /// Whether the output schema is sent as a parameter; otherwise it is part of the system prompt.
    pub(in crate::chat::http) supports_output_schema: bool,
    /// Whether the model supports a parameter that requires a tool call.
    pub(in crate::chat::http) supports_required_tools: bool,
    /// Whether the parameter that limits the reply is named `max_completion_tokens` instead of `max_tokens`.
    pub(in crate::chat::http) uses_max_completion_tokens: bool,
    /// Whether a parameter requests the token usage of a streamed reply.
    pub(in crate::chat::http) requests_stream_usage: bool,
    /// Whether encrypted reasoning is requested, to be sent back with the next request.
    pub(in crate::chat::http) requests_reasoning: bool,
    /// Whether the request marks the ends of the prefixes that the provider can cache.
    pub(in crate::chat::http) supports_cache_marks: bool,
    /// The reasoning effort in the words of the provider.
    pub(in crate::chat::http) effort: Option<String>,
}

impl ModelCapabilities {
    /// The capabilities of a model that has refused no parameter: all parameters are supported.
    pub(in crate::chat::http) fn new(uses_max_completion_tokens: bool, effort: Option<String>) -> Self {
        Self {
            streams: false,
            supports_output_schema: true,
            supports_required_tools: true,
            uses_max_completion_tokens,
            requests_stream_usage: true,
            requests_reasoning: true,
            supports_cache_marks: true,
            effort,
        }
    }

    /// Updates the capabilities after a server refused `request` as malformed with the error `message`. Returns whether
    /// anything changed, so that the request is worth another try.
    pub(in crate::chat::http) fn update_from_error_message(&mut self, message: &str, request: &ChatRequest) -> bool {
        let message = message.to_lowercase();
        let mentions = |names: &[&str]| names.iter().any(|name| message.contains(name));
        let before = self.clone();
        if request.output.is_some()
            && mentions(&[
                "response_format",
                "json_schema",
                "output_config",
                "output_format",
                "text.format",
                "structured output",
            ])
        {
            self.supports_output_schema = false;
        } else if mentions(&["tool_choice"]) {
            self.supports_required_tools = false;
        } else if self.streams && mentions(&["stream_options", "include_usage"]) {
            self.requests_stream_usage = false;
        } else if mentions(&["cache_control"]) {
            self.supports_cache_marks = false;
        } else if mentions(&["encrypted_content", "encrypted content"]) {
            self.requests_reasoning = false;
        } else if mentions(&["max_tokens", "max_completion_tokens"])
            && mentions(&[
                "unsupported",
                "not supported",
                "unknown",
                "unrecognized",
                "not permitted",
                "extra input",
                "unexpected",
            ])
        {
            self.uses_max_completion_tokens = !self.uses_max_completion_tokens;
        }
        *self != before
    }

    /// The system prompt, with instructions in place of the parameters that the model does not support.
    pub(super) fn system_prompt_with_fallback_instructions(&self, request: &ChatRequest) -> String {
        let mut system = request.system.clone();
        let mut add = |instruction: &str| {
            if !system.is_empty() {
                system.push_str("\n\n");
            }
            system.push_str(instruction);
        };
        if !self.supports_required_tools {
            match &request.tool_choice {
                ToolChoice::Required => add("Call at least one tool now."),
                ToolChoice::Named(name) => add(&format!("Call the tool `{name}` now.")),
                ToolChoice::Auto | ToolChoice::None => {}
            }
        }
        if let Some(output) = request.output.as_ref().filter(|_| !self.supports_output_schema) {
            add(&output.prompt_instruction_for_json_reply());
        }
        system
    }

    /// The output schema of the request, where it is sent as a parameter; otherwise `None`.
    pub(super) fn output_schema_to_send_as_parameter<'a>(&self, request: &'a ChatRequest) -> Option<&'a OutputSchema> {
        request.output.as_ref().filter(|_| self.supports_output_schema)
    }

    /// The choice of tools that the request sends as a parameter.
    pub(super) fn tool_choice_parameter<'a>(&self, request: &'a ChatRequest) -> &'a ToolChoice {
        match &request.tool_choice {
            ToolChoice::Required | ToolChoice::Named(_) if !self.supports_required_tools => &ToolChoice::Auto,
            choice => choice,
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn each_refusal_changes_the_capabilities_once() {
        let request = ChatRequest {
            output: Some(OutputSchema { name: "x".to_owned(), schema: json!({ "type": "object" }) }),
            tool_choice: ToolChoice::Required,
            ..ChatRequest::default()
        };
        for words in [
            "Unknown parameter: 'response_format'.",
            "'output_config.format' is not available for this model",
            "tool_choice 'required' is not supported",
            "Unsupported parameter: 'max_tokens'. Use 'max_completion_tokens' instead.",
            "cache_control: Extra inputs are not permitted",
            "Encrypted content is not supported with this model.",
        ] {
            let mut capabilities = ModelCapabilities::new(false, None);
            assert!(capabilities.update_from_error_message(words, &request), "{words}");
            if !words.contains("max_tokens") {
                assert!(!capabilities.update_from_error_message(words, &request), "{words}");
            }
        }
        let mut capabilities = ModelCapabilities::new(false, None);
        assert!(
            !capabilities
                .update_from_error_message("max_tokens is too large: 9000. This model takes at most 4096", &request)
        );
        assert!(!capabilities.update_from_error_message("messages.3: bad", &request));
        capabilities.update_from_error_message("response_format", &request);
        capabilities.update_from_error_message("tool_choice", &request);
        assert!(capabilities.output_schema_to_send_as_parameter(&request).is_none());
        assert_eq!(capabilities.tool_choice_parameter(&request), &ToolChoice::Auto);
        let system = capabilities.system_prompt_with_fallback_instructions(&request);
        assert!(system.contains(r#"{"type":"object"}"#) && system.contains("Call at least one tool"), "{system}");
    }
}
