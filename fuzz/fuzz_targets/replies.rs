//! Replies of models in the three protocols: whole, as errors, and streamed in pieces of any length.

use std::sync::{LazyLock, Mutex};

use peelback_llm::{
    ChatError, ChatReply, ChatRequest, Message, ReceivedReply, ReceivedReplyParser, ToolChoice, ToolDefinition,
    ToolResult, check_chat_request,
};

use crate::input::{Input, joined};

/// A text that must not be in an error, whatever a server sends back.
const KEY: &str = "sk-key-of-the-fuzz-target-0123456789";

fn reader(name: &str) -> ReceivedReplyParser {
    ReceivedReplyParser::new(name, KEY).expect("a model of the list")
}

static ANTHROPIC: LazyLock<ReceivedReplyParser> = LazyLock::new(|| reader("anthropic/model"));
static COMPLETIONS: LazyLock<ReceivedReplyParser> = LazyLock::new(|| reader("openai/model"));
static RESPONSES: LazyLock<ReceivedReplyParser> = LazyLock::new(|| reader("openai-responses/model"));

pub fn run_anthropic(data: &[u8]) {
    run(&ANTHROPIC, data);
}

pub fn run_completions(data: &[u8]) {
    run(&COMPLETIONS, data);
}

pub fn run_responses(data: &[u8]) {
    run(&RESPONSES, data);
}

/// The first byte says what the rest is: a whole reply, an error, or a stream; of a stream, the second byte parts it.
fn run(reader: &ReceivedReplyParser, data: &[u8]) {
    let mut input = Input(data);
    let read = |received: ReceivedReply<'_>| {
        let text = Mutex::new(String::new());
        let reply =
            reader.parse_received_reply(received, &|piece: &str| text.lock().expect("one thread").push_str(piece));
        if let Err(error) = &reply {
            let shown = format!("{error} {error:?}");
            assert!(!shown.contains(KEY), "{shown}");
        }
        (reply, text.into_inner().expect("one thread"))
    };
    match input.byte() % 4 {
        0 => {
            if let (Ok(reply), _) = read(ReceivedReply::Whole(input.0)) {
                check_next_request(reader, &reply);
            }
        }
        1 => {
            let status = [400, 401, 404, 413, 422, 429, 500, 529][input.index(8)];
            assert!(read(ReceivedReply::Error(status, input.0)).0.is_err());
        }
        _ => {
            let size = usize::from(input.byte()).max(1);
            let whole = read(ReceivedReply::Stream(&[input.0]));
            let parts: Vec<&[u8]> = input.0.chunks(size).collect();
            let parted = read(ReceivedReply::Stream(&parts));
            assert_eq!(comparable_text(&whole.0), comparable_text(&parted.0), "pieces of {size} bytes");
            assert_eq!(whole.1, parted.1, "pieces of {size} bytes");
            if let Ok(reply) = &whole.0 {
                check_next_request(reader, reply);
            }
        }
    }
}

/// What was read, as text, without what two readings of one stream may differ in: the random ids of calls that came
/// without one, and how much of the stream an error quotes, which is what had arrived by then.
fn comparable_text(read: &Result<ChatReply, ChatError>) -> String {
    let mut read = read.clone();
    for call in read.iter_mut().flat_map(|reply| &mut reply.message.tool_calls) {
        if call.id.len() == OWN_ID_LENGTH && call.id.starts_with("call_") {
            call.id.clear();
        }
    }
    let text = format!("{read:?}");
    match (text.split_once(", beginning with "), text.rsplit_once("; check ")) {
        (Some((before, _)), Some((_, after))) if read.is_err() => format!("{before}; check {after}"),
        _ => text,
    }
}

/// The length of `call_` with 16 digits.
const OWN_ID_LENGTH: usize = 21;

