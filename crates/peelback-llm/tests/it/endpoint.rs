//! Embedding endpoints against a server on this machine.

use std::time::{Duration, Instant};

use crate::server::{Reply, Server};
use peelback_llm::{EmbeddingApiFormat, EmbeddingError, EmbeddingModel, EndpointOptions, RemoteEmbeddingModel};
use serde_json::json;

const KEY: &str = "sk-secret-of-the-test-4711";

fn options(url: &str, form: EmbeddingApiFormat) -> EndpointOptions {
    EndpointOptions {
        url: url.to_owned(),
        form,
        model: "small".to_owned(),
        key: None,
        timeout: Duration::from_secs(20),
    }
}

fn with_key(url: &str) -> EndpointOptions {
    EndpointOptions { key: Some(KEY.to_owned()), ..options(url, EmbeddingApiFormat::OpenAi) }
}

fn openai(server: &Server) -> RemoteEmbeddingModel {
    RemoteEmbeddingModel::new(options(&server.url("http"), EmbeddingApiFormat::OpenAi)).expect("an endpoint")
}

fn ok(body: impl ToString) -> Reply {
    Reply::Answer(200, vec![("Content-Type", "application/json".to_owned())], body.to_string())
}

fn vectors(vectors: &[&[f32]]) -> Reply {
    let data: Vec<_> = vectors.iter().enumerate().map(|(index, v)| json!({ "index": index, "embedding": v })).collect();
    ok(json!({ "data": data }))
}

/// The error that `model` gives for two texts, and its words.
fn failure(model: &RemoteEmbeddingModel) -> (EmbeddingError, String) {
    let error = model.embed(&["one", "two"], None).expect_err("an error");
    let words = error.to_string();
    (error, words)
}

fn failure_of(reply: Reply) -> (EmbeddingError, String) {
    failure(&openai(&Server::start(vec![reply])))
}

#[test]
fn openai_vectors_come_in_the_order_of_the_texts_with_length_one() {
    let server = Server::start(vec![ok(json!({
        "object": "list",
        "data": [
            { "object": "embedding", "index": 1, "embedding": [0.0, 2.0] },
            { "object": "embedding", "index": 0, "embedding": [3.0, 4.0] },
        ],
        "usage": { "prompt_tokens": 2 },
    }))]);
    let model = RemoteEmbeddingModel::new(with_key(&format!("{}/v1/", server.url("http")))).expect("an endpoint");
    assert_eq!(model.embed(&["one", ""], None).expect("vectors"), [vec![0.6, 0.8], vec![0.0, 1.0]]);
    assert_eq!(model.name(), format!("openai:small@{}/v1", server.url("http")));
    assert_eq!(model.host(), Some("127.0.0.1"));

    let requests = server.requests();
    assert_eq!(requests.len(), 1);
    assert_eq!(requests[0].line, "POST /v1/embeddings HTTP/1.1");
    assert_eq!(requests[0].header("authorization"), Some(format!("Bearer {KEY}").as_str()));
    assert_eq!(requests[0].header("content-type"), Some("application/json"));
    assert_eq!(requests[0].body, json!({ "model": "small", "input": ["one", " "], "encoding_format": "float" }));
}

#[test]
fn ollama_has_its_own_form_and_no_key_unless_given() {
    let server = Server::start(vec![ok(json!({ "model": "small", "embeddings": [[3.0, 4.0], [1.0, 0.0]] }))]);
    let model =
        RemoteEmbeddingModel::new(options(&server.url("http"), EmbeddingApiFormat::Ollama)).expect("an endpoint");
    assert_eq!(model.embed(&["one", "two"], None).expect("vectors"), [vec![0.6, 0.8], vec![1.0, 0.0]]);
    assert_eq!(model.name(), format!("ollama:small@{}", server.url("http")));

    let request = &server.requests()[0];
    assert_eq!(request.line, "POST /api/embed HTTP/1.1");
    assert_eq!(request.header("authorization"), None);
    assert_eq!(request.body, json!({ "model": "small", "input": ["one", "two"] }));
}

#[test]
fn more_texts_than_a_batch_are_several_calls_and_none_is_no_call() {
    let batch = |count: usize| vectors(&vec![[1.0, 0.0].as_slice(); count]);
    let size = openai(&Server::start(Vec::new())).max_batch_size();
    let server = Server::start(vec![batch(size), batch(3)]);
    let model = openai(&server);
    assert_eq!(model.embed(&vec!["text"; size + 3], None).expect("vectors").len(), size + 3);
    assert_eq!(server.requests().len(), 2);
    assert!(model.embed(&[], None).expect("no vectors").is_empty());
    assert_eq!(server.requests().len(), 2);
}

