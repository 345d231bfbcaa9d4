//! Converts an MCP request to the arguments of a tool, and the tool's reply to the content of the answer.

use peelback_code::{ErrorCategory, find_similar_names};
use peelback_tools::{
    AnyTool, Format, Guidance, RecoverableError, Reply, ReplyStatus, all_tools, tool_by_name_or_alias,
};
use rmcp::ErrorData;
use rmcp::model::{Annotations, CallToolResult, ContentBlock, Role, TextContent};
use serde_json::{Map, Value};

use super::calls::CallOutcome;
use super::messages::MessageError;

/// The arguments of a tool call that determine its project and its path, under the parameters' canonical names.
pub(super) fn project_and_path_arguments(tool: &AnyTool, arguments: &Map<String, Value>) -> Value {
    let wanted_parameters = ["root", "path", "scope", "name"];
    let named = arguments.iter().filter_map(|(given, value)| {
        let parameter = tool.parameter_by_name_alias_or_flag(given)?;
        // A number or a boolean is converted to text, because the tools accept both forms.
        let value = if value.is_number() || value.is_boolean() { value.to_string().into() } else { value.clone() };
        wanted_parameters.contains(&parameter.name.as_str()).then(|| (parameter.name.clone(), value))
    });
    Value::Object(named.collect())
}

/// The output format that a tool call requests: text or JSON.
pub(super) fn requested_output_format(tool: &AnyTool, arguments: &Map<String, Value>) -> Format {
    let is_json = arguments.iter().any(|(given, value)| {
        is_name_or_alias_of_parameter(tool, given, "format")
            && value.as_str().is_some_and(|word| word.eq_ignore_ascii_case("json"))
    });
    if is_json { Format::Json } else { Format::Text }
}

/// Whether an argument named `given` is the parameter `name`, possibly under another name of the parameter.
fn is_name_or_alias_of_parameter(tool: &AnyTool, given: &str, name: &str) -> bool {
    tool.parameter_by_name_alias_or_flag(given).is_some_and(|parameter| parameter.name == name)
}

/// The protocol error for a call of a tool that does not exist.
pub(super) fn unknown_tool_error(name: &str) -> ErrorData {
    let names = all_tools().iter().flat_map(|tool| std::iter::once(&tool.name).chain(tool.aliases)).copied();
    let nearest_names = find_similar_names(&name.replace('-', "_"), names, 1);
    // The error's suggestion uses the tool's name in the list of tools, not an alias.
    let advice = match nearest_names.first().and_then(|near| tool_by_name_or_alias(near)) {
        Some(tool) => format!("did you mean {}?", tool.name),
        None => format!("the tools are {}", all_tools().iter().map(|tool| tool.name).collect::<Vec<_>>().join(", ")),
    };
    let name: String = name.chars().take(80).collect();
    ErrorData::invalid_params(format!("there is no tool {name}: {advice}"), None)
}

/// A call of a tool, as parsed from a request of a client.
#[derive(Debug, PartialEq)]
pub(super) struct ToolCall {
    /// The name of the called tool.
    pub name: String,
    /// The arguments of the call; where they are not an object, the tool reports the error.
    pub arguments: Value,
}

/// Parses a tool call from request parameters that do not have the protocol's form. Models sometimes write the
/// arguments as a string that contains JSON; the string is parsed as the object. It is checked as a message is, since the
/// check of the message saw one text, and `has_room_for` says whether there is memory for its values.
pub(super) fn parse_tool_call_leniently(
    params: Option<Value>,
    has_room_for: impl Fn(usize) -> bool,
) -> Result<ToolCall, ErrorData> {
    let invalid_call = |what: String| Err(ErrorData::invalid_params(format!("tools/call: {what}"), None));
    let form = "an object with name, the name of a tool, and arguments, an object";
    let mut params = match params {
        Some(Value::Object(params)) => params,
        None | Some(Value::Null) => return invalid_call(format!("params are missing: they are {form}")),
        Some(_) => return invalid_call(format!("params must be {form}")),
    };
    let name = match params.remove("name") {
        Some(Value::String(name)) => name,
        None => return invalid_call("name is missing: the name of a tool".to_owned()),
        Some(other) => {
            return invalid_call(format!("name must be the name of a tool, a string, not {}", json_type_name(&other)));
        }
    };
    let arguments = match params.remove("arguments") {
        None | Some(Value::Null) => Value::Object(Map::new()),
        Some(Value::String(text)) if text.trim_start().starts_with('{') => {
            match MessageError::check_message(text.as_bytes()) {
                // The call is right, and may be sent again.
                Ok(bytes) if !has_room_for(bytes) => {
                    let wait = "tools/call: too many large messages are waiting: try again in a moment";
                    return Err(ErrorData::internal_error(wait, None));
                }
                Ok(_) => serde_json::from_str(&text).unwrap_or(Value::String(text)),
                // The tool's own error shows a call that works.
                Err(error) if error.is_syntax_error() => Value::String(text),
                Err(error) => return invalid_call(format!("arguments: {}", error.reason())),
            }
        }
        Some(other) => other,
    };
    Ok(ToolCall { name, arguments })
}

