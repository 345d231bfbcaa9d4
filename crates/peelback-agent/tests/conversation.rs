//! A conversation fits its limit, keeps what is worth most, and leaves the caches of providers alone.

#![allow(clippy::pedantic, clippy::restriction, missing_docs, reason = "a test fails by a panic")]

use std::collections::{HashMap, HashSet};

use peelback_agent::conversation::{Conversation, Kind, Limits, NewToolResult, tokens_of_messages, tokens_of_request};
use peelback_llm::{AssistantMessage, Message, ToolCall, ToolChoice, ToolDefinition};
use peelback_tools::{Location, ShownDetail};
use proptest::prelude::*;
use proptest::test_runner::RngSeed;
use serde_json::{Value, json};

/// What providers refuse in a history; `None` for a good one.
fn fault(messages: &[Message]) -> Option<String> {
    let mut ids = HashSet::new();
    if !matches!(messages.first(), Some(Message::User { .. })) {
        return Some("it does not begin with the user".into());
    }
    for (index, message) in messages.iter().enumerate() {
        let next = messages.get(index + 1);
        match message {
            Message::User { text } => {
                if text.trim().is_empty() {
                    return Some(format!("message {index} is empty"));
                }
                if matches!(next, Some(Message::Tools { .. })) {
                    return Some(format!("results of nothing after {index}"));
                }
            }
            Message::Assistant(said) => {
                if said.text.trim().is_empty() && said.tool_calls.is_empty() {
                    return Some(format!("message {index} says nothing"));
                }
                for call in &said.tool_calls {
                    let is_name = |c: char| c.is_ascii_alphanumeric() || "_-".contains(c);
                    if call.name.is_empty() || call.name.len() > 64 || !call.name.chars().all(is_name) {
                        return Some(format!("no tool is called {:?}", call.name));
                    }
                    if call.id.is_empty() || call.id.contains(char::is_whitespace) || !ids.insert(call.id.clone()) {
                        return Some(format!("the id {:?} is used twice or empty", call.id));
                    }
                }
                match next {
                    Some(Message::Tools { results }) => {
                        let called: Vec<_> = said.tool_calls.iter().map(|call| (&call.id, &call.name)).collect();
                        let given: Vec<_> = results.iter().map(|result| (&result.call_id, &result.name)).collect();
                        if called != given {
                            return Some(format!("calls and results differ at {index}"));
                        }
                    }
                    Some(Message::User { .. }) if said.tool_calls.is_empty() => {}
                    _ => return Some(format!("calls of {index} are not answered")),
                }
            }
            Message::Tools { results } => {
                if results.is_empty() || results.iter().any(|result| result.content.trim().is_empty()) {
                    return Some(format!("an empty result at {index}"));
                }
                if !matches!(messages.get(index.wrapping_sub(1)), Some(Message::Assistant(_))) {
                    return Some(format!("results of nothing at {index}"));
                }
            }
        }
    }
    None
}

fn code(bytes: usize, seed: usize) -> String {
    let mut out = String::new();
    let mut n = seed;
    while out.len() < bytes {
        n = n.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let word = ["price", "order", "items", "total", "stock", "client"][(n >> 33) % 6];
        out.push_str(&format!("    let {word}_{} = compute_{word}(&state, {})?;\n", n % 97, n % 1_013));
    }
    out.truncate(bytes);
    out
}

fn tools() -> Vec<ToolDefinition> {
    (0..10)
        .map(|n| ToolDefinition {
            name: format!("tool_{n}"),
            description: "Does one thing to the code that it is pointed at, and says what it costs.".into(),
            parameters: json!({ "type": "object", "properties": { "path": { "type": "string" } }, "required": ["path"] }),
        })
        .collect()
}

fn calls(name: &str, turn: usize) -> AssistantMessage {
    AssistantMessage {
        text: format!("Now I look at part {turn}, since the part before it leads there."),
        tool_calls: vec![ToolCall {
            id: format!("call_{turn}"),
            name: name.into(),
            arguments: json!({ "path": format!("src/part_{turn}.rs") }),
        }],
        opaque: None,
    }
}

