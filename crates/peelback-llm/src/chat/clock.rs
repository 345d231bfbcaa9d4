//! The clock by which retries and rate limits wait. Tests and replays use one that skips all waiting.

use std::future::Future;
use std::pin::Pin;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant, SystemTime};

/// A future that ends when a pause of a [`Clock`] is over.
pub type SleepFuture<'a> = Pin<Box<dyn Future<Output = ()> + Send + 'a>>;

/// A source of time that can also wait.
pub trait Clock: Send + Sync {
    /// The time since an arbitrary start of the clock; it never decreases.
    fn time_since_clock_start(&self) -> Duration;

    /// The date and time of day. It may jump, so it is only compared with dates.
    fn current_system_time(&self) -> SystemTime;

    /// Waits for the duration `pause` by this clock.
    fn sleep(&self, pause: Duration) -> SleepFuture<'_>;
}

/// The real clock: the time of the operating system.
#[derive(Debug)]
pub struct SystemClock {
    start: Instant,
}

impl SystemClock {
    /// Creates a clock whose time starts now.
    pub fn new() -> Self {
        Self { start: Instant::now() }
    }
}

impl Default for SystemClock {
    fn default() -> Self {
        Self::new()
    }
}

impl Clock for SystemClock {
    fn time_since_clock_start(&self) -> Duration {
        self.start.elapsed()
    }

    fn current_system_time(&self) -> SystemTime {
        SystemTime::now()
    }

    fn sleep(&self, pause: Duration) -> SleepFuture<'_> {
        Box::pin(tokio::time::sleep(pause))
    }
}

/// A simulated clock: its time moves only when somebody waits, and then by the whole pause at once. It starts at the
/// Unix epoch.
#[derive(Debug, Default)]
pub struct SkippingClock {
    state: Mutex<SimulatedTime>,
}

#[derive(Debug, Default)]
struct SimulatedTime {
    now: Duration,
    pauses: Vec<Duration>,
}

impl SkippingClock {
    /// Creates a simulated clock at the Unix epoch that has skipped no pause.
    pub fn new() -> Self {
        Self::default()
    }

    /// Moves the simulated time forward by `time` without recording a pause.
    pub fn advance(&self, time: Duration) {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        state.now = state.now.saturating_add(time);
    }

    /// The pauses that somebody waited for and the clock skipped, oldest first.
    pub fn skipped_pauses(&self) -> Vec<Duration> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner).pauses.clone()
    }
}

impl Clock for SkippingClock {
    fn time_since_clock_start(&self) -> Duration {
        self.state.lock().unwrap_or_else(PoisonError::into_inner).now
    }

    fn current_system_time(&self) -> SystemTime {
        SystemTime::UNIX_EPOCH.checked_add(self.time_since_clock_start()).unwrap_or(SystemTime::UNIX_EPOCH)
    }

    fn sleep(&self, pause: Duration) -> SleepFuture<'_> {
        // The simulated time moves when the future is awaited, not when it is created.
        Box::pin(async move {
            let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
            state.now = state.now.saturating_add(pause);
            state.pauses.push(pause);
        })
    }
}
