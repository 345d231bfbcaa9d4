//! The lists of the fixtures: tools, resources, prompts, by the names that the scenarios want.

use rmcp::model::{JsonObject, Prompt, PromptArgument, Resource, ResourceContents, ResourceTemplate, Tool};
use serde_json::{Value, json};

/// An opaque red pixel, PNG.
pub const PIXEL_PNG: &str =
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAIAAACQd1PeAAAADElEQVR42mP4z8AAAAMBAQD3A0FDAAAAAElFTkSuQmCC";
/// A WAV file with a header and eight silent samples.
pub const SILENCE_WAV: &str = "UklGRiwAAABXQVZFZm10IBAAAAABAAEAQB8AAEAfAAABAAgAZGF0YQgAAACAgICAgICAgA==";

/// The scheme of the fixtures' resources.
pub const SCHEME: &str = "test://";
const STATIC_TEXT: &str = "test://static-text";
const STATIC_BINARY: &str = "test://static-binary";
const WATCHED: &str = "test://watched-resource";
/// How the template's addresses begin.
pub const TEMPLATE_HEAD: &str = "test://template/";
const TEMPLATE_TAIL: &str = "/data";

fn object(value: Value) -> JsonObject {
    match value {
        Value::Object(map) => map,
        other => unreachable!("a fixture schema is not an object: {other}"),
    }
}

fn no_arguments() -> Value {
    json!({ "type": "object", "properties": {} })
}

fn custom_header_tool() -> Tool {
    Tool::new(
        "test_custom_header",
        "Fixture: its argument is mirrored in an Mcp-Param header",
        object(json!({
            "type": "object",
            "properties": { "value": { "type": "string", "x-mcp-header": "Value" } },
            "required": ["value"]
        })),
    )
}

fn json_schema_tool() -> Tool {
    Tool::new(
        "json_schema_2020_12_tool",
        "Fixture: keeps the keywords of JSON Schema 2020-12",
        object(json!({
            "$schema": "https://json-schema.org/draft/2020-12/schema",
            "type": "object",
            "$defs": {
                "address": {
                    "$anchor": "place",
                    "type": "object",
                    "properties": { "street": { "type": "string" }, "city": { "type": "string" } }
                }
            },
            "properties": {
                "name": { "type": "string" },
                "address": { "$ref": "#/$defs/address" },
                "contactMethod": { "type": "string", "enum": ["phone", "email"] },
                "phone": { "type": "string" },
                "email": { "type": "string" }
            },
            "allOf": [{ "anyOf": [{ "required": ["phone"] }, { "required": ["email"] }] }],
            "if": {
                "properties": { "contactMethod": { "const": "phone" } },
                "required": ["contactMethod"]
            },
            "then": { "required": ["phone"] },
            "else": { "required": ["email"] },
            "additionalProperties": false
        })),
    )
}

