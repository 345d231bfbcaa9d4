//! Tasks: calls that clients leave and come back to.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex};
use std::time::{Duration, Instant};

use peelback::serve::{CallLimits, CallOutcome, CallRunner, TaskLimits, Tasks, stdio};
use peelback_code::{CancellationToken, StopCause};
use rmcp::model::*;
use rmcp::service::RequestContext;
use rmcp::{ErrorData, RoleServer, ServerHandler};
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader, DuplexStream, ReadHalf, WriteHalf};
use tokio_util::sync::CancellationToken as ShutdownToken;

use super::child::{Server as Child, meta};
use super::http::HttpServer;
use crate::scope::desk::{Desk, QUESTION, good};
use crate::scope::server::{OPENAI, Server};

const PATIENCE: Duration = Duration::from_secs(60);

/// What a request of a client with tasks carries.
fn meta_with_tasks() -> Value {
    let mut meta = meta();
    meta["io.modelcontextprotocol/clientCapabilities"] =
        json!({ "extensions": { "io.modelcontextprotocol/tasks": {} } });
    meta
}

/// A gate that replies of a model wait for.
#[derive(Default)]
struct Gate(Mutex<bool>, Condvar);

impl Gate {
    fn open(&self) {
        *self.0.lock().expect("no panic") = true;
        self.1.notify_all();
    }

    fn wait(&self) {
        let open = self.0.lock().expect("no panic");
        drop(self.1.wait_timeout_while(open, PATIENCE, |open| !*open).expect("no panic"));
    }
}

/// A model whose replies wait at the gate.
fn slow_model(gate: &Arc<Gate>) -> Server {
    let gate = gate.clone();
    Server::scripted(move |at, _| {
        gate.wait();
        good().swap_remove(at % 2)
    })
}

fn serving(desk: &Desk, model: &Server) -> std::process::Command {
    let mut command = desk.command();
    command.current_dir(desk.project.path()).arg("serve");
    command.env("PEELBACK_MODEL", OPENAI).env("PEELBACK_BASE_URL", model.url());
    command
}

/// Asks `ask` for the state of a task until it has a status that is not `working`.
fn settled(mut ask: impl FnMut() -> Value) -> Value {
    let end = Instant::now() + PATIENCE;
    loop {
        let state = ask();
        if state["status"] != "working" {
            return state;
        }
        assert!(Instant::now() < end, "{state}");
        std::thread::sleep(Duration::from_millis(50));
    }
}

#[test]
fn a_long_call_is_a_task_with_a_message_and_a_result() {
    let desk = Desk::new();
    let gate: Arc<Gate> = Arc::default();
    let model = slow_model(&gate);
    let mut child = Child::of(serving(&desk, &model));
    let mut ask = |method: &str, mut params: Value| {
        params["_meta"] = meta_with_tasks();
        child.request(method, params)
    };
    let discovered = ask("server/discover", json!({}))["result"].clone();
    assert!(discovered["capabilities"]["extensions"]["io.modelcontextprotocol/tasks"].is_object(), "{discovered}");
    let call = json!({ "name": "scope", "arguments": { "question": QUESTION } });
    let task = ask("tools/call", call)["result"].clone();
    assert_eq!((&task["resultType"], &task["status"]), (&json!("task"), &json!("working")), "{task}");
    assert!(task["ttlMs"].as_u64().is_some_and(|ttl| ttl >= 600_000), "{task}");
    let id = json!({ "taskId": task["taskId"] });
    model.wait_for(1);
    std::thread::sleep(Duration::from_millis(1_100));
    let state = ask("tasks/get", id.clone())["result"].clone();
    assert!(state["statusMessage"].as_str().is_some_and(|message| message.contains("exploration")), "{state}");
    assert_eq!((&state["status"], state.get("result")), (&json!("working"), None), "{state}");
    gate.open();
    let state = settled(|| ask("tasks/get", id.clone())["result"].clone());
    let text = state["result"]["content"][0]["text"].as_str().unwrap_or_else(|| panic!("{state}"));
    assert!(state["status"] == "completed" && text.contains("tries a parcel several times"), "{state}");
    assert_eq!(ask("tasks/cancel", id.clone())["result"]["resultType"], "complete");
    assert_eq!(ask("tasks/get", id)["result"]["status"], "completed", "an ended task stays as it is");
    let unknown = ask("tasks/get", json!({ "taskId": "00000000-0000-4000-8000-000000000000" }));
    assert_eq!(unknown["error"]["code"], -32602, "{unknown}");
    for method in ["tasks/get", "tasks/cancel", "tasks/update"] {
        for wrong in [json!({}), json!({ "taskId": null }), json!({ "taskId": 5 }), json!({ "taskId": {} })] {
            let answer = ask(method, wrong.clone());
            assert_eq!(answer["error"]["code"], -32602, "{method} {wrong}: {answer}");
        }
    }
    for gone in ["tasks/list", "tasks/result"] {
        assert_eq!(ask(gone, json!({ "taskId": task["taskId"] }))["error"]["code"], -32601, "{gone}");
    }
}

