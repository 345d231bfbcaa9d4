//! The fixtures' tools that become tasks. They use the tasks and the calls of the server that they stand around.

use std::sync::Arc;
use std::time::{Duration, Instant};

use peelback::serve::{CallOutcome, CallRunner, Tasks, is_client_with_tasks};
use peelback_code::CancellationToken;
use rmcp::model::*;
use rmcp::service::RequestContext;
use rmcp::task_manager::{TaskContext, TaskExit, TaskFuture};
use rmcp::{ErrorData, RoleServer};
use serde_json::Value;

use crate::inputs::{answer, failed, filled_in, name_input, need, text, user_input};

/// What runs the jobs.
#[derive(Clone)]
pub struct Jobs {
    pub calls: CallRunner,
    pub tasks: Tasks,
}

/// The tools that only clients with tasks can call.
const NEED_TASKS: [&str; 5] =
    ["failing_job", "protocol_error_job", "confirm_delete", "multi_input", "test_tool_with_task"];

/// Longer than the suite lets a job wait for input.
const LONGEST_TIME: Duration = Duration::from_secs(600);

/// A job that takes some seconds and notices when it is withdrawn.
fn compute(seconds: u64, cancellation: &CancellationToken) {
    let end = Instant::now() + Duration::from_secs(seconds);
    while Instant::now() < end && cancellation.stop_cause().is_none() {
        std::thread::sleep(Duration::from_millis(10));
    }
}

async fn confirmed(task: TaskContext, keys: &'static [&'static str]) -> Result<CallToolResult, TaskExit> {
    // All of them are asked at once.
    let asked = keys.iter().map(|key| {
        let task = task.clone();
        tokio::spawn(async move { task.request_input(*key, user_input("Go on?", "confirm", "boolean")).await })
    });
    let asked: Vec<_> = asked.collect();
    for answer in asked {
        answer.await.map_err(|error| ErrorData::internal_error(error.to_string(), None))??;
    }
    Ok(text("Confirmed."))
}

impl Jobs {
    /// The answer of a fixture tool that becomes a task, or None if `request` is about another tool.
    pub async fn call(
        &self,
        request: &CallToolRequestParams,
        context: &RequestContext<RoleServer>,
    ) -> Option<Result<CallToolResponse, ErrorData>> {
        let argument = |name: &str| request.arguments.as_ref().and_then(|arguments| arguments.get(name));
        let knows_tasks = is_client_with_tasks(context);
        if NEED_TASKS.contains(&request.name.as_ref()) && !knows_tasks {
            let required = ClientCapabilities::builder().enable_tasks().build();
            return Some(Err(ErrorData::missing_required_client_capability(required)));
        }
        let response = match request.name.as_ref() {
            "greet" => text(format!("Hello, {}!", argument("name").and_then(Value::as_str).unwrap_or("you"))).into(),
            "slow_compute" => {
                let seconds = argument("seconds").and_then(Value::as_u64).unwrap_or(1);
                let deadline = Duration::from_secs(120);
                let job = move |cancellation: CancellationToken| compute(seconds, &cancellation);
                let to_result = |outcome: CallOutcome<()>| match outcome {
                    CallOutcome::Completed(()) => text("Computed."),
                    other => failed(format!("{other:?}")),
                };
                match knows_tasks {
                    true => self.tasks.run_job_as_task(&self.calls, deadline, context, job, to_result).await,
                    false => to_result(self.calls.run_job_with_deadline(deadline, context, job).await).into(),
                }
            }
            "failing_job" => self.start(|_| {
                Box::pin(async {
                    tokio::time::sleep(Duration::from_secs(1)).await;
                    Ok(failed("This job always fails."))
                })
            }),
            "protocol_error_job" => self.start(|_| {
                Box::pin(async { Err(ErrorData::internal_error("this job breaks the protocol", None).into()) })
            }),
            "confirm_delete" => self.start(|task| Box::pin(confirmed(task, &["confirm"]))),
            "multi_input" => self.start(|task| Box::pin(confirmed(task, &["first", "second"]))),
            "test_tool_with_task" => match answer(request.input_responses.as_ref(), "user_name") {
                None => need([("user_name", name_input())], None),
                Some(given) => {
                    let greeting = format!("Hello, {}!", filled_in(given, "name"));
                    self.start(|_| Box::pin(async move { Ok(text(greeting)) }))
                }
            },
            _ => return None,
        };
        Some(Ok(response))
    }

    fn start(&self, work: impl FnOnce(TaskContext) -> TaskFuture) -> CallToolResponse {
        match self.tasks.start(LONGEST_TIME, Arc::default(), work) {
            Some(task) => CallToolResponse::Task(CreateTaskResult::new(task)),
            None => failed("All places of tasks are taken.").into(),
        }
    }
}
