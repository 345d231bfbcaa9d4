//! Converts a request to a tool's arguments, and the tool's reply to the content of an answer.

use peelback_code::{Fault, nearest};
use peelback_tools::{AnyTool, Format, Guidance, RecoverableError, Reply, ReplyStatus, all, by_name};
use rmcp::ErrorData;
use rmcp::model::{Annotations, CallToolResult, ContentBlock, Role, TextContent};
use serde_json::{Map, Value};

use super::calls::Outcome;

/// The arguments that determine the project and the path of a call, under the parameters' canonical names.
pub(super) fn named(tool: &AnyTool, arguments: &Map<String, Value>) -> Value {
    let wanted = ["root", "path", "scope", "name"];
    let named = arguments.iter().filter_map(|(given, value)| {
        let parameter = tool.parameter_called(given)?;
        // A number or a boolean is converted to text, because the tools accept both forms.
        let value = if value.is_number() || value.is_boolean() { value.to_string().into() } else { value.clone() };
        wanted.contains(&parameter.name.as_str()).then(|| (parameter.name.clone(), value))
    });
    Value::Object(named.collect())
}

/// The output format that a call requests: text or JSON.
pub(super) fn format(tool: &AnyTool, arguments: &Map<String, Value>) -> Format {
    let is_json = arguments.iter().any(|(given, value)| {
        means(tool, given, "format") && value.as_str().is_some_and(|word| word.eq_ignore_ascii_case("json"))
    });
    if is_json { Format::Json } else { Format::Text }
}

/// Whether an argument named `given` is the parameter `name`, possibly under another name of the parameter.
fn means(tool: &AnyTool, given: &str, name: &str) -> bool {
    tool.parameter_called(given).is_some_and(|parameter| parameter.name == name)
}

/// The protocol error for a call of a tool that does not exist.
pub(super) fn unknown_tool(name: &str) -> ErrorData {
    let names = all().iter().flat_map(|tool| std::iter::once(&tool.name).chain(tool.aliases)).copied();
    let near = nearest(&name.replace('-', "_"), names, 1);
    // The suggestion uses the tool's name in the list of tools, not an alias.
    let advice = match near.first().and_then(|near| by_name(near)) {
        Some(tool) => format!("did you mean {}?", tool.name),
        None => format!("the tools are {}", all().iter().map(|tool| tool.name).collect::<Vec<_>>().join(", ")),
    };
    let name: String = name.chars().take(80).collect();
    ErrorData::invalid_params(format!("no tool is called {name}: {advice}"), None)
}

/// A call of a tool, as parsed from a request.
#[derive(Debug, PartialEq)]
pub(super) struct Asked {
    /// The name of the called tool.
    pub name: String,
    /// The arguments of the call; where they are not an object, the tool reports the error.
    pub arguments: Value,
}

/// Parses a call from `params` that do not have the protocol's form. Models sometimes write the arguments as a string
/// that contains JSON; the string is parsed as the object.
pub(super) fn asked(params: Option<Value>) -> Result<Asked, ErrorData> {
    let wrong = |what: String| Err(ErrorData::invalid_params(format!("tools/call: {what}"), None));
    let form = "an object with name, the name of a tool, and arguments, an object";
    let mut params = match params {
        Some(Value::Object(params)) => params,
        None | Some(Value::Null) => return wrong(format!("params are missing: they are {form}")),
        Some(_) => return wrong(format!("params must be {form}")),
    };
    let name = match params.remove("name") {
        Some(Value::String(name)) => name,
        None => return wrong("name is missing: the name of a tool".to_owned()),
        Some(other) => return wrong(format!("name must be the name of a tool, a string, not {}", kind(&other))),
    };
    let arguments = match params.remove("arguments") {
        None | Some(Value::Null) => Value::Object(Map::new()),
        Some(Value::String(text)) => match serde_json::from_str(&text) {
            Ok(Value::Object(arguments)) => Value::Object(arguments),
            _ => Value::String(text),
        },
        Some(other) => other,
    };
    Ok(Asked { name, arguments })
}

/// The JSON type of a value, in words.
fn kind(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "a truth value",
        Value::Number(_) => "a number",
        Value::String(_) => "a string",
        Value::Array(_) => "an array",
        Value::Object(_) => "an object",
    }
}

