//! What a user set wrongly is told soon, with what to do.

use std::sync::Mutex;

use peelback_llm::{
    BudgetedModel, ChatError, Clock, DryRunModel, Limits, ModelOptions, Prices, RetryPolicy, Spending,
    open_model_with_environment,
};

use super::*;

/// A model that has no key.
fn keyless(name: &str, url: String) -> (Box<dyn ChatModel>, Arc<SkippingClock>) {
    let clock = Arc::new(SkippingClock::new());
    let options = ModelOptions { base_url: Some(url), clock: clock.clone(), ..ModelOptions::new(name) };
    (open_model_with_environment(options, &|_| None).expect("a model"), clock)
}

/// An address where nobody listens.
fn nobody() -> std::net::SocketAddr {
    std::net::TcpListener::bind("127.0.0.1:0").and_then(|listener| listener.local_addr()).expect("a port")
}

#[tokio::test]
async fn a_missing_key_is_told_soon() {
    for name in ["litellm/x", "litellm-anthropic/x", "litellm-responses/x", OPENAI] {
        // What LiteLLM says without a key, and what others do.
        let refused = json!({ "error": { "message": "No connected db.", "type": "no_db_connection", "code": "400" } });
        let wanted = json!({ "error": { "message": "Authentication Error, No api key passed in." } });
        for (reply, tries) in [
            (status(500, "Internal Server Error"), 3),
            (status(500, &wanted), 1),
            (status(400, &refused), 1),
            (status(401, "{}"), 1),
            (status(404, "{}"), 1),
        ] {
            let Reply::Answer(code, _, body) = reply else { unreachable!("an answer") };
            let server = Server::start((0..9).map(|_| status(code, &body)).collect());
            let (model, clock) = keyless(name, server.url("http"));
            let error = model.complete(&request(), None).await.expect_err("an error");
            let words = error.to_string();
            assert!(matches!(error, ChatError::Status { .. }) && words.contains("no key was sent"), "{words}");
            let variable = if name == OPENAI { "OPENAI_API_KEY" } else { "LITELLM_API_KEY" };
            assert!(words.contains(variable) && words.contains("--key-file"), "{words}");
            assert_eq!(server.requests().len(), tries, "{words}");
            assert!(clock.time_since_clock_start() < Duration::from_millis(1_500), "{:?}", clock.skipped_pauses());
        }
    }
}

#[tokio::test]
async fn a_key_that_is_refused_is_not_sent_again() {
    for name in ALL {
        for (code, said) in [(400, "No connected db."), (500, "Authentication Error"), (500, "Invalid API key")] {
            let refused = status(code, json!({ "error": { "message": said } }));
            let setup = setup(name, vec![refused, ok(says(name, "x"))]);
            let words = setup.model.complete(&request(), None).await.expect_err("an error").to_string();
            assert!(words.contains(said) && words.contains("check the key"), "{words}");
            assert!(words.contains("--key-file") && !words.contains("no key was sent"), "{words}");
            assert_eq!(setup.server.requests().len(), 1);
        }
    }
}

#[tokio::test]
async fn where_nothing_listens_nothing_is_spent() {
    let address = nobody();
    for tries in [1, 2, 5] {
        let limits = Limits { tokens_per_minute: 2_000, ..Limits::default() };
        let clock = Arc::new(SkippingClock::new());
        let rate_limiter = limits.new_rate_limiter(clock.clone());
        let options = ModelOptions {
            base_url: Some(format!("http://{address}")),
            clock: clock.clone(),
            rate_limiter: Some(rate_limiter.clone()),
            retry: RetryPolicy { tries, ..RetryPolicy::default() },
            ..ModelOptions::new("ollama/x")
        };
        let model = open_model_with_environment(options, &|_| None).expect("a model");
        let budgeted = BudgetedModel::new(model, limits, &Prices::built_in(), rate_limiter).expect("a metered model");
        let asked = ChatRequest { max_output_tokens: 1_500, ..request() };
        let error = budgeted.complete(&asked, None).await.expect_err("an error");
        let words = error.to_string();
        assert!(matches!(error, ChatError::Unreachable { .. }) && error.is_certainly_unbilled(), "{error:?}");
        assert!(words.starts_with(&format!("{address}: ")) && words.contains("--base-url"), "{words}");
        assert!(words.contains("refused"), "{words}");
        assert_eq!(clock.skipped_pauses().len(), [0, 1, 2][tries.min(3) as usize - 1], "{words}");
        assert!(clock.time_since_clock_start() < Duration::from_millis(1_500), "{:?}", clock.skipped_pauses());
        assert_eq!(budgeted.spending(), Spending { cost: budgeted.spending().cost, ..Spending::default() });
        let kept = serde_json::to_string(&error).expect("JSON");
        assert_eq!(serde_json::from_str::<ChatError>(&kept).expect("an error"), error);
    }
}

#[tokio::test]
async fn a_host_that_nobody_knows_is_told() {
    // The name is kept free by RFC 2606.
    let (model, clock) = keyless("compatible/x", "http://peelback.invalid:81".to_owned());
    let error = model.complete(&request(), None).await.expect_err("an error");
    assert!(matches!(error, ChatError::Unreachable { .. }), "{error:?}");
    assert!(error.to_string().starts_with("peelback.invalid:81: "), "{error}");
    assert!(clock.time_since_clock_start() < Duration::from_millis(1_500), "{:?}", clock.skipped_pauses());
}

#[tokio::test]
async fn further_tries_are_told() {
    let told: Arc<Mutex<Vec<String>>> = Arc::default();
    let kept = told.clone();
    let limited = Reply::Answer(429, vec![("Retry-After", "11.5".to_owned())], "{}".to_owned());
    let setup = setup_with(OPENAI, vec![limited, Reply::Drop, ok(says(OPENAI, "x"))], |options| {
        options.on_retry = Some(Arc::new(move |line: &str| kept.lock().expect("lines").push(line.to_owned())));
        assert!(format!("{options:?}").contains("ModelOptions"));
    });
    setup.model.complete(&request(), None).await.expect("a reply");
    let told = told.lock().expect("lines");
    assert_eq!(told.len(), 2);
    assert_eq!(told[0], "HTTP 429, next try in 12 s (2 of 5)");
    assert!(told[1].starts_with("the connection broke, next try in ") && told[1].ends_with("(3 of 5)"), "{told:?}");
}

#[tokio::test]
async fn a_model_for_dry_runs_has_a_name_alone() {
    let model = DryRunModel::new("OpenAI/gpt-4.1").expect("a model");
    assert_eq!(model.name(), "openai/gpt-4.1");
    let rate_limiter = Limits::default().new_rate_limiter(Arc::new(SkippingClock::new()));
    let limits = Limits { max_cost: Some(1.0), ..Limits::default() };
    let budgeted =
        BudgetedModel::new(Box::new(model), limits, &Prices::built_in(), rate_limiter).expect("a known price");
    assert!(budgeted.estimate_request_tokens(&request()) > 0);
    let error = budgeted.complete(&request(), None).await.expect_err("an error");
    assert!(
        error.is_certainly_unbilled() && error.to_string().contains("openai/gpt-4.1 is not asked in a dry run"),
        "{error}"
    );
    assert_eq!((budgeted.spending().failed, budgeted.spending().possibly_billed), (0, 0));
    for bad in ["gpt-4.1", "acme/gpt", ""] {
        assert!(matches!(DryRunModel::new(bad), Err(ChatError::Options(_))), "{bad}");
    }
}
