//! The layer that runs calls, with a handler whose tools misbehave.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use peelback::serve::{CallLimits, CallOutcome, CallRunner, tool_result_from_call_outcome};
use peelback_code::{CancellationToken, StopCause};
use peelback_tools::{Format, Reply, ReplyStatus, tool_by_name_or_alias};
use rmcp::model::{
    CallToolRequest, CallToolRequestParams, CallToolResponse, CallToolResult, ServerCapabilities, ServerConfig,
};
use rmcp::service::{PeerRequestOptions, RequestContext, RoleClient, RunningService};
use rmcp::{ErrorData, RoleServer, ServerHandler, ServiceExt};
use tokio::sync::Notify;
use tokio_util::sync::CancellationToken as ShutdownToken;

/// Tools by what they do wrong.
#[derive(Clone)]
struct Unruly {
    calls: CallRunner,
    stops: Arc<Mutex<Vec<Option<StopCause>>>>,
    order: Arc<Mutex<Vec<String>>>,
    /// Told when a job that waits for the test is at work.
    at_work: Arc<Notify>,
    /// Jobs that hang end when it is set.
    released: Arc<AtomicBool>,
}

fn reply(output: &str) -> Reply {
    Reply::new_plain_text(ReplyStatus::Found, output)
}

impl Unruly {
    fn new(limits: CallLimits, closing: ShutdownToken) -> Self {
        Self {
            calls: CallRunner::new(limits, closing),
            stops: Arc::default(),
            order: Arc::default(),
            at_work: Arc::default(),
            released: Arc::default(),
        }
    }

    fn work(&self, name: &str, work: &CancellationToken) -> Reply {
        match name {
            "panics" => panic!("as it was asked"),
            "panics_inside" => {
                rayon::join(|| panic!("in a thread of its pool"), || 1);
            }
            "hangs" => {
                while !self.released.load(Ordering::Relaxed) {
                    std::thread::sleep(Duration::from_millis(5));
                }
            }
            "waits" => {
                self.at_work.notify_one();
                while work.stop_cause().is_none() {
                    std::thread::sleep(Duration::from_millis(5));
                }
                self.stops.lock().unwrap_or_else(PoisonError::into_inner).push(work.stop_cause());
            }
            name if name.starts_with("turn") => {
                self.order.lock().unwrap_or_else(PoisonError::into_inner).push(name.to_owned());
            }
            _ => {}
        }
        reply(name)
    }
}

impl ServerHandler for Unruly {
    fn get_info(&self) -> ServerConfig {
        ServerConfig::new(ServerCapabilities::builder().enable_tools().build())
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let own = self.clone();
        let outcome = self.calls.run_job(&context, move |work| own.work(&request.name, &work)).await;
        let tool = tool_by_name_or_alias("grep").expect("a tool");
        Ok(tool_result_from_call_outcome(tool, outcome, Format::Text, false).into())
    }
}

type Client = RunningService<RoleClient, ()>;

async fn connected(handler: Unruly) -> Client {
    let (client, server) = tokio::io::duplex(1 << 16);
    tokio::spawn(async move {
        if let Ok(running) = handler.serve(server).await {
            let _ = running.waiting().await;
        }
    });
    ().serve(client).await.expect("a session")
}

fn limits() -> CallLimits {
    CallLimits {
        deadline: Duration::from_secs(20),
        grace: Duration::from_secs(5),
        max_concurrent_calls: 2,
        threads_per_call: 2,
    }
}

async fn call(client: &Client, name: &str) -> CallToolResult {
    client.call_tool(CallToolRequestParams::new(name.to_owned())).await.expect("an answer")
}

fn text(result: &CallToolResult) -> &str {
    &result.content.first().and_then(|block| block.as_text()).expect("a text").text
}

#[tokio::test]
async fn a_panic_is_the_calls_error_and_the_server_lives() {
    let client = connected(Unruly::new(limits(), ShutdownToken::new())).await;
    for (name, message) in [("panics", "as it was asked"), ("panics_inside", "in a thread of its pool")] {
        // More often than there are places.
        for _ in 0..5 {
            let result = call(&client, name).await;
            assert_eq!(result.is_error, Some(true));
            assert!(text(&result).contains(message) && text(&result).contains("warning: "), "{}", text(&result));
        }
    }
    assert_eq!(text(&call(&client, "works").await), "works");
}

