//! Replies of a form, and their repair.

use peelback_llm::{ChatError, OutputSchema, StopReason, request_structured_reply};
use serde::Deserialize;

use super::scripted::{Scripted, said, used};
use super::*;

#[derive(Debug, PartialEq, Deserialize)]
struct Wanted {
    files: Vec<String>,
    sufficient: bool,
}

fn schema() -> OutputSchema {
    let schema = json!({
        "type": "object",
        "properties": {
            "files": { "type": "array", "items": { "type": "string" }, "maxItems": 2 },
            "sufficient": { "type": "boolean" },
        },
        "required": ["files", "sufficient"],
    });
    OutputSchema { name: "wanted".to_owned(), schema }
}

const GOOD: &str = r#"{"files":["a.rs"],"sufficient":true}"#;

#[tokio::test]
async fn a_reply_that_fits_is_taken_as_it_stands_or_among_words() {
    let fenced = format!("Here:\n```json\n{GOOD}\n```\nI hope it helps.");
    for text in [GOOD, &fenced, &format!("[1] says {{x}}: {GOOD}")] {
        let model = Scripted::saying(&[text]);
        let reply = request_structured_reply::<Wanted>(&model, &request(), schema(), None).await.expect("a reply");
        assert_eq!(reply.value, Wanted { files: vec!["a.rs".to_owned()], sufficient: true });
        assert!(!reply.repaired && reply.usage == used(100, 10));
        assert_eq!(model.seen()[0].output, Some(schema()));
    }
}

#[tokio::test]
async fn a_misfit_is_shown_once() {
    let cases = [
        (r#"{"files":["a","b","c"],"sufficient":true}"#, "at /files: "),
        (r#"{"files":["a"]}"#, "at /: \"sufficient\" is a required property"),
        (r#"{"files":[1],"sufficient":"yes"}"#, "at /files/0: 1 is not of type \"string\""),
        ("I would look at a.rs.", "it contains no JSON"),
        ("", "it is empty"),
    ];
    for (text, misfit) in cases {
        let model = Scripted::saying(&[text, GOOD]);
        let reply = request_structured_reply::<Wanted>(&model, &request(), schema(), None).await.expect("a reply");
        assert!(reply.repaired && reply.usage == used(200, 20));
        let seen = model.seen();
        let Some(Message::User { text: again }) = seen[1].messages.last() else { panic!("{:?}", seen[1]) };
        assert!(again.contains(misfit) && again.contains("\"maxItems\":2"), "{again}");
        // An empty reply is not sent back.
        assert_eq!(seen[1].messages.len(), if text.is_empty() { 2 } else { 3 });

        let model = Scripted::saying(&[text, text, GOOD]);
        let error = request_structured_reply::<Wanted>(&model, &request(), schema(), None).await.expect_err("an error");
        assert!(matches!(&error, ChatError::Form { reason } if reason.contains(misfit)), "{error}");
        assert_eq!(model.seen().len(), 2);
    }
}

#[tokio::test]
async fn refusals_and_cuts_are_told() {
    let ending = |stop: StopReason| {
        Scripted::new("openai/x", move |_| {
            Ok(peelback_llm::ChatReply { stop: stop.clone(), ..said("{\"files\":[", used(1, 1)) })
        })
    };
    let refused = ending(StopReason::Refusal);
    let error = request_structured_reply::<Wanted>(&refused, &request(), schema(), None)
        .await
        .expect_err("an error")
        .to_string();
    assert!(error.contains("the model declined") && refused.seen().len() == 1, "{error}");
    let cut = ending(StopReason::Length);
    let error =
        request_structured_reply::<Wanted>(&cut, &request(), schema(), None).await.expect_err("an error").to_string();
    let limits: Vec<u32> = cut.seen().iter().map(|request| request.max_output_tokens).collect();
    assert!(error.contains("it was cut") && limits == [700, 1_400], "{error} {limits:?}");
}

#[tokio::test]
async fn a_schema_that_is_none_is_told_before_anything_is_sent() {
    let model = Scripted::saying(&[GOOD]);
    let bad = OutputSchema { name: "x".to_owned(), schema: json!({ "type": "objekt" }) };
    let error = request_structured_reply::<Wanted>(&model, &request(), bad, None).await.expect_err("an error");
    assert!(matches!(error, ChatError::Options(_)) && model.seen().is_empty(), "{error}");
}

#[tokio::test]
async fn the_repair_goes_over_each_protocol() {
    for name in ALL {
        let setup = setup(name, vec![ok(says(name, "{\"files\": 3}")), ok(says(name, GOOD))]);
        let reply =
            request_structured_reply::<Wanted>(&*setup.model, &request(), schema(), None).await.expect("a reply");
        assert!(reply.repaired && reply.usage.input == 480);
        assert!(setup.server.requests()[1].body.to_string().contains("does not fit the form"));
    }
}