/// What a scripted session showed.
#[derive(Default)]
struct Shown {
    /// For each turn: the kind, and in how many requests its result stood whole.
    lives: Vec<(Kind, usize)>,
    /// The turns whose request changed what the request before had sent.
    changes: Vec<usize>,
    most_tokens: usize,
    /// Results that were not whole when they were sent first.
    cut_at_once: usize,
}

fn run(kinds: &[Kind]) -> Shown {
    let mut conversation = Conversation::new("You look at code.\n".repeat(40)).with_tools(tools());
    conversation.push_user_message("How are prices computed, and who is told of them?");
    let mut shown = Shown::default();
    let mut contents: HashMap<String, (usize, String)> = HashMap::new();
    let mut before: Vec<Message> = Vec::new();
    for (turn, kind) in kinds.iter().enumerate() {
        let (name, bytes) = match kind {
            Kind::File => ("read_file", 8_000),
            Kind::Outline => ("outline", 1_100),
            _ => ("find_files", 1_400),
        };
        let content = code(bytes, turn);
        let outline = (*kind == Kind::File).then(|| code(500, turn));
        let calls = conversation.push_model_message(calls(name, turn));
        let id = calls[0].id.clone();
        conversation
            .push_tool_result(&id, NewToolResult::new(*kind, content.as_str()).with_outline(outline))
            .expect("the call");
        contents.insert(id, (turn, content));
        shown.lives.push((*kind, 0));
        let request = conversation.trim_and_build_request(ToolChoice::Auto, 1_000);
        assert_eq!(fault(&request.messages), None, "turn {turn}");
        let tokens = tokens_of_request(&request);
        assert!(tokens <= 20_000, "turn {turn}: {tokens}");
        assert_eq!(tokens, conversation.token_count(), "what is said is what is sent");
        shown.most_tokens = shown.most_tokens.max(tokens);
        if !request.messages.starts_with(&before) {
            shown.changes.push(turn);
        }
        for message in &request.messages {
            let Message::Tools { results } = message else { continue };
            for result in results {
                let (turn, content) = &contents[&result.call_id];
                shown.lives[*turn].1 += usize::from(result.content == *content);
            }
        }
        shown.cut_at_once += usize::from(shown.lives[turn].1 == 0);
        before = request.messages;
    }
    shown
}

fn hold(name: &str, kinds: &[Kind]) {
    let shown = run(kinds);
    let tightest = shown.changes.windows(2).map(|pair| pair[1] - pair[0]).min().unwrap_or(usize::MAX);
    assert!(tightest >= 5, "{name}: the prefix changed at {:?}", shown.changes);
    for (turn, (kind, life)) in shown.lives.iter().enumerate() {
        // Those that live to the end have no life to compare.
        if *kind == Kind::File || turn + life >= kinds.len() {
            continue;
        }
        for (other, (raw, raw_life)) in shown.lives.iter().enumerate() {
            if *raw == Kind::File && other.abs_diff(turn) <= 2 {
                assert!(life > raw_life, "{name}: {kind:?} of turn {turn}: {life}; raw of {other}: {raw_life}");
            }
        }
    }
    println!("{name}: at most {} tokens, changes {:?}, cut {}", shown.most_tokens, shown.changes, shown.cut_at_once);
    assert!(shown.most_tokens > 12_000, "{name}: far more was left out than had to be: {}", shown.most_tokens);
}

