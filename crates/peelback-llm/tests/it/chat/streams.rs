//! Replies that come in pieces.

use std::sync::Mutex;

use peelback_llm::{ChatError, ChatRequest, StopReason};

use super::*;

fn stream(events: &[Value]) -> String {
    events.iter().map(|event| format!("event: x\ndata: {event}\n\n")).collect()
}

fn streamed(body: impl ToString) -> Reply {
    Reply::Answer(200, vec![("Content-Type", "text/event-stream; charset=utf-8".to_owned())], body.to_string())
}

/// The events of a reply that says something and calls a tool.
fn events(name: &str) -> Vec<Value> {
    match name {
        ANTHROPIC => vec![
            json!({ "type": "message_start", "message": { "model": "claude-test-1", "content": [], "stop_reason": null,
                "usage": { "input_tokens": 10, "cache_read_input_tokens": 200, "output_tokens": 1 } } }),
            json!({ "type": "ping" }),
            json!({ "type": "content_block_start", "index": 0, "content_block": { "type": "thinking", "thinking": "", "signature": "" } }),
            json!({ "type": "content_block_delta", "index": 0, "delta": { "type": "thinking_delta", "thinking": "Hm." } }),
            json!({ "type": "content_block_delta", "index": 0, "delta": { "type": "signature_delta", "signature": "c2ln" } }),
            json!({ "type": "content_block_stop", "index": 0 }),
            json!({ "type": "content_block_start", "index": 1, "content_block": { "type": "text", "text": "" } }),
            json!({ "type": "content_block_delta", "index": 1, "delta": { "type": "text_delta", "text": "By a " } }),
            json!({ "type": "content_block_delta", "index": 1, "delta": { "type": "text_delta", "text": "löck." } }),
            json!({ "type": "content_block_stop", "index": 1 }),
            json!({ "type": "content_block_start", "index": 2, "content_block": { "type": "tool_use", "id": "t1", "name": "outline", "input": {} } }),
            json!({ "type": "content_block_delta", "index": 2, "delta": { "type": "input_json_delta", "partial_json": "{\"path\":" } }),
            json!({ "type": "content_block_delta", "index": 2, "delta": { "type": "input_json_delta", "partial_json": "\"a.rs\"}" } }),
            json!({ "type": "content_block_stop", "index": 2 }),
            json!({ "type": "message_delta", "delta": { "stop_reason": "tool_use" }, "usage": { "output_tokens": 9 } }),
            json!({ "type": "message_stop" }),
        ],
        OPENAI => {
            let delta = |delta: Value| json!({ "model": "gpt-test-1", "choices": [{ "index": 0, "delta": delta, "finish_reason": null }], "usage": null });
            vec![
                delta(json!({ "role": "assistant", "content": "" })),
                delta(json!({ "content": "By a " })),
                delta(json!({ "content": "löck." })),
                delta(
                    json!({ "tool_calls": [{ "index": 0, "id": "t1", "type": "function", "function": { "name": "outline", "arguments": "" } }] }),
                ),
                delta(json!({ "tool_calls": [{ "index": 0, "function": { "arguments": "{\"path\":" } }] })),
                delta(json!({ "tool_calls": [{ "index": 0, "function": { "arguments": "\"a.rs\"}" } }] })),
                json!({ "choices": [{ "index": 0, "delta": {}, "finish_reason": "tool_calls" }] }),
                json!({ "choices": [], "usage": { "prompt_tokens": 210, "completion_tokens": 9, "prompt_tokens_details": { "cached_tokens": 200 } } }),
            ]
        }
        _ => {
            let whole = json!({
                "model": "gpt-test-1", "status": "completed",
                "output": [
                    { "type": "message", "content": [{ "type": "output_text", "text": "By a löck." }] },
                    { "type": "function_call", "call_id": "t1", "name": "outline", "arguments": "{\"path\":\"a.rs\"}" },
                ],
                "usage": { "input_tokens": 210, "input_tokens_details": { "cached_tokens": 200 }, "output_tokens": 9 },
            });
            vec![
                json!({ "type": "response.created", "response": { "model": "gpt-test-1", "status": "in_progress", "output": [] } }),
                json!({ "type": "response.output_text.delta", "delta": "By a " }),
                json!({ "type": "response.output_text.delta", "delta": "löck." }),
                json!({ "type": "response.output_text.done", "text": "By a löck." }),
                json!({ "type": "response.completed", "response": whole }),
            ]
        }
    }
}

