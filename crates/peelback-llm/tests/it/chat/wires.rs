//! What is sent and read in each protocol.

use peelback_llm::{AssistantMessage, ChatRequest, Message, OutputSchema, StopReason, ToolChoice, ToolResult, Usage};
use serde_json::json;

use super::*;

#[tokio::test]
async fn a_reply_is_read_with_its_exact_usage() {
    for name in ALL {
        let setup = setup(name, vec![ok(says(name, "By a lock."))]);
        let reply = setup.model.complete(&request(), None).await.expect("a reply");
        assert_eq!((reply.message.text.as_str(), &reply.stop), ("By a lock.", &StopReason::End), "{name}");
        let cache_write = if name == ANTHROPIC { 30 } else { 0 };
        assert_eq!(reply.usage, Usage { input: 240, cache_read: 200, cache_write, output: 7 }, "{name}");
        assert!(reply.model.ends_with("-test-1"));
        assert_eq!(setup.model.name(), name);
    }
}

#[tokio::test]
async fn requests_have_the_form_of_their_protocol() {
    let request = ChatRequest { tools: vec![outline()], ..request() };
    let parameters = outline().parameters;
    let sent = |name| {
        let request = request.clone();
        async move {
            let setup = setup(name, vec![ok(says(name, "x"))]);
            setup.model.complete(&request, None).await.expect("a reply");
            setup.server.requests().remove(0)
        }
    };
    let cached = json!({ "type": "ephemeral" });

    let anthropic = sent(ANTHROPIC).await;
    assert_eq!(anthropic.line, "POST /v1/messages HTTP/1.1");
    assert_eq!(anthropic.header("x-api-key"), Some(KEY));
    assert_eq!(anthropic.header("anthropic-version"), Some("2023-06-01"));
    assert_eq!(anthropic.header("authorization"), None);
    assert_eq!(
        anthropic.body,
        json!({
            "model": "claude-test",
            "max_tokens": 700,
            "system": [{ "type": "text", "text": "You are brief.", "cache_control": cached }],
            "messages": [{ "role": "user", "content": [{ "type": "text", "text": "How does it work?", "cache_control": cached }] }],
            "tools": [{
                "name": "outline", "description": "Shows a file's symbols.", "input_schema": parameters,
                "cache_control": cached,
            }],
            "tool_choice": { "type": "auto" },
        })
    );

    let openai = sent(OPENAI).await;
    assert_eq!(openai.line, "POST /v1/chat/completions HTTP/1.1");
    assert_eq!(openai.header("authorization"), Some(format!("Bearer {KEY}").as_str()));
    let function = json!({ "name": "outline", "description": "Shows a file's symbols.", "parameters": parameters });
    assert_eq!(
        openai.body,
        json!({
            "model": "gpt-test",
            "messages": [
                { "role": "system", "content": "You are brief." },
                { "role": "user", "content": "How does it work?" },
            ],
            "max_completion_tokens": 700,
            "tools": [{ "type": "function", "function": function }],
            "tool_choice": "auto",
        })
    );

    let responses = sent(RESPONSES).await;
    assert_eq!(responses.line, "POST /v1/responses HTTP/1.1");
    assert_eq!(
        responses.body,
        json!({
            "model": "gpt-test",
            "input": [{ "role": "user", "content": "How does it work?" }],
            "max_output_tokens": 700,
            "store": false,
            "instructions": "You are brief.",
            "include": ["reasoning.encrypted_content"],
            "tools": [{
                "type": "function", "name": "outline", "description": "Shows a file's symbols.",
                "parameters": parameters, "strict": false,
            }],
            "tool_choice": "auto",
        })
    );
}

/// A conversation with the results of the two calls, as an agent would make it.
fn answered(said: AssistantMessage) -> ChatRequest {
    let result = |id: &str, content: &str, is_error| ToolResult {
        call_id: id.to_owned(),
        name: "outline".to_owned(),
        content: content.to_owned(),
        is_error,
    };
    let results = vec![result("t1", "fn a()", false), result("t2", "", true)];
    let messages = vec![
        Message::new_user_message("How?"),
        Message::new_user_message("And why?"),
        Message::Assistant(said),
        Message::Tools { results },
        Message::new_user_message("Two turns are left."),
    ];
    ChatRequest { messages, tools: vec![outline()], ..request() }
}

