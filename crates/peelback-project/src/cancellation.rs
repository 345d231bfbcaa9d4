//! What one call may spend: its caller can take the question back, and a deadline ends it with what was found.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use crate::evidence::{Completeness, Evidence};

/// The work of one call, shared by those who do it and those who wait for it. Clones are the same work.
#[derive(Debug, Clone, Default)]
pub struct CancellationToken(Arc<State>);

#[derive(Debug, Default)]
struct State {
    cancelled: AtomicBool,
    deadline: Option<Instant>,
    done: AtomicUsize,
    expected: AtomicUsize,
    /// The work that this is a part of.
    whole: Option<CancellationToken>,
}

/// Why work ended before it was done.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stop {
    /// The caller does not want the answer any more.
    Cancelled,
    /// Its time is up.
    Deadline,
}

impl Stop {
    /// In words, as the evidence prints it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Cancelled => "cancelled",
            Self::Deadline => "stopped at its deadline",
        }
    }
}

impl CancellationToken {
    /// A token whose call ends at `deadline` with what it has.
    pub fn until(deadline: Instant) -> Self {
        Self(Arc::new(State { deadline: Some(deadline), ..State::default() }))
    }

    /// A part of this work that may take so long at most.
    #[must_use]
    pub fn within(&self, time: Duration) -> Self {
        let deadline = Instant::now().checked_add(time);
        Self(Arc::new(State { deadline, whole: Some(self.clone()), ..State::default() }))
    }

    /// Takes the question back.
    pub fn cancel(&self) {
        self.0.cancelled.store(true, Ordering::Relaxed);
    }

    /// Whether the work must end now, and why. Cheap enough to ask before each file.
    pub fn stopped(&self) -> Option<Stop> {
        if self.0.cancelled.load(Ordering::Relaxed) {
            return Some(Stop::Cancelled);
        }
        if let Some(stop) = self.0.whole.as_ref().and_then(Self::stopped) {
            return Some(stop);
        }
        self.0.deadline.is_some_and(|deadline| Instant::now() >= deadline).then_some(Stop::Deadline)
    }

    /// The time until its deadline; `None` where it has none.
    pub fn left(&self) -> Option<Duration> {
        self.0.deadline.map(|deadline| deadline.saturating_duration_since(Instant::now()))
    }

    /// Files looked at, and files that are known to be looked at in all; both grow while the call runs.
    pub fn progress(&self) -> (usize, usize) {
        (self.0.done.load(Ordering::Relaxed), self.0.expected.load(Ordering::Relaxed))
    }

    /// Announces so many files more.
    pub fn expect(&self, files: usize) {
        self.0.expected.fetch_add(files, Ordering::Relaxed);
        if let Some(whole) = &self.0.whole {
            whole.expect(files);
        }
    }

    /// One file is about to be looked at; `false` where the work must end instead.
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

    /// Says in the evidence that `left` of `all` files were not looked at.
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
