//! Runs tool calls on threads other than those that carry messages: a limited number at once, each with a deadline.

use std::future::Future;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::time::Duration;

use hyper::http::request::Parts;
use peelback_code::CancellationToken;
use rmcp::RoleServer;
use rmcp::model::{NumberOrString, ProgressNotificationParam, ProgressToken};
use rmcp::service::RequestContext;
use tokio::runtime::Handle;
use tokio::sync::oneshot;
use tokio::time::{Instant, MissedTickBehavior, interval_at, sleep, sleep_until, timeout};
use tokio_util::sync::CancellationToken as ShutdownToken;

use super::call_slots::{CallSlot, CallSlots};
use super::thread_pools::ThreadPools;

/// The time after which a running call reports its progress for the first time.
const FIRST_PROGRESS_DELAY: Duration = Duration::from_secs(2);

/// The interval between two progress reports of a running call.
const PROGRESS_INTERVAL: Duration = Duration::from_millis(500);

/// The limit on the name under which a client asks for progress reports, each of which repeats it. There are none for a
/// longer one.
const MAX_PROGRESS_TOKEN_BYTES: usize = 1_024;

/// Limits on the calls that a server runs: time, concurrency and threads.
#[derive(Debug, Clone, Copy)]
pub struct CallLimits {
    /// The time from a call's arrival until the call ends with its results so far.
    pub deadline: Duration,
    /// The additional time after the deadline, after which a call that has not returned is abandoned.
    pub grace: Duration,
    /// The limit on calls that run at the same time; further calls wait in the order of their arrival.
    pub max_concurrent_calls: usize,
    /// The number of threads that run one call.
    pub threads_per_call: usize,
}

impl Default for CallLimits {
    fn default() -> Self {
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        Self {
            // Hosts abandon a call after 60 seconds unless they are configured otherwise.
            deadline: Duration::from_secs(45),
            grace: Duration::from_secs(5),
            max_concurrent_calls: (cores * 2).clamp(4, 16),
            threads_per_call: cores.min(16),
        }
    }
}

/// What a transport is told when the call of a request begins, as an extension of the request's HTTP head.
#[derive(Clone)]
pub(super) struct CallBegun(pub Arc<dyn Fn() + Send + Sync>);

impl CallBegun {
    /// The signal of a request; `None` for a request over another transport.
    pub(super) fn of_request(context: &RequestContext<RoleServer>) -> Option<Self> {
        context.extensions.get::<Parts>()?.extensions.get::<Self>().cloned()
    }
}

/// The outcome of a call that the [`CallRunner`] ran.
#[derive(Debug, PartialEq, Eq)]
pub enum CallOutcome<T> {
    /// The call returned its result; after its deadline, the results so far.
    Completed(T),
    /// The call panicked, or no thread could be started for it; contains the error message.
    Failed(String),
    /// The call did not return by its deadline and was abandoned.
    Abandoned,
    /// The call never started, because until its deadline other calls occupied all slots.
    QueueTimeout,
    /// The call never started, because calls that were abandoned and still hang occupy all slots.
    NoSlotLeft {
        /// The number of abandoned calls that still hang.
        abandoned_calls: usize,
    },
    /// The client cancelled the call, or the server is shutting down.
    Cancelled,
}

/// Runs the calls of a server's clients. Clones share their limits.
#[derive(Clone)]
pub struct CallRunner(Arc<RunnerState>);

struct RunnerState {
    limits: CallLimits,
    slots: CallSlots,
    pools: ThreadPools,
    closing: ShutdownToken,
}

/// A guard that cancels a call's work when the task that waits for the result is dropped. Work that does not end then
/// gives its slot to another call after the grace period.
struct WithdrawOnDrop {
    cancellation: CancellationToken,
    slot: Arc<CallSlot>,
    grace: Duration,
}

impl Drop for WithdrawOnDrop {
    fn drop(&mut self) {
        self.cancellation.cancel();
        if self.slot.is_occupied()
            && let Ok(runtime) = Handle::try_current()
        {
            let (slot, grace) = (self.slot.clone(), self.grace);
            runtime.spawn(async move {
                sleep(grace).await;
                slot.abandon_if_occupied();
            });
        }
    }
}