/// The JSON type of a value, in words for error messages.
fn json_type_name(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "a truth value",
        Value::Number(_) => "a number",
        Value::String(_) => "a string",
        Value::Array(_) => "an array",
        Value::Object(_) => "an object",
    }
}

/// A reply as it is sent. It is written where the call runs: its length, and what has to be masked in it, are bounded by the
/// project, and the thread that reads messages must not wait for either.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WrittenReply {
    pub(super) status: ReplyStatus,
    text: String,
    /// The text for a client that has the tool's documentation already, of a reply that contains it.
    text_without_documentation: Option<String>,
    preview: String,
}

impl From<Reply> for WrittenReply {
    fn from(reply: Reply) -> Self {
        let without_documentation = reply.with_call_in_place_of_documentation();
        Self {
            status: reply.status,
            text: reply.formatted_output(),
            text_without_documentation: without_documentation.map(|reply| reply.formatted_output()),
            preview: reply.preview,
        }
    }
}

impl WrittenReply {
    /// The reply without the tool's documentation where it contains it and `may_document` is false, which is only asked
    /// then.
    pub(super) fn documented_only_if(self, may_document: impl FnOnce() -> bool) -> Self {
        match self.text_without_documentation {
            Some(text) if !may_document() => Self { text, text_without_documentation: None, ..self },
            _ => self,
        }
    }
}

/// Converts the outcome of a call of `tool` to the protocol's result. Only arguments that are invalid in themselves, and
/// internal errors of Peelback, are marked as errors.
pub fn tool_result_from_call_outcome(
    tool: &AnyTool,
    outcome: CallOutcome<WrittenReply>,
    format: Format,
    previews: bool,
) -> CallToolResult {
    match outcome {
        CallOutcome::Completed(reply) => {
            let mut blocks = vec![ContentBlock::text(reply.text)];
            if previews && !reply.preview.is_empty() {
                let user_annotations = Annotations::default().with_audience(vec![Role::User]);
                blocks.push(ContentBlock::Text(TextContent::new(reply.preview).with_annotations(user_annotations)));
            }
            // The protocol wants errors of input validation as tool errors. What the project does not hold is a normal
            // answer, because after an error a host would also cancel the calls that it sent together with this one.
            match reply.status {
                ReplyStatus::InvalidArguments => CallToolResult::error(blocks),
                ReplyStatus::Found | ReplyStatus::Empty | ReplyStatus::Failed(_) => CallToolResult::success(blocks),
            }
        }
        CallOutcome::Failed(message) => CallToolResult::error(vec![failure_content_block(
            tool,
            format,
            format!("{} failed inside Peelback: {message}", tool.name),
            "this is a fault in Peelback, not in the call; the server keeps running. Narrow the call by a path or a \
             scope, or use another tool; details are on the server's standard error",
        )]),
        CallOutcome::Abandoned => CallToolResult::success(vec![failure_content_block(
            tool,
            format,
            format!("{} did not return by its deadline and was abandoned", tool.name),
            "its result is unknown. Narrow the call by a path or a scope",
        )]),
        CallOutcome::QueueTimeout => CallToolResult::success(vec![failure_content_block(
            tool,
            format,
            format!("{} did not start before its deadline: other calls used all slots", tool.name),
            "nothing was searched. Send the call again when fewer calls are running",
        )]),
        CallOutcome::NoSlotLeft { abandoned_calls } => CallToolResult::success(vec![failure_content_block(
            tool,
            format,
            format!(
                "{} was not started: {abandoned_calls} calls are stuck past their deadlines and use all slots",
                tool.name
            ),
            "nothing was searched. The server accepts calls again as soon as one of those calls ends. They may still \
             be working, or waiting for a file system that does not respond: send the call again later; if that does \
             not help, restart the server",
        )]),
        CallOutcome::Cancelled => CallToolResult::success(vec![failure_content_block(
            tool,
            format,
            format!("{} was cancelled before it had an answer", tool.name),
            "its result is unknown: send the call again",
        )]),
    }
}

