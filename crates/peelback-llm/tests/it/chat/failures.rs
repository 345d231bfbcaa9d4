//! What goes wrong, and what is said of it.

use std::sync::Mutex;

use peelback_llm::{ChatError, ModelOptions, RetryPolicy, open_model_with_environment};

use super::*;

async fn failure(setup: &Setup) -> (ChatError, String) {
    let error = setup.model.complete(&request(), None).await.expect_err("an error");
    let words = error.to_string();
    (error, words)
}

#[tokio::test]
async fn the_pause_that_a_provider_asks_for_is_kept() {
    for (header, value) in
        [("Retry-After", "7"), ("retry-after-ms", "7000"), ("Retry-After", "Thu, 01 Jan 1970 00:00:07 GMT")]
    {
        let limited = Reply::Answer(429, vec![(header, value.to_owned())], "{}".to_owned());
        let setup = setup(OPENAI, vec![limited, ok(says(OPENAI, "At last."))]);
        let reply = setup.model.complete(&request(), None).await.expect("a reply");
        assert_eq!(reply.message.text, "At last.");
        let pauses = setup.clock.skipped_pauses();
        assert!(pauses.len() == 1 && pauses[0] >= Duration::from_secs(7), "{pauses:?}");
        assert!(pauses[0] < Duration::from_secs(8), "{pauses:?}");
    }
}

#[tokio::test]
async fn what_may_pass_is_tried_again_with_growing_pauses() {
    for name in ALL {
        for code in [408, 409, 429, 500, 503, 529] {
            let setup = setup(name, vec![status(code, "{}"), status(code, "{}"), ok(says(name, "x"))]);
            setup.model.complete(&request(), None).await.expect("a reply");
            let pauses = setup.clock.skipped_pauses();
            assert!(pauses.len() == 2 && pauses[1] >= Duration::from_millis(500), "{code}: {pauses:?}");
        }
    }
}

#[tokio::test]
async fn tries_are_bounded_in_number_and_in_time() {
    let overloaded = || status(503, json!({ "error": { "message": "Overloaded" } }));
    let setup1 = setup(OPENAI, (0..9).map(|_| overloaded()).collect());
    let (error, words) = failure(&setup1).await;
    assert!(matches!(error, ChatError::Status { status: 503, .. }), "{words}");
    assert!(words.contains("Overloaded") && words.contains("after 5 tries"), "{words}");
    assert_eq!(setup1.server.requests().len(), 5);

    let patient = Reply::Answer(429, vec![("Retry-After", "3600".to_owned())], "{}".to_owned());
    let setup2 = setup(OPENAI, vec![patient, overloaded()]);
    let (_, words) = failure(&setup2).await;
    assert!(words.contains("it asks to wait 3600 seconds") && setup2.clock.skipped_pauses().is_empty(), "{words}");

    let once = setup_with(OPENAI, vec![overloaded(), overloaded()], |options| {
        options.retry = RetryPolicy { tries: 1, ..RetryPolicy::default() };
    });
    failure(&once).await;
    assert_eq!(once.server.requests().len(), 1);
}

#[tokio::test]
async fn what_will_not_pass_is_told_at_once_with_what_to_do() {
    let cases = [
        (400, "bad", "check the name of the model"),
        (401, "bad key", "OPENAI_API_KEY"),
        (403, "no", "OPENAI_API_KEY"),
        (404, "no such model", "check the name of the model"),
        (413, "too big", "send less"),
        (422, "odd", "check the name of the model"),
        (429, "You exceeded your current quota, please check your plan", "no credit left"),
        (301, "", "which is not followed"),
    ];
    for (code, said, advice) in cases {
        let setup = setup(OPENAI, vec![status(code, json!({ "error": { "message": said } })), ok(says(OPENAI, "x"))]);
        let (error, words) = failure(&setup).await;
        assert!(matches!(error, ChatError::Status { status, .. } if status == code), "{error:?}");
        assert!(words.contains(advice) && (code == 301 || words.contains(said)), "{words}");
        assert_eq!(setup.server.requests().len(), 1);
    }
    let long =
        json!({ "error": { "message": "maximum context length is 10 tokens", "code": "context_length_exceeded" } });
    let setup = setup(OPENAI, vec![status(400, long)]);
    let (error, words) = failure(&setup).await;
    assert!(matches!(error, ChatError::ContextTooLong { .. }) && words.contains("send less"), "{words}");
}