pub fn tools() -> Vec<Tool> {
    let plain = [
        ("test_simple_text", "Fixture: one text"),
        ("test_image_content", "Fixture: one image"),
        ("test_audio_content", "Fixture: one sound"),
        ("test_embedded_resource", "Fixture: one embedded resource"),
        ("test_multiple_content_types", "Fixture: text, image and resource"),
        ("test_tool_with_logging", "Fixture: three log messages"),
        ("test_error_handling", "Fixture: always fails"),
        ("test_tool_with_progress", "Fixture: three progress messages"),
        ("test_elicitation_sep1034_defaults", "Fixture: elicitation with default values"),
        ("test_elicitation_sep1330_enums", "Fixture: elicitation with enumerations"),
        ("test_reconnection", "Fixture: a short wait"),
        ("test_trigger_tool_change", "Fixture: tells listeners that the tools changed"),
        ("test_trigger_prompt_change", "Fixture: tells listeners that the prompts changed"),
        ("test_missing_capability", "Fixture: needs the client's sampling capability"),
        ("test_streaming_elicitation", "Fixture: asks for input in its result"),
        ("test_logging_tool", "Fixture: logs only if the request asked for it"),
        ("greet", "Fixture: greets at once"),
        ("slow_compute", "Fixture: takes some seconds"),
        ("failing_job", "Fixture: a task that fails"),
        ("protocol_error_job", "Fixture: a task that ends in an error of the protocol"),
        ("confirm_delete", "Fixture: a task that asks once"),
        ("multi_input", "Fixture: a task that asks twice at once"),
        ("test_tool_with_task", "Fixture: asks, and becomes a task then"),
        ("test_input_required_result_elicitation", "Fixture: needs a name"),
        ("test_input_required_result_sampling", "Fixture: needs a sampled answer"),
        ("test_input_required_result_list_roots", "Fixture: needs the client's roots"),
        ("test_input_required_result_request_state", "Fixture: gets its state back"),
        ("test_input_required_result_multiple_inputs", "Fixture: needs three inputs"),
        ("test_input_required_result_multi_round", "Fixture: asks twice"),
        ("test_input_required_result_tampered_state", "Fixture: refuses an altered state"),
        ("test_input_required_result_capabilities", "Fixture: asks for what the client can do"),
    ];
    let one_string = |name: &str| {
        let mut schema = no_arguments();
        schema["properties"][name] = json!({ "type": "string" });
        schema["required"] = json!([name]);
        object(schema)
    };
    plain
        .into_iter()
        .map(|(name, about)| Tool::new(name, about, object(no_arguments())))
        .chain([
            Tool::new("test_sampling", "Fixture: asks the client's model", one_string("prompt")),
            Tool::new("test_elicitation", "Fixture: asks the user", one_string("message")),
            custom_header_tool(),
            json_schema_tool(),
        ])
        .collect()
}

pub fn resources() -> Vec<Resource> {
    vec![
        Resource::new(STATIC_TEXT, "static-text")
            .with_description("Fixture: a fixed text")
            .with_mime_type("text/plain"),
        Resource::new(STATIC_BINARY, "static-binary")
            .with_description("Fixture: a fixed picture")
            .with_mime_type("image/png"),
        Resource::new(WATCHED, "watched-resource")
            .with_description("Fixture: a text to subscribe to")
            .with_mime_type("text/plain"),
    ]
}

pub fn prompts() -> Vec<Prompt> {
    let argument = |name: &str| PromptArgument::new(name).with_description("Fixture argument").with_required(true);
    let prompt =
        |name: &str, about: &str, arguments: Option<Vec<PromptArgument>>| Prompt::new(name, Some(about), arguments);
    vec![
        prompt("test_simple_prompt", "Fixture: no arguments", None),
        prompt(
            "test_prompt_with_arguments",
            "Fixture: repeats its arguments",
            Some(vec![argument("arg1"), argument("arg2")]),
        ),
        prompt(
            "test_prompt_with_embedded_resource",
            "Fixture: with an embedded resource",
            Some(vec![argument("resourceUri")]),
        ),
        prompt("test_prompt_with_image", "Fixture: with an image", None),
        prompt("test_input_required_result_prompt", "Fixture: needs an input", None),
    ]
}

/// A resource's contents, where it is one of the fixtures'.
pub fn contents(uri: &str) -> Option<ResourceContents> {
    Some(match uri {
        STATIC_TEXT => ResourceContents::text("A fixed text for the tests.", uri),
        STATIC_BINARY => ResourceContents::blob(PIXEL_PNG, uri).with_mime_type("image/png"),
        WATCHED => ResourceContents::text("A text that may change.", uri),
        _ => {
            let id = uri.strip_prefix(TEMPLATE_HEAD)?.strip_suffix(TEMPLATE_TAIL)?;
            if id.is_empty() || id.contains('/') {
                return None;
            }
            let body = json!({ "id": id, "templateTest": true, "data": format!("Data for ID: {id}") });
            ResourceContents::text(body.to_string(), uri).with_mime_type("application/json")
        }
    })
}

/// The template of [`contents`].
pub fn template() -> ResourceTemplate {
    ResourceTemplate::new(format!("{TEMPLATE_HEAD}{{id}}{TEMPLATE_TAIL}"), "template")
        .with_description("Fixture: data of an id")
        .with_mime_type("application/json")
}