#[test]
fn a_withdrawn_task_asks_its_model_no_more() {
    let desk = Desk::new();
    let gate: Arc<Gate> = Arc::default();
    let model = slow_model(&gate);
    let mut child = Child::of(serving(&desk, &model));
    let mut ask = |method: &str, mut params: Value| {
        params["_meta"] = meta_with_tasks();
        child.result(method, params)
    };
    let call = json!({ "name": "scope", "arguments": { "question": QUESTION, "output": "kept.md" } });
    let task = ask("tools/call", call);
    let id = json!({ "taskId": task["taskId"] });
    model.wait_for(1);
    let acknowledged = ask("tasks/cancel", id.clone());
    assert_eq!(acknowledged["resultType"], "complete", "{acknowledged}");
    assert_eq!(settled(|| ask("tasks/get", id.clone()))["status"], "cancelled");
    gate.open();
    std::thread::sleep(Duration::from_secs(1));
    assert_eq!(model.requests().len(), 1, "nothing more was paid for");
    assert!(!desk.project.path().join("kept.md").exists());
    // Its place is free.
    let quick = ask("tools/call", json!({ "name": "tree", "arguments": {} }));
    assert_eq!(quick["resultType"], "complete", "{quick}");
}

#[test]
fn a_task_that_is_withdrawn_while_its_document_is_written_writes_no_file() {
    let desk = Desk::new();
    let gate: Arc<Gate> = Arc::default();
    let gate_of_model = gate.clone();
    let model = Server::scripted(move |at, _| {
        if at == 1 {
            gate_of_model.wait();
        }
        good().swap_remove(at % 2)
    });
    let mut child = Child::of(serving(&desk, &model));
    let before = desk.contents();
    let mut ask = |method: &str, mut params: Value| {
        params["_meta"] = meta_with_tasks();
        child.result(method, params)
    };
    let call = json!({ "name": "scope", "arguments": { "question": QUESTION, "output": "kept.md" } });
    let task = ask("tools/call", call);
    model.wait_for(2);
    let id = json!({ "taskId": task["taskId"] });
    ask("tasks/cancel", id.clone());
    assert_eq!(settled(|| ask("tasks/get", id.clone()))["status"], "cancelled");
    std::thread::sleep(Duration::from_secs(1));
    gate.open();
    std::thread::sleep(Duration::from_secs(1));
    assert_eq!(desk.contents(), before, "a withdrawn call leaves nothing");
}

#[test]
fn clients_without_tasks_get_results() {
    let desk = Desk::new();
    let gate: Arc<Gate> = Arc::default();
    gate.open();
    let model = slow_model(&gate);
    let mut child = Child::of(serving(&desk, &model));
    let call = json!({ "name": "scope", "arguments": { "question": QUESTION }, "_meta": meta() });
    let result = child.result("tools/call", call);
    assert!(result["content"].is_array() && result.get("taskId").is_none(), "{result}");
    let refused = child.request("tasks/get", json!({ "taskId": "x", "_meta": meta() }));
    assert_eq!(refused["error"]["code"], -32021, "{refused}");
}