#[test]
fn sixty_turns_stay_small_and_keep_the_map() {
    let (raw, outline, search) = (Kind::File, Kind::Outline, Kind::Search);
    let mixed: Vec<Kind> = [search, outline, raw, outline, raw, search, raw, outline, raw, raw, search, outline]
        .into_iter()
        .cycle()
        .take(60)
        .collect();
    let count = |kind: Kind| mixed.iter().filter(|own| **own == kind).count();
    assert_eq!((count(raw), count(outline), count(search)), (25, 20, 15));
    hold("mixed", &mixed);
    let sorted = |order: [(Kind, usize); 3]| {
        order.into_iter().flat_map(|(kind, times)| std::iter::repeat_n(kind, times)).collect::<Vec<_>>()
    };
    hold("reads first", &sorted([(raw, 25), (outline, 20), (search, 15)]));
    hold("reads last", &sorted([(search, 15), (outline, 20), (raw, 25)]));
    hold("reads between", &sorted([(outline, 20), (raw, 25), (search, 15)]));
    // Most of an ordinary session is shown as it came.
    assert!(run(&mixed).cut_at_once <= 3, "{} results were cut before they were sent", run(&mixed).cut_at_once);
}

#[test]
fn an_old_text_gives_way_to_its_outline_and_then_to_a_line() {
    let mut conversation = Conversation::new("").with_limits(Limits { max_input_tokens: 6_000, ..Limits::default() });
    conversation.push_user_message("?");
    let mut seen = Vec::new();
    for turn in 0..24 {
        let (name, kind) = if turn == 0 { ("read_file", Kind::File) } else { ("outline", Kind::Outline) };
        let id = conversation.push_model_message(calls(name, turn))[0].id.clone();
        let given =
            NewToolResult::new(kind, code(1_200, turn)).with_outline((turn == 0).then(|| "3-9 fn compute".to_owned()));
        conversation.push_tool_result(&id, given).expect("the call");
        let messages = conversation.trim_and_build_messages();
        let Some(Message::Tools { results }) = messages.get(2) else { continue };
        if results[0].call_id == "call_0" && seen.last() != Some(&results[0].content) {
            seen.push(results[0].content.clone());
        }
    }
    assert_eq!(seen.len(), 3, "{seen:#?}");
    assert!(seen[1].contains("its outline:]\n3-9 fn compute"), "{}", seen[1]);
    assert_eq!(seen[2], "[left out to save room: read_file {\"path\":\"src/part_0.rs\"} gives it again]");
    assert!(
        !conversation.has_unmodified_result_of_call("call_0") && conversation.has_unmodified_result_of_call("call_23")
    );
}

/// A conversation of a small limit in which the results of `first` come before many outlines, and whether each result of
/// `first` is whole after them. A text that the model says stands after the results.
fn whole_after_trimming(first: Vec<NewToolResult>, said: &str) -> Vec<bool> {
    let limits = Limits { max_input_tokens: 6_000, ..Limits::default() };
    let mut conversation = Conversation::new("").with_limits(limits);
    conversation.push_user_message("?");
    let ids: Vec<String> = first
        .into_iter()
        .enumerate()
        .map(|(turn, given)| {
            let id = conversation.push_model_message(calls("read_symbol", turn))[0].id.clone();
            conversation.push_tool_result(&id, given).expect("the call");
            id
        })
        .collect();
    let mut message = calls("outline", 90);
    message.text = said.to_owned();
    let id = conversation.push_model_message(message)[0].id.clone();
    conversation.push_tool_result(&id, NewToolResult::new(Kind::Outline, code(600, 90))).expect("the call");
    for turn in 100..108 {
        conversation.trim_and_build_messages();
        let id = conversation.push_model_message(calls("outline", turn))[0].id.clone();
        conversation.push_tool_result(&id, NewToolResult::new(Kind::Outline, code(1_500, turn))).expect("the call");
    }
    conversation.trim_and_build_messages();
    ids.iter().map(|id| conversation.has_unmodified_result_of_call(id)).collect()
}

fn body_of_part(turn: usize) -> NewToolResult {
    let place = Location {
        path: format!("src/part_{turn}.rs"),
        lines: Some((10, 40)),
        title: format!("method Cart.total_{turn}"),
        shown_detail: ShownDetail::Read,
        is_whole_text: false,
    };
    NewToolResult::new(Kind::Symbol, code(1_600, turn)).with_places(vec![place])
}