#[tokio::test]
async fn a_call_that_hangs_is_given_up_and_holds_nobody() {
    let short = CallLimits {
        deadline: Duration::from_millis(200),
        grace: Duration::from_millis(200),
        max_concurrent_calls: 1,
        threads_per_call: 1,
    };
    let handler = Unruly::new(short, ShutdownToken::new());
    let client = connected(handler.clone()).await;
    for _ in 0..3 {
        let result = call(&client, "hangs").await;
        assert_eq!(result.is_error, Some(false));
        assert!(text(&result).contains("did not come back after its deadline"), "{}", text(&result));
    }
    // All three still hang.
    assert_eq!(text(&call(&client, "works").await), "works");
    handler.released.store(true, Ordering::Relaxed);
}

#[tokio::test]
async fn a_call_that_never_began_says_so() {
    let short = CallLimits {
        deadline: Duration::from_millis(200),
        grace: Duration::from_millis(100),
        max_concurrent_calls: 1,
        threads_per_call: 1,
    };
    let handler = Unruly::new(short, ShutdownToken::new());
    let client = connected(handler.clone()).await;
    // More calls hang than are let go beside the others' places: then the one place is taken for good.
    for _ in 0..17 {
        assert!(text(&call(&client, "hangs").await).contains("did not come back"));
    }
    let never = call(&client, "works").await;
    assert!(text(&never).contains("did not begin"), "{}", text(&never));
    handler.released.store(true, Ordering::Relaxed);
    assert_eq!(text(&call(&client, "works").await), "works");
}

#[tokio::test]
async fn a_deadline_reaches_the_work() {
    let short = CallLimits { deadline: Duration::from_millis(200), ..limits() };
    let handler = Unruly::new(short, ShutdownToken::new());
    let client = connected(handler.clone()).await;
    assert_eq!(text(&call(&client, "waits").await), "waits");
    assert_eq!(*handler.stops.lock().expect("no panic"), [Some(StopCause::Deadline)]);
}

#[tokio::test]
async fn closing_withdraws_what_is_at_work() {
    let closing = ShutdownToken::new();
    let handler = Unruly::new(limits(), closing.clone());
    let client = connected(handler.clone()).await;
    let (result, ()) = tokio::join!(call(&client, "waits"), async {
        handler.at_work.notified().await;
        closing.cancel();
    });
    assert!(text(&result).contains("withdrawn"), "{}", text(&result));
    while handler.stops.lock().expect("no panic").is_empty() {
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    assert_eq!(*handler.stops.lock().expect("no panic"), [Some(StopCause::Cancelled)]);
}

#[tokio::test]
async fn calls_wait_in_the_order_in_which_they_came() {
    let one = CallLimits { max_concurrent_calls: 1, ..limits() };
    let handler = Unruly::new(one, ShutdownToken::new());
    let client = connected(handler.clone()).await;
    let names: Vec<String> = (0..8).map(|index| format!("turn{index}")).collect();
    let mut asked = Vec::new();
    for name in names.clone() {
        // Returns once the request is on its way: one after the other.
        let request = CallToolRequest::new(CallToolRequestParams::new(name)).into();
        asked.push(client.peer().send_cancellable_request(request, PeerRequestOptions::default()).await.expect("sent"));
    }
    for answer in asked {
        answer.await_response().await.expect("an answer");
    }
    assert_eq!(*handler.order.lock().expect("no panic"), names);
}

#[test]
fn outcomes_are_told_apart() {
    let grep = tool_by_name_or_alias("grep").expect("a tool");
    let is_error = |status| {
        let reply = Reply::new_plain_text(status, "text");
        tool_result_from_call_outcome(grep, CallOutcome::Completed(reply), Format::Text, false).is_error
    };
    assert_eq!(is_error(ReplyStatus::Found), Some(false));
    assert_eq!(is_error(ReplyStatus::Empty), Some(false));
    assert_eq!(is_error(ReplyStatus::Failed(peelback_code::ErrorCategory::Failure)), Some(false));
    assert_eq!(is_error(ReplyStatus::InvalidArguments), Some(true));
    let broken = tool_result_from_call_outcome(grep, CallOutcome::Failed("oh".to_owned()), Format::Json, false);
    let answer: serde_json::Value = serde_json::from_str(text(&broken)).expect("JSON");
    assert!(answer["error"].as_str().is_some_and(|error| error.contains("oh")), "{answer}");
}
