//! What may leave the machine: the decisions about files and about parts of texts, for everything that a model or a document
//! receives.

use std::borrow::Cow;
use std::sync::Arc;

pub use peelback_code::Withhold;

/// Replaces the secret parts of a text. A text without secrets is borrowed.
pub type Redact = Arc<dyn for<'a> Fn(&'a str) -> Cow<'a, str> + Send + Sync>;
