//! The fixtures' tools and prompts.

use std::time::Duration;

use rmcp::model::*;
use rmcp::service::RequestContext;
use rmcp::{ErrorData, RoleServer};
use serde_json::{Value, json};

use crate::inputs::{
    self, DEFAULTS_SCHEMA, ENUMS_SCHEMA, answer, ask_schema, elicit, failed, filled_in, name_input, need, parsed,
    sample, text, user_input,
};
use crate::lists::{PIXEL_PNG, SILENCE_WAV};
use crate::state::State;

/// Whether the request is one of 2026-07-28 or later.
pub fn is_2026(context: &RequestContext<RoleServer>) -> bool {
    context.protocol_version().is_some_and(|version| version >= ProtocolVersion::V_2026_07_28)
}

async fn pause() {
    tokio::time::sleep(Duration::from_millis(50)).await;
}

async fn log(context: &RequestContext<RoleServer>, message: &str) {
    let params = LoggingMessageNotificationParam::new(LoggingLevel::Info, json!(message)).with_logger("fixtures");
    // A client that left does not read it; nothing to do about that.
    let _ = context.peer.notify_logging_message(params).await;
}

/// The answer of a fixture tool, or None if `name` is not one.
pub async fn call(
    state: &State,
    request: &CallToolRequestParams,
    context: &RequestContext<RoleServer>,
) -> Option<Result<CallToolResponse, ErrorData>> {
    let argument =
        |name: &str| request.arguments.as_ref().and_then(|arguments| arguments.get(name)).and_then(Value::as_str);
    if request.name.starts_with("test_input_required_result_") {
        return inputs::required(state, request, context).transpose();
    }
    let result = match request.name.as_ref() {
        "test_simple_text" => text("A simple text."),
        "test_image_content" => CallToolResult::success(vec![ContentBlock::image(PIXEL_PNG, "image/png")]),
        "test_audio_content" => CallToolResult::success(vec![ContentBlock::audio(SILENCE_WAV, "audio/wav")]),
        "test_embedded_resource" => CallToolResult::success(vec![ContentBlock::resource(ResourceContents::text(
            "An embedded text.",
            "test://embedded-resource",
        ))]),
        "test_multiple_content_types" => CallToolResult::success(vec![
            ContentBlock::text("Three kinds of content:"),
            ContentBlock::image(PIXEL_PNG, "image/png"),
            ContentBlock::resource(
                ResourceContents::text(
                    json!({ "test": "data", "value": 123 }).to_string(),
                    "test://mixed-content-resource",
                )
                .with_mime_type("application/json"),
            ),
        ]),
        "test_error_handling" => failed("This tool always fails."),
        "test_tool_with_logging" => {
            log(context, "started").await;
            pause().await;
            log(context, "at work").await;
            pause().await;
            log(context, "done").await;
            text("Logged three messages.")
        }
        "test_logging_tool" => {
            let wanted = context.meta.log_level().is_some() || !is_2026(context);
            if wanted {
                log(context, "wanted").await;
            }
            text(if wanted { "Logged." } else { "Not logged." })
        }
        "test_tool_with_progress" => {
            let token = context.meta.get_progress_token();
            for (progress, message) in [(0.0, "start"), (50.0, "half"), (100.0, "end")] {
                if let Some(token) = token.clone() {
                    let params =
                        ProgressNotificationParam::new(token, progress).with_total(100.0).with_message(message);
                    let _ = context.peer.notify_progress(params).await;
                }
                pause().await;
            }
            text("Made progress.")
        }
        "test_reconnection" => {
            tokio::time::sleep(Duration::from_millis(100)).await;
            text("Waited.")
        }
        "test_custom_header" => match argument("value") {
            Some(value) => text(value),
            None => failed("`value` must be a string"),
        },
        "json_schema_2020_12_tool" => text("Hello."),
        "test_sampling" => sample(context, argument("prompt").unwrap_or("Hello")).await,
        "test_elicitation" => {
            let schema = json!({
                "type": "object",
                "properties": {
                    "username": { "type": "string", "description": "User's response" },
                    "email": { "type": "string", "description": "User's email address" }
                },
                "required": ["username", "email"]
            });
            let message = argument("message").unwrap_or("Who are you?");
            elicit(context, ask_schema(message, schema)).await
        }
        "test_elicitation_sep1034_defaults" => {
            elicit(context, ask_schema("With default values", parsed(DEFAULTS_SCHEMA))).await
        }
        "test_elicitation_sep1330_enums" => {
            elicit(context, ask_schema("With enumerations", parsed(ENUMS_SCHEMA))).await
        }
        "test_trigger_tool_change" => {
            for sink in state.sinks() {
                // Refused by the sinks whose filter leaves tools out.
                let _ = sink.notify_tool_list_changed().await;
            }
            if !is_2026(context) {
                let _ = context.peer.notify_tool_list_changed().await;
            }
            text("Told the listeners about tools.")
        }
        "test_trigger_prompt_change" => {
            for sink in state.sinks() {
                let _ = sink.notify_prompt_list_changed().await;
            }
            if !is_2026(context) {
                let _ = context.peer.notify_prompt_list_changed().await;
            }
            text("Told the listeners about prompts.")
        }
        "test_missing_capability" => {
            let declared = context.client_capabilities().unwrap_or_default();
            if declared.sampling.is_none() {
                let required = ClientCapabilities::builder().enable_sampling().build();
                return Some(Err(ErrorData::missing_required_client_capability(required)));
            }
            text("The client can sample.")
        }
        "test_streaming_elicitation" => return Some(Ok(need([("user_name", name_input())], None))),
        _ => return None,
    };
    Some(Ok(result.into()))
}

/// The messages of a fixture prompt, or None if the request is about another.
pub fn prompt(request: &GetPromptRequestParams) -> Option<GetPromptResponse> {
    let argument = |name: &str| {
        request.arguments.as_ref().and_then(|arguments| arguments.get(name)).and_then(Value::as_str).unwrap_or_default()
    };
    let user = |content| PromptMessage::new(Role::User, content);
    let messages = match request.name.as_str() {
        "test_simple_prompt" => vec![user(ContentBlock::text("A simple prompt."))],
        "test_prompt_with_arguments" => vec![user(ContentBlock::text(format!(
            "Prompt with arguments: arg1='{}', arg2='{}'",
            argument("arg1"),
            argument("arg2")
        )))],
        "test_prompt_with_embedded_resource" => vec![
            user(ContentBlock::resource(ResourceContents::text("A text for the prompt.", argument("resourceUri")))),
            user(ContentBlock::text("Please read the text above.")),
        ],
        "test_prompt_with_image" => vec![
            user(ContentBlock::image(PIXEL_PNG, "image/png")),
            user(ContentBlock::text("Please look at the image above.")),
        ],
        "test_input_required_result_prompt" => match answer(request.input_responses.as_ref(), "user_context") {
            Some(given) => vec![user(ContentBlock::text(filled_in(given, "context")))],
            None => {
                let question = "What context should the prompt use?";
                let input = user_input(question, "context", "string");
                return Some(need([("user_context", input)], None));
            }
        },
        _ => return None,
    };
    Some(GetPromptResult::new(messages).into())
}