#[test]
fn errors_go_before_all_else_and_what_was_cited_stays() {
    let docs = format!("error: no parameter `x`\n{}", code(1_600, 3));
    let error =
        || NewToolResult::new(Kind::Search, docs.as_str()).marked_as_failure(Some("error: no parameter".into()));
    let search = || NewToolResult::new(Kind::Search, code(1_600, 4));
    assert_eq!(whole_after_trimming(vec![error(), search()], ""), [false, true]);
    // Of two bodies the one whose lines or name the model cited stays, though it is older.
    assert_eq!(whole_after_trimming(vec![body_of_part(0), body_of_part(1), body_of_part(2)], ""), [false; 3]);
    let cited =
        whole_after_trimming(vec![body_of_part(0), body_of_part(1), body_of_part(2)], "src/part_0.rs:12 sums up.");
    assert_eq!(cited, [true, false, false]);
    let cited = whole_after_trimming(vec![body_of_part(0), body_of_part(1), body_of_part(2)], "`total_1` sums up.");
    assert_eq!(cited, [false, true, false]);
    let needed = vec![body_of_part(0).marked_as_needed(), body_of_part(1), body_of_part(2)];
    assert_eq!(whole_after_trimming(needed, ""), [true, false, false]);
}

#[test]
fn an_old_error_loses_its_documentation_first() {
    let mut conversation = Conversation::new("");
    conversation.push_user_message("?");
    let id = conversation.push_model_message(calls("grep", 0))[0].id.clone();
    let error = NewToolResult::new(Kind::Search, format!("error: no parameter `x`\n{}", code(1_600, 3)));
    let error = error.marked_as_failure(Some("error: no parameter `x`".to_owned())).marked_as_error();
    conversation.push_tool_result(&id, error).expect("the call");
    for turn in 1..8 {
        conversation.trim_and_build_messages();
        let id = conversation.push_model_message(calls("outline", turn))[0].id.clone();
        conversation.push_tool_result(&id, NewToolResult::new(Kind::Outline, code(300, turn))).expect("the call");
    }
    let messages = conversation.trim_and_build_messages();
    let Some(Message::Tools { results }) = messages.get(2) else { panic!("{messages:?}") };
    assert_eq!(results[0].content, "error: no parameter `x`\n[the docs of the tool were left out to save room]");
    assert!(results[0].is_error);
}

#[test]
fn what_does_not_fit_is_cut_at_line_ends() {
    let mut conversation = Conversation::new("").with_limits(Limits { max_input_tokens: 3_000, ..Limits::default() });
    conversation.push_user_message("?");
    let said = AssistantMessage { tool_calls: vec![calls("a", 1).tool_calls.remove(0)], ..AssistantMessage::default() };
    conversation.push_model_message(said);
    let text = code(40_000, 7);
    conversation
        .push_tool_result("call_1", NewToolResult::new(Kind::File, format!("{text}\n</end>")))
        .expect("the call");
    let messages = conversation.trim_and_build_messages();
    assert!(
        conversation.token_count() <= 3_000 && conversation.token_count() > 2_500,
        "{}",
        conversation.token_count()
    );
    let Some(Message::Tools { results }) = messages.get(2) else { panic!("{messages:?}") };
    let content = &results[0].content;
    assert!(content.ends_with("lines left out here to save room]\n</end>"), "{content}");
    let kept = content.lines().take_while(|line| !line.starts_with('[')).last().expect("a line");
    assert!(text.contains(&format!("\n{kept}\n")), "a whole line: {kept}");
    assert_eq!(messages, conversation.trim_and_build_messages(), "asked again, the same");
}

#[test]
fn calibration_makes_room() {
    let mut conversation = Conversation::new("");
    conversation.push_user_message("?");
    conversation.set_provider_token_ratio(1.5);
    for turn in 0..20 {
        conversation.push_model_message(calls("read_file", turn));
        conversation
            .push_tool_result(&format!("call_{turn}"), NewToolResult::new(Kind::File, code(6_000, turn)))
            .expect("the call");
        let tokens = tokens_of_messages(&conversation.trim_and_build_messages());
        assert!(tokens * 3 / 2 <= 20_000, "{tokens}");
    }
}

