//! The layer that runs calls, with a handler whose tools misbehave.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use peelback::serve::{CallLimits, CallOutcome, CallRunner, WrittenReply, tool_result_from_call_outcome};
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
    /// So many jobs that hang end.
    released_jobs: Arc<Mutex<usize>>,
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
            released_jobs: Arc::default(),
        }
    }

    fn work(&self, name: &str, work: &CancellationToken) -> Reply {
        match name {
            "panics" => panic!("as it was asked"),
            "panics_inside" => {
                rayon::join(|| panic!("in a thread of its pool"), || 1);
            }
            "hangs" | "hangs_without_deadline" => {
                while !self.released.load(Ordering::Relaxed) && !self.is_released_alone() {
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

impl Unruly {
    fn is_released_alone(&self) -> bool {
        let mut jobs = self.released_jobs.lock().unwrap_or_else(PoisonError::into_inner);
        let is_released = *jobs > 0;
        *jobs = jobs.saturating_sub(1);
        is_released
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
        let has_deadline = request.name != "hangs_without_deadline";
        let job = move |work| WrittenReply::from(own.work(&request.name, &work));
        let outcome = match has_deadline {
            true => self.calls.run_job(&context, job).await,
            false => self.calls.run_job_with_deadline(Duration::from_secs(60), &context, job).await,
        };
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
        assert!(text(&result).contains("did not return by its deadline"), "{}", text(&result));
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
    let (_, ()) = tokio::join!(
        async {
            tokio::select! {
                _ = call(&client, "hangs_without_deadline") => {}
                () = handler.at_work.notified() => {}
            }
        },
        async {
            tokio::time::sleep(Duration::from_millis(50)).await;
            let never = call(&client, "works").await;
            assert!(text(&never).contains("did not start"), "{}", text(&never));
            handler.at_work.notify_one();
        }
    );
    handler.released.store(true, Ordering::Relaxed);
    assert_eq!(text(&call(&client, "works").await), "works");
}

/// Limits under which a call that hangs is soon given up.
fn impatient_limits(max_concurrent_calls: usize) -> CallLimits {
    CallLimits {
        deadline: Duration::from_millis(100),
        grace: Duration::from_millis(50),
        max_concurrent_calls,
        threads_per_call: 1,
    }
}

#[tokio::test]
async fn sixty_calls_that_hang_cost_no_place() {
    let handler = Unruly::new(impatient_limits(4), ShutdownToken::new());
    let client = connected(handler.clone()).await;
    for _ in 0..15 {
        let hanging = ["hangs"; 4].map(|name| call(&client, name));
        let [one, two, three, four] = hanging;
        let (one, two, three, four) = tokio::join!(one, two, three, four);
        for result in [one, two, three, four] {
            assert!(text(&result).contains("did not return"), "{}", text(&result));
        }
    }
    // All places are there, and not only one.
    let (one, two, three, four) =
        tokio::join!(call(&client, "works"), call(&client, "works"), call(&client, "works"), call(&client, "works"));
    for result in [one, two, three, four] {
        assert_eq!(text(&result), "works");
    }
    handler.released.store(true, Ordering::Relaxed);
}

#[tokio::test]
async fn when_too_many_calls_hang_that_is_said_at_once_and_ends_with_one_of_them() {
    let handler = Unruly::new(impatient_limits(1), ShutdownToken::new());
    let client = connected(handler.clone()).await;
    let mut hanging = 0;
    let refused = loop {
        let result = call(&client, "hangs").await;
        if !text(&result).contains("did not return") {
            break result;
        }
        hanging += 1;
        assert!(hanging < 1_000, "there is a bound");
    };
    assert!(hanging >= 32, "{hanging}");
    assert!(text(&refused).contains(&format!("was not started: {hanging} calls are stuck")), "{}", text(&refused));
    // What the calls do is not known.
    assert!(text(&refused).contains("may still be working"), "{}", text(&refused));
    assert_eq!(refused.is_error, Some(false));
    // A call that waits until its deadline says that it did not begin: each of these was refused without waiting.
    for _ in 0..20 {
        let refused = call(&client, "works").await;
        assert!(text(&refused).contains("was not started"), "{}", text(&refused));
    }
    for _ in 0..3 {
        // One of them ends: its place is free, until the next call hangs in it.
        *handler.released_jobs.lock().expect("no panic") = 1;
        while *handler.released_jobs.lock().expect("no panic") > 0 {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
        assert_eq!(text(&call(&client, "works").await), "works");
        assert!(text(&call(&client, "hangs").await).contains("did not return"));
        assert!(text(&call(&client, "works").await).contains("was not started"));
    }
    handler.released.store(true, Ordering::Relaxed);
    tokio::time::sleep(Duration::from_millis(200)).await;
    assert_eq!(text(&call(&client, "works").await), "works");
}

#[tokio::test]
async fn calls_that_hang_after_they_were_withdrawn_cost_no_place() {
    let limits = CallLimits { grace: Duration::from_millis(200), ..limits() };
    let handler = Unruly::new(limits, ShutdownToken::new());
    let client = connected(handler.clone()).await;
    for _ in 0..3 {
        // As many as there are places.
        let mut asked = Vec::new();
        for _ in 0..2 {
            let request = CallToolRequest::new(CallToolRequestParams::new("hangs")).into();
            let sent = client.peer().send_cancellable_request(request, PeerRequestOptions::default()).await;
            asked.push(sent.expect("sent"));
        }
        tokio::time::sleep(Duration::from_millis(100)).await;
        for request in asked {
            request.cancel(None).await.expect("withdrawn");
        }
    }
    let works = tokio::time::timeout(Duration::from_secs(5), call(&client, "works")).await.expect("in time");
    assert_eq!(text(&works), "works");
    handler.released.store(true, Ordering::Relaxed);
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
    assert!(text(&result).contains("cancelled"), "{}", text(&result));
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
        tool_result_from_call_outcome(grep, CallOutcome::Completed(reply.into()), Format::Text, false).is_error
    };
    assert_eq!(is_error(ReplyStatus::Found), Some(false));
    assert_eq!(is_error(ReplyStatus::Empty), Some(false));
    assert_eq!(is_error(ReplyStatus::Failed(peelback_code::ErrorCategory::Failure)), Some(false));
    assert_eq!(is_error(ReplyStatus::InvalidArguments), Some(true));
    let broken = tool_result_from_call_outcome(grep, CallOutcome::Failed("oh".to_owned()), Format::Json, false);
    let answer: serde_json::Value = serde_json::from_str(text(&broken)).expect("JSON");
    assert!(answer["error"].as_str().is_some_and(|error| error.contains("oh")), "{answer}");
}
