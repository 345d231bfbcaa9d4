//! Time, as those who wait know it. Tests and replays skip it.

use std::future::Future;
use std::pin::Pin;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant, SystemTime};

/// A pause that is being waited for.
pub type Pause<'a> = Pin<Box<dyn Future<Output = ()> + Send + 'a>>;

/// What time it is, and how to wait.
pub trait Clock: Send + Sync {
    /// The time since some beginning; it never goes back.
    fn now(&self) -> Duration;

    /// The time of day. It may be set, so it is for dates alone.
    fn date(&self) -> SystemTime;

    /// Waits so long.
    fn sleep(&self, pause: Duration) -> Pause<'_>;
}

/// The machine's clock.
#[derive(Debug)]
pub struct SystemClock {
    begun: Instant,
}

impl SystemClock {
    /// A clock that begins now.
    pub fn new() -> Self {
        Self { begun: Instant::now() }
    }
}

impl Default for SystemClock {
    fn default() -> Self {
        Self::new()
    }
}

impl Clock for SystemClock {
    fn now(&self) -> Duration {
        self.begun.elapsed()
    }

    fn date(&self) -> SystemTime {
        SystemTime::now()
    }

    fn sleep(&self, pause: Duration) -> Pause<'_> {
        Box::pin(tokio::time::sleep(pause))
    }
}

/// A clock that stands still until someone waits, and then is at once past the pause. It begins at the epoch of 1970.
#[derive(Debug, Default)]
pub struct SkippingClock {
    state: Mutex<Skipped>,
}

#[derive(Debug, Default)]
struct Skipped {
    now: Duration,
    pauses: Vec<Duration>,
}

impl SkippingClock {
    /// A clock at its beginning.
    pub fn new() -> Self {
        Self::default()
    }

    /// Lets so much time pass without a pause.
    pub fn advance(&self, time: Duration) {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        state.now = state.now.saturating_add(time);
    }

    /// The pauses that were skipped, in their order.
    pub fn pauses(&self) -> Vec<Duration> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner).pauses.clone()
    }
}

impl Clock for SkippingClock {
    fn now(&self) -> Duration {
        self.state.lock().unwrap_or_else(PoisonError::into_inner).now
    }

    fn date(&self) -> SystemTime {
        SystemTime::UNIX_EPOCH.checked_add(self.now()).unwrap_or(SystemTime::UNIX_EPOCH)
    }

    fn sleep(&self, pause: Duration) -> Pause<'_> {
        // The time passes when the pause is waited for, not when it is made.
        Box::pin(async move {
            let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
            state.now = state.now.saturating_add(pause);
            state.pauses.push(pause);
        })
    }
}
