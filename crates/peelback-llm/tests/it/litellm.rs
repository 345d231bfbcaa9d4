//! Against LiteLLM's proxy, a server that nobody here wrote. It runs where PEELBACK_TEST_LITELLM holds the proxy's
//! address; `bench/litellm/run.sh` starts one whose replies come from files.

use std::sync::{Arc, Mutex};

use crate::requirement::requirement;
use peelback_llm::{
    BudgetedModel, ChatError, ChatModel, ChatReply, ChatRequest, Clock, Limits, Message, ModelOptions, OutputSchema,
    Prices, RetryPolicy, SkippingClock, StopReason, ToolDefinition, ToolResult, Usage, open_model_with_environment,
    request_structured_reply,
};
use serde::Deserialize;
use serde_json::json;

/// The proxy's three protocols.
const ALL: [&str; 3] = ["litellm", "litellm-anthropic", "litellm-responses"];

struct Proxy {
    url: String,
    key: String,
}

impl Proxy {
    fn of_environment() -> Option<Self> {
        let url = requirement("PEELBACK_TEST_LITELLM", "bench/litellm/run.sh");
        let key = std::env::var("LITELLM_MASTER_KEY").unwrap_or_else(|_| "sk-local".to_owned());
        url.map(|url| Self { url, key })
    }

    fn model(&self, name: &str) -> Box<dyn ChatModel> {
        let mut options = ModelOptions::new(name);
        options.base_url = Some(self.url.clone());
        options.retry = RetryPolicy { tries: 3, ..RetryPolicy::default() };
        options.clock = Arc::new(SkippingClock::new());
        open_model_with_environment(options, &|_| Some(self.key.clone())).expect("a model")
    }

    /// The model of a script, at the script's beginning.
    async fn script(&self, protocol: &str, script: &str) -> Box<dyn ChatModel> {
        let model = self.model(&format!("{protocol}/scripted/{script}"));
        model.complete(&asked("reset"), None).await.expect("the script's beginning");
        model
    }
}

fn asked(text: &str) -> ChatRequest {
    ChatRequest { messages: vec![Message::new_user_message(text)], max_output_tokens: 500, ..ChatRequest::default() }
}

async fn complete(model: &dyn ChatModel, request: &ChatRequest, watched: bool) -> ChatReply {
    let told = Mutex::new(String::new());
    let watch = |piece: &str| told.lock().expect("text").push_str(piece);
    let watch: Option<peelback_llm::TextCallback<'_>> = if watched { Some(&watch) } else { None };
    let reply = model.complete(request, watch).await;
    let reply = reply.unwrap_or_else(|error| panic!("{}: {error}", model.name()));
    if watched {
        assert_eq!(told.into_inner().expect("text"), reply.message.text, "{}", model.name());
    }
    reply
}

/// A question, calls of a tool, their results, the answer.
async fn tools(model: &dyn ChatModel, watched: bool) {
    let outline = ToolDefinition {
        name: "outline".to_owned(),
        description: "Shows a file's symbols.".to_owned(),
        parameters: json!({ "type": "object", "properties": { "path": { "type": "string" } }, "required": ["path"] }),
    };
    let mut request = ChatRequest { system: "You look at code.".to_owned(), tools: vec![outline], ..asked("How?") };
    let reply = complete(model, &request, watched).await;
    assert_eq!((reply.message.text.as_str(), &reply.stop), ("I look.", &StopReason::ToolCalls), "{}", model.name());
    assert_eq!(reply.usage, Usage { input: 120, output: 30, ..Usage::default() }, "{} {watched}", model.name());
    let calls = reply.message.tool_calls.clone();
    assert_eq!(calls.iter().map(|call| call.arguments["path"].clone()).collect::<Vec<_>>(), ["a.rs", "b.rs"]);
    let results = calls.iter().map(|call| ToolResult {
        call_id: call.id.clone(),
        name: call.name.clone(),
        content: "fn a()".to_owned(),
        is_error: false,
    });
    request.messages.extend([Message::Assistant(reply.message), Message::Tools { results: results.collect() }]);
    let reply = complete(model, &request, watched).await;
    assert_eq!((reply.message.text.as_str(), reply.stop), ("Both lock the file.", StopReason::End));
    assert_eq!((reply.usage.input, reply.usage.output), (180, 9));
}

#[derive(Debug, PartialEq, Deserialize)]
struct Wanted {
    files: Vec<String>,
    sufficient: bool,
}

