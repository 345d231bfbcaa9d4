//! The tokens of a request, estimated before it is sent.

use std::collections::VecDeque;

use peelback_tokens::count_tokens;

use super::message::Message;
use super::model::{ChatRequest, ToolDefinition, Usage};

/// The tokens that a message has in addition to its text, for its role and its ends. OpenAI documents 3, and 1 for a
/// name.
const MESSAGE_OVERHEAD_TOKENS: u64 = 4;
/// The tokens that a tool call, a tool result or a tool declaration has in addition to its texts: names of fields and
/// separators.
const PART_OVERHEAD_TOKENS: u64 = 12;
/// The tokens that a request has in addition to its messages, tools and other parts.
const REQUEST_OVERHEAD_TOKENS: u64 = 7;

/// The tokens of `request` by OpenAI's o200k tokenizer: of the system prompt, messages, tools and output schema, with
/// the overhead of each. Other models count more or fewer: see [`TokenCountCalibration`].
pub fn count_request_tokens(request: &ChatRequest) -> u64 {
    let messages: u64 = request.messages.iter().map(count_message_tokens).sum();
    let tools: u64 = request.tools.iter().map(count_tool_declaration_tokens).sum();
    let output = request.output.as_ref().map_or(0, |output| {
        PART_OVERHEAD_TOKENS + count_text_tokens(&output.name) + count_text_tokens(&output.schema.to_string())
    });
    REQUEST_OVERHEAD_TOKENS + count_text_tokens(&request.system) + messages + tools + output
}

/// The o200k tokens of one message, as [`count_request_tokens`] counts them.
pub fn count_message_tokens(message: &Message) -> u64 {
    MESSAGE_OVERHEAD_TOKENS
        + match message {
            Message::User { text } => count_text_tokens(text),
            Message::Assistant(assistant_message) => {
                let calls = assistant_message.tool_calls.iter().map(|call| {
                    PART_OVERHEAD_TOKENS
                        + count_text_tokens(&call.id)
                        + count_text_tokens(&call.name)
                        + count_text_tokens(&call.arguments.to_string())
                });
                let opaque =
                    assistant_message.opaque.as_ref().map_or(0, |opaque| count_text_tokens(&opaque.to_string()));
                count_text_tokens(&assistant_message.text) + calls.sum::<u64>() + opaque
            }
            Message::Tools { results } => results
                .iter()
                .map(|result| {
                    PART_OVERHEAD_TOKENS + count_text_tokens(&result.call_id) + count_text_tokens(&result.content)
                })
                .sum(),
        }
}

/// The o200k tokens of the declaration of a tool.
fn count_tool_declaration_tokens(tool: &ToolDefinition) -> u64 {
    PART_OVERHEAD_TOKENS
        + count_text_tokens(&tool.name)
        + count_text_tokens(&tool.description)
        + count_text_tokens(&tool.parameters.to_string())
}

/// The o200k tokens of a text.
fn count_text_tokens(text: &str) -> u64 {
    count_tokens(text) as u64
}

/// The number of replies whose ratios of provider tokens to o200k tokens are kept.
const MAX_RATIOS: usize = 8;
/// The factor by which the highest ratio is raised: the next request may have a higher one, since texts differ.
const SAFETY_FACTOR: f64 = 1.05;
/// The minimum of tokens in a request whose ratio is kept: in shorter requests the overhead weighs too much.
const MIN_COUNTED_TOKENS: u64 = 200;

/// The ratio of the tokens that a provider counts to those that o200k counts, learned from the usage it reports.
///
/// The factor is the highest of the last eight ratios and a twentieth more: one underestimate raises it at once, and
/// only eight replies without another lower it again. It is at least 1 until there are eight ratios.
#[derive(Debug, Clone, PartialEq)]
pub struct TokenCountCalibration {
    /// The factor that is used before the first ratio is learned.
    initial: f64,
    ratios: VecDeque<f64>,
}

impl TokenCountCalibration {
    /// Creates a calibration with the factor `initial` (at least 1) until the first reply; see
    /// [`Vendor::token_ratio`](crate::chat::vendors::Vendor).
    pub fn new(initial: f64) -> Self {
        Self { initial: initial.max(1.0), ratios: VecDeque::with_capacity(MAX_RATIOS) }
    }

    /// Creates a calibration with the initial factor of the provider in the name `provider/model`.
    pub fn new_for_model(model: &str) -> Self {
        Self::new(super::vendors::parse_vendor_and_model_name(model).map_or(1.5, |(vendor, _)| vendor.token_ratio))
    }

    /// Records the `usage` that the provider reported for a request of `counted` tokens by o200k.
    pub fn record_usage(&mut self, counted: u64, usage: &Usage) {
        if counted < MIN_COUNTED_TOKENS || usage.input == 0 {
            return;
        }
        if self.ratios.len() == MAX_RATIOS {
            self.ratios.pop_front();
        }
        self.ratios.push_back(tokens_as_float(usage.input) / tokens_as_float(counted));
    }

    /// The estimated ratio of the tokens that the provider counts to o200k tokens.
    pub fn provider_token_factor(&self) -> f64 {
        let Some(highest) = self.ratios.iter().copied().reduce(f64::max) else { return self.initial };
        let factor = highest * SAFETY_FACTOR;
        if self.ratios.len() < MAX_RATIOS { factor.max(1.0) } else { factor }
    }

