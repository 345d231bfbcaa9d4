//! `CancellationToken`: limits the work of one call. The caller can cancel the call, and a deadline ends it with the
//! results found so far.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use crate::evidence::{Completeness, Evidence};

/// The state of one call's work, shared by the threads that do the work and those that wait for it. All clones share
/// one state.
#[derive(Debug, Clone, Default)]
pub struct CancellationToken(Arc<State>);

#[derive(Debug, Default)]
struct State {
    cancelled: AtomicBool,
    deadline: Option<Instant>,
    done: AtomicUsize,
    expected: AtomicUsize,
    /// The token of the larger piece of work that this one is a part of.
    whole: Option<CancellationToken>,
}

/// Why work ended before it was complete.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stop {
    /// The caller cancelled the call.
    Cancelled,
    /// The deadline has passed.
    Deadline,
}

impl Stop {
    /// The reason as text for the evidence.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Cancelled => "cancelled",
            Self::Deadline => "stopped at its deadline",
        }
    }
}

impl CancellationToken {
    /// Creates a token whose call ends at `deadline` with the results found so far.
    pub fn until(deadline: Instant) -> Self {
        Self(Arc::new(State { deadline: Some(deadline), ..State::default() }))
    }

    /// A token for a part of this work, with a time limit of its own.
    #[must_use]
    pub fn within(&self, time: Duration) -> Self {
        let deadline = Instant::now().checked_add(time);
        Self(Arc::new(State { deadline, whole: Some(self.clone()), ..State::default() }))
    }

    /// Cancels the work.
    pub fn cancel(&self) {
        self.0.cancelled.store(true, Ordering::Relaxed);
    }

    /// Whether the work must end now, and why. The check is cheap enough to run before each file.
    pub fn stopped(&self) -> Option<Stop> {
        if self.0.cancelled.load(Ordering::Relaxed) {
            return Some(Stop::Cancelled);
        }
        if let Some(stop) = self.0.whole.as_ref().and_then(Self::stopped) {
            return Some(stop);
        }
        self.0.deadline.is_some_and(|deadline| Instant::now() >= deadline).then_some(Stop::Deadline)
    }

    /// The time until the deadline; `None` without a deadline.
    pub fn left(&self) -> Option<Duration> {
        self.0.deadline.map(|deadline| deadline.saturating_duration_since(Instant::now()))
    }

    /// The number of files processed so far, and the number of files known to need processing. Both grow while the call
    /// runs.
    pub fn progress(&self) -> (usize, usize) {
        (self.0.done.load(Ordering::Relaxed), self.0.expected.load(Ordering::Relaxed))
    }

    /// Adds to the number of files that need processing.
    pub fn expect(&self, files: usize) {
        self.0.expected.fetch_add(files, Ordering::Relaxed);
        if let Some(whole) = &self.0.whole {
            whole.expect(files);
        }
    }

    /// Counts one more file as processed. Returns `false` if the work must end instead.
    pub fn step(&self) -> bool {
        if self.stopped().is_some() {
            return false;
        }
        let mut cancellation = Some(self);
        while let Some(Self(state)) = cancellation {
            state.done.fetch_add(1, Ordering::Relaxed);
            cancellation = state.whole.as_ref();
        }
        true
    }

    /// Notes in the evidence that `left` of `all` files were not processed.
    pub fn cut_short(&self, left: usize, all: usize, evidence: &mut Evidence) {
        if left == 0 {
            return;
        }
        let why = self.stopped().map_or("stopped", Stop::as_str);
        evidence.note(format!("{why}: {left} of {all} files were not looked at"));
        evidence.weaken(Completeness::LowerBound);
    }
}

#[cfg(test)]
mod tests {
    use std::time::{Duration, Instant};

    use super::{CancellationToken, Stop};

    #[test]
    fn clones_are_the_same_work() {
        let cancellation = CancellationToken::default();
        assert_eq!(cancellation.stopped(), None);
        cancellation.clone().cancel();
        assert_eq!(cancellation.stopped(), Some(Stop::Cancelled));
        assert!(!cancellation.step());
    }

    #[test]
    fn a_deadline_ends_it() {
        assert_eq!(CancellationToken::until(Instant::now()).stopped(), Some(Stop::Deadline));
        assert_eq!(CancellationToken::until(Instant::now() + Duration::from_secs(60)).stopped(), None);
    }

    #[test]
    fn a_part_ends_with_the_whole_and_before_it() {
        let whole = CancellationToken::default();
        let part = whole.within(Duration::from_secs(60));
        assert!(part.step());
        assert_eq!((part.progress().0, whole.progress().0), (1, 1));
        assert_eq!(whole.within(Duration::ZERO).stopped(), Some(Stop::Deadline));
        assert_eq!(whole.stopped(), None);
        whole.cancel();
        assert_eq!(part.stopped(), Some(Stop::Cancelled));
    }
}
