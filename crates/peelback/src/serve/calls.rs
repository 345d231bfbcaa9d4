//! Runs tool calls on threads other than those that carry messages: a limited number at once, each with a deadline.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use peelback_code::CancellationToken;
use rmcp::RoleServer;
use rmcp::model::{ProgressNotificationParam, ProgressToken};
use rmcp::service::RequestContext;
use tokio::sync::{OwnedSemaphorePermit, Semaphore, oneshot};
use tokio::time::{Instant, MissedTickBehavior, interval_at, sleep_until, timeout};
use tokio_util::sync::CancellationToken as ShutdownToken;

use super::pools::Pools;

/// The time after which a running call reports its progress.
const PROGRESS_AFTER: Duration = Duration::from_secs(2);

/// The interval between two progress reports of a call.
const PROGRESS_EVERY: Duration = Duration::from_millis(500);

/// The most calls that hang past their deadline and whose slot is given to other calls. Without this limit, a file
/// system that hangs would occupy one thread pool after another.
const MOST_ABANDONED: usize = 16;

/// Limits on calls: time, concurrency and threads.
#[derive(Debug, Clone, Copy)]
pub struct Limits {
    /// The time from a call's arrival until the call ends with its results so far.
    pub deadline: Duration,
    /// The additional time after the deadline, after which a call that has not returned is abandoned.
    pub grace: Duration,
    /// The most calls that run at the same time; other calls wait in the order of their arrival.
    pub at_once: usize,
    /// The number of threads of one call.
    pub threads: usize,
}

impl Default for Limits {
    fn default() -> Self {
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        Self {
            // Hosts abandon a call after 60 seconds unless they are configured otherwise.
            deadline: Duration::from_secs(45),
            grace: Duration::from_secs(5),
            at_once: (cores * 2).clamp(4, 16),
            threads: cores.min(16),
        }
    }
}

/// The outcome of a call.
#[derive(Debug, PartialEq, Eq)]
pub enum Outcome<T> {
    /// The call returned its result; after its deadline, the results so far.
    Done(T),
    /// The call panicked, or no thread could be started for it: the error message.
    Broken(String),
    /// The call did not return after its deadline and was abandoned.
    Late,
    /// The call never started, because until its deadline other calls occupied all slots.
    QueueTimeout,
    /// The client cancelled the call, or the server is shutting down.
    Withdrawn,
}

/// The runner of calls. Clones share their limits.
#[derive(Clone)]
pub struct Calls(Arc<Shared>);

struct Shared {
    limits: Limits,
    places: Arc<Semaphore>,
    spare_places: Arc<Semaphore>,
    pools: Pools,
    closing: ShutdownToken,
}

/// A call's slot among the calls that run at the same time.
#[derive(Default)]
struct Slot {
    /// Whether the call ever received a slot.
    began: AtomicBool,
    /// The semaphore permit of the slot, from the start of the call until its end.
    permit: Mutex<Option<OwnedSemaphorePermit>>,
}

impl Slot {
    fn set(&self, permit: Option<OwnedSemaphorePermit>) {
        *self.permit.lock().unwrap_or_else(PoisonError::into_inner) = permit;
    }
}

/// A guard that cancels a call's work when the task that waits for the result is dropped.
struct Withdraw(CancellationToken);

impl Drop for Withdraw {
    fn drop(&mut self) {
        self.0.cancel();
    }
}

impl Calls {
    /// Creates a runner that runs calls within `limits` until `closing` fires, which cancels all calls.
    pub fn new(limits: Limits, closing: ShutdownToken) -> Self {
        Self(Arc::new(Shared {
            limits,
            places: Arc::new(Semaphore::new(limits.at_once.max(1))),
            spare_places: Arc::new(Semaphore::new(MOST_ABANDONED)),
            pools: Pools::new(limits.threads.max(1), limits.at_once.max(1)),
            closing,
        }))
    }

