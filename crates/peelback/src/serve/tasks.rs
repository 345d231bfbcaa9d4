//! Tasks: calls whose results clients fetch later, by the extension `io.modelcontextprotocol/tasks`.
//!
//! The server decides which call becomes a task: one that takes long, of a client that knows tasks. A client may leave and
//! come back, over any connection: a task is known by its id, which nobody can guess. All that tasks hold is bounded: their
//! number, the number of those at work, the time for which they wait and for which a result is kept, and the size of a
//! result, which is that of an answer. Where no place is free, the task that ended first gives up its own; where none has
//! ended, the call is answered as one of a client without tasks.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::{Duration, Instant as StdInstant};

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
use tokio::time::{Instant, interval, sleep, timeout};

use super::calls::{BegunSignal, CallOutcome, CallRunner, progress_message, wait_with_progress};

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
    /// The time for which the result of a task is kept at least, unless another task needs its place. While a task waits and
    /// works, this time does not count.
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
    /// The tasks by their ids.
    records: Mutex<HashMap<String, TaskRecord>>,
    running: Arc<Semaphore>,
}

/// A task. Whoever has the bearer token of the server is one client: a task is found by its id alone.
struct TaskRecord {
    /// The holder of the task's state and result. Each task has one of its own, since the library forgets all tasks of a
    /// manager or none.
    manager: TaskManager,
    /// The token of the task's job, once the job has one.
    token: Arc<OnceLock<CancellationToken>>,
    /// When the task is forgotten. Its work ends before that.
    expiry: StdInstant,
    /// When the task ended.
    ended: Arc<OnceLock<StdInstant>>,
}