#[test]
fn a_client_comes_back_over_another_connection() {
    let desk = Desk::new();
    let gate: Arc<Gate> = Arc::default();
    let model = slow_model(&gate);
    let mut command = serving(&desk, &model);
    command.args(["--http", "127.0.0.1:0"]);
    let server = HttpServer::of(command, None);
    // Each request has a connection of its own.
    let ask = |method: &str, params: Value| {
        let name = params["taskId"].as_str().or(params["name"].as_str()).unwrap_or_default().to_owned();
        let (status, message) = server.newer_with(meta_with_tasks(), method, params, &[("Mcp-Name", &name)]);
        assert_eq!(status, 200, "{message}");
        message["result"].clone()
    };
    let start = || ask("tools/call", json!({ "name": "scope", "arguments": { "question": QUESTION } }));
    let (first, second) = (start(), start());
    assert!(first["taskId"].is_string() && first["taskId"] != second["taskId"], "{first} {second}");
    ask("tasks/cancel", json!({ "taskId": second["taskId"] }));
    gate.open();
    let state = settled(|| ask("tasks/get", json!({ "taskId": first["taskId"] })));
    assert_eq!(state["status"], "completed", "{state}");
    let state = settled(|| ask("tasks/get", json!({ "taskId": second["taskId"] })));
    assert_eq!(state["status"], "cancelled", "{state}");
}

#[cfg(unix)]
#[test]
fn a_server_that_is_told_to_end_ends_its_tasks() {
    let desk = Desk::new();
    let gate: Arc<Gate> = Arc::default();
    let model = slow_model(&gate);
    let before = desk.contents();
    let mut child = Child::of(serving(&desk, &model));
    let arguments = json!({ "question": QUESTION, "output": "kept.md" });
    let call = json!({ "name": "scope", "arguments": arguments, "_meta": meta_with_tasks() });
    assert_eq!(child.result("tools/call", call)["resultType"], "task");
    model.wait_for(1);
    let process = nix::unistd::Pid::from_raw(child.id() as i32);
    nix::sys::signal::kill(process, nix::sys::signal::Signal::SIGTERM).expect("a signal");
    assert!(child.end(Duration::from_secs(10)).is_some_and(|status| status.success()));
    assert_eq!(desk.contents(), before, "neither a document nor a temporary file is left");
}

/// The time that calls of [`Waiting`] have after their deadline.
const GRACE: Duration = Duration::from_millis(100);

/// A handler whose tool waits until it is released or withdrawn, or until its deadline.
#[derive(Clone)]
struct Waiting {
    calls: CallRunner,
    tasks: Tasks,
    /// The deadline of each call.
    deadline: Duration,
    released: Arc<AtomicBool>,
    stops: Arc<Mutex<Vec<StopCause>>>,
}

impl Waiting {
    fn new(limits: TaskLimits, closing: ShutdownToken) -> Self {
        let limits_of_calls = CallLimits { max_concurrent_calls: 4, grace: GRACE, ..CallLimits::default() };
        let calls = CallRunner::new(limits_of_calls, closing);
        let tasks = Tasks::new(limits);
        Self { calls, tasks, deadline: PATIENCE, released: Arc::default(), stops: Arc::default() }
    }
}

fn limits() -> TaskLimits {
    TaskLimits { immediate_answer_time: Duration::from_millis(20), ..TaskLimits::for_concurrent_calls(4) }
}

impl ServerHandler for Waiting {
    fn get_info(&self) -> ServerConfig {
        ServerConfig::new(ServerCapabilities::builder().enable_tools().enable_tasks().build())
    }

    async fn call_tool(
        &self,
        _: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let own = self.clone();
        let job = move |cancellation: CancellationToken| {
            while !own.released.load(Ordering::Relaxed) {
                if let Some(cause) = cancellation.stop_cause() {
                    own.stops.lock().expect("no panic").push(cause);
                    return;
                }
                std::thread::sleep(Duration::from_millis(5));
            }
        };
        let to_result =
            |outcome: CallOutcome<()>| CallToolResult::success(vec![ContentBlock::text(format!("{outcome:?}"))]);
        Ok(self.tasks.run_job_as_task(&self.calls, self.deadline, &context, job, to_result).await)
    }

    async fn get_task(
        &self,
        request: GetTaskParams,
        _: RequestContext<RoleServer>,
    ) -> Result<GetTaskResult, ErrorData> {
        self.tasks.state_of_task(&request)
    }

    async fn cancel_task(&self, request: CancelTaskParams, _: RequestContext<RoleServer>) -> Result<(), ErrorData> {
        self.tasks.cancel_task(&request)
    }
}

/// A client of lines of JSON in memory.
struct Lines {
    input: WriteHalf<DuplexStream>,
    output: tokio::io::Lines<BufReader<ReadHalf<DuplexStream>>>,
    next_id: i64,
}

