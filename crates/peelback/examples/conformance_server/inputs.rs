//! Input that the client must give: asked in a result (2026-07-28) or by a request of the server's (before it).

use rmcp::model::*;
use rmcp::service::RequestContext;
use rmcp::{ErrorData, RoleServer};
use serde_json::{Value, json};

use crate::state::State;

/// An answer of one text.
pub fn text(value: impl Into<String>) -> CallToolResult {
    CallToolResult::success(vec![ContentBlock::text(value)])
}

pub fn failed(value: impl Into<String>) -> CallToolResult {
    CallToolResult::error(vec![ContentBlock::text(value)])
}

/// One string or boolean field, asked of the user.
fn ask(message: &str, field: &str, kind: &str) -> ElicitRequestParams {
    ask_schema(message, json!({ "type": "object", "properties": { field: { "type": kind } }, "required": [field] }))
}

pub fn ask_schema(message: &str, schema: Value) -> ElicitRequestParams {
    ElicitRequestParams::FormElicitationParams {
        meta: None,
        message: message.to_owned(),
        requested_schema: serde_json::from_value(schema)
            .unwrap_or_else(|error| unreachable!("a fixture schema is not usable: {error}")),
    }
}

pub fn user_input(message: &str, field: &str, kind: &str) -> InputRequest {
    InputRequest::Elicitation(ElicitRequest::new(ask(message, field, kind)))
}

fn model_input(prompt: &str) -> InputRequest {
    InputRequest::CreateMessage(CreateMessageRequest::new(CreateMessageRequestParams::new(
        vec![SamplingMessage::user_text(prompt)],
        100,
    )))
}

fn roots_input() -> InputRequest {
    InputRequest::ListRoots(ListRootsRequest::default())
}

pub fn name_input() -> InputRequest {
    user_input("What is your name?", "name", "string")
}

pub fn need<T: From<InputRequiredResult>, const N: usize>(
    inputs: [(&str, InputRequest); N],
    state: Option<String>,
) -> T {
    let inputs = inputs.into_iter().map(|(key, request)| (key.to_owned(), request)).collect();
    InputRequiredResult::new(Some(inputs), state).into()
}

/// The client's answer for `key`; whatever is not an object counts as none.
pub fn answer<'a>(inputs: Option<&'a InputResponses>, key: &str) -> Option<&'a JsonObject> {
    inputs?.get(key)?.as_object()
}

/// The field `name` of what a user filled in.
pub fn filled_in<'a>(answer: &'a JsonObject, name: &str) -> &'a str {
    answer.get("content").and_then(|content| content.get(name)).and_then(Value::as_str).unwrap_or("nobody")
}

pub const DEFAULTS_SCHEMA: &str = r#"{
    "type": "object",
    "properties": {
        "name": { "type": "string", "default": "John Doe" },
        "age": { "type": "integer", "default": 30 },
        "score": { "type": "number", "default": 95.5 },
        "status": { "type": "string", "enum": ["active", "inactive", "pending"], "default": "active" },
        "verified": { "type": "boolean", "default": true }
    }
}"#;

pub const ENUMS_SCHEMA: &str = r#"{
    "type": "object",
    "properties": {
        "untitledSingle": { "type": "string", "enum": ["option1", "option2", "option3"] },
        "titledSingle": { "type": "string", "oneOf": [
            { "const": "value1", "title": "One" },
            { "const": "value2", "title": "Two" },
            { "const": "value3", "title": "Three" }
        ] },
        "legacyEnum": { "type": "string", "enum": ["opt1", "opt2", "opt3"], "enumNames": ["One", "Two", "Three"] },
        "untitledMulti": { "type": "array", "items": { "type": "string", "enum": ["option1", "option2", "option3"] } },
        "titledMulti": { "type": "array", "items": { "anyOf": [
            { "const": "value1", "title": "One" },
            { "const": "value2", "title": "Two" },
            { "const": "value3", "title": "Three" }
        ] } }
    }
}"#;