impl CallRunner {
    /// Creates a runner that runs calls within `limits` until `closing` fires, which cancels all calls.
    pub fn new(limits: CallLimits, closing: ShutdownToken) -> Self {
        Self(Arc::new(RunnerState {
            limits,
            slots: CallSlots::new(limits.max_concurrent_calls.max(1)),
            pools: ThreadPools::new(limits.threads_per_call.max(1), limits.max_concurrent_calls.max(1)),
            closing,
        }))
    }

    /// Runs `job` for the request of `context` and reports progress to the client. The job should end soon after its
    /// [`CancellationToken`] has stopped.
    pub async fn run_job<T: Send + 'static>(
        &self,
        context: &RequestContext<RoleServer>,
        job: impl FnOnce(CancellationToken) -> T + Send + 'static,
    ) -> CallOutcome<T> {
        self.run_job_with_deadline(self.0.limits.deadline, context, job).await
    }

    /// Runs a job as [`Self::run_job`] does, with the deadline `deadline` instead of the default.
    pub async fn run_job_with_deadline<T: Send + 'static>(
        &self,
        deadline: Duration,
        context: &RequestContext<RoleServer>,
        job: impl FnOnce(CancellationToken) -> T + Send + 'static,
    ) -> CallOutcome<T> {
        let arrival = Instant::now();
        let cancellation = CancellationToken::with_deadline((arrival + deadline).into_std());
        let begun = CallBegun::of_request(context);
        let job = move |cancellation| {
            if let Some(CallBegun(tell)) = begun {
                tell();
            }
            job(cancellation)
        };
        let mut outcome = std::pin::pin!(self.clone().run_job_without_request(deadline, cancellation.clone(), job));
        wait_with_progress(context, arrival, || Some(cancellation.clone()), &mut outcome).await
    }

    /// Runs a job that ends by itself, at `deadline`, when the server shuts down, or when the future is dropped, which
    /// withdraws it. `cancellation` is the token of the job, with the same deadline.
    pub(super) async fn run_job_without_request<T: Send + 'static>(
        self,
        deadline: Duration,
        cancellation: CancellationToken,
        job: impl FnOnce(CancellationToken) -> T + Send + 'static,
    ) -> CallOutcome<T> {
        let grace = self.0.limits.grace;
        let arrival = Instant::now();
        let slot = Arc::new(CallSlot::new(self.0.slots.clone()));
        let _withdraw = WithdrawOnDrop { cancellation: cancellation.clone(), slot: slot.clone(), grace };
        tokio::select! {
            biased;
            result = self.run_job_in_free_slot(slot.clone(), cancellation, job) => result,
            () = self.0.closing.cancelled() => CallOutcome::Cancelled,
            () = sleep_until(arrival + deadline + grace) => {
                if slot.is_waiting_for_slot() {
                    return CallOutcome::QueueTimeout;
                }
                slot.abandon_if_occupied();
                CallOutcome::Abandoned
            }
        }
    }

    /// The limits within which calls run.
    pub(super) fn limits(&self) -> &CallLimits {
        &self.0.limits
    }

    /// Ends all calls, and waits until their threads have ended, for at most `patience`.
    pub async fn end_all_calls(&self, patience: Duration) {
        self.0.closing.cancel();
        if timeout(patience, self.0.slots.wait_until_all_are_free()).await.is_err() {
            tracing::warn!("some calls were still running when the server ended");
        }
    }

    /// Waits for a free slot among the calls that run at the same time, then runs `job`.
    async fn run_job_in_free_slot<T: Send + 'static>(
        &self,
        slot: Arc<CallSlot>,
        cancellation: CancellationToken,
        job: impl FnOnce(CancellationToken) -> T + Send + 'static,
    ) -> CallOutcome<T> {
        if let Err(abandoned_calls) = slot.wait_for_free_slot().await {
            return CallOutcome::NoSlotLeft { abandoned_calls };
        }
        // From here to the start of the job nothing may be awaited: the task could be dropped while it waits, and a permit
        // whose job never starts is given back by nobody.
        let pool = match self.0.pools.take_idle_or_new_pool() {
            Ok(pool) => pool,
            Err(error) => {
                slot.release_after_call_ended();
                return CallOutcome::Failed(format!("no threads to run it in: {error}"));
            }
        };
        let (sender, receiver) = oneshot::channel();
        let shared = self.0.clone();
        let pool_to_return = pool.clone();
        pool.spawn(move || {
            let result = catch_unwind(AssertUnwindSafe(|| job(cancellation)));
            shared.pools.return_pool(pool_to_return);
            slot.release_after_call_ended();
            // Sending the result fails where the call was cancelled, since no task waits for it.
            let _ = sender.send(result);
        });
        match receiver.await {
            Ok(Ok(result)) => CallOutcome::Completed(result),
            Ok(Err(panic)) => CallOutcome::Failed(panic_message(&*panic)),
            Err(_) => CallOutcome::Failed("its thread ended without a result".to_owned()),
        }
    }
}

