//! The results of a run that answers a question, and of the exploration in it.

use peelback_llm::ChatError;

use super::findings::Findings;
use crate::document::Document;

/// The result of a run that answers a question: the document, and the error that ended the run, if any. An exhausted
/// budget is no error.
#[derive(Debug)]
pub struct Scoped {
    /// The document that answers the question.
    pub document: Document,
    /// The error after which no further model call was possible; the document mentions it too.
    pub failed: Option<ChatError>,
}

/// The result of an exploration of the code.
pub(crate) struct Explored {
    pub findings: Findings,
    /// The error after which no further model call is possible.
    pub failed: Option<ChatError>,
}