impl Lines {
    fn of(handler: Waiting, closing: ShutdownToken) -> Self {
        let (client, server) = tokio::io::duplex(1 << 16);
        let (read, write) = tokio::io::split(server);
        tokio::spawn(stdio::serve_handler_on_streams(handler, read, write, closing));
        let (read, input) = tokio::io::split(client);
        Self { input, output: BufReader::new(read).lines(), next_id: 0 }
    }

    async fn send(&mut self, method: &str, mut params: Value) -> i64 {
        self.next_id += 1;
        params["_meta"] = meta_with_tasks();
        let message = json!({ "jsonrpc": "2.0", "id": self.next_id, "method": method, "params": params });
        self.input.write_all(format!("{message}\n").as_bytes()).await.expect("the server reads");
        self.next_id
    }

    async fn answer(&mut self, id: i64) -> Value {
        loop {
            let line = tokio::time::timeout(PATIENCE, self.output.next_line()).await.expect("in time");
            let message: Value = serde_json::from_str(&line.expect("a line").expect("no end")).expect("JSON");
            if message["id"] == json!(id) {
                return message;
            }
        }
    }

    async fn ask(&mut self, method: &str, params: Value) -> Value {
        let id = self.send(method, params).await;
        self.answer(id).await
    }

    async fn call(&mut self) -> Value {
        self.ask("tools/call", json!({ "name": "wait", "arguments": {} })).await["result"].clone()
    }

    async fn get(&mut self, task: &Value) -> Value {
        self.ask("tasks/get", json!({ "taskId": task["taskId"] })).await
    }

