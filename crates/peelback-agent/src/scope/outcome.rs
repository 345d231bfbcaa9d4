//! Results of a run and of its exploration.

use peelback_llm::ChatError;

use super::findings::Findings;
use crate::document::Document;

/// A document, and the error that ended its run, if any. An exhausted budget is no error.
#[derive(Debug)]
pub struct Scoped {
    /// The document.
    pub document: Document,
    /// The error after which the model could not be called any more; the document names it too.
    pub failed: Option<ChatError>,
}

/// The result of an exploration.
pub(crate) struct Explored {
    pub findings: Findings,
    /// The error after which the model cannot be called any more.
    pub failed: Option<ChatError>,
}
