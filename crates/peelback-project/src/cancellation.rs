//! `CancellationToken`: limits the work of one call. The caller can cancel the call, and a deadline ends it with the
//! results found so far.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use crate::evidence::{Completeness, Evidence};

/// A handle on the work of one call: whether the work must stop, and how far it is. The threads that do
/// the work and those that wait for it have clones of the token, which share one state.
#[derive(Debug, Clone, Default)]
pub struct CancellationToken(Arc<WorkState>);

#[derive(Debug, Default)]
struct WorkState {
    cancelled: Arc<AtomicBool>,
    deadline: Option<Instant>,
    processed_files: AtomicUsize,
    expected_files: AtomicUsize,
    /// What the work does now, in words.
    current_step: Mutex<Option<String>>,
    /// The token of the larger piece of work that this one is a part of.
    parent: Option<CancellationToken>,
}

/// Why work ended before it was complete.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StopCause {
    /// The caller cancelled the call.
    Cancelled,
    /// The deadline has passed.
    Deadline,
}

impl StopCause {
    /// The cause as text for the evidence of an answer.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Cancelled => "cancelled",
            Self::Deadline => "stopped at its deadline",
        }
    }
}

impl CancellationToken {
    /// Creates a token for a call that ends at `deadline` with the results found so far.
    pub fn with_deadline(deadline: Instant) -> Self {
        Self(Arc::new(WorkState { deadline: Some(deadline), ..WorkState::default() }))
    }

    /// A token for a part of this token's work, with a time limit of its own. The part also stops when the whole work
    /// stops.
    #[must_use]
    pub fn child_with_time_limit(&self, time: Duration) -> Self {
        let deadline = Instant::now().checked_add(time);
        Self(Arc::new(WorkState { deadline, parent: Some(self.clone()), ..WorkState::default() }))
    }

    /// Cancels the call: its threads stop at their next check of the token.
    pub fn cancel(&self) {
        self.0.cancelled.store(true, Ordering::Relaxed);
    }

    /// The flag that [`Self::cancel`] sets, for work that waits for a process and knows no token. It does not tell the
    /// deadline.
    pub fn cancellation_flag(&self) -> Arc<AtomicBool> {
        Arc::clone(&self.0.cancelled)
    }

    /// Says what the work does now, for whoever waits for it.
    pub fn set_current_step(&self, step: impl Into<String>) {
        *self.0.current_step.lock().unwrap_or_else(PoisonError::into_inner) = Some(step.into());
    }

    /// What the work does now; `None` where it has not said so.
    pub fn current_step(&self) -> Option<String> {
        self.0.current_step.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Whether the work must end now, and why. The check is cheap enough to run before each file.
    pub fn stop_cause(&self) -> Option<StopCause> {
        if self.0.cancelled.load(Ordering::Relaxed) {
            return Some(StopCause::Cancelled);
        }
        if let Some(stop) = self.0.parent.as_ref().and_then(Self::stop_cause) {
            return Some(stop);
        }
        self.0.deadline.is_some_and(|deadline| Instant::now() >= deadline).then_some(StopCause::Deadline)
    }

    /// The time until the deadline; `None` without a deadline.
    pub fn time_left(&self) -> Option<Duration> {
        self.0.deadline.map(|deadline| deadline.saturating_duration_since(Instant::now()))
    }

    /// The number of files processed so far, and the number of files known to need processing. Both grow while the call
    /// runs.
    pub fn processed_and_expected_file_counts(&self) -> (usize, usize) {
        (self.0.processed_files.load(Ordering::Relaxed), self.0.expected_files.load(Ordering::Relaxed))
    }

    /// Adds `files` to the number of files that the call has to process.
    pub fn add_expected_files(&self, files: usize) {
        self.0.expected_files.fetch_add(files, Ordering::Relaxed);
        if let Some(whole) = &self.0.parent {
            whole.add_expected_files(files);
        }
    }

    /// Counts one more file as processed. Returns `false` if the work must end instead.
    pub fn count_processed_file_unless_stopped(&self) -> bool {
        if self.stop_cause().is_some() {
            return false;
        }
        let mut token = Some(self);
        while let Some(Self(state)) = token {
            state.processed_files.fetch_add(1, Ordering::Relaxed);
            token = state.parent.as_ref();
        }
        true
    }

    /// Notes in an answer's evidence that `left` of `all` files were not processed; does nothing if `left` is 0.
    pub fn note_unprocessed_files_in_evidence(&self, left: usize, all: usize, evidence: &mut Evidence) {
        if left == 0 {
            return;
        }
        let why = self.stop_cause().map_or("stopped", StopCause::as_str);
        evidence.add_note(format!("{why}: {left} of {all} files were not looked at"));
        evidence.lower_completeness_to(Completeness::LowerBound);
    }
}

#[cfg(test)]
mod tests {
    use std::time::{Duration, Instant};

    use super::{CancellationToken, StopCause};

    #[test]
    fn clones_are_the_same_work() {
        let cancellation = CancellationToken::default();
        assert_eq!(cancellation.stop_cause(), None);
        cancellation.clone().cancel();
        assert_eq!(cancellation.stop_cause(), Some(StopCause::Cancelled));
        assert!(!cancellation.count_processed_file_unless_stopped());
    }

    #[test]
    fn steps_and_the_flag_are_shared_by_clones() {
        let cancellation = CancellationToken::default();
        let (other, flag) = (cancellation.clone(), cancellation.cancellation_flag());
        assert_eq!(other.current_step(), None);
        cancellation.set_current_step("writing");
        assert_eq!(other.current_step().as_deref(), Some("writing"));
        assert!(!flag.load(std::sync::atomic::Ordering::Relaxed));
        other.cancel();
        assert!(flag.load(std::sync::atomic::Ordering::Relaxed));
    }

    #[test]
    fn a_deadline_ends_it() {
        assert_eq!(CancellationToken::with_deadline(Instant::now()).stop_cause(), Some(StopCause::Deadline));
        assert_eq!(CancellationToken::with_deadline(Instant::now() + Duration::from_secs(60)).stop_cause(), None);
    }

    #[test]
    fn a_part_ends_with_the_whole_and_before_it() {
        let whole = CancellationToken::default();
        let part = whole.child_with_time_limit(Duration::from_secs(60));
        assert!(part.count_processed_file_unless_stopped());
        assert_eq!((part.processed_and_expected_file_counts().0, whole.processed_and_expected_file_counts().0), (1, 1));
        assert_eq!(whole.child_with_time_limit(Duration::ZERO).stop_cause(), Some(StopCause::Deadline));
        assert_eq!(whole.stop_cause(), None);
        whole.cancel();
        assert_eq!(part.stop_cause(), Some(StopCause::Cancelled));
    }
}