/// A reply that was taken can be sent back, with results for its calls.
fn check_next_request(reader: &ReceivedReplyParser, reply: &ChatReply) {
    let mut messages = vec![Message::new_user_message("hello"), Message::Assistant(reply.message.clone())];
    let results = reply.message.tool_calls.iter().map(|call| ToolResult {
        call_id: call.id.clone(),
        name: call.name.clone(),
        content: "result".to_owned(),
        is_error: false,
    });
    let results: Vec<ToolResult> = results.collect();
    messages.push(if results.is_empty() { Message::new_user_message("on") } else { Message::Tools { results } });
    let request = ChatRequest {
        system: "system".to_owned(),
        messages,
        tools: vec![ToolDefinition {
            name: "read".to_owned(),
            description: String::new(),
            parameters: serde_json::json!({ "type": "object", "properties": {} }),
        }],
        tool_choice: ToolChoice::Auto,
        output: None,
        max_output_tokens: 100,
    };
    let _ = check_chat_request(&request);
    for streams in [true, false] {
        let body = reader.build_request_body(&request, streams);
        assert!(serde_json::from_str::<serde_json::Value>(&body).is_ok(), "{body}");
    }
    // What is recorded can be replayed.
    let recorded = serde_json::to_string(reply).expect("JSON");
    let replayed: ChatReply = serde_json::from_str(&recorded).expect("its own text");
    assert_eq!(recorded, serde_json::to_string(&replayed).expect("JSON"));
}

fn whole(body: &str) -> Vec<u8> {
    joined(&[&[0], body.as_bytes()])
}

fn error(body: &str) -> Vec<u8> {
    joined(&[&[1, 0], body.as_bytes()])
}

fn stream(events: &[&str]) -> Vec<u8> {
    let text: String = events.iter().map(|event| format!("data: {event}\n\n")).collect();
    joined(&[&[2, 7], text.as_bytes()])
}