#[tokio::test]
async fn calls_are_read_and_go_back_with_what_the_provider_signed() {
    for name in ALL {
        let setup = setup(name, vec![ok(calls(name)), ok(says(name, "Done."))]);
        let asked = ChatRequest { tools: vec![outline()], ..request() };
        let reply = setup.model.complete(&asked, None).await.expect("a reply");
        assert_eq!(reply.stop, StopReason::ToolCalls);
        assert_eq!(reply.message.text, "I look.");
        let read: Vec<_> =
            reply.message.tool_calls.iter().map(|call| (call.id.as_str(), call.arguments.clone())).collect();
        assert_eq!(read, [("t1", json!({ "path": "a.rs" })), ("t2", json!({ "path": "b.rs" }))], "{name}");
        setup.model.complete(&answered(reply.message), None).await.expect("a reply");
        let body = setup.server.requests()[1].body.clone();
        match name {
            ANTHROPIC => assert_eq!(
                body["messages"],
                json!([
                    { "role": "user", "content": [{ "type": "text", "text": "How?\n\nAnd why?" }] },
                    { "role": "assistant", "content": [
                        { "type": "thinking", "thinking": "Hm.", "signature": "c2ln" },
                        { "type": "text", "text": "I look." },
                        { "type": "tool_use", "id": "t1", "name": "outline", "input": { "path": "a.rs" } },
                        { "type": "tool_use", "id": "t2", "name": "outline", "input": { "path": "b.rs" } },
                    ] },
                    { "role": "user", "content": [
                        { "type": "tool_result", "tool_use_id": "t1", "content": "fn a()" },
                        { "type": "tool_result", "tool_use_id": "t2", "content": "(empty)", "is_error": true },
                        { "type": "text", "text": "Two turns are left.", "cache_control": { "type": "ephemeral" } },
                    ] },
                ])
            ),
            OPENAI => assert_eq!(
                body["messages"].as_array().expect("messages")[1..],
                [
                    json!({ "role": "user", "content": "How?\n\nAnd why?" }),
                    json!({
                        "role": "assistant", "content": "I look.",
                        "tool_calls": [
                            { "id": "t1", "type": "function", "function": { "name": "outline", "arguments": "{\"path\":\"a.rs\"}" },
                              "extra_content": { "google": { "thought_signature": "c2ln" } } },
                            { "id": "t2", "type": "function", "function": { "name": "outline", "arguments": "{\"path\":\"b.rs\"}" } },
                        ],
                        "reasoning_content": "Hm.",
                    }),
                    json!({ "role": "tool", "tool_call_id": "t1", "content": "fn a()" }),
                    json!({ "role": "tool", "tool_call_id": "t2", "content": "(empty)" }),
                    json!({ "role": "user", "content": "Two turns are left." }),
                ]
            ),
            _ => assert_eq!(
                body["input"],
                json!([
                    { "role": "user", "content": "How?\n\nAnd why?" },
                    { "type": "reasoning", "id": "rs_1", "summary": [], "encrypted_content": "c2ln" },
                    { "role": "assistant", "content": "I look." },
                    { "type": "function_call", "call_id": "t1", "name": "outline", "arguments": "{\"path\":\"a.rs\"}" },
                    { "type": "function_call", "call_id": "t2", "name": "outline", "arguments": "{\"path\":\"b.rs\"}" },
                    { "type": "function_call_output", "call_id": "t1", "output": "fn a()" },
                    { "type": "function_call_output", "call_id": "t2", "output": "(empty)" },
                    { "role": "user", "content": "Two turns are left." },
                ])
            ),
        }
    }
}

#[tokio::test]
async fn a_conversation_goes_from_one_provider_to_another() {
    for (from, to) in [(ANTHROPIC, OPENAI), (OPENAI, RESPONSES), (RESPONSES, ANTHROPIC)] {
        let asked = ChatRequest { tools: vec![outline()], ..request() };
        let first = setup(from, vec![ok(calls(from))]);
        let said = first.model.complete(&asked, None).await.expect("a reply").message;
        assert!(said.opaque.is_some());
        let second = setup(to, vec![ok(says(to, "Done."))]);
        second.model.complete(&answered(said), None).await.expect("a reply");
        assert!(!second.server.requests()[0].body.to_string().contains("c2ln"), "{from} to {to}");
    }
}