    /// The state of a task, once it is not `working`.
    async fn settled(&mut self, task: &Value) -> Value {
        let end = Instant::now() + PATIENCE;
        loop {
            let state = self.get(task).await["result"].clone();
            if state["status"] != "working" {
                return state;
            }
            assert!(Instant::now() < end, "{state}");
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    }
}

#[tokio::test]
async fn where_all_places_are_taken_a_call_is_answered_when_it_ends() {
    let closing = ShutdownToken::new();
    let handler = Waiting::new(TaskLimits { max_tasks: 1, ..limits() }, closing.clone());
    let mut client = Lines::of(handler.clone(), closing);
    let task = client.call().await;
    assert_eq!(task["resultType"], "task", "{task}");
    let id = client.send("tools/call", json!({ "name": "wait", "arguments": {} })).await;
    tokio::time::sleep(Duration::from_millis(200)).await;
    handler.released.store(true, Ordering::Relaxed);
    let result = client.answer(id).await;
    assert_eq!(result["result"]["content"][0]["text"], "Completed(())", "{result}");
}

#[tokio::test]
async fn tasks_leave_places_to_other_calls_and_wait_for_each_other() {
    let closing = ShutdownToken::new();
    let handler = Waiting::new(
        TaskLimits { max_running_tasks: 1, poll_interval: Duration::from_millis(50), ..limits() },
        closing.clone(),
    );
    let mut client = Lines::of(handler.clone(), closing);
    let (first, second) = (client.call().await, client.call().await);
    tokio::time::sleep(Duration::from_millis(200)).await;
    let state = client.get(&second).await;
    assert!(
        state["result"]["statusMessage"].as_str().is_some_and(|message| message.starts_with("waiting: ")),
        "{state}"
    );
    client.ask("tasks/cancel", json!({ "taskId": first["taskId"] })).await;
    let end = Instant::now() + PATIENCE;
    while handler.stops.lock().expect("no panic").is_empty() {
        assert!(Instant::now() < end);
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    handler.released.store(true, Ordering::Relaxed);
    loop {
        let state = client.get(&second).await;
        if state["result"]["status"] == "completed" {
            break;
        }
        assert!(Instant::now() < end, "{state}");
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}

#[tokio::test]
async fn a_task_is_forgotten_when_its_time_is_over() {
    let closing = ShutdownToken::new();
    let time_to_live = Duration::from_millis(700);
    let mut handler = Waiting::new(TaskLimits { max_tasks: 1, time_to_live, ..limits() }, closing.clone());
    handler.deadline = Duration::from_millis(300);
    let mut client = Lines::of(handler.clone(), closing);
    let task = client.call().await;
    handler.released.store(true, Ordering::Relaxed);
    assert_eq!(client.settled(&task).await["status"], "completed");
    let time = task["ttlMs"].as_u64().expect("a time");
    assert_eq!(time, 2 * (300 + 100) + 700, "it waits, works, and is kept: {task}");
    tokio::time::sleep(Duration::from_millis(time / 2)).await;
    assert_eq!(client.get(&task).await["result"]["status"], "completed");
    tokio::time::sleep(Duration::from_millis(time / 2)).await;
    let gone = client.get(&task).await;
    assert_eq!(gone["error"]["code"], -32602, "{gone}");
    handler.released.store(false, Ordering::Relaxed);
    let next = client.call().await;
    assert_eq!(next["resultType"], "task", "its place is free: {next}");
}

#[tokio::test]
async fn a_task_that_waits_outlives_the_time_for_which_results_are_kept() {
    let closing = ShutdownToken::new();
    let time_to_live = Duration::from_millis(100);
    let handler = Waiting::new(TaskLimits { max_running_tasks: 1, time_to_live, ..limits() }, closing.clone());
    let mut client = Lines::of(handler.clone(), closing);
    let (first, second) = (client.call().await, client.call().await);
    tokio::time::sleep(time_to_live * 4).await;
    for task in [&first, &second] {
        assert_eq!(client.get(task).await["result"]["status"], "working");
    }
    handler.released.store(true, Ordering::Relaxed);
    for task in [&first, &second] {
        let state = client.settled(task).await;
        assert_eq!(state["result"]["content"][0]["text"], "Completed(())", "{state}");
    }
}

#[tokio::test]
async fn a_call_waits_for_tasks_at_work_no_longer_than_for_a_place() {
    let closing = ShutdownToken::new();
    // The third call is a task, and the fourth has no place for one.
    let mut handler = Waiting::new(TaskLimits { max_running_tasks: 1, max_tasks: 3, ..limits() }, closing.clone());
    handler.deadline = Duration::from_secs(1);
    let mut client = Lines::of(handler.clone(), closing);
    let began = Instant::now();
    let _at_work = client.call().await;
    // Its turn comes when the first has ended, at its deadline.
    let _next = client.call().await;
    let third = client.call().await;
    let without_task = client.call().await;
    assert_eq!(without_task["content"][0]["text"], "QueueTimeout", "{without_task}");
    assert!(began.elapsed() < 2 * handler.deadline, "before the second had ended: {:?}", began.elapsed());
    let state = client.settled(&third).await;
    assert_eq!(state["result"]["content"][0]["text"], "QueueTimeout", "{state}");
}

#[tokio::test]
async fn ended_tasks_give_their_places_to_others_the_longest_ended_first() {
    let closing = ShutdownToken::new();
    let handler = Waiting::new(TaskLimits { max_tasks: 3, max_running_tasks: 4, ..limits() }, closing.clone());
    let mut client = Lines::of(handler.clone(), closing);
    let at_work = client.call().await;
    let mut ended = Vec::new();
    for _ in 0..2 {
        let task = client.call().await;
        client.ask("tasks/cancel", json!({ "taskId": task["taskId"] })).await;
        assert_eq!(client.settled(&task).await["status"], "cancelled");
        ended.push(task);
    }
    let next = client.call().await;
    assert_eq!(next["resultType"], "task", "{next}");
    assert_eq!(client.get(&ended[0]).await["error"]["code"], -32602);
    assert_eq!(client.get(&ended[1]).await["result"]["status"], "cancelled");
    assert_eq!(client.get(&at_work).await["result"]["status"], "working");
}

#[tokio::test]
async fn a_quick_call_is_answered_at_once() {
    let closing = ShutdownToken::new();
    let handler = Waiting::new(TaskLimits { immediate_answer_time: PATIENCE, ..limits() }, closing.clone());
    handler.released.store(true, Ordering::Relaxed);
    let mut client = Lines::of(handler, closing);
    let result = client.call().await;
    assert_eq!(result["content"][0]["text"], "Completed(())", "{result}");
    assert_eq!((&result["resultType"], result.get("taskId")), (&json!("complete"), None), "{result}");
}

#[tokio::test]
async fn the_end_of_the_server_withdraws_tasks() {
    let closing = ShutdownToken::new();
    let handler = Waiting::new(limits(), closing.clone());
    // The connection outlives the calls, so that the state can be asked for.
    let mut client = Lines::of(handler.clone(), ShutdownToken::new());
    let task = client.call().await;
    handler.calls.end_all_calls(PATIENCE).await;
    assert_eq!(*handler.stops.lock().expect("no panic"), [StopCause::Cancelled]);
    assert!(closing.is_cancelled());
    assert_eq!(client.settled(&task).await["status"], "cancelled");
}
