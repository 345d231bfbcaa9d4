use serde_json::json;

use super::*;
use crate::chat::message::ToolCall;
use crate::chat::model::{OutputSchema, ToolDefinition};

fn assistant_message(text: &str, calls: &[(&str, &str)]) -> Message {
    let tool_calls = calls
        .iter()
        .map(|(id, name)| ToolCall { id: (*id).to_owned(), name: (*name).to_owned(), arguments: json!({}) })
        .collect();
    Message::Assistant(AssistantMessage { text: text.to_owned(), tool_calls, opaque: None })
}

fn tool_results(results: &[(&str, &str)]) -> Message {
    let result = |(id, name): &(&str, &str)| ToolResult {
        call_id: (*id).to_owned(),
        name: (*name).to_owned(),
        content: String::new(),
        is_error: false,
    };
    Message::Tools { results: results.iter().map(result).collect() }
}

#[test]
fn valid_conversations_are_accepted() {
    let user = || Message::new_user_message("How?");
    let calls = [("a", "outline"), ("b", "tree")];
    for messages in [
        vec![user()],
        vec![user(), user()],
        vec![user(), assistant_message("So.", &[]), user()],
        vec![user(), assistant_message("", &calls), tool_results(&calls)],
        vec![user(), assistant_message("I look.", &calls), tool_results(&calls), user()],
        vec![
            user(),
            assistant_message("", &calls[..1]),
            tool_results(&calls[..1]),
            assistant_message("", &calls[1..]),
            tool_results(&calls[1..]),
        ],
    ] {
        check_conversation(&messages).unwrap_or_else(|error| panic!("{error}: {messages:?}"));
    }
}

#[test]
fn each_broken_rule_is_reported_with_the_index_of_its_message() {
    let user = || Message::new_user_message("How?");
    let (one, two) = ([("a", "outline")], [("a", "outline"), ("b", "tree")]);
    let cases = [
        (vec![], "message 0: there is none"),
        (vec![assistant_message("So.", &[])], "message 0: it must be the user's"),
        (vec![user(), assistant_message("So.", &[])], "message 1: the last is the model's own"),
        (vec![user(), assistant_message("", &one)], "message 1: its calls have no results"),
        (vec![user(), assistant_message("", &one), user()], "message 2: it must have the results"),
        (
            vec![user(), assistant_message("", &one), assistant_message("So.", &[])],
            "message 2: it must have the results",
        ),
        (
            vec![user(), assistant_message("So.", &[]), assistant_message("So.", &[]), user()],
            "message 2: two messages of the model",
        ),
        (vec![user(), assistant_message(" \n", &[]), user()], "message 1: the model's message is empty"),
        (vec![user(), Message::new_user_message(" ")], "message 1: the user's text is empty"),
        (vec![user(), tool_results(&one)], "message 1: it has results"),
        (
            vec![user(), assistant_message("", &one), tool_results(&one), tool_results(&one)],
            "message 3: it has results",
        ),
        (vec![user(), assistant_message("", &two), tool_results(&one)], "message 2: it has 1 results for 2 calls"),
        (
            vec![user(), assistant_message("", &two), tool_results(&[("b", "tree"), ("a", "outline")])],
            "message 2: a result is of \"b\"",
        ),
        (vec![user(), assistant_message("", &one), tool_results(&[("a", "tree")])], "message 2: the result of outline"),
        (vec![user(), assistant_message("", &[("a", "x"), ("a", "y")])], "message 1: the id a comes twice"),
        (
            vec![user(), assistant_message("", &one), tool_results(&one), assistant_message("", &one)],
            "message 3: the id a comes twice",
        ),
        (vec![user(), assistant_message("", &[("", "x")])], "message 1: the call of x has no usable id"),
        (vec![user(), assistant_message("", &[("a", "x.y")])], "message 1: a call names \"x.y\""),
    ];
    for (messages, words) in cases {
        match check_conversation(&messages) {
            Err(ChatError::History(reason)) => assert!(reason.starts_with(words), "{reason}, not {words}"),
            other => panic!("{other:?} for {messages:?}"),
        }
    }
}

#[test]
fn tools_schema_and_limit_of_a_request_are_checked() {
    let tool = |name: &str| ToolDefinition { name: name.to_owned(), description: String::new(), parameters: json!({}) };
    let good = ChatRequest {
        messages: vec![Message::new_user_message("How?")],
        max_output_tokens: 9,
        ..ChatRequest::default()
    };
    check_chat_request(&good).expect("a request");
    let form = |name: &str, schema| Some(OutputSchema { name: name.to_owned(), schema });
    for bad in [
        ChatRequest { max_output_tokens: 0, ..good.clone() },
        ChatRequest { tools: vec![tool("a b")], ..good.clone() },
        ChatRequest { tools: vec![tool("a"), tool("a")], ..good.clone() },
        ChatRequest { tool_choice: ToolChoice::Required, ..good.clone() },
        ChatRequest { tools: vec![tool("a")], tool_choice: ToolChoice::Named("b".to_owned()), ..good.clone() },
        ChatRequest { output: form("a b", json!({})), ..good.clone() },
        ChatRequest { output: form("a", json!(true)), ..good.clone() },
    ] {
        assert!(matches!(check_chat_request(&bad), Err(ChatError::Options(_))), "{bad:?}");
    }
}
