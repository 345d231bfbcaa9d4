//! Tasks: calls whose results clients fetch later, by the extension `io.modelcontextprotocol/tasks`.
//!
//! The server decides which call becomes a task: one that takes long, of a client that knows tasks. A client may leave and
//! come back, over any connection: a task is known by its id, which nobody can guess. All that tasks hold is bounded: their
//! number, the number of those at work, the time for which a result is kept, and the size of a result, which is that of an
//! answer. Where there is no place for another task, the call is answered as one of a client without tasks.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::{Duration, Instant as StdInstant};

use hyper::http::request::Parts;
use peelback_code::CancellationToken;
use rmcp::model::{
    CallToolResponse, CallToolResult, CancelTaskParams, CreateTaskResult, DetailedTask, GetTaskParams, GetTaskResult,
    ProtocolVersion, Task, UpdateTaskParams,
};
use rmcp::service::RequestContext;
use rmcp::task_manager::{TaskContext, TaskExit, TaskFuture, TaskManager, TaskOptions};
use rmcp::{ErrorData, RoleServer};
use tokio::sync::Semaphore;
use tokio::task::JoinHandle;
use tokio::time::{Instant, interval, sleep};

use super::calls::{CallBegun, CallOutcome, CallRunner, progress_message, wait_with_progress};

/// The header that tells the sessions of HTTP clients apart, where the transport keeps sessions.
const SESSION_HEADER: &str = "mcp-session-id";

/// The step of a task that waits for others.
const WAITING_STEP: &str = "waiting: other tasks are running";

/// Limits on the tasks of a server.
#[derive(Debug, Clone, Copy)]
pub struct TaskLimits {
    /// The limit on tasks that are at work, that wait, or whose results are kept. A result has at most the size of an
    /// answer, 50,000 bytes.
    pub max_tasks: usize,
    /// The limit on tasks at work; further ones wait.
    pub max_running_tasks: usize,
    /// The time for which a task is kept at least.
    pub time_to_live: Duration,
    /// The interval at which clients are asked to look at a task, and at which its message is renewed.
    pub poll_interval: Duration,
    /// The time in which a call is answered at once, as one without a task.
    pub immediate_answer_time: Duration,
}

impl TaskLimits {
    /// The limits of a server that runs `max_concurrent_calls` at the same time: tasks leave half of them to short calls.
    pub fn for_concurrent_calls(max_concurrent_calls: usize) -> Self {
        Self {
            max_tasks: 64,
            max_running_tasks: (max_concurrent_calls / 2).max(1),
            time_to_live: Duration::from_secs(60 * 60),
            poll_interval: Duration::from_secs(1),
            immediate_answer_time: Duration::from_millis(500),
        }
    }
}

/// The tasks of a server. Clones share them.
#[derive(Clone)]
pub struct Tasks(Arc<TasksState>);

struct TasksState {
    limits: TaskLimits,
    manager: TaskManager,
    /// The tasks that the manager holds, by their ids.
    records: Mutex<HashMap<String, TaskRecord>>,
    running: Arc<Semaphore>,
}

/// What is known of a task beside its state.
struct TaskRecord {
    client: TaskClient,
    /// The token of the task's job, once the job has one.
    token: Arc<OnceLock<CancellationToken>>,
    /// When the task ended; the manager keeps it for its time to live from then on.
    ended: Arc<OnceLock<StdInstant>>,
}

/// The client of a task, as far as the transport tells clients apart: each process over standard input and output has one,
/// and over HTTP a session is one. Without sessions, whoever has the bearer token is one client, and a task is found by its
/// id alone.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TaskClient(Option<String>);

impl TaskClient {
    /// The client of a request.
    pub fn of_request(context: &RequestContext<RoleServer>) -> Self {
        let parts = context.extensions.get::<Parts>();
        let session = parts.and_then(|parts| parts.headers.get(SESSION_HEADER)?.to_str().ok());
        Self(session.map(str::to_owned))
    }
}

/// A running job, which is withdrawn when this is dropped.
struct RunningJob<T>(JoinHandle<CallOutcome<T>>);

impl<T> Drop for RunningJob<T> {
    fn drop(&mut self) {
        self.0.abort();
    }
}

impl<T> RunningJob<T> {
    /// The outcome, once the job has one.
    async fn outcome(&mut self) -> CallOutcome<T> {
        match (&mut self.0).await {
            Ok(outcome) => outcome,
            Err(error) => CallOutcome::Failed(error.to_string()),
        }
    }
}