async fn forms(model: &dyn ChatModel) {
    let schema = json!({
        "type": "object",
        "properties": {
            "files": { "type": "array", "items": { "type": "string" } },
            "sufficient": { "type": "boolean" },
        },
        "required": ["files", "sufficient"],
    });
    let schema = OutputSchema { name: "wanted".to_owned(), schema };
    let reply = request_structured_reply::<Wanted>(model, &asked("Which?"), schema, None).await;
    let reply = reply.unwrap_or_else(|error| panic!("{}: {error}", model.name()));
    assert_eq!(reply.value, Wanted { files: vec!["a.rs".to_owned()], sufficient: true });
    assert!(reply.repaired, "the first reply does not fit");
    assert_eq!((reply.usage.input, reply.usage.output), (140, 20), "{}", model.name());
}

#[tokio::test]
async fn a_proxy_that_nobody_here_wrote_is_understood() {
    let Some(proxy) = Proxy::of_environment() else { return };
    // One after the other: the scripts are the proxy's, and all share them.
    for protocol in ALL {
        for watched in [false, true] {
            tools(&*proxy.script(protocol, "agent").await, watched).await;
        }
        forms(&*proxy.script(protocol, "form").await).await;

        let words = proxy.script(protocol, "words").await;
        let reply = complete(&*words, &asked("How?"), true).await;
        assert_eq!(reply.message.text, "It is done by a lock, which only one of them can hold.");
        assert_eq!((reply.usage.input, reply.usage.output), (40, 14), "{protocol}");

        let mock = complete(&*proxy.model(&format!("{protocol}/mock")), &asked("How?"), false).await;
        assert_eq!(mock.message.text, "A reply by LiteLLM.", "{protocol}");
    }
    let mock = complete(&*proxy.model("litellm-anthropic/mock-anthropic"), &asked("How?"), false).await;
    assert_eq!(mock.message.text, "A reply by LiteLLM.");
}

#[tokio::test]
async fn failures_of_the_proxy_are_told() {
    let Some(proxy) = Proxy::of_environment() else { return };
    for protocol in ALL {
        let failure = |name: String, key: &str| {
            let model = Proxy { url: proxy.url.clone(), key: key.to_owned() }.model(&name);
            async move { model.complete(&asked("How?"), None).await.expect_err("an error") }
        };
        let error = failure(format!("{protocol}/scripted/limited"), &proxy.key).await;
        assert!(matches!(error, ChatError::Status { status: 429, .. }), "{protocol}: {error}");
        assert!(error.to_string().contains("after 3 tries"), "{error}");
        let error = failure(format!("{protocol}/scripted/none"), &proxy.key).await;
        assert!(matches!(error, ChatError::Status { status: 404, .. }), "{protocol}: {error}");
        let error = failure(format!("{protocol}/mock"), "sk-wrong").await;
        assert!(matches!(error, ChatError::Status { status: 400..=403, .. }), "{protocol}: {error}");
        assert!(!error.to_string().contains("sk-wrong") && error.to_string().contains("check the key"), "{error}");

        let clock = Arc::new(SkippingClock::new());
        let mut options = ModelOptions::new(format!("{protocol}/mock"));
        options.base_url = Some(proxy.url.clone());
        options.clock = clock.clone();
        let keyless = open_model_with_environment(options, &|_| None).expect("a model");
        let error = keyless.complete(&asked("How?"), None).await.expect_err("an error");
        let words = error.to_string();
        assert!(words.contains("no key was sent") && words.contains("LITELLM_API_KEY"), "{protocol}: {words}");
        assert!(clock.time_since_clock_start() < std::time::Duration::from_secs(2), "{:?}", clock.skipped_pauses());

        let failing = proxy.script(protocol, "failing").await;
        let reply = complete(&*failing, &asked("How?"), false).await;
        assert_eq!(reply.message.text, "At last.", "{protocol}");
    }
}

#[tokio::test]
async fn budgets_hold_against_the_proxy() {
    let Some(proxy) = Proxy::of_environment() else { return };
    let limits = Limits { max_total_tokens: Some(9_000), ..Limits::default() };
    let rate_limiter = limits.new_rate_limiter(Arc::new(SkippingClock::new()));
    let model = proxy.model("litellm/mock");
    let budgeted = BudgetedModel::new(model, limits, &Prices::built_in(), rate_limiter).expect("a metered model");
    let mut answered = 0;
    let error = loop {
        match budgeted.complete(&asked("How?"), None).await {
            Ok(_) => answered += 1,
            Err(error) => break error,
        }
        assert!(answered < 200, "the ceiling is never reached");
    };
    assert!(matches!(error, ChatError::Budget(_)) && answered > 0, "{error}");
    let spent = budgeted.spending();
    assert!(spent.calls == answered && spent.usage.total_tokens() <= 1_000, "{spent}");
    budgeted.model_for_last_answer().complete(&asked("And now?"), None).await.expect("the last answer");
}