async fn watched(setup: &Setup) -> (Result<peelback_llm::ChatReply, ChatError>, Vec<String>) {
    let pieces = Mutex::new(Vec::new());
    let watch = |piece: &str| pieces.lock().expect("pieces").push(piece.to_owned());
    let asked = ChatRequest { tools: vec![outline()], ..request() };
    let result = setup.model.complete(&asked, Some(&watch)).await;
    (result, pieces.into_inner().expect("pieces"))
}

#[tokio::test]
async fn a_reply_in_pieces_is_the_same_and_each_piece_is_told() {
    for name in ALL {
        let mut body = stream(&events(name));
        if name == OPENAI {
            body.push_str("data: [DONE]\n\n");
        }
        let setup = setup(name, vec![streamed(body)]);
        let (reply, pieces) = watched(&setup).await;
        let reply = reply.unwrap_or_else(|error| panic!("{name}: {error}"));
        assert_eq!(pieces, ["By a ", "löck."], "{name}");
        assert_eq!((reply.message.text.as_str(), reply.stop), ("By a löck.", StopReason::ToolCalls));
        assert_eq!(reply.message.tool_calls.len(), 1);
        assert_eq!(reply.message.tool_calls[0].arguments, json!({ "path": "a.rs" }), "{name}");
        assert_eq!((reply.usage.input, reply.usage.cache_read, reply.usage.output), (210, 200, 9), "{name}");
        assert!(reply.model.ends_with("-test-1"));
        if name == ANTHROPIC {
            let thoughts = reply.message.opaque.expect("thoughts");
            assert_eq!(thoughts["anthropic"][0]["signature"], "c2ln");
        }
        let body = &setup.server.requests()[0].body;
        assert_eq!(body["stream"], true);
        assert_eq!(body.pointer("/stream_options/include_usage").is_some(), name == OPENAI);
    }
}

#[tokio::test]
async fn a_stream_that_ends_early_is_an_error_with_what_was_used() {
    for name in ALL {
        let all = events(name);
        // Cut after some text, in an orderly end and by a broken connection.
        let end = all.iter().position(|event| event.to_string().contains("löck")).expect("the text") + 1;
        let begun = stream(&all[..end]);
        let half = Reply::Half(begun.clone());
        for reply in [streamed(&begun), half] {
            let setup = setup(name, vec![reply, streamed(stream(&all))]);
            let (result, pieces) = watched(&setup).await;
            let error = result.expect_err("an error");
            assert!(matches!(error, ChatError::Malformed { .. }), "{name}: {error:?}");
            assert_eq!(pieces.concat(), "By a löck.");
            assert_eq!(setup.server.requests().len(), 1, "what was told is not told again");
            assert_eq!(error.reported_usage().input, if name == ANTHROPIC { 210 } else { 0 }, "{name}");
        }
    }
}

#[tokio::test]
async fn a_stream_that_breaks_before_its_first_word_is_begun_anew() {
    for name in [OPENAI, RESPONSES] {
        let setup = setup(name, vec![streamed(""), Reply::Half(String::new()), streamed(stream(&events(name)))]);
        let (reply, pieces) = watched(&setup).await;
        reply.expect("a reply");
        assert_eq!((pieces.len(), setup.clock.skipped_pauses().len()), (2, 2), "{name}");
    }
}