#[tokio::test]
async fn tools_are_forced_or_forbidden() {
    let choices = [
        (ToolChoice::None, json!({ "type": "none" }), json!("none"), json!("none")),
        (ToolChoice::Required, json!({ "type": "any" }), json!("required"), json!("required")),
        (
            ToolChoice::Named("outline".to_owned()),
            json!({ "type": "tool", "name": "outline" }),
            json!({ "type": "function", "function": { "name": "outline" } }),
            json!({ "type": "function", "name": "outline" }),
        ),
    ];
    for (tool_choice, anthropic, openai, responses) in choices {
        for (name, expected) in ALL.iter().zip([anthropic, openai, responses]) {
            let setup = setup(name, vec![ok(says(name, "x"))]);
            let asked = ChatRequest { tools: vec![outline()], tool_choice: tool_choice.clone(), ..request() };
            setup.model.complete(&asked, None).await.expect("a reply");
            assert_eq!(setup.server.requests()[0].body["tool_choice"], expected, "{name}");
        }
    }
    // Anthropic wants the tools of a history declared, though none may be called any more.
    let setup = setup(ANTHROPIC, vec![ok(calls(ANTHROPIC)), ok(says(ANTHROPIC, "x"))]);
    let asked = ChatRequest { tools: vec![outline()], ..request() };
    let said = setup.model.complete(&asked, None).await.expect("a reply").message;
    setup.model.complete(&ChatRequest { tools: Vec::new(), ..answered(said) }, None).await.expect("a reply");
    let body = &setup.server.requests()[1].body;
    assert_eq!(body["tools"][0]["name"], "outline");
    assert_eq!(body["tool_choice"], json!({ "type": "none" }));
}

#[tokio::test]
async fn a_form_is_declared_in_each_protocol() {
    let schema =
        json!({ "type": "object", "properties": { "n": { "type": "integer", "minimum": 1 } }, "required": ["n"] });
    let closed = json!({
        "type": "object", "properties": { "n": { "type": "integer" } }, "required": ["n"], "additionalProperties": false,
    });
    let asked = ChatRequest { output: Some(OutputSchema { name: "count".to_owned(), schema }), ..request() };
    for name in ALL {
        let setup = setup(name, vec![ok(says(name, "{\"n\":1}"))]);
        setup.model.complete(&asked, None).await.expect("a reply");
        let body = setup.server.requests()[0].body.clone();
        let (place, expected) = match name {
            ANTHROPIC => ("/output_config", json!({ "format": { "type": "json_schema", "schema": closed } })),
            OPENAI => (
                "/response_format",
                json!({ "type": "json_schema", "json_schema": { "name": "count", "schema": closed, "strict": true } }),
            ),
            _ => (
                "/text",
                json!({ "format": { "type": "json_schema", "name": "count", "schema": closed, "strict": true } }),
            ),
        };
        assert_eq!(body.pointer(place), Some(&expected), "{name}");
    }
}

#[tokio::test]
async fn what_a_server_does_not_know_is_said_in_words_and_remembered() {
    let asked = ChatRequest {
        output: Some(OutputSchema { name: "count".to_owned(), schema: json!({ "type": "object", "title": "Count" }) }),
        tools: vec![outline()],
        tool_choice: ToolChoice::Required,
        ..request()
    };
    for name in ALL {
        let field = match name {
            ANTHROPIC => "output_config",
            OPENAI => "response_format",
            _ => "text",
        };
        let unknown = |what: &str| status(400, json!({ "error": { "message": format!("Unknown parameter: {what}") } }));
        let format = if name == RESPONSES { "text.format" } else { field };
        let replies = vec![unknown(format), unknown("tool_choice"), ok(says(name, "x")), ok(says(name, "x"))];
        let setup = setup(name, replies);
        setup.model.complete(&asked, None).await.expect("a reply");
        setup.model.complete(&asked, None).await.expect("a reply");
        let requests = setup.server.requests();
        assert_eq!(requests.len(), 4, "what was learned is not asked again");
        assert!(requests[0].body.get(field).is_some() && setup.clock.skipped_pauses().is_empty());
        for request in &requests[2..] {
            assert_eq!(request.body.get(field), None);
            assert!(["\"auto\"", "{\"type\":\"auto\"}"].contains(&request.body["tool_choice"].to_string().as_str()));
            let body = request.body.to_string();
            assert!(body.contains("JSON schema") && body.contains("Call at least one tool now."), "{name}: {body}");
        }
    }
}

