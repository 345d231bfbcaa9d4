//! What a request costs in tokens, before it is sent.

use std::collections::VecDeque;

use peelback_tokens::count;

use super::message::Message;
use super::model::{ChatRequest, ToolDefinition, Usage};

/// Tokens around a message: its role and its ends. OpenAI's own formula has 3 and 1 for a name.
const PER_MESSAGE: u64 = 4;
/// Tokens around a call, its result or a tool: names of fields, marks.
const PER_PART: u64 = 12;
/// Tokens around all of a request.
const PER_REQUEST: u64 = 7;

/// How many tokens `request` costs by OpenAI's o200k tokenizer: its system, messages, tools and form, with what stands
/// around them. Other models count more or less: see [`Calibration`].
pub fn count_request(request: &ChatRequest) -> u64 {
    let messages: u64 = request.messages.iter().map(count_message).sum();
    let tools: u64 = request.tools.iter().map(count_tool).sum();
    let output =
        request.output.as_ref().map_or(0, |output| PER_PART + words(&output.name) + words(&output.schema.to_string()));
    PER_REQUEST + words(&request.system) + messages + tools + output
}

/// The part of [`count_request`] that one message is.
pub fn count_message(message: &Message) -> u64 {
    PER_MESSAGE
        + match message {
            Message::User { text } => words(text),
            Message::Assistant(said) => {
                let calls = said
                    .tool_calls
                    .iter()
                    .map(|call| PER_PART + words(&call.id) + words(&call.name) + words(&call.arguments.to_string()));
                let opaque = said.opaque.as_ref().map_or(0, |opaque| words(&opaque.to_string()));
                words(&said.text) + calls.sum::<u64>() + opaque
            }
            Message::Tools { results } => {
                results.iter().map(|result| PER_PART + words(&result.call_id) + words(&result.content)).sum()
            }
        }
}

fn count_tool(tool: &ToolDefinition) -> u64 {
    PER_PART + words(&tool.name) + words(&tool.description) + words(&tool.parameters.to_string())
}

fn words(text: &str) -> u64 {
    count(text) as u64
}

/// Replies that are remembered.
const WINDOW: usize = 8;
/// Texts differ: the next request may be one of which the provider counts so much more than of those before.
const MARGIN: f64 = 1.05;
/// Requests with fewer tokens say little: what stands around the text weighs too much.
const TELLING: u64 = 200;

/// How many tokens a provider counts where o200k counts one, learned from what it reports.
///
/// The factor is the largest of the last eight ratios and a twentieth more, so one underestimate raises it at once, and
/// only eight replies without another lower it again. It is never below 1 before there were eight.
#[derive(Debug, Clone, PartialEq)]
pub struct Calibration {
    assumed: f64,
    ratios: VecDeque<f64>,
}

impl Calibration {
    /// Begins with `assumed`, which counts until a reply has told; see [`Vendor::token_ratio`](super::Vendor).
    pub fn new(assumed: f64) -> Self {
        Self { assumed: assumed.max(1.0), ratios: VecDeque::with_capacity(WINDOW) }
    }

    /// Begins with what is assumed of the provider in `provider/model`.
    pub fn of(model: &str) -> Self {
        Self::new(super::vendors::vendor_of(model).map_or(1.5, |(vendor, _)| vendor.token_ratio))
    }

    /// Learns that a request that counted `counted` was reported as `usage`.
    pub fn learn(&mut self, counted: u64, usage: &Usage) {
        if counted < TELLING || usage.input == 0 {
            return;
        }
        if self.ratios.len() == WINDOW {
            self.ratios.pop_front();
        }
        self.ratios.push_back(float(usage.input) / float(counted));
    }

    /// What a count is multiplied with.
    pub fn factor(&self) -> f64 {
        let Some(most) = self.ratios.iter().copied().reduce(f64::max) else { return self.assumed };
        let factor = most * MARGIN;
        if self.ratios.len() < WINDOW { factor.max(1.0) } else { factor }
    }

    /// The provider's tokens for `counted` ones, rounded up.
    pub fn estimate(&self, counted: u64) -> u64 {
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "positive; too much is the most")]
        let estimate = (float(counted) * self.factor()).ceil() as u64;
        estimate
    }

    /// The most counted tokens whose estimate is not over `tokens`.
    pub fn fitting(&self, tokens: u64) -> u64 {
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "positive; too much is the most")]
        let fitting = (float(tokens) / self.factor()).floor() as u64;
        // Rounding may be one off.
        if self.estimate(fitting) > tokens { fitting.saturating_sub(1) } else { fitting }
    }
}

#[expect(clippy::cast_precision_loss, reason = "tokens are far fewer than 2^53")]
pub(super) fn float(tokens: u64) -> f64 {
    tokens as f64
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::chat::{AssistantMessage, OutputSchema, ToolCall, ToolResult};

    fn used(input: u64) -> Usage {
        Usage { input, ..Usage::default() }
    }

    #[test]
    fn every_part_of_a_request_counts() {
        let bare = ChatRequest { messages: vec![Message::user("How?")], ..ChatRequest::default() };
        let words = "the quick brown fox jumps over the lazy dog".repeat(5);
        let more = count(&words) as u64;
        let call = ToolCall { id: "a".to_owned(), name: "b".to_owned(), arguments: json!({ "x": words }) };
        let said = |said| Message::Assistant(said);
        let result =
            ToolResult { call_id: "a".to_owned(), name: "b".to_owned(), content: words.clone(), is_error: false };
        let with = |message| ChatRequest { messages: vec![Message::user("How?"), message], ..ChatRequest::default() };
        for larger in [
            ChatRequest { system: words.clone(), ..bare.clone() },
            with(Message::user(words.clone())),
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
            assert!(count_request(&larger) >= count_request(&bare) + more, "{larger:?}");
        }
    }

    #[test]
    fn what_is_assumed_counts_until_a_reply_tells() {
        let mut calibration = Calibration::of("anthropic/claude-sonnet-4-5");
        assert!((calibration.factor() - 1.5).abs() < 1e-9);
        calibration.learn(50, &used(500));
        calibration.learn(1_000, &used(0));
        assert!((calibration.factor() - 1.5).abs() < 1e-9, "neither tells");
        calibration.learn(1_000, &used(1_200));
        assert!((calibration.factor() - 1.26).abs() < 1e-9);
        assert!((Calibration::new(0.2).factor() - 1.0).abs() < 1e-9);
    }

    #[test]
    fn an_underestimate_is_learned_at_once_and_forgotten_late() {
        let mut calibration = Calibration::new(1.0);
        for _ in 0..7 {
            calibration.learn(1_000, &used(700));
            assert!(calibration.factor() >= 1.0);
        }
        calibration.learn(1_000, &used(700));
        assert!(calibration.factor() < 1.0, "eight have shown it");
        calibration.learn(1_000, &used(1_400));
        for _ in 0..7 {
            assert!(calibration.factor() > 1.4);
            calibration.learn(1_000, &used(700));
        }
        assert!(calibration.factor() > 1.4);
        calibration.learn(1_000, &used(700));
        assert!(calibration.factor() < 1.0);
    }

    #[test]
    fn what_fits_is_the_most_that_fits() {
        for factor in [1.0, 1.05, 1.26, 1.5, 1.999] {
            let calibration = Calibration::new(factor);
            for tokens in (0..300).chain([20_000, 39_999]) {
                let fitting = calibration.fitting(tokens);
                assert!(calibration.estimate(fitting) <= tokens);
                assert!(calibration.estimate(fitting + 2) > tokens, "{factor} {tokens}");
            }
        }
    }
}
