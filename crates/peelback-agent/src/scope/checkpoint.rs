//! Results of a running run, stored outside the run: a run that is interrupted still leaves a document.

use std::sync::{Mutex, MutexGuard, PoisonError};

use super::findings::Findings;

/// The results of a run so far. Each run has its own checkpoint: the run writes, and the code that interrupts the run
/// reads.
#[derive(Debug, Default)]
pub struct Checkpoint(Mutex<Kept>);

/// The contents of a [`Checkpoint`].
#[derive(Debug, Clone, Default)]
pub struct Kept {
    /// The findings of the exploration.
    pub findings: Findings,
    /// The text of the document that the model has written so far.
    pub text: String,
}

impl Checkpoint {
    /// An empty checkpoint for a new run.
    pub fn new() -> Self {
        Self::default()
    }

    /// A copy of the current results.
    pub fn kept(&self) -> Kept {
        self.lock().clone()
    }

    /// Replaces the stored findings.
    pub(crate) fn found(&self, findings: &Findings) {
        self.lock().findings = findings.clone();
    }

    /// Appends a streamed piece of the document's text.
    pub(crate) fn wrote(&self, piece: &str) {
        self.lock().text.push_str(piece);
    }

    /// Discards the stored text: the model begins the document again.
    pub(crate) fn begin_writing(&self) {
        self.lock().text.clear();
    }

    fn lock(&self) -> MutexGuard<'_, Kept> {
        // A poisoned lock still contains usable text.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
