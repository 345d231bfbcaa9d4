//! Runs an analysis backend that knows more than syntax trees but may hang or fail: each question has a timeout.

use std::sync::atomic::{AtomicU8, AtomicUsize, Ordering};
use std::sync::{Arc, mpsc};
use std::time::Duration;

use peelback_project::{CancellationToken, Outliner, SourceFile};
use peelback_syntax::Facts;
use peelback_syntax::stack::THREAD_STACK_BYTES;

use crate::analysis::{AnalysisError, CodeAnalysis};

/// The longest time that a backend may take for one question, unless the call's own deadline is sooner.
pub(crate) const PATIENCE: Duration = Duration::from_secs(5);

/// The number of unanswered questions at which a backend is no longer asked: each unanswered question blocks a thread.
const MAX_HANGING: usize = 3;

/// The interval at which a waiting call checks whether it was cancelled.
const CANCELLATION_POLL_INTERVAL: Duration = Duration::from_millis(20);

/// A wrapper around a [`CodeAnalysis`] that may fail, hang or be still starting. Each question runs on its own thread,
/// with a time limit.
pub(crate) struct TimedAnalysisBackend {
    analysis: Arc<dyn CodeAnalysis>,
    patience: Duration,
    hanging: Arc<AtomicUsize>,
}

impl TimedAnalysisBackend {
    pub fn new(analysis: Arc<dyn CodeAnalysis>, patience: Duration) -> Self {
        Self { analysis, patience, hanging: Arc::default() }
    }

    pub fn name(&self) -> &'static str {
        self.analysis.name()
    }

    /// Asks the backend on a separate thread and waits until the backend's timeout or the call's deadline.
    ///
    /// # Errors
    /// The error that the backend returns, or [`AnalysisError::Late`] after the timeout.
    pub fn ask_with_timeout<T: Send + 'static>(
        &self,
        cancellation: &CancellationToken,
        question: impl FnOnce(&dyn CodeAnalysis) -> Result<T, AnalysisError> + Send + 'static,
    ) -> Result<T, AnalysisError> {
        if self.hanging.load(Ordering::Relaxed) >= MAX_HANGING {
            return Err(AnalysisError::Failed(format!("not asked: {MAX_HANGING} questions are still unanswered")));
        }
        let (answer, answered) = mpsc::channel();
        let analysis = self.analysis.clone();
        let ends = QuestionEndGuard { state: Arc::default(), hanging: self.hanging.clone() };
        let state = ends.state.clone();
        let thread =
            std::thread::Builder::new().name(format!("peelback-{}", self.name())).stack_size(THREAD_STACK_BYTES);
        let asked = thread.spawn(move || {
            // The guard is dropped when the thread ends, also when the backend panics. A panic ends only this thread
            // and counts as a failure of the backend.
            let _ends = ends;
            // Sending fails when the caller stopped waiting; a late answer is dropped.
            let _ = answer.send(question(&*analysis));
        });
        if let Err(error) = asked {
            return Err(AnalysisError::Failed(format!("no thread to ask it on: {error}")));
        }
        let mut waited = Duration::ZERO;
        // The backend may use at most half of the remaining time, so that syntax analysis has time to answer, too.
        let patience = cancellation.time_left().map_or(self.patience, |left| self.patience.min(left / 2));
        loop {
            match answered.recv_timeout(CANCELLATION_POLL_INTERVAL.min(patience.saturating_sub(waited))) {
                Ok(given) => return given,
                Err(mpsc::RecvTimeoutError::Disconnected) => {
                    return Err(AnalysisError::Failed("it panicked".to_owned()));
                }
                Err(mpsc::RecvTimeoutError::Timeout) => waited += CANCELLATION_POLL_INTERVAL,
            }
            if waited >= patience || cancellation.stop_cause().is_some() {
                self.hanging.fetch_add(1, Ordering::Relaxed);
                if state.swap(LATE, Ordering::AcqRel) != ASKED {
                    self.hanging.fetch_sub(1, Ordering::Relaxed);
                }
                return Err(AnalysisError::Late(patience));
            }
        }
    }
}

impl Outliner for TimedAnalysisBackend {
    fn name(&self) -> &'static str {
        self.analysis.name()
    }

    fn outline_file(&self, file: &SourceFile, cancellation: &CancellationToken) -> Result<Facts, String> {
        let file = file.clone();
        self.ask_with_timeout(cancellation, move |better| better.analyse_file(&file)).map_err(|error| error.to_string())
    }
}

/// State of a question: the backend is working on it.
const ASKED: u8 = 0;

/// State of a question: the caller has stopped waiting for the answer.
const LATE: u8 = 1;

/// State of a question: its thread has ended.
const ENDED: u8 = 2;

/// Guard that records the end of a question's thread when it is dropped, whether the thread returned or panicked.
struct QuestionEndGuard {
    state: Arc<AtomicU8>,
    hanging: Arc<AtomicUsize>,
}

impl Drop for QuestionEndGuard {
    fn drop(&mut self) {
        if self.state.swap(ENDED, Ordering::AcqRel) == LATE {
            self.hanging.fetch_sub(1, Ordering::Relaxed);
        }
    }
}