/// The content of an answer to a call of `tool`. Only arguments that do not match the schema, and internal errors of
/// Peelback, are protocol errors.
pub fn content(tool: &AnyTool, outcome: Outcome<Reply>, format: Format, previews: bool) -> CallToolResult {
    match outcome {
        Outcome::Done(reply) => {
            let mut blocks = vec![ContentBlock::text(reply.output())];
            if previews && !reply.preview.is_empty() {
                let for_the_user = Annotations::default().with_audience(vec![Role::User]);
                blocks.push(ContentBlock::Text(TextContent::new(reply.preview).with_annotations(for_the_user)));
            }
            // Any other failure is a normal answer, because after an error a host would also cancel the calls that it
            // sent together with this one.
            match reply.status {
                ReplyStatus::InvalidArguments => CallToolResult::error(blocks),
                ReplyStatus::Found | ReplyStatus::Empty | ReplyStatus::Failed(_) => CallToolResult::success(blocks),
            }
        }
        Outcome::Broken(message) => CallToolResult::error(vec![refusal(
            tool,
            format,
            format!("{} failed inside Peelback: {message}", tool.name),
            "this is a fault of Peelback's and not of the call; the server goes on. Narrow the call by a path or a \
             scope, or take another tool; the standard error of the server says more",
        )]),
        Outcome::Late => CallToolResult::success(vec![refusal(
            tool,
            format,
            format!("{} did not come back after its deadline and was given up", tool.name),
            "nothing is known about what it looked for. Narrow the call by a path or a scope",
        )]),
        Outcome::QueueTimeout => CallToolResult::success(vec![refusal(
            tool,
            format,
            format!("{} did not begin before its deadline: other calls had all the places", tool.name),
            "nothing was looked for. Send the call again when fewer calls are running",
        )]),
        Outcome::Withdrawn => CallToolResult::success(vec![refusal(
            tool,
            format,
            format!("{} was withdrawn before it had an answer", tool.name),
            "nothing is known about what it looked for: send the call again",
        )]),
    }
}

fn refusal(tool: &AnyTool, format: Format, error: String, warning: &str) -> ContentBlock {
    let mut failure = RecoverableError::new(Fault::Failure, error);
    failure.guidance = Some(Guidance::Warning(warning.into()));
    ContentBlock::text(tool.refuse(&failure, format).output())
}

#[cfg(test)]
mod tests {
    use peelback_tools::by_name;
    use serde_json::{Value, json};

    use super::{asked, named, unknown_tool};

    fn object(value: Value) -> serde_json::Map<String, Value> {
        value.as_object().expect("an object").clone()
    }

    #[test]
    fn arguments_are_known_by_their_other_names() {
        let outline = by_name("outline").expect("a tool");
        let arguments = object(json!({ "filePath": "a.rs", "projectRoot": "/x", "depth": 1 }));
        assert_eq!(named(outline, &arguments), json!({ "path": "a.rs", "root": "/x" }));
    }

    #[test]
    fn what_is_wrong_with_a_call_is_said() {
        let arguments =
            |given: Value| asked(Some(json!({ "name": "grep", "arguments": given }))).expect("a call").arguments;
        assert_eq!(arguments(json!("{\"pattern\": \"x\"}")), json!({ "pattern": "x" }));
        assert_eq!(arguments(json!("x")), json!("x"));
        assert_eq!(arguments(json!([])), json!([]));
        assert_eq!(arguments(Value::Null), json!({}));
        for (params, wrong) in [
            (None, "params are missing"),
            (Some(json!([1])), "params must be an object"),
            (Some(json!({})), "name is missing"),
            (Some(json!({ "name": 5 })), "not a number"),
        ] {
            let error = asked(params).expect_err("it is no call");
            assert!(error.code.0 == -32602 && error.message.contains(wrong), "{error:?}");
        }
    }

    #[test]
    fn an_unknown_tool_has_a_neighbour() {
        assert_eq!(unknown_tool("read_symbl").message, "no tool is called read_symbl: did you mean read_symbol?");
        assert!(unknown_tool("zzz").message.contains("the tools are tree, "));
    }
}