#[tokio::test]
async fn errors_in_a_stream_are_errors() {
    let overloaded = json!({ "type": "error", "error": { "type": "overloaded_error", "message": "Overloaded" } });
    let all = events(ANTHROPIC);
    // Before a word it is tried again; after, it is told what was used.
    let setup1 = setup(ANTHROPIC, vec![streamed(stream(std::slice::from_ref(&overloaded))), streamed(stream(&all))]);
    watched(&setup1).await.0.expect("a reply");
    assert_eq!(setup1.clock.skipped_pauses().len(), 1);
    let cut: Vec<Value> = all[..9].iter().cloned().chain([overloaded]).collect();
    let setup2 = setup(ANTHROPIC, vec![streamed(stream(&cut))]);
    let error = watched(&setup2).await.0.expect_err("an error");
    assert!(error.to_string().contains("Overloaded") && error.reported_usage().input == 210, "{error}");

    let nonsense = setup(OPENAI, vec![streamed("data: {\"choices\": [\n\n"); 9]);
    let words = watched(&nonsense).await.0.expect_err("an error").to_string();
    assert!(words.contains("a piece of it is not JSON") && words.contains("after 5 tries"), "{words}");
    // After a word it is not tried again.
    let cut = format!("{}data: {{\"choices\": [\n\n", stream(&events(OPENAI)[..3]));
    let cut = setup(OPENAI, vec![streamed(cut), streamed(stream(&events(OPENAI)))]);
    let (result, pieces) = watched(&cut).await;
    let words = result.expect_err("an error").to_string();
    assert!(words.contains("a piece of it is not JSON") && !pieces.is_empty(), "{words}");
    assert_eq!(cut.server.requests().len(), 1);
}

#[tokio::test]
async fn what_is_no_stream_is_told_and_tried_again() {
    let page = || Reply::Answer(200, vec![("Content-Type", "text/html".to_owned())], "<html>Sign in</html>".to_owned());
    for name in ALL {
        let passing = setup(name, vec![page(), streamed(stream(&events(name)))]);
        watched(&passing).await.0.expect("a reply");
        let lasting = setup(name, vec![page(); 9]);
        let words = watched(&lasting).await.0.expect_err("an error").to_string();
        for said in ["not a stream of events", "HTTP 200", "text/html", "\"<html>Sign in</html>\"", "after 2 tries"] {
            assert!(words.contains(said), "{said}: {words}");
        }
        assert_eq!(lasting.server.requests().len(), 2);
    }
}

#[tokio::test]
async fn servers_that_do_not_stream_give_the_whole() {
    for name in ALL {
        let setup = setup(name, vec![ok(says(name, "All at once."))]);
        let (reply, pieces) = watched(&setup).await;
        assert_eq!(reply.expect("a reply").usage.input, 240);
        assert_eq!(pieces, ["All at once."]);
    }
}

#[tokio::test]
async fn parallel_calls_are_kept_apart_however_they_are_numbered() {
    let delta = |calls: Value| json!({ "choices": [{ "delta": { "tool_calls": calls }, "finish_reason": null }] });
    let call = |index: Value, id: &str, arguments: &str| {
        let mut call = json!({ "id": id, "function": { "name": "outline", "arguments": arguments } });
        if !index.is_null() {
            call["index"] = index;
        }
        call
    };
    let more = |index: u64, arguments: &str| json!({ "index": index, "function": { "arguments": arguments } });
    let end = json!({ "choices": [{ "delta": {}, "finish_reason": "tool_calls" }], "usage": { "prompt_tokens": 1 } });
    for events in [
        vec![
            delta(json!([call(json!(0), "a", "{\"n\""), call(json!(1), "b", "{\"n\"")])),
            delta(json!([more(0, ":1}"), more(1, ":2}")])),
            end.clone(),
        ],
        vec![
            delta(json!([call(json!(0), "a", "{\"n\":1}")])),
            delta(json!([call(json!(0), "b", "{\"n\":2}")])),
            end.clone(),
        ],
        vec![
            delta(json!([call(Value::Null, "a", "{\"n\":1}")])),
            delta(json!([call(Value::Null, "b", "{\"n\":2}")])),
            end,
        ],
    ] {
        let setup = setup(OPENAI, vec![streamed(stream(&events))]);
        let reply = watched(&setup).await.0.expect("a reply");
        let calls: Vec<_> =
            reply.message.tool_calls.iter().map(|call| (call.id.as_str(), call.arguments["n"].clone())).collect();
        assert_eq!(calls, [("a", json!(1)), ("b", json!(2))]);
    }
}