#[tokio::test]
async fn the_limit_of_a_reply_has_two_names() {
    let refused =
        "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.";
    let refused = || status(400, json!({ "error": { "message": refused } }));
    let setup = setup("groq/x", vec![refused(), ok(says(OPENAI, "x")), refused(), ok(says(OPENAI, "x"))]);
    setup.model.complete(&request(), None).await.expect("a reply");
    let requests = setup.server.requests();
    assert_eq!(requests[0].body["max_tokens"], 700);
    assert_eq!((&requests[1].body["max_completion_tokens"], requests[1].body.get("max_tokens")), (&json!(700), None));
    // A server that refuses both is not asked to and fro.
    let error = setup.model.complete(&request(), None).await.expect_err("an error");
    assert!(error.to_string().contains("HTTP 400") && setup.server.requests().len() == 3, "{error}");
}

#[tokio::test]
async fn ends_are_told_apart() {
    let cut = |name: &str| match name {
        ANTHROPIC => {
            json!({ "content": [{ "type": "text", "text": "By" }], "stop_reason": "max_tokens", "usage": { "input_tokens": 3, "output_tokens": 2 } })
        }
        OPENAI => {
            json!({ "choices": [{ "message": { "content": "By" }, "finish_reason": "length" }], "usage": { "prompt_tokens": 3, "completion_tokens": 2 } })
        }
        _ => {
            json!({ "status": "incomplete", "incomplete_details": { "reason": "max_output_tokens" }, "output": [{ "type": "message", "content": [{ "type": "output_text", "text": "By" }] }], "usage": { "input_tokens": 3, "output_tokens": 2 } })
        }
    };
    let refused = |name: &str| match name {
        ANTHROPIC => json!({ "content": [{ "type": "text", "text": "No." }], "stop_reason": "refusal" }),
        OPENAI => json!({ "choices": [{ "message": { "content": null, "refusal": "No." }, "finish_reason": "stop" }] }),
        _ => {
            json!({ "status": "completed", "output": [{ "type": "message", "content": [{ "type": "refusal", "refusal": "No." }] }] })
        }
    };
    for name in ALL {
        let setup = setup(name, vec![ok(cut(name)), ok(refused(name))]);
        let reply = setup.model.complete(&request(), None).await.expect("a reply");
        assert_eq!(
            (reply.message.text.as_str(), reply.stop, reply.usage.total_tokens()),
            ("By", StopReason::Length, 5),
            "{name}"
        );
        let reply = setup.model.complete(&request(), None).await.expect("a reply");
        assert_eq!((reply.message.text.as_str(), reply.stop), ("No.", StopReason::Refusal), "{name}");
    }
}

#[tokio::test]
async fn odd_calls_are_made_fit_to_be_sent_back() {
    let odd = json!({
        "choices": [{
            "message": { "content": null, "tool_calls": [
                { "id": "", "function": { "name": "functions.outline", "arguments": "{\"path\":" } },
                { "function": { "name": "outline", "arguments": "" } },
                { "id": "x", "function": { "name": "outline", "arguments": { "path": "a" } } },
            ] },
            "finish_reason": "stop",
        }],
        // Thoughts are in the total alone.
        "usage": { "prompt_tokens": 5, "completion_tokens": 2, "total_tokens": 17 },
    });
    let setup = setup(OPENAI, vec![ok(odd), ok(says(OPENAI, "x"))]);
    let reply = setup.model.complete(&request(), None).await.expect("a reply");
    assert_eq!((reply.stop, reply.usage.output), (StopReason::ToolCalls, 12));
    let calls = reply.message.tool_calls.clone();
    assert_eq!(calls[0].name, "functions_outline");
    assert_eq!(calls[0].arguments, json!("{\"path\":"));
    assert_eq!((&calls[1].arguments, &calls[2].arguments), (&json!({}), &json!({ "path": "a" })));
    assert!(!calls[0].id.is_empty() && calls[0].id != calls[1].id);
    let results = calls
        .iter()
        .map(|call| ToolResult {
            call_id: call.id.clone(),
            name: call.name.clone(),
            content: "x".to_owned(),
            is_error: true,
        })
        .collect();
    let messages =
        vec![Message::new_user_message("How?"), Message::Assistant(reply.message), Message::Tools { results }];
    setup.model.complete(&ChatRequest { messages, ..request() }, None).await.expect("a reply");
    let sent = setup.server.requests()[1].body["messages"][2]["tool_calls"][0]["function"]["arguments"].clone();
    assert_eq!(sent, json!("{\"unreadable_arguments\":\"{\\\"path\\\":\"}"));
}