    /// The estimated tokens that the provider counts for `counted` o200k tokens, rounded up.
    pub fn estimate_provider_tokens(&self, counted: u64) -> u64 {
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "positive; the cast saturates")]
        let estimate = (tokens_as_float(counted) * self.provider_token_factor()).ceil() as u64;
        estimate
    }

    /// The highest number of o200k tokens whose estimate is at most `tokens` tokens of the provider.
    pub fn max_o200k_tokens_for_provider_limit(&self, tokens: u64) -> u64 {
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "positive; the cast saturates")]
        let fitting = (tokens_as_float(tokens) / self.provider_token_factor()).floor() as u64;
        // Rounding the number of tokens may be off by one.
        if self.estimate_provider_tokens(fitting) > tokens { fitting.saturating_sub(1) } else { fitting }
    }
}

#[expect(clippy::cast_precision_loss, reason = "requests have far fewer than 2^53 tokens")]
/// A number of tokens as a float, for calculations with prices and ratios.
pub(super) fn tokens_as_float(tokens: u64) -> f64 {
    tokens as f64
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::chat::message::{AssistantMessage, ToolCall, ToolResult};
    use crate::chat::model::OutputSchema;

    fn usage_of_input(input: u64) -> Usage {
        Usage { input, ..Usage::default() }
    }

    #[test]
    fn every_part_of_a_request_adds_its_tokens() {
        let bare = ChatRequest { messages: vec![Message::new_user_message("How?")], ..ChatRequest::default() };
        let words = "the quick brown fox jumps over the lazy dog".repeat(5);
        let more = count_tokens(&words) as u64;
        let call = ToolCall { id: "a".to_owned(), name: "b".to_owned(), arguments: json!({ "x": words }) };
        let said = |said| Message::Assistant(said);
        let result =
            ToolResult { call_id: "a".to_owned(), name: "b".to_owned(), content: words.clone(), is_error: false };
        let with = |message| ChatRequest {
            messages: vec![Message::new_user_message("How?"), message],
            ..ChatRequest::default()
        };
        for larger in [
            ChatRequest { system: words.clone(), ..bare.clone() },
            with(Message::new_user_message(words.clone())),
            with(said(AssistantMessage { text: words.clone(), ..AssistantMessage::default() })),
            with(said(AssistantMessage { tool_calls: vec![call], ..AssistantMessage::default() })),
            with(said(AssistantMessage { opaque: Some(json!([words])), ..AssistantMessage::default() })),
            with(Message::Tools { results: vec![result] }),
            ChatRequest {
                tools: vec![ToolDefinition {
                    name: "b".to_owned(),
                    description: words.clone(),
                    parameters: json!({ "x": words }),
                }],
                ..bare.clone()
            },
            ChatRequest {
                output: Some(OutputSchema { name: "b".to_owned(), schema: json!({ "x": words }) }),
                ..bare.clone()
            },
        ] {
            assert!(count_request_tokens(&larger) >= count_request_tokens(&bare) + more, "{larger:?}");
        }
    }

    #[test]
    fn the_initial_factor_is_used_until_a_reply_has_enough_tokens() {
        let mut calibration = TokenCountCalibration::new_for_model("anthropic/claude-sonnet-4-5");
        assert!((calibration.provider_token_factor() - 1.5).abs() < 1e-9);
        calibration.record_usage(50, &usage_of_input(500));
        calibration.record_usage(1_000, &usage_of_input(0));
        assert!((calibration.provider_token_factor() - 1.5).abs() < 1e-9, "neither is recorded");
        calibration.record_usage(1_000, &usage_of_input(1_200));
        assert!((calibration.provider_token_factor() - 1.26).abs() < 1e-9);
        assert!((TokenCountCalibration::new(0.2).provider_token_factor() - 1.0).abs() < 1e-9);
    }

    #[test]
    fn an_underestimate_raises_the_factor_at_once_and_lowers_it_after_eight_replies() {
        let mut calibration = TokenCountCalibration::new(1.0);
        for _ in 0..7 {
            calibration.record_usage(1_000, &usage_of_input(700));
            assert!(calibration.provider_token_factor() >= 1.0);
        }
        calibration.record_usage(1_000, &usage_of_input(700));
        assert!(calibration.provider_token_factor() < 1.0, "there are eight ratios");
        calibration.record_usage(1_000, &usage_of_input(1_400));
        for _ in 0..7 {
            assert!(calibration.provider_token_factor() > 1.4);
            calibration.record_usage(1_000, &usage_of_input(700));
        }
        assert!(calibration.provider_token_factor() > 1.4);
        calibration.record_usage(1_000, &usage_of_input(700));
        assert!(calibration.provider_token_factor() < 1.0);
    }

    #[test]
    fn the_highest_count_within_a_limit_is_found() {
        for factor in [1.0, 1.05, 1.26, 1.5, 1.999] {
            let calibration = TokenCountCalibration::new(factor);
            for tokens in (0..300).chain([20_000, 39_999]) {
                let fitting = calibration.max_o200k_tokens_for_provider_limit(tokens);
                assert!(calibration.estimate_provider_tokens(fitting) <= tokens);
                assert!(calibration.estimate_provider_tokens(fitting + 2) > tokens, "{factor} {tokens}");
            }
        }
    }
}