/// Asks a legacy client with a request of the server's.
pub async fn elicit(context: &RequestContext<RoleServer>, params: ElicitRequestParams) -> CallToolResult {
    let request = ServerRequest::ElicitRequest(ElicitRequest::new(params));
    match context.peer.send_request(request).await {
        Ok(ClientResult::ElicitResult(result)) => text(format!(
            "Elicitation completed: action={:?}, content={}",
            result.action,
            result.content.unwrap_or_default()
        )),
        Ok(_) => failed("the client's answer is not one to an elicitation"),
        Err(error) => failed(format!("elicitation failed: {error}")),
    }
}

pub async fn sample(context: &RequestContext<RoleServer>, prompt: &str) -> CallToolResult {
    let message = vec![SamplingMessage::user_text(prompt)];
    match context.peer.create_message(CreateMessageRequestParams::new(message, 100)).await {
        Ok(result) => {
            let said = result.message.content.first().and_then(|part| part.as_text());
            text(format!("LLM response: {}", said.map_or("(no text)", |part| part.text.as_str())))
        }
        Err(error) => failed(format!("sampling failed: {error}")),
    }
}

pub fn parsed(schema: &str) -> Value {
    serde_json::from_str(schema).unwrap_or_else(|error| unreachable!("a fixture schema is not JSON: {error}"))
}

/// SEP-2322: tools that ask for input in their result.
pub fn required(
    state: &State,
    request: &CallToolRequestParams,
    context: &RequestContext<RoleServer>,
) -> Result<Option<CallToolResponse>, ErrorData> {
    let given = request.input_responses.as_ref();
    let stage = request.request_state.as_deref().map(|sealed| state.open(sealed)).transpose()?;
    let response = match request.name.as_ref() {
        "test_input_required_result_elicitation" => match answer(given, "user_name") {
            Some(user) => text(format!("Hello, {}!", filled_in(user, "name"))).into(),
            None => need([("user_name", name_input())], None),
        },
        "test_input_required_result_sampling" => match answer(given, "capital_question") {
            Some(said) => {
                let said = said.get("content").and_then(|content| content.get("text"));
                text(said.and_then(Value::as_str).unwrap_or("(no text)")).into()
            }
            None => need([("capital_question", model_input("What is the capital of France?"))], None),
        },
        "test_input_required_result_list_roots" => match answer(given, "client_roots") {
            Some(roots) => {
                let roots = roots.get("roots").cloned().unwrap_or_default();
                text(format!("Roots: {roots}")).into()
            }
            None => need([("client_roots", roots_input())], None),
        },
        "test_input_required_result_request_state" | "test_input_required_result_tampered_state" => match stage {
            Some(_) => text("state-ok").into(),
            None => need([("confirm", user_input("Please confirm", "ok", "boolean"))], Some(state.seal("confirm"))),
        },
        "test_input_required_result_multiple_inputs" => {
            let all = ["user_name", "greeting", "client_roots"].iter().all(|key| answer(given, key).is_some());
            if all && stage.is_some() {
                text("Got all three inputs.").into()
            } else {
                need(
                    [
                        ("user_name", name_input()),
                        ("greeting", model_input("Generate a greeting")),
                        ("client_roots", roots_input()),
                    ],
                    Some(state.seal("gather")),
                )
            }
        }
        "test_input_required_result_multi_round" => match stage.as_deref() {
            None => {
                need([("step1", user_input("Step 1: What is your name?", "name", "string"))], Some(state.seal("first")))
            }
            Some("first") => need(
                [("step2", user_input("Step 2: What is your favorite color?", "color", "string"))],
                Some(state.seal("second")),
            ),
            Some(_) => text("Got both answers.").into(),
        },
        "test_input_required_result_capabilities" => {
            let can = context.client_capabilities().unwrap_or_default();
            let wanted = [
                (can.elicitation.is_some(), "user_name", name_input()),
                (can.sampling.is_some(), "greeting", model_input("Generate a greeting")),
                (can.roots.is_some(), "client_roots", roots_input()),
            ];
            let requests: InputRequests = wanted
                .into_iter()
                .filter(|(can, ..)| *can)
                .map(|(_, key, request)| (key.to_owned(), request))
                .collect();
            if given.is_some() || requests.is_empty() {
                text("Nothing more to ask.").into()
            } else {
                InputRequiredResult::from_input_requests(requests).into()
            }
        }
        _ => return Ok(None),
    };
    Ok(Some(response))
}