#[tokio::test]
async fn broken_connections_are_tried_again() {
    for name in ALL {
        let setup = setup(name, vec![Reply::Drop, Reply::Half("{".to_owned()), ok(says(name, "x"))]);
        setup.model.complete(&request(), None).await.expect("a reply");
        assert_eq!(setup.clock.skipped_pauses().len(), 2);
    }
    let gone = setup(OPENAI, (0..9).map(|_| Reply::Drop).collect());
    let (error, words) = failure(&gone).await;
    assert!(matches!(error, ChatError::Connection { .. }) && words.contains("after 5 tries"), "{words}");
}

#[tokio::test]
async fn replies_that_cannot_be_read_say_why() {
    let cases = [
        ("{}", "it has no `choices`"),
        (r#"{"choices":[]}"#, "it has no `choices`"),
        (r#"{"choices":[{"finish_reason":"stop"}]}"#, "no `message`"),
        (r#"{"choices":[{"message":{"content":"x"}}],"usage":{"prompt_tokens":3}}"#, "no `finish_reason`"),
        (r#"{"choices":[{"message":{"tool_calls":[{"id":"a"}]}}]}"#, "a call names no tool"),
    ];
    for (body, said) in cases {
        let setup = setup(OPENAI, vec![ok(body)]);
        let (error, words) = failure(&setup).await;
        assert!(matches!(error, ChatError::Malformed { .. }) && words.contains(said), "{body}: {words}");
        assert_eq!(error.reported_usage().input, if body.contains("usage") { 3 } else { 0 });
        assert_eq!(setup.server.requests().len(), 1);
    }
    for (name, said) in [(ANTHROPIC, "it has no `content`"), (RESPONSES, "it has no `output`")] {
        let (_, words) = failure(&setup(name, vec![ok("{}")])).await;
        assert!(words.contains(said), "{words}");
    }
    let told = json!({ "error": { "message": "no such model", "code": 404 } });
    let (error, words) = failure(&setup(OPENAI, vec![ok(told)])).await;
    assert!(matches!(error, ChatError::Status { status: 404, .. }) && words.contains("no such model"), "{words}");
}

/// The page of a proxy, an empty body, a body that was cut, and one that breaks off.
fn without_json() -> Vec<(Reply, [&'static str; 3])> {
    let answer = |kind: &str, body: &str| Reply::Answer(200, vec![("Content-Type", kind.to_owned())], body.to_owned());
    vec![
        (
            answer("text/html; charset=utf-8", "<html>\n<h1>Back in a moment</h1>"),
            ["HTTP 200", "the content type text/html", "beginning with \"<html> <h1>Back in a moment</h1>\""],
        ),
        (answer("application/json", ""), ["HTTP 200", "application/json", "and an empty body"]),
        (
            answer("application/json", "{\"choices\": [{\"mess"),
            ["HTTP 200", "application/json", "{\"choices\": [{\"mess"],
        ),
        (Reply::Half("{\"cho".to_owned()), ["HTTP 200", "no content type", "beginning with \"{\"cho\""]),
    ]
}

#[tokio::test]
async fn a_reply_without_json_is_tried_again_within_the_same_bounds() {
    // A page comes from a wrong address most times: it is asked for once more, and nothing goes there after that.
    let tries_of = |said: &[&str]| if said.contains(&"the content type text/html") { 2 } else { 5 };
    for name in ALL {
        for (reply, said) in without_json() {
            let failures = (tries_of(&said) - 1).min(2);
            let replies = [vec![reply; failures], vec![ok(says(name, "At last."))]].concat();
            let setup = setup(name, replies);
            let reply = setup.model.complete(&request(), None).await.expect("a reply");
            assert_eq!((reply.message.text.as_str(), setup.clock.skipped_pauses().len()), ("At last.", failures));
        }
    }
    for (reply, said) in without_json() {
        let setup = setup(OPENAI, vec![reply; 9]);
        let (error, words) = failure(&setup).await;
        assert!(!error.is_certainly_unbilled(), "{words}");
        let tries = tries_of(&said);
        assert!(words.contains(&format!("after {tries} tries")), "{words}");
        said.iter().for_each(|said| assert!(words.contains(said), "{said}: {words}"));
        assert_eq!(setup.server.requests().len(), tries);
    }
    // Whatever the content type says, what begins as a page is one.
    let page = Reply::Answer(200, Vec::new(), "\n<!doctype html>".to_owned());
    let said = Arc::new(Mutex::new(Vec::new()));
    let keep = Arc::clone(&said);
    let watched = setup_with(OPENAI, vec![page; 9], |options| {
        options.on_retry = Some(Arc::new(move |words| keep.lock().expect("the words").push(words.to_owned())));
    });
    failure(&watched).await;
    assert_eq!(watched.server.requests().len(), 2);
    let said = said.lock().expect("the words").clone();
    assert!(
        matches!(said.as_slice(), [one] if one.contains("check that the address is the base of an API") && one.contains("(2 of 2)")),
        "{said:?}"
    );
    // What a page repeats of a secret is not repeated.
    let page = Reply::Answer(200, vec![("Content-Type", "text/html".to_owned())], format!("<p>Bearer {KEY}</p>"));
    let (_, words) = failure(&setup(OPENAI, vec![page; 9])).await;
    assert!(!words.contains(KEY) && words.contains("text/html"), "{words}");
}

#[tokio::test]
async fn replies_that_are_too_large_or_too_slow_are_given_up() {
    let announced = Reply::Answer(200, vec![("Content-Length", (1_u64 << 40).to_string())], String::new());
    for reply in [announced, Reply::Flood(80 << 20)] {
        let (error, words) = failure(&setup(OPENAI, vec![reply])).await;
        assert!(matches!(error, ChatError::Malformed { .. }) && words.contains("more than"), "{words}");
    }
    let slow = setup_with(OPENAI, vec![Reply::Drip(200), ok(says(OPENAI, "x"))], |options| {
        options.timeout = Duration::from_millis(200);
    });
    let (error, words) = failure(&slow).await;
    assert!(matches!(error, ChatError::Connection { .. }) && words.contains("allow more time"), "{words}");
    assert_eq!(slow.server.requests().len(), 1);

    // A stream of nothing new does not go on for ever, nor does what is said of a failure.
    for status in [200, 400] {
        let slow = setup_with(OPENAI, vec![Reply::Drip(status)], |options| {
            options.timeout = Duration::from_millis(200);
        });
        let error = slow.model.complete(&request(), Some(&|_| {})).await.expect_err("an error");
        match status {
            200 => assert!(error.to_string().contains("nothing new within 0.2 seconds"), "{error}"),
            _ => assert!(matches!(error, ChatError::Status { status: 400, .. }), "{error}"),
        }
    }
}

#[tokio::test]
async fn redirects_are_not_followed() {
    let elsewhere = Server::start(vec![ok(says(OPENAI, "x"))]);
    for code in [301, 302, 303, 307, 308] {
        let reply = Reply::Answer(code, vec![("Location", elsewhere.url("http"))], String::new());
        let (error, _) = failure(&setup(OPENAI, vec![reply])).await;
        assert!(matches!(error, ChatError::Status { .. }));
    }
    assert!(elsewhere.requests().is_empty());
}

#[tokio::test]
async fn the_key_is_in_no_error_and_no_debug_output() {
    let echo = json!({ "error": { "message": format!("bad key {}{KEY} given", "x".repeat(280)) } });
    for name in ALL {
        for reply in [
            status(401, &echo),
            status(400, format!("plain {KEY}")),
            ok(&echo),
            ok(format!("\"{KEY}\"")),
            status(400, json!({ "detail": [{ "loc": KEY }] })),
            Reply::Answer(307, vec![("Location", format!("http://other/?key={KEY}"))], String::new()),
        ] {
            let setup = setup_with(name, vec![reply], |options| options.retry.tries = 1);
            let (error, words) = failure(&setup).await;
            assert!(!words.contains("sk-s") && !format!("{error:?}").contains("sk-s"), "{error:?}");
            let serialised = serde_json::to_string(&error).expect("JSON");
            assert!(!serialised.contains("sk-s"), "{serialised}");
            let request = &setup.server.requests()[0];
            assert!(request.headers.iter().any(|(_, value)| value.contains(KEY)));
        }
    }
    let mut options = ModelOptions::new(OPENAI);
    options.base_url = Some("https://user:hunter2@example.com".to_owned());
    assert!(!format!("{options:?}").contains("hunter2"));
    let error = open_model_with_environment(options, &|_| Some(KEY.to_owned())).err().expect("an error");
    assert!(!format!("{error} {error:?}").contains("hunter2"), "{error:?}");
    let broken = open_model_with_environment(ModelOptions::new(OPENAI), &|_| Some(format!("{KEY}\n{KEY}")))
        .err()
        .expect("an error");
    assert!(!format!("{broken} {broken:?}").contains("sk-s"), "{broken:?}");
    assert!(broken.to_string().contains("OPENAI_API_KEY") && broken.to_string().contains("--key-file"), "{broken}");
}

#[test]
fn keys_come_from_a_file_or_the_environment_and_go_nowhere_unencrypted() {
    let opened = |options: ModelOptions, key: Option<&str>| {
        open_model_with_environment(options, &|_| key.map(str::to_owned)).err()
    };
    let at = |name: &str, url: &str| {
        let mut options = ModelOptions::new(name);
        options.base_url = Some(url.to_owned());
        options
    };
    let words = opened(ModelOptions::new(ANTHROPIC), None).expect("an error").to_string();
    assert!(words.contains("variable ANTHROPIC_API_KEY") && words.contains("--key-file"), "{words}");
    assert!(opened(ModelOptions::new("ollama/x"), None).is_none());
    assert!(opened(at(OPENAI, "http://10.0.0.1/v1"), None).is_none(), "without a key");
    for url in ["http://example.com/v1", "http://10.0.0.1", "http://localhost.example.com"] {
        let words = opened(at(OPENAI, url), Some(KEY)).expect(url).to_string();
        assert!(words.contains("without encryption"), "{words}");
    }
    for url in ["http://localhost:1/v1", "http://127.0.0.1:1", "http://[::1]:1", "https://example.com"] {
        assert!(opened(at(OPENAI, url), Some(KEY)).is_none(), "{url}");
    }

    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("key");
    let with_file = || ModelOptions { key_file: Some(file.clone()), ..at(OPENAI, "http://example.com") };
    assert!(opened(with_file(), None).expect("an error").to_string().contains("cannot be read"));
    std::fs::write(&file, " \n").expect("a file");
    let words = opened(with_file(), None).expect("an error").to_string();
    assert!(words.contains("is empty") && words.contains("--key-file"), "{words}");
    std::fs::write(&file, "k".repeat(20_000)).expect("a file");
    assert!(opened(with_file(), None).expect("an error").to_string().contains("more than 16384 bytes"));
    std::fs::write(&file, format!("{KEY}\n")).expect("a file");
    assert!(opened(with_file(), None).expect("an error").to_string().contains("without encryption"));
}

#[tokio::test]
async fn the_file_goes_before_the_environment() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("key");
    std::fs::write(&file, "sk-of-the-file\n").expect("a file");
    let setup = setup_with(OPENAI, vec![ok(says(OPENAI, "x"))], |options| options.key_file = Some(file));
    setup.model.complete(&request(), None).await.expect("a reply");
    assert_eq!(setup.server.requests()[0].header("authorization"), Some("Bearer sk-of-the-file"));
}

#[tokio::test]
async fn a_conversation_that_no_provider_takes_is_not_sent() {
    let setup = setup(OPENAI, Vec::new());
    let mut bad = request();
    bad.messages.push(Message::new_user_message(" "));
    let error = setup.model.complete(&bad, None).await.expect_err("an error");
    assert!(matches!(error, ChatError::History(_)) && setup.server.requests().is_empty());
}
