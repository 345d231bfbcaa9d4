//! A better analysis than syntax, asked with patience and not trusted to answer.

use std::sync::atomic::{AtomicU8, AtomicUsize, Ordering};
use std::sync::{Arc, mpsc};
use std::time::Duration;

use peelback_project::{CancellationToken, Outliner, SourceFile};
use peelback_syntax::Facts;

use crate::analysis::{AnalysisError, CodeAnalysis};

/// How long a backend may take for one question where the call's own deadline does not say less.
pub(crate) const PATIENCE: Duration = Duration::from_secs(5);

/// A backend that let so many questions run out is not asked again: each of them holds a thread.
const MAX_HANGING: usize = 3;

/// How often a waiting call looks whether it was taken back.
const LOOK: Duration = Duration::from_millis(20);

/// A [`CodeAnalysis`] that may err, hang or not be ready.
pub(crate) struct Backend {
    analysis: Arc<dyn CodeAnalysis>,
    patience: Duration,
    hanging: Arc<AtomicUsize>,
}

impl Backend {
    pub fn new(analysis: Arc<dyn CodeAnalysis>, patience: Duration) -> Self {
        Self { analysis, patience, hanging: Arc::default() }
    }

    pub fn name(&self) -> &'static str {
        self.analysis.name()
    }

    /// Asks on a thread of its own and waits as long as the backend's patience and the call's deadline let it.
    ///
    /// # Errors
    /// What the backend says; [`AnalysisError::Late`].
    pub fn ask<T: Send + 'static>(
        &self,
        cancellation: &CancellationToken,
        question: impl FnOnce(&dyn CodeAnalysis) -> Result<T, AnalysisError> + Send + 'static,
    ) -> Result<T, AnalysisError> {
        if self.hanging.load(Ordering::Relaxed) >= MAX_HANGING {
            return Err(AnalysisError::Failed(format!("given up: {MAX_HANGING} questions are without an answer")));
        }
        let (answer, answered) = mpsc::channel();
        let analysis = self.analysis.clone();
        let ends = Ends { state: Arc::default(), hanging: self.hanging.clone() };
        let state = ends.state.clone();
        let asked = std::thread::Builder::new().name(format!("peelback-{}", self.name())).spawn(move || {
            // Dropped at the end, also by a panic of the backend: that is its failure, and ends with its thread.
            let _ends = ends;
            // Nobody waits for an answer that comes too late.
            let _ = answer.send(question(&*analysis));
        });
        if let Err(error) = asked {
            return Err(AnalysisError::Failed(format!("no thread to ask it on: {error}")));
        }
        let mut waited = Duration::ZERO;
        // Half of what is left: syntax must have its time too.
        let patience = cancellation.left().map_or(self.patience, |left| self.patience.min(left / 2));
        loop {
            match answered.recv_timeout(LOOK.min(patience.saturating_sub(waited))) {
                Ok(given) => return given,
                Err(mpsc::RecvTimeoutError::Disconnected) => {
                    return Err(AnalysisError::Failed("it panicked".to_owned()));
                }
                Err(mpsc::RecvTimeoutError::Timeout) => waited += LOOK,
            }
            if waited >= patience || cancellation.stopped().is_some() {
                self.hanging.fetch_add(1, Ordering::Relaxed);
                if state.swap(LATE, Ordering::AcqRel) != ASKED {
                    self.hanging.fetch_sub(1, Ordering::Relaxed);
                }
                return Err(AnalysisError::Late(patience));
            }
        }
    }
}

impl Outliner for Backend {
    fn name(&self) -> &'static str {
        self.analysis.name()
    }

    fn outline(&self, file: &SourceFile, cancellation: &CancellationToken) -> Result<Facts, String> {
        let file = file.clone();
        self.ask(cancellation, move |better| better.outline(&file)).map_err(|error| error.to_string())
    }
}

/// A question is being worked on.
const ASKED: u8 = 0;

/// Nobody waits for it any more.
const LATE: u8 = 1;

/// Its thread has ended.
const ENDED: u8 = 2;

/// Says that a question's thread ended, however it did.
struct Ends {
    state: Arc<AtomicU8>,
    hanging: Arc<AtomicUsize>,
}

impl Drop for Ends {
    fn drop(&mut self) {
        if self.state.swap(ENDED, Ordering::AcqRel) == LATE {
            self.hanging.fetch_sub(1, Ordering::Relaxed);
        }
    }
}
