//! The intermediate results of a run that answers a question. They are stored outside the run, so that an interrupted
//! run still produces a document.

use std::sync::{Mutex, MutexGuard, PoisonError};

use super::findings::Findings;

/// The intermediate results of a run. Each run has its own checkpoint: the run writes to it, and the code that
/// interrupts the run reads from it.
#[derive(Debug, Default)]
pub struct Checkpoint(Mutex<CheckpointState>);

/// The intermediate results in a [`Checkpoint`].
#[derive(Debug, Clone, Default)]
pub struct CheckpointState {
    /// The findings of the exploration so far.
    pub findings: Findings,
    /// The text of the document that the model has written so far.
    pub text: String,
    /// Descriptions of what did not fit into the request for that text.
    pub left_out: Vec<String>,
}

impl Checkpoint {
    /// An empty checkpoint for a new run.
    pub fn new() -> Self {
        Self::default()
    }

    /// A copy of the intermediate results stored so far.
    pub fn copy_stored_results(&self) -> CheckpointState {
        self.lock_state().clone()
    }

    /// Replaces the stored findings of the exploration.
    pub(crate) fn store_findings(&self, findings: &Findings) {
        self.lock_state().findings = findings.clone();
    }

    /// Appends a streamed piece of the document's text.
    pub(crate) fn append_document_text(&self, piece: &str) {
        self.lock_state().text.push_str(piece);
    }

    /// Discards the stored document text, because the model starts the document, or starts it again. `left_out` describes
    /// what did not fit into the request: a text that breaks off must say so, too.
    pub(crate) fn begin_document(&self, left_out: &[String]) {
        let mut state = self.lock_state();
        state.text.clear();
        state.left_out = left_out.to_vec();
    }

    fn lock_state(&self) -> MutexGuard<'_, CheckpointState> {
        // The lock of a thread that panicked still contains usable results.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
