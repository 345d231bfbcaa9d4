//! What a run has by now, kept where it outlives the run: a run that is broken off still leaves a document.

use std::sync::{Mutex, MutexGuard, PoisonError};

use super::Findings;

/// What a run has by now. One checkpoint serves one run; the run writes, and whoever breaks it off reads.
#[derive(Debug, Default)]
pub struct Checkpoint(Mutex<Kept>);

/// The contents of a [`Checkpoint`].
#[derive(Debug, Clone, Default)]
pub struct Kept {
    /// What was found.
    pub findings: Findings,
    /// What of the document is written.
    pub text: String,
}

impl Checkpoint {
    /// One for a new run.
    pub fn new() -> Self {
        Self::default()
    }

    /// What is there now.
    pub fn kept(&self) -> Kept {
        self.lock().clone()
    }

    /// Takes what was found so far.
    pub(crate) fn found(&self, findings: &Findings) {
        self.lock().findings = findings.clone();
    }

    /// Adds a piece of the document.
    pub(crate) fn wrote(&self, piece: &str) {
        self.lock().text.push_str(piece);
    }

    /// Forgets what is written: the document is begun again.
    pub(crate) fn begin_writing(&self) {
        self.lock().text.clear();
    }

    fn lock(&self) -> MutexGuard<'_, Kept> {
        // What another thread left half done is still text.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
