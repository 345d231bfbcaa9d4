use serde_json::json;

use super::*;
use crate::chat::{ToolCall, ToolDefinition};

fn said(text: &str, calls: &[(&str, &str)]) -> Message {
    let tool_calls = calls
        .iter()
        .map(|(id, name)| ToolCall { id: (*id).to_owned(), name: (*name).to_owned(), arguments: json!({}) })
        .collect();
    Message::Assistant(AssistantMessage { text: text.to_owned(), tool_calls, opaque: None })
}

fn results(results: &[(&str, &str)]) -> Message {
    let result = |(id, name): &(&str, &str)| ToolResult {
        call_id: (*id).to_owned(),
        name: (*name).to_owned(),
        content: String::new(),
        is_error: false,
    };
    Message::Tools { results: results.iter().map(result).collect() }
}

#[test]
fn conversations_that_every_provider_takes() {
    let user = || Message::user("How?");
    let calls = [("a", "outline"), ("b", "tree")];
    for messages in [
        vec![user()],
        vec![user(), user()],
        vec![user(), said("So.", &[]), user()],
        vec![user(), said("", &calls), results(&calls)],
        vec![user(), said("I look.", &calls), results(&calls), user()],
        vec![user(), said("", &calls[..1]), results(&calls[..1]), said("", &calls[1..]), results(&calls[1..])],
    ] {
        check(&messages).unwrap_or_else(|error| panic!("{error}: {messages:?}"));
    }
}

#[test]
fn each_rule_is_told_with_its_place() {
    let user = || Message::user("How?");
    let (one, two) = ([("a", "outline")], [("a", "outline"), ("b", "tree")]);
    let cases = [
        (vec![], "message 0: there is none"),
        (vec![said("So.", &[])], "message 0: it must be the user's"),
        (vec![user(), said("So.", &[])], "message 1: the last is the model's own"),
        (vec![user(), said("", &one)], "message 1: its calls have no results"),
        (vec![user(), said("", &one), user()], "message 2: it must hold the results"),
        (vec![user(), said("", &one), said("So.", &[])], "message 2: it must hold the results"),
        (vec![user(), said("So.", &[]), said("So.", &[]), user()], "message 2: two messages of the model"),
        (vec![user(), said(" \n", &[]), user()], "message 1: the model's message is empty"),
        (vec![user(), Message::user(" ")], "message 1: the user's text is empty"),
        (vec![user(), results(&one)], "message 1: it holds results"),
        (vec![user(), said("", &one), results(&one), results(&one)], "message 3: it holds results"),
        (vec![user(), said("", &two), results(&one)], "message 2: it holds 1 results for 2 calls"),
        (vec![user(), said("", &two), results(&[("b", "tree"), ("a", "outline")])], "message 2: a result is of \"b\""),
        (vec![user(), said("", &one), results(&[("a", "tree")])], "message 2: the result of outline"),
        (vec![user(), said("", &[("a", "x"), ("a", "y")])], "message 1: the id a comes twice"),
        (vec![user(), said("", &one), results(&one), said("", &one)], "message 3: the id a comes twice"),
        (vec![user(), said("", &[("", "x")])], "message 1: the call of x has no usable id"),
        (vec![user(), said("", &[("a", "x.y")])], "message 1: a call is of \"x.y\""),
    ];
    for (messages, words) in cases {
        match check(&messages) {
            Err(ChatError::History(reason)) => assert!(reason.starts_with(words), "{reason}, not {words}"),
            other => panic!("{other:?} for {messages:?}"),
        }
    }
}

#[test]
fn requests_are_checked_too() {
    let tool = |name: &str| ToolDefinition { name: name.to_owned(), description: String::new(), parameters: json!({}) };
    let good = ChatRequest { messages: vec![Message::user("How?")], max_output_tokens: 9, ..ChatRequest::default() };
    check_request(&good).expect("a request");
    let form = |name: &str, schema| Some(crate::OutputSchema { name: name.to_owned(), schema });
    for bad in [
        ChatRequest { max_output_tokens: 0, ..good.clone() },
        ChatRequest { tools: vec![tool("a b")], ..good.clone() },
        ChatRequest { tools: vec![tool("a"), tool("a")], ..good.clone() },
        ChatRequest { tool_choice: ToolChoice::Required, ..good.clone() },
        ChatRequest { tools: vec![tool("a")], tool_choice: ToolChoice::Named("b".to_owned()), ..good.clone() },
        ChatRequest { output: form("a b", json!({})), ..good.clone() },
        ChatRequest { output: form("a", json!(true)), ..good.clone() },
    ] {
        assert!(matches!(check_request(&bad), Err(ChatError::Options(_))), "{bad:?}");
    }
}

#[test]
fn names_that_models_make_up_are_made_fit() {
    for name in ["functions.outline", "", "größe", "a b", &"x".repeat(100)] {
        assert!(is_name(&name_of(name)), "{name}");
    }
    assert_eq!(name_of("functions.outline"), "functions_outline");
}