/// Whether a request comes from a client that knows tasks of this form. Earlier revisions had tasks of another form.
pub fn is_client_with_tasks(context: &RequestContext<RoleServer>) -> bool {
    context.protocol_version().is_some_and(|version| version >= ProtocolVersion::V_2026_07_28)
        && context.client_capabilities().is_some_and(|capabilities| capabilities.supports_tasks())
}

impl Tasks {
    /// Creates an empty set of tasks.
    pub fn new(limits: TaskLimits) -> Self {
        Self(Arc::new(TasksState {
            limits,
            manager: TaskManager::new(),
            records: Mutex::default(),
            running: Arc::new(Semaphore::new(limits.max_running_tasks.max(1))),
        }))
    }

    /// Runs `job` for the request of `context`, whose client knows tasks. Where the job is quick, its result is the answer;
    /// otherwise the answer is a task, which has the result later. `to_result` makes the result of the job's outcome.
    pub async fn run_job_as_task<T: Send + 'static>(
        &self,
        runner: &CallRunner,
        deadline: Duration,
        context: &RequestContext<RoleServer>,
        job: impl FnOnce(CancellationToken) -> T + Send + 'static,
        to_result: impl FnOnce(CallOutcome<T>) -> CallToolResult + Send + 'static,
    ) -> CallToolResponse {
        let arrival = Instant::now();
        let token: Arc<OnceLock<CancellationToken>> = Arc::default();
        let mut job = self.start_job(runner, deadline, context, token.clone(), job);
        tokio::select! {
            biased;
            outcome = job.outcome() => return to_result(outcome).into(),
            () = context.ct.cancelled() => return to_result(CallOutcome::Cancelled).into(),
            () = sleep(self.0.limits.immediate_answer_time) => {}
        }
        let client = TaskClient::of_request(context);
        let poll_interval = self.0.limits.poll_interval;
        // The job goes to the task where there is a place for one, and stays here where not.
        let job = Arc::new(Mutex::new(Some((job, to_result))));
        let (job_of_task, token_of_task) = (job.clone(), token.clone());
        let started = self.start(client, token.clone(), move |task| {
            let taken = job_of_task.lock().unwrap_or_else(PoisonError::into_inner).take();
            Box::pin(async move {
                let Some((job, to_result)) = taken else { return Err(TaskExit::Cancelled) };
                match outcome_of_task(&task, job, &token_of_task, arrival, poll_interval).await {
                    CallOutcome::Cancelled => Err(TaskExit::Cancelled),
                    outcome => Ok(to_result(outcome)),
                }
            })
        });
        if let Some(task) = started {
            return CallToolResponse::Task(CreateTaskResult::new(task));
        }
        let left = job.lock().unwrap_or_else(PoisonError::into_inner).take();
        let Some((mut job, to_result)) = left else { return CallToolResult::success(Vec::new()).into() };
        tracing::warn!("too many tasks: the call is answered when it ends");
        let mut outcome = Box::pin(job.outcome());
        let outcome = wait_with_progress(context, arrival, || token.get().cloned(), &mut outcome).await;
        to_result(outcome).into()
    }

    /// Starts a job, which waits until few enough jobs of tasks are at work. Its token is in `token` from then on.
    fn start_job<T: Send + 'static>(
        &self,
        runner: &CallRunner,
        deadline: Duration,
        context: &RequestContext<RoleServer>,
        token: Arc<OnceLock<CancellationToken>>,
        job: impl FnOnce(CancellationToken) -> T + Send + 'static,
    ) -> RunningJob<T> {
        let begun = CallBegun::of_request(context);
        let (running, runner) = (self.0.running.clone(), runner.clone());
        RunningJob(tokio::spawn(async move {
            let Ok(_permit) = running.acquire_owned().await else { return CallOutcome::Cancelled };
            let cancellation = CancellationToken::with_deadline((Instant::now() + deadline).into_std());
            let _ = token.set(cancellation.clone());
            let job = move |cancellation| {
                if let Some(CallBegun(tell)) = begun {
                    tell();
                }
                job(cancellation)
            };
            runner.run_job_without_request(deadline, cancellation, job).await
        }))
    }

    /// Starts a task for `client`, unless all places are taken. `token` holds the token of its job, once the job has one.
    pub fn start(
        &self,
        client: TaskClient,
        token: Arc<OnceLock<CancellationToken>>,
        work: impl FnOnce(TaskContext) -> TaskFuture,
    ) -> Option<Task> {
        let limits = &self.0.limits;
        let mut records = self.0.records.lock().unwrap_or_else(PoisonError::into_inner);
        records.retain(|_, record| record.ended.get().is_none_or(|ended| ended.elapsed() < limits.time_to_live));
        if records.len() >= limits.max_tasks {
            return None;
        }
        let milliseconds = |time: Duration| u64::try_from(time.as_millis()).unwrap_or(u64::MAX);
        let options = TaskOptions::new()
            .with_ttl_ms(milliseconds(limits.time_to_live))
            .with_poll_interval_ms(milliseconds(limits.poll_interval));
        let ended: Arc<OnceLock<StdInstant>> = Arc::default();
        let noted = NoteEndOnDrop(ended.clone());
        let task = self.0.manager.spawn(options, |context| {
            let work = work(context);
            Box::pin(async move {
                let _noted = noted;
                work.await
            })
        });
        records.insert(task.task_id.clone(), TaskRecord { client, token, ended });
        Some(task)
    }

    /// The state of a task.
    ///
    /// # Errors
    /// Where the client of `context` has no such task.
    pub fn state_of_task(
        &self,
        request: &GetTaskParams,
        context: &RequestContext<RoleServer>,
    ) -> Result<GetTaskResult, ErrorData> {
        self.require_task_of_client(&request.task_id, context)?;
        let task: DetailedTask = self.0.manager.get_task(&request.task_id)?;
        Ok(GetTaskResult::new(task))
    }

    /// Gives a task the input that it asked for.
    ///
    /// # Errors
    /// Where the client of `context` has no such task.
    pub fn give_input(&self, request: UpdateTaskParams, context: &RequestContext<RoleServer>) -> Result<(), ErrorData> {
        self.require_task_of_client(&request.task_id, context)?;
        self.0.manager.update_task(&request.task_id, request.input_responses)
    }

    /// Withdraws a task. One that has ended stays as it is. The job is told before this returns, so that it asks its model
    /// nothing more once the client knows that the task is withdrawn.
    ///
    /// # Errors
    /// Where the client of `context` has no such task.
    pub fn cancel_task(
        &self,
        request: &CancelTaskParams,
        context: &RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        let token = self.require_task_of_client(&request.task_id, context)?;
        self.0.manager.cancel_task(&request.task_id)?;
        if let Some(token) = token.get() {
            token.cancel();
        }
        Ok(())
    }

    /// Ends all tasks and forgets them.
    pub fn end_all(&self) {
        self.0.manager.shutdown();
        self.0.records.lock().unwrap_or_else(PoisonError::into_inner).clear();
    }

    /// The place of the token of the job of a task, if the client of `context` has that task.
    fn require_task_of_client(
        &self,
        id: &str,
        context: &RequestContext<RoleServer>,
    ) -> Result<Arc<OnceLock<CancellationToken>>, ErrorData> {
        let records = self.0.records.lock().unwrap_or_else(PoisonError::into_inner);
        match records.get(id) {
            Some(record) if record.client == TaskClient::of_request(context) => Ok(record.token.clone()),
            // The same error, so that nobody learns of another client's task.
            _ => {
                let id: String = id.chars().take(80).collect();
                Err(ErrorData::invalid_params(format!("no task {id}: it never existed, or it has expired"), None))
            }
        }
    }
}

/// Notes when a task ended, in whatever way.
struct NoteEndOnDrop(Arc<OnceLock<StdInstant>>);

impl Drop for NoteEndOnDrop {
    fn drop(&mut self) {
        let _ = self.0.set(StdInstant::now());
    }
}

/// Waits for the outcome of a task's job, and tells the task what the job does. A withdrawn task withdraws its job.
async fn outcome_of_task<T>(
    task: &TaskContext,
    mut job: RunningJob<T>,
    token: &OnceLock<CancellationToken>,
    arrival: Instant,
    poll_interval: Duration,
) -> CallOutcome<T> {
    let mut ticks = interval(poll_interval);
    let mut last_message = String::new();
    loop {
        tokio::select! {
            biased;
            outcome = job.outcome() => return outcome,
            () = task.cancelled() => return CallOutcome::Cancelled,
            _ = ticks.tick() => {
                let message = match token.get() {
                    Some(cancellation) => progress_message(cancellation, arrival).unwrap_or_default(),
                    None => format!("{WAITING_STEP} ({} s)", arrival.elapsed().as_secs()),
                };
                if !message.is_empty() && message != last_message {
                    task.set_status_message(message.clone());
                    last_message = message;
                }
            }
        }
    }
}