    /// Runs `job` for the request of `context` and reports progress to its client. The job should end soon after its
    /// [`CancellationToken`] has stopped.
    pub async fn run<T: Send + 'static>(
        &self,
        context: &RequestContext<RoleServer>,
        job: impl FnOnce(CancellationToken) -> T + Send + 'static,
    ) -> Outcome<T> {
        self.run_within(self.0.limits.deadline, context, job).await
    }

    /// Runs a job as [`Self::run`] does, with the given deadline instead of the default.
    pub async fn run_within<T: Send + 'static>(
        &self,
        deadline: Duration,
        context: &RequestContext<RoleServer>,
        job: impl FnOnce(CancellationToken) -> T + Send + 'static,
    ) -> Outcome<T> {
        let grace = self.0.limits.grace;
        let arrival = Instant::now();
        let work = CancellationToken::until((arrival + deadline).into_std());
        let _withdraw = Withdraw(work.clone());
        let slot = Arc::new(Slot::default());
        let mut result = std::pin::pin!(self.in_turn(slot.clone(), work.clone(), job));
        let mut progress = Progress::new(context);
        let mut ticks = interval_at(arrival + PROGRESS_AFTER, PROGRESS_EVERY);
        ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
        loop {
            tokio::select! {
                biased;
                result = &mut result => return result,
                () = context.ct.cancelled() => return Outcome::Withdrawn,
                () = self.0.closing.cancelled() => return Outcome::Withdrawn,
                () = sleep_until(arrival + deadline + grace) => {
                    if !slot.began.load(Ordering::Acquire) {
                        return Outcome::QueueTimeout;
                    }
                    match self.0.spare_places.clone().try_acquire_owned() {
                        Ok(spare) => slot.set(Some(spare)),
                        Err(_) => tracing::warn!(
                            "{MOST_ABANDONED} calls hang past their deadline: this one keeps its place until it ends. \
                             Does a file system hang? Start the server again once it does not"
                        ),
                    }
                    return Outcome::Late;
                }
                _ = ticks.tick(), if progress.is_wanted() => progress.tell(&work).await,
            }
        }
    }

    /// Waits for a free slot, then runs `job`.
    async fn in_turn<T: Send + 'static>(
        &self,
        slot: Arc<Slot>,
        work: CancellationToken,
        job: impl FnOnce(CancellationToken) -> T + Send + 'static,
    ) -> Outcome<T> {
        let Ok(permit) = self.0.places.clone().acquire_owned().await else { return Outcome::Withdrawn };
        slot.set(Some(permit));
        slot.began.store(true, Ordering::Release);
        let pool = match self.0.pools.take() {
            Ok(pool) => pool,
            Err(error) => return Outcome::Broken(format!("no threads to run it in: {error}")),
        };
        let (sender, receiver) = oneshot::channel();
        let shared = self.0.clone();
        let own = pool.clone();
        pool.spawn(move || {
            let result = catch_unwind(AssertUnwindSafe(|| job(work)));
            shared.pools.give(own);
            slot.set(None);
            // Sending fails where the call was cancelled, since no task waits for the result.
            let _ = sender.send(result);
        });
        match receiver.await {
            Ok(Ok(result)) => Outcome::Done(result),
            Ok(Err(panic)) => Outcome::Broken(message(&*panic)),
            Err(_) => Outcome::Broken("its thread ended without a word".to_owned()),
        }
    }
}

/// The message of a panic.
fn message(panic: &(dyn std::any::Any + Send)) -> String {
    let text = panic.downcast_ref::<&str>().copied().or_else(|| panic.downcast_ref::<String>().map(String::as_str));
    text.unwrap_or("a panic without a message").to_owned()
}

/// Reports the progress of a call to a client that has requested reports.
struct Progress<'a> {
    context: &'a RequestContext<RoleServer>,
    token: Option<ProgressToken>,
    told: f64,
}

impl<'a> Progress<'a> {
    fn new(context: &'a RequestContext<RoleServer>) -> Self {
        Self { context, token: context.meta.get_progress_token(), told: 0.0 }
    }

    fn is_wanted(&self) -> bool {
        self.token.is_some()
    }

    async fn tell(&mut self, work: &CancellationToken) {
        let Some(token) = self.token.clone() else { return };
        let (done, expected) = work.progress();
        // A call of several phases reads the same file in each phase, so progress counts steps, not files. Progress
        // must rise from one message to the next, and a host treats silence as a hang: where no further step is done,
        // progress rises by a thousandth of a step.
        self.told = (done as f64).max(self.told + 0.001);
        let mut message = ProgressNotificationParam::new(token, self.told);
        if expected > 0 {
            message = message
                .with_total((expected as f64).max(self.told))
                .with_message(format!("{done} of {expected} steps"));
        }
        // A client that does not read its messages must not block the call, and the failure to reach a disconnected
        // client is ignored.
        let _ = timeout(PROGRESS_EVERY, self.context.peer.notify_progress(message)).await;
    }
}