pub fn anthropic_seeds() -> Vec<Vec<u8>> {
    vec![
        whole(
            r#"{"id":"m","type":"message","role":"assistant","model":"x","content":[{"type":"thinking","thinking":"h","signature":"s"},{"type":"redacted_thinking","data":"d"},{"type":"text","text":"Hello"},{"type":"tool_use","id":"t1","name":"read","input":{"path":"a"}}],"stop_reason":"tool_use","usage":{"input_tokens":3,"cache_read_input_tokens":1,"cache_creation_input_tokens":2,"output_tokens":5}}"#,
        ),
        error(
            r#"{"type":"error","error":{"type":"invalid_request_error","message":"prompt is too long: 9 tokens > 8 maximum"}}"#,
        ),
        stream(&[
            r#"{"type":"message_start","message":{"id":"m","role":"assistant","model":"x","content":[],"usage":{"input_tokens":3,"output_tokens":1}}}"#,
            r#"{"type":"content_block_start","index":0,"content_block":{"type":"thinking","thinking":""}}"#,
            r#"{"type":"content_block_delta","index":0,"delta":{"type":"thinking_delta","thinking":"h"}}"#,
            r#"{"type":"content_block_delta","index":0,"delta":{"type":"signature_delta","signature":"s"}}"#,
            r#"{"type":"content_block_stop","index":0}"#,
            r#"{"type":"content_block_start","index":1,"content_block":{"type":"text","text":""}}"#,
            r#"{"type":"content_block_delta","index":1,"delta":{"type":"text_delta","text":"Hello"}}"#,
            r#"{"type":"content_block_stop","index":1}"#,
            r#"{"type":"content_block_start","index":2,"content_block":{"type":"tool_use","id":"t1","name":"read","input":{}}}"#,
            r#"{"type":"content_block_delta","index":2,"delta":{"type":"input_json_delta","partial_json":"{\"path\":"}}"#,
            r#"{"type":"content_block_delta","index":2,"delta":{"type":"input_json_delta","partial_json":"\"a\"}"}}"#,
            r#"{"type":"ping"}"#,
            r#"{"type":"message_delta","delta":{"stop_reason":"tool_use"},"usage":{"output_tokens":5}}"#,
            r#"{"type":"message_stop"}"#,
        ]),
        stream(&[r#"{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}"#]),
    ]
}

pub fn completions_seeds() -> Vec<Vec<u8>> {
    vec![
        whole(
            r#"{"id":"c","model":"x","choices":[{"index":0,"message":{"role":"assistant","content":"Hello","reasoning_content":"h","tool_calls":[{"id":"t1","type":"function","function":{"name":"read","arguments":"{\"path\":\"a\"}"},"extra_content":{"google":{"thought_signature":"s"}}}]},"finish_reason":"tool_calls"}],"usage":{"prompt_tokens":3,"completion_tokens":5,"prompt_tokens_details":{"cached_tokens":1}}}"#,
        ),
        error(
            r#"{"error":{"message":"Unsupported parameter: 'max_tokens'","type":"invalid_request_error","param":"max_tokens","code":"unsupported_parameter"}}"#,
        ),
        error(r#"{"detail":[{"loc":["body"],"msg":"field required"}]}"#),
        stream(&[
            r#"{"id":"c","model":"x","choices":[{"index":0,"delta":{"role":"assistant","content":""}}]}"#,
            r#"{"id":"c","choices":[{"index":0,"delta":{"reasoning_content":"h"}}]}"#,
            r#"{"id":"c","choices":[{"index":0,"delta":{"content":"Hel"}}]}"#,
            r#"{"id":"c","choices":[{"index":0,"delta":{"content":"lo"}}]}"#,
            r#"{"id":"c","choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"id":"t1","function":{"name":"read","arguments":""}}]}}]}"#,
            r#"{"id":"c","choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"function":{"arguments":"{\"path\":\"a\"}"}}]}}]}"#,
            r#"{"id":"c","choices":[{"index":0,"delta":{},"finish_reason":"tool_calls"}]}"#,
            r#"{"id":"c","choices":[],"usage":{"prompt_tokens":3,"completion_tokens":5}}"#,
            "[DONE]",
        ]),
        stream(&[r#"{"error":{"message":"context_length_exceeded","code":"context_length_exceeded"}}"#]),
    ]
}

pub fn responses_seeds() -> Vec<Vec<u8>> {
    let body = r#"{"id":"r","object":"response","status":"completed","model":"x","output":[{"type":"reasoning","id":"rs","summary":[{"type":"summary_text","text":"h"}],"encrypted_content":"e"},{"type":"message","id":"m","role":"assistant","content":[{"type":"output_text","text":"Hello","annotations":[]}]},{"type":"function_call","id":"f","call_id":"t1","name":"read","arguments":"{\"path\":\"a\"}"}],"usage":{"input_tokens":3,"input_tokens_details":{"cached_tokens":1},"output_tokens":5}}"#;
    vec![
        whole(body),
        whole(
            r#"{"id":"r","status":"incomplete","incomplete_details":{"reason":"max_output_tokens"},"output":[],"usage":null}"#,
        ),
        whole(r#"{"id":"r","status":"failed","error":{"code":"server_error","message":"no"},"output":[]}"#),
        error(r#"{"error":{"message":"Rate limit reached","type":"tokens","code":"rate_limit_exceeded"}}"#),
        stream(&[
            r#"{"type":"response.created","response":{"id":"r","status":"in_progress","output":[]}}"#,
            r#"{"type":"response.output_item.added","output_index":0,"item":{"type":"message","id":"m","role":"assistant","content":[]}}"#,
            r#"{"type":"response.output_text.delta","item_id":"m","output_index":0,"content_index":0,"delta":"Hel"}"#,
            r#"{"type":"response.output_text.delta","item_id":"m","output_index":0,"content_index":0,"delta":"lo"}"#,
            r#"{"type":"response.output_item.done","output_index":0,"item":{"type":"message","id":"m","role":"assistant","content":[{"type":"output_text","text":"Hello"}]}}"#,
            &format!(r#"{{"type":"response.completed","response":{body}}}"#),
        ]),
        stream(&[
            r#"{"type":"response.failed","response":{"id":"r","status":"failed","error":{"code":"server_error","message":"no"}}}"#,
        ]),
    ]
}