/// The message of a panic in a call.
fn panic_message(panic: &(dyn std::any::Any + Send)) -> String {
    let text = panic.downcast_ref::<&str>().copied().or_else(|| panic.downcast_ref::<String>().map(String::as_str));
    text.unwrap_or("a panic without a message").to_owned()
}

/// Waits for the outcome of a call, and reports its progress to the client of `context`. `token` gives the call's token once
/// the call has one.
pub(super) async fn wait_with_progress<T>(
    context: &RequestContext<RoleServer>,
    arrival: Instant,
    token: impl Fn() -> Option<CancellationToken>,
    outcome: &mut (impl Future<Output = CallOutcome<T>> + Unpin),
) -> CallOutcome<T> {
    let mut progress = ProgressReporter::new(context, arrival);
    let mut ticks = interval_at(arrival + FIRST_PROGRESS_DELAY, PROGRESS_INTERVAL);
    ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    loop {
        tokio::select! {
            biased;
            outcome = &mut *outcome => return outcome,
            () = context.ct.cancelled() => return CallOutcome::Cancelled,
            _ = ticks.tick(), if progress.is_requested() => progress.send_progress(token().as_ref()).await,
        }
    }
}

/// What a call does now, for the person who waits for it: its step with the seconds since its arrival, or how many of its
/// steps are done. `None` where nothing is known.
pub(super) fn progress_message(cancellation: &CancellationToken, arrival: Instant) -> Option<String> {
    if let Some(step) = cancellation.current_step() {
        return Some(format!("{step} ({} s)", arrival.elapsed().as_secs()));
    }
    let (done, expected) = cancellation.processed_and_expected_file_counts();
    (expected > 0).then(|| format!("{done} of {expected} steps"))
}

/// Reports the progress of a call to its client, if the client has requested reports.
struct ProgressReporter<'a> {
    context: &'a RequestContext<RoleServer>,
    token: Option<ProgressToken>,
    arrival: Instant,
    last_progress: f64,
}

impl<'a> ProgressReporter<'a> {
    fn new(context: &'a RequestContext<RoleServer>, arrival: Instant) -> Self {
        let token = context.meta.get_progress_token().filter(|token| match &token.0 {
            NumberOrString::String(text) => text.len() <= MAX_PROGRESS_TOKEN_BYTES,
            NumberOrString::Number(_) => true,
        });
        Self { context, token, arrival, last_progress: 0.0 }
    }

    fn is_requested(&self) -> bool {
        self.token.is_some()
    }

    async fn send_progress(&mut self, cancellation: Option<&CancellationToken>) {
        let Some(token) = self.token.clone() else { return };
        let (done, expected) = cancellation.map_or((0, 0), CancellationToken::processed_and_expected_file_counts);
        // A call of several phases reads the same file in each phase, so progress counts steps, not files. Progress
        // must rise from one message to the next, and a host treats silence as a hang: where no further step is done,
        // progress rises by a thousandth of a step.
        self.last_progress = (done as f64).max(self.last_progress + 0.001);
        let mut message = ProgressNotificationParam::new(token, self.last_progress);
        if expected > 0 {
            message = message.with_total((expected as f64).max(self.last_progress));
        }
        if let Some(text) = cancellation.and_then(|cancellation| progress_message(cancellation, self.arrival)) {
            message = message.with_message(text);
        }
        // A client that does not read its messages must not block the call, and the failure to reach a disconnected
        // client is ignored.
        let _ = timeout(PROGRESS_INTERVAL, self.context.peer.notify_progress(message)).await;
    }
}