fn failure_content_block(tool: &AnyTool, format: Format, error: String, warning: &str) -> ContentBlock {
    let mut failure = RecoverableError::new(ErrorCategory::Failure, error);
    failure.guidance = Some(Guidance::Warning(warning.into()));
    ContentBlock::text(tool.error_reply_without_running_tool(&failure, format).formatted_output())
}

#[cfg(test)]
mod tests {
    use peelback_tools::tool_by_name_or_alias;
    use serde_json::{Value, json};

    use super::{parse_tool_call_leniently, project_and_path_arguments, unknown_tool_error};

    fn object(value: Value) -> serde_json::Map<String, Value> {
        value.as_object().expect("an object").clone()
    }

    #[test]
    fn arguments_are_known_by_their_other_names() {
        let outline = tool_by_name_or_alias("outline").expect("a tool");
        let arguments = object(json!({ "filePath": "a.rs", "projectRoot": "/x", "depth": 1 }));
        assert_eq!(project_and_path_arguments(outline, &arguments), json!({ "path": "a.rs", "root": "/x" }));
    }

    #[test]
    fn what_is_wrong_with_a_call_is_said() {
        let arguments = |given: Value| {
            let call = parse_tool_call_leniently(Some(json!({ "name": "grep", "arguments": given })), |_| true);
            call.expect("a call").arguments
        };
        assert_eq!(arguments(json!("{\"pattern\": \"x\"}")), json!({ "pattern": "x" }));
        assert_eq!(arguments(json!("x")), json!("x"));
        for no_json in ["{pattern: 'x'}", "{\"pattern\": \"x\""] {
            assert_eq!(arguments(json!(no_json)), json!(no_json));
        }
        assert_eq!(arguments(json!([])), json!([]));
        assert_eq!(arguments(Value::Null), json!({}));
        for (params, wrong) in [
            (None, "params are missing"),
            (Some(json!([1])), "params must be an object"),
            (Some(json!({})), "name is missing"),
            (Some(json!({ "name": 5 })), "not a number"),
        ] {
            let error = parse_tool_call_leniently(params, |_| true).expect_err("it is no call");
            assert!(error.code.0 == -32602 && error.message.contains(wrong), "{error:?}");
        }
    }

    #[test]
    fn arguments_in_a_text_have_the_limits_of_a_message() {
        let call = |text: String, has_room: bool| {
            let params = json!({ "name": "grep", "arguments": text });
            parse_tool_call_leniently(Some(params), |bytes| has_room && bytes > 0)
        };
        let values = |count: usize| format!("{{\"scope\": [{}{{}}]}}", "{\"\":0},".repeat(count));
        assert!(call(values(1_000), true).is_ok());
        let error = call(values(1_000), false).expect_err("there is no room");
        assert!(error.message.contains("try again") && error.code.0 == -32603, "{error:?}");
        for (text, wrong) in [(values(20_000), "the limit is 20000"), ("{\"a\": 1, \"a\": 2}".to_owned(), "twice")] {
            let error = call(text, true).expect_err("it is refused");
            assert!(error.message.contains(wrong), "{error:?}");
        }
    }

    #[test]
    fn an_unknown_tool_has_a_neighbour() {
        assert_eq!(unknown_tool_error("read_symbl").message, "there is no tool read_symbl: did you mean read_symbol?");
        assert!(unknown_tool_error("zzz").message.contains("the tools are tree, "));
    }
}