#[test]
fn what_a_caller_leaves_out_is_filled_in() {
    let mut conversation = Conversation::new("");
    let twice = ToolCall { id: "1".into(), name: "a".into(), arguments: Value::Null };
    let message = AssistantMessage { tool_calls: vec![twice.clone(), twice], ..AssistantMessage::default() };
    let calls = conversation.push_model_message(message);
    assert_ne!(calls[0].id, calls[1].id);
    conversation.push_tool_result(&calls[1].id, NewToolResult::new(Kind::Other, "")).expect("the call");
    assert!(conversation.push_tool_result(&calls[1].id, NewToolResult::new(Kind::Other, "again")).is_err());
    assert!(conversation.push_tool_result("other", NewToolResult::new(Kind::Other, "x")).is_err());
    conversation.push_user_message("and be quick");
    conversation.push_model_message(AssistantMessage::default());
    conversation.push_model_message(AssistantMessage { text: "done".into(), ..AssistantMessage::default() });
    let messages = conversation.trim_and_build_messages();
    assert_eq!(fault(&messages), None, "{messages:#?}");
    assert_eq!(conversation.model_texts().collect::<Vec<_>>(), ["done"]);
}

/// One step of a caller who does what it likes.
#[derive(Debug, Clone)]
enum Step {
    User(String),
    Model { text: usize, calls: Vec<(String, String, usize)> },
    Result { at: usize, kind: usize, bytes: usize, outline: bool },
    Ask,
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let step = prop_oneof![
        1 => "[ a-z]{0,40}".prop_map(Step::User),
        4 => (0usize..1_500, prop::collection::vec(("[a-c ]?", "[a-z /.]{0,70}", 0usize..3_000), 0..4))
            .prop_map(|(text, calls)| Step::Model { text, calls }),
        8 => (0usize..4, 0usize..5, 0usize..12_000, any::<bool>())
            .prop_map(|(at, kind, bytes, outline)| Step::Result { at, kind, bytes, outline }),
        4 => Just(Step::Ask),
    ];
    prop::collection::vec(step, 1..60)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, rng_seed: RngSeed::Fixed(20), ..ProptestConfig::default() })]

    #[test]
    fn every_history_is_one_that_providers_accept_and_fits(steps in steps(), limit in 1_500usize..9_000) {
        let limits = Limits { max_input_tokens: limit, ..Limits::default() };
        let mut conversation = Conversation::new("Look.").with_tools(tools()).with_limits(limits);
        let mut calls: Vec<ToolCall> = Vec::new();
        for step in steps.into_iter().chain([Step::Ask]) {
            match step {
                Step::User(text) => conversation.push_user_message(&text),
                Step::Model { text, calls: wanted } => {
                    let tool_calls = wanted.into_iter().map(|(id, name, bytes)| ToolCall {
                        id,
                        name,
                        arguments: json!({ "path": "a", "note": code(bytes, bytes) }),
                    });
                    let opaque = (text % 3 == 0).then(|| json!({ "thought": code(text, 3) }));
                    calls = conversation.push_model_message(AssistantMessage {
                        text: code(text, text),
                        tool_calls: tool_calls.collect(),
                        opaque,
                    });
                }
                Step::Result { at, kind, bytes, outline } => {
                    let kinds = [Kind::File, Kind::Search, Kind::Outline, Kind::Symbol, Kind::Lines];
                    let given = NewToolResult::new(kinds[kind], code(bytes, bytes)).with_outline(outline.then(|| code(300, bytes)));
                    if let Some(call) = calls.get(at) {
                        // The same result twice is refused, and changes nothing.
                        let _ = conversation.push_tool_result(&call.id, given);
                    }
                }
                Step::Ask => {
                    let request = conversation.trim_and_build_request(ToolChoice::Auto, 100);
                    prop_assert_eq!(fault(&request.messages), None);
                    let tokens = tokens_of_request(&request);
                    prop_assert!(tokens <= limit, "{} of {}", tokens, limit);
                }
            }
        }
    }
}