impl Drop for TaskRecord {
    fn drop(&mut self) {
        self.manager.shutdown();
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
        // Until this returns: a client that has its task may send another request over the same connection.
        let begun = BegunSignal::of_request(context);
        let mut job = self.start_job(runner, deadline, &begun, token.clone(), job);
        tokio::select! {
            biased;
            outcome = job.outcome() => return to_result(outcome).into(),
            () = context.ct.cancelled() => return to_result(CallOutcome::Cancelled).into(),
            () = sleep(self.0.limits.immediate_answer_time) => {}
        }
        let poll_interval = self.0.limits.poll_interval;
        // The job goes to the task where there is a place for one, and stays here where not.
        let job = Arc::new(Mutex::new(Some((job, to_result))));
        let (job_of_task, token_of_task) = (job.clone(), token.clone());
        let longest_time = runner.limits().longest_time_with_deadline(deadline) * 2;
        let started = self.start(longest_time, token.clone(), move |task| {
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

    /// Starts a job, which waits until few enough jobs of tasks are at work, for at most as long as it may take. Its token is
    /// in `token` from then on.
    fn start_job<T: Send + 'static>(
        &self,
        runner: &CallRunner,
        deadline: Duration,
        begun: &BegunSignal,
        token: Arc<OnceLock<CancellationToken>>,
        job: impl FnOnce(CancellationToken) -> T + Send + 'static,
    ) -> RunningJob<T> {
        let tell_begun = begun.teller();
        let (running, runner) = (self.0.running.clone(), runner.clone());
        RunningJob(tokio::spawn(async move {
            let longest_wait = runner.limits().longest_time_with_deadline(deadline);
            let _permit = match timeout(longest_wait, running.acquire_owned()).await {
                Ok(Ok(permit)) => permit,
                Ok(Err(_)) => return CallOutcome::Cancelled,
                Err(_) => return CallOutcome::QueueTimeout,
            };
            let cancellation = CancellationToken::with_deadline((Instant::now() + deadline).into_std());
            let _ = token.set(cancellation.clone());
            let job = move |cancellation| {
                tell_begun();
                job(cancellation)
            };
            runner.run_job_without_request(deadline, cancellation, job).await
        }))
    }

    /// Starts a task that takes at most `longest_time`, unless all places are taken by tasks that have not ended. `token`
    /// holds the token of its job, once the job has one.
    pub fn start(
        &self,
        longest_time: Duration,
        token: Arc<OnceLock<CancellationToken>>,
        work: impl FnOnce(TaskContext) -> TaskFuture,
    ) -> Option<Task> {
        let limits = &self.0.limits;
        let mut records = self.0.records.lock().unwrap_or_else(PoisonError::into_inner);
        let now = StdInstant::now();
        records.retain(|_, record| record.expiry > now);
        if records.len() >= limits.max_tasks {
            let ended = records.iter().filter_map(|(id, record)| Some((record.ended.get()?, id)));
            let longest_ended = ended.min().map(|(_, id)| id.clone())?;
            records.remove(&longest_ended);
        }
        // The library counts the time from the beginning, and ends the work of a task whose time is over.
        let time_to_live = longest_time + limits.time_to_live;
        let milliseconds = |time: Duration| u64::try_from(time.as_millis()).unwrap_or(u64::MAX);
        let options = TaskOptions::new()
            .with_ttl_ms(milliseconds(time_to_live))
            .with_poll_interval_ms(milliseconds(limits.poll_interval));
        let ended: Arc<OnceLock<StdInstant>> = Arc::default();
        let noted = NoteEndOnDrop(ended.clone());
        let manager = TaskManager::new();
        let task = manager.spawn(options, |context| {
            let work = work(context);
            Box::pin(async move {
                let _noted = noted;
                work.await
            })
        });
        records.insert(task.task_id.clone(), TaskRecord { manager, token, expiry: now + time_to_live, ended });
        Some(task)
    }

    /// The state of a task.
    ///
    /// # Errors
    /// Where there is no such task.
    pub fn state_of_task(&self, request: &GetTaskParams) -> Result<GetTaskResult, ErrorData> {
        let (manager, _) = self.task_by_id(&request.task_id)?;
        let task: DetailedTask = manager.get_task(&request.task_id)?;
        Ok(GetTaskResult::new(task))
    }

    /// Gives a task the input that it asked for.
    ///
    /// # Errors
    /// Where there is no such task.
    pub fn give_input(&self, request: UpdateTaskParams) -> Result<(), ErrorData> {
        let (manager, _) = self.task_by_id(&request.task_id)?;
        manager.update_task(&request.task_id, request.input_responses)
    }

    /// Withdraws a task. One that has ended stays as it is. The job is told before this returns, so that it asks its model
    /// nothing more once the client knows that the task is withdrawn.
    ///
    /// # Errors
    /// Where there is no such task.
    pub fn cancel_task(&self, request: &CancelTaskParams) -> Result<(), ErrorData> {
        let (manager, token) = self.task_by_id(&request.task_id)?;
        manager.cancel_task(&request.task_id)?;
        if let Some(token) = token.get() {
            token.cancel();
        }
        Ok(())
    }

    /// Ends all tasks and forgets them.
    pub fn end_all(&self) {
        self.0.records.lock().unwrap_or_else(PoisonError::into_inner).clear();
    }

    /// The manager of a task, and the place of the token of its job.
    fn task_by_id(&self, id: &str) -> Result<(TaskManager, Arc<OnceLock<CancellationToken>>), ErrorData> {
        let records = self.0.records.lock().unwrap_or_else(PoisonError::into_inner);
        match records.get(id) {
            Some(record) if record.expiry > StdInstant::now() => Ok((record.manager.clone(), record.token.clone())),
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

#[cfg(test)]
mod tests {
    use std::sync::Mutex;
    use std::sync::atomic::{AtomicUsize, Ordering};

    use hyper::http::Request;
    use rmcp::model::{CallToolRequestParams, ServerCapabilities, ServerConfig};
    use rmcp::service::RequestContext;
    use rmcp::{ServerHandler, ServiceExt};
    use tokio::sync::oneshot;
    use tokio_util::sync::CancellationToken as ShutdownToken;

    use super::super::calls::{CallBegun, CallLimits};
    use super::*;

    /// A handler whose calls wait for each other, and tell their transport when they begin.
    #[derive(Clone)]
    struct Waiting {
        calls: CallRunner,
        tasks: Tasks,
        told: Arc<AtomicUsize>,
        /// What the calls wait for, the last call first.
        gates: Arc<Mutex<Vec<std::sync::mpsc::Receiver<()>>>>,
        ended: tokio::sync::mpsc::UnboundedSender<()>,
    }

    impl ServerHandler for Waiting {
        fn get_info(&self) -> ServerConfig {
            ServerConfig::new(ServerCapabilities::builder().enable_tools().build())
        }

        async fn call_tool(
            &self,
            _: CallToolRequestParams,
            mut context: RequestContext<RoleServer>,
        ) -> Result<CallToolResponse, ErrorData> {
            let (mut head, ()) = Request::new(()).into_parts();
            let told = self.told.clone();
            let tell = move || {
                told.fetch_add(1, Ordering::Relaxed);
            };
            head.extensions.insert(CallBegun(Arc::new(tell)));
            context.extensions.insert(head);
            let gate = self.gates.lock().expect("no panic").pop().expect("a gate");
            let ended = self.ended.clone();
            let job = move |_| {
                let _ = gate.recv();
                let _ = ended.send(());
            };
            let to_result = |_| CallToolResult::success(Vec::new());
            let deadline = Duration::from_secs(60);
            let response = self.tasks.run_job_as_task(&self.calls, deadline, &context, job, to_result).await;
            assert!(matches!(response, CallToolResponse::Task(_)), "{response:?}");
            // The client of this test knows no tasks.
            Ok(CallToolResult::success(Vec::new()).into())
        }
    }

    #[tokio::test]
    async fn a_call_that_has_become_a_task_tells_its_transport_nothing_more() {
        let limits = TaskLimits {
            max_running_tasks: 1,
            immediate_answer_time: Duration::from_millis(100),
            ..TaskLimits::for_concurrent_calls(4)
        };
        let (open_first, first) = std::sync::mpsc::channel();
        let (open_second, second) = std::sync::mpsc::channel();
        let (ended, mut ends) = tokio::sync::mpsc::unbounded_channel();
        let handler = Waiting {
            calls: CallRunner::new(CallLimits::default(), ShutdownToken::new()),
            tasks: Tasks::new(limits),
            told: Arc::default(),
            gates: Arc::new(Mutex::new(vec![second, first])),
            ended,
        };
        let (client, server) = tokio::io::duplex(1 << 16);
        let serving = handler.clone();
        let (stop, stopped) = oneshot::channel::<()>();
        tokio::spawn(async move {
            let service = serving.serve(server).await.expect("a session");
            let _ = stopped.await;
            drop(service);
        });
        let client = ().serve(client).await.expect("a session");
        for _ in 0..2 {
            client.call_tool(CallToolRequestParams::new("wait")).await.expect("an answer");
        }
        assert_eq!(handler.told.load(Ordering::Relaxed), 1, "the second waits for the first");
        for open in [open_first, open_second] {
            open.send(()).expect("the call waits");
            ends.recv().await.expect("its end");
        }
        assert_eq!(handler.told.load(Ordering::Relaxed), 1, "the second was answered by its task before it began");
        let _ = stop.send(());
    }
}
