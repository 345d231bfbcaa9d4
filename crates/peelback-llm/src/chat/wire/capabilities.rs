//! How one model wants to be asked. Much of it is learned from its refusals.

use super::super::model::{ChatRequest, OutputSchema, ToolChoice};

/// How a model is asked.
#[derive(Debug, Clone, PartialEq, Eq)]
#[expect(clippy::struct_excessive_bools, reason = "each is one thing that a server may not know")]
pub(in super::super) struct ModelCapabilities {
    /// The reply comes in pieces.
    pub(in super::super) streams: bool,
    /// The form of a reply is declared in a field of its own, not in words.
    pub(in super::super) declares_schema: bool,
    /// A tool may be forced.
    pub(in super::super) forces_tools: bool,
    /// The limit of the reply is called `max_completion_tokens`, not `max_tokens`.
    pub(in super::super) says_completion: bool,
    /// Usage in streams is asked for.
    pub(in super::super) asks_for_usage: bool,
    /// Thoughts are asked for, to be sent back.
    pub(in super::super) keeps_thoughts: bool,
    /// What may be cached is marked.
    pub(in super::super) marks_cache: bool,
    /// How much the model should think, in the provider's word.
    pub(in super::super) effort: Option<String>,
}

impl ModelCapabilities {
    pub(in super::super) fn new(says_completion: bool, effort: Option<String>) -> Self {
        Self {
            streams: false,
            declares_schema: true,
            forces_tools: true,
            says_completion,
            asks_for_usage: true,
            keeps_thoughts: true,
            marks_cache: true,
            effort,
        }
    }

    /// Learns from what a server says of a request that it refused as malformed. Whether there was something to learn,
    /// so that the request may do when it is sent anew.
    pub(in super::super) fn learn(&mut self, words: &str, request: &ChatRequest) -> bool {
        let words = words.to_lowercase();
        let names = |these: &[&str]| these.iter().any(|this| words.contains(this));
        let before = self.clone();
        if request.output.is_some()
            && names(&[
                "response_format",
                "json_schema",
                "output_config",
                "output_format",
                "text.format",
                "structured output",
            ])
        {
            self.declares_schema = false;
        } else if names(&["tool_choice"]) {
            self.forces_tools = false;
        } else if self.streams && names(&["stream_options", "include_usage"]) {
            self.asks_for_usage = false;
        } else if names(&["cache_control"]) {
            self.marks_cache = false;
        } else if names(&["encrypted_content", "encrypted content"]) {
            self.keeps_thoughts = false;
        } else if names(&["max_tokens", "max_completion_tokens"])
            && names(&[
                "unsupported",
                "not supported",
                "unknown",
                "unrecognized",
                "not permitted",
                "extra input",
                "unexpected",
            ])
        {
            self.says_completion = !self.says_completion;
        }
        *self != before
    }

    /// The system's words, with what cannot be said in fields.
    pub(super) fn system(&self, request: &ChatRequest) -> String {
        let mut system = request.system.clone();
        let mut add = |words: &str| {
            if !system.is_empty() {
                system.push_str("\n\n");
            }
            system.push_str(words);
        };
        if !self.forces_tools {
            match &request.tool_choice {
                ToolChoice::Required => add("Call at least one tool now."),
                ToolChoice::Named(name) => add(&format!("Call the tool `{name}` now.")),
                ToolChoice::Auto | ToolChoice::None => {}
            }
        }
        if let Some(output) = request.output.as_ref().filter(|_| !self.declares_schema) {
            add(&in_words(output));
        }
        system
    }

    /// The form, where it goes into a field.
    pub(super) fn schema<'a>(&self, request: &'a ChatRequest) -> Option<&'a OutputSchema> {
        request.output.as_ref().filter(|_| self.declares_schema)
    }

    /// Whether tools may be called, as far as it can be said in a field.
    pub(super) fn choice<'a>(&self, request: &'a ChatRequest) -> &'a ToolChoice {
        match &request.tool_choice {
            ToolChoice::Required | ToolChoice::Named(_) if !self.forces_tools => &ToolChoice::Auto,
            choice => choice,
        }
    }
}

/// The form of a reply, asked for in words.
pub(in super::super) fn in_words(output: &OutputSchema) -> String {
    format!(
        "Answer with one JSON value and nothing else: no fence around it, no words before or behind it. It must fit this \
         JSON schema:\n{}",
        output.schema
    )
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn each_refusal_is_learned_once() {
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
            assert!(capabilities.learn(words, &request), "{words}");
            if !words.contains("max_tokens") {
                assert!(!capabilities.learn(words, &request), "{words}");
            }
        }
        let mut capabilities = ModelCapabilities::new(false, None);
        assert!(!capabilities.learn("max_tokens is too large: 9000. This model takes at most 4096", &request));
        assert!(!capabilities.learn("messages.3: bad", &request));
        capabilities.learn("response_format", &request);
        capabilities.learn("tool_choice", &request);
        assert!(capabilities.schema(&request).is_none());
        assert_eq!(capabilities.choice(&request), &ToolChoice::Auto);
        let system = capabilities.system(&request);
        assert!(system.contains(r#"{"type":"object"}"#) && system.contains("Call at least one tool"), "{system}");
    }
}