#[test]
fn a_long_text_is_cut_where_the_server_would_refuse_it() {
    let server = Server::start(vec![vectors(&[&[1.0]])]);
    let text = "fn main() {}\n".repeat(20_000);
    openai(&server).embed(&[&text], None).expect("a vector");
    let sent = server.requests()[0].body["input"][0].as_str().expect("a text").len();
    assert!((8_000..60_000).contains(&sent), "{sent}");
}

#[test]
fn too_many_requests_are_tried_again_when_the_server_says() {
    let busy = Reply::Answer(429, vec![("Retry-After", "1".to_owned())], "{}".to_owned());
    let server = Server::start(vec![busy, vectors(&[&[1.0], &[1.0]])]);
    openai(&server).embed(&["one", "two"], None).expect("vectors");
    let requests = server.requests();
    assert!(requests[1].at - requests[0].at >= Duration::from_secs(1));
}

#[test]
fn a_wait_that_does_not_fit_the_time_is_not_begun() {
    let busy = || Reply::Answer(429, vec![("Retry-After", "3600".to_owned())], r#"{"error":"slow down"}"#.to_owned());
    let server = Server::start(vec![busy(), busy()]);
    let begun = Instant::now();
    let (error, words) = failure(&openai(&server));
    assert!(begun.elapsed() < Duration::from_secs(5));
    assert!(matches!(error, EmbeddingError::Status { status: 429, .. }));
    assert_eq!(words, "127.0.0.1 answered with HTTP 429: slow down; try again later, or raise the quota");
    assert_eq!(server.requests().len(), 1);
}

#[test]
fn failures_and_broken_connections_are_tried_again() {
    let failed = Reply::Answer(500, Vec::new(), "oh".to_owned());
    let server = Server::start(vec![failed, Reply::Drop, vectors(&[&[1.0], &[1.0]])]);
    openai(&server).embed(&["one", "two"], None).expect("vectors");
    assert_eq!(server.requests().len(), 3);

    let server = Server::start(vec![Reply::Half("{".to_owned()), vectors(&[&[1.0], &[1.0]])]);
    openai(&server).embed(&["one", "two"], None).expect("vectors");
    assert_eq!(server.requests().len(), 2);
}

#[test]
fn three_tries_are_the_end() {
    let server = Server::start((0..4).map(|_| Reply::Answer(503, Vec::new(), String::new())).collect());
    assert!(matches!(failure(&openai(&server)).0, EmbeddingError::Status { status: 503, message: None, .. }));
    assert_eq!(server.requests().len(), 3);

    let server = Server::start((0..4).map(|_| Reply::Drop).collect());
    let (error, words) = failure(&openai(&server));
    assert!(matches!(error, EmbeddingError::Dropped { tries: 3, .. }), "{words}");
    assert!(words.starts_with("127.0.0.1 broke the connection 3 times: "), "{words}");
    assert_eq!(server.requests().len(), 3);
}

#[test]
fn what_another_try_would_not_change_is_told_at_once() {
    for (status, remedy) in [
        (400, "check the name of the model, and whether it takes texts of this length"),
        (401, "check the key"),
        (404, "check the address, the form of the endpoint and the name of the model"),
    ] {
        let body = r#"{"error":{"message":"No   such\nmodel","type":"x"}}"#;
        let server = Server::start(vec![Reply::Answer(status, Vec::new(), body.to_owned())]);
        let (_, words) = failure(&openai(&server));
        assert_eq!(words, format!("127.0.0.1 answered with HTTP {status}: No such model; {remedy}"));
        assert_eq!(server.requests().len(), 1);
    }
}

#[test]
fn a_server_that_is_not_there_is_named() {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").expect("a port");
    let url = format!("http://{}", listener.local_addr().expect("an address"));
    drop(listener);
    let model = RemoteEmbeddingModel::new(options(&url, EmbeddingApiFormat::Ollama)).expect("an endpoint");
    let (error, words) = failure(&model);
    assert!(matches!(error, EmbeddingError::Connect { .. }), "{words}");
    assert!(words.contains("127.0.0.1") && words.ends_with("check the address, and that the server runs"), "{words}");
}

#[test]
fn answers_of_another_shape_are_one_error_each() {
    let (error, words) = failure_of(vectors(&[&[1.0]]));
    assert!(matches!(error, EmbeddingError::Count { asked: 2, got: 1, .. }), "{words}");
    let (error, words) = failure_of(vectors(&[&[1.0, 0.0], &[1.0]]));
    assert!(matches!(error, EmbeddingError::Lengths { one: 2, other: 1, .. }), "{words}");
    for numbers in ["[null, 1.0]", "[1e39, 1.0]", "[0.0, 0.0]", "[]"] {
        let body = format!(r#"{{"data":[{{"embedding":[1.0,0.0]}},{{"embedding":{numbers}}}]}}"#);
        let (error, words) = failure_of(ok(body));
        assert!(matches!(error, EmbeddingError::NoDirection { .. }), "{numbers}: {words}");
    }
    for body in [
        "<html>",
        "",
        "{\"data\":[{\"embedding\":[NaN]}]}",
        "{\"embeddings\":[[1.0],[1.0]]}",
        "{\"data\":[{\"index\":0,\"embedding\":[1.0]},{\"index\":0,\"embedding\":[1.0]}]}",
        "{\"data\":[{\"index\":1,\"embedding\":[1.0]},{\"index\":2,\"embedding\":[1.0]}]}",
    ] {
        let (error, words) = failure_of(ok(body));
        assert!(matches!(error, EmbeddingError::Malformed { .. }), "{body}: {words}");
        assert!(words.starts_with("the answer of 127.0.0.1 cannot be read: "), "{words}");
    }
    let (_, words) = failure_of(ok(r#"{"error":{"message":"no such model"}}"#));
    assert!(words.contains("it says \"no such model\""), "{words}");
}

#[test]
fn huge_answers_are_refused_whether_announced_or_not() {
    let announced = Reply::Answer(200, vec![("Content-Length", (1_u64 << 40).to_string())], String::new());
    for reply in [announced, Reply::Flood(80 << 20)] {
        let (error, words) = failure_of(reply);
        assert!(matches!(error, EmbeddingError::TooLarge { .. }), "{words}");
    }
}

#[test]
fn redirects_are_not_followed() {
    let elsewhere = Server::start(vec![vectors(&[&[1.0], &[1.0]])]);
    for status in [301, 302, 303, 307, 308] {
        let server =
            Server::start(vec![Reply::Answer(status, vec![("Location", elsewhere.url("http"))], String::new())]);
        let model = RemoteEmbeddingModel::new(with_key(&server.url("http"))).expect("an endpoint");
        assert!(matches!(failure(&model).0, EmbeddingError::Redirect { .. }));
    }
    assert!(elsewhere.requests().is_empty());
}

#[test]
fn the_deadline_and_the_timeout_are_kept() {
    let in_time = |begun: Instant| assert!(begun.elapsed() < Duration::from_secs(5), "{:?}", begun.elapsed());
    let soon = Duration::from_millis(300);
    // Each byte comes soon enough; all of them do not.
    let begun = Instant::now();
    let error =
        openai(&Server::start(vec![Reply::Drip(200)])).embed(&["one"], Some(begun + soon)).expect_err("an error");
    assert!(matches!(error, EmbeddingError::TimedOut { .. }), "{error}");
    in_time(begun);

    let server = Server::start(vec![Reply::Drip(200)]);
    let short = EndpointOptions { timeout: soon, ..options(&server.url("http"), EmbeddingApiFormat::OpenAi) };
    let begun = Instant::now();
    let error = RemoteEmbeddingModel::new(short).expect("an endpoint").embed(&["one"], None).expect_err("an error");
    assert!(matches!(error, EmbeddingError::TimedOut { .. }), "{error}");
    in_time(begun);

    let server = Server::start(Vec::new());
    let error = openai(&server).embed(&["one"], Some(Instant::now())).expect_err("an error");
    assert!(matches!(error, EmbeddingError::Deadline), "{error}");
    assert!(server.requests().is_empty());

    // A pause that would pass the deadline is not begun.
    let failed = || Reply::Answer(500, Vec::new(), String::new());
    let server = Server::start(vec![failed(), failed(), failed()]);
    let begun = Instant::now();
    let error = openai(&server).embed(&["one"], Some(begun + soon)).expect_err("an error");
    assert!(matches!(error, EmbeddingError::Status { status: 500, .. }), "{error}");
    in_time(begun);
}

#[test]
fn the_longest_timeout_is_none() {
    let server = Server::start(vec![vectors(&[&[1.0], &[1.0]])]);
    let patient =
        EndpointOptions { timeout: Duration::MAX, ..options(&server.url("http"), EmbeddingApiFormat::OpenAi) };
    RemoteEmbeddingModel::new(patient).expect("an endpoint").embed(&["one", "two"], None).expect("vectors");
}

#[test]
fn the_key_is_in_no_error_and_in_no_debug_output() {
    let echo = json!({ "error": { "message": format!("bad key {}{KEY} given", "x".repeat(280)) } }).to_string();
    let replies = [
        Reply::Answer(401, Vec::new(), echo.clone()),
        Reply::Answer(400, Vec::new(), format!("plain {KEY}")),
        ok(&echo),
        ok(json!({ "data": KEY })),
        ok(format!("\"{KEY}\"")),
        Reply::Answer(307, vec![("Location", format!("http://other/?key={KEY}"))], String::new()),
    ];
    for reply in replies {
        let server = Server::start(vec![reply]);
        let given = with_key(&server.url("http"));
        assert!(!format!("{given:?}").contains("secret"));
        let model = RemoteEmbeddingModel::new(given).expect("an endpoint");
        assert!(!format!("{model:?}").contains("secret") && !model.name().contains("secret"));
        let (error, words) = failure(&model);
        assert!(!words.contains("sk-s") && !format!("{error:?}").contains("sk-s"), "{error:?}");
        assert!(server.requests()[0].header("authorization").is_some_and(|sent| sent.contains(KEY)));
    }
    let broken = EndpointOptions { key: Some(format!("{KEY}\n{KEY}")), ..with_key("https://localhost") };
    let error = RemoteEmbeddingModel::new(broken).expect_err("a key of two lines");
    assert!(!format!("{error} {error:?}").contains("secret"), "{error:?}");
}

#[test]
fn addresses_that_texts_must_not_go_to_are_refused() {
    for url in [
        "ftp://example.com",
        "file:///etc/passwd",
        "example.com",
        "",
        "http://",
        "https://user@example.com",
        "https://user:hunter2@example.com/v1",
        "https://example.com/v1?key=hunter2",
        "https://example.com/v1#hunter2",
    ] {
        let error = RemoteEmbeddingModel::new(options(url, EmbeddingApiFormat::OpenAi)).expect_err(url);
        assert!(matches!(error, EmbeddingError::Options(_)), "{url}: {error}");
        assert!(!format!("{error:?}").contains("hunter2"), "{error:?}");
    }
    let nameless = EndpointOptions { model: " ".to_owned(), ..options("http://localhost", EmbeddingApiFormat::OpenAi) };
    assert!(RemoteEmbeddingModel::new(nameless).is_err());
}

#[test]
fn a_key_goes_unencrypted_to_this_machine_alone() {
    for url in ["http://example.com/v1", "http://10.0.0.1", "http://localhost.example.com", "http://0.0.0.0:1"] {
        let error = RemoteEmbeddingModel::new(with_key(url)).expect_err(url);
        assert!(matches!(error, EmbeddingError::PlainKey { .. }), "{url}: {error}");
        RemoteEmbeddingModel::new(options(url, EmbeddingApiFormat::OpenAi)).expect("without a key");
        let empty = EndpointOptions { key: Some(" \n".to_owned()), ..with_key(url) };
        RemoteEmbeddingModel::new(empty).expect("an empty key is none");
    }
    for url in
        ["http://localhost:1/v1", "http://LOCALHOST", "http://127.0.0.2", "http://[::1]:8080", "https://example.com"]
    {
        RemoteEmbeddingModel::new(with_key(url)).expect(url);
    }
}

#[test]
fn encrypted_connections_are_begun_and_checked() {
    let server = Server::start(Vec::new());
    let model = RemoteEmbeddingModel::new(with_key(&server.url("https"))).expect("an endpoint");
    // The server does not know TLS: it takes the greeting for a request that never ends.
    let error = model.embed(&["one"], Some(Instant::now() + Duration::from_millis(500))).expect_err("an error");
    assert!(matches!(error, EmbeddingError::TimedOut { .. } | EmbeddingError::Connect { .. }), "{error}");
    assert!(server.requests().is_empty());
}

#[test]
fn calls_come_from_threads_of_a_runtime_and_of_a_pool() {
    let server = Server::start((0..4).map(|_| vectors(&[&[1.0]])).collect());
    let model = openai(&server);
    let runtime = tokio::runtime::Builder::new_current_thread().build().expect("a runtime");
    let model = runtime.block_on(async move {
        let call = move || {
            model.embed(&["one"], None).expect("a vector");
            model
        };
        tokio::task::spawn_blocking(call).await.expect("no panic")
    });
    rayon::join(|| model.embed(&["one"], None).expect("a vector"), || model.embed(&["two"], None).expect("a vector"));
    // Made, and dropped after its first call, where an async runtime runs.
    runtime.block_on(async move {
        let url = server.url("http");
        drop(model);
        let other = RemoteEmbeddingModel::new(options(&url, EmbeddingApiFormat::OpenAi)).expect("an endpoint");
        drop(other);
    });
}
